"""Money and claims in the store, for all who share it: on SQLite and on a real PostgreSQL server alike."""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, event, update

from moot.errors import BudgetReached, RateLimited, TimedOut
from moot.live.served_past import drop_calls
from moot.models.budget import Budget, Hold
from moot.models.cache import Cache
from moot.models.recorded import RecordedModel
from moot.models.scripted import ScriptedModel
from moot.store import holders as holders_module
from moot.store import ledger as ledger_module
from moot.store import money, schema, store_at
from moot.store import presence as presence_module
from moot.store.bookkeeping import day_of
from moot.store.calls import ExperimentCalls
from moot.store.ledger import Ledger, paid_on, pays
from moot.store.money import asked_account
from moot.store.store import Store
from moot.types import Message, Price, Reply, Request, Usage

PRICE = Price(0.0, 100.0)
MOST_USD = 0.1
"""Of a thousand tokens."""


@dataclass(frozen=True)
class Place:
    url: str
    sql: Callable[[str], list[tuple[Any, ...]]]

    def value(self, query: str) -> Any:
        return self.sql(query)[0][0]

    def books(self) -> tuple[float, float, float]:
        """Calls, losses, reservations."""
        tables = ("cost_usd) FROM calls", "usd) FROM losses", "usd) FROM reservations")
        calls, losses, reservations = (float(self.value(f"SELECT sum({table}") or 0.0) for table in tables)
        assert self.value("SELECT sum(held_usd) FROM accounts") == pytest.approx(calls + losses + reservations)
        return calls, losses, reservations


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    if request.param == "postgresql":
        postgres = request.getfixturevalue("postgres")
        url = postgres.database()
        return Place(url, lambda query: postgres.sql(url, query))

    def rows(query: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(tmp_path / "s.db")) as connection:
            return connection.execute(query).fetchall()

    return Place(f"sqlite:///{tmp_path / 's.db'}", rows)


@asynccontextmanager
async def opened(place: Place, count: int) -> AsyncIterator[list[Store]]:
    stores = [await store_at(place.url).open() for _ in range(count)]
    try:
        yield stores
    finally:
        for store in stores:
            await store.close()


def asked(number: int = 0) -> Request:
    return Request((Message("user", f"Who is {number}?"),))


def costing(usd: float) -> Reply:
    return Reply("fine", usage=Usage(1, 1), cost_usd=usd)


class Slow(ScriptedModel):
    async def generate(self, request: Request) -> Reply:
        await asyncio.sleep(0.05)
        return await super().generate(request)


def paying(store: Store, ledger: Ledger, model: ScriptedModel) -> Cache:
    return Cache(Budget(model, ledger, PRICE, 1000), ExperimentCalls(store, "cup"))


async def test_a_reservation_is_in_the_books_before_the_call_and_goes_with_it(place: Place) -> None:
    seen: list[tuple[float, float, float]] = []

    def answer(request: Request) -> Reply:
        seen.append(place.books())
        return costing(0.02)

    async with opened(place, 1) as (store,):
        ledger = await Ledger.opened(store, "cup", 1.0)
        await paying(store, ledger, ScriptedModel("tom", answer, price=PRICE)).generate(asked())
        assert seen == [(0.0, 0.0, pytest.approx(MOST_USD))]
        assert place.books() == (pytest.approx(0.02), 0.0, 0.0)
        assert ledger.spent_usd == pytest.approx(0.02)


@pytest.mark.parametrize(
    ("script", "books"),
    [
        (TimedOut("late"), (0.0, MOST_USD, 0.0)),
        (RateLimited("429"), (0.0, 0.0, 0.0)),
        (ValueError("a bug"), (0.0, MOST_USD, 0.0)),
        (Reply("fine", cost_usd=None), (0.0, MOST_USD, 0.0)),
    ],
    ids=["may be billed", "is not billed", "a bug", "no price told"],
)
async def test_what_becomes_of_an_attempt(place: Place, script: Any, books: tuple[float, ...]) -> None:
    async with opened(place, 1) as (store,):
        ledger = await Ledger.opened(store, "cup", 1.0)
        model = paying(store, ledger, ScriptedModel("tom", [script], price=PRICE))
        await asyncio.gather(model.generate(asked()), return_exceptions=True)
        await store.flush()
        assert place.books() == pytest.approx(books)


