"""How a report of a store ends, as an SVG picture: python examples/picture.py STORE_URL NAME docs/demo.svg"""

from __future__ import annotations

import asyncio
import io
import re
import sys
from pathlib import Path

from rich.console import Console

from moot.report.ending import NextCommands, print_ending
from moot.report.figures import Figures, figures, find_experiment
from moot.store import from_here, store_at


async def read(url: str, name: str) -> Figures:
    store = await store_at(from_here(url)).open()
    shown = await store.run(lambda connection: figures(connection, find_experiment(connection, name)))
    await store.close()
    return shown


def draw(url: str, name: str, target: str) -> None:
    console = Console(record=True, width=80, file=io.StringIO())
    print_ending(asyncio.run(read(url, name)), console, NextCommands(f"{name}.yaml", f"{name}.html"))
    drawn = console.export_svg(title=f"moot report {name}")
    # A picture must not ask another host for its font.
    Path(target).write_text(re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL), encoding="utf-8")


if __name__ == "__main__":
    draw(*sys.argv[1:4])
