"""SQLite's own: files that cannot be read, full disks, several processes. What all stores share: test_contract.py."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from beside import in_a_thread, rows
from sqlalchemy import Connection, text

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.errors import StoreError, StoreFull, UsageError
from moot.models.cache import Cache, StoredCall
from moot.models.scripted import ScriptedModel
from moot.simulate.server import SimulatedServer, running
from moot.store import scrubbing, sqlite, store_at
from moot.store.calls import ExperimentCalls
from moot.store.rows import call_row
from moot.store.sqlite import SqliteStore
from moot.types import Message, Reply, Request

MOOT = [sys.executable, "-c", "from moot.cli import main; main()"]


@contextmanager
def simulated(**config: Any) -> Iterator[SimulatedServer]:
    """A simulated server in a thread of its own."""
    models = {name: {"accuracy": 0.5} for name in ("ann", "bob")}
    with in_a_thread(running({"seed": 7, "models": models, **config})) as server:
        yield server


def experiment(folder: Path, server: SimulatedServer, questions: int = 40) -> Path:
    folder.mkdir(exist_ok=True)
    lines = [{"id": f"q{n}", "text": f"Who is number {n}?", "answer": f"Person {n}"} for n in range(questions)]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    models = {
        name: {"provider": "endpoint", "base_url": server.base_url, "model": name, "limits": {"concurrent": 8}}
        for name in ("ann", "bob")
    }
    path = folder / "cup.yaml"
    path.write_text(json.dumps({"name": "cup", "questions": {"file": "questions.jsonl"}, "models": models}))
    return path


def moot(*arguments: object) -> int:
    return run_app(app, [str(each) for each in arguments])


def results(path: Path) -> list[tuple[Any, ...]]:
    """Every episode, without what differs from run to run."""
    sql = "SELECT player, question, repeat, outcome, answer FROM episodes JOIN cells ON cells.id = cell"
    return sorted(rows(path, sql))


def request(number: int) -> Request:
    return Request((Message("user", f"Who is {number}?"),))


# --- stores that cannot be used -----------------------------------------------------------------------------------------


async def newer_store(path: Path) -> None:
    await (await SqliteStore(path).open()).close()
    connection = sqlite3.connect(path)
    connection.execute("INSERT INTO migrations VALUES ('9999-from-the-future', 0)")
    connection.commit()
    connection.close()


def not_a_database(path: Path) -> None:
    path.write_text("These are my notes, not a database. " * 10)


def cut_short(path: Path) -> None:
    asyncio.run(_filled(path))
    path.write_bytes(path.read_bytes()[:6000])


async def _filled(path: Path) -> None:
    store = await SqliteStore(path).open()
    cache = Cache(ScriptedModel("tom", lambda request: "fine " * 100), ExperimentCalls(store, "x"))
    await asyncio.gather(*(cache.generate(request(n)) for n in range(50)))
    await store.close()


def a_folder(path: Path) -> None:
    path.mkdir()


def from_the_future(path: Path) -> None:
    asyncio.run(newer_store(path))


def not_allowed(path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    path.write_bytes(b"")
    path.chmod(0)


@pytest.mark.parametrize("spoil", [not_a_database, cut_short, a_folder, from_the_future, not_allowed])
@pytest.mark.parametrize("command", [["run"], ["report"], ["show", "q0"], ["run", "--estimate"]], ids=" ".join)
def test_a_store_that_cannot_be_read_is_said_before_any_call(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], spoil: Callable[[Path], None], command: list[str]
) -> None:
    with simulated() as server:
        path = experiment(tmp_path, server)
        spoil(tmp_path / "cup.db")
        before = (tmp_path / "cup.db").read_bytes() if (tmp_path / "cup.db").is_file() else b""
        name, *options = command
        code = moot(name, path, *options)
        assert server.stats["requests"] == 0
    error = capfd.readouterr().err
    assert error.startswith("moot: ")
    assert "cup.db" in error
    assert "Traceback" not in error
    assert len(error.splitlines()) == 1
    assert code == 2
    if before:
        assert (tmp_path / "cup.db").read_bytes() == before, "what is not ours is not touched"


@pytest.mark.parametrize("url", ["cup.db", "mysql://x/y", "sqlite://", "sqlite:///"])
def test_addresses_that_are_none(url: str) -> None:
    with pytest.raises(UsageError, match="expected sqlite:///PATH"):
        store_at(url)


def test_a_folder_that_is_not_there(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with simulated() as server:
        path = experiment(tmp_path, server)
        assert moot("run", path, "--quiet", "--store", f"sqlite:///{tmp_path}/absent/cup.db") == 2
        assert server.stats["requests"] == 0
    assert "absent" in capfd.readouterr().err


# --- durability ---------------------------------------------------------------------------------------------------------


async def test_a_reply_is_on_the_disk_before_anybody_has_it(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    store = await SqliteStore(path).open()
    cache = Cache(ScriptedModel("tom", lambda request: request.messages[0].content), ExperimentCalls(store, "x"))
    other = sqlite3.connect(path)

    async def ask(number: int) -> None:
        reply = await cache.generate(request(number))
        stored = other.execute("SELECT text FROM calls WHERE key = ?", (reply.key,)).fetchone()
        assert stored == (reply.text,)

    await asyncio.gather(*(ask(number) for number in range(300)))
    pragmas = ("journal_mode", "synchronous")
    found = await store.run(lambda connection: [connection.exec_driver_sql(f"PRAGMA {p}").scalar() for p in pragmas])
    assert found == ["wal", 2], "a commit waits for the disk"
    other.close()
    await store.close()


async def test_a_store_for_the_moment_leaves_nothing_behind() -> None:
    store = await SqliteStore(None).open()
    assert store.path.exists()
    await store.close()
    assert not store.path.parent.exists()


# --- two at once --------------------------------------------------------------------------------------------------------


def test_two_processes_on_one_store_do_no_harm(tmp_path: Path) -> None:
    with simulated(latency=0.005) as server:
        alone = experiment(tmp_path / "alone", server)
        assert moot("run", alone, "--quiet") == 0
        server.reset()
        path = experiment(tmp_path / "together", server)
        processes = [
            subprocess.Popen([*MOOT, "run", str(path), "--quiet"], stderr=subprocess.PIPE, text=True) for _ in range(2)
        ]
        errors = [process.communicate(timeout=60)[1] for process in processes]
        assert [process.returncode for process in processes] == [0, 0], errors
        served = server.stats["outcomes"]["ok"]
    store = path.with_suffix(".db")
    assert results(store) == results(alone.with_suffix(".db"))
    assert rows(store, "SELECT COUNT(*), COUNT(DISTINCT shape) FROM calls") == [(80, 80)]
    assert 80 <= served <= 160
    assert rows(store, "SELECT COUNT(*) FROM scores") == [(80,)]
    assert rows(store, "SELECT state FROM runs") == [("done",), ("done",)]
    assert rows(store, "PRAGMA integrity_check") == [("ok",)]


# --- a full disk --------------------------------------------------------------------------------------------------------


PAGE = 4096
PAGES_FOR_ROWS = 50
"""Room for the questions and some calls of the tests below; all of them would take 104."""


def pages_of_an_empty_store(path: Path) -> int:
    """However many tables a store comes to have. In a thread: some who ask are in a loop of their own."""
    with ThreadPoolExecutor() as thread:
        thread.submit(asyncio.run, opened_and_closed(path)).result()
    return int(rows(path, "PRAGMA page_count")[0][0])


async def opened_and_closed(path: Path) -> None:
    await (await SqliteStore(path).open()).close()


@contextmanager
def small_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with room for the tables and a few calls, by the means at hand."""
    folder = tmp_path / "disk"
    folder.mkdir()
    room = 2 * PAGE * (pages_of_an_empty_store(tmp_path / "empty.db") + PAGES_FOR_ROWS)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={room}", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("a small disk needs the right to mount one")
    try:
        yield folder
    finally:
        # A test that fails may hold its store open; the disk goes with it, and is not left to the next run.
        subprocess.run(["umount", "-l", str(folder)], check=True)


