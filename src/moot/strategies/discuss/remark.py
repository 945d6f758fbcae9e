"""A remark: one message of a discussion, and the form in which it is asked for.

Whether an agent agrees is a field of its own. It is never looked for in the words: "I don't agree" has "agree" in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from moot import traces
from moot.team.forms import AnswerForm, Unusable, object_schema
from moot.types import Outcome, Question

_AGREE: Mapping[str, bool] = {"true": True, "false": False, "agree": True, "disagree": False}


@dataclass(frozen=True, slots=True)
class Said:
    """The content of ``{"message", "solution", "agree"}``."""

    text: str
    solution: str | None = None
    agree: bool | None = None


@dataclass(frozen=True, slots=True)
class TableRemark:
    """What one agent said in one turn, or that it said nothing."""

    number: int
    """Its place in the discussion, from 0 on."""
    speaker: str
    turn: int
    part: int = 0
    """Which round within the turn, where a paradigm has several."""
    said: Said | None = None
    """None: nothing usable came."""
    shown: tuple[int, ...] = ()
    """The numbers of the remarks that the speaker was shown."""
    position: int | None = None
    """The number of the remark whose solution the speaker stands behind after this one; its own, if it gave a new one."""
    backs: str | None = None
    """The words of that solution."""
    outcome: Outcome = "answered"
    cause: str | None = None

    def trace(self, heard_by: Sequence[str]) -> traces.Remark:
        """What an episode keeps of it."""
        message = self.said
        return traces.Remark(
            self.number,
            self.speaker,
            self.turn,
            self.part,
            text=message.text if message else None,
            solution=message.solution if message else None,
            agree=message.agree if message else None,
            position=self.position,
            backs=self.backs,
            saw=self.shown,
            heard_by=tuple(heard_by),
            outcome=None if message else self.outcome,
            cause=None if message else self.cause,
        )


@dataclass(frozen=True, slots=True)
class MessageForm:
    """``{"message", "solution", "agree"}``, without the fields that make no sense at this moment.

    `solution` may be null: an agent that agrees need not repeat it. Under the style `reasoning` there is no such field,
    and where nothing was heard there is nothing to agree with.
    """

    question: Question
    solution: bool = True
    agree: bool = True

    @property
    def letters(self) -> str:
        return self.question.letters if self.solution else ""

    @property
    def asked(self) -> Question | None:
        return self.question if self.solution else None

    @property
    def schema(self) -> Mapping[str, Any]:
        properties: dict[str, Any] = {"message": {"type": "string"}}
        if self.solution:
            answer = AnswerForm(self.question).fields["properties"]["answer"]
            properties["solution"] = {"anyOf": [answer, {"type": "null"}]}
        if self.agree:
            properties["agree"] = {"type": "boolean"}
        return object_schema(properties)

    def read(self, data: Mapping[str, Any]) -> Said:
        text = data.get("message")
        words = text.strip() if isinstance(text, str) else ""
        solution = self._solution(data.get("solution")) if self.solution else None
        if not words and solution is None:
            raise Unusable("no-field")
        return Said(words, solution, agreement(data.get("agree")) if self.agree else None)

    def found(self, answer: str, text: str) -> Said:
        """A solution read out of free words. Whether they agree is left open: that is never looked for in words."""
        return Said(text.strip(), answer)

    def _solution(self, written: object) -> str | None:
        if written is None or (isinstance(written, str) and not written.strip()):
            return None
        return AnswerForm(self.question).read({"answer": written}).answer


def agreement(value: object) -> bool:
    """True or false, or the very word for it; `Unusable` for anything else."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and (agrees := _AGREE.get(value.strip().casefold())) is not None:
        return agrees
    raise Unusable("no-field")
