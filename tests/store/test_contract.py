"""What every store does, on SQLite and on a real PostgreSQL server alike."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, insert, select

from moot.errors import StoreError, StoreNewer, UsageError
from moot.models.cache import Cache, StoredCall
from moot.models.scripted import ScriptedModel
from moot.store import migrating, queries, schema, store_at
from moot.store.calls import ExperimentCalls
from moot.store.rows import call_row
from moot.store.store import Store
from moot.testing import check_store
from moot.types import Message, Reply, Request, Usage


@dataclass(frozen=True)
class Place:
    """Where a store is, and a way to look at it from outside."""

    url: str
    sql: Callable[[str], list[tuple[Any, ...]]]

    def store(self) -> Store:
        return store_at(self.url)


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    if request.param == "postgresql":
        postgres = request.getfixturevalue("postgres")
        url = postgres.database()
        return Place(url, lambda query: postgres.sql(url, query))
    path = tmp_path / "s.db"

    def rows(query: str) -> list[tuple[Any, ...]]:
        connection = sqlite3.connect(path)
        try:
            with connection:
                return connection.execute(query).fetchall()
        finally:
            connection.close()

    return Place(f"sqlite:///{path}", rows)


def request(number: int) -> Request:
    return Request((Message("user", f"Who is {number}?"),))


def failure(key: str, message: object = "no") -> dict[str, Any]:
    return {"key": key, "experiment": "x", "model": "tom", "kind": "TimedOut", "message": message, "created_at": 0.0}


def call(key: str, text: str) -> dict[str, Any]:
    return call_row(StoredCall(key, "tom", "[]", Reply(text, key=key)), "x")


async def test_the_contract(place: Place) -> None:
    await check_store(place.store)


async def test_asking_whether_there_is_a_store_makes_none(place: Place) -> None:
    assert not await place.store().exists()
    with pytest.raises(UsageError, match="run the experiment first"):
        await place.store().needed("run the experiment first").open()
    assert not await place.store().exists()
    await (await place.store().open()).close()
    assert await place.store().exists()
    await (await place.store().needed("run the experiment first").open()).close()


# --- migrations --------------------------------------------------------------------------------------------------------


async def test_migrations_are_named_and_each_runs_once(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(2):
        await (await place.store().open()).close()
    names = "SELECT name FROM migrations ORDER BY applied_at, name"
    assert [name for (name,) in place.sql(names)] == list(migrating.MIGRATIONS)
    ran = []

    def step(connection: Connection) -> None:
        connection.exec_driver_sql("CREATE TABLE added (x integer)")
        ran.append("added")

    monkeypatch.setitem(migrating.MIGRATIONS, "0999-added", step)
    for _ in range(2):
        await (await place.store().open()).close()
    assert ran == ["added"]
    assert place.sql(names)[-1] == ("0999-added",)


async def test_a_migration_that_fails_leaves_the_store_as_it_was(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    await (await place.store().open()).close()

    def step(connection: Connection) -> None:
        connection.exec_driver_sql("CREATE TABLE half (x integer)")
        connection.exec_driver_sql("no SQL at all")

    with monkeypatch.context() as patched:
        patched.setitem(migrating.MIGRATIONS, "0999-broken", step)
        with pytest.raises(StoreError):
            await place.store().open()
    monkeypatch.setitem(
        migrating.MIGRATIONS, "0999-broken", lambda each: each.exec_driver_sql("CREATE TABLE half (x integer)")
    )
    await (await place.store().open()).close()


async def test_several_who_open_an_empty_store_at_once_make_its_tables_once(place: Place) -> None:
    stores = await asyncio.gather(*(place.store().open() for _ in range(5)))
    for store in stores:
        await store.close()
    assert len(place.sql("SELECT name FROM migrations")) == len(migrating.MIGRATIONS)


async def test_a_store_of_a_newer_moot_is_left_alone(place: Place) -> None:
    await (await place.store().open()).close()
    place.sql("INSERT INTO migrations VALUES ('9999-from-the-future', 0)")
    with pytest.raises(StoreNewer, match=r": written by a newer moot \(it has '9999-from-the-future'\)"):
        await place.store().open()


# --- durability ---------------------------------------------------------------------------------------------------------


async def test_a_reply_is_there_for_others_before_anybody_has_it(place: Place) -> None:
    store = await place.store().open()
    cache = Cache(ScriptedModel("tom", lambda request: request.messages[0].content), ExperimentCalls(store, "x"))

    async def ask(number: int) -> None:
        reply = await cache.generate(request(number))
        assert place.sql(f"SELECT text FROM calls WHERE key = '{reply.key}'") == [(reply.text,)]

    await asyncio.gather(*(ask(number) for number in range(60)))
    await store.close()


async def test_everything_about_a_reply_comes_back(place: Place) -> None:
    store = await place.store().open()
    usage = Usage(prompt=1, completion=2, reasoning=3, cached=4)
    kept = Reply("да\n'\";--", "length", usage, 1.5, "v 1", 0.25, "hm", {"content": [1]})
    model = ScriptedModel("tom", [kept])
    first = await Cache(model, ExperimentCalls(store, "x")).generate(request(1))
    again = await Cache(model, ExperimentCalls(store, "x")).generate(request(1))
    assert first == again == kept.keyed(first.key)
    await store.close()


async def test_what_was_handed_over_is_written_before_the_store_closes(place: Place) -> None:
    store = await place.store().open()
    for number in range(100):
        store.put_later([(schema.failures, failure(f"k{number}"))])
    await store.close()
    assert place.sql("SELECT COUNT(*) FROM failures") == [(100,)]


async def test_a_row_put_again_takes_the_place_of_the_first(place: Place) -> None:
    store = await place.store().open()
    row = {"cell": "c", "case": "k", "repeat": 0, "grader": "match", "stage": "match", "detail": None}
    for value in (0.0, 1.0):  # in one group
        store.put_later([(schema.scores, {**row, "value": value})])
    await store.flush()
    assert place.sql("SELECT value FROM scores") == [(1.0,)]
    store.put_later([(schema.scores, {**row, "value": None})])
    await store.close()
    assert place.sql("SELECT value FROM scores") == [(None,)]


@pytest.mark.parametrize("message", [object(), None], ids=["object", "nothing"])
async def test_a_row_that_cannot_be_written_is_not_lost_in_silence(place: Place, message: object) -> None:
    store = await place.store().open()
    store.put_later([(schema.failures, failure("k", message))])
    with pytest.raises(StoreError):
        await store.flush()
    with pytest.raises(StoreError):
        store.put_later([(schema.failures, failure("k"))])
    await store.close()


async def test_work_that_fails_takes_nothing_with_it(place: Place) -> None:
    store = await place.store().open()

    def fail(connection: Connection) -> None:
        connection.execute(insert(schema.failures).values(**failure("lost")))
        raise LookupError("mine")

    store.put_later([(schema.failures, failure("kept"))])
    with pytest.raises(LookupError, match="mine"):
        await store.run(fail)
    with pytest.raises(StoreError):
        await store.run(lambda connection: connection.exec_driver_sql("SELECT x FROM nowhere"))
    found = await store.run(lambda connection: connection.execute(select(schema.failures.c.key)).scalars().all())
    assert found == ["kept"]
    await store.close()


async def test_an_error_of_the_database_shows_none_of_what_was_written(place: Place) -> None:
    """It goes into logs, which forget nothing."""
    shown: list[str] = []

    def fail(connection: Connection) -> None:
        written = {"id": "a", "strategy": "s3cret", "label": "s3cret", "spec": "s3cret"}
        try:
            connection.execute(insert(schema.cells).values(**written))
            connection.execute(insert(schema.cells).values(**written))
        except Exception as error:
            shown.append(f"{error} {error!r}")
            raise

    store = await place.store().open()
    with pytest.raises(StoreError):
        await store.run(fail)
    await store.close()
    assert len(shown) == 1
    assert "s3cret" not in shown[0]


# --- text ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["half \ud800 of a pair", "one \x00 and \udfff two"])
async def test_any_text_can_be_stored(place: Place, text: str) -> None:
    """Half a surrogate pair is no text to any database, and NUL none to PostgreSQL."""
    store = await place.store().open()
    store.put_later([(schema.failures, failure(f"k{number}")) for number in range(3)])
    store.put_later([(schema.failures, failure("odd", text))])
    store.put_later([(schema.failures, failure("after"))])
    await store.flush()
    rows = place.sql("SELECT key, message FROM failures ORDER BY id")
    assert [key for key, _ in rows] == ["k0", "k1", "k2", "odd", "after"], "each once, the odd one with its neighbours"
    kept = dict(rows)["odd"]
    assert "\ud800" not in kept
    assert "\udfff" not in kept
    assert "\ufffd" in kept
    assert kept.startswith(text[:4])
    await store.close()


async def test_a_null_character_in_other_work(postgres: Any) -> None:
    store = await store_at(postgres.database()).open()
    await store.run(lambda connection: queries.put(connection, schema.failures, [failure("k", "a\x00b")] * 2))
    assert [row["message"] for row in await store.run(lambda each: queries.failures_of(each, "x"))] == ["a\ufffdb"]
    await store.close()


async def test_long_and_foreign_text_comes_back_as_it_was(place: Place) -> None:
    store = await place.store().open()
    text = json.dumps(["Ё—𝕏\u202e", "\\", "'", '"', "%s $1 :x ?"]) + "я" * 1_000_000
    await store.keep_call(call("k", text))
    row = await store.find_call("k")
    assert row is not None
    assert row["text"] == text
    await store.close()


# --- many ---------------------------------------------------------------------------------------------------------------


async def test_thousands_of_keys_in_one_question(place: Place) -> None:
    store = await place.store().open()
    await asyncio.gather(*(store.keep_call(call(f"k{number}", str(number))) for number in range(3000)))
    keys = [f"k{number}" for number in range(40_000)]
    found = await store.run(lambda connection: queries.find_calls(connection, keys))
    assert len(found) == 3000
    assert await store.run(lambda connection: queries.finished(connection, ["c"], keys)) == set()
    await store.close()


async def test_two_of_one_key_in_one_group(place: Place) -> None:
    store = await place.store().open()
    kept = await asyncio.gather(*(store.keep_call(call("k", text)) for text in ("one", "two")))
    assert [row["text"] for row in kept] == ["one", "one"]
    await store.close()


async def test_the_first_reply_stands(place: Place) -> None:
    """Two processes asked at the same moment: both go on with what was stored first."""
    stores = [await place.store().open() for _ in range(2)]
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
    assert place.sql("SELECT text FROM calls") == [(replies[0].text,)]
    for store in stores:
        await store.close()


async def test_many_writers_of_the_same_calls_agree_and_none_waits_for_ever(place: Place) -> None:
    """Every writer has the same keys in another order: a circle of waiting, if the order were kept."""
    stores = [await place.store().open() for _ in range(4)]
    keys = [f"k{number}" for number in range(150)]

    async def write(number: int, store: Store) -> dict[str, str]:
        order = keys[number * 37 :] + keys[: number * 37]
        rows = await asyncio.gather(*(store.keep_call(call(key, f"{number}")) for key in order))
        return {row["key"]: row["text"] for row in rows}

    said = await asyncio.gather(*(write(number, store) for number, store in enumerate(stores)))
    assert said[0] == said[1] == said[2] == said[3] == dict(place.sql("SELECT key, text FROM calls"))
    for store in stores:
        await store.close()


def score(case: str, value: float | None) -> dict[str, Any]:
    row = {"cell": "c", "case": case, "repeat": 0, "grader": "match", "stage": "match", "detail": None}
    return {**row, "value": value}


async def test_many_rows_some_of_which_are_there_already(place: Place) -> None:
    """Whoever grades again replaces row after row, with new ones between them, and the last word stands."""
    store = await place.store().open()
    for turn in range(8):
        rows = [score(f"k{number}", turn / 10) for number in range(10 * turn, 10 * turn + 50)]
        store.put_later([(schema.scores, row) for row in rows])
        store.put_later([(schema.failures, failure(f"f{turn}-{number}")) for number in range(10)])
        await store.flush()
    stored = dict(place.sql('SELECT "case", value FROM scores'))
    assert stored == {f"k{number}": min(number // 10, 7) / 10 for number in range(120)}
    assert place.sql("SELECT COUNT(*), COUNT(DISTINCT key) FROM failures") == [(80, 80)], "none twice, none missing"
    twice = [(schema.scores, score("twice", value)) for value in (0.0, 0.5, 1.0, 0.0, 0.25)]
    store.put_later(twice)
    await store.close()
    assert place.sql("SELECT value FROM scores WHERE \"case\" = 'twice'") == [(0.25,)]


async def test_calls_that_another_has_stored_among_many_that_are_new(place: Place) -> None:
    """Theirs stand and come back, ours are kept beside them; what we paid for the same is in the books as a loss."""
    stores = [await place.store().open() for _ in range(2)]

    async def keep(store: Store, text: str, first: int) -> list[str]:
        rows = [{**call(f"k{number:03}", text), "cost_usd": 0.25} for number in range(first, first + 100)]
        return [row["text"] for row in await asyncio.gather(*map(store.keep_call, rows))]

    assert await keep(stores[0], "one", 0) == ["one"] * 100
    assert await keep(stores[1], "two", 80) == ["one"] * 20 + ["two"] * 80
    assert await keep(stores[1], "again", 180) == ["again"] * 100, "and many that are all new, after it"
    assert place.sql("SELECT text, COUNT(*) FROM calls GROUP BY text ORDER BY text") == [
        ("again", 100),
        ("one", 100),
        ("two", 80),
    ]
    assert place.sql("SELECT COUNT(*), SUM(usd) FROM losses") == [(20, 5.0)]
    for store in stores:
        await store.close()


async def test_a_number_beyond_all_bounds_among_many_calls(place: Place) -> None:
    store = await place.store().open()
    rows = [{**call(f"k{number}", "text"), "prompt_tokens": number} for number in range(20)]
    rows[7]["prompt_tokens"] = 2**70
    await asyncio.gather(*map(store.keep_call, rows))
    stored = dict(place.sql("SELECT key, prompt_tokens FROM calls"))
    assert stored == {f"k{number}": None if number == 7 else number for number in range(20)}
    await store.close()


async def test_a_call_that_another_has_stored_early_among_megabytes(place: Place) -> None:
    """The refusal comes while most of the rows are still on their way."""
    stores = [await place.store().open() for _ in range(2)]
    words = "word " * 500
    await stores[0].keep_call(call("k0003", "theirs"))
    rows = [call(f"k{number:04}", words) for number in range(1_500)]
    async with asyncio.timeout(100):
        kept = await asyncio.gather(*map(stores[1].keep_call, rows))
    assert [row["key"] for row in kept if row["text"] != words] == ["k0003"]
    assert kept[3]["text"] == "theirs"
    assert place.sql("SELECT COUNT(*) FROM calls") == [(1_500,)]
    for store in stores:
        await store.close()


@pytest.mark.parametrize("odd", ["half a pair \ud83d", "nothing \0"])
async def test_characters_that_no_database_takes_among_many_rows(place: Place, odd: str) -> None:
    store = await place.store().open()
    store.put_later([(schema.failures, failure(f"f{number}", odd if number == 5 else "no")) for number in range(20)])
    rows = [call(f"k{number:02}", "text") for number in range(20)]
    rows[7]["text"] = odd
    await asyncio.gather(*map(store.keep_call, rows))
    await store.flush()
    assert place.sql("SELECT COUNT(*) FROM failures") == place.sql("SELECT COUNT(*) FROM calls") == [(20,)]
    assert place.sql("SELECT COUNT(*) FROM calls WHERE text <> 'text'") == [(1,)]
    later = [call(f"l{number:02}", "text") for number in range(20)]
    assert await asyncio.gather(*map(store.keep_call, later)) == later, "and the line goes on after it"
    await store.close()


def episode(number: int) -> dict[str, Any]:
    words = {"outcome": "answered", "answer": "a", "verdict": "{}", "transcript": "[]"}
    return {"cell": "c", "question": f"q{number}", "repeat": 0, **words, "seconds": 0.0, "created_at": 0.0}


async def test_rows_that_wait_for_others_do_not_wait_for_long(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls that come without a pause: episodes are written in fewer and larger groups, and soon all the same."""
    store = await place.store().open()
    with_calls, with_episodes = [], []
    write = type(store)._write

    async def watched(self: Store, group: Any) -> Any:
        with_calls.append(len(group.calls))
        with_episodes.append(len(group.puts.get(schema.episodes, ())))
        return await write(self, group)

    monkeypatch.setattr(type(store), "_write", watched)
    made = iter(range(1_000_000))
    pausing = asyncio.Event()

    async def play() -> None:
        while not pausing.is_set():
            number = next(made)
            await store.keep_call(call(f"k{number}", "text"))
            store.put_later([(schema.episodes, episode(number))])

    players = [asyncio.create_task(play()) for _ in range(60)]
    async with asyncio.timeout(60):
        while not place.sql("SELECT COUNT(*) FROM episodes")[0][0]:  # noqa: ASYNC110  who only looks is told nothing
            await asyncio.sleep(0.05)
    assert not pausing.is_set(), "seen by others while calls go on"
    assert len([rows for rows in with_episodes if rows]) < len([calls for calls in with_calls if calls])
    pausing.set()
    await asyncio.gather(*players)
    await store.flush()
    assert place.sql("SELECT COUNT(*) FROM episodes") == place.sql("SELECT COUNT(*) FROM calls")
    store.put_later([(schema.episodes, episode(-1))])
    asked = "SELECT COUNT(*) FROM episodes WHERE question = 'q-1'"
    assert await store.run(lambda each: each.exec_driver_sql(asked).scalar()) == 1, (
        "other work sees what was put before it"
    )
    await store.close()


