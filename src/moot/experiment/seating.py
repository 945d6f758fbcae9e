"""Who sits where, and what a blind prompt must not give away: cohorts, names, recordings, and who reads free replies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from moot.experiment.providers import BuiltModel, model_named
from moot.experiment.recordings import holds_drafts_alone
from moot.experiment.spec import ExperimentFile, TeamSpec
from moot.models.closest import closest
from moot.strategies import Strategy, traits_of
from moot.strategies.natives import DOUBLE_CALL, SINGLE_CALL
from moot.team import AnswerReader, Player, Team
from moot.team.player import aliases_of, vendors_named
from moot.team.reading import Announced
from moot.types import Request


def cohorts_of(file: ExperimentFile, name: str, team: TeamSpec) -> dict[str, tuple[str, ...]]:
    """The cohorts of a team. Whoever were in none would hear everybody or nobody; so everybody is in one."""
    cohort_of: dict[str, str] = {}
    for cohort, members in team.cohorts.items():
        if not members:
            raise file.error(("teams", name, "cohorts", cohort), "expected at least one player")
        for position, member in enumerate(members):
            key = ("teams", name, "cohorts", cohort, position)
            if member not in team.players:
                expected = f"expected one of {', '.join(team.players)}{closest(member, team.players)}"
                raise file.error(key, f"{member!r} is not in this team; {expected}")
            if member in cohort_of:
                raise file.error(
                    key, f"{member!r} is in cohort {cohort_of[member]!r} already; expected each player in one"
                )
            cohort_of[member] = cohort
    if left := [member for member in team.players if cohort_of and member not in cohort_of]:
        problem = f"{', '.join(left)}: in no cohort; expected every player of the team in one"
        raise file.error(("teams", name, "cohorts"), problem)
    return {cohort: tuple(members) for cohort, members in team.cohorts.items()}


def configured_names(file: ExperimentFile, players: Iterable[Player]) -> tuple[str, ...]:
    """Every name by which a player, a model or its vendor may be known: also those of other teams and cohorts."""
    models = file.spec.models
    called = (getattr(spec, "model", None) for spec in models.values())
    declared = (vendor.name for vendor in file.spec.vendors.values())
    known = (name for player in players for name in aliases_of(player))
    return tuple(dict.fromkeys(name for name in (*file.spec.players, *models, *called, *declared, *known) if name))


def names_hidden_from_judges(file: ExperimentFile) -> tuple[str, ...]:
    """Every name by which whoever wrote an answer may be known, from what the whole file says: who only judges what is stored
    builds no player, and is to be as blind."""
    spec = file.whole
    known = [*spec.players, *spec.models, *(vendor.name for vendor in spec.vendors.values())]
    for model in spec.models.values():
        called, base_url = getattr(model, "model", None), getattr(model, "base_url", None)
        known += [called, *vendors_named(called, str(base_url or ""))]
    return tuple(dict.fromkeys(filter(None, known)))


def reader_of(file: ExperimentFile, models: Mapping[str, BuiltModel]) -> AnswerReader:
    """Who reads an answer out of free words: what the reply announces itself, then two models that must agree."""
    if file.spec.extract is None:
        return Announced()
    from moot.grade.extract import StagedReader

    names = file.spec.extract.models
    readers = []
    for position, name in enumerate(names):
        key = ("extract", "models", position)
        model = model_named(file, models, key, name)
        if name in names[:position]:
            raise file.error(key, "expected two different models")
        if holds_drafts_alone(file, name):
            raise file.error(key, f"{name!r} is a recording, which cannot read: it holds drafts and nothing else")
        readers.append(Player(name, model))
    return StagedReader(tuple(readers))


def check_recordings(file: ExperimentFile, position: int, played: Strategy, lineup: Team) -> None:
    """A recording has one reply to a question, its draft. Asked anything else it would only repeat it."""
    traits = traits_of(played)
    captain = tuple(player for player in lineup.players if player.name == lineup.captain)
    asked = {"nobody": (), "captain": captain, "everybody": lineup.players}[traits.asks]
    for player in lineup.players:
        if not holds_drafts_alone(file, player.model.name):
            continue
        recorded = f"{player.name!r} is a recording, which cannot"
        if traits.drafts == DOUBLE_CALL:
            raise file.error(("strategies", position), f"{recorded} explain its answer; expected drafts: {SINGLE_CALL}")
        if player in asked:
            office = "be captain in" if player in captain else "take part in"
            problem = f"{recorded} {office} {played.name}: it holds drafts and nothing else"
            raise file.error(("strategies", position), problem)


def table_shape(file: ExperimentFile, played: Strategy, lineup: Team) -> dict[str, Any]:
    """What a cell's identity keeps of all this. What does not apply is left out, so that older cells stay what they are."""
    shape: dict[str, Any] = {}
    if file.spec.kind != "production":
        shape["kind"] = file.spec.kind
    if lineup.cohort is not None:
        shape["cohort"] = lineup.cohort
    traits = traits_of(played)
    if traits.names is not None:
        shape["masked"] = sorted(lineup.names)
    readers = lineup.extractors
    if traits.drafts == DOUBLE_CALL:
        shape |= {"drafts": DOUBLE_CALL, "extract": []}
    if readers:  # whatever the strategy, a reply that does not fit its form is read by them
        shape["extract"] = [reader.model.shape(Request(())) for reader in readers]
        shape["extract_prompt"] = lineup.prompts.hashes(("extract",))
    return shape
