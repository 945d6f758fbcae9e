"""From a checked file to its plan: the models, players, teams, strategies and questions that it names, made.

Everything that can be wrong is found here, before the first call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from moot.data import Dataset
from moot.decide.abstain_option import Abstain
from moot.decide.how_sure import learns_from_verdicts, whose_verdicts
from moot.errors import FileError, UsageError
from moot.experiment.abstention import abstention_of, check_abstention, rule_at, rule_taught_on
from moot.experiment.claims import check_hypothesis
from moot.experiment.fitted import check_rule, check_rule_players, rule_learnt_on, with_rule
from moot.experiment.learning import taught_by, with_lessons
from moot.experiment.long_answers import check_kinds
from moot.experiment.offices import check_office_names, staffed
from moot.experiment.pairwise import comparing_of, with_players_alone
from moot.experiment.plan import Cell, Plan, alone_as, cell_of
from moot.experiment.providers import BuiltModel, make_models, model_named
from moot.experiment.questions import questions_of
from moot.experiment.recordings import holds_drafts_alone
from moot.experiment.rubrics import check_nothing_has_points, judged_questions
from moot.experiment.seating import (
    check_recordings,
    cohorts_of,
    configured_names,
    names_hidden_from_judges,
    reader_of,
    table_shape,
)
from moot.experiment.selected import NOT_CHOSEN, chosen_on, team_chosen_on, with_selection
from moot.experiment.side_names import ClaimError, cells_named
from moot.experiment.spec import ExperimentFile
from moot.experiment.spec_parts import options_alone
from moot.experiment.vendors import check_vendors
from moot.experiment.worked_examples import by_wording, worked_examples
from moot.grade.graders import grader
from moot.grade.grading import Grading
from moot.grade.group import GROUPING, Stages
from moot.grade.judge import ONE_BY_ONE
from moot.models.closest import closest
from moot.prompts import SETS, Own, Prompts
from moot.strategies import Strategy, prompt_folders, prompts_brought, prompts_for, strategy, traits_of, with_inside
from moot.strategies.lineups import check_some, lineups_of
from moot.strategies.option_values import OptionError
from moot.strategies.promises import broken_declarations
from moot.team import Player, Team
from moot.team.player import numbered
from moot.types import TEXT


def build(
    file: ExperimentFile,
    *,
    limit: int | None = None,
    store_url: str | None = None,
    asked: bool = True,
    known: Dataset | None = None,
) -> Plan:
    """Build all that the file names, or say what is wrong with it. `store_url` goes over the file's own.

    `known`: its questions, where they need not be read. `asked`: False where nobody will be asked anything. What only a call
    needs, such as a key, is not looked for then. That a key is not there hides no mistake of the file: both are told.
    """
    unset: list[FileError] = []
    try:
        plan = _built(file, unset, known, limit, store_url, asked)
    except FileError as error:
        raise (_together(error, unset) if unset else error) from None
    if unset:
        raise _together(unset[0], unset[1:])
    return plan


def _together(first: FileError, others: Sequence[FileError]) -> FileError:
    """One complaint at the place of the first; the others with their keys, and what is the same of several said once."""
    keys: dict[str, list[str]] = {}
    for error in (first, *others):
        keys.setdefault(error.problem, []).append(error.key or "")
    parts = []
    for problem, (key, *more) in keys.items():
        also = f" (so it is for {', '.join(more)})" if more else ""
        parts.append(f"{problem}{also}" if problem == first.problem else f"{key}: {problem}{also}")
    return FileError("; ".join(parts), file=first.file, line=first.line, key=first.key)


def _built(
    file: ExperimentFile,
    unset: list[FileError],
    known: Dataset | None,
    limit: int | None,
    store_url: str | None,
    asked: bool,
) -> Plan:
    file = with_players_alone(file)
    spec = file.spec
    check_vendors(file)
    # What a model is follows from the whole file: a trial of some questions and the run that goes on from it are one plan.
    whole = judged_questions(file, known or (questions_of(file) if spec.questions is not None else None))
    dataset = whole.first(limit) if whole is not None and limit is not None else whole
    prompts = _prompts(file)
    models = make_models(file, whole, unset, asked=asked)
    players = _players(file, models, prompts, dataset)
    names = configured_names(file, players.values())
    teams = {
        name: replace(team, names=names, reader=reader_of(file, models))
        for name, team in _teams(file, players, prompts, _grouper(file, models)).items()
    }
    cells = _cells(file, teams, prompts, models, dataset)
    _check_claims(file, cells)
    grading = _grading(file, models, prompts)
    return Plan(
        file=file,
        store_url=store_url or file.store_url,
        dataset=dataset,
        models=models,
        players=players,
        teams=teams,
        cells=with_lessons(cells, dataset, grading),  # who learns is another with other questions to learn from
        grading=grading,
        lessons_from=_lessons_from(file, teams, prompts, models, dataset),
        comparing=comparing_of(file, models, replace(grading.team, names=names), cells, dataset),
    )


def _prompts(file: ExperimentFile) -> Prompts:
    named = file.spec.prompts
    folder = named if named is None or named in SETS else file.beside(named)
    prompts = Prompts(file.spec.language, folder)
    prompts.check([*prompt_folders(), *_brought_by_objects(file)])
    return prompts


def _brought_by_objects(file: ExperimentFile) -> Iterator[Own]:
    for position, entry in enumerate(file.spec.strategies):
        if (played := file.spec.objects.strategy(entry)) is not None:
            with _named(file, position, played):
                brought = [*map(prompts_brought, with_inside(played))]
            yield from brought


@contextmanager
def _named(file: ExperimentFile, position: int, played: Strategy) -> Iterator[None]:
    """What is wrong with a strategy is said with its name, and with its place in the file."""
    try:
        yield
    except UsageError as error:
        raise file.error(("strategies", position), f"strategy {played.name!r}: {error}") from None


def _players(
    file: ExperimentFile, models: Mapping[str, BuiltModel], prompts: Prompts, dataset: Dataset | None
) -> dict[str, Player]:
    players: dict[str, Player] = {}
    asked = by_wording(dataset or ()) if any(spec.examples for spec in file.spec.players.values()) else {}
    for name, spec in file.spec.players.items():
        model = model_named(file, models, ("players", name, "model"), spec.model)
        try:
            instruction = prompts.instruction(spec.instruction)
        except UsageError as error:
            raise file.error(("players", name, "instruction"), str(error)) from None
        examples = worked_examples(file, name, prompts, asked)
        players[name] = Player(name, model, instruction, spec.persona, examples=examples)
    counted = numbered(players)
    for name, player in counted.items():
        if player.copy and holds_drafts_alone(file, player.model.name):
            problem = f"a second player of the recorded model {player.model.name!r}: it has only one voice"
            raise file.error(("players", name), problem)
    return counted


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
    return Stages(model=Player(GROUPING, model_named(file, models, ("grouping", "model"), spec.model or "")))


def _grading(file: ExperimentFile, models: Mapping[str, BuiltModel], prompts: Prompts) -> Grading:
    names = file.spec.judge.models if file.spec.judge is not None else []
    if len(set(names)) < len(names):
        raise file.error(("judge", "models"), "expected different models")
    judges = [
        Player(name, model_named(file, models, ("judge", "models", position), name))
        for position, name in enumerate(names)
    ]
    try:
        asked_first = grader(file.spec.grader)
    except (UsageError, ImportError) as error:
        raise file.error(("grader",), str(error)) from None
    batch = file.spec.judge.batch if file.spec.judge is not None else ONE_BY_ONE
    table = Team("judges", (), prompts, file.spec.seed, names=names_hidden_from_judges(file))
    return Grading(table, tuple(judges), asked_first, batch)


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
        members = tuple(players[member] for member in spec.players)
        cohorts = cohorts_of(file, name, spec)
        teams[name] = Team(name, members, prompts, seed, spec.captain, grouper, cohorts=cohorts)
    if not teams:
        teams["all"] = Team("all", tuple(players.values()), prompts, seed, grouper=grouper)
    return teams


def _cells(
    file: ExperimentFile,
    teams: Mapping[str, Team],
    prompts: Prompts,
    models: Mapping[str, BuiltModel],
    dataset: Dataset | None,
) -> tuple[Cell, ...]:
    """Strategies × teams × line-ups, each once: a player of two teams is alone only once.

    What is the same was chosen on all that any of its entries was chosen on.
    """
    cells: dict[str | bytes, Cell] = {}
    tables_chosen_on = {name: team_chosen_on(file, name, dataset or ()) for name in file.spec.teams}
    for position, entry in enumerate(file.spec.strategies):
        played, learnt_on = _strategy(file, position, entry), chosen_on(file, entry, dataset or ())
        learnt_on |= rule_learnt_on(file, position, played, dataset or ())
        abstain = abstention_of(file, position)
        for cell in _cells_of(file, position, played, teams, prompts, models, dataset, abstain):
            same = alone_as(cell.spec) if cell.player else cell.id
            before = cells.setdefault(same, cell)
            # Who answers alone was not chosen as a team, and is asked alone whatever the choice was.
            of_team = NOT_CHOSEN if cell.player else tables_chosen_on.get(cell.team.name, NOT_CHOSEN)
            by_rule = NOT_CHOSEN if cell.rule is None else rule_taught_on(file, cell, dataset or ())
            cells[same] = replace(before, chosen_on=before.chosen_on | learnt_on | of_team | by_rule)
    return tuple(cells.values())


def _cells_of(
    file: ExperimentFile,
    position: int,
    played: Strategy,
    teams: Mapping[str, Team],
    prompts: Prompts,
    models: Mapping[str, BuiltModel],
    dataset: Dataset | None,
    abstain: Abstain | None = None,
) -> Iterator[Cell]:
    long_answers = dataset is not None and TEXT in dataset.kinds
    check_kinds(file, position, played, teams, dataset)
    check_abstention(file, position, played, abstain)
    if abstain is not None and long_answers:
        check_nothing_has_points(file, position, played.name, dataset or ())
    with _named(file, position, played):
        prompts_for(played, prompts).check_own()
        for broken in broken_declarations(played, traits_of(played)):
            raise UsageError(broken)
    check_rule_players(file, position, played, teams.values())
    for lineup in _lineups(file, position, played, teams, models):
        check_rule(file, position, played, lineup, prompts)
        check_office_names(file, position, played, lineup)
        check_recordings(file, position, played, lineup)
        shape = table_shape(file, played, lineup)
        made = partial(cell_of, played, lineup, prompts, file.spec.grouping, shape, long_answers=long_answers)
        plain = made()
        stage = _taught_from(file, plain, prompts, long_answers=long_answers)
        rule, unused = rule_at(file, position, plain, stage, abstain, prompts)
        if (
            plain.player is not None and abstain is None
        ):  # what is told of it beside its answer does not make it another
            yield replace(plain, rule=rule)
            continue
        cell = made(abstain=abstain, rule=rule)
        of_run = abstain is not None and rule is None and learns_from_verdicts(played)
        yield replace(cell, rule_unused=unused, plain=stage.id if of_run else None)


def _taught_from(file: ExperimentFile, plain: Cell, prompts: Prompts, *, long_answers: bool) -> Cell:
    """The cell whose graded verdicts tell how sure this one is: its last stage's at the same table, else its own."""
    played, lineup = whose_verdicts(plain.strategy), plain.team
    if played is plain.strategy:
        return plain
    return cell_of(
        played, lineup, prompts, file.spec.grouping, table_shape(file, played, lineup), long_answers=long_answers
    )


