"""The search over teams: every team of a size where there are few enough, else the best grown by one, and exchanged.

What is kept of each size are the most accurate teams; the most accurate of those that keep to the limits asked for; and of those
that no other beats in accuracy and money, or in accuracy and time, the best of every band of prices: the cheap ones, from which
the frontier is made. All accuracies here are on the questions searched on, by what other folds of them
taught; nothing is claimed by them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from math import comb

import numpy as np

from moot.advise.frontier import NOTHING_WANTED, AdviceWanted
from moot.advise.known import KnownDrafts
from moot.advise.tallies import EVERYBODY, Tallies
from moot.decide.candidates import Floats

SeatedTeam = tuple[int, ...]
ValuesOf = Callable[[SeatedTeam, slice], Floats]
"""From a team to how right it would be with each of these players in it."""

MOST_PLAYERS = 6
AT_MOST_LOOKED = 6e7
"""Labels of newcomers that are looked at for one size, where all teams are tried."""
WIDTH = 16
"""The most accurate teams of a size that grow on."""
EXCHANGED = 4
"""Of these so many are improved by exchanging members."""
LITTLE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Costs:
    """Of each player, on the questions searched on: what a team of them costs and how long it takes."""

    each: Floats
    """In money; one call a player where that is not known of all. Under a budget without end where it is not known."""
    seconds: Floats | None
    most: float = float("inf")
    """What may be spent on a question, where there is a budget."""
    latest: float = float("inf")
    """How long it may take, where that was said."""

    @classmethod
    def of(cls, drafts: KnownDrafts, wanted: AdviceWanted = NOTHING_WANTED) -> Costs:
        """What is not known keeps to no limit."""
        budget, latest = wanted.budget_usd_per_1000, wanted.max_seconds
        usd = None if drafts.usd is None else drafts.usd.mean(axis=1)
        if usd is not None and budget is not None:
            usd = np.where(np.isnan(usd), np.inf, usd)
        told = usd is not None and not np.isnan(usd).any() and bool((usd > 0).any())
        seconds = drafts.seconds
        if seconds is not None and np.isnan(seconds).any():
            seconds = None if latest is None else np.where(np.isnan(seconds), np.inf, seconds)
        return cls(
            usd if told and usd is not None else np.ones(len(drafts.players)),
            seconds,
            budget / 1000 if told and budget is not None else float("inf"),
            latest if seconds is not None and latest is not None else float("inf"),
        )

    @property
    def limited(self) -> bool:
        return min(self.most, self.latest) < float("inf")

    def of_team(self, team: SeatedTeam) -> tuple[float, float]:
        return float(self.each[list(team)].sum()), self.slowest(team)

    def slowest(self, team: SeatedTeam) -> float:
        return 0.0 if self.seconds is None else float(self.seconds[list(team)].max(axis=0).mean())

    def fits(self, team: SeatedTeam) -> bool:
        price, slow = self.of_team(team)
        return price <= self.most + LITTLE and slow <= self.latest + LITTLE


@dataclass(frozen=True, slots=True)
class TeamsFound:
    """Teams of one size, and whether every one was looked at."""

    value: Mapping[SeatedTeam, float]
    every_team: bool


def grown(tallies: Tallies, costs: Costs, most: int = MOST_PLAYERS) -> dict[int, TeamsFound]:
    """By size, from 1 on: teams whose vote is worth keeping, by how right it is."""
    players, questions = tallies.worth.shape
    return grow(tallies.values, players, questions, costs, most)


def grow(
    values: ValuesOf,
    players: int,
    questions: int,
    costs: Costs,
    most: int,
    *,
    seated: SeatedTeam = (),
    width: int = WIDTH,
) -> dict[int, TeamsFound]:
    """`seated`: who is in every team, and is not counted as a newcomer. Sizes are those of the newcomers."""
    free = [player for player in range(players) if player not in seated]
    first = values((), EVERYBODY)
    found = {1: TeamsFound({(player,): float(first[player]) for player in free}, True)}
    for size in range(2, min(most, len(free)) + 1):
        looked = comb(len(free), size) * questions
        if every := looked <= AT_MOST_LOOKED:
            bases: Iterable[SeatedTeam] = combinations(free, size - 1)
        else:
            bases = kept(found[size - 1].value, costs, seated, width)
        value = _joined(values, bases, players, seated, later=every)
        if not every:
            value |= _exchanged(values, value, seated)
        found[size] = TeamsFound(value, every)
    return {
        size: TeamsFound(_only_kept(each.value, costs, seated, width), each.every_team) for size, each in found.items()
    }


def _joined(
    values: ValuesOf, bases: Iterable[SeatedTeam], players: int, seated: SeatedTeam, *, later: bool
) -> dict[SeatedTeam, float]:
    """`later`: only with newcomers behind the last member, where all bases are there."""
    value: dict[SeatedTeam, float] = {}
    for base in bases:
        begin = base[-1] + 1 if later and base else 0
        if begin >= players:
            continue
        for player, right in enumerate(values(base, slice(begin, None)).tolist(), begin):
            if player not in base and player not in seated:
                value[tuple(sorted((*base, player)))] = right
    return value


def _exchanged(values: ValuesOf, value: Mapping[SeatedTeam, float], seated: SeatedTeam) -> dict[SeatedTeam, float]:
    """The best of them, one member after another given for a better one, as long as there is one."""
    better: dict[SeatedTeam, float] = {}
    for team in sorted(value, key=lambda each: -value[each])[:EXCHANGED]:
        best, right, moved = team, value[team], True
        while moved:
            moved = False
            for member in best:
                rest = tuple(player for player in best if player != member)
                worth = values(rest, EVERYBODY)
                worth[[*rest, *seated]] = -1.0
                other = int(worth.argmax())
                if worth[other] > right + LITTLE:
                    best, right, moved = tuple(sorted((*rest, other))), float(worth[other]), True
                    break
        better[best] = right
    return better


def kept(value: Mapping[SeatedTeam, float], costs: Costs, seated: SeatedTeam, width: int = WIDTH) -> list[SeatedTeam]:
    """Of teams of one size. The most accurate; of those that keep to the limits the most accurate; and the best of every band of
    prices and times."""
    best = sorted(value, key=lambda team: (-value[team], team))
    if not best:
        return []
    places = np.array([(*seated, *team) for team in best], dtype=np.intp)
    prices: Floats = costs.each[places].sum(axis=1)
    found = [*best[:width], *(best[place] for place in _cheap(prices, width))]
    late = None if costs.seconds is None else costs.seconds.mean(axis=1)[places].max(axis=1)
    if late is not None:  # no team is quicker than its slowest player, and few are much slower
        found += [best[place] for place in _cheap(late, width)]
    if costs.limited:
        found += _fitting(best, prices, late, costs, seated, width)
    return list(dict.fromkeys(found))


def _cheap(prices: Floats, width: int) -> list[int]:
    """Places of teams in falling order of accuracy: of those that are cheaper than all that are as accurate the cheapest, and
    the most accurate up to each of `width` prices, which rise by the same factor."""
    before = np.concatenate([[np.inf], np.minimum.accumulate(prices)[:-1]])
    unbeaten = np.flatnonzero(prices < before - LITTLE)  # from the most accurate, which is the dearest, on
    if len(unbeaten) <= width:
        return [int(place) for place in unbeaten]
    least, most = max(float(prices[unbeaten[-1]]), LITTLE), float(prices[unbeaten[0]])
    edges = np.geomspace(least, max(most, least), width)
    firsts = [int(np.argmax(prices[unbeaten] <= edge + LITTLE)) for edge in edges]
    return [int(unbeaten[first]) for first in dict.fromkeys([*firsts, len(unbeaten) - 1])]


def _fitting(
    best: Sequence[SeatedTeam], prices: Floats, late: Floats | None, costs: Costs, seated: SeatedTeam, width: int
) -> list[SeatedTeam]:
    """The most accurate that keep to the limits."""
    could = prices <= costs.most + LITTLE
    if late is not None:
        could &= late <= costs.latest + LITTLE
    fitting = (best[place] for place in np.flatnonzero(could))
    return list(islice((team for team in fitting if costs.fits((*seated, *team))), width))


def _only_kept(
    value: Mapping[SeatedTeam, float], costs: Costs, seated: SeatedTeam, width: int
) -> dict[SeatedTeam, float]:
    return {team: value[team] for team in kept(value, costs, seated, width)}
