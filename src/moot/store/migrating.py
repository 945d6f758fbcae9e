"""The named migrations that lead to the tables of today.

A migration is a function with a name; its name is written down when it has run. A store that holds names we do not know
was written by a newer moot, and is left alone. Once released a migration is never edited: a change is a new one.
"""

from __future__ import annotations

import json
import logging
import re
import time
from collections.abc import Callable
from functools import cache

from sqlalchemy import Connection, bindparam, func, insert, inspect, select, update
from sqlalchemy.dialects import registry
from sqlalchemy.schema import CreateIndex, CreateTable, ExecutableDDLElement

from moot.errors import StoreNewer
from moot.store.schema import (
    absences,
    accounts,
    cells,
    choices,
    claims,
    declarations,
    episodes,
    experiment_cells,
    experiment_questions,
    experiments,
    grades,
    holders,
    judge_calls,
    judgements,
    metadata,
    migrations,
    overcharges,
    payments,
    preferences,
    reservations,
    served_calls,
    titles,
    unpriced_losses,
    unscrubbed,
    votes,
)

_log = logging.getLogger(__name__)


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
    from moot.store.walked_episodes import episodes_of

    columns = (cells.c.id, cells.c.strategy, cells.c.captain, cells.c.options)
    old_cells = {row["id"]: OldCell.of_row(dict(row)) for row in connection.execute(select(*columns)).mappings().all()}
    noted = episodes.c.verdict.like('%"notes"%') | episodes.c.verdict.like('%"ballots"%')
    changed = update(episodes).where(
        episodes.c.cell == bindparam("b_cell"),
        episodes.c.question == bindparam("b_question"),
        episodes.c.repeat == bindparam("b_repeat"),
    )
    for ident, cell in old_cells.items():
        for rows in episodes_of(connection, ident, episodes.c.verdict, noted):
            migrated = [
                {"b_cell": ident, "b_question": question, "b_repeat": repeat, "verdict": verdict}
                for question, repeat, written in rows
                if (verdict := verdict_with_traces(written, cell)) is not None
            ]
            if migrated:
                connection.execute(changed.values(verdict=bindparam("verdict")), migrated)


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
    # By name: columns that came later are not there yet.
    in_vain = select(*table.primary_key.columns, table.c.detail).where(
        table.c.right.is_(None), table.c.detail.like("asked %")
    )
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


def _judge_calls(connection: Connection) -> None:
    """What a judge was asked about whose answers; of the calls before, those that gave a usable word are known."""
    judge_calls.create(connection, checkfirst=True)
    known = select(judge_calls.c.key).where(judge_calls.c.case == judgements.c.case)
    named = select(judgements.c.case, judgements.c.call_key).distinct()
    named = named.where(judgements.c.call_key.is_not(None), judgements.c.call_key.not_in(known))
    connection.execute(insert(judge_calls).from_select(["case", "key"], named))


def _signs_in_answers(connection: Connection) -> None:
    """What was graded and kept when answers were compared without their signs; a new store has none of it."""
    if connection.execute(select(episodes.c.cell).limit(1)).first() is None:
        return
    from moot.store.signs_in_answers import tell_signs

    tell_signs(connection)


def _failures_of_graders(connection: Connection) -> None:
    """That a grader of somebody else's had failed stood in the words of a score, under `detail`."""
    if "failure" not in _columns(connection, "scores"):
        connection.exec_driver_sql("ALTER TABLE scores ADD COLUMN failure TEXT")
    from moot.store.failures_of_graders import tell_failures

    tell_failures(connection)


def _rubric_points(connection: Connection) -> None:
    """What a judge gives a long answer by each criterion; before there were no rubrics."""
    if "points" not in _columns(connection, "judgements"):
        connection.exec_driver_sql("ALTER TABLE judgements ADD COLUMN points TEXT")


def _preferences(connection: Connection) -> None:
    """Which of two long answers a judge or a person prefers."""
    preferences.create(connection, checkfirst=True)


def _titles_and_votes(connection: Connection) -> None:
    """What people call their conversations, and which of two answers they liked better."""
    for table in (titles, votes):
        table.create(connection, checkfirst=True)


