"""What is said of an error of SQLite: with the file, what it means and what to do; and what becomes of claims and bills."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from moot.errors import StoreError, StoreFull, StoreUnreadable
from moot.models.cache import StoredCall
from moot.store import holders, store_at
from moot.store.bookkeeping import CallClaim
from moot.store.earlier_bills import EarlierBills, PriceList, times_billed
from moot.store.rows import call_row
from moot.store.store import Store
from moot.types import Price, Reply


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = await store_at(f"sqlite:///{tmp_path / 's.db'}").open()
    yield opened
    await opened.close()


WAITED = "waited 60 s for the lock: "
NOT_HERE = "cannot be written here; copy it to where it can, and name it with --store"
SAID: dict[str, tuple[int, str, type[StoreError], tuple[str, ...]]] = {
    "a lock": (sqlite3.SQLITE_BUSY, "locked", StoreError, (WAITED, "everything stored so far is kept")),
    "a lock of a kind": (sqlite3.SQLITE_BUSY | 2 << 8, "locked", StoreError, (WAITED,)),
    "a full disk": (sqlite3.SQLITE_FULL, "full", StoreFull, ("no space left on the device",)),
    "read only": (sqlite3.SQLITE_READONLY, "readonly", StoreError, (f"readonly: the store or its folder {NOT_HERE}",)),
    "damaged": (sqlite3.SQLITE_CORRUPT, "malformed", StoreUnreadable, ("malformed",)),
    "no database": (sqlite3.SQLITE_NOTADB, "not a database", StoreUnreadable, ("not a database, so no store of moot",)),
    "no text": (sqlite3.SQLITE_ERROR, "Could not decode to UTF-8", StoreUnreadable, ("Could not decode",)),
    "anything else": (sqlite3.SQLITE_ERROR, "no such table: x", StoreError, ("no such table: x",)),
}


@pytest.mark.parametrize("wrapped", [True, False], ids=["by SQLAlchemy", "bare"])
@pytest.mark.parametrize(("code", "words", "kind", "told"), SAID.values(), ids=SAID)
async def test_an_error_is_said_with_the_file_and_what_to_do(
    store: Store, code: int, words: str, kind: type[StoreError], told: tuple[str, ...], wrapped: bool
) -> None:
    error = sqlite3.OperationalError(words)
    error.sqlite_errorcode, error.sqlite_errorname = code, "SQLITE_BY_HAND"

    def fails(connection: Connection) -> None:
        raise DBAPIError("SELECT s3cret", None, error) if wrapped else error

    with pytest.raises(StoreError) as raised:
        await store.run(fails)
    assert type(raised.value) is kind
    said = str(raised.value)
    assert said.startswith(f"{store.name}: ")
    assert all(each in said for each in told), said
    assert "s3cret" not in said
    others = {NOT_HERE, "so no store of moot", "no space left", WAITED} - set(told)
    assert not [each for each in others if each in said and not any(each in mine for mine in told)]


async def test_a_claim_is_got_once_and_free_again_when_it_is_released(store: Store) -> None:
    mine, theirs = CallClaim("k", "me"), CallClaim("k", "them")
    assert await store.claim(mine) is True
    assert await store.claim(theirs) is False
    assert await store.claim(mine) is True, "it is ours already"
    store.release([theirs])
    assert await store.claim(theirs) is False, "nobody releases another's"
    store.release([mine])
    assert await store.claim(theirs) is True
    store.release([])
    await store.flush()


async def test_a_claim_goes_with_the_call_that_is_kept(store: Store) -> None:
    assert await store.claim(CallClaim("k", "me"))
    assert await store.claim(CallClaim("l", "me"))
    row = call_row(StoredCall("k", "tom", "{}", Reply("fine").keyed("k"), None), "cup")
    assert await store.keep_call(row, None, CallClaim("k", "me")) is row
    claimed = await store.run(partial(holders.claimed, keys=["k", "l"]))
    assert claimed == {"l": "me"}


async def test_bills_above_the_most_are_remembered_by_name_address_and_price(store: Store) -> None:
    """The worst that anybody was billed."""
    lists = {"ann": PriceList(Price(1.0, 2.0), "here"), "bob": PriceList(Price(1.0, 2.0), "here")}
    bills = EarlierBills(store, lists)
    bills.remember("ann", 3.0, "me")
    bills.remember("ann", 2.0, "me")
    bills.remember("nobody", 9.0, "me")
    await store.flush()
    assert bills.times == {"ann": 3.0}
    others = EarlierBills(store, lists)
    others.remember("ann", 5.0, "them")
    await store.flush()
    assert await store.read(times_billed) == {lists["ann"].whose("ann"): 5.0}
    await bills.look()
    assert bills.times == {"ann": 5.0}
    elsewhere = EarlierBills(
        store, {"ann": PriceList(Price(1.0, 2.0), "there"), "cat": PriceList(Price(1.0, 3.0), "here")}
    )
    await elsewhere.look()
    assert elsewhere.times == {}
