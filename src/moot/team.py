"""Player and Team: who is asked, what they are shown, and how a reply becomes an answer.

A strategy speaks to models only through its team, so every prompt and every attempt is on the record. The team that a
strategy receives is seated for one question: it carries the journal of this episode and nothing of any other.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from moot.attendance import Attendance, Quorum, Remembered, until_quorum
from moot.errors import CallError, GenerationFailed
from moot.final_line import final_answer
from moot.forms import AnswerForm, Form, HoldsAnswer, Read, Unusable, object_meant, read_reply
from moot.models.model import Model, call_key
from moot.prompts import Prompts
from moot.types import NOTHING, Answer, Call, Grouping, Message, Outcome, Question, Reply, Request, digest, seeded

T = TypeVar("T")

ATTEMPTS = 5
"""Replies a player may give before it counts as unanswered. Transport retries are apart."""

LONGEST_QUOTE = 2_000
"""How much of an unusable reply is shown back to its author; a broken reply is often a very long one."""

_ONE_LINE = re.compile(r"""[\w"'«“„(](?:[\w .,;:!'’"«»“”„()&/%°+№-]{0,119})""")
"""A reply to an open question that is one short line of plain words is the answer itself."""

UNPARSED = "unparsed: no answer could be read from the reply"
LATE = "late: the round went on without it"

COPY_STRIDE = 1_000_000
"""Keeps the samples of two like players apart from the repeats of one."""


@dataclass(frozen=True, slots=True)
class Player:
    """A named model with an instruction and, perhaps, a persona. Also called proposer or agent.

    Players alike in everything but the name would share one stored reply; `copy` numbers them, so each has its own.
    """

    name: str
    model: Model
    instruction: str = ""
    persona: str = ""
    copy: int = 0


@dataclass(frozen=True, slots=True)
class Heard(Generic[T]):
    """What came of asking one player: a value, or the outcome that stands in its place."""

    player: str
    value: T | None
    outcome: Outcome
    cause: str | None = None
    late: bool = False
    """It had not replied when the round went on without it."""


class Grouper(Protocol):
    """Puts answers that mean the same together. It may ask a model, through the team, so that it is on the record."""

    async def group(self, question: Question, answers: Sequence[Answer], team: Team) -> Grouping: ...


class SameWords:
    """The plainest grouper: equal but for case and outer space. Letters need no more."""

    async def group(self, question: Question, answers: Sequence[Answer], team: Team) -> Grouping:
        together: dict[str, list[str]] = {}
        for answer in answers:
            if answer.text is not None:
                together.setdefault(answer.text.strip().casefold(), []).append(answer.player)
        groups = tuple(tuple(players) for players in together.values())
        return Grouping(groups, tuple("normalised" if len(group) > 1 else "alone" for group in groups))


Retriever = Callable[[Question], str | Awaitable[str]]
"""From a question to what is known about it, in words; "" for nothing."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The answer that a reply gives; without one it is *unparsed*, and `cause` says why, where more is known."""

    answer: str | None
    cause: str | None = None


class Reader(Protocol):
    """Reads the answer out of a reply in free words. It may ask models, through the team, in the turn of the reply."""

    async def read(self, question: Question, reply: Reply, team: Team, *, turn: int = 1) -> Reading: ...


class Announced:
    """The plainest reader: the answer that the reply itself announces, in JSON or on a line; or its only line."""

    async def read(self, question: Question, reply: Reply, team: Team, *, turn: int = 1) -> Reading:
        return Reading(_announced(question, reply))


