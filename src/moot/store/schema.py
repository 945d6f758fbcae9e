"""The tables, and the named migrations that lead to them.

A migration is a function with a name; its name is written down when it has run. A store that holds names we do not know
was written by a newer moot, and is left alone. Once released a migration is never edited: a change is a new one.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable

from sqlalchemy import (
    Column,
    Connection,
    Float,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    bindparam,
    func,
    insert,
    inspect,
    select,
    tuple_,
    update,
)

from moot.errors import StoreNewer

metadata = MetaData()

migrations = Table("migrations", metadata, Column("name", String, primary_key=True), Column("applied_at", Float))

experiments = Table(
    "experiments",
    metadata,
    Column("id", String, primary_key=True),  # digest of the file's content and of the questions
    Column("name", String, nullable=False, index=True),
    Column("config", Text, nullable=False),
    Column("size", Integer, nullable=False),
    Column("created_at", Float, nullable=False),
)
experiment_cells = Table(
    "experiment_cells",
    metadata,
    Column("experiment", String, primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("cell", String, nullable=False),
    sqlite_with_rowid=False,
)
experiment_questions = Table(
    "experiment_questions",
    metadata,
    Column("experiment", String, primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("question", String, nullable=False),
    Column("case", String, nullable=False),
    Column("question_set", String),  # null: the file has one set, without a name
    Column("cluster", String),  # null: it belongs together with no other
    Column("asker", String),  # whose key asked it of a served team; null: nobody's
    Index("ix_experiment_questions_question", "experiment", "question"),
    sqlite_with_rowid=False,
)
cells = Table(
    "cells",
    metadata,
    Column("id", String, primary_key=True),  # digest of all that an episode depends on, but the question
    Column("strategy", String, nullable=False),
    Column("label", String, nullable=False),
    Column("team", String),
    Column("captain", String),
    Column("player", String),
    Column("spec", Text, nullable=False),
    Column("cohort", String),  # null: the whole team sits at one table
    Column("options", Text),  # JSON: given, those that differ from their defaults; default, the rest
    Column("traits", Text),  # JSON: what the strategy says of itself, see strategies.traits
)
choices = Table(
    "choices",
    metadata,
    Column("cell", String, primary_key=True),  # what was chosen, such as a team of proposers
    Column("question", String, primary_key=True),  # the digest of a question that the choice was made on
    sqlite_with_rowid=False,
)
cases = Table(
    "cases",
    metadata,
    Column("id", String, primary_key=True),
    Column("question_id", String, nullable=False, index=True),
    Column("content", Text, nullable=False),
)
runs = Table(
    "runs",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("experiment", String, nullable=False, index=True),
    Column("started_at", Float, nullable=False),
    Column("finished_at", Float),
    Column("state", String, nullable=False),  # running, done, failed, budget, interrupted
    Column("facts", Text, nullable=False),
)
losses = Table(
    "losses",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("experiment", String, nullable=False, index=True),
    Column("usd", Float, nullable=False),  # may be on the bill without having given a reply
    Column("created_at", Float, nullable=False),
)
reservations = Table(
    "reservations",
    metadata,
    Column("id", String, primary_key=True),
    Column("experiment", String, nullable=False, index=True),  # the name of the experiment that pays
    Column("usd", Float, nullable=False),  # the most that an attempt can cost which has begun and is not settled
    Column("holder", String, nullable=False),  # who makes it; gone: it counts as spent
    Column("payer", String),  # on whose account it is beside, such as a key of a served team
    Column("created_at", Float, nullable=False),
)
accounts = Table(
    "accounts",
    metadata,
    Column("experiment", String, primary_key=True),
    Column("held_usd", Float, nullable=False),  # calls, losses and reservations: so that nobody has to add them up
)
payments = Table(
    "payments",
    metadata,
    Column("payer", String, primary_key=True),
    Column("day", String, primary_key=True),  # of UTC, as 2026-11-15
    Column("usd", Float, nullable=False),
)
holders = Table(
    "holders",
    metadata,
    Column("id", String, primary_key=True),
    Column("party", String, nullable=False),  # those of one party never ask the same, and need not watch each other
    Column("process", Text, nullable=False),  # JSON, see store.processes
    Column("beat_at", Float, nullable=False),  # the last sign of life
    Column("claiming", Integer, nullable=False),  # 1: claims every call before making it, because others are there
)
claims = Table(
    "claims",
    metadata,
    Column("key", String, primary_key=True),  # a call that somebody is making
    Column("holder", String, nullable=False, index=True),
)
calls = Table(
    "calls",
    metadata,
    Column("key", String, primary_key=True),
    Column("experiment", String, nullable=False, index=True),  # the name of the experiment that paid
    Column("model", String, nullable=False),
    Column("shape", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("finish", String, nullable=False),
    Column("prompt_tokens", Integer),
    Column("completion_tokens", Integer),
    Column("reasoning_tokens", Integer),
    Column("cached_tokens", Integer),
    Column("latency_s", Float, nullable=False),
    Column("version", String),
    Column("cost_usd", Float),
    Column("thoughts", Text),
    Column("logprobs", Text),
    Column("created_at", Float, nullable=False),
)
failures = Table(
    "failures",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("key", String, nullable=False),
    Column("experiment", String, nullable=False, index=True),
    Column("model", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("message", Text, nullable=False),
    Column("created_at", Float, nullable=False),
)
episodes = Table(
    "episodes",
    metadata,
    Column("cell", String, primary_key=True),
    Column("question", String, primary_key=True),
    Column("repeat", Integer, primary_key=True),
    Column("outcome", String, nullable=False),
    Column("answer", Text),
    Column("verdict", Text, nullable=False),
    Column("transcript", Text, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("created_at", Float, nullable=False, index=True),  # served traffic is shown, and forgotten, by age
)
scores = Table(
    "scores",
    metadata,
    Column("cell", String, primary_key=True),
    Column("case", String, primary_key=True),
    Column("repeat", Integer, primary_key=True),
    Column("grader", String, primary_key=True),
    Column("value", Float),
    Column("stage", String, nullable=False),
    Column("detail", Text),
    sqlite_with_rowid=False,
)
judgements = Table(
    "judgements",
    metadata,
    Column("case", String, primary_key=True),
    Column("answer", Text, primary_key=True),  # normalised: equal answers are judged once
    Column("judge", String, primary_key=True),
    Column("right", Integer),  # null: the judge gave no usable word, and `detail` says why
    Column("detail", Text),
    Column("judge_name", String),  # as the file names it; `judge` tells models and prompts under one name apart
    Column("call_key", String),  # the call that holds the reply
    Column("tries", Integer),  # how often one that gave no usable word was asked
    sqlite_with_rowid=False,
)
grades = Table(
    "grades",
    metadata,
    Column("case", String, primary_key=True),
    Column("answer", Text, primary_key=True),  # normalised: equal answers are graded once
    Column("grader", String, primary_key=True),  # one that is not ours: match needs no record
    Column("value", Float),  # null: it leaves the answer to the judges
    Column("stage", String, nullable=False),
    Column("detail", Text),
    sqlite_with_rowid=False,
)
settlements = Table(
    "settlements",
    metadata,
    Column("case", String, primary_key=True),
    Column("answer", Text, primary_key=True),
    Column("right", Integer, nullable=False),  # a person's word, which stands over every judge's
    Column("settled_at", Float, nullable=False),
    sqlite_with_rowid=False,
)
matches = Table(
    "matches",
    metadata,
    Column("question", String, primary_key=True),
    Column("repeat", Integer, primary_key=True),
    Column("content", Text, nullable=False),  # texts that mean the same, as groups: for measurement, not for play
    sqlite_with_rowid=False,
)
declarations = Table(
    "declarations",
    metadata,
    Column("experiment", String, primary_key=True),  # its name: another file under it is the same undertaking
    Column("kind", String, primary_key=True),  # hypothesis, primary
    Column("text", Text, primary_key=True),
    Column("declared_at", Float, nullable=False),
    Column("frozen", Integer, nullable=False),  # 1: written down before the first call; 0: exploratory
    sqlite_with_rowid=False,
)

absences = Table(
    "absences",
    metadata,
    Column("key", String, primary_key=True),  # digest of the experiment's name and of all that was asked in a round
    Column("players", Text, nullable=False),  # who was late for it, as JSON
    Column("created_at", Float, nullable=False),
)


def _first_tables(connection: Connection) -> None:
    metadata.create_all(connection)


def _cohorts(connection: Connection) -> None:
    """A store that is new has the column already: the first step makes all tables as they are today."""
    if "cohort" not in {column["name"] for column in inspect(connection).get_columns("cells")}:
        connection.exec_driver_sql("ALTER TABLE cells ADD COLUMN cohort VARCHAR")


def _absences(connection: Connection) -> None:
    absences.create(connection, checkfirst=True)


def _hypotheses(connection: Connection) -> None:
    declarations.create(connection, checkfirst=True)


def _served_at_length(connection: Connection) -> None:
    """What a served team writes and shows must not take longer the longer it serves."""
    for table in (experiment_questions, episodes):
        for index in table.indexes:
            index.create(connection, checkfirst=True)


def _columns(connection: Connection, table: str) -> set[str]:
    return {column["name"] for column in inspect(connection).get_columns(table)}


def _options_and_sets(connection: Connection) -> None:
    """What a cell's options and traits are, which set and cluster a question is of, and what choices were made on."""
    for table, column, kind in (
        *(("cells", name, "TEXT") for name in ("options", "traits")),
        *(("experiment_questions", name, "VARCHAR") for name in ("question_set", "cluster")),
    ):
        if column not in _columns(connection, table):
            connection.exec_driver_sql(f"ALTER TABLE {table} ADD COLUMN {column} {kind}")
    choices.create(connection, checkfirst=True)
    _tell_options(connection)


