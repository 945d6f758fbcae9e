"""Who sits where, and what a blind prompt must not give away: cohorts, names, recordings, and who reads free replies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moot.models.closest import closest
from moot.reading import Announced
from moot.run.experiment import ExperimentFile, TeamSpec
from moot.run.model_specs import RecordedSpec
from moot.run.providers import BuiltModel, model_named
from moot.strategies import Strategy
from moot.team import Player, Reader, Team
from moot.types import Request

ARGUED = frozenset(("review", "debate", "resolution"))
"""Prompts that quote players to each other without their names."""


def cohorts_of(file: ExperimentFile, name: str, team: TeamSpec) -> dict[str, tuple[str, ...]]:
    """The cohorts of a team. Whoever were in none would hear everybody or nobody; so everybody is in one."""
    found: dict[str, str] = {}
    for cohort, members in team.cohorts.items():
        if not members:
            raise file.error(("teams", name, "cohorts", cohort), "expected at least one player")
        for position, member in enumerate(members):
            key = ("teams", name, "cohorts", cohort, position)
            if member not in team.players:
                expected = f"expected one of {', '.join(team.players)}{closest(member, team.players)}"
                raise file.error(key, f"{member!r} is not in this team; {expected}")
            if member in found:
                raise file.error(key, f"{member!r} is in cohort {found[member]!r} already; expected each player in one")
            found[member] = cohort
    if left := [member for member in team.players if found and member not in found]:
        problem = f"{', '.join(left)}: in no cohort; expected every player of the team in one"
        raise file.error(("teams", name, "cohorts"), problem)
    return {cohort: tuple(members) for cohort, members in team.cohorts.items()}


def configured_names(file: ExperimentFile) -> tuple[str, ...]:
    """Every name by which a player or a model of the file may be known: also those of other teams and cohorts."""
    models = file.spec.models
    called = (getattr(spec, "model", None) for spec in models.values())
    return tuple(dict.fromkeys((*file.spec.players, *models, *(name for name in called if name))))


def reader_of(file: ExperimentFile, models: Mapping[str, BuiltModel]) -> Reader:
    """Who reads an answer out of free words: what the reply announces itself, then two models that must agree."""
    if file.spec.extract is None:
        return Announced()
    from moot.grade.extract import Extraction

    names = file.spec.extract.models
    readers = []
    for position, name in enumerate(names):
        key = ("extract", "models", position)
        model = model_named(file, models, key, name)
        if name in names[:position]:
            raise file.error(key, "expected two different models")
        if isinstance(file.spec.models[name], RecordedSpec):
            raise file.error(key, f"{name!r} is a recording, which cannot read: it holds drafts and nothing else")
        readers.append(Player(name, model))
    return Extraction(tuple(readers))


def check_recordings(file: ExperimentFile, position: int, played: Strategy, lineup: Team) -> None:
    """A recording has one reply to a question, its draft. Asked anything else it would only repeat it."""
    captain = tuple(player for player in lineup.players if player.name == lineup.captain)
    drafts_only = "it holds drafts and nothing else"
    asked_more = {
        "captain": (captain, f"be captain: {drafts_only}"),
        "discuss": (lineup.players, f"discuss: {drafts_only}"),
        "rationale": (lineup.players, "explain its answer; expected drafts: single-call"),
        "debate": (lineup.players, f"debate: {drafts_only}"),
        "summarise": (captain, f"summarise: {drafts_only}"),
        "review": (captain, f"review: {drafts_only}"),
    }
    for template, (asked, cannot) in asked_more.items():
        for player in asked if template in played.templates else ():
            if isinstance(file.spec.models[player.model.name], RecordedSpec):
                problem = f"{player.name!r} is a recording, which cannot {cannot}"
                raise file.error(("strategies", position), problem)


def table_shape(file: ExperimentFile, played: Strategy, lineup: Team) -> dict[str, Any]:
    """What a cell's identity keeps of all this. What does not apply is left out, so that older cells stay what they are."""
    shape: dict[str, Any] = {}
    if file.spec.kind != "production":
        shape["kind"] = file.spec.kind
    if lineup.cohort is not None:
        shape["cohort"] = lineup.cohort
    if ARGUED & set(played.templates):
        shape["masked"] = sorted(lineup.names)
    readers = lineup.extractors
    if "verdict" in played.templates:
        shape |= {"drafts": "double-call", "extract": []}
    if readers:  # whatever the strategy, a reply that does not fit its form is read by them
        shape["extract"] = [each.model.shape(Request(())) for each in readers]
        shape["extract_prompt"] = lineup.prompts.hashes(("extract",))
    return shape
