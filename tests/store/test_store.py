"""The store: durable before it is used, shared without harm, and clear about it when it cannot be read or written."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, event

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.errors import StoreError, StoreFull, StoreNewer, UsageError
from moot.models.cache import Cache
from moot.models.scripted import ScriptedModel
from moot.serve.simulate import SimulatedServer, running
from moot.store import schema, sqlite, store_at
from moot.store.calls import ExperimentCalls
from moot.store.sqlite import SqliteStore
from moot.types import Message, Reply, Request, Usage

MOOT = [sys.executable, "-c", "from moot.cli import main; main()"]


@contextmanager
def simulated(**config: Any) -> Iterator[SimulatedServer]:
    """A simulated server in a thread of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    models = {name: {"accuracy": 0.5} for name in ("ann", "bob")}
    context = running({"seed": 7, "models": models, **config})
    server = asyncio.run_coroutine_threadsafe(context.__aenter__(), loop).result(10)
    try:
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(context.__aexit__(None, None, None), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


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


def rows(path: Path, sql: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(path)
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def results(path: Path) -> list[tuple[Any, ...]]:
    """Every episode, without what differs from run to run."""
    sql = "SELECT player, question, repeat, outcome, answer FROM episodes JOIN cells ON cells.id = cell"
    return sorted(rows(path, sql))


def request(number: int) -> Request:
    return Request((Message("user", f"Who is {number}?"),))


# --- migrations --------------------------------------------------------------------------------------------------------


async def test_migrations_are_named_and_each_runs_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "s.db"
    for _ in range(2):
        await (await SqliteStore(path).open()).close()
    assert [name for (name,) in rows(path, "SELECT name FROM migrations")] == list(schema.MIGRATIONS)
    ran = []

    def step(connection: Connection) -> None:
        connection.exec_driver_sql("CREATE TABLE added (x)")
        ran.append("added")

    monkeypatch.setitem(schema.MIGRATIONS, "0999-added", step)
    for _ in range(2):
        await (await SqliteStore(path).open()).close()
    assert ran == ["added"]
    assert rows(path, "SELECT name FROM migrations ORDER BY applied_at")[-1] == ("0999-added",)


async def test_a_migration_that_fails_leaves_the_store_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "s.db"
    await (await SqliteStore(path).open()).close()

    def step(connection: Connection) -> None:
        connection.exec_driver_sql("CREATE TABLE half (x)")
        connection.exec_driver_sql("no SQL at all")

    monkeypatch.setitem(schema.MIGRATIONS, "0999-broken", step)
    with pytest.raises(StoreError):
        await SqliteStore(path).open()
    assert rows(path, "SELECT name FROM sqlite_master WHERE name = 'half'") == []


async def newer_store(path: Path) -> None:
    await (await SqliteStore(path).open()).close()
    connection = sqlite3.connect(path)
    connection.execute("INSERT INTO migrations VALUES ('9999-from-the-future', 0)")
    connection.commit()
    connection.close()


async def test_a_store_of_a_newer_moot_is_left_alone(tmp_path: Path) -> None:
    await newer_store(tmp_path / "s.db")
    with pytest.raises(StoreNewer, match=r"s\.db: written by a newer moot \(it has '9999-from-the-future'\)"):
        await SqliteStore(tmp_path / "s.db").open()


# --- stores that cannot be used -----------------------------------------------------------------------------------------


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


async def test_everything_about_a_reply_comes_back(tmp_path: Path) -> None:
    store = await SqliteStore(tmp_path / "s.db").open()
    kept = Reply(
        "да\n'\";--",
        "length",
        Usage(prompt=1, completion=2, reasoning=3, cached=4),
        1.5,
        "v 1",
        0.25,
        "hm",
        {"content": [1]},
    )
    model = ScriptedModel("tom", [kept])
    first = await Cache(model, ExperimentCalls(store, "x")).generate(request(1))
    again = await Cache(model, ExperimentCalls(store, "x")).generate(request(1))
    assert first == again == kept.keyed(first.key)
    await store.close()


async def test_what_was_handed_over_is_written_before_the_store_closes(tmp_path: Path) -> None:
    store = await SqliteStore(tmp_path / "s.db").open()
    for number in range(100):
        store.put_later([(schema.failures, failure(f"k{number}"))])
    await store.close()
    assert rows(tmp_path / "s.db", "SELECT COUNT(*) FROM failures") == [(100,)]


def failure(key: str, message: object = "no") -> dict[str, Any]:
    row = {"key": key, "experiment": "x", "model": "tom", "kind": "TimedOut", "message": message, "created_at": 0.0}
    return {column.name: row[column.name] for column in schema.failures.columns if column.name in row}


@pytest.mark.parametrize("message", ["half \ud800 of a pair", object(), None], ids=["surrogate", "object", "nothing"])
async def test_a_row_that_cannot_be_written_is_not_lost_in_silence(tmp_path: Path, message: object) -> None:
    store = await SqliteStore(tmp_path / "s.db").open()
    store.put_later([(schema.failures, failure("k", message))])
    with pytest.raises(StoreError):
        await store.flush()
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


async def test_the_first_reply_stands(tmp_path: Path) -> None:
    """Two processes asked at the same moment: both go on with what was stored first."""
    stores = [await SqliteStore(tmp_path / "s.db").open() for _ in range(2)]
    started = asyncio.Barrier(2)

    class Together(ScriptedModel):
        async def generate(self, request: Request) -> Reply:
            await started.wait()
            return await super().generate(request)

    models = [Together("tom", [text]) for text in ("one", "two")]
    for model in models:
        model.shape = lambda request: {"same": True}  # type: ignore[method-assign]
    caches = [Cache(model, ExperimentCalls(store, "x")) for model, store in zip(models, stores, strict=True)]
    replies = await asyncio.gather(*(cache.generate(request(1)) for cache in caches))
    assert replies[0].text == replies[1].text
    assert rows(tmp_path / "s.db", "SELECT text FROM calls") == [(replies[0].text,)]
    for store in stores:
        await store.close()


# --- a full disk --------------------------------------------------------------------------------------------------------


@contextmanager
def small_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with room for the tables and a few calls, by the means at hand."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("a small disk needs the right to mount one")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@contextmanager
def few_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The database's own limit, which says the same thing as a full disk does."""
    folder = tmp_path / "disk"
    folder.mkdir()
    original = sqlite._engine

    def engine(path: Path, **options: Any) -> Any:
        made = original(path, **options)
        event.listen(made, "connect", lambda connection, _: connection.execute("PRAGMA max_page_count = 60"))
        return made

    with monkeypatch.context() as patched:
        patched.setattr(sqlite, "_engine", engine)
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
        assert 0 < kept < 240
        server.reset()
        assert moot("run", path, "--quiet", "--store", f"sqlite:///{later}") == 0
        assert server.stats["outcomes"] == {"ok": 240 - kept}, "what was kept is not asked again"
    assert results(later) == results(alone.with_suffix(".db"))


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
