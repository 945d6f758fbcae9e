"""The frontier: options that no other beats in accuracy, money and time together.

It is told from the questions that were searched on alone. Which of its points to take is told from all questions: see `choice`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from moot.advise.known import Flags, KnownDrafts
from moot.advise.options import AdvisedOption, PlayedOut
from moot.decide.candidates import Floats
from moot.stats.clusters import clustered
from moot.stats.completions import Between, IntervalLimits
from moot.stats.estimates import estimate
from moot.stats.paired import Difference, OnePair, compare
from moot.stats.quantiles import ALPHA
from moot.types import Estimate

MOST_POINTS = 8
LITTLE = 1e-9
MOST_NAMED = 3
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
class ToldWorth:
    """What an option came to on each of some questions, and where that may be otherwise."""

    worth: Floats
    without: Flags | None = None
    """Where one of its players could not be reached, and is asked again by the next run. None: nowhere."""

    @property
    def at_worst(self) -> Floats:
        return self.worth if self.without is None else np.where(self.without, 0.0, self.worth)

    @property
    def at_best(self) -> Floats:
        return self.worth if self.without is None else np.where(self.without, 1.0, self.worth)


@dataclass(frozen=True, slots=True, eq=False)
class WeighedOption:
    """An option with what it came to on the questions that it is weighed on: those searched on, or all."""

    option: AdvisedOption
    accuracy: float
    cost: float
    """Money for 1,000 questions; calls a question where the price of somebody is not known, or nobody costs anything."""
    played: PlayedOut
    without: Flags | None = None
    """On which of these questions one of its players could not be reached. None: on none."""

    @property
    def told(self) -> ToldWorth:
        return ToldWorth(self.played.worth, self.without)

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
            drafts.without_one_of(option.seats),
        )
        for option, each, paid in zip(options, played, usd, strict=True)
    ]
    found.sort(key=lambda each: (each.cost, -each.accuracy, each.seconds, len(each.option.seats)))
    return found, "usd_per_1000" if by_money else "calls"


def why_calls(drafts: KnownDrafts, wanted: AdviceWanted) -> str:
    """Why it is calls that are saved on: money needs to be known of everybody who is weighed, and of somebody to be any."""
    there = measured(drafts, wanted)
    if drafts.usd is None:
        return "costs unknown"
    unknown: Flags = np.any(np.isnan(drafts.usd), axis=1)
    if names := [name for name, gap in zip(drafts.players, unknown, strict=True) if gap and name in there]:
        whose = " and ".join(sorted(names)) if len(names) <= MOST_NAMED else f"{len(names)} players"
        return "costs unknown" if len(names) == len(there) else f"cost of {whose} unknown"
    return "nothing costs money"


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


def share_told(told: ToldWorth, units: Sequence[str], alpha: float = ALPHA) -> Estimate:
    """The mean with an interval that holds whatever comes of those who could not be reached."""
    found = share(told.worth, units, alpha)
    if told.without is None:
        return found
    low, high = share(told.at_worst, units, alpha).low, share(told.at_best, units, alpha).high
    return replace(found, low=low, high=high)


def share(values: Floats, units: Sequence[str], alpha: float = ALPHA) -> Estimate:
    """The mean with its interval, over units."""
    with clustered({str(place): unit for place, unit in enumerate(units)}):
        found = estimate({str(place): value for place, value in enumerate(values.tolist())}, alpha)
    assert found is not None, "there are questions"
    return found


@dataclass(frozen=True, slots=True)
class Lead:
    """The one ahead of the other, question by question: as it was played, and were all against it, or for it, that is missing
    of those who could not be reached."""

    played: Difference | OnePair | Between
    lowest: Difference | OnePair | Between
    highest: Difference | OnePair | Between

    def limits(self, low_at: float, high_at: float) -> IntervalLimits:
        """At these levels, whatever comes of those who could not be reached."""
        return self.lowest.limits(low_at)[0], self.highest.limits(high_at)[1]


def lead(one: ToldWorth, other: ToldWorth, units: Sequence[str]) -> Lead:
    """Over units."""
    played = _paired(one.worth, other.worth, units)
    if one.without is None and other.without is None:
        return Lead(played, played, played)
    return Lead(played, _paired(one.at_worst, other.at_best, units), _paired(one.at_best, other.at_worst, units))


def _paired(one: Floats, other: Floats, units: Sequence[str]) -> Difference | OnePair | Between:
    with clustered({str(place): unit for place, unit in enumerate(units)}):
        found = compare({str(place): pair for place, pair in enumerate(zip(one.tolist(), other.tolist(), strict=True))})
    assert found.figure is not None, "there are questions"
    return found.figure
