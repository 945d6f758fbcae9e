"""Several who are asked at the same time, and what becomes of the others where one of them cannot be.

`asyncio.gather` gives the first error on and leaves the rest to themselves: nobody hears them, and whoever closes the models next
closes them under calls that are paid for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable
from typing import Any, TypeVar

from moot.errors import BudgetReached

T = TypeVar("T")


async def together(asked: Iterable[Awaitable[T]]) -> list[T]:
    """What each comes to. Where the cap stops one, the others are heard first: they are paid for. Any other error drops them."""
    tasks = [asyncio.ensure_future(each) for each in asked]
    try:
        return await asyncio.gather(*tasks)
    except BudgetReached:
        await heard_out(tasks)
        raise
    except BaseException:
        await dropped(tasks)
        raise


async def heard_out(tasks: Iterable[asyncio.Future[Any]]) -> None:
    """Until all are over, however they end. Who is cancelled meanwhile drops them."""
    tasks = list(tasks)
    try:
        if tasks:
            await asyncio.wait(tasks)
    finally:
        await dropped(tasks)


async def dropped(tasks: Iterable[asyncio.Future[Any]]) -> None:
    """Cancelled, and over."""
    tasks = list(tasks)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
