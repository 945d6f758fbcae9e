"""Runs of which only a part was played: stopped, or served. What is left of them, and what is shown of that."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from io import StringIO
from pathlib import Path
from typing import Any

from rich.console import Console
from worlds import World

import moot
from moot.report.figures import figures, find_experiment
from moot.report.sections import all_sections
from moot.report.terminal import print_report
from moot.store import store_at

Episode = Callable[[str, str, int], bool]
"""Whether an episode has been played: by the strategy, whose it is, and the number of its question."""
REVIEW = {"peer-review": {"drafts": "single-call"}}
COUNT = 40


def world(right: dict[str, Callable[[int], bool]], after: dict[str, Callable[[int], bool]] | None = None) -> World:
    """Who is right on which question, alone and after reading the others."""

    def said(name: str, n: int, right: Callable[[int], bool]) -> str:
        return "Paris" if right(n) else f"not {name} {n}"

    return World(
        lambda name, n, repeat: said(name, n, right[name]),
        lambda name, n, texts: said(name, n, (after or right)[name]),
        count=COUNT,
        players=tuple(right),
    )


async def stopped(folder: Path, players: World, strategies: list[Any], played: Episode, **more: Any) -> dict[str, Any]:
    """The figures of a run of which only so much was played."""
    path = folder / "cup.db"
    await moot.arun(players.keys(strategies, **more), store=path)
    with closing(sqlite3.connect(path)) as connection, connection:
        cells = connection.execute("SELECT id, strategy, coalesce(player, captain, '') FROM cells").fetchall()
        asked = connection.execute("SELECT question FROM experiment_questions ORDER BY position").fetchall()
        gone = [
            (cell, question)
            for cell, strategy, whose in cells
            for n, (question,) in enumerate(asked)
            if not played(strategy, whose, n)
        ]
        connection.executemany("DELETE FROM episodes WHERE cell = ? AND question = ?", gone)
    return await figures_of(path)


async def figures_of(path: Path) -> dict[str, Any]:
    """What the store says as it is, nothing asked for."""
    store = await store_at(f"sqlite:///{path}").open()
    try:
        return dict(await store.run(lambda connection: figures(connection, find_experiment(connection))))
    finally:
        await store.close()


def terminal(shown: dict[str, Any]) -> str:
    written = StringIO()
    print_report(shown, Console(file=written, width=400))
    return " ".join(written.getvalue().split())


def words_of(shown: dict[str, Any], section: str) -> str:
    return " ".join(words for each in all_sections(shown) if each.id == section for words in each.words)


def always(n: int) -> bool:
    return True


def never(n: int) -> bool:
    return False


def even(n: int) -> bool:
    return n % 2 == 0
