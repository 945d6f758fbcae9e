"""A store whose file is gone from its place: nothing is called kept that nobody will find."""

from __future__ import annotations

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