@contextmanager
def few_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The database's own limit, which says the same thing as a full disk does."""
    folder = tmp_path / "disk"
    folder.mkdir()
    original = sqlite._connection
    most = pages_of_an_empty_store(tmp_path / "empty.db") + PAGES_FOR_ROWS

    def connection(address: str) -> Any:
        made = original(address)
        made.execute(f"PRAGMA max_page_count = {most}")
        return made

    with monkeypatch.context() as patched:
        patched.setattr(sqlite, "_connection", connection)
        yield folder


@pytest.mark.parametrize("disk", [small_disk, few_pages])
def test_a_full_disk_stops_the_run_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], disk: Callable[..., Any]
) -> None:
    with simulated(latency=0.002) as server:
        alone = experiment(tmp_path / "alone", server, questions=120)
        assert moot("run", alone, "--quiet") == 0
        server.reset()
        path = experiment(tmp_path / "run", server, questions=120)
        later = tmp_path / "run" / "later.db"
        with disk(tmp_path, monkeypatch) as folder:
            assert moot("run", path, "--quiet", "--store", f"sqlite:///{folder}/cup.db") == 1
            error = capfd.readouterr().err
            assert "no space left" in error
            assert "everything stored so far is kept" in error
            assert "Traceback" not in error
            with sqlite3.connect(folder / "cup.db") as full, sqlite3.connect(later) as copy:
                full.backup(copy)
            full.close()
            copy.close()
        kept = rows(later, "SELECT COUNT(*) FROM calls")[0][0]
        assert 0 < kept < 240, kept
        server.reset()
        assert moot("run", path, "--quiet", "--store", f"sqlite:///{later}") == 0
        outcomes = dict(server.stats["outcomes"])
        outcomes.pop("gone", None)  # what the first run had asked may be given up only now
        assert outcomes == {"ok": 240 - kept}, "what was kept is not asked again"
    assert results(later) == results(alone.with_suffix(".db"))


