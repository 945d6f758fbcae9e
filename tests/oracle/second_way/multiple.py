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
    without = [_log(gained - rescues, lost - regressions) for rescues, regressions in counts]
    variance = (len(counts) - 1) * mean([(other - mean(without)) ** 2 for other in without])
    # A count of nothing shows no spread; the half that is added to it varies as counts of a half do: 1 by a half.
    variance += sum(2.0 for count in (gained, lost) if count == 0)
    half = Z * math.sqrt(variance)
    low, high = math.exp(_log(gained, lost) - half), math.exp(_log(gained, lost) + half)
    if value is None:
        return None, low, None
    return value, (min(low, value) if gained else 0.0), (max(high, value) if gained else high)


def _log(gained: int, lost: int) -> float:
    return math.log((gained + 0.5) / (lost + 0.5))
