"""The report of a store as an SVG picture: python examples/picture.py STORE_URL NAME docs/demo.svg"""

from __future__ import annotations

import asyncio
import io
import sys

from rich.console import Console

from moot.report.figures import figures, find_experiment
from moot.report.terminal import print_report
from moot.store import from_here, store_at


async def draw(url: str, name: str, target: str) -> None:
    store = await store_at(from_here(url)).open()
    shown = await store.run(lambda connection: figures(connection, find_experiment(connection, name)))
    await store.close()
    console = Console(record=True, width=84, file=io.StringIO())
    print_report(shown, console)
    console.save_svg(target, title=f"moot report {name}")


if __name__ == "__main__":
    asyncio.run(draw(*sys.argv[1:4]))
