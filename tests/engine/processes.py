"""Whole commands as processes of their own, against a simulated server that counts what it is really asked."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from beside import rows

MOOT = [sys.executable, "-c", "from moot.cli import main; main()"]
PLAYERS = {"ann": 0.7, "bob": 0.5, "cat": 0.4}


@contextmanager
def simulator(folder: Path, **config: Any) -> Iterator[str]:
    """The base URL of a server of these players, which knows the questions of the folder."""
    models = {name: {"accuracy": accuracy} for name, accuracy in PLAYERS.items()}
    file = folder / "simulate.yaml"
    file.write_text(json.dumps({"seed": 7, "models": models, "questions": "questions.jsonl", **config}))
    command = [*MOOT, "simulate", "--port", "0", "--config", str(file)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().split()[-1]
    finally:
        process.terminate()
        process.wait(10)
        process.stdout.close()


def stats(base_url: str) -> dict[str, Any]:
    with urllib.request.urlopen(f"{base_url.removesuffix('/v1')}/stats", timeout=60) as response:
        return json.load(response)


def write_questions(folder: Path, count: int = 30) -> None:
    lines = [{"id": f"q{n}", "text": f"Who is number {n}?", "answer": f"Person {n}"} for n in range(count)]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")


def experiment(
    folder: Path,
    base_url: str,
    store: str | None = None,
    *,
    concurrent: int = 8,
    model: Mapping[str, Any] | None = None,
    **keys: Any,
) -> Path:
    """A file that plays the folder's questions. `model` is added to what is said of each player."""
    each = {"provider": "endpoint", "base_url": base_url, "limits": {"concurrent": concurrent}, **(model or {})}
    models = {name: {**each, "model": name} for name in PLAYERS}
    described = {"name": "cup", "questions": {"file": "questions.jsonl"}, "models": models, **keys}
    path = folder / "cup.yaml"
    path.write_text(json.dumps(described | ({"store": store} if store else {})))
    return path


def start(path: Path, *options: str, quiet: bool = True, **process: Any) -> subprocess.Popen[str]:
    command = [*MOOT, "run", str(path), *(["--quiet"] if quiet else []), *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **process)


def finish(process: subprocess.Popen[str]) -> tuple[int, str]:
    """How it ended, and what it said on the way."""
    try:
        _, error = process.communicate(timeout=300)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    return process.returncode, error


def wait_for(server: str, requests: int, process: subprocess.Popen[str], pause_s: float = 0.01) -> None:
    """Until so many were asked. A process that has ended by then is a test that shows nothing."""
    while process.poll() is None and stats(server)["requests"] < requests:
        time.sleep(pause_s)
    assert process.poll() is None, finish(process)


@dataclass(frozen=True)
class StorePlace:
    """Where a run keeps its rows, and how to look at them from outside."""

    url: str
    sql: Callable[[str], list[tuple[Any, ...]]]

    def count(self, what: str) -> int:
        return int(self.sql(f"SELECT count(*) FROM {what}")[0][0])

    def locked(self) -> bool:
        """Whether somebody keeps all others from writing. In PostgreSQL nobody does: who stands still there is ended."""
        if not self.url.startswith("sqlite"):
            return False
        with closing(sqlite3.connect(self.url.removeprefix("sqlite:///"), timeout=1.0)) as connection:
            try:
                connection.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as error:
                if "locked" not in str(error):
                    raise
                return True
            return False

    def calls(self) -> set[tuple[str, str]]:
        """Model and prompt of each that is kept."""
        tables = "sqlite_master WHERE name" if self.url.startswith("sqlite") else "pg_tables WHERE tablename"
        if not self.sql(f"SELECT 1 FROM {tables} = 'calls'"):
            return set()
        shapes = [json.loads(shape)[0] for (shape,) in self.sql("SELECT shape FROM calls")]
        return {(shape["body"]["model"], shape["messages"][0]["content"]) for shape in shapes}


def sqlite_place(folder: Path) -> StorePlace:
    return StorePlace(f"sqlite:///{folder / 's.db'}", lambda query: rows(folder / "s.db", query))


def store_place(request: pytest.FixtureRequest, folder: Path) -> StorePlace:
    """For a fixture of two parameters, sqlite and postgresql."""
    if request.param == "postgresql":
        postgres = request.getfixturevalue("postgres")
        url = postgres.database()
        return StorePlace(url, lambda query: postgres.sql(url, query))
    return sqlite_place(folder)
