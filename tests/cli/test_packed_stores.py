"""The stores that `moot demo` shows are as new as the package: nobody is told of an older one, nor waits for it."""

from __future__ import annotations

import gzip
import sqlite3
from pathlib import Path

import pytest

import moot as package
from moot.store.migrating import MIGRATIONS

PACKED = sorted((Path(package.__file__).parent / "cli/recorded").glob("*.db.gz"))


@pytest.mark.parametrize("packed", PACKED, ids=lambda path: path.name)
def test_a_packed_store_is_up_to_date(packed: Path, tmp_path: Path) -> None:
    store = tmp_path / "kept.db"
    store.write_bytes(gzip.decompress(packed.read_bytes()))
    connection = sqlite3.connect(store)
    applied = {name for (name,) in connection.execute("SELECT name FROM migrations")}
    connection.close()
    assert applied == set(MIGRATIONS), "bash pack.sh in src/moot/cli/recorded brings it up to date"
