"""Player and Team: who is asked, what they are shown, and how a reply becomes an answer.

A strategy speaks to models only through its team, so every prompt and every attempt is on the record. The team that a
strategy receives is seated for one question: it carries the journal of this episode and nothing of any other.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Generic, Protocol, TypeVar

from moot.errors import CallError, GenerationFailed
from moot.forms import AnswerForm, Form, Unusable, read_reply
from moot.models.model import Model
from moot.prompts import Prompts
from moot.types import Answer, Call, Grouping, Message, Outcome, Question, Request, seeded

T = TypeVar("T")

ATTEMPTS = 5
"""Replies a player may give before it counts as unanswered. Transport retries are apart."""

LONGEST_QUOTE = 2_000
"""How much of an unusable reply is shown back to its author; a broken reply is often a very long one."""

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


@dataclass(frozen=True, slots=True)
class Team:
    """Players around one table, perhaps with a captain, and somebody who can tell which answers are the same."""

    name: str
    players: tuple[Player, ...]
    prompts: Prompts = field(default_factory=Prompts)
    seed: int = 0
    captain: str | None = None
    grouper: Grouper = field(default_factory=SameWords, compare=False)
    repeat: int = 0
    journal: list[Call] = field(default_factory=list, compare=False, repr=False)

    def __getitem__(self, name: str) -> Player:
        for player in self.players:
            if player.name == name:
                return player
        raise KeyError(name)

    def seated(self, repeat: int = 0) -> Team:
        """This team for one episode, with a journal of its own."""
        return Team(self.name, self.players, self.prompts, self.seed, self.captain, self.grouper, repeat)

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
    ) -> Heard[T]:
        """Ask until the reply fits the form, at most `ATTEMPTS` times, each time saying what was wrong."""
        messages = (*self.prompts.introduction(player.instruction, player.persona), *examples, Message("user", prompt))
        asked, problem = messages, "there is none"
        for attempt in range(ATTEMPTS):
            request = Request(
                asked,
                schema=form.schema,
                sample=player.copy * COPY_STRIDE + self.repeat,
                attempt=attempt,
                question_id=question.id,
            )
            note = partial(Call, player.name, stage, turn, request)
            try:
                reply = await player.model.generate(request)
            except GenerationFailed as error:
                self.journal.append(note(error=str(error)))
                problem = str(error)
                continue
            except CallError as error:
                self.journal.append(note(error=str(error)))
                return Heard(player.name, None, "failed", f"{type(error).__name__}: {error}")
            if reply.refused:
                self.journal.append(note(reply))
                return Heard(player.name, None, "refused", reply.text[:300] or reply.finish)
            if reply.finish == "unrecorded":
                self.journal.append(note(reply))
                return Heard(player.name, None, "unanswered", f"no usable recorded reply ({problem})")
            try:
                read = read_reply(reply, form)
            except Unusable as unusable:
                problem = unusable.problem
                self.journal.append(note(reply, problem=problem))
                asked = (*messages, *self._again(reply.text, problem, form))
                continue
            self.journal.append(note(reply, problem="repaired" if read.repaired else None))
            return Heard(player.name, read.value, "answered")
        return Heard(
            player.name, None, "unanswered", f"no usable reply in {ATTEMPTS} attempts; the last one: {problem}"
        )

    def _again(self, said: str, problem: str, form: Form[object]) -> tuple[Message, ...]:
        fields = ", ".join(form.schema.get("required", ()))
        again = self.prompts.render("again", problem=problem, letters=", ".join(form.letters), fields=fields)
        if not said.strip():
            return (Message("user", again),)
        return (Message("assistant", said[:LONGEST_QUOTE]), Message("user", again))


def numbered(players: Mapping[str, Player]) -> dict[str, Player]:
    """Give like players (same model, instruction and persona) their copy numbers, in the order of the file."""
    seen: dict[tuple[str, str, str], int] = {}
    result = {}
    for name, player in players.items():
        likeness = (player.model.name, player.instruction, player.persona)
        result[name] = replace(player, copy=seen.get(likeness, 0))
        seen[likeness] = seen.get(likeness, 0) + 1
    return result
