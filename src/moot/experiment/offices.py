"""Whom a strategy needs beside its players: models in an office, and somebody who looks facts up.

A strategy says so by its options; the file may name any model. What they are is part of what an episode is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from moot.errors import UsageError
from moot.experiment.providers import BuiltModel, model_named
from moot.experiment.recordings import holds_drafts_alone
from moot.experiment.spec import ExperimentFile
from moot.strategies import Strategy, traits_of
from moot.strategies.traits import GROUPING as GROUP_TEMPLATE
from moot.strategies.traits import PLAYER
from moot.team import Player, Team, retrieved_from
from moot.types import Request


def staffed(
    file: ExperimentFile, models: Mapping[str, BuiltModel], position: int, played: Strategy, team: Team
) -> Team:
    """The team with all that this strategy needs, as its traits say."""
    traits = traits_of(played)
    seated = {player.name: player for player in team.players}
    officers = {
        office: replace(seated[name], name=office)
        if name in seated and name not in models
        else _officer(file, models, position, office, name)
        for office, name in traits.offices.items()
    }
    facts = traits.facts
    if facts is None:
        return replace(team, officers=officers)
    from moot.team.retrieval import retriever

    try:
        return replace(team, officers=officers, retriever=retriever(facts, file.beside(facts)))
    except UsageError as error:
        raise file.error(("strategies", position), str(error)) from None


def _officer(file: ExperimentFile, models: Mapping[str, BuiltModel], position: int, office: str, name: str) -> Player:
    model = model_named(file, models, ("strategies", position), name)
    if holds_drafts_alone(file, name):
        problem = f"{name!r} is a recording, which cannot be a {office}: it holds drafts and nothing else"
        raise file.error(("strategies", position), problem)
    return Player(office, model)


def check_office_names(file: ExperimentFile, position: int, played: Strategy, lineup: Team) -> None:
    """Whoever is asked stands on the record under one name, the player's or the office's: no two may bear the same."""
    traits = traits_of(played)
    held = dict.fromkeys(lineup.officers, f"an office of strategy {played.name!r}")
    if PLAYER in held:
        problem = (
            f"strategy {played.name!r} has an office called {PLAYER!r}, which is what members of a team are called"
        )
        raise file.error(("strategies", position), f"{problem}; expected another name for the office")
    if GROUP_TEMPLATE in traits.prompts and (grouping := getattr(lineup.grouper, "model", None)) is not None:
        if grouping.name in held:
            problem = f"strategy {played.name!r} has an office called {grouping.name!r}, as is who groups the answers"
            raise file.error(("strategies", position), f"{problem}; expected another name for the office")
        held[grouping.name] = "who groups the answers"
    for player in lineup.players:
        if player.name in held:
            problem = f"{player.name!r} is the name of a player of team {lineup.name!r} and of {held[player.name]}"
            expected = "expected another name for the player, since nobody could tell their calls apart"
            raise file.error(("strategies", position), f"{problem}; {expected}")


def staff_shape(lineup: Team) -> dict[str, Any]:
    """What a cell's identity keeps of the staff; nothing, where there is none."""
    shape: dict[str, Any] = {}
    if lineup.officers:
        shape["officers"] = {office: officer.model.shape(Request(())) for office, officer in lineup.officers.items()}
    if lineup.retriever is not None:
        shape["facts"] = retrieved_from(lineup)
    return shape
