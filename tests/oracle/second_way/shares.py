"""A share over questions of which not all are graded: over those that are, and the bounds over all."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from scipy import stats

from second_way.compare import ANY_TEXT
from second_way.intervals import Z, mean, wilson

Grades = Mapping[str, Sequence[float | None]]
"""By question, one grade a play; None: ungraded."""


def share_row(grades: Grades) -> dict[str, Any]:
    """``value, low, high, n`` over what is graded; `bounds` over all where something is not, `why` where nothing is."""
    known = {question: [grade for grade in plays if grade is not None] for question, plays in grades.items()}
    means = [mean(plays) for plays in known.values() if plays]
    low, high = interval(means, several=any(len(plays) > 1 for plays in known.values()))
    row: dict[str, Any] = {"value": mean(means) if means else None, "low": low, "high": high, "n": len(means)}
    if any(None in plays for plays in grades.values()):
        ends = [
            mean([mean([open_as if grade is None else grade for grade in plays]) for plays in grades.values()])
            for open_as in (0.0, 1.0)
        ]
        row["bounds"] = {"low": ends[0], "high": ends[1]}
    return row if means else {**row, "why": ANY_TEXT}


def interval(means: Sequence[float], *, several: bool) -> tuple[float | None, float | None]:
    """Wilson's for one 0/1 value a question; for means over several plays the score interval of as many 0/1 questions as
    would vary that much, Student's t paying for knowing it from n values."""
    n = len(means)
    if n < 2:
        return None, None
    if not several:
        return wilson(math.fsum(means), n)
    value = mean(means)
    spread = mean([(other - value) ** 2 for other in means])
    if spread < 1e-12:
        return wilson(math.fsum(means), n)
    worth = (n - 1) * value * (1 - value) / spread * (Z / float(stats.t.ppf(0.975, n - 1))) ** 2
    return _score(value, max(n, worth))


def _score(share: float, n: float) -> tuple[float, float]:
    centre = (share + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z / (1 + Z * Z / n) * math.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
    return max(0.0, centre - half), min(1.0, centre + half)
