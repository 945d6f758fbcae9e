"""Until a model has sent a bill its calls go one at a time; whoever sends none, or never answers, is not waited for long."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from virtual_time import virtual_time

from moot.errors import CallError, RateLimited, ServerFailed, TimedOut
from moot.models.first_bill import BillAwaited, Leaving
from moot.models.limit import Limit, Limiter, Limits
from moot.models.model import Model
from moot.models.scripted import ScriptedModel
from moot.types import Message, Price, Reply, Request, Usage

PRICE = Price(prompt=1.0, completion=10.0)
ASKED = Request((Message("user", "Who?"),))
BILLED = Reply("fine", usage=Usage(10, 10), cost_usd=0.001)
UNBILLED = Reply("fine", cost_usd=None)


class Watched(ScriptedModel):
    """Each call takes as long as `takes_s` says of it, by its number; how many are under way is counted."""

    def __init__(self, name: str, ending: Callable[[int], Reply | Exception], takes_s: float = 1.0) -> None:
        super().__init__(name, [], price=PRICE)
        self._ending, self._takes_s = ending, takes_s
        self.begun = 0
        self.under_way = 0
        self.together: list[int] = []
        """Of each call, how many there were beside it when it left, with itself."""

    async def generate(self, request: Request) -> Reply:
        number = self.begun
        self.begun += 1
        self.under_way += 1
        self.together.append(self.under_way)
        try:
            await asyncio.sleep(self._takes_s)
        finally:
            self.under_way -= 1
        ending = self._ending(number)
        if isinstance(ending, Exception):
            raise ending
        return ending


def clock() -> float:
    return asyncio.get_running_loop().time()


async def all_of(model: Model, calls: int) -> list[Reply | BaseException]:
    return await asyncio.gather(*(model.generate(ASKED) for _ in range(calls)), return_exceptions=True)


@virtual_time
async def test_after_the_first_bill_all_go_together() -> None:
    tom = Watched("tom", lambda number: BILLED)
    began = clock()
    await all_of(BillAwaited(Leaving(tom)), 100)
    assert tom.together == [1, *range(1, 100)]
    assert clock() - began == pytest.approx(2.0), "one more than without it"


@virtual_time
@pytest.mark.parametrize("error", [ServerFailed("loading", status=503), RateLimited("429")], ids=["503", "429"])
async def test_a_failure_is_no_bill(error: CallError) -> None:
    tom = Watched("tom", lambda number: error if number < 5 else BILLED)
    ended = await all_of(BillAwaited(Leaving(tom)), 20)
    assert tom.together[:6] == [1] * 6
    assert tom.together[6:] == list(range(1, 15)), "then all that are left"
    assert [type(each) for each in ended] == [type(error)] * 5 + [Reply] * 15


@virtual_time
async def test_a_reply_that_costs_nothing_is_no_bill() -> None:
    free = Reply("fine", usage=Usage(0, 0), cost_usd=0.0)
    tom = Watched("tom", lambda number: free if number == 0 else BILLED)
    await all_of(BillAwaited(Leaving(tom)), 10)
    assert tom.together[:3] == [1, 1, 2]


@virtual_time
@pytest.mark.parametrize(
    ("ending", "takes_s"),
    [(UNBILLED, 2.0), (TimedOut("late"), 600.0), (ServerFailed("the gateway gave up", status=504), 60.0)],
    ids=["a reply without a bill", "a timeout", "a slow failure"],
)
async def test_who_never_sends_a_bill_is_not_waited_for_long(ending: Reply | Exception, takes_s: float) -> None:
    """Each such end lets one more go: 1, 2, 4, 8 ... at once. A thousand go in ten rounds and not in a thousand."""
    tom = Watched("tom", lambda number: ending, takes_s)
    began = clock()
    await all_of(BillAwaited(Leaving(tom)), 1_000)
    assert tom.together[:3] == [1, 1, 2]
    assert clock() - began <= 10.1 * takes_s


@virtual_time
async def test_who_waits_holds_no_place_at_the_endpoint() -> None:
    """A model that fails whenever it is asked goes one at a time; the other at its address goes as it would without it."""
    limiter = Limiter(Limits(concurrent=4))
    bad = Watched("bad", lambda number: ServerFailed("no", status=500))
    good = Watched("good", lambda number: BILLED)
    bad_model, good_model = (BillAwaited(Limit(Leaving(each), limiter)) for each in (bad, good))
    failing = asyncio.create_task(all_of(bad_model, 50))
    await asyncio.sleep(0)
    began = clock()
    await all_of(good_model, 31)
    assert clock() - began <= 1 + 30 / 3, "three of the four places are its own"
    assert max(bad.together) == 1
    await failing


@virtual_time
async def test_the_first_that_is_cancelled_and_a_waiter_that_is_cancelled_hold_nobody_up() -> None:
    tom = Watched("tom", lambda number: BILLED)
    model = BillAwaited(Leaving(tom))
    calls = [asyncio.create_task(model.generate(ASKED)) for _ in range(5)]
    await asyncio.sleep(0.5)
    calls[2].cancel()
    calls[0].cancel()
    await asyncio.sleep(0)
    calls[1].cancel()  # it has just been let in
    ended = await asyncio.wait_for(asyncio.gather(*calls, return_exceptions=True), 60)
    assert [type(each) for each in ended] == [asyncio.CancelledError] * 3 + [Reply] * 2
    assert tom.together[-2:] == [1, 1]
    assert tom.under_way == 0
