"""What is said of answers that a store has not taken when their server ends: which are lost, and of none that it is kept."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path

import pytest
from served import Served, serving

from moot.types import Question


def refuse(folder: Path, table: str) -> None:
    """From now on the store there can be written, but for this table."""
    (store,) = folder.glob("*.db")
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute(f"CREATE TRIGGER no BEFORE INSERT ON {table} BEGIN SELECT RAISE(ABORT, 'no'); END")


async def told_at_the_end(
    folder: Path, caplog: pytest.LogCaptureFixture, table: str, ask: Callable[[Served], Awaitable[object]]
) -> list[str]:
    """By a server whose store refuses the rows of a table."""
    caplog.set_level(logging.INFO)
    async with serving(folder) as served:
        await asyncio.to_thread(refuse, folder, table)
        await ask(served)
        async with asyncio.timeout(10):
            while served.live.record.error is None:  # noqa: ASYNC110  set by a task of the server
                await asyncio.sleep(0.02)
    told = [record.getMessage() for record in caplog.records if record.name == "moot.live.served"]
    assert told[0].startswith("nothing is kept, and so nothing answered: ")
    return told[1:]


async def test_what_is_given_up_is_not_said_to_be_kept(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def ask(served: Served) -> None:
        await served.chat("Which lake?", "solo@ann")

    told = await told_at_the_end(tmp_path, caplog, "calls", ask)
    assert told == ["given up, and not kept: 1 answer and 1 other row"]


async def test_where_no_answer_is_lost_none_is_given_up(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """What says whose call is whose says nothing by itself."""

    async def begin(served: Served) -> None:
        served.live.record.begin(Question("1", "Which lake?"), 0)

    assert await told_at_the_end(tmp_path, caplog, "served_calls", begin) == []
