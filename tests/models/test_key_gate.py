"""A wrong key or path: what is said of it, and when it is known."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from virtual_time import virtual_time

from moot.errors import EndpointClosed, KeyRefused, PathRefused, RequestRejected
from moot.models.key_gate import FIRST_CALLS, PATIENCE_S, KeyGate, KeyProven, closed
from moot.types import Reply, Request

WRONG_KEY = RequestRejected("401: no such key", status=401)
NO_PATH = RequestRejected("404: nothing here", status=404, no_such_path=True)


@pytest.mark.parametrize("refusals", [{"ann": WRONG_KEY, "bob": NO_PATH}, {"bob": NO_PATH, "ann": WRONG_KEY}])
def test_a_path_is_told_as_missing_only_where_no_key_is_refused(refusals: dict[str, RequestRejected]) -> None:
    """A server that asks for the key first lets nobody know whether the path is there."""
    assert isinstance(closed(refusals, "$KEY"), KeyRefused)
    assert "no such key" in str(closed(refusals, "$KEY"))
    assert isinstance(closed({"bob": NO_PATH}, "$KEY"), PathRefused)


class Refusing:
    """All but one are refused as soon as all have left; the one that is left says nothing for an hour."""

    name, price = "ann", None

    def __init__(self, calls: int) -> None:
        self._calls, self._left = calls, 0
        self._all_left = asyncio.Event()

    def shape(self, request: Request) -> Mapping[str, Any]:
        return {}

    async def generate(self, request: Request) -> Reply:
        self._left += 1
        number = self._left
        if number == self._calls:
            self._all_left.set()
            await asyncio.sleep(3600)
        await self._all_left.wait()
        raise RequestRejected("401: no such key", status=401)

    async def close(self) -> None:
        pass


@virtual_time
async def test_so_many_refusals_are_enough_while_a_call_of_the_same_model_is_out() -> None:
    model = KeyProven(Refusing(FIRST_CALLS + 1), KeyGate("$KEY"))
    calls = [asyncio.create_task(model.generate(Request(()))) for _ in range(FIRST_CALLS + 1)]
    ended, under_way = await asyncio.wait(calls, timeout=60 + PATIENCE_S)
    assert (len(ended), len(under_way)) == (FIRST_CALLS, 1)
    for call in ended:
        assert isinstance(call.exception(), EndpointClosed)
    for call in under_way:
        call.cancel()
