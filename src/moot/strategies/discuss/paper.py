"""The ballot paper: how a voter is asked under each rule, and how its reply becomes a ballot.

Options stand on the paper without names and in an order of the voter's own; the numbers on the paper are that order's.
Whether a ballot fits is for the rule to say. One that does not is asked for again, and in the end it is spoilt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from moot.ballots import Rule, problem_with
from moot.ballots.borda import MOST_RANKED
from moot.ballots.cumulative import BUDGET
from moot.team.forms import Unusable, object_schema

PaperKind = Literal["choice", "ranking", "points", "approved"]
"""What a voter is asked for; also the field of the reply."""

_KINDS: Mapping[str, PaperKind] = {
    "simple-voting": "choice",
    "cumulative-voting": "points",
    "approval-voting": "approved",
}

LONGEST_NUMBER = 20
"""Characters of a number written as text. Python itself refuses to read one of thousands of digits."""


def kind_of(rule: Rule) -> PaperKind:
    """An order of the options can be counted by any rule that brings none of the other papers."""
    return _KINDS.get(rule.name, "ranking")


@dataclass(frozen=True, slots=True)
class Paper:
    """One voter's paper under one rule."""

    letters: ClassVar[str] = ""
    rule: Rule
    order: tuple[int, ...]
    """The options as this voter sees them."""

    @property
    def kind(self) -> PaperKind:
        return kind_of(self.rule)

    @property
    def most(self) -> int:
        """How many options may be put in order."""
        limit = MOST_RANKED if self.rule.name == "ranked-voting" else len(self.order)
        return min(limit, len(self.order))

    @property
    def budget(self) -> int:
        return int(getattr(self.rule, "budget", BUDGET))

    @property
    def schema(self) -> Mapping[str, Any]:
        return object_schema({self.kind: self._field()})

    def _field(self) -> Mapping[str, Any]:
        number = {"type": "integer", "minimum": 1, "maximum": len(self.order)}
        if self.kind == "choice":
            return number
        if self.kind == "points":
            points = {"type": "integer", "minimum": 0, "maximum": self.budget}
            return {"type": "array", "items": points, "minItems": len(self.order), "maxItems": len(self.order)}
        most = self.most if self.kind == "ranking" else len(self.order)
        least = 1 if self.kind == "ranking" else 0
        return {"type": "array", "items": number, "minItems": least, "maxItems": most, "uniqueItems": True}

    def read(self, data: Mapping[str, Any]) -> Mapping[int, float]:
        written = data.get(self.kind)
        if self.kind == "choice":
            marks = dict.fromkeys(_numbers([written]), 1.0)
        elif self.kind == "points":
            amounts = _numbers(written)
            if len(amounts) != len(self.order):
                raise Unusable("no-ballot")
            marks = {number: amount for number, amount in enumerate(amounts, start=1) if amount}
        else:
            numbers = _numbers(written)
            if len(set(numbers)) < len(numbers):
                raise Unusable("no-ballot")
            marks = {number: place if self.kind == "ranking" else 1.0 for place, number in enumerate(numbers, start=1)}
        return self._ballot(marks)

    def _ballot(self, marks: Mapping[float, float]) -> Mapping[int, float]:
        """From numbers on the paper to options; the rule has the last word on whether it fits."""
        if not all(number in range(1, len(self.order) + 1) for number in marks):
            raise Unusable("no-ballot")
        ballot = {self.order[int(number) - 1]: marks[number] for number in marks}
        if problem_with(self.rule, ballot, len(self.order)) is not None:
            raise Unusable("no-ballot")
        return ballot


def _numbers(written: object) -> Sequence[float]:
    """Numbers, also where a model wrote them as text."""
    if not isinstance(written, list):
        raise Unusable("no-field")
    numbers: list[float] = []
    for number in written:
        if isinstance(number, str) and len(number) <= LONGEST_NUMBER and number.strip().isdecimal():
            number = int(number)
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise Unusable("no-ballot")
        numbers.append(number)
    return numbers


@dataclass(frozen=True, slots=True)
class PickForm:
    """``{"reasoning", "choice"}``: a judge's word, as a number on the list shown."""

    letters: ClassVar[str] = ""
    options: int

    @property
    def schema(self) -> Mapping[str, Any]:
        number = {"type": "integer", "minimum": 1, "maximum": self.options}
        return object_schema({"reasoning": {"type": "string"}, "choice": number})

    def read(self, data: Mapping[str, Any]) -> int:
        (number,) = _numbers([data.get("choice")])
        if number not in range(1, self.options + 1):
            raise Unusable("no-ballot")
        return int(number) - 1
