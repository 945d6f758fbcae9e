"""A share over questions of which not all are graded: over those that are, and the bounds over all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from itertools import chain
from typing import Any, NamedTuple, TypeGuard

from second_way.compare import ANY_TEXT
from second_way.intervals import mean, share_interval, waiting_interval

FEW = 0.05


PLAYED_AGAIN: list[bool] = []
"""Not empty while plays without somebody are open: whether one is hangs on nothing it says. What waits for a grade beside them
has been weighed where the figure is told."""


class Ungraded(Enum):
    """None is a grade that waits for the judge."""

    NOBODY = "nobody knows what is right, so no judge is asked"
    SILENT = "nobody knows what is right, and nothing was said, which cannot be right"
    BROKEN = "nobody knows what is right, and a call failed, which may be right when it is made again"
    NOT_HEARD = "nobody waited for it, since the others agreed"


Grade = float | Ungraded | None
HOPELESS = frozenset({Ungraded.NOBODY, Ungraded.SILENT, Ungraded.BROKEN})


class Judged(float):
    """A grade that no match has given: a judge, or a person, had to see the answer."""


class KeptBack(float):
    """Not right, since no answer was given where it was not sure enough: no error was made."""


class Failed(float):
    """Not right, since a call failed for good,"""


class NeverCame(Failed):
    """and so did every one of whoever it is, of whom nobody knows how good it is."""


def never_came(groups: Iterable[Iterable[Grade]]) -> bool:
    """Whether somebody is among them who never answered: a share, or a mean, would be read as how good they are."""
    return any(isinstance(grade, NeverCame) for group in groups for grade in group)


def broken(grade: Grade) -> bool:
    return isinstance(grade, Failed) or grade is Ungraded.BROKEN


def failed_part(grades: Iterable[Grade]) -> float:
    every = list(grades)
    return sum(map(broken, every)) / len(every)


def grade_of(value: float | None, stage: str | None, *, waits: bool) -> Grade:
    """`waits`: whether a judge has yet to see it, where there is no value."""
    if value is None:
        return None if waits else Ungraded.NOBODY
    by_match = stage in (None, "match", "choice", "no-answer", "unanswerable")
    return Judged(value) if stage in ("judge", "person") or (value < 1.0 and not by_match) else value


def graded(grade: Grade) -> TypeGuard[float]:
    return isinstance(grade, float | int)


def rights(grades: Iterable[Grade]) -> list[float]:
    """Those that are graded."""
    return [grade for grade in grades if graded(grade)]


def unfair(groups: Sequence[Sequence[Grade]]) -> bool:
    """Whether being graded hangs on being right. What matches is right at once, and the rest waits for the judge: where
    more than one in twenty still wait, or the judge has settled nothing, those that are graded flatter. Nor is there a
    figure of somebody who was heard only where the others disagreed."""
    if any(grade is Ungraded.NOT_HEARD for group in groups for grade in group):
        return True
    if PLAYED_AGAIN:
        return False
    waiting = sum(any(grade is None for grade in group) for group in groups)
    judged = any(isinstance(grade, Judged) for group in groups for grade in group)
    hopeless = sum(None not in group and not HOPELESS.isdisjoint(group) for group in groups)
    return waiting > 0 and (not judged or waiting > FEW * (len(groups) - hopeless))


def untold(groups: Sequence[Sequence[Grade]]) -> bool:
    """Whether there is no figure of these, for that reason or since somebody never answered."""
    return never_came(groups) or unfair(groups)


Grades = Mapping[str, Sequence[Grade]]
"""By question, one grade a play."""


def share_row(grades: Grades, name: str = "value") -> dict[str, Any]:
    """``value, low, high, n`` over what is graded; `bounds` over all where something is not, `why` where nothing is."""
    known = {question: rights(plays) for question, plays in grades.items()}
    flattering = untold([[grade] for plays in grades.values() for grade in plays])
    values = {question: value_of(plays) for question, plays in grades.items()}
    row = mean_row([] if flattering else [mean(plays) for plays in known.values() if plays], name, values)
    if not all(map(graded, chain(*grades.values()))):
        ends = [mean([mean(filled(plays, open_as)) for plays in grades.values()]) for open_as in (0.0, 1.0)]
        row["bounds"] = {"low": ends[0], "high": ends[1]}
    return row if row["n"] else {**row, "why": ANY_TEXT}


def mean_row(values: Sequence[float], name: str = "value", every: Mapping[str, Value] | None = None) -> dict[str, Any]:
    """The mean of one value a question, from 0 to 1 each; `every`: those that wait for a grade are among them."""
    low, high = share_interval([(value, 1.0) for value in values])
    if values and every and any(value.waits for value in every.values()):
        worst, best = completed(every.values())
        low, high = waiting_interval(mean(values), worst, best)
    return {name: mean(values) if values else None, "low": low, "high": high, "n": len(values)}


def filled(plays: Sequence[Grade], open_as: float) -> list[float]:
    """What nobody has graded, taken for wrong (0) or for right (1)."""
    return [grade if graded(grade) else 0.0 if grade is Ungraded.SILENT else open_as for grade in plays]


class Value(NamedTuple):
    """What one question gives: its mean over what is graded (None: nothing is), and the least and the most it can be."""

    known: float | None
    least: float
    most: float
    grades: tuple[Grade, ...] = ()
    """All that it is made of."""
    said: tuple[tuple[str, float], ...] = ()
    """What ungraded answers say, each with its part: who says the same to a question is right or wrong with it."""

    @property
    def open(self) -> bool:
        return self.known is None or self.most - self.least > 1e-12

    @property
    def waits(self) -> bool:
        return any(grade is None for grade in self.grades)

    @property
    def worst(self) -> float | None:
        """With all wrong that waits; None: it will never be graded."""
        return self.least if self.waits else self.known

    @property
    def best(self) -> float | None:
        return self.most if self.waits else self.known


def completed(values: Iterable[Value]) -> tuple[list[float], list[float]]:
    """All that waits wrong, and all of it right."""
    there = [value for value in values if value.worst is not None]
    return [value.worst or 0.0 for value in there], [value.best or 0.0 for value in there]


NOBODY_KNOWS = Value(None, 0.0, 1.0)


def value_of(plays: Sequence[Grade], said: Sequence[str | None] = ()) -> Value:
    """`said`: the words of each play, where it is known what they were."""
    from second_way.meanings import plain

    words = [text for grade, text in zip(plays, said, strict=bool(said)) if not graded(grade)]
    parts = tuple((plain(text), 1 / len(plays)) for text in words if text is not None)
    return _value_of(plays)._replace(said=parts)


def _value_of(plays: Sequence[Grade]) -> Value:
    known = rights(plays)
    ends = mean(filled(plays, 0.0)), mean(filled(plays, 1.0))
    return Value(mean(known) if known else None, *ends, tuple(plays))


def mean_value(values: Sequence[Value]) -> Value:
    known = [value.known for value in values if value.known is not None]
    least, most = mean([value.least for value in values]), mean([value.most for value in values])
    grades = tuple(grade for value in values for grade in value.grades)
    said = tuple((word, part / len(values)) for value in values for word, part in value.said)
    return Value(mean(known) if known else None, least, most, grades, said)


def whole_mean(values: Sequence[Value]) -> Value:
    """The same, known only where all of them are: else it would be the mean of others from question to question."""
    mean_of_all = mean_value(values)
    return mean_of_all._replace(known=None) if any(value.known is None for value in values) else mean_of_all


def flattering(values: Iterable[Value]) -> bool:
    """Whether an accuracy over what is graded of them would be right by construction."""
    return untold([[grade] for value in values for grade in value.grades])


def fair(values: Mapping[str, Value]) -> dict[str, Value]:
    """The same, none of them known where those that are graded flatter."""
    if flattering(values.values()):
        return {question: value._replace(known=None) for question, value in values.items()}
    return dict(values)


def known_of(values: Mapping[str, Value]) -> list[float]:
    """What an accuracy is the mean of."""
    return [value.known for value in fair(values).values() if value.known is not None]


def unfair_together(groups: Sequence[Sequence[Value]]) -> bool:
    """The same of figures that stand on several values at once."""
    return untold([[grade for value in group for grade in value.grades] for group in groups])


def accuracy_row(grades: Grades, name: str = "value") -> dict[str, Any]:
    """A share row that says how many questions it leaves out: one of whose two plays one is graded is half a question."""
    row = share_row(grades, name)
    if "bounds" in row:
        opened = [
            sum(not graded(grade) and grade is not Ungraded.SILENT for grade in plays) for plays in grades.values()
        ]
        row["ungraded"] = sum(many / len(plays) for many, plays in zip(opened, grades.values(), strict=True))
    return row
