"""What other processes were billed above their most is known before the next call of a burst is paid for."""

from __future__ import annotations

import asyncio
from typing import Any

from moot.store.earlier_bills import EarlierBills, PriceList
from moot.types import Price


class SlowStore:
    """Whose books take a moment to be read."""

    def __init__(self) -> None:
        self.billed: dict[str, float] = {}
        self.reads = 0

    async def read(self, _: Any) -> dict[str, float]:
        self.reads += 1
        await asyncio.sleep(0.01)
        return self.billed


async def test_of_a_burst_nobody_goes_on_with_what_was_known_before() -> None:
    store, price = SlowStore(), PriceList(Price(1.0, 1.0), "http://127.0.0.1")
    bills = EarlierBills(store, {"ann": price})  # type: ignore[arg-type]
    store.billed = {price.whose("ann"): 7.0}

    async def known() -> float | None:
        await bills.look()
        return bills.times.get("ann")

    assert await asyncio.gather(*(known() for _ in range(20))) == [7.0] * 20
    assert store.reads == 1


async def test_what_could_not_be_read_is_looked_for_by_the_next() -> None:
    store = SlowStore()
    bills = EarlierBills(store, {"ann": PriceList(Price(1.0, 1.0), "here")})  # type: ignore[arg-type]

    async def broken(_: Any) -> dict[str, float]:
        raise OSError("gone")

    whole, store.read = store.read, broken  # type: ignore[method-assign]
    outcomes = await asyncio.gather(*(bills.look() for _ in range(3)), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [OSError] * 3
    store.read = whole  # type: ignore[method-assign]
    await bills.look()
    assert store.reads == 1
