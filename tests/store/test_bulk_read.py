"""Reading along a table finds what looking up finds, in whatever order it was written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import create_engine, insert

from moot.errors import StoreUnreadable
from moot.store import bulk_read, schema
from moot.store.bulk_read import Along, pays


class Shelf:
    """Rows, and who was looked up among them."""

    def __init__(self, rows: Sequence[tuple[int, int]]) -> None:
        self.rows = rows
        self.asked: list[Any] = []

    def find(self, keys: Sequence[Any]) -> Iterator[tuple[int, int]]:
        self.asked += keys
        return (row for row in self.rows if row[0] in keys)


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a test of some dozens of rows meets every limit."""
    monkeypatch.setattr(bulk_read, "AHEAD", 12)
    monkeypatch.setattr(bulk_read, "AT_ONCE", 3)


rows_in_any_order = st.lists(st.tuples(st.integers(0, 15), st.integers(0, 1000)), max_size=60, unique=True)
requests = st.lists(st.lists(st.integers(0, 18), unique=True, max_size=6), max_size=12)


@pytest.mark.usefixtures("short")
@given(rows=rows_in_any_order, wanted=requests, streamed=st.integers(0, 60))
@settings(deadline=None)
def test_the_order_changes_nothing(rows: list[tuple[int, int]], wanted: list[list[int]], streamed: int) -> None:
    """Also where the stream lacks rows, or a key is asked for again."""
    shelf = Shelf(rows)
    reading = Along(rows[:streamed], shelf.find, Counter(row[0] for row in rows))
    for keys in wanted:
        found = reading.take(keys)
        assert {key: sorted(each) for key, each in found.items()} == {
            key: own for key in keys if (own := sorted(row for row in rows if row[0] == key))
        }


@pytest.mark.usefixtures("short")
def test_what_was_written_in_this_order_is_not_looked_up() -> None:
    rows = [(number // 2, number) for number in range(200)]
    shelf = Shelf(rows)
    reading = Along(rows, shelf.find, dict.fromkeys(range(100), 2))
    for start in range(0, 100, 5):
        assert reading.take(range(start, start + 5)).keys() == set(range(start, start + 5))
    assert not shelf.asked


@pytest.mark.usefixtures("short")
def test_one_that_comes_late_is_the_only_one_looked_up() -> None:
    rows = [*((number, 0) for number in range(1, 100)), (0, 0)]
    shelf = Shelf(rows)
    reading = Along(rows, shelf.find)
    for start in range(0, 100, 5):
        assert len(reading.take(range(start, start + 5))) == 5
    assert shelf.asked == [0]


@pytest.mark.usefixtures("short")
def test_what_nobody_asks_for_is_forgotten() -> None:
    rows = [*((-number, 0) for number in range(1, 40)), *((number, 0) for number in range(1, 40))]
    shelf = Shelf(rows)
    reading = Along(rows, shelf.find)
    taken = [reading.take([number]) for number in range(1, 40)]
    assert all(len(each) == 1 for each in taken)
    assert 0 < len(shelf.asked) < 39, "it went on past them and found the rest"


@pytest.mark.parametrize(("there", "wanted", "whole"), [(8, 2, True), (8, 1, False), (9, 2, False), (0, 0, True)])
def test_a_table_is_read_as_a_whole_from_one_in_four_on(there: int, wanted: int, whole: bool) -> None:
    engine = create_engine("sqlite://")
    schema.metadata.create_all(engine, tables=[schema.episodes])
    columns = [column for column in schema.episodes.columns if not column.nullable]
    row = {column.name: "{}" if column.type.python_type is str else 0 for column in columns}
    with engine.begin() as connection:
        for number in range(there):
            connection.execute(insert(schema.episodes).values(**row | {"question": f"q{number}"}))
        assert pays(connection, wanted) is whole
    engine.dispose()


def test_a_server_is_never_asked_for_a_whole_table() -> None:
    connection: Any = SimpleNamespace(dialect=SimpleNamespace(name="postgresql"))
    assert not pays(connection, 10**9)


@pytest.mark.parametrize(
    ("column", "value"),
    [("cost_usd", -1.0), ("cost_usd", "dear"), ("prompt_tokens", -1), ("prompt_tokens", 1.5), ("key", b"key")],
)
def test_a_value_that_moot_does_not_write_is_refused_among_many(column: str, value: object) -> None:
    engine = create_engine("sqlite://")
    schema.metadata.create_all(engine)
    row = {
        "experiment": "cup",
        "model": "m",
        "shape": "",
        "text": "",
        "finish": "stop",
        "latency_s": 0.1,
        "created_at": 1.0,
    }
    with engine.begin() as connection:
        connection.execute(insert(schema.calls), [{**row, "key": f"k{n}", "cost_usd": 0.1 * n} for n in range(20)])
        assert len(list(bulk_read.written_calls(connection, "cup", ("key", "cost_usd", "prompt_tokens")))) == 20
        connection.exec_driver_sql(f"UPDATE calls SET {column} = ? WHERE key = 'k7'", (value,))
        with pytest.raises(StoreUnreadable, match=f"calls.{column}: expected"):
            list(bulk_read.written_calls(connection, "cup", ("key", "cost_usd", "prompt_tokens")))
