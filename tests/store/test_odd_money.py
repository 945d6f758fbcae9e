"""Money in a store that is a stranger's, or was changed by hand: it lifts no cap, and nothing is called before it is said."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from billing import MAX_TOKENS, PRICE, provider
from sqlalchemy import text

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.errors import StoreUnreadable
from moot.models.cache import StoredCall
from moot.store import schema, store_at
from moot.store.bookkeeping import day_of
from moot.store.ledger import Ledger, paid_on
from moot.store.rows import call_row
from moot.types import Reply, Usage

NOW = time.time()
CALL = call_row(StoredCall("k", "ann", "[{}]", Reply("A", usage=Usage(1, 1), cost_usd=0.1)), "cup")
ROWS: dict[str, list[dict[str, Any]]] = {
    "calls.cost_usd": [{**CALL, "key": f"k{n}"} for n in range(3)],
    "losses.usd": [{"experiment": "cup", "usd": 5.0, "created_at": NOW} for _ in range(3)],
    "reservations.usd": [
        {"id": f"r{n}", "experiment": "cup", "usd": 5.0, "holder": "gone", "payer": "ann", "created_at": NOW}
        for n in range(3)
    ],
    "accounts.held_usd": [{"experiment": "cup", "held_usd": 5.0}],
    "payments.usd": [{"payer": "ann", "day": day_of(NOW), "usd": 5.0}],
}


async def opened(url: str, place: str, value: Any) -> None:
    """Under a cap, with one odd value among sound ones."""
    table, column = place.split(".")
    store = await store_at(url).open()
    try:
        store.put_later([(schema.metadata.tables[table], row) for row in ROWS[place]])
        await store.flush()
        key = {"calls": "key", "losses": "id", "reservations": "id", "accounts": "experiment", "payments": "payer"}[
            table
        ]
        change = text(f"UPDATE {table} SET {column} = :value WHERE {key} = (SELECT min({key}) FROM {table})")
        await store.run(lambda connection: connection.execute(change, {"value": value}))
        await Ledger.opened(store, "cup", 10.0)
    finally:
        await store.close()


@pytest.mark.parametrize("value", [-0.4, 1e300, "abc"])
@pytest.mark.parametrize("place", ROWS)
async def test_no_account_is_opened_over_odd_money(tmp_path: Path, place: str, value: Any) -> None:
    with pytest.raises(StoreUnreadable, match=rf"s\.db: {place}: expected dollars, from 0"):
        await opened(f"sqlite:///{tmp_path / 's.db'}", place, value)


@pytest.mark.parametrize("value", [-3.0, float("nan")])
async def test_nor_in_postgresql(request: pytest.FixtureRequest, value: float) -> None:
    postgres = request.getfixturevalue("postgres")
    for place in ROWS:
        with pytest.raises(StoreUnreadable, match=rf"{place}: expected dollars, from 0"):
            await opened(postgres.database(), place, value)


async def test_sound_money_and_what_rounding_leaves_are_taken(tmp_path: Path) -> None:
    await opened(f"sqlite:///{tmp_path / 's.db'}", "accounts.held_usd", -1e-12)
    await opened(f"sqlite:///{tmp_path / 't.db'}", "calls.cost_usd", None)


async def test_a_day_with_less_than_nothing_on_it_is_no_day(tmp_path: Path) -> None:
    store = await store_at(f"sqlite:///{tmp_path / 's.db'}").open()
    store.put_later([(schema.payments, {**ROWS["payments.usd"][0], "usd": -0.2})])
    with pytest.raises(StoreUnreadable, match=r"s\.db: payments\.usd: expected dollars, from 0 on, found -0\.2"):
        await store.run(partial(paid_on, payer="ann", day=day_of(NOW)))
    await store.close()


LIFTS: dict[str, Callable[[sqlite3.Connection], object]] = {
    "a loss below nothing": lambda store: store.execute(
        "INSERT INTO losses (experiment, usd, created_at) VALUES ('cup', -3, 0)"
    ),
    "a loss of words": lambda store: store.execute(
        "INSERT INTO losses (experiment, usd, created_at) VALUES ('cup', 'abc', 0)"
    ),
    "what the dead had under way": lambda store: store.execute(
        "INSERT INTO reservations (id, experiment, usd, holder, created_at) VALUES ('r', 'cup', -3, 'gone', 0)"
    ),
    "one call below nothing": lambda store: store.execute(
        "UPDATE calls SET cost_usd = -0.001 WHERE key = (SELECT min(key) FROM calls)"
    ),
}


@pytest.mark.parametrize("lift", LIFTS)
def test_a_strangers_store_lifts_no_cap(tmp_path: Path, lift: str, capsys: pytest.CaptureFixture[str]) -> None:
    questions = [{"id": f"q{n}", "text": f"Who is number {n}?", "answer": "A"} for n in range(20)]
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, questions)))
    path = tmp_path / "cup.yaml"
    with provider(tokens=MAX_TOKENS, latency_s=0.0) as server:
        model = {"provider": "endpoint", "base_url": server.base_url, "model": "ann", "price": PRICE}
        model["params"] = {"max_tokens": MAX_TOKENS}
        path.write_text(json.dumps({"name": "cup", "questions": {"file": "q.jsonl"}, "models": {"ann": model}}))
        assert run_app(app, ["run", str(path), "--limit", "2", "--budget-usd", "1", "--quiet"]) == 0
        made = server.requests
        with closing(sqlite3.connect(tmp_path / "cup.db")) as store:
            LIFTS[lift](store)
            store.commit()
        capsys.readouterr()
        assert run_app(app, ["run", str(path), "--budget-usd", "1", "--quiet"]) == 2
        assert server.requests == made, "nobody was asked"
    said = capsys.readouterr().err
    assert "cup.db: " in said
    assert "expected dollars, from 0" in said
    assert said.count("moot: ") == 1
