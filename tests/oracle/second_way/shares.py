"""A share over questions of which not all are graded: over those that are, and the bounds over all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from second_way.compare import ANY_TEXT
from second_way.intervals import mean, share_interval

Grades = Mapping[str, Sequence[float | None]]
"""By question, one grade a play; None: ungraded."""


def share_row(grades: Grades, name: str = "value") -> dict[str, Any]:
    """``value, low, high, n`` over what is graded; `bounds` over all where something is not, `why` where nothing is."""
    known = {question: [grade for grade in plays if grade is not None] for question, plays in grades.items()}
    row = mean_row([mean(plays) for plays in known.values() if plays], name)
    if any(None in plays for plays in grades.values()):
        ends = [mean([mean(filled(plays, open_as)) for plays in grades.values()]) for open_as in (0.0, 1.0)]
        row["bounds"] = {"low": ends[0], "high": ends[1]}
    return row if row["n"] else {**row, "why": ANY_TEXT}


def mean_row(values: Sequence[float], name: str = "value") -> dict[str, Any]:
    """The mean of one value a question, from 0 to 1 each."""
    low, high = share_interval([(value, 1.0) for value in values])
    return {name: mean(values) if values else None, "low": low, "high": high, "n": len(values)}


def filled(plays: Sequence[float | None], open_as: float) -> list[float]:
    """What nobody has graded, taken for wrong (0) or for right (1)."""
    return [open_as if grade is None else grade for grade in plays]


class Value(NamedTuple):
    """What one question gives: its mean over what is graded (None: nothing is), and the least and the most it can be."""

    known: float | None
    least: float
    most: float

    @property
    def open(self) -> bool:
        return self.known is None or self.most - self.least > 1e-12


NOBODY_KNOWS = Value(None, 0.0, 1.0)


def value_of(plays: Sequence[float | None]) -> Value:
    graded = [grade for grade in plays if grade is not None]
    return Value(mean(graded) if graded else None, mean(filled(plays, 0.0)), mean(filled(plays, 1.0)))


def mean_value(values: Sequence[Value]) -> Value:
    known = [value.known for value in values if value.known is not None]
    least, most = mean([value.least for value in values]), mean([value.most for value in values])
    return Value(mean(known) if known else None, least, most)


def accuracy_row(grades: Grades, name: str = "value") -> dict[str, Any]:
    """A share row that says how many questions it leaves out: one of whose two plays one is graded is half a question."""
    row = share_row(grades, name)
    if "bounds" in row:
        row["ungraded"] = sum(plays.count(None) / len(plays) for plays in grades.values())
    return row