def _tell_options(connection: Connection) -> None:
    """Options and traits of cells that kept a label only: from the files they were played for, else from the label."""
    from moot.store.before_traces import options_and_traits, played_by_label

    columns_of: dict[str, dict[str, str]] = {}
    files = select(experiments.c.id, experiments.c.config).order_by(experiments.c.created_at, experiments.c.id)
    for experiment, config in connection.execute(files).all():
        by_label = played_by_label(json.loads(config))
        of_file = select(cells).join(experiment_cells, experiment_cells.c.cell == cells.c.id)
        of_file = of_file.where(experiment_cells.c.experiment == experiment, cells.c.options.is_(None))
        for cell in connection.execute(of_file).mappings().all():
            if cell["id"] not in columns_of and (named := by_label.get(cell["label"])):
                columns_of[cell["id"]] = options_and_traits(dict(cell), named)
    for cell in connection.execute(select(cells).where(cells.c.options.is_(None))).mappings().all():
        columns = columns_of.get(cell["id"]) or options_and_traits(dict(cell), ())
        connection.execute(update(cells).where(cells.c.id == cell["id"]).values(**columns))


def _traces(connection: Connection) -> None:
    """Notes become typed records, in the stored verdicts themselves. Episodes are taken some thousands at a time."""
    from moot.store.before_traces import OldCell, verdict_with_traces

    columns = (cells.c.id, cells.c.strategy, cells.c.captain, cells.c.options)
    old_cells = {row["id"]: OldCell.of_row(dict(row)) for row in connection.execute(select(*columns)).mappings().all()}
    place = (episodes.c.cell, episodes.c.question, episodes.c.repeat)
    noted = episodes.c.verdict.like('%"notes"%') | episodes.c.verdict.like('%"ballots"%')
    changed = update(episodes).where(
        episodes.c.cell == bindparam("b_cell"),
        episodes.c.question == bindparam("b_question"),
        episodes.c.repeat == bindparam("b_repeat"),
    )
    for ident, cell in old_cells.items():
        after: tuple[str, int] = ("", -1)
        of_cell = select(*place, episodes.c.verdict).where(episodes.c.cell == ident, noted)
        while True:
            query = of_cell.where(tuple_(episodes.c.question, episodes.c.repeat) > after)
            rows = connection.execute(query.order_by(*place).limit(MIGRATED_TOGETHER)).all()
            if not rows:
                break
            migrated = [
                {"b_cell": ident, "b_question": question, "b_repeat": repeat, "verdict": verdict}
                for _, question, repeat, written in rows
                if (verdict := verdict_with_traces(written, cell)) is not None
            ]
            if migrated:
                connection.execute(changed.values(verdict=bindparam("verdict")), migrated)
            after = (rows[-1][1], rows[-1][2])


