"""The safety multiple: rescues for each regression, with an interval that holds where both come in clusters and are few.

Changes of mind on one question hang together, so questions are the unit. The interval is that of the logarithm of the
ratio, half a count added to both sides, with the variance of a jackknife that leaves out a question at a time. The
plainer delta method with the same clusters falls to 92 % where 15 regressions are expected: a few questions hold them,
and each pulls its own residual down; Student's t on top of it goes too far the other way. The half keeps the jackknife
finite where one question holds all regressions. Where a side has no count the half is one of the usual bunch: two questions
on which all nine models were rescued are two events and not eighteen, and so is what was not seen. Where few questions have
changed the variance is no less than that of questions counted on either side by themselves. `bench/safety_coverage.py`
prints what each covers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from moot.stats.clusters import Units, Values, list_of, units
from moot.stats.paired import FEW_DISCORDANT, FEW_QUESTIONS
from moot.stats.quantiles import ALPHA, Z_95, normal_p, normal_quantile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

HALF = 0.5
NO_CHANGE = "nothing changed from right to wrong or from wrong to right"
NO_REGRESSION = "no regressions: a lower bound only"
NO_RESCUE = "no rescues: an upper bound only"
ONE_QUESTION = "a single question has no interval"
NOT_TOLD = "questions hang together, and it is not known which change is of which"
FEW = "few questions, or few on which something changed: look at the interval"


@dataclass(frozen=True, slots=True)
class Multiple:
    """Rescues over regressions. None where there is no such number: without regressions it has only a lower bound."""

    value: float | None
    low: float | None
    high: float | None
    note: str | None = None
    """What there is to know about the figure, in words."""


def multiple(rescues: Values, regressions: Values, *, alpha: float = ALPHA) -> Multiple:
    """One count of each a question; questions on which nothing changed belong to it too."""
    parts = _units(rescues, regressions)
    gained, lost = (float(sum(unit[place] for unit in parts.sums)) for place in (0, 1))
    if gained == 0 and lost == 0:
        return Multiple(None, None, None, NO_CHANGE)
    value = gained / lost if lost else None
    if not parts.enough:
        return Multiple(value, None, None, ONE_QUESTION if parts.told else NOT_TOLD)
    import numpy as np

    counts = np.array(parts.sums, dtype=float)
    bounds = multiple_bounds(counts[:, 0], counts[:, 1], normal_quantile(alpha))
    low, high = float(bounds[0]), float(bounds[1])
    if value is None:
        return Multiple(None, low, None, NO_REGRESSION)
    if gained == 0:
        return Multiple(0.0, 0.0, high, NO_RESCUE)
    few = len(parts.sums) < FEW_QUESTIONS or sum(any(unit) for unit in parts.sums) < FEW_DISCORDANT
    return Multiple(value, min(low, value), max(high, value), FEW if few else None)


def multiple_p(rescues: Values, regressions: Values, threshold: float) -> float | None:
    """Two-sided, of the multiple being this: at most alpha where the interval leaves it out. None: no interval."""
    import numpy as np

    parts = _units(rescues, regressions)
    counts = np.array(parts.sums, dtype=float)
    if not parts.enough or not counts.any():
        return None
    if threshold <= 0:  # which no interval holds but for 0 itself, where nothing was rescued
        return 1.0 if threshold == 0 and counts[:, 0].sum() == 0 else 0.0
    centre, error = _log_multiple(counts[:, 0], counts[:, 1])
    distance = (np.log(threshold) - float(centre)) / float(error)
    open_end = counts[:, 0].sum() == 0 if distance < 0 else counts[:, 1].sum() == 0
    return 1.0 if open_end else normal_p(distance)


class RatioCounts(NamedTuple):
    """By question, what is counted over what: rescues over regressions."""

    tops: Mapping[str, float]
    bottoms: Mapping[str, float]


def multiple_between(seen: RatioCounts, worst: RatioCounts, best: RatioCounts, *, alpha: float = ALPHA) -> Multiple:
    """The multiple of the graded pairs, with limits that hold whatever those that wait turn out to be."""
    found, low, high = (multiple(*counts, alpha=alpha) for counts in (seen, worst, best))
    if found.low is None:
        return found
    if low.low is None or found.value is None or found.high is None or high.high is None:
        return replace(found, low=low.low, high=None)
    return replace(found, low=min(low.low, found.value), high=max(high.high, found.value))


def multiple_p_between(seen: RatioCounts, worst: RatioCounts, best: RatioCounts, threshold: float) -> float | None:
    if multiple_p(*seen, threshold) is None:
        return None
    at, low, high = (_ratio(counts) for counts in (seen, worst, best))
    if threshold < min(at, low):
        return multiple_p(*worst, threshold)
    return multiple_p(*best, threshold) if threshold > max(at, high) else 1.0


def _ratio(counts: RatioCounts) -> float:
    gained, lost = (math.fsum(list_of(values)) for values in counts)
    return gained / lost if lost else math.inf


def _units(rescues: Values, regressions: Values) -> Units:
    if isinstance(rescues, Mapping) and isinstance(regressions, Mapping):
        return units({question: (float(count), float(regressions[question])) for question, count in rescues.items()})
    counts = zip(list_of(rescues), list_of(regressions), strict=True)
    return units([(float(gained), float(lost)) for gained, lost in counts])


def multiple_bounds(rescues: Floats, regressions: Floats, z: float = Z_95) -> Floats:
    """The limits, first low then high, for counts with the questions along the last axis, two of them or more.

    Open ends are 0 and infinity: without regressions there is no upper limit, without rescues no lower one.
    """
    import numpy as np

    gained, lost = rescues.sum(axis=-1), regressions.sum(axis=-1)
    centre, error = _log_multiple(rescues, regressions)
    low = np.where(gained == 0, 0.0, np.exp(centre - z * error))
    high = np.where(lost == 0, np.inf, np.exp(centre + z * error))
    return np.stack([low, high])


def _log_multiple(rescues: Floats, regressions: Floats) -> tuple[Floats, Floats]:
    """The logarithm of the multiple and its standard error."""
    import numpy as np

    gained, lost = rescues.sum(axis=-1), regressions.sum(axis=-1)
    half = np.where((gained == 0) | (lost == 0), HALF * _bunch(rescues, regressions), HALF)
    centre = np.log((gained + half) / (lost + half))
    apart = half[..., None]
    left_out = np.log((gained[..., None] - rescues + apart) / (lost[..., None] - regressions + apart))
    questions = rescues.shape[-1]
    spread = (left_out - left_out.mean(axis=-1, keepdims=True)) ** 2
    variance = (questions - 1) / questions * spread.sum(axis=-1)
    # A side with no count has no spread to show; the half that stands in for it varies like any count of half a bunch.
    variance += ((gained == 0).astype(float) + (lost == 0)) / HALF
    return centre, np.sqrt(np.maximum(variance, _least_variance(rescues, regressions)))


def _least_variance(rescues: Floats, regressions: Floats) -> Floats:
    """Of questions of which few have changed, no less than if both sides came by themselves: one rescue and one regression on
    the same question would leave no spread at all, and be a multiple of 1 without a doubt."""
    import numpy as np

    gaining, losing = (np.count_nonzero(side, axis=-1) for side in (rescues, regressions))
    few = np.count_nonzero((rescues + regressions) > 0, axis=-1) < FEW_DISCORDANT
    least: Floats = np.where(few, 1 / (gaining + HALF) + 1 / (losing + HALF), 0.0)
    return least


def _bunch(rescues: Floats, regressions: Floats) -> Floats:
    """How many changes come together on the question of a change that is picked at random: one where each comes alone."""
    import numpy as np

    changes = rescues.sum(axis=-1) + regressions.sum(axis=-1)
    squares = (rescues**2).sum(axis=-1) + (regressions**2).sum(axis=-1)
    bunch: Floats = np.maximum(1.0, squares / np.maximum(changes, 1.0))
    return bunch
