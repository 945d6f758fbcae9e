"""Processes that make calls for one store, in virtual time: they notice each other, claim, wait, are gone and come back."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import pytest
from small_store import fill, small_store
from sqlalchemy import Connection, Table, select
from virtual_time import now, virtual_time

from moot.errors import StoreError
from moot.store import holders, queries, schema
from moot.store.bookkeeping import CallClaim
from moot.store.presence import Awake, Presence
from moot.store.statements import Row

T = TypeVar("T")


class Desk:
    """What a presence asks of a store, done at once."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.error: StoreError | None = None
        self.slow_s = 0.0
        """How long a claim takes to be written."""

    async def run(self, work: Callable[[Connection], T]) -> T:
        await asyncio.sleep(0.001)
        if self.error is not None:
            raise self.error
        return work(self.connection)

    look = run

    def put_later(self, rows: Sequence[tuple[Table, Row]]) -> None:
        for table, row in rows:
            queries.put(self.connection, table, [row])

    def claim(self, claim: CallClaim) -> asyncio.Future[bool]:
        loop = asyncio.get_running_loop()
        asked: asyncio.Future[bool] = loop.create_future()

        def written() -> None:
            holders.claim(self.connection, [claim.key], claim.holder)
            asked.set_result(self.claims().get(claim.key) == claim.holder)

        if self.slow_s:
            loop.call_later(self.slow_s, written)
        else:
            written()
        return asked

    def release(self, claims: Sequence[CallClaim]) -> None:
        table = schema.claims
        for claim in claims:
            self.connection.execute(table.delete().where(table.c.key == claim.key, table.c.holder == claim.holder))

    def claims(self) -> dict[str, str]:
        found = self.connection.execute(select(schema.claims.c.key, schema.claims.c.holder))
        return {row.key: row.holder for row in found}

    def claiming(self) -> dict[str, int]:
        found = self.connection.execute(select(schema.holders.c.id, schema.holders.c.claiming))
        return {row.id: row.claiming for row in found}


def presence(desk: Desk, party: str | None = None) -> Presence:
    """Of this process, as if from another machine: whether it lives is known by its signs of life alone."""
    made = Presence(desk, party)  # type: ignore[arg-type]
    made._process = {**made._process, "host": "elsewhere"}
    return made