def _announced(question: Question, reply: Reply) -> str | None:
    try:
        return read_reply(reply, AnswerForm(question)).value.answer
    except Unusable:
        pass
    text = reply.text.strip()
    if reply.finish == "length" and object_meant(text):
        return None  # the answer would have come behind the reasons, and they are not over
    # Of a reply that was cut off the last line may be half of what it was going to be.
    whole = text.rpartition("\n")[0] if reply.finish == "length" else text
    if (announced := final_answer(whole, question)) is not None:
        return announced
    is_answer = question.kind == "open" and reply.finish != "length" and _ONE_LINE.fullmatch(text)
    return text if is_answer else None


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
    cohort: str | None = None
    """Whose table this is, once the team has been seated by cohorts."""
    cohorts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    """Names that a blind prompt must not give away, beyond those of the players who sit here."""
    reader: Reader = field(default_factory=Announced, compare=False)
    attendance: Attendance = field(default_factory=Remembered, compare=False, repr=False)
    officers: Mapping[str, Player] = field(default_factory=dict, compare=False)
    """Models that do not play, by their office: a judge, say. A strategy that needs one says so by its options."""
    retriever: Retriever | None = field(default=None, compare=False)

    def __getitem__(self, name: str) -> Player:
        for player in self.players:
            if player.name == name:
                return player
        raise KeyError(name)

    def seated(self, repeat: int = 0) -> Team:
        """This team for one episode, with a journal of its own. By hand: this is done for every episode of a run."""
        seated = object.__new__(Team)
        for name in _FIELDS:
            object.__setattr__(seated, name, getattr(self, name))
        object.__setattr__(seated, "repeat", repeat)
        object.__setattr__(seated, "journal", [])
        return seated

    def tables(self) -> tuple[Team, ...]:
        """A table for each cohort; without cohorts the whole team sits at one."""
        if self.cohort is not None or not self.cohorts:
            return (self,)
        known = tuple(dict.fromkeys((*self.names, *(name for each in self.players for name in names_of(each)))))
        return tuple(
            replace(self, cohort=cohort, names=known, players=tuple(self[name] for name in members))
            for cohort, members in self.cohorts.items()
        )

    def random(self, question: Question, *role: object) -> random.Random:
        """The generator for one decision about one question; the same in every run with this seed."""
        return seeded(self.seed, question.id, self.repeat, *role)

    async def draft(self, player: Player, question: Question, *, stage: str = "draft") -> Answer:
        """One player alone with the question. Every strategy asks this way, so strategies share the stored drafts."""
        heard = await self.ask(
            player,
            question,
            self.prompts.draft(question),
            AnswerForm(question),
            stage=stage,
            examples=self.prompts.examples("draft"),
        )
        if heard.value is None:
            return Answer(player.name, None, outcome=heard.outcome, cause=heard.cause)
        return Answer(player.name, heard.value.answer, heard.value.reasoning)

    async def drafts(self, question: Question) -> tuple[Answer, ...]:
        """Everybody alone, at the same time."""
        return tuple(await asyncio.gather(*(self.draft(player, question) for player in self.players)))

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
        examples: Sequence[Message] = (),
        once: bool = False,
        params: Mapping[str, Any] = NOTHING,
    ) -> Heard[T]:
        """Ask until the reply fits the form, at most `ATTEMPTS` times, each time saying what was wrong.

        Where the team has extraction models, or with `once`, a reply that should hold an answer and does not fit is
        read by the team's reader instead. What cannot be read so is *unparsed*: it is not asked for again, unless it
        was empty.
        """
        messages = self._messages(player, prompt, examples)
        instead = None
        if (once or self.extractors) and isinstance(form, HoldsAnswer) and form.asked is not None:
            instead = partial(self._read_instead, player, form, form.asked, turn)
        return await self._until(
            lambda reply: read_reply(reply, form),
            player,
            partial(self._request, player, question, schema=form.schema, params=params),
            messages,
            again=lambda said, problem: (*messages, *self._again(said, problem, form)),
            instead=instead,
            note=partial(Call, player.name, stage, turn),
        )

    async def _read_instead(
        self, player: Player, form: HoldsAnswer[T], asked: Question, turn: int, reply: Reply, problem: str
    ) -> Heard[T]:
        reading = await self.read(asked, reply, turn=turn)
        if reading.answer is None:
            return Heard(player.name, None, "unanswered", unparsed(problem, reading.cause))
        return Heard(player.name, form.found(reading.answer, reply.text), "answered")

    async def speak(
        self, player: Player, question: Question, prompt: str, *, stage: str, turn: int = 1
    ) -> Heard[Reply]:
        """Ask for free words: no form is sent along, so the model is bound by nothing but the prompt.

        Only a reply without any words is asked for again.
        """
        messages = self._messages(player, prompt)
        return await self._until(
            _words,
            player,
            partial(self._request, player, question, schema=None),
            messages,
            again=lambda said, problem: messages,
            note=partial(Call, player.name, stage, turn),
        )

    async def _until(
        self,
        usable: Callable[[Reply], Read[T]],
        player: Player,
        request_of: Callable[..., Request],
        messages: tuple[Message, ...],
        *,
        again: Callable[[str, str], tuple[Message, ...]],
        note: Callable[..., Call],
        instead: Callable[[Reply, str], Awaitable[Heard[T]]] | None = None,
    ) -> Heard[T]:
        """Ask until a reply is usable; every attempt is on the record, whatever came of it.

        `again` says what is sent after a reply that was not; `instead` settles such a reply without another attempt.
        """
        problem = "there is none"
        for attempt in range(ATTEMPTS):
            request = request_of(messages=messages, attempt=attempt)
            try:
                reply = await player.model.generate(request)
            except GenerationFailed as error:
                self.journal.append(note(request, error=str(error)))
                problem = str(error)
                continue
            except CallError as error:
                self.journal.append(note(request, error=str(error)))
                return Heard(player.name, None, "failed", f"{type(error).__name__}: {error}")
            if reply.refused:
                self.journal.append(note(request, reply))
                return Heard(player.name, None, "refused", reply.text[:300] or reply.finish)
            if reply.finish == "unrecorded":
                self.journal.append(note(request, reply))
                return Heard(player.name, None, "unanswered", f"no usable recorded reply ({problem})")
            try:
                read = usable(reply)
            except Unusable as unusable:
                problem = unusable.problem
                self.journal.append(note(request, reply, problem=problem))
                if instead is not None and reply.text.strip():
                    return await instead(reply, problem)
                messages = again(reply.text, problem)
                continue
            self.journal.append(note(request, reply, problem="repaired" if read.repaired else None))
            return Heard(player.name, read.value, "answered")
        cause = f"no usable reply in {ATTEMPTS} attempts; the last one: {problem}"
        return Heard(player.name, None, "unanswered", cause)

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
                heard.update(await until_quorum(calls, quorum, lambda each: each.value is not None))
                return tuple(name for name in asked if name not in heard)

            late = await self.attendance.settle(self._round_key(question, asked, form, quorum), decide)
        missing = [name for name in asked if name not in late and name not in heard]
        heard.update(zip(missing, await asyncio.gather(*map(one, missing)), strict=True))
        for name in late:
            request = self._request(self[name], question, self._messages(self[name], asked[name]), form.schema, 0)
            self.journal.append(Call(name, stage, turn, request, error=LATE))
            heard[name] = Heard(name, None, "unanswered", LATE, late=True)
        return {name: heard[name] for name in asked}

    async def read(self, question: Question, reply: Reply, *, turn: int = 1) -> Reading:
        """The answer that a reply in free words gives."""
        return await self.reader.read(question, reply, self, turn=turn)

    @property
    def extractors(self) -> tuple[Player, ...]:
        """The models that read what a reply does not announce, if the team's reader has any."""
        return getattr(self.reader, "models", ())

    def _round_key(self, question: Question, asked: Mapping[str, str], form: Form[T], quorum: Quorum) -> str:
        """A round is what was asked of whom: the calls themselves, and how long they were waited for."""
        calls = []
        for name, prompt in asked.items():
            request = self._request(self[name], question, self._messages(self[name], prompt), form.schema, 0)
            calls.append([name, call_key(self[name].model, request)])
        return digest([question.digest, quorum.grace_s, calls])

    def _messages(self, player: Player, prompt: str, examples: Sequence[Message] = ()) -> tuple[Message, ...]:
        return (*self.prompts.introduction(player.instruction, player.persona), *examples, Message("user", prompt))

    def _request(
        self,
        player: Player,
        question: Question,
        messages: tuple[Message, ...],
        schema: Mapping[str, Any] | None,
        attempt: int,
        params: Mapping[str, Any] = NOTHING,
    ) -> Request:
        sample = player.copy * COPY_STRIDE + self.repeat
        return Request(messages, params, schema, sample=sample, attempt=attempt, question_id=question.id)

    def _again(self, said: str, problem: str, form: Form[object]) -> tuple[Message, ...]:
        fields = ", ".join(form.schema.get("required", ()))
        again = self.prompts.render("again", problem=problem, letters=", ".join(form.letters), fields=fields)
        if not said.strip():
            return (Message("user", again),)
        return (Message("assistant", said[:LONGEST_QUOTE]), Message("user", again))


