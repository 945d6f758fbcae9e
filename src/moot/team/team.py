"""Team: who is asked together, what they are shown, and how a reply becomes an answer.

A strategy speaks to models only through its team, so every prompt and every attempt is on the record. The team that a
strategy receives is seated for one question: it carries the journal of this episode and nothing of any other.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from operator import attrgetter
from typing import Any, Protocol, TypeVar

from moot.models.cut_out import CUT_FROM_REPLY, was_cut
from moot.models.model import call_key
from moot.models.overheard import Listener
from moot.prompts import Prompts
from moot.team.attempts import Asking, until_usable, unwatched
from moot.team.attendance import Attendance, Quorum, Remembered, until_quorum
from moot.team.forms import AnswerForm, Form, FromOutside, HoldsAnswer, Read, Unusable, read_reply, reads_whole
from moot.team.lessons import Lesson
from moot.team.player import COPY_STRIDE, OCCASION_STRIDE, Heard, aliases_of
from moot.team.player import Player as Player  # a team is made of players: both are found here
from moot.team.reading import Announced, Reading, unparsed
from moot.team.together import together
from moot.team.watching import CAPTAIN, PLAYER, BegunCall, Watcher
from moot.traces import CutOff, Extraction, Trace
from moot.types import NOTHING, Answer, Call, Grouping, Message, Question, Reply, Request, digest, seeded

T = TypeVar("T")

LONGEST_QUOTE = 2_000
"""How much of an unusable reply is shown back to its author; a broken reply is often a very long one."""

LATE = "late: the round went on without it"

Moment = tuple[int, int]
"""When somebody was asked: the turn, and the round within it where a turn has several."""


class Grouper(Protocol):
    """Puts answers that mean the same together. It may ask a model, through the team, so that it is on the record."""

    async def group(self, question: Question, answers: Sequence[Answer], team: Team) -> Grouping: ...


class SameWords:
    """The plainest grouper: equal but for case and outer space. Letters need no more."""

    async def group(self, question: Question, answers: Sequence[Answer], team: Team) -> Grouping:
        together: dict[tuple[str, str], list[str]] = {}
        for answer in answers:
            if answer.text is not None:
                by = answer.player if was_cut(answer.text) else ""  # it may equal any other, or none
                together.setdefault((answer.text.strip().casefold(), by), []).append(answer.player)
        groups = tuple(tuple(players) for players in together.values())
        return Grouping(groups, tuple("normalised" if len(group) > 1 else "alone" for group in groups))


Retriever = Callable[[Question], str | Awaitable[str]]
"""From a question to what is known about it, in words; "" for nothing."""


class AnswerReader(Protocol):
    """Reads the answer out of a reply in free words. It may ask models, through the team, in the turn of the reply."""

    async def read(self, question: Question, reply: Reply, team: Team, *, turn: int = 1) -> Reading: ...


@dataclass(frozen=True, slots=True)
class Team:
    """Players around one table, perhaps with a captain, and somebody who can tell which answers are the same.

    Players of different cohorts never hear each other: they sit at tables of their own, each a team of one cohort.
    """

    name: str
    players: tuple[Player, ...]
    prompts: Prompts = field(default_factory=Prompts)
    seed: int = 0
    captain: str | None = None
    grouper: Grouper = field(default_factory=SameWords, compare=False)
    repeat: int = 0
    journal: list[Call] = field(default_factory=list, compare=False, repr=False)
    traced: list[Trace] = field(default_factory=list, compare=False, repr=False)
    """What the team itself leaves on record, whatever the strategy does; an episode keeps it with the verdict's."""
    asked: dict[tuple[str, tuple[Message, ...]], list[Moment]] = field(default_factory=dict, compare=False, repr=False)
    """Who was asked which words in this episode, and when: see `_occasion`."""
    cohort: str | None = None
    """Whose table this is, once the team has been seated by cohorts."""
    cohorts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    """Names that a blind prompt must not give away, beyond those of the players who sit here."""
    reader: AnswerReader = field(default_factory=Announced, compare=False)
    attendance: Attendance = field(default_factory=Remembered, compare=False, repr=False)
    officers: Mapping[str, Player] = field(default_factory=dict, compare=False)
    """Models that do not play, by their office: a judge, say. A strategy that needs one says so by its options."""
    retriever: Retriever | None = field(default=None, compare=False)
    lessons: tuple[Lesson, ...] = field(default=(), compare=False, repr=False)
    """Graded drafts of other questions, for a strategy whose traits say that it learns: one and the same object for all
    questions that learn alike, so that what is learnt from it may be kept by its identity."""
    category: str = field(default="", compare=False)
    """Of the question that is decided, where it has one and lessons tell what that means."""
    drafted: Mapping[str, Answer] = field(default_factory=dict, compare=False, repr=False)
    """Drafts that are there already, by player: who decides from them at this table asks for none of these again."""
    drafts_repeat: int | None = field(default=None, compare=False)
    """Whose drafts this repeat decides from, where a strategy decides several times from the same; None: its own."""

    watcher: Watcher | None = field(default=None, compare=False, repr=False)
    """Who is told of calls when they begin; the journal has them when they are over."""

    def __getitem__(self, name: str) -> Player:
        for player in self.players:
            if player.name == name:
                return player
        expected = ", ".join(player.name for player in self.players)
        raise KeyError(f"there is no player {name!r} at this table; expected one of {expected}")

    def seated(self, repeat: int = 0, drafts_repeat: int | None = None) -> Team:
        """This team for one episode, with a record of its own. By hand: this is done for every episode of a run."""
        seated = object.__new__(Team)
        for put, value in zip(_PUT_KEPT, _kept_of(self), strict=True):
            put(seated, value)
        for put, value in zip(_PUT_OWN, (repeat, drafts_repeat, [], [], {}), strict=True):
            put(seated, value)
        return seated

    def tables(self) -> tuple[Team, ...]:
        """A table for each cohort; without cohorts the whole team sits at one."""
        if self.cohort is not None or not self.cohorts:
            return (self,)
        names = tuple(dict.fromkeys((*self.names, *(name for player in self.players for name in aliases_of(player)))))
        return tuple(
            replace(self, cohort=cohort, names=names, players=tuple(self[name] for name in members))
            for cohort, members in self.cohorts.items()
        )

    def random(self, question: Question, *role: object) -> random.Random:
        """The generator for one decision about one question; the same in every run with this seed."""
        return seeded(self.seed, question.id, self.repeat, *role)

    async def draft(self, player: Player, question: Question, *, stage: str = "draft") -> Answer:
        """One player alone with the question. Every strategy asks this way, so strategies share the stored drafts."""
        if player.name in self.drafted:
            return self.drafted[player.name]
        repeat = self.repeat if self.drafts_repeat is None else self.drafts_repeat
        table = self if repeat == self.repeat else replace(self, repeat=repeat)
        heard = await table.ask(
            player,
            question,
            self.prompts.draft(question),
            AnswerForm(question),
            stage=stage,
            # Worked examples show the form of a short answer.
            examples=() if question.is_long else player.examples or self.prompts.examples("draft"),
        )
        if heard.value is None:
            return Answer(player.name, None, outcome=heard.outcome, cause=heard.cause)
        return Answer(player.name, heard.value.answer, heard.value.reasoning)

    async def drafts(self, question: Question) -> tuple[Answer, ...]:
        """Everybody alone, at the same time."""
        return tuple(await together(self.draft(player, question) for player in self.players))

    async def group(self, question: Question, answers: Sequence[Answer]) -> Grouping:
        """Which answers mean the same; those who gave none are in no group."""
        return await self.grouper.group(question, answers, self)

    async def ask(
        self,
        player: Player,
        question: Question,
        prompt: str,
        form: Form[T],
        *,
        stage: str,
        turn: int = 1,
        part: int = 0,
        examples: Sequence[Message] = (),
        once: bool = False,
        anew: bool = True,
        params: Mapping[str, Any] = NOTHING,
    ) -> Heard[T]:
        """Ask until the reply fits the form, at most `ATTEMPTS` times, each time saying what was wrong.

        Where the team has extraction models, or with `once`, a reply that should hold an answer and does not fit is
        read by the team's reader instead. What cannot be read so is *unparsed*: it is not asked for again, unless it
        was empty.

        What was asked in an earlier turn of this episode (or an earlier `part` of the turn) in the very same words is
        asked anew: a vote after a tie is a new vote. With `anew` off the first reply stands, as for those who only read.
        """
        messages = self._messages(player, prompt, examples)
        occasion = self._occasion(player, messages, (turn, part)) if anew else 0
        instead = None
        if (once or self.extractors) and isinstance(form, HoldsAnswer) and form.asked is not None:
            instead = partial(self._read_instead, player, form, form.asked, turn)
        schema, sample = form.schema, self._sample(player, occasion)
        ours = not isinstance(form, FromOutside)
        asking = Asking(
            stage,
            turn,
            messages,
            lambda words, attempt: Request(words, params, schema, sample, attempt, question.id, ours),
            lambda reply: self._read(player, form, stage, turn, reply),
            lambda reply_text, problem: (*messages, *self._again(reply_text, problem, form)),
            instead,
            self._begins(player, stage, turn, question.is_long and reads_whole(form)),
        )
        return await until_usable(player, asking, self.journal)

    def _begins(self, player: Player, stage: str, turn: int, whole: bool) -> Callable[[int], Listener | None]:
        watcher, name = self.watcher, player.name
        if watcher is None:
            return unwatched
        seated = any(each.name == name for each in self.players)
        office = CAPTAIN if name == self.captain else PLAYER if seated else name
        return lambda attempt: watcher.begins(BegunCall(name, office, player.model.name, stage, turn, attempt, whole))

    def _read(self, player: Player, form: Form[T], stage: str, turn: int, reply: Reply) -> Read[T]:
        """What a reply says. A long answer that was cut is one: asked again it would be cut again, and nothing else is said."""
        read = read_reply(reply, form)
        if read.cut:
            self.traced.append(CutOff(player.name, stage, turn))
        return read

    async def _read_instead(
        self, player: Player, form: HoldsAnswer[T], asked: Question, turn: int, reply: Reply, problem: str
    ) -> Heard[T]:
        reading = await self.read(player, asked, reply, turn=turn)
        if reading.answer is None:
            if was_cut(reply.text):
                return Heard(player.name, None, "failed", CUT_FROM_REPLY)
            return Heard(player.name, None, "unanswered", unparsed(problem, reading.cause))
        return Heard(player.name, form.found(reading.answer, reply.text), "answered")

    async def speak(
        self, player: Player, question: Question, prompt: str, *, stage: str, turn: int = 1
    ) -> Heard[Reply]:
        """Ask for free words: no form is sent along, so the model is bound by nothing but the prompt.

        Only a reply without any words is asked for again.
        """
        messages = self._messages(player, prompt)
        sample = self._sample(player, self._occasion(player, messages, (turn, 0)))
        asking = Asking(
            stage,
            turn,
            messages,
            lambda words, attempt: Request(words, NOTHING, None, sample, attempt, question.id),
            _words,
            again=lambda reply_text, problem: messages,
            begins=self._begins(player, stage, turn, False),
        )
        return await until_usable(player, asking, self.journal)

    async def ask_all(
        self,
        question: Question,
        asked: Mapping[str, str],
        form: Form[T],
        *,
        stage: str,
        turn: int,
        once: bool = False,
        quorum: Quorum | None = None,
    ) -> dict[str, Heard[T]]:
        """Ask each player its own prompt, at the same time. With a quorum the round may go on without the last ones.

        Who was late is settled once for all who play this round: another line-up of the same question, or the same one
        after an interruption, hears exactly those who were heard the first time, whatever has come in since.
        """

        async def one(name: str) -> Heard[T]:
            return await self.ask(self[name], question, asked[name], form, stage=stage, turn=turn, once=once)

        heard: dict[str, Heard[T]] = {}
        late: tuple[str, ...] = ()
        if quorum is not None:

            async def decide() -> tuple[str, ...]:
                calls = {name: one(name) for name in asked}
                heard.update(await until_quorum(calls, quorum, lambda reply: reply.value is not None))
                return tuple(name for name in asked if name not in heard)

            late = await self.attendance.settle(self._round_key(question, asked, form, quorum, turn), decide)
        missing = [name for name in asked if name not in late and name not in heard]
        heard.update(zip(missing, await together(map(one, missing)), strict=True))
        for name in late:
            request = self._first_request(name, question, asked[name], form, turn)
            self.journal.append(Call(name, stage, turn, request, error=LATE, model=self[name].model.name))
            heard[name] = Heard(name, None, "unanswered", LATE, late=True)
        return {name: heard[name] for name in asked}

    async def read(self, player: Player, question: Question, reply: Reply, *, turn: int = 1) -> Reading:
        """The answer that a player's reply in free words gives. Where models had to read it, that is on the record."""
        reading = await self.reader.read(question, reply, self, turn=turn)
        if reading.by_model:
            self.traced.append(Extraction(player.name, turn, reading.by_model, reading.answer, reading.cause))
        return reading

    @property
    def extractors(self) -> tuple[Player, ...]:
        """The models that read what a reply does not announce, if the team's reader has any."""
        return getattr(self.reader, "models", ())

    def _round_key(self, question: Question, asked: Mapping[str, str], form: Form[T], quorum: Quorum, turn: int) -> str:
        """A round is what was asked of whom: the calls themselves, and how long they were waited for."""
        calls = []
        for name, prompt in asked.items():
            request = self._first_request(name, question, prompt, form, turn)
            calls.append([name, call_key(self[name].model, request)])
        return digest([question.digest, quorum.grace_s, calls])

    def _first_request(self, name: str, question: Question, prompt: str, form: Form[T], turn: int) -> Request:
        """What a player is sent in a round before anything can go wrong."""
        messages = self._messages(self[name], prompt)
        sample = self._sample(self[name], self._occasion(self[name], messages, (turn, 0)))
        return Request(messages, NOTHING, form.schema, sample, 0, question.id)

    def _occasion(self, player: Player, messages: tuple[Message, ...], moment: Moment) -> int:
        """How often this player was asked these words before, at other moments of the episode.

        0 is the first time, whichever the turn: the call is then the same as anybody's who asks once.
        """
        moments = self.asked.setdefault((player.name, messages), [])
        if moment not in moments:
            moments.append(moment)
        return moments.index(moment)

    def _messages(self, player: Player, prompt: str, examples: Sequence[Message] = ()) -> tuple[Message, ...]:
        if not isinstance(player, Player):
            raise TypeError(
                f"expected a player to ask, found {player!r:.40}; write team[name] or team.officers[office]"
            )
        if not isinstance(prompt, str):
            raise TypeError(f"expected a prompt in words, found {prompt!r:.40}")
        return (*self.prompts.introduction(player.instruction, player.persona), *examples, Message("user", prompt))

    def _sample(self, player: Player, occasion: int) -> int:
        return occasion * OCCASION_STRIDE + player.copy * COPY_STRIDE + self.repeat

    def _again(self, reply_text: str, problem: str, form: Form[object]) -> tuple[Message, ...]:
        if form.schema is None:
            return ()  # free words: the question once more, and nothing about a form
        fields = ", ".join(form.schema.get("required", ()))
        again = self.prompts.render("again", problem=problem, letters=", ".join(form.letters), fields=fields)
        if not reply_text.strip():
            return (Message("user", again),)
        return (Message("assistant", reply_text[:LONGEST_QUOTE]), Message("user", again))


def _words(reply: Reply) -> Read[Reply]:
    if not reply.text.strip():
        raise Unusable("empty")
    return Read(reply, repaired=False)


_OWN = ("repeat", "drafts_repeat", "journal", "traced", "asked")
"""What a team has of its own in each episode."""
_KEPT = tuple(attribute.name for attribute in fields(Team) if attribute.name not in _OWN)
_kept_of = attrgetter(*_KEPT)
_PUT_KEPT, _PUT_OWN = ([vars(Team)[name].__set__ for name in names] for names in (_KEPT, _OWN))
"""The setters of its slots: `object.__setattr__` would look each of them up again."""


def retrieved_from(team: Team) -> str | None:
    """What the team's facts come from, as part of a key: the content where a retriever can tell, else its name."""
    if team.retriever is None:
        return None
    named = getattr(team.retriever, "__qualname__", type(team.retriever).__qualname__)
    return str(getattr(team.retriever, "fingerprint", named))