def _judgements_in_fields(connection: Connection) -> None:
    """Which call a judge's word stands in, and how often it was asked in vain, stood in words under `detail`."""
    for column, kind in (("judge_name", "VARCHAR"), ("call_key", "VARCHAR"), ("tries", "INTEGER")):
        if column not in _columns(connection, "judgements"):
            connection.exec_driver_sql(f"ALTER TABLE judgements ADD COLUMN {column} {kind}")
    table, name_length = judgements, func.length(judgements.c.judge) - len("#") - 12
    named = update(table).where(func.substr(table.c.judge, name_length + 1, 1) == "#")
    connection.execute(named.values(judge_name=func.substr(table.c.judge, 1, name_length)))
    called = update(table).where(table.c.right.is_not(None), table.c.detail.like("call %"))
    connection.execute(called.values(call_key=func.substr(table.c.detail, len("call ") + 1), detail=None))
    in_vain = select(table).where(table.c.right.is_(None), table.c.detail.like("asked %"))
    for row in connection.execute(in_vain).mappings().all():
        if match := re.match(r"asked (\d+)×: (.*)", row["detail"], re.DOTALL):
            place = [column == row[column.name] for column in table.primary_key.columns]
            counted = {"tries": int(match.group(1)), "detail": match.group(2)}
            connection.execute(update(table).where(*place).values(**counted))