async def test_the_cap_itself_may_be_spent_and_nothing_above_it(place: Place) -> None:
    """But for rounding, a billionth of a dollar; nobody else is there who could give anything back."""
    async with opened(place, 1) as (store,):
        ledger = await Ledger.opened(store, "cup", 1.0)
        holds = [await asyncio.wait_for(ledger.reserve(usd), 60) for usd in (0.5, 0.25, 0.25)]
        for hold in holds:
            ledger.settle(hold, hold.usd, lost=True)
        await store.flush()
        assert place.books() == (0.0, 1.0, 0.0)
        with pytest.raises(BudgetReached):
            await ledger.reserve(2.0**-29)


@pytest.mark.long
async def test_what_others_give_back_while_it_looks_around_is_not_missed(
    postgres: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is held and who has it under way are seen at one moment: else it is held by nobody, and nothing comes back."""
    place = Place(url := postgres.database(), lambda query: postgres.sql(url, query))
    given_back = True

    def while_it_looks(connection: Connection) -> set[str]:
        nonlocal given_back
        if not given_back:
            given_back = True
            place.sql("WITH gone AS (DELETE FROM reservations) UPDATE accounts SET held_usd = 0")
        return holders_module.living_holders(connection)

    async with opened(place, 2) as stores:
        ours, theirs = [await Ledger.opened(store, "cup", 1.0) for store in stores]
        await theirs.reserve(0.75)
        monkeypatch.setattr(ledger_module, "living_holders", while_it_looks)
        await ours.refresh()  # it has to know of those 75 cents before it looks whether they come back
        given_back = False
        assert (await asyncio.wait_for(ours.reserve(0.5), 60)).usd == 0.5


@pytest.mark.long
async def test_runs_and_what_is_asked_are_under_one_cap_at_every_moment(place: Place) -> None:
    async with opened(place, 2) as stores:
        names = ("cup", asked_account("cup"))
        runs, asks = [await Ledger.opened(store, name, 1.0) for store, name in zip(stores, names, strict=True)]
        holds = [await runs.reserve(0.25), await asks.reserve(0.25), await runs.reserve(0.25), await asks.reserve(0.25)]
        waiting = asyncio.create_task(runs.reserve(0.5))
        await asyncio.sleep(0)
        for ledger, hold in zip((runs, asks, runs, asks), holds, strict=True):
            ledger.settle(hold, 0.25 if ledger is runs else 0.0, lost=True)
            await asyncio.gather(*(store.flush() for store in stores))
        assert (await asyncio.wait_for(waiting, 60)).usd == 0.5, "it waited for what those who ask gave back"
        runs.settle(await waiting, 0.5, lost=True)
        await stores[0].flush()
        with pytest.raises(BudgetReached, match=r"of it by runs or moot play"):
            await asks.reserve(0.01)


@pytest.mark.parametrize("other", ["cup:served", "cup:bought", "cap"])
async def test_others_have_a_cap_of_their_own(place: Place, other: str) -> None:
    async with opened(place, 1) as (store,):
        await (await Ledger.opened(store, "cup", 1.0)).reserve(0.75)
        assert (await (await Ledger.opened(store, other, 1.0)).reserve(1.0)).usd == 1.0


async def test_nobody_owes_us_anything_by_the_last_digit(place: Place) -> None:
    async with opened(place, 1) as (store,):
        ledger = await Ledger.opened(store, "cup", 1.0)
        for hold in [await ledger.reserve(usd) for usd in (0.3, 0.6)]:
            ledger.settle(hold, 0.0, lost=False)
            await store.flush()
    assert place.value("SELECT sum(held_usd) FROM accounts") == 0.0


async def test_who_is_cancelled_while_the_books_are_written_holds_nothing(place: Place) -> None:
    async with opened(place, 1) as (store,):
        ledger = await Ledger.opened(store, "cup", 1.0)
        task = asyncio.create_task(ledger.reserve(0.3))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await store.flush()
        await asyncio.sleep(0)
        await store.flush()
        assert place.books() == (0.0, 0.0, 0.0)


@pytest.mark.long
async def test_three_processes_and_a_hundred_calls_each_keep_to_one_cap(place: Place) -> None:
    billed = 0.0

    def answer(request: Request) -> Reply:
        nonlocal billed
        billed += 0.07
        return costing(0.07)

    async with opened(place, 3) as stores:
        ledgers = [await Ledger.opened(store, "cup", 2.0) for store in stores]
        models = [
            paying(store, ledger, Slow("tom", answer, price=PRICE))
            for store, ledger in zip(stores, ledgers, strict=True)
        ]
        calls = [
            model.generate(asked(100 * owner + number)) for owner, model in enumerate(models) for number in range(100)
        ]
        ended = await asyncio.wait_for(asyncio.gather(*calls, return_exceptions=True), 60)
        assert {type(each) for each in ended} == {Reply, BudgetReached}
        assert 2.0 - MOST_USD < billed <= 2.0 + 1e-9, "others' open calls are waited for, and the cap is used up"
        assert place.books() == pytest.approx((billed, 0.0, 0.0))


@pytest.mark.long
async def test_what_the_dead_had_under_way_is_spent(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(place, 2) as (dying, living):
        await (await Ledger.opened(dying, "cup", 1.0)).reserve(0.6)
        ledger = await Ledger.opened(living, "cup", 1.0)
        waiting = asyncio.create_task(ledger.reserve(0.5))
        await asyncio.sleep(0.5)
        assert not waiting.done(), "it may give something back"
        assert dying.presence is not None
        monkeypatch.setattr(holders_module, "is_living", lambda holder, now: False)
        with pytest.raises(BudgetReached, match=r"the budget of \$1\.00 is reached: \$0\.60"):
            await asyncio.wait_for(waiting, 120)
        await Ledger.opened(living, "cup", 1.0)
        assert place.books() == pytest.approx((0.0, 0.6, 0.0))


async def test_a_call_paid_for_twice_is_counted_twice(place: Place) -> None:
    """Where nobody claims: a refusal of the second one's bill would be a false figure."""
    async with opened(place, 2) as stores:
        ledger = await Ledger.opened(stores[0], "cup", 1.0)
        barrier = asyncio.Barrier(2)

        class Together(ScriptedModel):
            async def generate(self, request: Request) -> Reply:
                await barrier.wait()
                return await super().generate(request)

        models = [Together("tom", [costing(0.02)], price=PRICE), Together("tom", [costing(0.03)], price=PRICE)]
        capped = paying(stores[0], ledger, models[0])
        uncapped = Cache(models[1], ExperimentCalls(stores[1], "cup"))
        await asyncio.gather(capped.generate(asked()), uncapped.generate(asked()))
        await stores[0].flush()
        calls, losses, open_usd = place.books()
        assert calls + losses == pytest.approx(0.05)
        assert calls > 0
        assert losses > 0
        assert open_usd == 0


@pytest.mark.long
async def test_what_is_settled_while_a_day_is_added_up_is_not_missed(postgres: Any) -> None:
    place = Place(url := postgres.database(), lambda query: postgres.sql(url, query))
    today = day_of(time.time())
    settled = (
        "WITH done AS (DELETE FROM reservations RETURNING payer, usd)"
        f" INSERT INTO payments (payer, day, usd) SELECT payer, '{today}', usd FROM done"
    )

    def added_up(connection: Connection) -> float:
        def between(_: Any, __: Any, statement: str, *more: Any) -> None:
            if "FROM payments" in statement:
                place.sql(settled)

        event.listen(connection, "after_cursor_execute", between)
        return paid_on(connection, "key", today)

    async with opened(place, 1) as (store,):
        pays("key")
        ledger = await Ledger.opened(store, "cup", 10.0)
        await ledger.reserve(0.75)
        assert await store.run(added_up) == 0.75
        assert place.value("SELECT usd FROM payments") == 0.75, "it was settled between the two queries"


async def test_whose_account_it_is_on_is_kept_by_the_day(place: Place) -> None:
    today = day_of(time.time())

    def paid_today(connection: Connection) -> float:
        return paid_on(connection, "key", today)

    async with opened(place, 1) as (store,):
        ledger = await Ledger.opened(store, "cup", 10.0)
        script = [costing(0.03), costing(0.02), TimedOut("late")]
        model = paying(store, ledger, ScriptedModel("tom", script, price=PRICE))
        await model.generate(asked(0))

        async def on_account() -> Hold:
            pays("key")
            for number in range(1, 3):
                await asyncio.gather(model.generate(asked(number)), return_exceptions=True)
            return await ledger.reserve(0.5)

        open_hold = await asyncio.create_task(on_account())
        await store.flush()
        assert await store.run(paid_today) == pytest.approx(0.02 + MOST_USD + 0.5)
        ledger.settle(open_hold, 0.1, lost=True)
        await store.flush()
        assert await store.run(paid_today) == pytest.approx(0.02 + MOST_USD + 0.1)


@pytest.mark.long
async def test_a_call_is_made_by_one_and_found_by_the_other(place: Place) -> None:
    async with opened(place, 2) as stores:
        models = [Slow("tom", lambda request: "fine"), Slow("tom", lambda request: "fine")]
        caches = []
        for store, model in zip(stores, models, strict=True):
            await store.join()
            caches.append(Cache(model, ExperimentCalls(store, "cup")))
        calls = [cache.generate(asked(number)) for number in range(30) for cache in caches]
        replies = await asyncio.wait_for(asyncio.gather(*calls), 60)
        assert len(replies) == 60
        assert sum(len(model.requests) for model in models) == 30
        for store in stores:
            await store.flush()
        assert place.value("SELECT count(*) FROM claims") == 0


@pytest.mark.long
async def test_what_was_under_way_when_another_came_is_claimed(place: Place) -> None:
    async with opened(place, 2) as (first, second):
        await first.join()
        assert first.presence is not None
        assert not first.presence.claiming, "who is alone claims nothing"
        release = asyncio.Event()

        class Held(ScriptedModel):
            async def generate(self, request: Request) -> Reply:
                await release.wait()
                return await super().generate(request)

        held, other = Held("tom", ["first"]), ScriptedModel("tom", ["second"])
        call = asyncio.create_task(Cache(held, ExperimentCalls(first, "cup")).generate(asked()))
        await asyncio.sleep(0.05)
        await asyncio.wait_for(second.join(), 10)
        assert first.presence.claiming
        same = asyncio.create_task(Cache(other, ExperimentCalls(second, "cup")).generate(asked()))
        await asyncio.sleep(0.4)
        release.set()
        assert [reply.text for reply in await asyncio.gather(call, same)] == ["first", "first"]
        assert other.requests == []


@pytest.mark.long
async def test_who_share_their_work_out_claim_nothing_until_a_stranger_comes(place: Place) -> None:
    async with opened(place, 3) as (first, second, stranger):
        party = [await first.join("ours"), await second.join("ours")]
        assert [presence.claiming for presence in party] == [False, False]
        await party[0]._look_again()
        assert place.value("SELECT sum(claiming) FROM holders") == 0, (
            "who has looked again and found nobody claims nothing"
        )
        looks = [partial(holders_module.others_of, ident=presence.id, party=presence.party) for presence in party]
        assert [(await first.read(look)).living for look in looks] == [frozenset(), frozenset()]
        other = await asyncio.wait_for(stranger.join(), 60)
        assert other.claiming
        assert [presence.claiming for presence in party] == [True, True], "a stranger waits until both have noticed it"
        assert [(await first.read(look)).living for look in looks] == [{other.id}, {other.id}]


@pytest.mark.long
@pytest.mark.parametrize("ending", ["fails", "is cancelled", "dies"])
async def test_a_claim_ends_with_whoever_held_it(place: Place, ending: str) -> None:
    async with opened(place, 2) as (first, second):
        await first.join()
        await asyncio.wait_for(second.join(), 10)
        begun, fail = asyncio.Event(), asyncio.Event()

        class Failing(ScriptedModel):
            async def generate(self, request: Request) -> Reply:
                begun.set()
                await fail.wait()
                raise TimedOut("late")

        failing = asyncio.create_task(Cache(Failing("tom", []), ExperimentCalls(first, "cup")).generate(asked()))
        await begun.wait()
        model = ScriptedModel("tom", ["second"])
        waiting = asyncio.create_task(Cache(model, ExperimentCalls(second, "cup")).generate(asked()))
        await asyncio.sleep(0.3)
        assert model.requests == []
        if ending == "fails":
            fail.set()
        elif ending == "is cancelled":
            failing.cancel()
        else:
            assert first.presence is not None
            assert first.presence._beating is not None
            first.presence._beating.cancel()
            gone = {"beat_at": time.time() - 60, "process": json.dumps({"host": "elsewhere", "pid": 1, "run": "x"})}
            ident = first.presence.id
            holders = schema.holders
            await second.run(
                lambda connection: (
                    connection.execute(update(holders).where(holders.c.id == ident).values(**gone)).rowcount
                )
            )
        assert (await asyncio.wait_for(waiting, 120)).text == "second"
        failing.cancel()
        await asyncio.gather(failing, return_exceptions=True)


@pytest.mark.long
async def test_a_clock_that_jumps_kills_nobody(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """So it does when a machine that two runs are on has slept: each finds that the other was silent for hours."""
    monkeypatch.setattr(presence_module, "BEAT_S", 0.1)
    async with opened(place, 2) as (first, second):
        presences = [await first.join(), await second.join()]
        while not all(presence.claiming for presence in presences):  # noqa: ASYNC110  it is a column of the store
            await asyncio.sleep(0.05)
        assert await presences[0].begin("a call")
        assert await presences[1].begin("another")
        jumped = time.time
        monkeypatch.setattr(time, "time", lambda: jumped() + 3_600)
        await asyncio.sleep(1)
        assert place.value("SELECT count(*) FROM holders") == 2
        assert place.value("SELECT count(*) FROM claims") == 2


async def test_a_store_that_breaks_leaves_nobody_waiting_for_money(tmp_path: Path) -> None:
    store = await store_at(f"sqlite:///{tmp_path / 's.db'}").open()
    ledger = await Ledger.opened(store, "cup", 1.0)
    hold = await ledger.reserve(0.9)
    waiting = asyncio.create_task(ledger.reserve(0.9))
    await asyncio.sleep(0.05)

    async def broken(group: object) -> Any:
        raise OSError("the disk is gone")

    store._write = broken  # type: ignore[method-assign]
    ledger.settle(hold, 0.0, lost=False)
    (ended,) = await asyncio.wait_for(asyncio.gather(waiting, return_exceptions=True), 5)
    assert "the disk is gone" in str(ended)


async def test_what_was_spent_counts_what_is_under_way(place: Place) -> None:
    async with opened(place, 1) as (store,):
        await (await Ledger.opened(store, "cup", 1.0)).reserve(0.25)
        assert await store.run(lambda connection: money.spent_usd(connection, "cup")) == pytest.approx(0.25)


LOOK_FROM_ELSEWHERE = """
import asyncio, sys
from functools import partial
from moot.store import store_at
from moot.store.holders import others_of

async def look():
    store = await store_at(sys.argv[1]).open()
    others = await store.read(partial(others_of, ident="me", party="me"))
    await store.close()
    print(len(others.living), len(others.gone))

asyncio.run(look())
"""


@pytest.fixture
def apart() -> list[str]:
    """The beginning of a command that cannot see the processes of this machine."""
    words = ["unshare", "--pid", "--fork", "--mount-proc"]
    if shutil.which("unshare") is None or subprocess.run([*words, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no namespaces of processes can be made here")
    return words


@pytest.mark.long
async def test_containers_under_one_name_do_not_take_each_other_for_dead(tmp_path: Path, apart: list[str]) -> None:
    """They share a hostname and a volume, and cannot see each other's processes."""
    url = f"sqlite:///{tmp_path / 's.db'}"
    store = await store_at(url).open()
    await store.join()
    look = await asyncio.create_subprocess_exec(
        *apart, sys.executable, "-c", LOOK_FROM_ELSEWHERE, url, stdout=asyncio.subprocess.PIPE
    )
    told, _ = await look.communicate()
    await store.close()
    assert told.split() == [b"1", b"0"], "one is living, none is gone"


async def test_what_is_played_back_is_in_no_account_and_no_loss_when_it_is_forgotten(
    place: Place, tmp_path: Path
) -> None:
    """It was paid when it was made, by whoever did: also where the cap is set, or the call forgotten, only later."""
    (tmp_path / "r.jsonl").write_text('{"model": "tom", "question_id": "q1", "answer": "a", "cost_usd": 5}\n')
    tom = RecordedModel("tom", file=tmp_path / "r.jsonl", model="tom")
    async with opened(place, 1) as (store,):
        await Ledger.opened(store, "cup", 1.0)
        reply = await Cache(tom, ExperimentCalls(store, "cup")).generate(replace(asked(), question_id="q1"))
        assert reply.cost_usd == 5
        await store.flush()
        assert set(place.sql("SELECT held_usd FROM accounts")) == {(0.0,)}
        ledger = await Ledger.opened(store, "cup", 1.0)
        assert ledger.spent_usd == 0.0
        await store.run(lambda connection: drop_calls(connection, "cup", [reply.key]))
        assert place.sql("SELECT count(*) FROM calls") == [(0,)]
        assert (await Ledger.opened(store, "cup", 1.0)).spent_usd == 0.0
        assert place.sql("SELECT usd FROM losses") == []
        assert place.sql("SELECT calls FROM unpriced_losses") == []
