"""What is asked of a store, as plain functions of a connection: the same for every database."""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Column, Connection, Select, Table, and_, func, insert, select, update

from moot.store import processes, schema
from moot.store.declarations import declare
from moot.store.rows import as_led, config_of, facts_of, options_of
from moot.store.statements import Row, insert_new, insert_or_replace
from moot.store.statements import chunks as chunks
from moot.types import NOTHING, dense_json


def add(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    """Insert what is not there yet."""
    if rows:
        insert_new(table, tuple(rows[0]), connection.dialect.name).execute(connection, rows)


def put(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    """Insert, or replace the row of the same primary key."""
    if rows:
        insert_or_replace(table, tuple(rows[0]), connection.dialect.name).execute(connection, rows)


def find_calls(connection: Connection, keys: Iterable[str]) -> dict[str, Row]:
    calls: dict[str, Row] = {}
    for part in chunks(list(keys)):
        query = select(schema.calls).where(schema.calls.c.key.in_(part))
        calls.update((row["key"], row) for row in _mappings(connection, query))
    return calls


def finished(connection: Connection, cells: Sequence[str], questions: Sequence[str]) -> set[tuple[str, str, int]]:
    """Which (cell, question, repeat) need not be played: all but what failed, or went on without somebody whose call did."""
    table = schema.episodes
    done: set[tuple[str, str, int]] = set()
    for part in chunks(questions):
        asked = table.c.question.in_(part), table.c.cell.in_(cells)
        whole = table.c.outcome != "failed", table.c.unreached.is_(None)
        query = select(table.c.cell, table.c.question, table.c.repeat).where(*asked, *whole)
        done.update((cell, question, repeat) for cell, question, repeat in connection.execute(query))
    return done


def graded(
    connection: Connection, cells: Sequence[str], cases: Sequence[str], grader: str
) -> set[tuple[str, str, int]]:
    table = schema.scores
    done: set[tuple[str, str, int]] = set()
    for part in chunks(cases):
        query = select(table.c.cell, table.c.case, table.c.repeat).where(
            table.c.case.in_(part), table.c.cell.in_(cells), table.c.grader == grader
        )
        done.update((cell, case, repeat) for cell, case, repeat in connection.execute(query))
    return done


def declare_experiment(
    connection: Connection,
    row: Row,
    cells: Sequence[Row],
    chosen_on: Mapping[str, Iterable[str]] | None = None,
    asked: Iterable[str] | None = None,
) -> bool:
    """Write an experiment and its cells down. True if all its questions are there as well.

    `chosen_on`: by cell, the questions that it was chosen on. `asked`: all its questions; None: nobody knows yet.
    """
    add(connection, schema.cells, cells)
    _refresh_cells(connection, cells)
    add(connection, schema.experiments, [row])
    # What is no part of the identity (judges, budget) may have changed since, and reports go by it.
    this_experiment = schema.experiments.c.id == row["id"]
    connection.execute(update(schema.experiments).where(this_experiment).values(config=row["config"]))
    places = [{"experiment": row["id"], "position": n, "cell": cell["id"]} for n, cell in enumerate(cells)]
    add(connection, schema.experiment_cells, places)
    for cell, questions in (chosen_on or {}).items():
        put_choice(connection, cell, questions)
    declare(connection, row["name"], config_of(row), [cell["id"] for cell in cells], asked)
    written = select(func.count()).where(schema.experiment_questions.c.experiment == row["id"])
    return bool(connection.execute(written).scalar_one() == row["size"])


def _refresh_cells(connection: Connection, cells: Sequence[Row]) -> None:
    """What a strategy says of itself is no part of a cell's identity: the engine goes by what it says now, so reports do.

    Options are what was played, whatever their defaults are by now; one that is new since then is added.
    """
    table = schema.cells
    declared = {cell["id"]: cell for cell in cells}
    for part in chunks(list(declared)):
        query = select(table.c.id, table.c.traits, table.c.options).where(table.c.id.in_(part))
        for ident, traits, options in connection.execute(query).all():
            now = declared[ident]
            fresh = {"traits": now["traits"], "options": _with_new_options(options, now["options"])}
            if fresh != {"traits": traits, "options": options}:
                connection.execute(update(table).where(table.c.id == ident).values(**fresh))


def _with_new_options(stored: str | None, now: str) -> str:
    if stored is None or stored == now:
        return now
    played, declared = options_of(stored), options_of(now)
    given, default = played.get("given", {}), played.get("default", {})
    new = {name: value for name, value in declared["default"].items() if name not in given and name not in default}
    return dense_json({"given": given, "default": {**default, **new}}) if new else stored


def declare_questions(connection: Connection, places: Sequence[Row], cases: Sequence[Row]) -> None:
    add(connection, schema.cases, cases)
    put(connection, schema.experiment_questions, places)


def placed_questions(connection: Connection, experiment: str, start: int, count: int) -> list[Row]:
    """So many questions of an experiment from a position on, as they are written down."""
    places = schema.experiment_questions
    query = select(places).where(places.c.experiment == experiment, places.c.position.between(start, start + count - 1))
    return [dict(row) for row in _mappings(connection, query.order_by(places.c.position))]


def put_choice(connection: Connection, cell: str, questions: Iterable[str]) -> None:
    """What was chosen, such as a team of proposers, was chosen on these questions, by their digests."""
    add(connection, schema.choices, [{"cell": cell, "question": question} for question in dict.fromkeys(questions)])


def choices_of(connection: Connection, cells: Sequence[str]) -> dict[str, frozenset[str]]:
    """The questions that each of these cells was chosen on; a cell that nobody chose is not in it."""
    table = schema.choices
    chosen_on: dict[str, set[str]] = {}
    for part in chunks(cells):
        for cell, question in connection.execute(select(table.c.cell, table.c.question).where(table.c.cell.in_(part))):
            chosen_on.setdefault(cell, set()).add(question)
    return {cell: frozenset(questions) for cell, questions in chosen_on.items()}


def start_run(connection: Connection, experiment: str, facts: Mapping[str, Any]) -> int:
    values = {"experiment": experiment, "started_at": time.time(), "state": "running", "facts": json.dumps(facts)}
    result = connection.execute(insert(schema.runs).values(**values))
    return int(result.inserted_primary_key[0])  # type: ignore[index]


def finish_run(
    connection: Connection, run: int, state: str, cause: str | None = None, found_out: Mapping[str, Any] = NOTHING
) -> None:
    """`cause`: why it ended before its time, in words. `found_out`: further facts; what is empty is not kept."""
    ours = schema.runs.c.id == run
    values: dict[str, Any] = {"finished_at": time.time(), "state": state}
    if new := {name: fact for name, fact in {"cause": cause, **found_out}.items() if fact}:
        facts = facts_of(next(_mappings(connection, select(schema.runs.c.facts).where(ours))))
        values["facts"] = json.dumps({**facts, **new})
    connection.execute(update(schema.runs).where(ours).values(**values))


def latest_experiment(
    connection: Connection, name: str | None = None, among: Collection[str] | None = None
) -> Row | None:
    """The experiment (of this name, one of these ids) that ran last."""
    table = schema.experiments
    query = (
        select(table)
        .outerjoin(schema.runs, schema.runs.c.experiment == table.c.id)
        .order_by(func.coalesce(schema.runs.c.started_at, table.c.created_at).desc())
        .limit(1)
    )
    if name is not None:
        query = query.where(table.c.name == name)
    if among is not None:
        query = query.where(table.c.id.in_(among))
    return next(_mappings(connection, query), None)


def experiments_by_age(connection: Connection) -> list[Row]:
    """Every experiment, what was used last first, and when that was (`used_at`): when it was run, or a served team asked."""
    table, runs, places, episodes = schema.experiments, schema.runs, schema.experiment_questions, schema.episodes
    started = select(runs.c.experiment, func.max(runs.c.started_at).label("last")).group_by(runs.c.experiment)
    used = {row.experiment: row.last for row in connection.execute(started)}
    experiments = list(_mappings(connection, select(table)))
    for row in experiments:
        if row["id"] not in used and config_of(row).get("served"):
            asked = select(func.max(episodes.c.created_at)).join(places, places.c.question == episodes.c.question)
            last = connection.execute(asked.where(places.c.experiment == row["id"])).scalar()
            used[row["id"]] = row["created_at"] if last is None else last
    dated = [{**row, "used_at": used.get(row["id"], row["created_at"])} for row in experiments]
    return sorted(dated, key=lambda row: (row["used_at"], row["id"]), reverse=True)


def experiment_of(connection: Connection, ident: str) -> Row:
    return next(_mappings(connection, select(schema.experiments).where(schema.experiments.c.id == ident)))


def experiments_named(connection: Connection, name: str) -> list[Row]:
    """Every plan under a name, the oldest first."""
    table = schema.experiments
    return list(
        _mappings(connection, select(table).where(table.c.name == name).order_by(table.c.created_at, table.c.id))
    )


def cells_of(connection: Connection, ident: str) -> list[Row]:
    """Its cells in the order of the plan, each with the captain that it has."""
    places = schema.experiment_cells
    query = select(schema.cells).join(places, places.c.cell == schema.cells.c.id)
    query = query.where(places.c.experiment == ident).order_by(places.c.position)
    return [*as_led(_mappings(connection, query))]


def runs_of(connection: Connection, ident: str) -> list[Row]:
    """Its runs, first to last. One that says it is running although its process is gone has failed."""
    query = select(schema.runs).where(schema.runs.c.experiment == ident).order_by(schema.runs.c.id)
    return [with_its_end(run) for run in _mappings(connection, query)]


def with_its_end(run: Row) -> Row:
    facts = facts_of(run)
    process = facts.pop("process", None)
    ended = {"state": "failed"} if run["state"] == "running" and processes.is_gone(process) else {}
    if ended:
        facts |= {"cause": processes.GONE, "dropped": 1}  # at the least: what it was at
    return {**run, **ended, "facts": json.dumps(facts)}


def cases_of(connection: Connection, ident: str, question_id: str | None = None) -> Iterator[Row]:
    places = schema.experiment_questions
    placed = (places.c.question, places.c.question_set, places.c.cluster)
    query = select(*placed, schema.cases).join(places, places.c.case == schema.cases.c.id)
    query = query.where(places.c.experiment == ident).order_by(places.c.position)
    if question_id is not None:
        query = query.where(schema.cases.c.question_id == question_id)
    return _mappings(connection, query)


def places_of(connection: Connection, ident: str) -> dict[str, list[tuple[int, str]]]:
    """Where each question stands in an experiment, and as which case: (position, case)."""
    table = schema.experiment_questions
    query = select(table.c.position, table.c.question, table.c.case).where(table.c.experiment == ident)
    places: dict[str, list[tuple[int, str]]] = {}
    for position, question, case in connection.execute(query.order_by(table.c.position)).all():
        places.setdefault(question, []).append((position, case))
    return places


def results(
    connection: Connection, ident: str, cell: str, grader: str, *, question: str | None = None
) -> Iterator[Row]:
    """Every episode of a cell on this experiment's questions, each with its score, in the order of the questions."""
    places, episodes, scores = schema.experiment_questions, schema.episodes, schema.scores
    columns = (places.c.position, places.c.case, episodes, scores.c.value, scores.c.stage, scores.c.detail)
    query = scored_plays(ident, cell, grader, *columns)
    if question is not None:
        query = query.where(places.c.question == question)
    return _mappings(connection, query)


def values_of(connection: Connection, ident: str, cell: str, grader: str) -> Iterator[Sequence[Any]]:
    """(question, case, score) of every episode of a cell on this experiment's questions, in their order."""
    places = schema.experiment_questions
    query = scored_plays(ident, cell, grader, places.c.question, places.c.case, schema.scores.c.value)
    return (tuple(row) for row in connection.execute(query))


def all_failed(connection: Connection, ident: str) -> bool:
    """Whether an experiment has been played on its questions, and every play of it ended as `failed`."""
    places, cells, episodes = schema.experiment_questions, schema.experiment_cells, schema.episodes
    played = (
        select(episodes.c.cell)
        .join(cells, and_(cells.c.cell == episodes.c.cell, cells.c.experiment == ident))
        .join(places, and_(places.c.question == episodes.c.question, places.c.experiment == ident))
        .limit(1)
    )
    if connection.execute(played.where(episodes.c.outcome != "failed")).first() is not None:
        return False
    return connection.execute(played).first() is not None


def finished_otherwise(connection: Connection, finishes: Sequence[str]) -> dict[str, str]:
    """By key: how calls finished, of those that finished in one of these ways."""
    calls = schema.calls
    query = select(calls.c.key, calls.c.finish).where(calls.c.finish.in_(finishes))
    return {row.key: row.finish for row in connection.execute(query)}


def failed_grades(connection: Connection, ident: str, grader: str) -> Iterator[Sequence[Any]]:
    """(case, answer, failure) of every answer of an experiment that its grader failed on."""
    places, cells, scores, episodes = (
        schema.experiment_questions,
        schema.experiment_cells,
        schema.scores,
        schema.episodes,
    )
    same_play = and_(
        episodes.c.cell == scores.c.cell,
        episodes.c.question == places.c.question,
        episodes.c.repeat == scores.c.repeat,
    )
    query = (
        select(scores.c.case, episodes.c.answer, scores.c.failure)
        .join(places, and_(places.c.case == scores.c.case, places.c.experiment == ident))
        .join(cells, and_(cells.c.cell == scores.c.cell, cells.c.experiment == ident))
        .join(episodes, same_play)
        .where(scores.c.grader == grader, scores.c.failure.is_not(None))
        .where(episodes.c.answer.is_not(None))
    )
    yield from connection.execute(query).fetchall()


def endings(connection: Connection, ident: str, cell: str, grader: str) -> Iterator[Sequence[Any]]:
    """How every episode of a cell ended, without its verdict: plain tuples, for cells with very many of them.

    (position, question, repeat, outcome, answer, transcript, seconds, unreached, value, stage)
    """
    places, episodes, scores = schema.experiment_questions, schema.episodes, schema.scores
    ended = (episodes.c[name] for name in ("outcome", "answer", "transcript", "seconds", "unreached"))
    columns = (places.c.position, episodes.c.question, episodes.c.repeat, *ended, scores.c.value, scores.c.stage)
    query = scored_plays(ident, cell, grader, *columns)
    yield from connection.execute(query).fetchall()  # row by row takes twice as long


def scored_plays(ident: str, cell: str, grader: str, *columns: Any) -> Select[Any]:
    """The episodes of a cell on an experiment's questions, each beside its score, in the order of the questions."""
    places, episodes, scores = schema.experiment_questions, schema.episodes, schema.scores
    matching = and_(
        scores.c.cell == episodes.c.cell,
        scores.c.case == places.c.case,
        scores.c.repeat == episodes.c.repeat,
        scores.c.grader == grader,
    )
    return (
        select(*columns)
        .join(episodes, and_(episodes.c.question == places.c.question, episodes.c.cell == cell))
        .outerjoin(scores, matching)
        .where(places.c.experiment == ident)
        .order_by(places.c.position, episodes.c.repeat)
    )


def episodes_on(connection: Connection, cells: Sequence[str], questions: Sequence[str]) -> list[Row]:
    """Episodes of these cells on these questions, with all that grading needs."""
    table = schema.episodes
    episodes: list[Row] = []
    for part in chunks(questions):
        query = select(table).where(table.c.question.in_(part), table.c.cell.in_(cells))
        episodes += _mappings(connection, query.order_by(table.c.question, table.c.cell, table.c.repeat))
    return episodes


def judgements_on(connection: Connection, cases: Sequence[str]) -> list[Row]:
    return list(_rows_on(connection, schema.judgements.c.case, cases))


def grades_on(connection: Connection, cases: Sequence[str], grader: str) -> list[Row]:
    """What a grader has said of answers to these."""
    table = schema.grades
    rows: list[Row] = []
    for part in chunks(cases):
        rows.extend(_mappings(connection, select(table).where(table.c.case.in_(part), table.c.grader == grader)))
    return rows


def settlements_on(connection: Connection, cases: Sequence[str]) -> dict[tuple[str, str], bool]:
    rows = _rows_on(connection, schema.settlements.c.case, cases)
    return {(row["case"], row["answer"]): bool(row["right"]) for row in rows}


def turned_words(connection: Connection, cases: Sequence[str]) -> set[tuple[str, str]]:
    """Answers to these that persons have called right and wrong, by their case."""
    rows = _rows_on(connection, schema.settlements.c.case, cases)
    return {(row["case"], row["answer"]) for row in rows if row["turned"]}


def matches_on(connection: Connection, questions: Sequence[str]) -> list[Row]:
    return list(_rows_on(connection, schema.matches.c.question, questions))


def _rows_on(connection: Connection, column: Column[Any], items: Sequence[str]) -> Iterator[Row]:
    there = connection.execute(select(column).limit(1)).first()  # in most stores there is none
    for part in chunks(items) if there is not None else ():
        yield from _mappings(connection, select(column.table).where(column.in_(part)))


def failures_of(connection: Connection, name: str) -> list[Row]:
    """Causes of failed calls, counted."""
    table = schema.failures
    query = (
        select(table.c.model, table.c.kind, func.count().label("times"), func.max(table.c.message).label("message"))
        .where(table.c.experiment == name)
        .group_by(table.c.model, table.c.kind)
    )
    return list(_mappings(connection, query))


def _mappings(connection: Connection, query: Select[Any]) -> Iterator[Row]:
    yield from connection.execute(query).mappings()  # type: ignore[misc]
