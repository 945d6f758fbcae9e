"""A run as it may turn out once everybody is reached shares what was asked and paid with the run, and nothing that hangs on who
was there or on what is right."""

from __future__ import annotations

import asyncio
from functools import cached_property
from pathlib import Path

import pytest
from cup_commands import ended, write
from outages import asked, gone

from moot.measures.played_again import played_again
from moot.measures.source import Source
from moot.report.figures import find_experiment
from moot.store import store_at


def _right(source: Source) -> int:
    return sum(seen.right is not None for cell in source.cells for seen in source.seen(cell))


def test_what_hangs_on_who_was_reached_is_worked_out_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = cached_property(_right)
    kept.__set_name__(Source, "right_once")
    monkeypatch.setattr(Source, "right_once", kept, raising=False)
    rows = [{"id": f"q{n}", "text": f"Who is number {n}?", "answer": f"Person {n}"} for n in range(10)]
    models = {name: {"provider": "simulated", "accuracy": 1.0} for name in ("ann", "bob")}
    path = write(tmp_path, rows, models=models, teams={"two": {"players": list(models)}}, strategies=["solo"])
    with asked(gone("ann", questions=lambda n: n < 3)):
        assert ended("run", path, "--quiet")[0] == 1
    assert asyncio.run(_counted(tmp_path / "cup.db")) == (20, 17, True)


async def _counted(path: Path) -> tuple[int, int, bool]:
    store = await store_at(f"sqlite:///{path}").open()
    try:
        return await store.run(lambda connection: _both(Source(connection, find_experiment(connection))))
    finally:
        await store.close()


def _both(source: Source) -> tuple[int, int, bool]:
    """Of the run, and of the same played again; and whether what was asked is one and the same."""
    first = vars(Source)["right_once"].__get__(source)
    again = played_again(source)
    assert again is not None
    return first, vars(Source)["right_once"].__get__(again), again.whole is source.whole
