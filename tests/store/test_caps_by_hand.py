"""One cap for all who spend under a name: what is held, settled, lost and waited for, in a store in a file."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest

from moot.errors import BudgetReached, StoreError
from moot.models.cache import StoredCall
from moot.models.receipts import Receipts
from moot.store import holders, money, store_at
from moot.store import ledger as ledger_module
from moot.store.bookkeeping import Reservation, Settlement
from moot.store.ledger import Ledger, Paid
from moot.store.rows import call_row
from moot.store.store import Store
from moot.types import Reply


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = await store_at(f"sqlite:///{tmp_path / 's.db'}").open()
    yield opened
    await opened.close()


@pytest.mark.parametrize("account", ["cup", "cup:asked", "cup:served", "cup:bought"])
async def test_an_account_alone_has_the_cap_and_not_a_cent_more(store: Store, account: str) -> None:
    ledger = await Ledger.opened(store, account, 1.0)
    assert (ledger.cap_usd, ledger.spent_usd, ledger.reserved_usd) == (1.0, 0.0, 0.0)
    with pytest.raises(BudgetReached):
        await asyncio.wait_for(ledger.reserve(1.25), 30)
    hold = await ledger.reserve(0.75)
    assert (ledger.reserved_usd, ledger.spent_usd) == (0.75, 0.0)
    ledger.settle(hold, 0.5, lost=True)
    await store.flush()
    assert (ledger.reserved_usd, ledger.spent_usd, ledger.lost_usd, ledger.paid_usd) == (0.0, 0.5, 0.5, 0.5)
    with pytest.raises(BudgetReached):
        await asyncio.wait_for(ledger.reserve(0.625), 30)


async def test_what_was_spent_beside_is_taken_off_the_cap(store: Store) -> None:
    asks = await Ledger.opened(store, "cup:asked", 1.0)
    asks.settle(await asks.reserve(0.5), 0.25, lost=True)
    await store.flush()
    runs = await Ledger.opened(store, "cup", 1.0)
    assert (runs.cap_usd, runs.spent_usd) == (0.75, 0.0)
    with pytest.raises(BudgetReached, match=r"of it by moot ask or moot play"):
        await asyncio.wait_for(runs.reserve(0.875), 30)
    asks.settle(await asks.reserve(0.125), 0.125, lost=True)
    await store.flush()
    assert runs.cap_usd == 0.625, "it hears of what is spent beside"
    served = await Ledger.opened(store, "cup:served", 1.0)
    assert served.cap_usd == 1.0


async def test_who_waits_for_what_is_under_way_gets_what_is_given_back(store: Store) -> None:
    ledger = await Ledger.opened(store, "cup", 1.0)
    paid: list[tuple[str, str, float]] = []
    lost: list[float] = []
    ledger.on_paid, ledger.on_lost = lambda *told: paid.append(told), lost.append
    first = await ledger.reserve(0.75)
    waiting = asyncio.create_task(ledger.reserve(0.5))
    for _ in range(5):
        await asyncio.sleep(0.01)
    assert not waiting.done()
    ledger.settle(first, 0.25, lost=True)
    assert (await asyncio.wait_for(waiting, 30)).usd == 0.5
    assert (paid, lost) == ([], [0.25]), "it is on nobody's account"


@pytest.mark.parametrize("others", ["cup", "cup:asked"])
async def test_what_another_process_has_under_way_is_waited_for(
    store: Store, tmp_path: Path, others: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the same account, or of the one beside it under the same cap."""
    monkeypatch.setattr(ledger_module, "POLL_S", 0.01)
    another = await store_at(f"sqlite:///{tmp_path / 's.db'}").open()
    try:
        await another.join("party")
        await store.join("party")  # so that neither waits until it is noticed
        theirs, ours = await Ledger.opened(another, others, 1.0), await Ledger.opened(store, "cup", 1.0)
        hold = await theirs.reserve(0.75)
        waiting = asyncio.create_task(ours.reserve(0.5))
        await asyncio.sleep(0.1)
        assert not waiting.done(), "it may give something back"
        theirs.settle(hold, 0.5, lost=True)
        await another.flush()
        assert (await asyncio.wait_for(waiting, 30)).usd == 0.5
        ours.settle(await waiting, 0.5, lost=True)
        await store.flush()
        with pytest.raises(BudgetReached):
            await asyncio.wait_for(ours.reserve(0.25), 30)
    finally:
        await another.close()


