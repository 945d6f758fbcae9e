"""Stores of the version before traces: opened, they are as if today's version had played them, and nothing is paid again."""

from __future__ import annotations

import asyncio
import gzip
import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import old_experiments as old
import pytest
from beside import rows
from sqlalchemy import Connection, create_engine, insert

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.errors import StoreNewer
from moot.store import migrating, schema, store_at, walked_episodes
from moot.store.before_traces import OldCell, options_and_traits, options_in_label, verdict_with_traces
from moot.store.old_strategies import old_strategy
from moot.strategies import label, strategy
from moot.traces import Objection, trace_of

HERE = Path(__file__).parent
NEW_STEPS = (
    "0006-options-and-sets",
    "0007-traces",
    "0008-judgements-in-fields",
    "0009-grades",
    "0011-ledger",
    "0012-judge-calls",
    "0018-served-calls",
    "0019-overcharges",
    "0020-unreached",
    "0021-unscrubbed",
    "0022-turned-words",
    "0023-unpriced-losses",
    "0024-recorded-calls",
)
NEW_TABLES = (
    "choices",
    "grades",
    "reservations",
    "accounts",
    "payments",
    "holders",
    "claims",
    "judge_calls",
    "preferences",
    "titles",
    "votes",
    "served_calls",
    "overcharges",
    "unscrubbed",
    "unpriced_losses",
)
NOT_NOTED = {"remark": ("position", "saw")}
"""What the old version did not write down: it is not made up."""


def unpacked(name: str, folder: Path) -> Path:
    path = folder / f"{name}.db"
    path.write_bytes(gzip.decompress((HERE / "fixtures" / f"{name}.db.gz").read_bytes()))
    return path


async def opened(url: str) -> None:
    store = await store_at(url).open()
    await store.close()


async def migrated(name: str, folder: Path) -> Path:
    path = unpacked(name, folder)
    await opened(f"sqlite:///{path}")
    return path


def moot(*words: str | Path) -> int:
    return run_app(app, [str(word) for word in words])


def verdicts(path: Path) -> dict[tuple[str, str, int], dict[str, Any]]:
    return {
        (cell, question, repeat): json.loads(verdict)
        for cell, question, repeat, verdict in rows(path, "SELECT cell, question, repeat, verdict FROM episodes")
    }


def without_what_was_not_noted(verdict: Mapping[str, Any]) -> dict[str, Any]:
    traces = [
        {name: value for name, value in trace.items() if name not in NOT_NOTED.get(trace["kind"], ())}
        for trace in verdict.get("traces", ())
        if trace["kind"] != "no-two-agreed"
    ]
    return {**verdict, "traces": traces}


def told_of_cells(path: Path) -> dict[str, tuple[Any, Any]]:
    return {
        ident: (json.loads(options), json.loads(traits))
        for ident, options, traits in rows(path, "SELECT id, options, traits FROM cells")
    }