def _served_calls(connection: Connection) -> None:
    """Which question of a served team a call was made for; of those before, nobody has written it down."""
    served_calls.create(connection, checkfirst=True)


def _overcharges(connection: Connection) -> None:
    """Who was billed more than a call could cost; of what was billed before, calls alone tell, and nobody goes by them."""
    overcharges.create(connection, checkfirst=True)


def _unreached(connection: Connection) -> None:
    """Who could not be reached in a play that went on without it; of those before, the transcripts tell."""
    if "unreached" not in _columns(connection, "episodes"):
        connection.exec_driver_sql("ALTER TABLE episodes ADD COLUMN unreached TEXT")
    from moot.store.unreached_before import tell_unreached

    tell_unreached(connection)


def _unscrubbed(connection: Connection) -> None:
    """What was forgotten, and may still stand in the store's files."""
    unscrubbed.create(connection, checkfirst=True)


def _turned_words(connection: Connection) -> None:
    """Whether somebody had said the opposite of a person's word; of those before, nobody knows."""
    if "turned" not in _columns(connection, "settlements"):
        connection.exec_driver_sql("ALTER TABLE settlements ADD COLUMN turned INTEGER")


def _unpriced_losses(connection: Connection) -> None:
    """Calls without a reply of which nobody knows what they cost; of those before, nobody has written it down."""
    unpriced_losses.create(connection, checkfirst=True)


def _recorded_calls(connection: Connection) -> None:
    """Which calls were played back, so that nobody pays for them now; before, their provider alone said so."""
    if "recorded" not in _columns(connection, "calls"):
        connection.exec_driver_sql("ALTER TABLE calls ADD COLUMN recorded INTEGER")
    from moot.store.recorded_before import tell_recorded

    tell_recorded(connection)


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
    "0012-judge-calls": _judge_calls,
    "0013-signs-in-answers": _signs_in_answers,
    "0014-failures-of-graders": _failures_of_graders,
    "0015-rubric-points": _rubric_points,
    "0016-preferences": _preferences,
    "0017-titles-and-votes": _titles_and_votes,
    "0018-served-calls": _served_calls,
    "0019-overcharges": _overcharges,
    "0020-unreached": _unreached,
    "0021-unscrubbed": _unscrubbed,
    "0022-turned-words": _turned_words,
    "0023-unpriced-losses": _unpriced_losses,
    "0024-recorded-calls": _recorded_calls,
}


def migrate(connection: Connection, *, copy: bool = False) -> None:
    """Bring a store up to date, or refuse one from the future. `copy`: it is one of a store that stays as it is."""
    here, applied = set(inspect(connection).get_table_names()), set[str]()
    if not here & set(metadata.tables):
        _begin(connection)
        return
    if migrations.name in here:
        applied = set(connection.execute(select(migrations.c.name)).scalars())
    if unknown := sorted(applied - set(MIGRATIONS)):
        raise StoreNewer(f"written by a newer moot (it has {unknown[-1]!r}); update moot, or use another store")
    if applied and not applied >= set(MIGRATIONS):
        which = "a copy" if copy else "it"
        _log.warning(f"an older moot's store: {which} is brought up to date; a large one takes minutes")
    for name, step in MIGRATIONS.items():
        if name not in applied:
            step(connection)
            connection.execute(insert(migrations).values(name=name, applied_at=time.time()))


def _begin(connection: Connection) -> None:
    """A new store has the tables of today, and nothing in them that any step could change: none needs to look."""
    for statement in _tables_of_today(connection.dialect.name):
        connection.exec_driver_sql(statement)
    connection.execute(insert(migrations), [{"name": name, "applied_at": time.time()} for name in MIGRATIONS])


@cache
def _tables_of_today(dialect: str) -> tuple[str, ...]:
    """To write them costs more than to make them, and whoever opens many stores makes the same ones."""
    made: list[ExecutableDDLElement] = []
    for table in metadata.sorted_tables:
        made += [CreateTable(table), *map(CreateIndex, sorted(table.indexes, key=lambda index: str(index.name)))]
    written_for = registry.load(dialect)()
    return tuple(str(statement.compile(dialect=written_for)) for statement in made)
