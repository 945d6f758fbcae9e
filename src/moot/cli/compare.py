"""`moot compare`: two strategies on the same questions, pair by pair."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from moot.cli.console import Console
from moot.cli.file_graders import FileGraders
from moot.cli.interrupts import ends_on_ctrl_c
from moot.cli.report import open_existing
from moot.cli.safe_text import print_json
from moot.errors import MootError, UsageError
from moot.experiment.spec import read_experiment
from moot.pasted import pasted
from moot.report.compare import compared, words
from moot.store import from_here
from moot.store.examined import opened_to_read


def two_sides(source: str, sides: Sequence[str], a: str | None, b: str | None) -> tuple[str, str]:
    """Both behind the file, or both by option."""
    named = [side for side in (a, b) if side is not None]
    match sides or named:
        case [first, second] if not (sides and named):
            return first, second
    raise UsageError(
        f"expected two strategies, such as: moot compare {pasted(source)} {_two_of(source)} (or --a and --b)"
    )


def _two_of(source: str) -> str:
    """Two that the file has, so that what is shown can be typed."""
    try:
        entries = read_experiment(Path(source), with_questions=False).spec.strategies
    except MootError:
        entries = []
    labels = list(dict.fromkeys(entry if isinstance(entry, str) else next(iter(entry)) for entry in entries))
    return " ".join([*labels[::-1], *(name for name in ("vote", "solo") if name not in labels)][:2])


def compare_command(source: str, *, a: str, b: str, store: str | None, as_json: bool) -> int:
    row = asyncio.run(compared_in(source, a, b, store))
    if as_json:
        print_json(row)
        return 0
    console = Console()
    for sentence in words(row):
        console.print(sentence, markup=False, highlight=False)
    return 0


async def compared_in(source: str, a: str, b: str, url: str | None = None) -> dict[str, Any]:
    """`source` is an experiment file, the URL of a store, or a store's file."""
    if "://" in source or source.endswith((".db", ".sqlite")):
        store, wanted = open_existing(None, from_here(source if "://" in source else f"sqlite:///{source}"))
        graders = None
    else:
        store, wanted = open_existing(Path(source), url)
        graders = FileGraders(read_experiment(Path(source), with_questions=False))

    def read(connection: Connection) -> dict[str, Any]:
        found = wanted.found(connection)
        row = compared(connection, graders.follow(connection, found.plan) if graders else found.plan, a, b)
        return found.noted(row)

    async with opened_to_read(store):
        with ends_on_ctrl_c():
            row = await store.read(read)
    if graders is not None:
        graders.say()
    return row