def _grades(connection: Connection) -> None:
    grades.create(connection, checkfirst=True)


def _askers(connection: Connection) -> None:
    """Whose a question is that a served team was asked; of those before, nobody knows."""
    if "asker" not in _columns(connection, "experiment_questions"):
        connection.exec_driver_sql("ALTER TABLE experiment_questions ADD COLUMN asker VARCHAR")


def _ledger(connection: Connection) -> None:
    """Money that is held for calls under way, and who is making which call."""
    for table in (reservations, accounts, payments, holders, claims):
        table.create(connection, checkfirst=True)


MIGRATED_TOGETHER = 2_000

MIGRATIONS: dict[str, Callable[[Connection], None]] = {
    "0001-first-tables": _first_tables,
    "0002-cohorts": _cohorts,
    "0003-hypotheses": _hypotheses,
    "0004-absences": _absences,
    "0005-served-at-length": _served_at_length,
    "0006-options-and-sets": _options_and_sets,
    "0007-traces": _traces,
    "0008-judgements-in-fields": _judgements_in_fields,
    "0009-grades": _grades,
    "0010-askers": _askers,
    "0011-ledger": _ledger,
}


def migrate(connection: Connection) -> None:
    """Bring a store up to date, or refuse one from the future."""
    applied: set[str] = set()
    if inspect(connection).has_table("migrations"):
        applied = set(connection.execute(select(migrations.c.name)).scalars())
    if unknown := sorted(applied - set(MIGRATIONS)):
        raise StoreNewer(f"written by a newer moot (it has {unknown[-1]!r}); update moot, or use another store")
    for name, step in MIGRATIONS.items():
        if name not in applied:
            step(connection)
            connection.execute(insert(migrations).values(name=name, applied_at=time.time()))