def test_on_a_disk_that_is_quite_full_reading_works_and_writing_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """With a few KB left there is no room for the index of a log, and SQLite calls that an I/O error."""
    models = {"ann": {"provider": "simulated", "accuracy": 0.5}}
    keys = {"name": "cup", "models": models, "strategies": ["solo"], "questions": {"file": "questions.jsonl"}}
    questions = [{"id": f"q{n}", "text": f"Who is number {n}?", "answer": f"Person {n}"} for n in range(3)]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, questions)))
    path = tmp_path / "cup.json"
    with small_disk(tmp_path, monkeypatch) as folder:
        path.write_text(json.dumps({**keys, "store": f"sqlite:///{folder}/cup.db"}))
        assert moot("run", path, "--quiet") == 0
        filling = (folder / "rest").open("wb", buffering=0)
        with suppress(OSError), filling:
            while True:
                filling.write(bytes(4096))
        capfd.readouterr()
        for arguments in (("report", path), ("runs", path), ("export", path, "-o", tmp_path / "out")):
            assert moot(*arguments) == 0, arguments
            assert "I/O" not in capfd.readouterr().err
        path.write_text(json.dumps({**keys, "store": f"sqlite:///{folder}/cup.db", "seed": 2}))
        assert moot("run", path, "--quiet") == 1
        told = capfd.readouterr().err
        assert "no space left on the device" in told
        assert "I/O" not in told


async def test_a_store_that_is_full_stays_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with few_pages(tmp_path, monkeypatch) as folder:
        store = await SqliteStore(folder / "s.db").open()
        cache = Cache(ScriptedModel("tom", lambda request: "fine " * 200), ExperimentCalls(store, "x"))
        ended = await asyncio.gather(*(cache.generate(request(n)) for n in range(400)), return_exceptions=True)
        assert Counter(map(type, ended)).keys() <= {Reply, StoreFull}
        assert isinstance(ended[-1], StoreFull)
        with pytest.raises(StoreFull):
            await cache.generate(request(1000))
        with pytest.raises(StoreFull):
            await store.flush()
        await store.close()


async def test_closing_waits_for_a_read_that_nobody_waits_for_any_more(tmp_path: Path) -> None:
    """Cancelled by its caller it goes on in its thread; to close its connection under it is a crash of the interpreter."""
    store = await SqliteStore(tmp_path / "s.db").open()
    begun, let_go = threading.Event(), threading.Event()
    ended: list[int] = []

    def slow(connection: Connection) -> None:
        begun.set()
        let_go.wait(120)
        ended.append(connection.execute(text("SELECT 1")).scalar_one())

    reading = asyncio.create_task(store.read(slow))
    await asyncio.to_thread(begun.wait, 120)
    reading.cancel()
    closing = asyncio.create_task(store.close())
    await asyncio.sleep(0.05)
    assert not closing.done()
    let_go.set()
    await closing
    assert ended == [1]


