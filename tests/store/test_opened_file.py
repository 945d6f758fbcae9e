"""A store whose file is gone from its place: nothing is called kept that nobody will find."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from moot.errors import StoreError, StoreUnreadable
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


@pytest.mark.parametrize("way", ["to a store", "to nothing yet", "of the folder"])
async def test_a_store_may_stand_behind_a_link(tmp_path: Path, way: str) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    if way == "to a store":
        await (await SqliteStore(real / "store.db").open()).close()
    if way == "of the folder":
        link.symlink_to(real)
    else:
        link.mkdir()
        (link / "store.db").symlink_to(Path("..") / "real" / "store.db")
    store = await SqliteStore(link / "store.db").open()
    store.put_later([(schema.claims, {"key": "k", "holder": "h"})])
    await store.flush()
    assert found(real / "store.db", "SELECT key FROM claims") == [("k",)]
    (real / "store.db-wal").unlink()
    store.put_later([(schema.claims, {"key": "l", "holder": "h"})])
    with pytest.raises(StoreError, match=r"real/store\.db-wal: the log"):
        await store.flush()
    await store.close()


async def test_a_link_that_leads_elsewhere_is_noticed(tmp_path: Path) -> None:
    link, other = tmp_path / "link.db", tmp_path / "other.db"
    await (await SqliteStore(other).open()).close()
    link.symlink_to("store.db")
    store = await SqliteStore(link).open()
    link.unlink()
    link.symlink_to(other)
    store.put_later([(schema.claims, {"key": "k", "holder": "h"})])
    with pytest.raises(StoreError, match=r"link\.db: the file was replaced"):
        await store.flush()
    await store.close()
    assert found(other, "SELECT key FROM claims") == []


async def test_a_file_with_two_names_is_no_store(tmp_path: Path) -> None:
    """Each name has a log of its own: two runs would each spend the whole budget, and neither see the other's calls."""
    path, second = tmp_path / "store.db", tmp_path / "second.db"
    await (await SqliteStore(path).open()).close()
    second.hardlink_to(path)
    for name in (path, second):
        store = SqliteStore(name)
        with pytest.raises(StoreUnreadable, match=rf"{name.name}: the file has 2 names \(hard links\)"):
            await store.open()
        await store.close()
    assert not list(tmp_path.glob("*-wal"))  # noqa: ASYNC240
    second.unlink()
    await (await SqliteStore(path).open()).close()