def _lineups(
    file: ExperimentFile, position: int, played: Strategy, teams: Mapping[str, Team], models: Mapping[str, BuiltModel]
) -> list[Team]:
    """At every table of every team; a cohort may be without the captain, and then nobody plays there."""
    lineups: list[Team] = []
    try:
        for team in (table for declared in teams.values() for table in declared.tables()):
            lineups += lineups_of(played, staffed(file, models, position, played, team))
        check_some(played, len(lineups), teams)
    except FileError:
        raise
    except UsageError as error:
        raise file.error(("strategies", position), str(error)) from None
    return lineups


def _lessons_from(
    file: ExperimentFile,
    teams: Mapping[str, Team],
    prompts: Prompts,
    models: Mapping[str, BuiltModel],
    dataset: Dataset | None,
) -> tuple[Cell, ...]:
    """The players of every strategy that learns, alone, each once for each way in which drafts are asked for; and where it is
    learnt from the verdicts of a strategy how sure it is, that strategy."""
    cells: dict[tuple[str | None, str | None], Cell] = {}
    plain: dict[str, Cell] = {}
    for position, entry in enumerate(file.spec.strategies):
        played, abstain = _strategy(file, position, entry), abstention_of(file, position)
        if abstain is None and not traits_of(played).learns:
            continue
        every = _cells_of(file, position, played, teams, prompts, models, dataset, abstain)
        learners = [cell for cell in every if cell.traits.learns]
        if not learners:
            continue
        native = taught_by(
            file, position, played, dataset, learners[0].traits, by_verdicts=learners[0].plain is not None
        )
        names = {player.name for cell in learners for player in cell.team.players}
        for cell in _cells_of(file, position, native, teams, prompts, models, dataset) if native is not None else ():
            if cell.player in names:
                cells.setdefault((cell.player, cell.traits.drafts), cell)
        if wanted := {cell.plain for cell in learners} - {None}:
            again = _cells_of(file, position, whose_verdicts(played), teams, prompts, models, dataset)
            plain |= {cell.id: cell for cell in again if cell.id in wanted}
    return tuple({cell.id: cell for cell in (*cells.values(), *plain.values())}.values())


