"""Whether the least accuracy that was asked for is reached: shown, likely, open, or not.

*Shown* is a promise: the lower end that pays for all options weighed is at it or above. *Likely* is less: the lower end of a
one-sided interval at 90 %, of that option alone, is; of what was fixed beforehand by all questions, of what was searched by those
kept apart, where it was not picked. Of options of which that is said, about nine in ten really reach it (bench/README.md). Where
neither can be said, and the most accurate has it on these questions, it is *open*: such options are often below.
Only where no option has it on these questions it is *not reached*.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, sqrt
from typing import Literal

from moot.advise.frontier import LITTLE, WeighedOption, share
from moot.decide.candidates import Floats
from moot.stats.distributions import normal_inverse
from moot.stats.power import MOST, POWER
from moot.stats.quantiles import Z_95

Reached = Literal["shown", "likely", "open", "not reached"]

LIKELY = 0.2
"""The level of an interval with two ends, of which the lower alone counts: 90 % lie above it."""


def likely_to_reach(worth: Floats, units: Sequence[str], least: float) -> bool:
    """`worth`: on questions on which it was not picked."""
    low = share(worth, units, LIKELY).low
    return low is not None and low >= least


def reached_by(taken: WeighedOption, least: float, *, shown: bool, likely: bool) -> Reached:
    """`taken`: on all questions; where neither is so, the most accurate."""
    if shown:
        return "shown"
    if likely:
        return "likely"
    return "open" if taken.accuracy >= least - LITTLE else "not reached"


def questions_to_show(worth: Floats, units: Sequence[str], least: float) -> int | None:
    """About how many new questions, by themselves, have a lower end at 95 % above it four times in five, should it be right as
    often as on these. None: it is not above, or questions belong together, which tell less, and by how much is not known."""
    right = min(1.0, float(worth.mean()))
    if right <= least + LITTLE or len(set(units)) < len(units):
        return None
    spread = Z_95 * sqrt(least * (1 - least)) + normal_inverse(POWER) * sqrt(right * (1 - right))
    needed = ceil((spread / (right - least)) ** 2)
    return needed if needed <= MOST else None
