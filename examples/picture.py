"""The report of a store as an SVG picture: python examples/picture.py STORE_URL NAME docs/demo.svg"""

from __future__ import annotations

import asyncio
import io
import re
import sys
from pathlib import Path

from rich.console import Console

from moot.report.figures import Figures, figures, find_experiment
from moot.report.terminal import print_report
from moot.store import from_here, store_at


async def read(url: str, name: str) -> Figures:
    store = await store_at(from_here(url)).open()
    shown = await store.run(lambda connection: figures(connection, find_experiment(connection, name)))
    await store.close()
    return shown


def draw(url: str, name: str, target: str) -> None:
    shown = asyncio.run(read(url, name))
    # The head of the report; the rest is for those who ask.
    head = {
        key: value for key, value in shown.items() if key not in ("diversity", "self_preference", "adaptive", "gap")
    }
    console = Console(record=True, width=82, file=io.StringIO())
    print_report(head, console)
    drawn = console.export_svg(title=f"moot report {name}")
    # A picture must not ask another host for its font.
    Path(target).write_text(re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL), encoding="utf-8")


if __name__ == "__main__":
    draw(*sys.argv[1:4])
