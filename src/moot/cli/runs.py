"""`moot runs`: the experiments and served teams of a store, or of the stores in this folder."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from rich.padding import Padding
from rich.text import Text

from moot.cli.console import Console
from moot.cli.interrupts import ends_on_ctrl_c
from moot.cli.report import open_existing
from moot.cli.safe_text import print_json, say
from moot.errors import MootError, UsageError
from moot.pasted import pasted
from moot.report.stored_runs import apart_words, headline_words, size_words, state_words, stored_runs
from moot.stats.counted_words import count
from moot.store.examined import opened_to_read
from moot.store.read_only import is_older, is_store
from moot.store.sqlite import SqliteStore
from moot.store.store import Store


def runs_command(path: Path | None, *, store: str | None, most: int, as_json: bool) -> int:
    listed: list[dict[str, Any]] = []
    if store is None and (path is None or path.is_dir()):
        stores = list(_stores_in(path or Path()))
    else:
        stores = [_only_read(open_existing(path, store)[0])]
    troubles = 0
    for found in stores:
        try:
            rows, there_are = asyncio.run(_read(found, most))
        except MootError as error:
            if len(stores) == 1:
                raise
            say(f"moot: {error}", file=sys.stderr)
            troubles += 1
            continue
        listed.append({"store": found.name, "runs": rows, "there_are": there_are})
    if as_json:
        print_json(listed)
    else:
        _print(listed, Console())
    return 1 if troubles else 0


def _stores_in(folder: Path) -> Iterator[Store]:
    """Whatever in this folder holds experiments: a store may be called anything, but mostly it is NAME.db."""
    found = [path for path in sorted(folder.glob("*.db")) if _is_store(path)]
    if not found:
        where = "this folder" if folder == Path() else f"the folder {folder}"
        raise UsageError(f"no store in {where}; expected an experiment file or --store URL, or run one: moot run FILE")
    for path in found:
        yield _only_read(SqliteStore(path))


def _only_read(store: Store) -> Store:
    """Whoever asks what there is has not asked for any of it to be changed."""
    if isinstance(store, SqliteStore):
        store.only_read = True
    return store


def _is_store(path: Path) -> bool:
    try:
        if not path.is_file():  # what is no file may never be read to its end, such as a pipe
            return False
        return is_store(path)  # only read
    except (OSError, RuntimeError):  # a link that leads to itself is a RuntimeError
        return False


async def _read(store: Store, most: int) -> tuple[list[dict[str, Any]], int]:
    async with opened_to_read(store):
        if isinstance(store, SqliteStore) and is_older(store.path):
            say(
                f"moot: {store.name} is of an older moot; it is read as it would be now, and left as it is",
                file=sys.stderr,
            )
        with ends_on_ctrl_c():
            return await store.read(partial(stored_runs, most=most))


def _print(listed: Sequence[Mapping[str, Any]], console: Console) -> None:
    for held in listed:
        if len(listed) > 1:
            console.print(Text(str(held["store"]), style="dim"))
        for row in held["runs"]:
            _print_row(row, console)
        if not held["runs"]:
            url = held["store"] if "://" in held["store"] else f"sqlite:///{held['store']}"
            into = f"moot run FILE --store {pasted(url)}"
            say(f"nothing has been run or served in {held['store']}; to run an experiment into it: {into}")
        if rest := held["there_are"] - len(held["runs"]):
            console.print(Text(f"{rest:,} older: --limit {held['there_are']} shows all", style="dim"))


def _print_row(row: Mapping[str, Any], console: Console) -> None:
    when = f"{datetime.fromtimestamp(row['used_at']):%Y-%m-%d %H:%M}"
    console.print(Text.assemble((row["experiment"], "bold"), f"  {state_words(row)}  ", (when, "dim")))
    trials = (
        f", also run on {' and on '.join(count(size, 'question') for size in row['trials'])}"
        if row.get("trials")
        else ""
    )
    verdict = row.get("why") or headline_words(row["headline"])
    for words in filter(None, (apart_words(row), f"{size_words(row)}{trials}", verdict)):
        console.print(Padding(Text(words), (0, 0, 0, 2)))
