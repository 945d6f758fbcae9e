"""Progress on stderr: a bar where there is a terminal, plain lines where there is none."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from rich.console import Console as RichConsole
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Column

from moot.cli.console import Console
from moot.cli.safe_text import say, tamed
from moot.engine.run_tally import RunTally
from moot.measures.facts.figures import whose_losses
from moot.measures.numbers import money
from moot.stats.counted_words import count

LINE_EVERY_S = 5.0


@asynccontextmanager
async def watch(tally: RunTally, *, title: str, quiet: bool = False) -> AsyncIterator[None]:
    """Show the tally while the body runs."""
    if quiet:
        yield
        return
    console = Console(stderr=True)
    show = _bar(tally, title, console) if console.is_terminal else _lines(tally, title)
    task = asyncio.create_task(show)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _bar(tally: RunTally, title: str, console: Console) -> None:
    with progress_bar(console) as bar:
        task = bar.add_task(title, total=tally.total, state="")
        try:
            while True:
                bar.update(task, completed=tally.done, total=tally.total, state=_state(tally))
                await asyncio.sleep(0.2)
        finally:
            bar.update(task, completed=tally.done, state=_state(tally))


def progress_bar(console: RichConsole) -> Progress:
    """In one line at any width: bar, count and remaining time are kept, and what follows them is cut."""
    name = TextColumn("{task.description}", markup=False, table_column=Column(max_width=16, **_ONE_LINE))
    state = TextColumn("{task.fields[state]}", style="dim", markup=False, table_column=Column(ratio=1, **_ONE_LINE))
    count = MofNCompleteColumn(table_column=Column(no_wrap=True))
    left = TimeRemainingColumn(compact=True, table_column=Column(no_wrap=True, min_width=5))
    return Progress(name, BarColumn(16), count, left, state, console=console, transient=True, expand=True)


_ONE_LINE: Any = {"no_wrap": True, "overflow": "ellipsis"}


async def _lines(tally: RunTally, title: str) -> None:
    try:
        while True:
            await asyncio.sleep(LINE_EVERY_S)
            say(_line(tally, title), file=sys.stderr)
    finally:
        if tally.anything_new:
            say(_line(tally, title), file=sys.stderr)


def _line(tally: RunTally, title: str) -> str:
    return tamed(f"{title}: {tally.done}/{tally.total} episodes, {_state(tally)}")


def _state(tally: RunTally) -> str:
    """Rate, cost so far, and how each endpoint is doing."""
    calls = tally.calls
    elapsed_s = max(1e-9, time.monotonic() - tally.started_at)
    parts = [f"{tally.played / elapsed_s:.1f}/s"]
    if calls is not None:
        cost_usd = calls.cost_usd or None if tally.unpriced else calls.cost_usd
        whose = whose_losses(cost_usd)
        lost = f" and at most {money(tally.lost_usd)} more for calls {whose}" if tally.lost_usd else ""
        if tally.unpriced:  # there is no most
            unknown = f"{count(tally.unpriced, 'call')} {whose_losses(cost_usd)}"
            lost = "" if cost_usd is None else f" and more that nobody knows for {unknown}"
        parts.append(f"{calls.made} calls, {calls.found} from the store, {money(cost_usd)}{lost}")
    if tally.outcomes["failed"]:
        parts.append(f"{tally.outcomes['failed']} failed")
    if retries := sum(tally.retries.values()):
        parts.append(count(retries, "retry", "retries"))
    if hedges := sum(tally.hedges.values()):
        parts.append(f"{hedges} asked a second time")
    parts += [f"{_host(endpoint)} {state}" for endpoint, state in tally.endpoints.items()]
    return " · ".join(parts)


def _host(endpoint: str) -> str:
    return endpoint.split("://")[-1].split("/")[0]
