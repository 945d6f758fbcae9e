"""The challenge round in figures: how many agents object to an answer, and whether their new answers are better.

The rate is over all agents asked: who does not say has not challenged. Of what was challenged, the net share improved is
improved less worsened; a challenge without a new answer has changed nothing. Questions are the unit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from moot.stats.completions import Between
from moot.stats.counted_words import count
from moot.stats.estimates import named_estimate
from moot.stats.graded import Value, WayOfGrading, graded_value, why_unfair_together
from moot.stats.paired import Difference, difference, rests_on_few
from moot.stats.proportion import share_over_questions
from moot.types import Estimate


@dataclass(frozen=True, slots=True)
class GradedObjection:
    """What one agent said to the answer it was shown."""

    question: str
    agree: bool | None
    """None: it did not say."""
    before: float | None
    """The score of the answer shown; None: ungraded."""
    after: float | None = None
    """The score of its new answer; None: ungraded, or none was given."""
    answered: bool = False
    """Whether it gave a new answer."""
    ways: tuple[WayOfGrading, WayOfGrading] = ("at once", "at once")
    """How the two answers came by their grades."""

    @property
    def values(self) -> tuple[Value, Value]:
        return graded_value(self.before, self.ways[0]), graded_value(self.after, self.ways[1])

    @property
    def challenged(self) -> bool:
        return self.agree is False

    @property
    def ungraded(self) -> bool:
        return self.challenged and self.answered and (self.before is None or self.after is None)

    @property
    def waits(self) -> bool:
        """Whether it will be graded on both sides and is not yet."""
        return self.ungraded and all(grade is not None or way == "waiting" for grade, way in self._graded_so)

    @property
    def _graded_so(self) -> tuple[tuple[float | None, WayOfGrading], ...]:
        return (self.before, self.ways[0]), (self.after, self.ways[1])

    @property
    def possible(self) -> list[int]:
        """What the change may turn out to be."""
        befores, afters = ((0.0, 1.0) if grade is None else (grade,) for grade in (self.before, self.after))
        return [(after > before) - (after < before) for before in befores for after in afters]

    @property
    def change(self) -> int:
        """1: improved, -1: worsened, 0: neither."""
        if not self.challenged or not self.answered or self.before is None or self.after is None:
            return 0
        return (self.after > self.before) - (self.after < self.before)


def challenges(objections: Sequence[GradedObjection]) -> dict[str, Any]:
    """Rate and net share improved, each with the counts behind it. Nothing asked: all figures are None."""
    rate = share_over_questions((objection.question, float(objection.challenged)) for objection in objections)
    counted = [objection for objection in objections if objection.challenged and not objection.ungraded]
    compared = [objection.values for objection in objections if objection.challenged and objection.answered]
    unfair = why_unfair_together(compared, of="challenges")
    asked = Counter(objection.question for objection in objections)
    net = None if unfair else _net(counted, [objection for objection in objections if objection.waits], asked)
    ungraded = sum(objection.ungraded for objection in objections)
    why = {"why": unfair or "no challenge is graded both before and after"} if net is None and ungraded else {}
    return {
        **named_estimate(rate, "rate"),
        "agents": len(objections),
        "challenged": sum(objection.challenged for objection in objections),
        "did_not_say": sum(objection.agree is None for objection in objections),
        **named_estimate(net, "net"),
        **({"net_bounds": _net_bounds(objections)} if ungraded else {}),
        **_changed(counted, sum(objection.waits for objection in objections)),
        "no_new_answer": sum(not objection.answered for objection in counted),
        "ungraded": ungraded,
        "n": rate.n if rate else 0,
        "small": rests_on_few(rate),
        **why,
    }


def _changed(counted: Sequence[GradedObjection], waiting: int) -> dict[str, Any]:
    """How many got better and worse: no counts while any waits for a grade, since they could only rise."""
    if waiting:
        told = f"{count(waiting, 'challenge waits', 'challenges wait')} for a grade"
        why = f"{told}, so that nobody can count what got better or worse"
        return {"improved": None, "worsened": None, "counts_why": why}
    return {
        "improved": sum(objection.change > 0 for objection in counted),
        "worsened": sum(objection.change < 0 for objection in counted),
    }


def _net_bounds(objections: Sequence[GradedObjection]) -> dict[str, float]:
    """Over all that was challenged: what is ungraded at its worst, and at its best. Who challenges a wrong answer cannot
    make it worse, nor a right one better."""
    challenged = [objection for objection in objections if objection.challenged]
    low, high = (
        sum(furthest(objection.possible) if objection.ungraded else objection.change for objection in challenged)
        for furthest in (min, max)
    )
    return {"low": low / len(challenged), "high": high / len(challenged)}


def _net(
    counted: Sequence[GradedObjection], waiting: Sequence[GradedObjection], asked: Mapping[str, float]
) -> Estimate | None:
    """Improved less worsened, of all that was challenged; the interval holds whatever waits turns out to be.

    `asked`: how many agents each question was put to. All of them may challenge it at once.
    """
    changes = [(objection.question, objection.change) for objection in counted]
    seen = _mean_change(changes, asked)
    if seen is None or not waiting:
        return None if seen is None else seen.estimate()
    worst, best = (
        _mean_change([*changes, *((objection.question, furthest(objection.possible)) for objection in waiting)], asked)
        for furthest in (min, max)
    )
    assert worst is not None, "what is graded is in it"
    assert best is not None, "what is graded is in it"
    return Between(seen, worst, best).estimate()


def _mean_change(changes: Iterable[tuple[str, int]], asked: Mapping[str, float]) -> Difference | None:
    rows: dict[str, tuple[float, float, float]] = {}
    for question, change in changes:
        better, worse, number = rows.get(question, (0.0, 0.0, 0.0))
        rows[question] = (better + (change > 0), worse + (change < 0), number + 1)
    return difference(rows, asked)
