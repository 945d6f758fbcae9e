"""Episodes of a small run are asked of the store once; those of a large one again, and every figure is the same either way."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, create_engine
from worlds import World

from moot.measures import kept_rows
from moot.measures.kept_rows import KeptRows
from moot.measures.source import Source
from moot.report.figures import figures, find_experiment
from moot.store import queries


def rows_of(cell: str, size: int = 10) -> list[dict[str, Any]]:
    return [{"cell": cell, "n": n, "verdict": "v" * size, "transcript": ""} for n in range(3)]


def test_what_is_small_is_read_once() -> None:
    asked: Counter[str] = Counter()

    def read(cell: str) -> list[dict[str, Any]]:
        asked[cell] += 1
        return rows_of(cell)

    kept = KeptRows(read)
    for _ in range(3):
        assert [*kept.of("a")] == rows_of("a")
        assert [*kept.of("b")] == rows_of("b")
    assert asked == {"a": 1, "b": 1}


def test_what_is_large_is_read_anew_and_leaves_room_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_rows, "MOST_CHARACTERS", 50)
    asked: Counter[str] = Counter()

    def read(cell: str) -> list[dict[str, Any]]:
        asked[cell] += 1
        return rows_of(cell, size=20 if cell == "large" else 10)

    kept = KeptRows(read)
    for _ in range(2):
        for cell in ("large", "small", "no room"):
            assert [row["cell"] for row in kept.of(cell)] == [cell] * 3
    assert asked == {"large": 2, "small": 1, "no room": 2}


def test_who_stops_early_leaves_nothing_half_read() -> None:
    kept = KeptRows(rows_of)
    assert next(iter(kept.of("a")))["n"] == 0
    assert [row["n"] for row in kept.of("a")] == [0, 1, 2]


def test_figures_are_the_same_with_room_and_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = tmp_path / "moot.db"
    world = World(lambda name, number, _: "Rome" if (number + len(name)) % 3 else "Paris", lambda *shown: shown[2][0])
    plan = world.play(["solo", "vote", "talkative", "debate"], store=f"sqlite:///{store}").plan_id
    asked: Counter[str] = Counter()
    results = queries.results

    def counted(connection: Connection, ident: str, cell: str, grader: str) -> Any:
        asked[cell] += 1
        return results(connection, ident, cell, grader)

    monkeypatch.setattr(queries, "results", counted)
    told = []
    with create_engine("sqlite://", creator=lambda: sqlite3.connect(store)).connect() as connection:
        teams = {each["id"] for each in Source(connection, find_experiment(connection)).cells if not each["player"]}
        for room in (kept_rows.MOST_CHARACTERS, 0):
            monkeypatch.setattr(kept_rows, "MOST_CHARACTERS", room)
            asked.clear()
            told.append(json.dumps(figures(connection, find_experiment(connection, ident=plan)), sort_keys=True))
            again = max(asked[team] for team in teams)
            assert again <= 2 if room else again > 2
    assert told[0] == told[1]
