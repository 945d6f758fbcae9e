"""Stores that somebody else has made: what stands in the place of a table is not asked."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.errors import StoreError
from moot.store import store_at

FOR_EVER = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS key FROM n"
FOREIGN = {
    "a view for a table": f"DROP TABLE calls; CREATE VIEW calls AS {FOR_EVER}",
    "a view for the migrations": f"DROP TABLE migrations; CREATE VIEW migrations AS {FOR_EVER}",
    "a trigger": "CREATE TRIGGER kept AFTER INSERT ON calls BEGIN DELETE FROM episodes; END",
    "a trigger on a view": f"DROP TABLE calls; CREATE VIEW calls AS {FOR_EVER};"
    "CREATE TRIGGER t INSTEAD OF INSERT ON calls BEGIN DELETE FROM episodes; END",
    "a virtual table": "DROP TABLE calls; CREATE VIRTUAL TABLE calls USING fts5(key, text)",
    "a computed column": "DROP TABLE failures; CREATE TABLE failures (id INTEGER, message TEXT AS (hex(zeroblob(900000000))))",
}


@pytest.mark.parametrize("name", FOREIGN)
async def test_what_we_have_not_made_is_not_used(tmp_path: Path, name: str) -> None:
    path = tmp_path / "s.db"
    await (await store_at(f"sqlite:///{path}").open()).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(FOREIGN[name])
    with pytest.raises(StoreError, match=r"s\.db: holds a .* that moot has not made"):
        await store_at(f"sqlite:///{path}").open()


async def test_a_view_of_ones_own_beside_the_tables_is_fine(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    await (await store_at(f"sqlite:///{path}").open()).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("CREATE VIEW mine AS SELECT key FROM calls; CREATE TABLE notes (words TEXT)")
    await (await store_at(f"sqlite:///{path}").open()).close()


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        ("UPDATE episodes SET verdict = '{'", "a verdict"),
        ("UPDATE cases SET content = '{\"question\": 5}'", "a question"),
    ],
)
def test_a_broken_row_is_the_fault_of_the_store(
    broken: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    models = {"ann": {"provider": "simulated", "accuracy": 0.5}}
    path = tmp_path / "cup.yaml"
    path.write_text(json.dumps({"name": "cup", "questions": {"builtin": "general-en"}, "models": models}))
    assert run_app(app, ["run", str(path), "--limit", "3"]) == 0
    with sqlite3.connect(tmp_path / "cup.db") as connection:
        connection.execute(broken)
    capsys.readouterr()
    assert run_app(app, ["grade", str(path)]) != 0
    said = capsys.readouterr().err
    assert f"the store holds {words} that is not as moot writes one" in said
    assert "bug" not in said
