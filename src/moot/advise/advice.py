"""The advice: searched on one half of the questions, chosen by all of them, claimed on the other half at a level that pays.

Teams, rules, weights and the few points of the frontier are found on the first half, so to the second they are fixed beforehand,
however many options were looked at. Beside them every player alone is weighed, and the vote of all where that is an option: these
are no choice of anybody, so the first half must not have a say in whether they are looked at. Which of these points to take is
told by all questions (`choice`): so the second half has a say in it. Each interval there is at 5 % divided by the number of
points: all of them hold together with 95 %, and so does that of whichever is taken. That the one to take is better than every
player alone is said only where it beats each of them there, at 5 % divided by the number of teams among the points, since it is
said of teams alone: which player is best need not be known then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from moot.advise.choice import fits, most_accurate, to_take
from moot.advise.find import FoundOptions, find_options
from moot.advise.frontier import (
    LITTLE,
    AdviceWanted,
    ToldWorth,
    WeighedOption,
    lead,
    measured,
    share_told,
    thinned,
    unbeaten,
    weighed_options,
    why_calls,
)
from moot.advise.further import NextStage, Surer, next_stages, surer
from moot.advise.known import Flags, KnownDrafts, parted_in_two
from moot.advise.least import Reached, likely_to_reach, questions_to_show, reached_by
from moot.advise.options import SINGLE, AdvisedOption, PlayedOut, fixed_beforehand
from moot.decide.kinds_apart import kinds_told
from moot.decide.odd_players import LOOK_AT_KEYS, NEVER_RIGHT
from moot.stats.counted_words import count
from moot.stats.quantiles import ALPHA
from moot.types import Estimate

FEWEST_GRADED = 40
"""With fewer questions that do not belong together neither half tells anything."""
VALID = (
    "players, rules, weights and the points of the frontier are found on one half of the questions; every player alone, and the"
    " vote of all, is weighed beside them; which to take is told by all questions; every interval is of the other half, at 5 %"
    " divided by the number of options weighed: all hold together at 95 %, whichever is taken"
)


@dataclass(frozen=True, slots=True, eq=False)
class ClaimedPoint:
    """An option that is weighed, as the questions kept apart have it."""

    option: AdvisedOption
    accuracy: Estimate
    """With an interval that holds together with those of all points."""
    played: PlayedOut
    on_all: WeighedOption
    """The same over all questions, those searched on first: by this it is taken or not."""
    on_frontier: bool = True
    """Of the questions searched on. Else it is weighed because nothing had to be searched for it."""
    without: Flags | None = None
    """On which questions one of its players could not be reached. None: on none."""

    @property
    def told(self) -> ToldWorth:
        return ToldWorth(self.played.worth, self.without)


@dataclass(frozen=True, slots=True)
class OverSingles:
    """The one to take against the player alone over whom it has the least lead, on the questions kept apart."""

    player: str
    difference: float
    low: float | None
    """Of the least lead, whoever it is over: no player has a lower end below it."""
    high: float | None
    better: bool
    """Than every player alone: each lower end is above nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Advice:
    players: tuple[str, ...]
    n: int
    searched_on: int
    claimed_on: int
    looked_at: int
    every_team: bool
    cost: str
    """What is saved on: `usd_per_1000`, or `calls`."""
    points: tuple[ClaimedPoint, ...]
    """All that are weighed, the cheapest first."""
    recommended: ClaimedPoint | None
    best: ClaimedPoint | None
    """Of the points the most accurate on all questions."""
    why_none: str | None
    over_singles: OverSingles | None
    surer: Surer | None
    next: tuple[NextStage, ...]
    least: Reached | None = None
    """Whether the one to take keeps the least accuracy that was asked for; where that is open or not so, no point is shown to,
    nor likely does. None: none was asked for."""
    to_show: int | None = None
    """About so many new questions would show it, where it is likely and not shown. None: that is not known."""
    notes: tuple[str, ...] = ()
    """What was left out of the search."""
    why_calls: str | None = None
    """Why calls are saved on and not money. None: money is."""

    @property
    def frontier(self) -> tuple[ClaimedPoint, ...]:
        return tuple(point for point in self.points if point.on_frontier)

    @property
    def beside(self) -> tuple[ClaimedPoint, ...]:
        """What is weighed beside the frontier: nothing was searched for it."""
        return tuple(point for point in self.points if not point.on_frontier)


def too_few_to_advise(drafts: KnownDrafts) -> str | None:
    units = drafts.different_units
    if units >= FEWEST_GRADED:
        return None
    together = "" if units == drafts.size else f" ({units:,} that do not belong together)"
    return (
        f"{drafts.size:,} graded questions{together} are too few to choose on one half and to claim on the other:"
        f" which team or rule is better cannot be told, nor what any of them would reach. {FEWEST_GRADED} are the least"
    )


def never_right_to_advise(drafts: KnownDrafts) -> str | None:
    if (drafts.worth > 0).any():
        return None
    return f"{NEVER_RIGHT.format(drafts.size)}, so that no option is better than another: {LOOK_AT_KEYS}"


