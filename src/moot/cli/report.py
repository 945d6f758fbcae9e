"""`moot report`: the figures of a store, as a table or as JSON."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from rich.console import Console

from moot.errors import UsageError
from moot.report.figures import Figures, figures, find_experiment
from moot.report.terminal import print_report
from moot.run.experiment import read_experiment
from moot.store import from_here, store_at
from moot.store.store import Store


def report_command(path: Path | None, *, store: str | None, as_json: bool) -> int:
    shown = asyncio.run(_figures(path, store))
    if as_json:
        print(json.dumps(shown, ensure_ascii=False, indent=1))
    else:
        print_report(shown, Console())
    return 0


async def _figures(path: Path | None, url: str | None) -> Figures:
    opened, name = open_existing(path, url)
    await opened.open()
    try:
        return await opened.run(lambda connection: figures(connection, find_experiment(connection, name)))
    finally:
        await opened.close()


def open_existing(path: Path | None, url: str | None) -> tuple[Store, str | None]:
    """The store of an experiment file or of a URL, which must be there: a report creates nothing."""
    if path is None and url is None:
        raise UsageError("expected an experiment file or --store URL")
    name = None
    beside = None
    if path is not None:
        file = read_experiment(path, with_questions=False)
        name, beside = file.spec.kept_as, path.parent
        url = from_here(url) if url else file.store_url
    assert url is not None
    store = store_at(url, beside=beside)
    first = f"there is no store at {store.name} yet; run the experiment first: moot run {path or 'FILE'}"
    return store.needed(first), name
