"""The advice: searched on one half of the questions, claimed on the other, which had no part in any choice.

Everything that is chosen (teams, rules, weights, the points of the frontier, the one to take) is chosen on the first half, so
an interval of the second is that of something fixed beforehand, however many options were looked at. That the one to take is
better than every player alone is said only where it beats each of them there: which player is best need not be known then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from moot.advise.find import FoundOptions, find_options
from moot.advise.frontier import (
    AdviceWanted,
    SearchedOption,
    likely_to_reach,
    measured,
    paired,
    searched_options,
    share,
    thinned,
    to_take,
    unbeaten,
)
from moot.advise.further import NextStage, Surer, next_stages, surer
from moot.advise.known import KnownDrafts, parted_in_two
from moot.advise.options import SINGLE, AdvisedOption, PlayedOut
from moot.types import Estimate

FEWEST_GRADED = 40
"""With fewer questions that do not belong together neither half tells anything."""
VALID = (
    "players, rules, weights and the point to take are chosen on one half of the questions, every figure is of the other half:"
    " its 95 % intervals pay for the choice, whatever was looked at"
)


@dataclass(frozen=True, slots=True, eq=False)
class ClaimedPoint:
    """A point of the frontier as the questions kept apart have it."""

    option: AdvisedOption
    accuracy: Estimate
    played: PlayedOut


@dataclass(frozen=True, slots=True)
class OverSingles:
    """The one to take against the player alone over whom it has the least lead, on the questions kept apart."""

    player: str
    difference: float
    low: float | None
    high: float | None
    better: bool
    """Than every player alone: each lower end is above nothing, not only that of the least lead."""


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
    recommended: ClaimedPoint | None
    best: ClaimedPoint | None
    """The most accurate where it was searched."""
    why_none: str | None
    over_singles: OverSingles | None
    surer: Surer | None
    next: tuple[NextStage, ...]
    likely: bool = True
    """Whether the one to take likely keeps the least accuracy that was asked for; no option does where it does not."""
    notes: tuple[str, ...] = ()
    """What was left out of the search."""


def too_few_to_advise(drafts: KnownDrafts) -> str | None:
    units = drafts.different_units
    if units >= FEWEST_GRADED:
        return None
    together = "" if units == drafts.size else f" ({units:,} that do not belong together)"
    return (
        f"{drafts.size:,} graded questions{together} are too few to choose on one half and to claim on the other:"
        f" which team or rule is better cannot be told, nor what any of them would reach. {FEWEST_GRADED} are the least"
    )


def advise(drafts: KnownDrafts, wanted: AdviceWanted, found: FoundOptions | None = None) -> Advice:
    """From drafts of which all is graded. `found`: what a search on the first half has come to, where that is known."""
    if (why := too_few_to_advise(drafts)) is not None:
        return Advice(drafts.players, drafts.size, 0, 0, 0, False, "calls", (), None, None, why, None, None, ())
    parts = parted_in_two(drafts.units)
    search, claim = drafts.at(parts.search), drafts.at(parts.claim)
    found = find_options(search, wanted=wanted) if found is None else found
    options, cost = searched_options(found.options, search, wanted)
    points = unbeaten(options)
    chosen = to_take(points, search.units, wanted)
    best = max(points, key=lambda each: (each.accuracy, -each.cost))
    claimed = {id(point): _claimed(point, claim) for point in thinned(points, chosen)}
    taken = None if chosen is None else claimed[id(chosen)]
    against = _rival(chosen, best, options, points)
    return Advice(
        players=drafts.players,
        n=drafts.size,
        searched_on=search.size,
        claimed_on=claim.size,
        looked_at=found.looked_at,
        every_team=found.every_team,
        cost=cost,
        points=tuple(claimed.values()),
        recommended=taken,
        best=claimed[id(best)],
        why_none=None if chosen is not None else _why_none(options, wanted),
        over_singles=None if taken is None or taken.option.kind == SINGLE else _over_singles(taken, claim),
        surer=None
        if taken is None or against is None
        else surer(taken.played.worth, against.played(claim).worth, against.words(drafts.players), claim.units),
        next=() if taken is None else tuple(next_stages(taken.option, _largest(points), search, claim)),
        likely=chosen is None or likely_to_reach(chosen, search.units, wanted),
        notes=tuple(_left_out(search, wanted)),
    )


def _left_out(search: KnownDrafts, wanted: AdviceWanted) -> Iterator[str]:
    known = measured(search, wanted)
    if missing := [name for name in search.players if name not in known]:
        limits = (wanted.budget_usd_per_1000, "price"), (wanted.max_seconds, "time")
        what = " or ".join(word for limit, word in limits if limit is not None)
        them = "it" if len(missing) == 1 else "them"
        yield f"the {what} of {', '.join(missing)} is not known: no option with {them} is weighed"


def _claimed(point: SearchedOption, claim: KnownDrafts) -> ClaimedPoint:
    played = point.option.played(claim)
    return ClaimedPoint(point.option, share(played.worth, claim.units), played)


def _over_singles(taken: ClaimedPoint, claim: KnownDrafts) -> OverSingles:
    """Better than the best is better than all: every player alone is looked at, and the least lead is told."""
    gaps = [paired(taken.played.worth, alone, claim.units).difference for alone in claim.worth]
    leads = [(player, gap) for player, gap in zip(claim.players, gaps, strict=True) if gap is not None]
    better = all(gap.low is not None and gap.low > 0 for _, gap in leads)
    player, least = min(leads, key=lambda lead: (lead[1].value, -1.0 if lead[1].low is None else lead[1].low))
    return OverSingles(player, least.value, least.low, least.high, better)


def _rival(
    chosen: SearchedOption | None,
    best: SearchedOption,
    options: Sequence[SearchedOption],
    points: Sequence[SearchedOption],
) -> AdvisedOption | None:
    """Whom the one to take is to be told from: the most accurate; where it is that itself the best player alone, or the next
    on the frontier."""
    if chosen is None:
        return None
    if chosen is not best:
        return best.option
    singles = [each for each in options if each.option.kind == SINGLE]
    others = singles if chosen.option.kind != SINGLE else [each for each in points if each is not chosen]
    return max(others, key=lambda each: each.accuracy).option if others else None


def _largest(points: Sequence[SearchedOption]) -> AdvisedOption | None:
    """Of the frontier's teams the one with the most players: it tells most of how sure one may be."""
    teams = [each.option for each in points if len(each.option.seats) > 1]
    return max(teams, key=lambda each: len(each.seats), default=None)


def _why_none(options: Sequence[SearchedOption], wanted: AdviceWanted) -> str:
    limits = []
    if wanted.budget_usd_per_1000 is not None:
        usd = [each.played.usd_per_1000 for each in options]
        least = min((each for each in usd if each is not None), default=None)
        told = "" if least is None else f" (the cheapest cost ${least:,.4g} where it was searched)"
        limits.append(f"${wanted.budget_usd_per_1000:,.4g} for 1,000 questions{told}")
    if wanted.max_seconds is not None:
        seconds = [each.played.mean_seconds for each in options]
        quickest = min((each for each in seconds if each is not None), default=None)
        told = "" if quickest is None else f" (the quickest took {quickest:.3g} where it was searched)"
        limits.append(f"{wanted.max_seconds:g} seconds{told}")
    return f"no option keeps to {' and '.join(limits)}"
