"""The frontier: options that no other beats in accuracy, money and time together.

It is told from the questions that were searched on alone. Which of its points to take is told from all questions: see `choice`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from moot.advise.known import KnownDrafts
from moot.advise.options import AdvisedOption, PlayedOut
from moot.decide.candidates import Floats
from moot.stats.clusters import clustered
from moot.stats.estimates import estimate
from moot.stats.paired import Paired, compare
from moot.stats.quantiles import ALPHA
from moot.types import Estimate

MOST_POINTS = 8
LITTLE = 1e-9
NEXT_TO_NONE = 0.001


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
class WeighedOption:
    """An option with what it came to on the questions that it is weighed on: those searched on, or all."""

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


def weighed_options(
    options: Sequence[AdvisedOption], drafts: KnownDrafts, wanted: AdviceWanted
) -> tuple[list[WeighedOption], str]:
    """Options of which is known what is asked for, the cheapest first, and whether the cost is `usd_per_1000` or `calls`."""
    there = set(measured(drafts, wanted))
    options = [option for option in options if there.issuperset(option.names(drafts.players))]
    played = [option.searched_out(drafts) for option in options]
    usd = [each.usd_per_1000 for each in played]
    by_money = all(each is not None for each in usd) and any(usd)
    found = [
        WeighedOption(
            option,
            float(option.searched.mean()),
            paid if by_money and paid is not None else each.mean_calls,
            each,
        )
        for option, each, paid in zip(options, played, usd, strict=True)
    ]
    found.sort(key=lambda each: (each.cost, -each.accuracy, each.seconds, len(each.option.seats)))
    return found, "usd_per_1000" if by_money else "calls"


def unbeaten(options: Sequence[WeighedOption]) -> list[WeighedOption]:
    """In the order that they have: no other is as accurate, as cheap and as quick, and better in one of these."""
    found: list[WeighedOption] = []
    for one in sorted(options, key=lambda each: (-each.accuracy, each.cost, each.seconds)):
        if all(one.cost < other.cost - LITTLE or one.seconds < other.seconds - LITTLE for other in found):
            found.append(one)
    there = {id(one) for one in found}
    return [one for one in options if id(one) in there]


def thinned(
    points: Sequence[WeighedOption], keep: Collection[WeighedOption] = (), most: int = MOST_POINTS
) -> list[WeighedOption]:
    """So many of the points as fit on a screen: the ends, those to keep, and of the rest whoever adds most accuracy. Who adds
    next to none, and takes as long, is another draw of the same."""
    best = max(points, key=lambda each: (each.accuracy, -each.cost))
    shown = [points[0], best, *keep]
    there = {id(each) for each in shown}
    gains: list[tuple[float, WeighedOption]] = []
    reached, quickest = -1.0, float("inf")
    for point in points:
        if point.accuracy >= reached + NEXT_TO_NONE or point.seconds < quickest - LITTLE:
            gains.append((point.accuracy - reached, point))
        reached, quickest = max(reached, point.accuracy), min(quickest, point.seconds)
    for _, point in sorted(gains, key=lambda each: -each[0]):
        if len(there) < most:
            there.add(id(point))
    return [point for point in points if id(point) in there]


def share(values: Floats, units: Sequence[str], alpha: float = ALPHA) -> Estimate:
    """The mean with its interval, over units."""
    with clustered({str(place): unit for place, unit in enumerate(units)}):
        found = estimate({str(place): value for place, value in enumerate(values.tolist())}, alpha)
    assert found is not None, "there are questions"
    return found


def paired(one: Floats, other: Floats, units: Sequence[str]) -> Paired:
    """The one against the other, question by question; over units."""
    with clustered({str(place): unit for place, unit in enumerate(units)}):
        return compare({str(place): pair for place, pair in enumerate(zip(one.tolist(), other.tolist(), strict=True))})
