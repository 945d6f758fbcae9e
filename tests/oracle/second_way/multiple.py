"""The safety multiple: rescues over regressions, its interval that of the logarithm, leaving out one question at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence

from second_way.intervals import mean
from second_way.paired_scores import Z

Multiple = tuple[float | None, float | None, float | None]


def multiple(counts: Sequence[tuple[int, int]]) -> Multiple:
    """Value, low and high, from the rescues and regressions of each question."""
    gained, lost = (sum(count[side] for count in counts) for side in (0, 1))
    if not gained and not lost:
        return None, None, None
    value = gained / lost if lost else None
    if len(counts) < 2:
        return value, None, None
    half_of = _half(counts)
    without = [_log(gained - rescues, lost - regressions, half_of) for rescues, regressions in counts]
    variance = (len(counts) - 1) * mean([(other - mean(without)) ** 2 for other in without])
    # A count of nothing shows no spread; the half that is added to it varies as counts of a half do: 1 by a half.
    variance += sum(2.0 for count in (gained, lost) if count == 0)
    half = Z * math.sqrt(max(variance, at_least(counts)))
    centre = _log(gained, lost, half_of)
    low, high = math.exp(centre - half), math.exp(centre + half)
    if value is None:
        return None, low, None
    return value, (min(low, value) if gained else 0.0), (max(high, value) if gained else high)


def at_least(counts: Sequence[tuple[float, float]]) -> float:
    """Of fewer than ten questions with a change: as if those with a rescue and those with a regression were counted apart."""
    if sum(1 for count in counts if sum(count)) >= 10:
        return 0.0
    return sum(1 / (sum(1 for count in counts if count[side]) + 0.5) for side in (0, 1))


def _half(counts: Sequence[tuple[float, float]]) -> float:
    """Half a count; where a side has none, half of as many as come together with a change that is picked at random."""
    if all(any(count[side] for count in counts) for side in (0, 1)):
        return 0.5
    picked = [number for count in counts for number in count if number]
    together = sum(number / sum(picked) * number for number in picked)
    return max(1.0, together) / 2


def _log(gained: float, lost: float, half: float) -> float:
    return math.log((gained + half) / (lost + half))
