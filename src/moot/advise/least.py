"""Whether the least accuracy that was asked for is reached: shown, likely, open, or not.

*Shown* is a promise: the lower end that pays for all options weighed is at it or above. *Likely* is less: the lower end of a
one-sided interval at 90 % is; of what was fixed beforehand by all questions, of what was searched by those kept apart, where it
was not picked. Of many options some look good by chance, so this level is divided by the number of those that may reach it:
whose upper end, at 90 % each, does. Who is far below cannot be taken for one that reaches it, and need not be paid for. So
whatever is asked for, and of however many options, it is said of one that does not reach it about once in ten at the most
(bench/README.md). Where neither can be said, and the most accurate may have it on these questions, it is *open*: such options are
often below. Only where no option has it on these questions it is *not reached*.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, sqrt
from typing import Literal

from moot.advise.frontier import LITTLE, ToldWorth, WeighedOption, share_told
from moot.decide.candidates import Floats
from moot.stats.distributions import normal_inverse
from moot.stats.power import MOST, POWER
from moot.stats.quantiles import Z_95

Reached = Literal["shown", "likely", "open", "not reached"]

LIKELY = 0.2
"""The level of an interval with two ends, of which the lower alone counts: 90 % lie above it."""


def likely_to_reach(told: Sequence[tuple[ToldWorth, Sequence[str]]], least: float) -> set[int]:
    """The places of those that likely do. `told`: each on questions on which it was not picked, and the units of these."""
    figures = [share_told(*each, LIKELY) for each in told]
    may = [place for place, figure in enumerate(figures) if figure.high is not None and figure.high >= least]
    above = [place for place in may if figures[place].value >= least - LITTLE]
    lows = {place: share_told(*told[place], LIKELY / len(may)).low for place in above}
    return {place for place, low in lows.items() if low is not None and low >= least}


def reached_by(fitting: Sequence[WeighedOption], least: float, *, shown: bool, likely: bool) -> Reached:
    """Of the one to take. `fitting`: those that keep to the other limits, on all questions."""
    if shown:
        return "shown"
    if likely:
        return "likely"
    may = any(each.told.at_best.mean() >= least - LITTLE for each in fitting)
    return "open" if may else "not reached"


def questions_to_show(worth: Floats, units: Sequence[str], least: float) -> int | None:
    """About how many new questions, by themselves, have a lower end at 95 % above it four times in five, should it be right as
    often as on these. None: it is not above, or questions belong together, which tell less, and by how much is not known."""
    right = min(1.0, float(worth.mean()))
    if right <= least + LITTLE or len(set(units)) < len(units):
        return None
    spread = Z_95 * sqrt(least * (1 - least)) + normal_inverse(POWER) * sqrt(right * (1 - right))
    needed = ceil((spread / (right - least)) ** 2)
    return needed if needed <= MOST else None