async def test_rows_that_were_kept_back_when_the_writer_was_stopped(place: Place) -> None:
    """Nobody is there to write them any more, in the middle of a transaction: closing does it all the same."""
    store = await place.store().open()
    made, put = iter(range(1_000_000)), []

    async def play() -> None:
        while True:
            number = next(made)
            await store.keep_call(call(f"k{number}", "text"))
            put.append(f"q{number}")
            store.put_later([(schema.episodes, episode(number))])

    players = [asyncio.create_task(play()) for _ in range(60)]
    async with asyncio.timeout(60):
        while store._held_since is None:  # noqa: ASYNC110  nobody outside is told
            await asyncio.sleep(0)
    assert store._writer is not None
    store._writer.cancel()
    ended = await asyncio.gather(*players, return_exceptions=True)
    assert {type(each) for each in ended} == {StoreError}
    await store.close()
    assert put
    assert sorted(place.sql("SELECT question FROM episodes")) == sorted((question,) for question in put)


async def test_a_writer_that_was_stopped_while_it_waited_for_another(place: Place) -> None:
    """It was inside a transaction, of which the next must find nothing."""
    stores = [await place.store().open() for _ in range(2)]
    inside, enough = threading.Event(), threading.Event()

    def hold(connection: Connection) -> None:
        connection.execute(insert(schema.calls), [call("k00", "theirs")])
        inside.set()
        assert enough.wait(50)

    holding = asyncio.create_task(stores[0].run(hold))
    assert await asyncio.to_thread(inside.wait, 50)
    rows = [call(f"k{number:02}", "ours") for number in range(20)]
    waiting = [asyncio.create_task(stores[1].keep_call(row)) for row in rows]
    await asyncio.sleep(0)
    stores[1].put_later([(schema.failures, failure("f"))])
    await asyncio.sleep(0.5)
    assert stores[1]._writer is not None
    stores[1]._writer.cancel()
    await asyncio.sleep(0.2)
    enough.set()
    assert {type(each) for each in await asyncio.gather(*waiting, return_exceptions=True)} == {StoreError}
    await holding
    await stores[1].again()
    kept = await asyncio.gather(*map(stores[1].keep_call, rows))
    assert [row["text"] for row in kept] == ["theirs"] + ["ours"] * 19
    for store in stores:
        await store.close()
    assert place.sql("SELECT COUNT(*) FROM calls") == [(20,)]
    assert place.sql("SELECT COUNT(*) FROM failures") == [(1,)]
