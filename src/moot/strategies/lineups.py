"""The line-ups of a strategy, looked at where they come in: whoever seats teams can rely on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from moot.plugins import NotAsExpected, blaming, refusing
from moot.strategies.traits import traits_of
from moot.team import Team

if TYPE_CHECKING:
    from moot.strategies import Strategy


def lineups_of(played: Strategy, team: Team) -> tuple[Team, ...]:
    """The teams that play, or a complaint that names the strategy. None where the table has no seat for its captain."""
    with refusing(), blaming("strategy", played.name, "lineups"):
        given: object = played.lineups(team)
        if isinstance(given, Team):
            raise NotAsExpected("a tuple of teams", found="a Team; write (team,)")
        if not isinstance(given, Iterable) or isinstance(given, str | Mapping):
            raise NotAsExpected("a tuple of teams", type(given))
        lineups = tuple(given)
        for lineup in lineups:
            _check_lineup(lineup, alone=traits_of(played).alone)
        return lineups


def check_some(played: Strategy, lineups: int, teams: Iterable[str]) -> None:
    """A strategy that plays at no table at all was not meant to be in the file."""
    if not lineups:
        with refusing(), blaming("strategy", played.name, "lineups"):
            raise NotAsExpected("at least one team", found=f"none for the team {', '.join(map(repr, teams))}")


def _check_lineup(lineup: object, *, alone: bool) -> None:
    if not isinstance(lineup, Team):
        raise NotAsExpected("a tuple of teams", found=f"a {type(lineup).__name__} in it")
    if not lineup.players:
        raise NotAsExpected("players", found="a team of none")
    if alone and len(lineup.players) > 1:
        promised = "one player in each, since its traits say alone, one player and no team"
        raise NotAsExpected(promised, found=f"a line-up of {len(lineup.players)}", joined="; ")
