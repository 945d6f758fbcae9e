"""Which models have billed above the most that a call of theirs could cost, in whichever process that was.

Whoever billed too much once is believed to do so again: under a cap each of its calls is held at as many times its most. That
must not be forgotten with the process that saw it, or every start could cross the cap by one call more.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from moot.store import schema
from moot.store.store import Store
from moot.types import Price, digest

LOOK_S = 0.3
"""So often it is looked whether other processes have been billed too much."""


@dataclass(frozen=True, slots=True)
class PriceList:
    """What the calls of a model cost by its file. Where that, or its address, is another, nothing is known of its bills."""

    price: Price
    address: object

    def whose(self, model: str) -> str:
        price = self.price
        return digest([model, str(self.address), price.prompt, price.completion, price.cached])


class EarlierBills:
    """How many times its most each model has billed, the worst call of each; of one that its file calls free, how many times
    the price that is supposed for such."""

    def __init__(self, store: Store, lists: Mapping[str, PriceList]) -> None:
        self._store = store
        self._model_of = {listed.whose(model): model for model, listed in lists.items()}
        self._whose = {model: whose for whose, model in self._model_of.items()}
        self._next_look = 0.0
        self._looking = asyncio.Lock()
        self.times: dict[str, float] = {}

    async def look(self) -> None:
        """Of many who come at once one looks, and the others wait for what it finds: each of them is about to pay."""
        if not self._model_of or time.monotonic() < self._next_look:
            return
        async with self._looking:
            if (began := time.monotonic()) < self._next_look:
                return
            for whose, times in (await self._store.read(times_billed)).items():
                if (model := self._model_of.get(whose)) is not None:
                    self.times[model] = max(times, self.times.get(model, 0.0))
            self._next_look = began + LOOK_S

    def remember(self, model: str, times: float, holder: str) -> None:
        """In the books before whatever is written next: the bill itself is."""
        if model in self._whose and times > self.times.get(model, 0.0):
            self.times[model] = times
            row = {"whose": self._whose[model], "holder": holder, "times": times}
            self._store.put_later([(schema.overcharges, row)])


def times_billed(connection: Connection) -> dict[str, float]:
    table = schema.overcharges
    worst = select(table.c.whose, func.max(table.c.times)).group_by(table.c.whose)
    return {whose: float(times) for whose, times in connection.execute(worst)}
