"""A store of the time when nothing told which calls were played back: they are told, and a free reply under a cap is unknown."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from beside import rows

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.store import store_at

TOLD = "SELECT model, cost_usd, recorded, count(*) FROM calls GROUP BY 1, 2, 3 ORDER BY 1"
AS_IT_WAS = ("ALTER TABLE calls DROP COLUMN recorded", "DELETE FROM migrations WHERE name >= '0024'")


def moot(*words: str | Path) -> int:
    return run_app(app, [str(word) for word in words])


async def opened(url: str) -> None:
    await (await store_at(url).open()).close()


@pytest.mark.parametrize(("keys", "free"), [({}, 0.0), ({"budget_usd": 9}, None)], ids=["no-cap", "cap"])
def test_what_was_played_back_is_told_from_what_was_asked(
    keys: dict[str, float], free: float | None, tmp_path: Path
) -> None:
    """A parameter that is called like the provider makes no recording of a model."""
    numbers = range(3)
    (tmp_path / "q.jsonl").write_text(
        "\n".join(
            json.dumps({"id": f"q{n}", "text": f'Is {n} "provider":"recorded"?', "answer": "yes"}) for n in numbers
        )
    )
    costs = {"ann": 0.5, "bob": 0.0}
    replies = [
        {"model": name, "question_id": f"q{n}", "answer": "yes", "cost_usd": usd}
        for name, usd in costs.items()
        for n in numbers
    ]
    (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, replies)))
    models = {name: {"provider": "recorded", "file": "r.jsonl", "model": name} for name in costs}
    price = {"prompt": 1, "completion": 1}
    cat = {"provider": "simulated", "accuracy": 0.7, "price": price, "max_tokens": 99}
    spec = {"name": "cup", "questions": {"file": "q.jsonl"}, "models": {**models, "cat": cat}, "strategies": ["solo"]}
    path, store = tmp_path / "cup.yaml", tmp_path / "cup.db"
    path.write_text(json.dumps({**spec, **keys}))
    assert moot("run", path, "--quiet") == 0
    today = rows(store, TOLD)
    with closing(sqlite3.connect(store)) as connection, connection:
        for statement in AS_IT_WAS:
            connection.execute(statement)
    asyncio.run(opened(f"sqlite:///{store}"))
    assert today[:2] == [("ann", 0.5, 1, 3), ("bob", 0.0, 1, 3)]
    assert rows(store, TOLD) == [("ann", 0.5, 1, 3), ("bob", free, 1, 3), *today[2:]]
    assert {recorded for name, _, recorded, _ in today if name == "cat"} == {None}