def meeting(test: Callable[[Desk], Any]) -> Callable[[pytest.MonkeyPatch], None]:
    @virtual_time
    async def met(monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(time, "time", now)
        with small_store() as connection:
            await test(Desk(connection))

    def run(monkeypatch: pytest.MonkeyPatch) -> None:
        met(monkeypatch)

    run.__name__ = run.__qualname__ = test.__name__
    return run


@meeting
async def test_who_comes_second_waits_until_the_first_has_noticed(desk: Desk) -> None:
    first, second = presence(desk), presence(desk)
    await first.enter()
    assert await first.begin("under way")
    assert await first.begin("ended early")
    first.end("ended early")
    assert desk.claims() == {}, "who is alone claims nothing"
    assert not first.has_company
    await second.enter()
    assert desk.claiming() == {first.id: 1, second.id: 1}
    assert desk.claims() == {"under way": first.id}
    assert first.has_company
    assert await first.begin("another")
    assert desk.claims() == {"under way": first.id, "another": first.id}
    assert first.kept("another") == CallClaim("another", first.id)
    first.end("under way")
    assert desk.claims() == {"another": first.id}, "that one goes in the transaction that keeps the call"
    await first.leave()
    await second.leave()
    assert desk.claims() == {}
    assert desk.claiming() == {}


@meeting
async def test_a_call_that_another_makes_is_waited_for(desk: Desk) -> None:
    first, second = presence(desk), presence(desk)
    await first.enter()
    await second.enter()
    assert await first.begin("k")
    waiting = [asyncio.create_task(second.begin("k")) for _ in range(2)]
    await asyncio.sleep(5.0)
    assert not any(task.done() for task in waiting)
    first.end("k")
    assert await asyncio.gather(*waiting) == [False, False], "it is time to look for it"
    assert await second.begin("k")
    assert desk.claims() == {"k": second.id}
    await first.leave()
    await second.leave()


@meeting
async def test_who_is_cancelled_while_a_claim_is_written_lets_go_of_it(desk: Desk) -> None:
    first, second = presence(desk), presence(desk)
    await first.enter()
    await second.enter()
    desk.slow_s = 0.5
    begun = asyncio.create_task(first.begin("k"))
    await asyncio.sleep(0.1)
    begun.cancel()
    with pytest.raises(asyncio.CancelledError):
        await begun
    await asyncio.sleep(1.0)
    assert desk.claims() == {}
    assert not first.is_sure("k")
    assert await second.begin("k")
    await first.leave()
    await second.leave()


@meeting
async def test_a_silence_of_a_lease_is_taken_for_gone_and_what_was_claimed_is_free(desk: Desk) -> None:
    first, second = presence(desk), presence(desk)
    await first.enter()
    await second.enter()
    for key in ("taken", "still ours", "stored"):
        assert await first.begin(key)
    assert [first.is_sure(key) for key in ("taken", "other")] == [True, False]
    assert first._beating is not None
    first._beating.cancel()
    await asyncio.sleep(holders.LEASE_S - 1.5)
    assert first.id in desk.claiming()
    assert not first.is_sure("taken"), "two thirds of a lease are over"
    await asyncio.sleep(3.0)
    assert first.id not in desk.claiming()
    assert desk.claims() == {}
    assert await second.begin("taken")
    fill(desk.connection, schema.calls, {"key": "stored"})
    assert [await first.is_ours(key) for key in ("taken", "still ours", "stored", "other")] == [
        False,
        True,
        False,
        False,
    ]
    assert first.is_sure("still ours")
    assert desk.claims() == {"taken": second.id, "still ours": first.id, "stored": first.id}
    assert desk.claiming()[first.id] == 1
    await first.leave()
    await second.leave()


@meeting
async def test_who_comes_back_alone_goes_on_without_claims(desk: Desk) -> None:
    alone = presence(desk)
    await alone.enter()
    assert await alone.begin("k")
    assert alone._beating is not None
    alone._beating.cancel()
    await asyncio.sleep(100.0)
    assert not alone.is_sure("k")
    assert await alone.is_ours("k")
    assert alone.is_sure("k")
    assert desk.claims() == {}
    assert not alone.claiming
    await alone.leave()


@meeting
async def test_one_that_does_not_notice_is_waited_for_no_longer_than_one_that_is_gone(desk: Desk) -> None:
    fill(desk.connection, schema.holders, {"id": "deaf", "party": "theirs", "claiming": 0, "beat_at": now() + 100})
    began = now()
    second = presence(desk)
    await second.enter()
    assert now() - began == pytest.approx(holders.LEASE_S, abs=0.5)
    assert second.claiming
    await second.leave()


@meeting
async def test_a_sign_of_life_is_given_every_second(desk: Desk) -> None:
    alone = presence(desk)
    await alone.enter()
    table = schema.holders

    def beat_at() -> float:
        return float(desk.connection.execute(select(table.c.beat_at).where(table.c.id == alone.id)).scalar_one())

    entered = beat_at()
    await asyncio.sleep(1.5)
    assert beat_at() - entered == pytest.approx(1.0, abs=0.1)
    await asyncio.sleep(3.0)
    assert beat_at() - entered == pytest.approx(4.0, abs=0.1)
    assert await alone.begin("k")
    assert alone.is_sure("k")
    told = desk.connection.execute(select(table.c.party, table.c.process)).one()
    assert told.party == alone.id
    assert json.loads(told.process)["host"] == "elsewhere"
    await alone.leave()


@meeting
async def test_who_waits_for_anothers_call_hears_that_the_store_is_broken(desk: Desk) -> None:
    first, second = presence(desk), presence(desk)
    await first.enter()
    await second.enter()
    assert await first.begin("k")
    waiting = asyncio.create_task(second.begin("k"))
    await asyncio.sleep(0.05)
    desk.error = StoreError("the disk is gone")
    with pytest.raises(StoreError, match="the disk is gone"):
        await waiting
    await first.leave()
    await second.leave()


@meeting
async def test_a_machine_that_slept_gives_the_others_a_lease_to_say_a_word(desk: Desk) -> None:
    awake = Awake()
    await asyncio.sleep(5.0)
    assert awake.now() == now(), "it was there all the time"
    await asyncio.sleep(8.0)
    assert awake.now() == float("-inf")
    for _ in range(3):
        await asyncio.sleep(4.9)
        assert awake.now() == float("-inf")
    await asyncio.sleep(1.0)
    assert awake.now() == now()
