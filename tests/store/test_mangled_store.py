"""A store that is damaged, or a stranger's: what moot cannot have written is said to be the store's fault, and no figure is made
of it."""

from __future__ import annotations

import json
import random
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.errors import StoreUnreadable
from moot.measures.source import Source
from moot.report.notebook import open_store
from moot.store.examined import examine

MODELS = {"ann": 0.7, "bob": 0.5, "cat": 0.4}
COMMANDS: dict[str, list[str]] = {
    "report": ["report", "cup.yaml"],
    "page": ["report", "cup.yaml", "-o", "report.html"],
    "compare": ["compare", "cup.yaml", "--a", "vote", "--b", "solo@ann"],
    "show": ["show", "cup.yaml", "q1"],
    "grade": ["grade", "cup.yaml"],
    "export": ["export", "cup.yaml", "-o", "replies.jsonl"],
    "select": ["select", "cup.yaml", "--k", "2", "--method", "greedy", "--splits", "2"],
}
BLOB = b"\xff\xfe"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cup")
    lines = [{"id": f"q{n}", "text": f"Who is number {n}?", "answer": f"Person {n}"} for n in range(6)]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    spec = {
        "name": "cup",
        "questions": {"file": "questions.jsonl"},
        "models": {name: {"provider": "simulated", "accuracy": share} for name, share in MODELS.items()},
        "teams": {"three": {"players": list(MODELS), "captain": "ann"}},
        "strategies": ["solo", "vote", "talkative"],
    }
    (folder / "cup.yaml").write_text(json.dumps(spec), encoding="utf-8")
    assert run_app(app, ["run", str(folder / "cup.yaml"), "--quiet"]) == 0
    with closing(sqlite3.connect(folder / "cup.db")) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    return folder


