"""A store that is looked at from outside: is it still what was read, can it be read where nothing can be written, whose is it."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from small_store import fill, small_store
from sqlalchemy import Connection, select

from moot.errors import StoreUnreadable
from moot.store import read_only, schema
from moot.store.as_read import StoreAsRead
from moot.store.migrating import MIGRATIONS
from moot.store.sqlite import SqliteStore
from moot.store.unreached_before import tell_unreached
from moot.team.team import LATE


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    """A store that is closed, and was written long ago."""
    path = tmp_path / "s.db"
    await (await SqliteStore(path).open()).close()
    os.utime(path, (1.0, 1.0))
    return path


def write(path: Path, sql: str = "CREATE TABLE more (x)") -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(sql)


# --- is it what was read? ---------------------------------------------------------------------------------------------


async def test_a_file_that_nobody_has_written_since_is_what_was_read(path: Path) -> None:
    store = await SqliteStore(path).open()
    looker = await StoreAsRead.of(store)
    assert looker is not None
    await store.close()
    assert looker.seen(lambda: "mark") == "mark"
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        looker._written()


@pytest.mark.parametrize("when", ["before it is closed", "after it is closed", "while it is looked at"])
async def test_what_others_write_makes_it_another(path: Path, when: str) -> None:
    store = await SqliteStore(path).open()
    looker = await StoreAsRead.of(store)
    assert looker is not None
    if when == "before it is closed":
        write(path)
    await store.close()
    if when == "after it is closed":
        write(path)
    assert looker.seen(lambda: write(path) if when == "while it is looked at" else "mark") is None


async def test_a_store_that_others_wrote_while_it_was_read_is_not_sure(path: Path) -> None:
    store = await SqliteStore(path).open()
    await store.read(lambda connection: connection.execute(select(schema.cells.c.id)).all())
    write(path)
    looker = await StoreAsRead.of(store)
    assert looker is not None
    await store.close()
    assert looker.seen(lambda: "mark") is None


async def test_where_somebody_reads_an_earlier_state_nothing_is_sure(path: Path) -> None:
    """What was written after it cannot go into the file."""
    store = await SqliteStore(path).open()
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM cells").fetchone()
        await store.run(lambda connection: fill(connection, schema.cells, {"id": "a"}))
        looker = await StoreAsRead.of(store)
        assert looker is not None
        await store.close()
        assert looker.seen(lambda: "mark") is None


async def test_two_writes_within_a_tick_of_the_clock_are_told_apart(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    for young_s, pause_s in ((0.005, 0.015), (-100.0, 0.02), (50.0, None)):
        store = await SqliteStore(path).open()
        looker = await StoreAsRead.of(store)
        assert looker is not None
        await store.close()
        slept.clear()
        at = os.stat(path).st_mtime + young_s
        with monkeypatch.context() as patched:
            patched.setattr(time, "time", lambda at=at: at)
            assert looker.seen(lambda: "mark") == "mark"
        assert slept == ([] if pause_s is None else [pytest.approx(pause_s, abs=1e-4)])


async def test_what_is_gone_or_has_no_file_is_not_looked_at(path: Path) -> None:
    store = await SqliteStore(path).open()
    looker = await StoreAsRead.of(store)
    assert looker is not None
    await store.close()
    assert looker.seen(lambda: os.stat(path / "no such")) is None, "it could not be looked at"
    assert await StoreAsRead.of(object()) is None  # type: ignore[arg-type]


# --- where nothing can be written -------------------------------------------------------------------------------------


def made(path: Path, *statements: str) -> Path:
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)
    return path


def test_whose_database_it_is(path: Path, tmp_path: Path) -> None:
    assert read_only.is_store(path)
    assert read_only.tables_of(path) == set(schema.metadata.tables)
    read_only.refuse_foreign(path)
    theirs = made(tmp_path / "theirs.db", *(f"CREATE TABLE {name} (x)" for name in ("calls", "f", "e", "d", "c", "b")))
    assert not read_only.is_store(theirs)
    with pytest.raises(StoreUnreadable) as raised:
        read_only.refuse_foreign(theirs)
    words = (
        "a database of another program (its tables: b, c, calls, d, e, …), no store of moot; moot runs lists the stores"
    )
    assert words in str(raised.value)
    views = made(tmp_path / "views.db", "CREATE VIEW v AS SELECT 1")
    with pytest.raises(StoreUnreadable, match=r"\(its views: v\), no store"):
        read_only.refuse_foreign(views)
    five = made(tmp_path / "five.db", *(f"CREATE TABLE {name} (x)" for name in "abcde"))
    with pytest.raises(StoreUnreadable, match=r"a, b, c, d, e\), no store"):
        read_only.refuse_foreign(five)


def test_what_is_blank(path: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty.db"
    empty.touch()
    emptied = made(tmp_path / "emptied.db", "CREATE TABLE a (x)", "DROP TABLE a")
    words = tmp_path / "words.db"
    words.write_text("no database " * 99)
    assert [read_only.is_blank(each) for each in (empty, emptied, words, path)] == [True, True, False, False]
    read_only.refuse_foreign(empty)
    assert read_only.tables_of(words) == set()
    Path(f"{empty}-wal").write_text("words")
    assert not read_only.is_blank(empty), "the log may hold all there is"


def test_the_way_to_a_store_goes_by_what_stands_beside_it(path: Path, tmp_path: Path) -> None:
    uri = path.as_uri()
    assert read_only.address_to_read(path) == f"{uri}?immutable=1"
    link = tmp_path / "link.db"
    link.symlink_to(path)
    assert read_only.address_to_read(link) == f"{uri}?immutable=1", "the log stands beside the file itself"
    with closing(sqlite3.connect(path)) as writer, writer:
        writer.execute("CREATE TABLE more (x)")
        assert Path(f"{path}-wal").stat().st_size
        assert read_only.address_to_read(path) == f"{uri}?mode=ro"
        copy = read_only.copied(path, tmp_path)
        assert {file.name for file in tmp_path.glob("store.db*")} == {"store.db", "store.db-wal"}
        assert copy.read_bytes() == path.read_bytes()
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("SELECT count(*) FROM migrations").fetchone() == (len(MIGRATIONS),)


def test_a_store_of_before_is_older(path: Path, tmp_path: Path) -> None:
    assert not read_only.is_older(path)
    write(path, f"DELETE FROM migrations WHERE name = '{max(MIGRATIONS)}'")
    assert read_only.is_older(path)
    assert read_only.address_to_read(path) is None, "a copy is needed"
    assert not read_only.is_older(made(tmp_path / "theirs.db", "CREATE TABLE a (x)")), "nobody's"


def test_which_errors_say_that_nothing_can_be_written(path: Path) -> None:
    def error(code: int) -> sqlite3.Error:
        made = sqlite3.OperationalError("no")
        made.sqlite_errorcode = code
        return made

    codes = (
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_BUSY,
    )
    assert [read_only.not_writable(error(code)) for code in codes] == [True, True, True, False, False]
    assert read_only.not_writable(error(sqlite3.SQLITE_READONLY | 3 << 8)), "with more behind it"
    assert not read_only.not_writable(None)
    assert [read_only.no_space(error(code), path) for code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_BUSY)] == [
        True,
        False,
    ]
    assert not read_only.no_space(error(sqlite3.SQLITE_IOERR), path), "there is room"
    assert not read_only.no_space(error(sqlite3.SQLITE_IOERR), path / "no" / "such")


def test_a_disk_with_less_than_64_kilobytes_is_full(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR
    disk = os.statvfs(path)

    def with_room(blocks: int, flags: int = 0) -> bool:
        values = [1024, 1024, *disk[2:]]
        values[4], values[8] = blocks, flags
        monkeypatch.setattr(os, "statvfs", lambda where: os.statvfs_result(values))
        return read_only.no_space(error, path)

    assert [with_room(63), with_room(64)] == [True, False]
    assert not with_room(0, os.ST_RDONLY), "it is mounted so, and not full"


# --- stores of before -------------------------------------------------------------------------------------------------


@pytest.fixture
def old() -> Iterator[Connection]:
    with small_store() as connection:
        yield connection


def test_who_could_not_be_reached_is_told_by_transcripts_of_before(old: Connection) -> None:
    def call(player: str, key: str | None, error: str | None) -> list[object]:
        return [player, "draft", 1, key, error, None]

    down = "connection refused"
    transcripts = {
        "reached": [call("ann", "k", None), call("bob", "l", "a warning")],
        "down": [call("dan", None, down), call("ann", "k", None), call("bob", None, down), call("bob", None, down)],
        "late": [call("ann", None, LATE)],
        "own doing": [call("ann", None, "no words came"), call("bob", None, down)],
        "told nothing": [call("ann", None, None)],
    }
    fill(old, schema.cells, {"id": "a"})
    fill(
        old,
        schema.failures,
        {"experiment": "cup", "kind": "GenerationFailed", "message": "no words came after 3 tries"},
    )
    fill(old, schema.failures, {"experiment": "cup", "kind": "TimedOut", "message": down})
    for question, steps in transcripts.items():
        written = json.dumps(steps, separators=(",", ":"))
        fill(old, schema.episodes, {"cell": "a", "question": question, "transcript": written})
    tell_unreached(old)
    table = schema.episodes
    found = {row.question: row.unreached for row in old.execute(select(table.c.question, table.c.unreached))}
    told = {question: json.loads(names) for question, names in found.items() if names is not None}
    assert told == {"down": ["bob", "dan"], "own doing": ["bob"]}