def _check_claims(file: ExperimentFile, cells: tuple[Cell, ...]) -> None:
    """What the file declares beforehand must be about what it plays."""
    rows = [cell.row() for cell in cells]
    cohorts: dict[str, list[str]] = {}
    for team, spec in file.spec.teams.items():
        for cohort in spec.cohorts:
            cohorts.setdefault(cohort, []).append(team)
    for position, text in enumerate(file.spec.hypotheses):
        try:
            check_hypothesis(text, rows, cohorts)
        except ClaimError as error:
            raise file.error(("hypotheses", position), str(error)) from None
    if file.spec.primary is not None:
        try:
            cells_named(file.spec.primary, rows)
        except ClaimError as error:
            raise file.error(("primary",), str(error)) from None


def _strategy(file: ExperimentFile, position: int, entry: str | Mapping[str, Mapping[str, Any]]) -> Strategy:
    key = ("strategies", position)
    if isinstance(entry, Mapping) and len(entry) != 1:
        raise file.error(key, "expected one strategy an entry, such as - adaptive: {talk_from: 3}")
    if (played := file.spec.objects.strategy(entry)) is not None:
        return played
    name, options = (entry, {}) if isinstance(entry, str) else next(iter(entry.items()))
    try:
        return strategy(name, options_alone(with_rule(file, name, with_selection(file, name, options))))
    except FileError:
        raise
    except OptionError as error:
        place = (*key, name, error.option) if error.option is not None else key
        raise file.error(place, error.problem) from None
    except (UsageError, TypeError, ValueError) as error:
        raise file.error(key, str(error)) from None