async def test_a_store_that_cannot_be_written_says_what_to_do(tmp_path: Path) -> None:
    """As on a disk that is read-only, which root cannot make by a mode: the log of the store cannot be opened."""
    path = tmp_path / "s.db"
    await (await store_at(f"sqlite:///{path}").open()).close()
    (tmp_path / "s.db-wal").mkdir()
    store = await store_at(f"sqlite:///{path}").open()
    assert await store.find_call("k") is None, "it can be read"
    with pytest.raises(StoreError, match=r"cannot be written here; copy it to where it can, and name it with --store"):
        await store.join()
    await store.close()


async def test_a_reader_who_does_not_let_go_is_said_and_then_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was forgotten stands in the log as long as somebody reads an earlier state."""
    monkeypatch.setattr(scrubbing, "SCRUB_S", 0.2)
    path = tmp_path / "s.db"
    store = await SqliteStore(path).open()
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM calls").fetchone()
        with pytest.raises(StoreError, match="does not let go; what was forgotten is still in it"):
            await store.scrub()
        reader.execute("COMMIT")
        await store.scrub()
        assert os.path.getsize(f"{path}-wal") == 0  # noqa: ASYNC240
    await store.close()


async def test_a_scrub_takes_its_turn_among_writes_that_never_end(tmp_path: Path) -> None:
    """Between the beginning and the end of a transaction nothing can be scrubbed, and the store is never idle."""
    path = tmp_path / "s.db"
    store = await SqliteStore(path).open()
    over, kept = False, set[str]()

    async def writes(number: int) -> None:
        for turn in itertools.count():
            if over:
                return
            row = call_row(StoredCall(f"{number}-{turn}", "tom", "[]", Reply("x" * 500, key="")), "x")
            kept.add((await store.keep_call(row))["key"])

    writers = [asyncio.create_task(writes(number)) for number in range(30)]
    async with asyncio.timeout(120):
        for _ in range(5):
            await store.scrub()
    assert len(kept) > 30
    assert not any(writer.done() for writer in writers)
    over = True
    await asyncio.gather(*writers)
    await store.close()
    assert {key for (key,) in rows(path, "SELECT key FROM calls")} == kept


async def test_tries_beside_a_reader_do_not_make_the_log_longer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scrubbing, "SCRUB_S", 0.1)
    path = tmp_path / "s.db"
    store = await SqliteStore(path).open()
    for number in range(200):
        await store.keep_call(call_row(StoredCall(f"{number}", "tom", "[]", Reply("x" * 5_000, key="")), "x"))
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM calls").fetchone()
        lengths = [os.path.getsize(f"{path}-wal")]  # noqa: ASYNC240
        for _ in range(3):
            with pytest.raises(StoreError, match="still in it"):
                await store.scrub()
            lengths.append(os.path.getsize(f"{path}-wal"))  # noqa: ASYNC240
    assert len(set(lengths)) == 1, lengths
    await store.scrub()
    await store.close()


async def test_a_store_behind_a_link_is_read_with_its_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a copy of a run that was killed, in a folder of somebody else's: the log stands beside the file, not the link."""
    first, real, link = tmp_path / "s.db", tmp_path / "real", tmp_path / "link"
    await (await store_at(f"sqlite:///{first}").open()).close()
    real.mkdir()
    link.mkdir()
    with closing(sqlite3.connect(first)) as writing:
        writing.execute("PRAGMA wal_autocheckpoint = 0")
        writing.execute("INSERT INTO cases (id, question_id, content) VALUES ('kept', 'q', 'in the log')")
        writing.commit()
        for ending in ("", "-wal"):
            shutil.copyfile(f"{first}{ending}", real / f"s.db{ending}")
    (link / "s.db").symlink_to(Path("..") / "real" / "s.db")
    migrate, refused = SqliteStore._migrate, sqlite3.OperationalError("attempt to write a readonly database")
    refused.sqlite_errorcode = sqlite3.SQLITE_READONLY

    def cannot_be_written(store: SqliteStore) -> None:
        monkeypatch.setattr(SqliteStore, "_migrate", migrate)  # of the copy
        raise refused

    for place in (real, link):
        monkeypatch.setattr(SqliteStore, "_migrate", cannot_be_written)
        store = await store_at(f"sqlite:///{place / 's.db'}").open()
        try:
            kept = await store.read(lambda connection: connection.execute(text("SELECT id FROM cases")).scalars().all())
        finally:
            await store.close()
        assert kept == ["kept"], place