async def test_a_bill_stands_with_the_call_that_is_kept_and_else_by_itself(store: Store) -> None:
    ledger = await Ledger.opened(store, "cup", 4.0)
    lost: list[float] = []
    ledger.on_lost = lost.append
    kept, dropped = Reply("kept"), Reply("dropped")
    with Receipts() as receipts:
        for usd, reply in ((0.5, kept), (0.25, dropped)):
            ledger.settle(await ledger.reserve(1.0), usd, lost=False, reply=reply)
        await store.flush()
        assert (ledger.reserved_usd, ledger.spent_usd) == (2.0, 0.0), "until it is known who keeps them"
        receipt = receipts.take(kept)
        assert isinstance(receipt, Paid)
        assert receipts.take(kept) is None, "nobody else will book it"
        assert receipt.with_call() == Settlement(receipt.reservation, 0.5, lost=False)
    await store.flush()
    assert lost == [0.25]
    assert await store.run(partial(money.lost_usd, experiment="cup")) == 0.25
    assert (ledger.reserved_usd, ledger.spent_usd, ledger.paid_usd) == (1.0, 0.25, 0.75)


async def test_of_two_bills_for_one_call_in_one_group_the_second_is_a_loss(store: Store) -> None:
    await Ledger.opened(store, "cup", 1.0)
    presence = await store.join()
    asked = [Reservation(name, "cup", 0.5, 1.0, presence.id) for name in "ab"]
    assert await asyncio.gather(*map(store.reserve, asked)) == [True, True]
    rows = [call_row(StoredCall("k", "tom", "{}", Reply(text, cost_usd=0.25).keyed("k"), None), "cup") for text in "xy"]
    bills = [Settlement(each, 0.25, lost=False) for each in asked]
    first, second = await asyncio.gather(*(store.keep_call(row, bill) for row, bill in zip(rows, bills, strict=True)))
    assert (first["text"], second["text"]) == ("x", "x")
    assert await store.run(partial(money.lost_usd, experiment="cup")) == 0.25
    assert await store.run(partial(money.spent_usd, experiment="cup")) == 0.5


async def test_two_at_work_on_one_store_notice_each_other(store: Store) -> None:
    presence = await store.join("ours")
    assert await store.join("theirs") is presence, "once"
    assert (presence.party, presence.has_company, presence.claiming) == ("ours", True, False)
    look = partial(holders.others_of, ident="new", party="new")
    assert (await store.read(look)).living == {presence.id}
    assert await presence.begin("k")
    assert presence.is_sure("k")
    assert not presence.is_sure("l"), "nobody has begun it"
    assert await presence.is_ours("k")
    assert presence.kept("k") is None, "who is alone claims nothing"
    assert not await presence.is_ours("k")


@pytest.mark.parametrize("with_calls", [True, False], ids=["with its calls", "the sums alone"])
async def test_a_store_that_could_not_be_written_is_tried_again_where_it_keeps_the_sums_alone(
    store: Store, with_calls: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Elsewhere whoever keeps the calls tries it again."""
    ledger = await Ledger.opened(store, "cup", 1.0, with_calls=with_calls)

    async def broken(group: object) -> object:
        raise OSError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(store, "_write", broken)
        with pytest.raises(StoreError, match="the disk is full"):
            await ledger.reserve(0.25)
    if with_calls:
        with pytest.raises(StoreError, match="the disk is full"):
            await asyncio.wait_for(ledger.reserve(0.25), 30)
        await store.again()
    assert (await asyncio.wait_for(ledger.reserve(0.25), 30)).usd == 0.25
