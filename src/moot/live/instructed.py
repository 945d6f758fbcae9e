"""Players who are told something more than their own instruction, such as the system prompt of a client."""

from __future__ import annotations

from dataclasses import replace

from moot.team import Player, Team


def instructed(team: Team, system: str) -> Team:
    """With these words before every player's own instruction."""

    def told(player: Player) -> Player:
        words = [part for part in (system.strip(), player.instruction) if part]
        return replace(player, instruction="\n\n".join(words))

    return replace(team, players=tuple(map(told, team.players)))
