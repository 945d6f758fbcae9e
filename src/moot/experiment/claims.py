"""What an experiment file says beforehand: its primary figure, and hypotheses such as

    accuracy(talkative) - accuracy(vote) > 0

A hypothesis is read by a small grammar of its own into frozen values, and never evaluated as code:

    hypothesis = sum (">" | "<") sum
    sum        = product (("+" | "-") product)*
    product    = factor (("*" | "/") factor)*
    factor     = number | "-" factor | "(" sum ")" | function "(" side ")"

A side is one of `side_names`. What it names is checked against the cells of the file when the file is read.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from moot.experiment.side_names import ClaimError, NamedRow, SideName, cells_meant, parse_side
from moot.models.closest import closest

Function = Literal["accuracy", "skyline", "safety_multiple", "net", "gap_closure", "cost"]
FUNCTIONS: tuple[Function, ...] = ("accuracy", "skyline", "safety_multiple", "net", "gap_closure", "cost")
DEEPEST = 50
"""Brackets within brackets; nobody means more than that."""

NO_COHORTS: Mapping[str, Sequence[str]] = {}

_NUMBER = re.compile(r"(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Number:
    value: float


@dataclass(frozen=True, slots=True)
class Term:
    """One function of one side."""

    function: Function
    side: SideName


@dataclass(frozen=True, slots=True)
class Operation:
    sign: Literal["+", "-", "*", "/"]
    left: Expression
    right: Expression


Expression = Number | Term | Operation


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """`left` beyond `right` in the direction of `sign`."""

    text: str
    left: Expression
    sign: Literal[">", "<"]
    right: Expression

    @property
    def terms(self) -> tuple[Term, ...]:
        """Every figure it needs, each once."""
        return tuple(dict.fromkeys([*terms_of(self.left), *terms_of(self.right)]))


def terms_of(expression: Expression) -> Iterator[Term]:
    """Every figure in it, as often as it stands there."""
    if isinstance(expression, Term):
        yield expression
    elif isinstance(expression, Operation):
        yield from terms_of(expression.left)
        yield from terms_of(expression.right)


def parse(text: str) -> Hypothesis:
    """Read a hypothesis, or say at which character it stops making sense."""
    reader = _ClaimParser(text)
    left = reader.sum()
    sign = reader.take(">", "<")
    if sign is None:
        raise reader.failed("> or <")
    right = reader.sum()
    if not reader.at_end:
        raise reader.failed("the end")
    hypothesis = Hypothesis(text, left, ">" if sign == ">" else "<", right)
    if not hypothesis.terms:
        raise ClaimError(f"{text!r} names no strategy; expected such as accuracy(talkative) - accuracy(vote) > 0")
    return hypothesis


class _ClaimParser:
    """One pass over the text, from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._place = 0
        self._depth = 0

    @property
    def at_end(self) -> bool:
        return not self._text[self._place :].strip()

    def failed(self, expected: str) -> ClaimError:
        rest = self._text[self._place :].strip()
        remainder = f"found {rest[:20]!r}" if rest else "it ends there"
        return ClaimError(f"{self._text!r}: expected {expected} at character {self._place + 1}, {remainder}")

    def take(self, *signs: str) -> str | None:
        self._skip()
        sign = self._text[self._place : self._place + 1]
        if sign and sign in signs:
            self._place += 1
            return sign
        return None

    def _skip(self) -> None:
        while self._text[self._place : self._place + 1].isspace():
            self._place += 1

    def sum(self) -> Expression:
        expression = self._product()
        while sign := self.take("+", "-"):
            expression = Operation("+" if sign == "+" else "-", expression, self._product())
        return expression

    def _product(self) -> Expression:
        expression = self._factor()
        while sign := self.take("*", "/"):
            expression = Operation("*" if sign == "*" else "/", expression, self._factor())
        return expression

    def _factor(self) -> Expression:
        self._depth += 1
        if self._depth > DEEPEST:
            raise ClaimError(f"{self._text[:60]!r}…: too many brackets within brackets")
        expression = self._one()
        self._depth -= 1
        return expression

    def _one(self) -> Expression:
        if self.take("-"):
            return Operation("*", Number(-1.0), self._factor())
        if self.take("("):
            inner = self.sum()
            if not self.take(")"):
                raise self.failed(")")
            return inner
        if number := _NUMBER.match(self._text, self._place):
            self._place = number.end()
            if not math.isfinite(value := float(number[0])):
                raise ClaimError(
                    f"{self._text[:60]!r}: {number[0][:20]} is larger than any number; expected a smaller one"
                )
            return Number(value)
        return self._term()

    def _term(self) -> Term:
        word = _WORD.match(self._text, self._place)
        if word is None:
            raise self.failed("a number, a bracket or a function such as accuracy(talkative)")
        function = next((name for name in FUNCTIONS if name == word[0]), None)
        if function is None:
            expected = f"{', '.join(FUNCTIONS)}{closest(word[0], FUNCTIONS)}"
            raise ClaimError(f"{self._text!r}: unknown function {word[0]!r}; expected one of {expected}")
        self._place = word.end()
        if not self.take("("):
            raise self.failed(f"( after {function}")
        return Term(function, self._side(function))

    def _side(self, function: str) -> SideName:
        """Up to the bracket that closes the function; a label may have brackets and commas of its own."""
        start, depth = self._place, 0
        for place in range(start, len(self._text)):
            sign = self._text[place]
            depth += (sign == "(") - (sign == ")")
            if depth < 0:
                self._place = place + 1
                return parse_side(self._text[start:place])
        raise self.failed(f") that closes {function}(")


def cohort_of_several(side: SideName, teams: Iterable[str]) -> str:
    """Why a cohort of players alone is nobody's figure."""
    why = f"several teams have a cohort {side.cohort!r} ({', '.join(teams)}), and who plays alone is of none"
    return f"{str(side)!r}: {why}; expected a player, such as {side.strategy}@NAME"


def check_hypothesis(
    text: str, cells: Sequence[NamedRow], cohorts: Mapping[str, Sequence[str]] = NO_COHORTS
) -> Hypothesis:
    """Read it, and find all that it names among the cells of the file. `cohorts`: the teams that have each."""
    hypothesis = parse(text)
    cohort_names = list(cohorts)
    for term in hypothesis.terms:
        if term.side.cohort is not None and term.side.cohort not in cohort_names:
            expected = f"expected one of {', '.join(cohort_names)}" if cohort_names else "this file has none"
            raise ClaimError(f"{text!r}: unknown cohort {term.side.cohort!r}; {expected}")
        meant = cells_meant(term.side, cells)
        teams = cohorts[term.side.cohort] if term.side.cohort is not None else ()
        if len(teams) > 1 and all(row["player"] for row in meant):
            raise ClaimError(cohort_of_several(term.side, teams))
        if term.function in ("safety_multiple", "net", "gap_closure") and all(row["player"] for row in meant):
            raise ClaimError(f"{text!r}: {term.function} is about a team, and {term.side.strategy!r} is played alone")
    return hypothesis
