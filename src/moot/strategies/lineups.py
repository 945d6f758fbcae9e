"""The line-ups of a strategy, looked at where they come in: whoever seats teams can rely on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from moot.plugins import NotAsExpected, blaming, refusing
from moot.strategies.captaincy import Captained
from moot.strategies.traits import Traits, traits_of
from moot.team import Team

if TYPE_CHECKING:
    from moot.strategies import Strategy


def lineups_of(played: Strategy, team: Team) -> tuple[Team, ...]:
    """The teams that play, or a complaint that names the strategy. None where the table has no seat for its captain.

    Whoever is not led has no captain: the one that the file names for the team would else be measured as its leader.
    """
    with refusing(), blaming("strategy", played.name, "lineups"):
        given: object = played.lineups(team)
        if isinstance(given, Team):
            raise NotAsExpected("a tuple of teams", found="a Team; write (team,)")
        if not isinstance(given, Iterable) or isinstance(given, str | Mapping):
            raise NotAsExpected("a tuple of teams", type(given))
        traits = traits_of(played)
        lineups = tuple(_checked(lineup, traits, team) for lineup in given)
        if isinstance(played, Captained) and played.captain is not None and not traits.alone:
            _check_captains(played.captain, lineups)
        return lineups


def check_some(played: Strategy, lineups: int, teams: Iterable[str]) -> None:
    """A strategy that plays at no table at all was not meant to be in the file."""
    if not lineups:
        with refusing(), blaming("strategy", played.name, "lineups"):
            raise NotAsExpected("at least one team", found=f"none for the team {', '.join(map(repr, teams))}")


def _check_captains(named: str, lineups: Iterable[Team]) -> None:
    """The option stands nowhere but in the line-ups: where they forget it, a captain is measured whom nobody named."""
    led = [lineup.captain for lineup in lineups]
    heeding = "by_captain(team, self.captain) of moot.strategies.captaincy heeds it"
    if named == "each":
        for player in (player.name for lineup in lineups for player in lineup.players):
            if player not in led:
                found = f"none: {heeding}"
                raise NotAsExpected(
                    f"a line-up under {player!r}, since its option captain is each", found=found, joined="; "
                )
        return
    for captain in led:
        if captain != named:
            found = f"one under {'nobody' if captain is None else repr(captain)}: {heeding}"
            raise NotAsExpected(f"line-ups under {named!r}, whom its option captain names", found=found, joined="; ")


def _checked(lineup: object, traits: Traits, team: Team) -> Team:
    if not isinstance(lineup, Team):
        raise NotAsExpected("a tuple of teams", found=f"a {type(lineup).__name__} in it")
    if not lineup.players:
        raise NotAsExpected("players", found="a team of none")
    if traits.alone:
        if len(lineup.players) > 1:
            promised = "one player in each, since its traits say alone, one player and no team"
            raise NotAsExpected(promised, found=f"a line-up of {len(lineup.players)}", joined="; ")
        return lineup  # whoever plays alone is told without a captain, and is stored under the team's
    return _led(lineup, traits, team)


def _led(lineup: Team, traits: Traits, team: Team) -> Team:
    """With a captain who sits there, or with none."""
    if traits.captain is None:
        if lineup.captain not in (None, team.captain):
            promised = "no captain, since its traits name none (captain='leads' or 'breaks-ties' would)"
            raise NotAsExpected(promised, found=f"a line-up under {lineup.captain!r}", joined="; ")
        return replace(lineup, captain=None)
    names = [player.name for player in lineup.players]
    if lineup.captain is not None and lineup.captain not in names:
        promised = f"a captain who plays ({', '.join(names)}), or None"
        hint = "; by_captain(team, self.captain) of moot.strategies.captaincy gives a line-up for every captain"
        raise NotAsExpected(promised, found=f"{lineup.captain!r}{hint}")
    return lineup