def advise(drafts: KnownDrafts, wanted: AdviceWanted, found: FoundOptions | None = None) -> Advice:
    """From drafts of which all is graded. `found`: what a search on the first half has come to, where that is known."""
    if (why := too_few_to_advise(drafts) or never_right_to_advise(drafts)) is not None:
        return Advice(drafts.players, drafts.size, 0, 0, 0, False, "calls", (), None, None, why, None, None, ())
    drafts = drafts.known_throughout()
    parts = parted_in_two(drafts.units)
    search, claim = drafts.at(parts.search), drafts.at(parts.claim)
    found = find_options(search, wanted=wanted) if found is None else found
    options, cost = weighed_options(found.options, search, wanted)
    frontier = unbeaten(options)
    points = _claimed(options, _kept(frontier, search.units, wanted), claim, by_money=cost == "usd_per_1000")
    on_all, units = [point.on_all for point in points], (*search.units, *claim.units)
    promised = {place for place, point in enumerate(points) if promises(point, wanted)}
    likely = _and_better(_likely([_told_by(point, search, claim) for point in points], wanted), points, wanted)
    place = to_take(on_all, units, wanted, promised, likely)
    taken, best = None if place is None else points[place], points[most_accurate(on_all)]
    over = None if taken is None or taken.option.kind == SINGLE else _over_singles(taken, claim, ALPHA / _teams(points))
    least, to_show = wanted.min_accuracy, None
    reached = None
    if taken is not None and least is not None:
        fitting = [each for each in on_all if fits(each, wanted)]
        reached = reached_by(fitting, least, shown=place in promised, likely=place in likely)
        told, of = _told_by(taken, search, claim)
        to_show = questions_to_show(told.worth, of, least) if reached == "likely" else None
    return Advice(
        players=drafts.players,
        n=drafts.size,
        searched_on=search.size,
        claimed_on=claim.size,
        looked_at=found.looked_at,
        every_team=found.every_team,
        cost=cost,
        points=tuple(points),
        recommended=taken,
        best=best,
        why_none=None if taken is not None else _why_none(on_all, wanted),
        over_singles=over,
        surer=None if taken is None else _surer(taken, best, over, points, claim),
        next=() if taken is None else tuple(next_stages(taken.option, _largest(frontier), search, claim)),
        least=reached,
        to_show=to_show,
        notes=(*_left_out(search, wanted), *_kinds_untold(points, search)),
        why_calls=None if cost == "usd_per_1000" else why_calls(search, wanted),
    )


def promises(point: ClaimedPoint, wanted: AdviceWanted) -> bool:
    """Whether the questions kept apart show that it keeps the least accuracy that was asked for."""
    least, low = wanted.min_accuracy, point.accuracy.low
    return least is not None and low is not None and low >= least


def _told_by(point: ClaimedPoint, search: KnownDrafts, claim: KnownDrafts) -> tuple[ToldWorth, Sequence[str]]:
    """What it was worth where nothing was searched for it, and the units of these questions: of what was fixed beforehand that is
    all of them."""
    if fixed_beforehand(point.option, len(claim.players)):
        return point.on_all.told, (*search.units, *claim.units)
    return point.told, claim.units


def _likely(told: Sequence[tuple[ToldWorth, Sequence[str]]], wanted: AdviceWanted) -> set[int]:
    """The places of those that likely keep the least accuracy that was asked for."""
    return set() if wanted.min_accuracy is None else likely_to_reach(told, wanted.min_accuracy)


def _and_better(likely: set[int], points: Sequence[ClaimedPoint], wanted: AdviceWanted) -> set[int]:
    """Those that have it on all questions too, and whoever is as good as one of these both there and where nothing was picked."""
    least = wanted.min_accuracy or 0.0
    best = [(point.on_all.told.at_best.mean(), point.told.at_best.mean()) for point in points]
    worst = [(point.on_all.told.at_worst.mean(), point.told.at_worst.mean()) for point in points]
    sure = {place for place in likely if worst[place][0] >= least - LITTLE}
    return sure | {
        place
        for place, (on_all, apart) in enumerate(worst)
        if any(on_all >= best[other][0] - LITTLE and apart >= best[other][1] - LITTLE for other in sure)
    }


def _kept(frontier: Sequence[WeighedOption], units: Sequence[str], wanted: AdviceWanted) -> list[WeighedOption]:
    """The few points that are weighed: among them the one that the first half would take, so that something keeps to a limit
    where anything does, and under a time the quickest."""
    place = to_take(frontier, units, wanted, likely=_likely([(each.told, units) for each in frontier], wanted))
    keep = [] if place is None else [frontier[place]]
    if wanted.max_seconds is not None:
        keep.append(min(frontier, key=lambda each: each.seconds))
    return thinned(frontier, keep)


def _left_out(search: KnownDrafts, wanted: AdviceWanted) -> Iterator[str]:
    known = measured(search, wanted)
    if missing := [name for name in search.players if name not in known]:
        limits = (wanted.budget_usd_per_1000, "price"), (wanted.max_seconds, "time")
        what = " or ".join(word for limit, word in limits if limit is not None)
        them = "it" if len(missing) == 1 else "them"
        yield f"the {what} of {', '.join(missing)} is not known: no option with {them} is weighed"


