"""`moot watch`: how a running experiment stands, as a page that follows it, or once in the terminal."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from rich.text import Text

from moot.cli.console import Console
from moot.cli.report import open_existing
from moot.cli.safe_text import print_json, tamed
from moot.errors import UsageError
from moot.live.served import served_name
from moot.measures.numbers import shown
from moot.pasted import pasted
from moot.report.layout import table
from moot.serve.watching import Watching, serve_watch
from moot.stats.counted_words import count


def watch_command(path: Path, *, store: str | None, port: int, every_s: float, once: bool, as_json: bool) -> int:
    opened, wanted = open_existing(path, store)
    name = wanted.name
    if name is not None and name == served_name(name.removesuffix(":served")):
        raise UsageError(
            f"{path} has no questions: nothing is run that could be watched; moot log --team {pasted(path)} lists what was asked"
        )
    watching = Watching(opened, wanted, every_s)
    if once or as_json:
        figures = asyncio.run(_once(watching))
        if as_json:
            print_json(figures)
        else:
            _print(figures, Console())
        return 0
    with suppress(KeyboardInterrupt):  # how one ends it: nothing was interrupted
        serve_watch(watching, port, tamed(name or str(path)))
    return 0


async def _once(watching: Watching) -> dict[str, Any]:
    try:
        figures = await watching.figures()
    finally:
        await watching.close()
    figures.pop("again_s")
    return figures


def _print(figures: Mapping[str, Any], console: Console) -> None:
    if "accuracy" not in figures:
        console.print(Text(f"{figures['words']}: {' '.join(figures['notes'])}"))
        return
    planned = figures["episodes"] + figures["missing"]
    played = f"{figures['episodes']:,} of {count(planned, 'episode')}, {figures['spent']}"
    console.print(Text(f"{figures['experiment']}: {figures['words']}; {played}"))
    for note in figures["notes"]:
        console.print(Text(note))
    heads = ["option", "right so far (95 %)" if not figures["over"] else "right (95 %)", "n", "missing"]
    rows = [
        [f"{row['of']}{', declared' if row['declared'] else ''}", row["words"], f"{row['n']:,}", f"{row['missing']:,}"]
        for row in figures["accuracy"]
    ]
    console.print(table(heads, rows, words=1, width=console.width))
    heads = ["model", "replies", "median", "slowest tenth", "last reply", "failed"]
    rows = [
        [
            f"{row['model']}{', slow' if row['slow'] else ''}",
            f"{row['replies']:,}",
            shown(row["median_s"], "seconds"),
            shown(row["slow_s"], "seconds"),
            "–" if row["last_s"] is None else f"{row['last_s']:,.0f} s ago",
            f"{row['failed']:,}",
        ]
        for row in figures["models"]
    ]
    console.print(table(heads, rows, words=1, width=console.width))
    for row in figures["models"]:
        for cause in row["failures"]:
            console.print(Text(f"{row['model']}: {cause['times']:,} × {cause['kind']}: {cause['message']}"))
