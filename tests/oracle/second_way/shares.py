"""A share over questions of which not all are graded: over those that are, and the bounds over all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from second_way.compare import ANY_TEXT
from second_way.intervals import mean, share_interval

FEW = 0.05


class Judged(float):
    """A grade that no match has given: a judge, or a person, had to see the answer."""


def grade_of(value: float | None, stage: str | None) -> float | None:
    if value is None or stage in (None, "match", "choice", "no-answer", "unanswerable"):
        return value
    return Judged(value) if stage in ("judge", "person") or value < 1.0 else value


def unfair(groups: Sequence[Sequence[float | None]]) -> bool:
    """Whether being graded hangs on being right. What matches is right at once, and the rest waits for the judge: where
    more than one in twenty still wait, or the judge has settled nothing, those that are graded flatter."""
    waiting = sum(any(grade is None for grade in group) for group in groups)
    judged = any(isinstance(grade, Judged) for group in groups for grade in group)
    return waiting > 0 and (not judged or waiting > FEW * len(groups))


Grades = Mapping[str, Sequence[float | None]]
"""By question, one grade a play; None: ungraded."""


def share_row(grades: Grades, name: str = "value") -> dict[str, Any]:
    """``value, low, high, n`` over what is graded; `bounds` over all where something is not, `why` where nothing is."""
    known = {question: [grade for grade in plays if grade is not None] for question, plays in grades.items()}
    flattering = unfair([[grade] for plays in grades.values() for grade in plays])
    row = mean_row([] if flattering else [mean(plays) for plays in known.values() if plays], name)
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
    grades: tuple[float | None, ...] = ()
    """All that it is made of."""

    @property
    def open(self) -> bool:
        return self.known is None or self.most - self.least > 1e-12


NOBODY_KNOWS = Value(None, 0.0, 1.0)


def value_of(plays: Sequence[float | None]) -> Value:
    graded = [grade for grade in plays if grade is not None]
    ends = mean(filled(plays, 0.0)), mean(filled(plays, 1.0))
    return Value(mean(graded) if graded else None, *ends, tuple(plays))


def mean_value(values: Sequence[Value]) -> Value:
    known = [value.known for value in values if value.known is not None]
    least, most = mean([value.least for value in values]), mean([value.most for value in values])
    grades = tuple(grade for value in values for grade in value.grades)
    return Value(mean(known) if known else None, least, most, grades)


def unfair_together(groups: Sequence[Sequence[Value]]) -> bool:
    """The same of figures that stand on several values at once."""
    return unfair([[grade for value in group for grade in value.grades] for group in groups])


def accuracy_row(grades: Grades, name: str = "value") -> dict[str, Any]:
    """A share row that says how many questions it leaves out: one of whose two plays one is graded is half a question."""
    row = share_row(grades, name)
    if "bounds" in row:
        row["ungraded"] = sum(plays.count(None) / len(plays) for plays in grades.values())
    return row
