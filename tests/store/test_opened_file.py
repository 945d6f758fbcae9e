"""A store whose file is gone from its place: nothing is called kept that nobody will find."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from moot.errors import StoreError
from moot.store import schema
from moot.store.sqlite import SqliteStore


@pytest.mark.parametrize("way", ["removed", "replaced"])
async def test_what_goes_into_a_file_without_a_name_is_not_kept(tmp_path: Path, way: str) -> None:
    path = tmp_path / "store.db"
    store = await SqliteStore(path).open()
    row = {"key": "k", "holder": "h"}
    store.put_later([(schema.claims, row)])
    await store.flush()
    path.unlink()
    if way == "replaced":
        path.touch()
    store.put_later([(schema.claims, {**row, "key": "l"})])
    with pytest.raises(StoreError, match=r"store\.db: the file was re"):
        await store.flush()
    with pytest.raises(StoreError, match="while it was open"):
        await store.find_call("k")
    await store.close()


async def test_a_store_that_nobody_wants_to_keep_needs_no_file() -> None:
    store = await SqliteStore(None).open()
    store.path.unlink()
    assert await store.run(lambda connection: connection.exec_driver_sql("SELECT 1").scalar()) == 1
    await store.close()


def found(path: Path, sql: str) -> list[tuple[object, ...]]:
    """What whoever comes later finds."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql).fetchall()


@pytest.mark.parametrize("way", ["removed", "replaced"])
async def test_a_log_that_is_gone_is_said_and_what_stood_in_it_saved(tmp_path: Path, way: str) -> None:
    """A young store lives in its log alone: without it nothing that was kept would be found again."""
    path = tmp_path / "store.db"
    store = await SqliteStore(path).open()
    store.put_later([(schema.claims, {"key": "before", "holder": "h"})])
    await store.flush()
    log = path.with_name("store.db-wal")
    log.unlink()
    if way == "replaced":
        log.touch()
    store.put_later([(schema.claims, {"key": "after", "holder": "h"})])
    with pytest.raises(StoreError, match=r"store\.db-wal: the log .* while it was open, .*; what stood in it is saved"):
        await store.flush()
    with pytest.raises(StoreError, match="the log of the store"):
        await store.find_call("k")
    for part in tmp_path.glob("store.db*"):  # noqa: ASYNC240  as after a kill: what is open has no name, and is gone
        shutil.copy(part, tmp_path / part.name.replace("store", "found"))
    (tmp_path / "found.db-shm").unlink(missing_ok=True)
    assert found(tmp_path / "found.db", "SELECT key FROM claims") == [("before",)]
    await store.close()


async def test_a_log_that_is_put_back_is_the_log(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    store = await SqliteStore(path).open()
    log, aside = path.with_name("store.db-wal"), tmp_path / "aside"
    log.rename(aside)
    store.put_later([(schema.claims, {"key": "k", "holder": "h"})])
    with pytest.raises(StoreError):
        await store.flush()
    aside.rename(log)
    await store.again()
    await store.close()
    assert found(path, "SELECT key FROM claims") == [("k",)]


async def test_the_tables_are_in_the_file_from_the_start(tmp_path: Path) -> None:
    store = await SqliteStore(tmp_path / "store.db").open()
    shutil.copy(tmp_path / "store.db", tmp_path / "alone.db")
    assert found(tmp_path / "alone.db", "SELECT count(*) FROM calls") == [(0,)]
    await store.close()
