"""What runs beside a test that runs a command as a user would, and what it leaves in a store."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, closing, contextmanager
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")


@contextmanager
def in_a_thread(context: AbstractAsyncContextManager[T]) -> Iterator[T]:
    """An async context manager kept open by a loop in a thread of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield asyncio.run_coroutine_threadsafe(context.__aenter__(), loop).result(10)
    finally:
        asyncio.run_coroutine_threadsafe(context.__aexit__(None, None, None), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


def rows(store: Path, sql: str) -> list[tuple[Any, ...]]:
    """What is in a SQLite store."""
    with closing(sqlite3.connect(store)) as connection:
        return connection.execute(sql).fetchall()
