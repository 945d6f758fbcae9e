"""From a checked file to the things it names: models, players, teams, strategies, questions, and the cells of the plan.

Everything that can be wrong is found here, before the first call.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from moot.attendance import Attendance
from moot.data import Dataset
from moot.errors import FileError, UsageError
from moot.grade.group import GROUPING, Stages
from moot.models.closest import closest
from moot.models.model import Model
from moot.prompts import SETS, Prompts
from moot.run.claims import ClaimError, cells_meant, check_hypothesis, parse_side
from moot.run.experiment import (
    ExperimentFile,
    ExperimentSpec,
    GroupingSpec,
    RecordedSpec,
)
from moot.run.grading import Grading
from moot.run.places import Key
from moot.run.providers import BuiltModel, make_models
from moot.run.questions import questions_of
from moot.run.selected import with_selection
from moot.run.staff import check_speakers, staff_shape, staffed
from moot.run.tables import check_recordings, cohorts_of, configured_names, reader_of, table_shape
from moot.store import public, store_at
from moot.store.store import Store
from moot.strategies import Strategy, label, strategy
from moot.team import Player, Team, numbered
from moot.types import Request, canonical_json, digest


@dataclass(frozen=True, slots=True)
class Cell:
    """One strategy with one line-up: what is played on every question. Its id holds all that shapes an episode."""

    id: str
    strategy: Strategy
    label: str
    team: Team
    player: str | None
    spec: str

    @property
    def captain(self) -> str | None:
        return None if self.player else self.team.captain

    def plays(self, repeats: int) -> range:
        """How often a question is played; a strategy with repeats of its own is played more often than the file says."""
        return range(repeats * getattr(self.strategy, "repeats", 1))

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is worth knowing before it is played, although nothing is wrong."""
        return tuple(f"{self.title}: {each}" for each in getattr(self.strategy, "warnings", ()))

    @property
    def title(self) -> str:
        if who := self.player or self.captain:
            return f"{self.label}@{who}"
        return f"{self.label}, {self.team.cohort}" if self.team.cohort else self.label

    def row(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "strategy": self.strategy.name,
            "label": self.label,
            "team": None if self.player else self.team.name,
            "captain": self.captain,
            "player": self.player,
            "spec": self.spec,
            "cohort": self.team.cohort,
        }


@dataclass(frozen=True, slots=True)
class Experiment:
    """Everything a run needs, checked."""

    file: ExperimentFile
    store_url: str
    dataset: Dataset | None
    models: Mapping[str, BuiltModel]
    players: Mapping[str, Player]
    teams: Mapping[str, Team]
    cells: tuple[Cell, ...]
    grading: Grading

    @property
    def spec(self) -> ExperimentSpec:
        return self.file.spec

    @property
    def name(self) -> str:
        return self.spec.kept_as

    @property
    def id(self) -> str:
        """Different whenever a cell, a prompt or a question is; where it is kept and what it may cost is no part of it."""
        questions = None
        if self.dataset is not None:
            questions = [self.dataset.fingerprint, sorted(self.dataset.chosen or ())]
        return digest([self.name, self.spec.repeats, [cell.id for cell in self.cells], questions])

    @property
    def public_config(self) -> dict[str, Any]:
        """The file as it may be written down: header values and passwords are not."""
        config = self.spec.model_dump(mode="json", exclude_defaults=True)
        if config.get("store"):
            config["store"] = public(config["store"])
        for model in config["models"].values():
            if "headers" in model:
                model["headers"] = dict.fromkeys(model["headers"], "…")
            if "proxy" in model:
                parts = urlsplit(model["proxy"])
                model["proxy"] = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        return config

    @property
    def episodes(self) -> int:
        return len(self.dataset or ()) * sum(len(cell.plays(self.spec.repeats)) for cell in self.cells)

    def store(self) -> Store:
        """Where the run is kept. A path in the file is relative to the file."""
        return store_at(self.store_url, beside=self.file.path.parent)

    def with_models(self, wrapped: Mapping[str, Model], attendance: Attendance | None = None) -> Experiment:
        """The same plan, played by these models; `attendance` remembers who was late for a round."""

        def lent(player: Player) -> Player:
            return replace(player, model=wrapped[player.model.name])

        def seat(team: Team) -> Team:
            grouper = team.grouper
            if isinstance(grouper, Stages) and grouper.model is not None:
                grouper = replace(grouper, model=lent(grouper.model))
            officers = {office: lent(each) for office, each in team.officers.items()}
            reader: Any = team.reader
            if hasattr(reader, "models"):
                reader = replace(reader, models=tuple(map(lent, reader.models)))
            return replace(
                team,
                players=tuple(map(lent, team.players)),
                grouper=grouper,
                officers=officers,
                reader=reader,
                attendance=attendance or team.attendance,
            )

        return replace(
            self,
            players={name: lent(each) for name, each in self.players.items()},
            teams={name: seat(team) for name, team in self.teams.items()},
            cells=tuple(replace(cell, team=seat(cell.team)) for cell in self.cells),
            grading=replace(self.grading, judges=tuple(map(lent, self.grading.judges))),
        )


