"""The search over teams: every team of a size where there are few enough, else the best grown by one, and exchanged.

What is kept of each size are the most accurate teams and those that no other beats in accuracy, money and time together: the
cheap ones, from which the frontier is made. All accuracies here are on the questions searched on, by what other folds of them
taught; nothing is claimed by them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

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
    """In money; one call a player where that is not known of all."""
    seconds: Floats | None

    @classmethod
    def of(cls, drafts: KnownDrafts) -> Costs:
        players = len(drafts.players)
        usd = None if drafts.usd is None else drafts.usd.mean(axis=1)
        told = usd is not None and bool(np.isfinite(usd).all()) and bool((usd > 0).any())
        seconds = drafts.seconds
        if seconds is not None and np.isnan(seconds).any():
            seconds = None
        return cls(usd if told and usd is not None else np.ones(players), seconds)

    def of_team(self, team: SeatedTeam) -> tuple[float, float]:
        chosen = list(team)
        slowest = 0.0 if self.seconds is None else float(self.seconds[chosen].max(axis=0).mean())
        return float(self.each[chosen].sum()), slowest


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
    """The most accurate, and whoever is beaten by none in accuracy, money and time."""
    best = sorted(value, key=lambda team: (-value[team], team))
    unbeaten = _unbeaten(best[: 40 * width], costs, seated)
    return list(dict.fromkeys([*best[:width], *unbeaten[:width]]))


def _unbeaten(by_accuracy: Sequence[SeatedTeam], costs: Costs, seated: SeatedTeam) -> list[SeatedTeam]:
    """Teams in falling order of accuracy: those that are cheaper or quicker than all that are as accurate."""
    found: list[SeatedTeam] = []
    prices: list[tuple[float, float]] = []
    for team in by_accuracy:
        price, slow = costs.of_team((*seated, *team))
        if all(price < other - LITTLE or slow < late - LITTLE for other, late in prices):
            found.append(team)
            prices.append((price, slow))
    return found


def _only_kept(
    value: Mapping[SeatedTeam, float], costs: Costs, seated: SeatedTeam, width: int
) -> dict[SeatedTeam, float]:
    return {team: value[team] for team in kept(value, costs, seated, width)}