@pytest.fixture(scope="module")
def played_today(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The same file, played from the beginning by today's version; once for all tests."""
    folder = tmp_path_factory.mktemp("today")

    def played(name: str) -> Path:
        path = old.written(name, folder)
        if not path.with_suffix(".db").exists():
            assert moot("run", path, "--quiet") == 0
        return path

    return played


@pytest.mark.parametrize("name", [*old.EXPERIMENTS, "served"])
async def test_opening_brings_a_store_up_to_date(name: str, tmp_path: Path) -> None:
    before = unpacked(name, tmp_path)
    columns = ", ".join(name for _, name, *_ in rows(before, "PRAGMA table_info(calls)"))
    calls, episodes = rows(before, f"SELECT {columns} FROM calls"), rows(before, "SELECT count(*) FROM episodes")
    assert any('"notes"' in verdict for (verdict,) in rows(before, "SELECT verdict FROM episodes"))
    after = await migrated(name, tmp_path)
    assert rows(after, f"SELECT {columns} FROM calls") == calls
    assert rows(after, "SELECT count(*) FROM episodes") == episodes
    assert not [verdict for verdict in verdicts(after).values() if {"notes", "ballots"} & verdict.keys()]
    assert rows(after, "SELECT count(*) FROM cells WHERE options IS NULL OR traits IS NULL") == [(0,)]
    assert rows(after, "SELECT name FROM migrations ORDER BY name") == [
        (each,) for each in sorted(migrating.MIGRATIONS)
    ]


PLAYED_OTHERWISE_TODAY = ("discuss(", "peer-review")
"""Protocols that have changed since: what a discussion ends on, and reviews after a double call, in free words."""
TOLD_OTHERWISE_TODAY = "shown_accuracies"
"""A summariser that sees accuracies is no longer told that they are of other questions."""
JUDGES = {"jay"}
"""They see each answer by itself today, and are asked again."""


def is_as_it_was(label: str) -> bool:
    if TOLD_OTHERWISE_TODAY in label:
        return False
    return not label.startswith(PLAYED_OTHERWISE_TODAY) or "single-call" in label


@pytest.mark.long
@pytest.mark.parametrize("name", old.EXPERIMENTS)
def test_a_new_run_asks_no_player_again(name: str, tmp_path: Path) -> None:
    """Prompts have got new parts since, so cells are others; the calls that they make are on record."""
    store, path = unpacked(name, tmp_path), old.written(name, tmp_path)
    kept = {"strategies": [entry for entry in old.EXPERIMENTS[name]["strategies"] if is_as_it_was(_label(entry))]}
    path.write_text(json.dumps({**json.loads(path.read_text()), **kept}))
    before = set(rows(store, "SELECT key FROM calls"))
    assert moot("run", path, "--quiet") == 0
    asked = [model for key, model in rows(store, "SELECT key, model FROM calls") if (key,) not in before]
    assert set(asked) <= JUDGES
    assert rows(store, "SELECT count(*) FROM failures") == [(0,)]


def _label(entry: Any) -> str:
    return entry if isinstance(entry, str) else label(strategy(*next(iter(entry.items()))))


def by_name(store: Path) -> dict[tuple[Any, ...], str]:
    """The cells by what they are called; of several under one name the one that was added last."""
    return {
        tuple(name): ident
        for ident, *name in rows(store, "SELECT id, label, team, captain, player, cohort FROM cells ORDER BY rowid")
        if is_as_it_was(name[0])
    }


@pytest.mark.long
@pytest.mark.parametrize("name", old.EXPERIMENTS)
def test_it_reads_as_if_played_today(name: str, tmp_path: Path, played_today: Callable[[str], Path]) -> None:
    store, fresh = asyncio.run(migrated(name, tmp_path)), played_today(name).with_suffix(".db")
    ours, todays = by_name(store), by_name(fresh)
    assert ours.keys() == todays.keys()
    assert ours
    cells = told_of_cells(store), told_of_cells(fresh)
    plays = verdicts(store), verdicts(fresh)
    for named, ident in ours.items():
        given, traits = cells[0][ident]
        given_today, traits_today = cells[1][todays[named]]
        assert given["given"] == given_today["given"]
        assert traits == traits_today
        mine = {key[1:]: verdict for key, verdict in plays[0].items() if key[0] == ident}
        new = {key[1:]: verdict for key, verdict in plays[1].items() if key[0] == todays[named]}
        assert mine.keys() == new.keys()
        for key, verdict in mine.items():
            assert without_what_was_not_noted(verdict) == without_what_was_not_noted(new[key])


@pytest.mark.long
@pytest.mark.parametrize("name", old.EXPERIMENTS)
def test_its_figures_are_those_of_a_run_of_today(
    name: str, tmp_path: Path, played_today: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    unpacked(name, tmp_path)
    tables = []
    for path in (old.written(name, tmp_path), played_today(name)):
        capsys.readouterr()
        assert moot("report", path, "--json") == 0
        figures = json.loads(capsys.readouterr().out)
        tables.append([row for row in figures["accuracy"] if is_as_it_was(row["label"])])
    assert _timeless(tables[0]) == _timeless(tables[1])


def _timeless(figures: Any) -> Any:
    """Figures without how long it took, and without the last digits of a sum of money, which differ from run to run."""
    if isinstance(figures, float):
        return float(f"{figures:.10g}")
    if isinstance(figures, Mapping):
        return {name: _timeless(part) for name, part in figures.items() if not name.endswith(("_s", "seconds", "_at"))}
    return [_timeless(part) for part in figures] if isinstance(figures, list) else figures


@pytest.mark.long
@pytest.mark.parametrize("name", [*old.EXPERIMENTS, "served"])
async def test_once_more_changes_nothing(name: str, tmp_path: Path) -> None:
    path = await migrated(name, tmp_path)
    first = told_of_cells(path), verdicts(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.executemany("DELETE FROM migrations WHERE name = ?", [(step,) for step in NEW_STEPS])
        connection.commit()
    await opened(f"sqlite:///{path}")
    assert (told_of_cells(path), verdicts(path)) == first


async def test_what_a_judge_said_stands_in_fields(tmp_path: Path) -> None:
    path = unpacked("quiz", tmp_path)
    before = rows(path, 'SELECT "case", answer, judge, detail FROM judgements ORDER BY 1, 2, 3')
    assert [detail for *_, detail in before if detail.startswith("call ")]
    with closing(sqlite3.connect(path)) as connection:
        spoilt = ("c", "a", "kim#2#0123456789ab", "asked 3×: no usable reply\nasked 2×: at all")
        connection.execute("INSERT INTO judgements VALUES (?, ?, ?, NULL, ?)", spoilt)
        connection.commit()
    await opened(f"sqlite:///{path}")
    fields = 'SELECT "case", answer, judge_name, call_key, tries, detail FROM judgements'
    assert rows(path, f'{fields} WHERE "case" != \'c\' ORDER BY "case", answer, judge') == [
        (case, answer, judge[: judge.index("#")], detail.removeprefix("call "), None, None)
        for case, answer, judge, detail in before
    ]
    assert rows(path, f"{fields} WHERE \"case\" = 'c'") == [
        ("c", "a", "kim#2", None, 3, "no usable reply\nasked 2×: at all")
    ]


@pytest.mark.parametrize(("later_by", "given"), [(1.0, {}), (-1.0, {"captain": "bob"})])
async def test_a_cell_of_two_files_is_told_by_the_one_that_was_first(
    later_by: float, given: Mapping[str, Any], tmp_path: Path
) -> None:
    """A captain stands in no label: what the other file says is the same cell, and was not what it was played for."""
    path = unpacked("quiz", tmp_path)
    with closing(sqlite3.connect(path)) as connection, connection:
        ((config, created_at),) = connection.execute("SELECT config, created_at FROM experiments").fetchall()
        another = json.dumps({**json.loads(config), "strategies": [{"silent": {"captain": "bob"}}]})
        values = ("another", "another", another, 1, created_at + later_by)
        connection.execute(
            "INSERT INTO experiments (id, name, config, size, created_at) VALUES (?, ?, ?, ?, ?)", values
        )
        ((cell,),) = connection.execute("SELECT id FROM cells WHERE label = 'silent' AND captain = 'bob'").fetchall()
        connection.execute(
            "INSERT INTO experiment_cells (experiment, position, cell) VALUES ('another', 0, ?)", (cell,)
        )
    await opened(f"sqlite:///{path}")
    options, _ = told_of_cells(path)[cell]
    assert options["given"] == given


@pytest.mark.long
async def test_some_at_a_time_makes_no_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "all").mkdir()
    whole = verdicts(await migrated("quiz", tmp_path / "all"))
    monkeypatch.setattr(walked_episodes, "TOGETHER", 5)
    assert verdicts(await migrated("quiz", tmp_path)) == whole


async def test_an_old_store_with_a_step_from_the_future_is_left_alone(tmp_path: Path) -> None:
    path = unpacked("quiz", tmp_path)
    before = rows(path, "SELECT * FROM episodes")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO migrations VALUES ('9999-from-the-future', 0)")
        connection.commit()
    with pytest.raises(StoreNewer):
        await opened(f"sqlite:///{path}")
    assert rows(path, "SELECT * FROM episodes") == before


@pytest.mark.long
@pytest.mark.parametrize("name", [*old.EXPERIMENTS, "served"])
async def test_postgresql_too(name: str, tmp_path: Path, postgres: Any) -> None:
    url = postgres.database()
    path = unpacked(name, tmp_path)
    await opened(url)
    store = await store_at(url).open()
    await store.run(lambda connection: _as_it_was(connection, path))
    await store.close()
    assert not postgres.sql(url, "SELECT name FROM migrations WHERE name > '0006'")
    await opened(url)
    await opened(f"sqlite:///{path}")
    for query in (
        "SELECT id, options, traits FROM cells ORDER BY id",
        "SELECT cell, question, repeat, verdict FROM episodes ORDER BY cell, question, repeat",
        'SELECT "case", answer, judge_name, call_key, tries, detail FROM judgements ORDER BY 1, 2, 3',
    ):
        assert postgres.sql(url, query) == rows(path, query)


def _as_it_was(connection: Connection, path: Path) -> None:
    """A store of the old version on PostgreSQL: its tables, with what stands in the file."""
    for table, columns in (
        ("cells", ("options", "traits")),
        ("experiment_questions", ("question_set", "cluster")),
        ("judgements", ("judge_name", "call_key", "tries")),
        ("scores", ("failure",)),
    ):
        for column in columns:
            connection.exec_driver_sql(f"ALTER TABLE {table} DROP COLUMN {column}")
    for table in NEW_TABLES:
        connection.exec_driver_sql(f"DROP TABLE {table}")
    connection.exec_driver_sql("DELETE FROM migrations")
    with closing(sqlite3.connect(path)) as stored:
        stored.row_factory = sqlite3.Row
        for table in schema.metadata.sorted_tables:
            if table.name not in NEW_TABLES:
                _copy(connection, table, [dict(row) for row in stored.execute(f"SELECT * FROM {table.name}")])


def _copy(connection: Connection, table: Any, content: Sequence[Mapping[str, Any]]) -> None:
    if content:
        connection.execute(insert(table).values(dict.fromkeys(content[0])), list(content))


# --- what a file or a store no longer tells ---------------------------------------------------------------------------


def row(label: str, **more: Any) -> dict[str, Any]:
    players = [{"name": name} for name in ("ann", "bob")]
    name = label.partition("(")[0]
    told = {"strategy": name, "label": label, "captain": None, "player": None, "spec": json.dumps({"players": players})}
    return {**told, **more}


def test_a_label_tells_its_options_where_the_file_does_not() -> None:
    label = "discuss(decision=approval-voting, personas=('a poet, of few words', 'a judge (retired)'), agents=2)"
    assert options_in_label(label) == {
        "decision": "approval-voting",
        "personas": "('a poet, of few words', 'a judge (retired)')",
        "agents": "2",
    }
    told = options_and_traits(row(label), ())
    options, traits = json.loads(told["options"]), json.loads(told["traits"])
    assert options["given"]["personas"] == ["a poet, of few words", "a judge (retired)"]
    assert options["given"]["agents"] == 2
    assert traits["decides_by"] == "voting"


def test_accuracies_that_a_selection_held_keep_their_mark() -> None:
    """The file named another file; its values are in no store, and the label tells their number and a mark."""
    told = options_and_traits(row("mixture(order=ascending, repeats=2, shown_accuracies=2#c9855c)", captain="ann"), ())
    options, traits = json.loads(told["options"]), json.loads(told["traits"])
    assert options["given"] == {"order": "ascending", "repeats": 2, "shown_accuracies": "2#c9855c"}
    assert (traits["drafts"], traits["word"], traits["repeats"]) == ("single-call", "captain", 2)


def test_a_whole_number_is_found_by_every_label_it_had() -> None:
    played = old_strategy("debate", {"max-rounds": 3, "grace-s": 30})
    assert played is not None
    assert set(played.labels()) == {"debate(max_rounds=3, grace_s=30)", "debate(max_rounds=3, grace_s=30.0)"}
    assert played.stored_options()["given"] == {"max_rounds": 3, "grace_s": 30.0}


def test_of_two_strategies_with_one_label_the_one_with_the_cells_captain_is_meant() -> None:
    """A captain stands in no label: the same strategy under two captains was written as one."""
    named = [old_strategy("silent", {"captain": name}) for name in ("ann", "bob")]
    for captain in ("ann", "bob"):
        told = options_and_traits(row("silent", captain=captain), named)
        assert json.loads(told["options"])["given"] == {"captain": captain}
    everybody = old_strategy("silent", {})
    told = options_and_traits(row("silent", captain="cat"), [*named, everybody])
    assert json.loads(told["options"])["given"] == {}


def test_a_strategy_that_is_not_installed_keeps_what_its_label_tells() -> None:
    told = options_and_traits(row("oracle(depth=3)", spec=json.dumps({"players": [], "repeats": 4})), ())
    assert json.loads(told["options"]) == {"given": {"depth": 3}, "default": {}}
    assert json.loads(told["traits"]) == {"repeats": 4}


@pytest.mark.parametrize(
    ("notes", "records"),
    [
        ({"not_needed": ["bob"]}, [{"kind": "not-needed", "players": ["bob"]}]),
        ({"deadline_s": 2.5}, [{"kind": "deadline", "seconds": 2.5}]),
        ({"warnings": ["two of three"]}, [{"kind": "remarked", "text": "two of three"}]),
        (
            {"ending": "stuck", "agreed": False, "rounds": [], "fell_back": "no partition"},
            [
                {"kind": "ending", "how": "stuck", "agreed": False},
                {"kind": "remarked", "text": "the grouping model's word could not be used: no partition"},
            ],
        ),
        (
            {"challenge": {"setting": "wrong", "replies": [], "cause": "there was no answer to challenge"}},
            [{"kind": "challenge", "setting": "wrong", "cause": "there was no answer to challenge"}],
        ),
    ],
    ids=["dropped calls", "a deadline", "a warning", "a fall back", "nothing to challenge"],
)
def test_what_was_noted_is_a_record(notes: dict[str, Any], records: list[dict[str, Any]]) -> None:
    written = json.dumps({"answer": None, "outcome": "unanswered", "turns": 1, "notes": notes})
    verdict = verdict_with_traces(written, OldCell("debate", None, {}))
    assert verdict is not None
    assert json.loads(verdict) == {"answer": None, "outcome": "unanswered", "turns": 1, "traces": records}


def test_a_verdict_without_notes_is_left_as_it_is() -> None:
    assert (
        verdict_with_traces('{"answer": "Paris", "outcome": "answered", "turns": 1}', OldCell("solo", None, {})) is None
    )


def test_why_somebody_had_no_word_on_a_challenge_is_kept() -> None:
    replies = [
        {"player": "ann", "agree": None, "answer": None, "cause": "timed out"},
        {"player": "bob", "agree": False, "answer": "Rome"},
    ]
    noted = {"challenge": {"setting": "solution", "replies": replies}}
    cell = OldCell("discuss", None, {})
    written = verdict_with_traces(json.dumps({"answer": "Paris", "outcome": "answered", "notes": noted}), cell)
    assert written is not None
    records = [trace_of(record) for record in json.loads(written)["traces"]]
    assert records[1:] == [Objection("ann", None, None, "timed out"), Objection("bob", False, "Rome")]


def test_a_new_store_has_every_table_and_index_of_today_and_no_step_before_it() -> None:
    """It is made in one go: what is declared, and the name of each step, so that none is taken later."""

    def made(make: Callable[[Connection], None]) -> list[tuple[str, str]]:
        engine = create_engine("sqlite://")
        with engine.begin() as connection:
            make(connection)
            return sorted(
                (name, sql) for name, sql in connection.exec_driver_sql("SELECT name, sql FROM sqlite_master")
            )

    assert made(migrating.migrate) == made(schema.metadata.create_all)
    with create_engine("sqlite://").begin() as connection:
        migrating.migrate(connection)
        assert list(connection.exec_driver_sql("SELECT name FROM migrations").scalars()) == list(migrating.MIGRATIONS)
