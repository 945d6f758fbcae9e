"""The day's books are read by each question, and readings come back in any order: none makes a day cheaper than it was."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence

import pytest

from moot.openai_form.refusal import Refused
from moot.serve.admission import Admission, Holder, KeyLimits
from moot.store.bookkeeping import day_of

NOON = 1.8e9
EACH_USD, DAY_USD = 0.5, 1.0


class SlowBooks:
    """What stands in them is seen when a reading begins, and told when it ends."""

    def __init__(self) -> None:
        self.usd = 0.0
        self.held: list[asyncio.Event] = []
        """For the readings that begin next: what each waits for."""

    async def paid_today(self, name: str) -> tuple[str, float]:
        seen = self.usd
        if self.held:
            await self.held.pop(0).wait()
        return day_of(NOON), seen


@pytest.fixture
def books() -> SlowBooks:
    return SlowBooks()


@pytest.fixture
def gate(books: SlowBooks, monkeypatch: pytest.MonkeyPatch) -> Admission:
    gate = Admission({}, limits=KeyLimits(usd_per_day=DAY_USD))
    monkeypatch.setattr(gate.named("anyone"), "_now", lambda: NOON)
    monkeypatch.setattr(gate.expected, "usd", lambda team, characters: EACH_USD)
    gate.paid_today = books.paid_today
    return gate


async def ask(gate: Admission, books: SlowBooks, steps: int = 0) -> bool:
    """Whether it was let in; what it costs is in the books before it is asked."""
    holder: Holder = gate.named("anyone")
    try:
        async with gate.admitted(holder, "three", 10):
            books.usd += EACH_USD
            for _ in range(steps):
                await asyncio.sleep(0)
            return True
    except Refused:
        return False


async def begun(gate: Admission, books: SlowBooks) -> tuple[asyncio.Task[bool], asyncio.Event]:
    """A question whose reading of the books does not come back until it is told to."""
    told = asyncio.Event()
    books.held.append(told)
    asked = asyncio.create_task(ask(gate, books))
    while books.held:  # noqa: ASYNC110  until it has begun
        await asyncio.sleep(0)
    return asked, told


async def test_an_older_reading_does_not_replace_a_newer_one(gate: Admission, books: SlowBooks) -> None:
    late, told = await begun(gate, books)
    assert [await ask(gate, books) for _ in range(3)] == [True, True, False]
    told.set()
    assert not await late
    assert books.usd == DAY_USD


async def test_a_reading_from_before_a_question_ended_is_not_all_that_counts(gate: Admission, books: SlowBooks) -> None:
    """Nobody has read the books since: what was held for it stands until they are read."""
    late, told = await begun(gate, books)
    assert await asyncio.gather(ask(gate, books, 50), ask(gate, books, 50)) == [True, True]
    told.set()
    assert not await late
    assert books.usd == DAY_USD


@pytest.mark.parametrize("seed", range(20))
async def test_in_any_order_the_day_holds(gate: Admission, books: SlowBooks, seed: int) -> None:
    draw = random.Random(seed)

    async def asked() -> Sequence[bool]:
        heard = []
        for _ in range(3):
            for _ in range(draw.randrange(60)):
                await asyncio.sleep(0)
            heard.append(await ask(gate, books, draw.randrange(10)))
        return heard

    told = [asyncio.Event() for _ in range(400)]
    books.held = list(told)

    async def tell() -> None:
        draw.shuffle(told)
        for event in told:
            event.set()
            await asyncio.sleep(0)

    heard, _ = await asyncio.gather(asyncio.gather(*(asked() for _ in range(40))), tell())
    assert sum(sum(each) for each in heard) == DAY_USD / EACH_USD
    assert gate.waiting == gate.under_way == 0
