"""A model behind an address that `moot simulate` answers at is not real, and every ending says so once."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from beside import in_a_thread
from cup_commands import command, questions, told, write

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.experiment.spec import read_experiment
from moot.live.team import LiveTeam
from moot.serve.paid_off import offer_line, offer_of
from moot.simulate.server import running


def moot(*arguments: object) -> int:
    return run_app(app, [str(each) for each in arguments])


def test_it_is_told_once_by_the_names_of_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with in_a_thread(running({"seed": 7, "models": {"ann": {"accuracy": 0.8}, "bob": {"accuracy": 0.6}}})) as server:
        behind = {"provider": "endpoint", "base_url": server.base_url}
        models = {"first": {**behind, "model": "ann"}, "second": {**behind, "model": "bob"}}
        path = tmp_path / "cup.yaml"
        cup = {"name": "cup", "questions": {"builtin": "general-en", "sample": 12}, "models": models}
        path.write_text(json.dumps({**cup, "strategies": ["solo"]}))
        assert moot("run", path) == 0
        ended = capsys.readouterr().out
        wrong = {**models, "third": {**behind, "model": "kat"}}
        other = tmp_path / "wrong.yaml"
        lines = json.dumps({**cup, "name": "wrong", "models": wrong, "strategies": ["solo"]}, indent=1)
        other.write_text(lines)
        assert moot("doctor", other) == 1
        line = next(number for number, words in enumerate(lines.splitlines(), 1) if '"third"' in words)
        examined = " ".join(capsys.readouterr().out.split())
        assert "✗ third: failed: " in examined
        assert f"(wrong.yaml:{line}) 1 of 3 models failed" in examined
        assert moot("run", other) == 1
        assert f"(wrong.yaml:{line}: models.third)" in capsys.readouterr().err
    assert ended.count("Simulated, not real: first, second.") == 1
    assert moot("report", path) == 0
    assert capsys.readouterr().out.count("Simulated, not real: first, second.") == 1
    assert moot("runs", path) == 0
    assert "simulated models" in capsys.readouterr().out
    line = asyncio.run(announced(path))
    assert " %" in line
    assert "; simulated, not real: first, second (--all" in line, "with the figure that is served"


TWO = {"seed": 7, "models": {"ann": {"accuracy": 0.8}, "bob": {"accuracy": 0.6}}}
FIRST = "Thing 0?"
"""The text of the first question."""


@pytest.fixture
def address() -> Iterator[str]:
    with in_a_thread(running(TWO)) as server:
        yield server.base_url


@pytest.fixture
def another() -> Iterator[str]:
    with in_a_thread(running(TWO)) as server:
        yield server.base_url


def played(folder: Path, address: str, name: str = "cup", **more: Any) -> Path:
    models = {player: {"provider": "endpoint", "base_url": address, "model": player} for player in ("ann", "bob")}
    teams = {"two": {"players": ["ann", "bob"]}}
    store = f"sqlite:///{folder / 'all.db'}"
    path = write(folder, questions(12), name=name, models=models, teams=teams, store=store, **more)
    command("run", path, "--quiet")
    return path


def become_real(folder: Path, where: str, *about: str) -> None:
    """As if what answered there had been no simulation."""
    with closing(sqlite3.connect(folder / "all.db")) as store, store:
        store.execute(f"UPDATE calls SET version = 'qwen3' WHERE {where}", about)


def test_it_is_told_of_what_answers_at_the_address_of_now(tmp_path: Path, address: str, another: str) -> None:
    """Whoever has tried a file on `moot simulate` points it to models then; or does it the other way round."""
    assert told(played(tmp_path, address))["simulated"] == ["ann", "bob"]
    path = played(tmp_path, another)
    become_real(tmp_path, "instr(shape, ?)", another)
    assert told(path)["simulated"] == []
    assert told(played(tmp_path, address))["simulated"] == ["ann", "bob"]


def test_also_where_another_run_of_the_store_has_asked(tmp_path: Path, address: str) -> None:
    played(tmp_path, address)
    assert told(played(tmp_path, address, "votes", strategies=["vote"]))["simulated"] == ["ann", "bob"]


def test_and_where_only_the_first_questions_were_a_trial(tmp_path: Path, address: str) -> None:
    path = played(tmp_path, address)
    become_real(tmp_path, "instr(shape, ?) = 0", FIRST)
    assert told(path)["simulated"] == ["ann", "bob"]
    become_real(tmp_path, "instr(shape, ?)", FIRST)
    assert told(path)["simulated"] == []


async def announced(path: Path) -> str:
    live = LiveTeam(read_experiment(path, with_questions=False), serving=True)
    live.offer = await offer_of(live)
    return offer_line(live)