def _kinds_untold(points: Sequence[ClaimedPoint], search: KnownDrafts) -> Iterator[str]:
    """Of which kinds of questions no rule tells how sure it is, where a probability decides in one of the options."""
    if any(point.option.learnt is not None for point in points):
        told = kinds_told(search.candidates(range(len(search.players))), search.units)
        for kind in sorted({*search.kinds}.difference(told)):
            few = count(search.kinds.count(kind), "question")
            untold = "there no probability is told, and whoever asks in turn asks all"
            yield f"of kind {kind} too little is learnt from ({few}): {untold}"


def _claimed(
    options: Sequence[WeighedOption], frontier: Sequence[WeighedOption], claim: KnownDrafts, *, by_money: bool
) -> list[ClaimedPoint]:
    """What each of the frontier, and each that was fixed beforehand, came to on the questions kept apart, and on all."""
    there = {id(point) for point in frontier}
    points = [each for each in options if id(each) in there or fixed_beforehand(each.option, len(claim.players))]
    found = []
    for point in points:
        played = point.option.played(claim)
        both = point.played.beside(played)
        usd = played.usd_per_1000  # where it was not picked for being cheap, as it is shown
        cost = usd if by_money and usd is not None else played.mean_calls
        missing = claim.without_one_of(point.option.seats)
        without = None if missing is None or point.without is None else np.concatenate([point.without, missing])
        on_all = WeighedOption(point.option, float(both.worth.mean()), cost, both, without)
        accuracy = share_told(ToldWorth(played.worth, missing), claim.units, ALPHA / len(points))
        found.append(ClaimedPoint(point.option, accuracy, played, on_all, id(point) in there, missing))
    return found


def _teams(points: Sequence[ClaimedPoint]) -> int:
    """So many of them might have been called better than every player alone."""
    return sum(point.option.kind != SINGLE for point in points)


def _over_singles(taken: ClaimedPoint, claim: KnownDrafts, alpha: float) -> OverSingles:
    """Better than the best is better than all: every player alone is looked at, and the least lead is told.

    Its lower end needs no correction for the players: it is below the least lead as often as that of the player who really is
    the nearest. Its upper end has to be above in all of them.
    """
    leads = {player: lead(taken.told, _alone(claim, player), claim.units) for player in claim.players}
    ends = {player: each.limits(alpha, alpha / len(leads)) for player, each in leads.items()}
    low = min((end for end, _ in ends.values() if end is not None), default=None)
    high = min((end for _, end in ends.values() if end is not None), default=None)

    def nearest(player: str) -> tuple[float, float]:
        end = ends[player][0]
        return leads[player].played.value, -1.0 if end is None else end

    player = min(leads, key=nearest)
    return OverSingles(player, leads[player].played.value, low, high, low is not None and low > 0)


def _alone(drafts: KnownDrafts, player: str) -> ToldWorth:
    seat = drafts.players.index(player)
    return ToldWorth(drafts.worth[seat], drafts.without_one_of([seat]))


def _surer(
    taken: ClaimedPoint,
    best: ClaimedPoint,
    over: OverSingles | None,
    points: Sequence[ClaimedPoint],
    claim: KnownDrafts,
) -> Surer | None:
    """Whom the one to take is to be told from: the most accurate; where it is that itself the player alone who comes nearest, of
    whom the limits are known; and where it is one player, the most accurate of the others. Of two points any two might have been
    it."""
    units = claim.units
    if taken is best and over is not None:
        alone, against = _alone(claim, over.player), f"{over.player} alone"
        return surer(taken.told, alone, against, units, _teams(points), limits=(over.low, over.high))
    others = [point for point in points if point is not taken]
    if not others:
        return None
    rival = best if taken is not best else others[most_accurate([point.on_all for point in others])]
    pairs = len(points) * (len(points) - 1) // 2
    return surer(taken.told, rival.told, rival.option.words(claim.players), units, pairs)


def _largest(points: Sequence[WeighedOption]) -> AdvisedOption | None:
    """Of the frontier's teams the one with the most players: it tells most of how sure one may be."""
    teams = [each.option for each in points if len(each.option.seats) > 1]
    return max(teams, key=lambda each: len(each.seats), default=None)


def _why_none(points: Sequence[WeighedOption], wanted: AdviceWanted) -> str:
    """The cheapest of all is one player alone, and so is the quickest: all of them are points."""
    limits = []
    if wanted.budget_usd_per_1000 is not None:
        usd = [each.played.usd_per_1000 for each in points]
        least = min((each for each in usd if each is not None), default=None)
        told = "" if least is None else f" (the cheapest cost ${least:,.4g})"
        limits.append(f"${wanted.budget_usd_per_1000:,.4g} for 1,000 questions{told}")
    if wanted.max_seconds is not None:
        seconds = [each.played.mean_seconds for each in points]
        quickest = min((each for each in seconds if each is not None), default=None)
        told = "" if quickest is None else f" (the quickest took {quickest:.3g})"
        limits.append(f"{wanted.max_seconds:g} seconds{told}")
    return f"no option keeps to {' and '.join(limits)}"