@pytest.fixture
def cup(played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy, in the folder where commands are given."""
    for path in played.iterdir():
        if path.is_file():
            shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "cup.db"


def mangling(place: str, *, one: bool = False) -> str:
    """A statement that puts a value into a column: of all rows, or of one score."""
    table, column = place.split(".")
    only = ' WHERE ("case", repeat, cell) = (SELECT "case", repeat, cell FROM scores LIMIT 1)' if one else ""
    return f'UPDATE OR IGNORE {table} SET "{column}" = ?{only}'


def mangle(store: Path, place: str, value: Any, *, one: bool = False) -> None:
    with closing(sqlite3.connect(store)) as connection:
        connection.execute(mangling(place, one=one), (value,))
        connection.commit()


@pytest.mark.parametrize("command", ["report", "compare", "show"])
@pytest.mark.parametrize("value", [7, 1.001, -0.1, float("inf"), "abc", BLOB])
def test_a_score_that_is_none_is_no_figure(
    command: str, value: Any, cup: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mangle(cup, "scores.value", value, one=command != "show")
    assert run_app(app, COMMANDS[command]) == 2
    said = capsys.readouterr()
    assert "%" not in said.out
    assert said.err.count("moot: ") == 1
    assert "cup.db: scores.value: expected a number from 0 to 1, found" in said.err


ODD: dict[str, tuple[Any, ...]] = {
    "experiments.config": ("{", "[]", "null", '{"a":1}', '{"models": {}, "seed": []}', '{"a":' * 2_000, BLOB),
    "experiments.size": ("x", -1),
    "experiment_questions.position": ('{"a":1}', BLOB),
    "cells.traits": ("[1,2]", "x", 5),
    "cells.options": ("x", "NaN", '{"given": 1}'),
    "cells.spec": (BLOB, "{}", '{"players": [1]}'),
    "cells.player": (BLOB, "nobody"),
    "cells.strategy": (BLOB,),
    "cells.team": (BLOB,),
    "cases.content": ('"x"', "[[]]", 1.5, '{"question": {"id": "q1", "text": 5}, "answer": 5}'),
    "cases.id": ("[]",),
    "runs.facts": ("[1,2]", "-5", BLOB),
    "episodes.answer": (BLOB,),
    "episodes.outcome": ("strange", BLOB),
    "episodes.verdict": ("x", "[null]", '{"answer": 1, "outcome": "answered", "answers": [5]}'),
    "episodes.transcript": ("null", "x", '[["a","b","c","d","e"]]', '[["a", [], {}, [], 1, 2]]'),
    "episodes.repeat": ('{"a":1}', BLOB),
    "episodes.seconds": ("NaN", float("inf"), -1.0),
    "calls.text": (BLOB,),
    "calls.cost_usd": ("x", -5.0, BLOB),
    "calls.prompt_tokens": ("[]", -5),
    "calls.completion_tokens": ("x", 1.5),
    "calls.shape": ("x", "[]", "{}"),
    "calls.latency_s": ("x",),
    "scores.stage": (BLOB,),
    "scores.repeat": ('"x"',),
}


CASES = [(place, value) for place, values in ODD.items() for value in values]


def tell(command: str, store: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """The exit code and the message, after a look at what was printed."""
    code = run_app(app, [*COMMANDS[command], "--store", f"sqlite:///{store}"])
    said = capsys.readouterr()
    assert code in (0, 2), f"{command}: {code}: {said.err}"
    assert "bug" not in said.err
    if code == 2:
        assert re.search(rf"^moot: {re.escape(str(store))}: [a-z_]+\.[a-z_]+: ", said.err, re.MULTILINE), said.err
        assert said.err.count("moot: ") == 1, said.err
    shares = [float(share) for share in re.findall(r"(-?\d+(?:\.\d+)?) %", said.out)]
    assert all(-100 <= share <= 100 for share in shares), f"{command}: {shares}"
    return code, said.err


@pytest.mark.parametrize("command", COMMANDS)
def test_a_mangled_store_is_not_called_a_bug(command: str, cup: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Some of all places and values, drawn once for each command."""
    codes = []
    for number, (place, value) in enumerate(random.Random(f"mangled {command}").sample(CASES, 4)):
        store = cup.with_name(f"{number}.db")
        shutil.copy(cup, store)
        mangle(store, place, value)
        codes.append(tell(command, store, capsys)[0])
    assert 2 in codes


def test_whatever_moot_cannot_have_written_is_found(cup: Path) -> None:
    engine = create_engine(f"sqlite:///{cup}")
    times = [("runs.started_at", value) for value in ("x", float("inf"), float("-inf"))]
    for place, value in [*CASES, *times]:
        named = place.replace("cases.id", "experiment_questions.case")  # which is where it is missed
        with engine.connect() as connection:
            connection.exec_driver_sql(mangling(place), (value,))
            with pytest.raises(StoreUnreadable, match=f"^{re.escape(named)}: "):
                examine(connection)
    engine.dispose()


def test_nothing_is_found_in_a_whole_store(cup: Path) -> None:
    engine = create_engine(f"sqlite:///{cup}")
    with engine.begin() as connection:
        examine(connection)
    engine.dispose()


@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_whole_stays_readable(command: str, cup: Path) -> None:
    assert run_app(app, COMMANDS[command]) == 0


def test_bytes_that_are_no_text_are_the_fault_of_the_store(cup: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with closing(sqlite3.connect(cup)) as connection:
        connection.execute("UPDATE episodes SET answer = CAST(x'fffe' AS TEXT)")
        connection.commit()
    assert run_app(app, COMMANDS["compare"]) == 2
    assert "cup.db: Could not decode to UTF-8 column 'answer'" in capsys.readouterr().err


def test_a_notebook_is_told_the_same(cup: Path) -> None:
    mangle(cup, "episodes.transcript", "null")
    with pytest.raises(StoreUnreadable, match=r"cup\.db: episodes\.transcript: expected a list of calls"):
        open_store(str(cup)).report()


def test_a_bug_over_a_whole_store_stays_a_bug(
    cup: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(_self: Source, *_: object, **__: object) -> None:
        raise KeyError("ann")

    monkeypatch.setattr(Source, "__init__", broken)
    assert run_app(app, COMMANDS["compare"]) == 1
    assert "a bug in moot: KeyError" in capsys.readouterr().err


def test_debug_shows_what_failed_beside_the_fault(cup: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mangle(cup, "episodes.transcript", "null")
    assert run_app(app, [*COMMANDS["show"], "--debug"]) == 2
    said = capsys.readouterr().err
    assert "TypeError" in said
    assert "episodes.transcript: expected a list of calls" in said
