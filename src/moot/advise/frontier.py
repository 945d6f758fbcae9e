"""The frontier: options that no other beats in accuracy, money and time together; and which of them to take.

Both are told from the questions that were searched on alone. What is claimed of them is told from the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from moot.advise.known import KnownDrafts
from moot.advise.options import AdvisedOption, PlayedOut
from moot.decide.candidates import Floats
from moot.stats.clusters import clustered
from moot.stats.estimates import estimate
from moot.stats.paired import Paired, compare
from moot.types import Estimate

MOST_POINTS = 8
LITTLE = 1e-9
NEXT_TO_NONE = 0.001
LIKELY = 3.15
"""Standard errors of one half above a threshold, from which on the other half's lower end is above it four times in five:
1.96 for the interval, and 0.84 times the error of a difference of two halves."""


@dataclass(frozen=True, slots=True)
class AdviceWanted:
    """What was asked for; None: nothing."""

    budget_usd_per_1000: float | None = None
    min_accuracy: float | None = None
    max_seconds: float | None = None
    most_accurate: bool = False
    """Whatever it costs, within the limits."""

    @property
    def anything(self) -> bool:
        limits = (self.budget_usd_per_1000, self.min_accuracy, self.max_seconds)
        return self.most_accurate or any(each is not None for each in limits)


NOTHING_WANTED = AdviceWanted()


@dataclass(frozen=True, slots=True, eq=False)
class SearchedOption:
    """An option with what it came to on the questions searched on."""

    option: AdvisedOption
    accuracy: float
    cost: float
    """Money for 1,000 questions; calls a question where the price of somebody is not known, or nobody costs anything."""
    played: PlayedOut

    @property
    def seconds(self) -> float:
        """Without end where it is not known: that is quicker than nobody."""
        seconds = self.played.mean_seconds
        return float("inf") if seconds is None else seconds


def measured(drafts: KnownDrafts, wanted: AdviceWanted) -> tuple[str, ...]:
    """The players of whom is known what is asked for: whoever is not among them is in no option that keeps to a limit."""
    known = np.ones(len(drafts.players), dtype=np.bool_)
    for limit, figures in ((wanted.budget_usd_per_1000, drafts.usd), (wanted.max_seconds, drafts.seconds)):
        if limit is not None and figures is not None:
            known &= ~np.isnan(figures).any(axis=1)
    return tuple(name for name, there in zip(drafts.players, known, strict=True) if there)


def searched_options(
    options: Sequence[AdvisedOption], drafts: KnownDrafts, wanted: AdviceWanted
) -> tuple[list[SearchedOption], str]:
    """Options of which is known what is asked for, the cheapest first, and whether the cost is `usd_per_1000` or `calls`."""
    there = set(measured(drafts, wanted))
    options = [option for option in options if there.issuperset(option.names(drafts.players))]
    played = [option.searched_out(drafts) for option in options]
    usd = [each.usd_per_1000 for each in played]
    by_money = all(each is not None for each in usd) and any(usd)
    found = [
        SearchedOption(
            option,
            float(option.searched.mean()),
            paid if by_money and paid is not None else each.mean_calls,
            each,
        )
        for option, each, paid in zip(options, played, usd, strict=True)
    ]
    found.sort(key=lambda each: (each.cost, -each.accuracy, each.seconds, len(each.option.seats)))
    return found, "usd_per_1000" if by_money else "calls"


def unbeaten(options: Sequence[SearchedOption]) -> list[SearchedOption]:
    """In the order that they have: no other is as accurate, as cheap and as quick, and better in one of these."""
    found: list[SearchedOption] = []
    for one in sorted(options, key=lambda each: (-each.accuracy, each.cost, each.seconds)):
        if all(one.cost < other.cost - LITTLE or one.seconds < other.seconds - LITTLE for other in found):
            found.append(one)
    there = {id(one) for one in found}
    return [one for one in options if id(one) in there]


def thinned(
    points: Sequence[SearchedOption], keep: SearchedOption | None, most: int = MOST_POINTS
) -> list[SearchedOption]:
    """So many of the points as fit on a screen: the ends, the one to take, and of the rest whoever adds most accuracy. Who adds
    next to none, and takes as long, is another draw of the same."""
    best = max(points, key=lambda each: (each.accuracy, -each.cost))
    shown = [points[0], best, *([keep] if keep is not None else [])]
    there = {id(each) for each in shown}
    gains: list[tuple[float, SearchedOption]] = []
    reached, quickest = -1.0, float("inf")
    for point in points:
        if point.accuracy >= reached + NEXT_TO_NONE or point.seconds < quickest - LITTLE:
            gains.append((point.accuracy - reached, point))
        reached, quickest = max(reached, point.accuracy), min(quickest, point.seconds)
    for _, point in sorted(gains, key=lambda each: -each[0]):
        if len(there) < most:
            there.add(id(point))
    return [point for point in points if id(point) in there]


def share(values: Floats, units: Sequence[str]) -> Estimate:
    """The mean with its 95 % interval, over units."""
    with clustered({str(place): unit for place, unit in enumerate(units)}):
        found = estimate({str(place): value for place, value in enumerate(values.tolist())})
    assert found is not None, "there are questions"
    return found


def paired(one: Floats, other: Floats, units: Sequence[str]) -> Paired:
    """The one against the other, question by question; over units."""
    with clustered({str(place): unit for place, unit in enumerate(units)}):
        return compare({str(place): pair for place, pair in enumerate(zip(one.tolist(), other.tolist(), strict=True))})


def to_take(points: Sequence[SearchedOption], units: Sequence[str], wanted: AdviceWanted) -> SearchedOption | None:
    """By the questions searched on. None: no option keeps to the money or the time.

    With a least accuracy the cheapest that likely keeps it on other questions; else within money and time the most accurate;
    with nothing asked for the cheapest that cannot be told from the most accurate. Where none likely keeps the least accuracy
    it is the most accurate: `likely_to_reach` tells so.
    """
    fitting = [point for point in points if _fits(point, wanted)]
    if not fitting:
        return None
    best = max(fitting, key=lambda each: (each.accuracy, -each.cost))
    if wanted.min_accuracy is not None:
        likely = [point for point in fitting if likely_to_reach(point, units, wanted)]
        return likely[0] if likely else best
    if wanted.anything:
        return best
    return next(point for point in fitting if point is best or not _told_below(point, best, units))


def likely_to_reach(point: SearchedOption, units: Sequence[str], wanted: AdviceWanted) -> bool:
    """Whether an option likely keeps the least accuracy on other questions, where one was asked for."""
    return wanted.min_accuracy is None or _likely(point, units, wanted.min_accuracy)


def _fits(point: SearchedOption, wanted: AdviceWanted) -> bool:
    usd, seconds = point.played.usd_per_1000, point.played.mean_seconds
    if wanted.budget_usd_per_1000 is not None and (usd is None or usd > wanted.budget_usd_per_1000):
        return False
    return wanted.max_seconds is None or (seconds is not None and seconds <= wanted.max_seconds)


def _likely(point: SearchedOption, units: Sequence[str], least: float) -> bool:
    figure = share(point.option.searched, units)
    if figure.low is None or figure.high is None:
        return False
    error = max((figure.high - figure.low) / (2 * 1.96), 0.5 / sqrt(figure.n) * 1e-3)
    return figure.value >= least + LIKELY * error


def _told_below(point: SearchedOption, best: SearchedOption, units: Sequence[str]) -> bool:
    gap = paired(point.option.searched, best.option.searched, units).difference
    return gap is not None and gap.high is not None and gap.high < 0
