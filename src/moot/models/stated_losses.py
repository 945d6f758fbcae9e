"""What attempts without a reply cost, of a model whose calls nobody can hold money for: one without a price, or one that the
file calls free while nothing is capped.

A bill inside a failure is true whether the file has a price or not. Without a price an attempt that may be on a bill, and of
which no bill came, costs nobody knows what: that is booked as what it is. Under a cap every model has a price, and `Budget` sees
to it.
"""

from __future__ import annotations

from collections.abc import Callable

from moot.errors import CallError
from moot.models.attempt import attempting
from moot.models.budget import Hold, Till
from moot.models.flights import left_unpriced
from moot.models.model import Model, Wrapper
from moot.types import BillInPart, Reply, Request

NOTHING_HELD = Hold(0.0)


class StatedLosses(Wrapper):
    """Around one attempt, as `Budget` is."""

    def __init__(self, inner: Model, till: Till, on_unpriced: Callable[[], None]) -> None:
        """`on_unpriced`: hears of each attempt that may be on a bill at nobody knows how much."""
        super().__init__(inner)
        self._till = till
        self._on_unpriced = on_unpriced

    async def generate(self, request: Request) -> Reply:
        with attempting() as attempt:
            try:
                return await self.inner.generate(request)
            except BaseException as error:
                failure = attempt.bill_of(error)
                if failure is not None:
                    self._book(failure)
                elif not attempt.held_back:
                    self._lose()
                raise

    def _book(self, failure: CallError) -> None:
        in_part = failure.bill_in_part or BillInPart()
        if stated_usd := failure.billed_usd or in_part.usd:
            self._till.settle(NOTHING_HELD, stated_usd, lost=True)
        if failure.maybe_billed and (failure.billed_usd is None or failure.bill_unfinished):
            self._lose()

    def _lose(self) -> None:
        if self.price is None:
            left_unpriced()
            self._on_unpriced()
