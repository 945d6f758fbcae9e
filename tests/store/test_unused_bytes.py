"""What was deleted is in no byte of the file, without writing all of it anew; what was not deleted is as it was."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from moot.store import unused_bytes
from moot.store.sqlite import SqliteStore

LOOK = "import sys; held = open(sys.argv[1], 'rb').read(); print(sum(word.encode() in held for word in sys.argv[2:]))"


def found_in(path: Path, *words: str) -> int:
    """Looked at by another process: to close a file gives up the locks of a process on it."""
    done = subprocess.run([sys.executable, "-I", "-c", LOOK, str(path), *words], capture_output=True, check=True)
    return int(done.stdout)


def with_moved_rows(path: Path, **pragmas: object) -> sqlite3.Connection:
    """Rows come and go in no order, always overwritten when they go: so pages were split and joined, and their rows moved."""
    store, rng = sqlite3.connect(path, isolation_level=None), random.Random(7)
    for name, value in {**pragmas, "journal_mode": "WAL", "secure_delete": "ON"}.items():
        store.execute(f"PRAGMA {name} = {value}")
    store.execute("CREATE TABLE said (key TEXT PRIMARY KEY, words TEXT) WITHOUT ROWID")
    store.execute("CREATE TABLE long (id INTEGER PRIMARY KEY, words TEXT)")
    store.execute("BEGIN")
    for number in range(1_000):
        store.execute("INSERT INTO said VALUES (?, ?)", (f"{rng.random()}", f"word-{number:05} " * rng.randint(1, 30)))
        times = rng.randint(1, 900 if number % 40 == 0 else 9)
        store.execute("INSERT INTO long VALUES (?, ?)", (number, f"word-{number:05} " * times))
    for number in rng.sample(range(1_000), 800):
        store.execute("DELETE FROM said WHERE words LIKE ?", (f"word-{number:05}%",))
        store.execute("DELETE FROM long WHERE id = ?", (number,))
    store.execute("COMMIT")
    store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return store


def test_copies_of_rows_that_were_moved_are_overwritten_and_no_row_is_touched(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with closing(with_moved_rows(path)) as store:
        left = [store.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall() for table in ("said", "long")]
        standing = {words.split()[0] for rows in left for _, words in rows}
        gone = [f"word-{number:05}" for number in range(1_000) if f"word-{number:05}" not in standing]
    assert any(word.encode() in path.read_bytes() for word in gone), "else this tries nothing"
    size, before = path.stat().st_size, path.read_bytes()
    cleared = unused_bytes.clear(str(path))
    assert 0 < cleared < size
    assert path.stat().st_size == size
    after = path.read_bytes()
    assert not [word for word in gone if word.encode() in after]
    assert sum(one != other for one, other in zip(before, after, strict=True)) <= cleared
    with closing(sqlite3.connect(path)) as store:
        assert store.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        for table, rows in zip(("said", "long"), left, strict=True):
            assert store.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall() == rows
    assert unused_bytes.clear(str(path)) == 0


@pytest.mark.parametrize("pragmas", [{"page_size": 512}, {"page_size": 65536}], ids=str)
def test_pages_of_every_size_are_known(tmp_path: Path, pragmas: dict[str, object]) -> None:
    path = tmp_path / "a.db"
    with_moved_rows(path, **pragmas).close()
    unused_bytes.clear(str(path))
    with closing(sqlite3.connect(path)) as store:
        assert store.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_a_file_of_another_make_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with_moved_rows(path, auto_vacuum=1).close()
    other = tmp_path / "b.db"
    other.write_bytes(b"no database at all" * 100)
    for each in (path, other):
        before = each.read_bytes()
        command = [sys.executable, "-I", "-S", unused_bytes.__file__, str(each)]
        assert subprocess.run(command, capture_output=True, check=False).returncode == unused_bytes.NOT_UNDERSTOOD
        assert each.read_bytes() == before


async def scrubbed(path: Path) -> list[str]:
    """What a store says to the database while it forgets."""
    store, said = SqliteStore(path), list[str]()
    await store.open()
    store._raw.set_trace_callback(said.append)
    await store.scrub()
    store._raw.set_trace_callback(None)
    await store.close()
    return said


async def test_a_store_is_written_anew_once_at_most(tmp_path: Path) -> None:
    new, old = tmp_path / "new.db", tmp_path / "old.db"
    assert "VACUUM" not in await scrubbed(new), "whatever was deleted from it was overwritten"
    await scrubbed(old)
    with closing(sqlite3.connect(old)) as store:
        store.execute("PRAGMA user_version = 0")  # as earlier versions left it
    assert "VACUUM" in await scrubbed(old)
    assert "VACUUM" not in await scrubbed(old)


async def test_nobody_writes_back_what_was_overwritten(tmp_path: Path) -> None:
    """Whoever remembers a page as it was, in the store's own connection or another, reads it anew before it writes there."""
    path = tmp_path / "a.db"
    store = SqliteStore(path)
    await store.open()
    with closing(with_moved_rows(path)) as other:
        gone = {f"word-{number:05}" for number in range(1_000)}
        gone -= {words.split()[0] for (words,) in other.execute("SELECT words FROM said UNION SELECT words FROM long")}
        for connection in (other, store._raw):
            for table in ("said", "long"):
                connection.execute(f"SELECT sum(length(words)) FROM {table}").fetchall()
        await store.scrub()
        assert found_in(path, *gone) == 0
        other.execute("UPDATE said SET words = substr(words, 1, 10)")
        store._raw.execute("UPDATE long SET words = substr(words, 1, 10)")
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert found_in(path, *gone) == 0
    await store.close()
