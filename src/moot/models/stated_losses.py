"""What a failure states that it cost, of a model whose calls nobody can hold money for: one without a price, or one that the file
calls free while nothing is capped.

A bill inside a failure is true whether the file has a price or not. Under a cap every model has one, and `Budget` sees to it.
"""

from __future__ import annotations

from moot.errors import CallError
from moot.models.budget import Hold, Till
from moot.models.model import Model, Wrapper
from moot.types import BillInPart, Reply, Request

NOTHING_HELD = Hold(0.0)


class StatedLosses(Wrapper):
    """Around one attempt, as `Budget` is."""

    def __init__(self, inner: Model, till: Till) -> None:
        super().__init__(inner)
        self._till = till

    async def generate(self, request: Request) -> Reply:
        try:
            return await self.inner.generate(request)
        except CallError as error:
            in_part = error.bill_in_part or BillInPart()
            if stated_usd := error.billed_usd or in_part.usd:
                self._till.settle(NOTHING_HELD, stated_usd, lost=True)
            raise
