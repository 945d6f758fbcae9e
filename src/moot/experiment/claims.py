"""What an experiment file says beforehand: its primary figure, and hypotheses such as

    accuracy(talkative) - accuracy(vote) > 0

A hypothesis is read by a small grammar of its own into frozen values, and never evaluated as code:

    hypothesis = sum (">" | "<") sum
    sum        = product (("+" | "-") product)*
    product    = factor (("*" | "/") factor)*
    factor     = number | "-" factor | "(" sum ")" | function "(" strategy ["@" who] ["," cohort] ")"

What it names is checked against the cells of the file when the file is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from moot.models.closest import closest

Function = Literal["accuracy", "skyline", "safety_multiple", "net", "gap_closure", "cost"]
FUNCTIONS: tuple[Function, ...] = ("accuracy", "skyline", "safety_multiple", "net", "gap_closure", "cost")
DEEPEST = 50
"""Brackets within brackets; nobody means more than that."""

_NUMBER = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class ClaimError(ValueError):
    """A hypothesis or primary that cannot be read, in words."""


@dataclass(frozen=True, slots=True)
class SideName:
    """Who is meant: ``adaptive(talk_from=3)@ann``. Without `who`: every captain, question by question."""

    strategy: str
    who: str | None = None
    cohort: str | None = None

    def __str__(self) -> str:
        named = f"{self.strategy}@{self.who}" if self.who else self.strategy
        return f"{named}, {self.cohort}" if self.cohort else named


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
        return tuple(dict.fromkeys([*_terms(self.left), *_terms(self.right)]))


def _terms(expression: Expression) -> Iterator[Term]:
    if isinstance(expression, Term):
        yield expression
    elif isinstance(expression, Operation):
        yield from _terms(expression.left)
        yield from _terms(expression.right)


def parse_side(text: str) -> SideName:
    """``talkative@ann``, or ``adaptive(talk_from=3)``. A label's brackets may hold anything but unequal brackets."""
    label, at, who = text.strip().rpartition("@") if _at_the_end(text) else (text.strip(), "", "")
    if not label.strip() or (at and not who.strip()):
        raise ClaimError(f"expected a strategy such as talkative or talkative@ann, found {text.strip()!r}")
    return SideName(_spaced(label), who.strip() or None)


def _at_the_end(text: str) -> bool:
    return "@" in text[text.rfind(")") + 1 :]


_QUOTED = re.compile(r"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""")


def _spaced(label: str) -> str:
    """Options are separated as in labels: one space after a comma, none elsewhere. What stands in quotes is a value."""
    parts = _QUOTED.split(label)
    return "".join(part if place % 2 else _spaced_outside(part) for place, part in enumerate(parts)).strip()


def _spaced_outside(part: str) -> str:
    single = re.sub(r"\s+", " ", part)  # first, so that many spaces are not looked at again from each of them
    return re.sub(r" ?([=(,)]) ?", r"\1", single).replace(",", ", ")


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
            return Number(float(number[0]))
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
        start, depth, comma = self._place, 0, None
        for place in range(start, len(self._text)):
            sign = self._text[place]
            depth += (sign == "(") - (sign == ")")
            if sign == "," and depth == 0:
                if comma is not None:
                    raise ClaimError(f"{self._text!r}: {function} takes a strategy and, at most, a cohort")
                comma = place
            if depth < 0:
                self._place = place + 1
                side = parse_side(self._text[start : place if comma is None else comma])
                cohort = self._text[comma + 1 : place].strip() if comma is not None else None
                if cohort == "":
                    raise ClaimError(f"{self._text!r}: expected a cohort after the comma")
                return SideName(side.strategy, side.who, cohort)
        raise self.failed(f") that closes {function}(")


def cells_meant(side: SideName, cells: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The cells (as rows) that a side speaks of; a name without options stands for all labels of that strategy.

    Raises a `ClaimError` that says what there is instead.
    """
    rows = list(cells)
    labels = list(dict.fromkeys(row["label"] for row in rows))
    matching = [row for row in rows if _spaced(row["label"]) == side.strategy]
    if not matching:
        named = list(dict.fromkeys(row["label"] for row in rows if row["strategy"] == side.strategy))
        if len(named) > 1:
            raise ClaimError(f"{side.strategy!r} may be any of {', '.join(named)}; expected one of them")
        matching = [row for row in rows if row["label"] in named]
    if not matching:
        expected = f"{', '.join(labels)}{closest(side.strategy, labels)}"
        raise ClaimError(f"strategy {side.strategy!r} is not played here; expected one of {expected}")
    if side.who is None:
        return matching
    whose = list(dict.fromkeys(row["player"] or row["captain"] for row in matching))
    led = [row for row in matching if (row["player"] or row["captain"]) == side.who]
    if not led:
        expected = ", ".join(leader for leader in whose if leader) or "no captain"
        raise ClaimError(f"{side.who!r} leads no play of {side.strategy!r}; expected {expected}")
    return led


def check_hypothesis(text: str, cells: Sequence[Mapping[str, Any]], cohorts: Iterable[str] = ()) -> Hypothesis:
    """Read it, and find all that it names among the cells of the file."""
    hypothesis = parse(text)
    cohort_names = list(cohorts)
    for term in hypothesis.terms:
        meant = cells_meant(term.side, cells)
        if term.side.cohort is not None and term.side.cohort not in cohort_names:
            expected = f"expected one of {', '.join(cohort_names)}" if cohort_names else "this file has none"
            raise ClaimError(f"{text!r}: unknown cohort {term.side.cohort!r}; {expected}")
        if term.function in ("safety_multiple", "net", "gap_closure") and all(row["player"] for row in meant):
            raise ClaimError(f"{text!r}: {term.function} is about a team, and {term.side.strategy!r} is played alone")
    return hypothesis