def build(file: ExperimentFile, *, limit: int | None = None, store_url: str | None = None) -> Experiment:
    """Build all that the file names, or say what is wrong with it. `store_url` goes over the file's own."""
    spec = file.spec
    dataset = questions_of(file, limit) if spec.questions is not None else None
    prompts = _prompts(file)
    models = make_models(file, dataset)
    players = _players(file, models, prompts)
    teams = {
        name: replace(team, names=configured_names(file), reader=reader_of(file, models))
        for name, team in _teams(file, players, prompts, _grouper(file, models)).items()
    }
    cells = _cells(file, teams, prompts, models)
    _check_claims(file, cells)
    return Experiment(
        file=file,
        store_url=store_url or file.store_url,
        dataset=dataset,
        models=models,
        players=players,
        teams=teams,
        cells=cells,
        grading=_grading(file, models, prompts),
    )


def _prompts(file: ExperimentFile) -> Prompts:
    named = file.spec.prompts
    folder = named if named is None or named in SETS else file.beside(named)
    prompts = Prompts(file.spec.language, folder)
    prompts.check()
    return prompts


def _players(file: ExperimentFile, models: Mapping[str, BuiltModel], prompts: Prompts) -> dict[str, Player]:
    players: dict[str, Player] = {}
    for name, spec in file.spec.players.items():
        if spec.model not in models:
            expected = f"expected one of {', '.join(models)}{closest(spec.model, models)}"
            raise file.error(("players", name, "model"), f"unknown model {spec.model!r}; {expected}")
        try:
            instruction = prompts.instruction(spec.instruction)
        except UsageError as error:
            raise file.error(("players", name, "instruction"), str(error)) from None
        players[name] = Player(name, models[spec.model].model, instruction, spec.persona)
    counted = numbered(players)
    for name, player in counted.items():
        if player.copy and isinstance(file.spec.models[player.model.name], RecordedSpec):
            problem = f"a second player of the recorded model {player.model.name!r}: it has only one voice"
            raise file.error(("players", name), problem)
    return counted


def _officer(file: ExperimentFile, models: Mapping[str, BuiltModel], key: Key, name: str, office: str) -> Player:
    """A model that does not play: it groups or judges, and stands in the transcript under its office."""
    if name not in models:
        expected = f"expected one of {', '.join(models)}{closest(name, models)}"
        raise file.error(key, f"unknown model {name!r}; {expected}")
    return Player(office, models[name].model)


def _grouper(file: ExperimentFile, models: Mapping[str, BuiltModel]) -> Stages:
    spec = file.spec.grouping
    if spec is None or spec.match is not None:
        return Stages()
    if spec.embedding:
        from moot.grade.embedding import Embedding

        try:
            return Stages(similarity=Embedding())
        except UsageError as error:
            raise file.error(("grouping", "embedding"), str(error)) from None
    return Stages(model=_officer(file, models, ("grouping", "model"), spec.model or "", GROUPING))


def _grading(file: ExperimentFile, models: Mapping[str, BuiltModel], prompts: Prompts) -> Grading:
    names = file.spec.judge.models if file.spec.judge is not None else []
    if len(set(names)) < len(names):
        raise file.error(("judge", "models"), "expected two different models")
    judges = [_officer(file, models, ("judge", "models", position), name, name) for position, name in enumerate(names)]
    return Grading(Team("judges", (), prompts, file.spec.seed), tuple(judges))


def _teams(file: ExperimentFile, players: Mapping[str, Player], prompts: Prompts, grouper: Stages) -> dict[str, Team]:
    teams: dict[str, Team] = {}
    seed = file.spec.seed
    for name, spec in file.spec.teams.items():
        for position, member in enumerate(spec.players):
            key = ("teams", name, "players", position)
            if member not in players:
                expected = f"expected one of {', '.join(players)}{closest(member, players)}"
                raise file.error(key, f"unknown player {member!r}; {expected}")
            if member in spec.players[:position]:
                raise file.error(key, f"{member!r} sits at this table already")
        if spec.captain not in (None, "each", *spec.players):
            expected = f"expected each or one of {', '.join(spec.players)}"
            raise file.error(("teams", name, "captain"), f"{spec.captain!r} is not in this team; {expected}")
        members = tuple(players[each] for each in spec.players)
        cohorts = cohorts_of(file, name, spec)
        teams[name] = Team(name, members, prompts, seed, spec.captain, grouper, cohorts=cohorts)
    if not teams:
        teams["all"] = Team("all", tuple(players.values()), prompts, seed, grouper=grouper)
    return teams


