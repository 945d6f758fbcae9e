"""A rubric: what a long answer is judged by. Each criterion has its points, and an answer is worth the share that it gets.

It stands above the nouns because a case may hold one. Whoever reads by it is in `grade`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

MOST_CRITERIA = 50
"""A longer list is one that models lose count of."""


@dataclass(frozen=True, slots=True)
class Criterion:
    """One thing that a long answer is looked at for."""

    name: str
    points: float
    """What it gives at the most."""
    says: str
    """What the points are for, as whoever judges reads it."""


Rubric = tuple[Criterion, ...]


def most_points(rubric: Rubric) -> float:
    """What an answer can get."""
    return math.fsum(criterion.points for criterion in rubric)


def share_of_points(rubric: Rubric, given: Sequence[float]) -> float:
    """What these points are worth, from 0 to 1: points add up, so a criterion weighs as much as it gives."""
    return min(1.0, math.fsum(given) / most_points(rubric))


def rubric_problem(rubric: Rubric) -> str | None:
    """What is wrong with a rubric as a whole; None: nothing."""
    names = [criterion.name for criterion in rubric]
    if not rubric:
        return "expected at least one criterion: {name, points, says}"
    if len(rubric) > MOST_CRITERIA:
        return f"expected at most {MOST_CRITERIA} criteria, found {len(rubric)}"
    if twice := [name for name in names if names.count(name) > 1]:
        return f"expected each criterion once, found {twice[0]!r} twice"
    if not math.isfinite(most_points(rubric)):
        return "expected points that have a sum"
    return None