def _words(reply: Reply) -> Read[Reply]:
    if not reply.text.strip():
        raise Unusable("empty")
    return Read(reply, repaired=False)


def unparsed(*causes: str | None) -> str:
    """The cause of an answer that could not be read, in words."""
    known = "; ".join(filter(None, causes))
    return f"{UNPARSED} ({known})" if known else UNPARSED


def names_of(player: Player) -> tuple[str, ...]:
    """What a player may be known by: its own name, its model's, and what the provider calls the model."""
    called = player.model.shape(Request(())).get("model")
    return (player.name, player.model.name, *((called,) if isinstance(called, str) else ()))


_FIELDS = tuple(each.name for each in fields(Team))


def retrieved_from(team: Team) -> str | None:
    """What the team's facts come from, as part of a key: the content where a retriever can tell, else its name."""
    if team.retriever is None:
        return None
    named = getattr(team.retriever, "__qualname__", type(team.retriever).__qualname__)
    return str(getattr(team.retriever, "fingerprint", named))


def numbered(players: Mapping[str, Player]) -> dict[str, Player]:
    """Give like players (same model, instruction and persona) their copy numbers, in the order of the file."""
    seen: dict[tuple[str, str, str], int] = {}
    result = {}
    for name, player in players.items():
        likeness = (player.model.name, player.instruction, player.persona)
        result[name] = replace(player, copy=seen.get(likeness, 0))
        seen[likeness] = seen.get(likeness, 0) + 1
    return result