def _cells(
    file: ExperimentFile, teams: Mapping[str, Team], prompts: Prompts, models: Mapping[str, BuiltModel]
) -> tuple[Cell, ...]:
    """Strategies × teams × line-ups, each once: a player of two teams is alone only once."""
    cells: dict[str, Cell] = {}
    for position, entry in enumerate(file.spec.strategies):
        played = _strategy(file, position, entry)
        for team in (table for each in teams.values() for table in each.tables()):
            try:
                lineups = played.lineups(staffed(file, models, position, played, team))
            except FileError:
                raise
            except UsageError as error:
                raise file.error(("strategies", position), str(error)) from None
            for lineup in lineups:
                _check_captain(file, position, played, lineup)
                check_speakers(file, position, played, lineup)
                check_recordings(file, position, played, lineup)
                cell = _cell(played, lineup, prompts, file.spec.grouping, table_shape(file, played, lineup))
                cells.setdefault(cell.id, cell)
    return tuple(cells.values())


def _check_claims(file: ExperimentFile, cells: tuple[Cell, ...]) -> None:
    """What the file declares beforehand must be about what it plays."""
    rows = [cell.row() for cell in cells]
    cohorts = dict.fromkeys(name for team in file.spec.teams.values() for name in team.cohorts)
    for position, text in enumerate(file.spec.hypotheses):
        try:
            check_hypothesis(text, rows, cohorts)
        except ClaimError as error:
            raise file.error(("hypotheses", position), str(error)) from None
    if file.spec.primary is not None:
        try:
            cells_meant(parse_side(file.spec.primary), rows)
        except ClaimError as error:
            raise file.error(("primary",), str(error)) from None


def _check_captain(file: ExperimentFile, position: int, played: Strategy, lineup: Team) -> None:
    """A recording holds drafts; asked as captain it would only repeat its own."""
    if "captain" not in played.templates or lineup.captain is None:
        return
    name = lineup[lineup.captain].model.name
    if isinstance(file.spec.models[name], RecordedSpec):
        problem = f"{lineup.captain!r} is a recording, which cannot be captain: it holds drafts and nothing else"
        raise file.error(("strategies", position), problem)


def _strategy(file: ExperimentFile, position: int, entry: str | Mapping[str, Mapping[str, Any]]) -> Strategy:
    key = ("strategies", position)
    if isinstance(entry, Mapping) and len(entry) != 1:
        raise file.error(key, "expected one strategy an entry, such as - adaptive: {talk_from: 3}")
    name, options = (entry, {}) if isinstance(entry, str) else next(iter(entry.items()))
    try:
        return strategy(name, with_selection(file, options))
    except FileError:
        raise
    except (UsageError, TypeError, ValueError) as error:
        raise file.error(key, str(error)) from None


def _cell(
    played: Strategy, lineup: Team, prompts: Prompts, grouping: GroupingSpec | None, seating: Mapping[str, Any]
) -> Cell:
    nothing = Request(())
    grouper = lineup.grouper
    grouped = None
    if "group" in played.templates and isinstance(grouper, Stages):
        asked = grouper.model.model.shape(nothing) if grouper.model is not None else None
        grouped = [asked, grouping.reference if grouping else None, repr(grouper.similarity)]
    spec = {
        "strategy": label(played),
        "captain": lineup.captain,
        "grouping": grouped,
        "seed": lineup.seed,
        "language": prompts.language,
        "prompts": prompts.hashes(("player", "again", *played.templates)),
        "players": [
            {
                "name": player.name,
                "model": player.model.shape(nothing),
                "instruction": player.instruction,
                "persona": player.persona,
                "copy": player.copy,
            }
            for player in lineup.players
        ],
    }
    spec |= {**staff_shape(lineup), **seating}
    if (own := getattr(played, "repeats", 1)) > 1:
        spec["repeats"] = own
    alone = played.name == "solo"
    named = {**spec, "team": None if alone else lineup.name}
    player = lineup.players[0].name if alone else None
    return Cell(digest(named), played, label(played), lineup, player, canonical_json(named).decode())
