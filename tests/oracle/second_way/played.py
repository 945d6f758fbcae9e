"""An experiment played and reported through the command."""

from __future__ import annotations

import io
import json
import os
import random
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import chdir, closing, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest import mock

from second_way.raw import Raw


def command(folder: Path, *arguments: str) -> str:
    """What it prints. 1 is the end of a run in which some episodes failed, which is no mistake."""
    from moot.cli.app import app
    from moot.cli.exit import run_app

    said, complaints = io.StringIO(), io.StringIO()
    nothing = {**os.environ, "MOOT_CACHE": str(folder / "cache")}  # no model that may be installed changes a figure
    with chdir(folder), mock.patch.dict(os.environ, nothing), redirect_stdout(said), redirect_stderr(complaints):
        status = run_app(app, list(arguments))
    assert status in (0, 1), f"moot {' '.join(arguments)} ended with {status}: {complaints.getvalue()}"
    return said.getvalue()


def run(folder: Path, keys: Mapping[str, Any], *more: str) -> None:
    (folder / "world.yaml").write_text(json.dumps(keys), encoding="utf-8")
    command(folder, "run", "world.yaml", "--quiet", *more)


def figures(folder: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(command(folder, "report", "world.yaml", "--json"))
    return read


def raw(folder: Path, keys: Mapping[str, Any], beside: Sequence[Raw] = ()) -> Raw:
    tables = f"raw{len(beside) or ''}"
    command(folder, "report", "world.yaml", "--format", "parquet", "-o", tables)
    return Raw.read(folder / tables, keys, beside)


def forget(folder: Path, number: int, shares: Sequence[float] = (1.0, 1.0, 0.8, 0.4, 0.1)) -> None:
    """As if the run had been stopped: some cells lose a part of their episodes, each another part; of one of these shares
    each is left."""
    draw = random.Random(f"stopped {number}")
    (store,) = folder.glob("*.db")
    with closing(sqlite3.connect(store)) as connection, connection:
        cells = [cell for (cell,) in connection.execute("SELECT cell FROM experiment_cells ORDER BY position")]
        plays = connection.execute(
            "SELECT e.cell, e.question, e.repeat FROM episodes e JOIN experiment_questions q USING (question)"
            " ORDER BY e.cell, q.position, e.repeat"
        ).fetchall()
        kept = {cell: draw.choice(shares) for cell in cells}
        gone = [play for play in plays if draw.random() > kept[play[0]]]
        connection.executemany("DELETE FROM episodes WHERE cell = ? AND question = ? AND repeat = ?", gone)
