"""What is on record about drafts is not asked about again, by whichever call it was learnt: the estimate knows that too."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import moot
from moot import Case, Question, Request, ScriptedModel
from moot.engine.runner import Runner
from moot.estimate.estimate import estimate
from moot.experiment.build import build

CASES = [Case(Question(f"q{n}", f"Which city is number {n}?"), f"town {n}") for n in range(6)]


def apart(request: Request) -> Any:
    count = (request.schema or {})["properties"]["groups"]["maxItems"]
    return {"groups": [[number] for number in range(1, count + 1)]}


async def test_a_finished_store_of_an_older_moot_takes_no_calls(tmp_path: Path) -> None:
    """There the calls were about drafts and words together; what they told is on record."""
    models = {
        name: ScriptedModel(name, lambda request, name=name: {"reasoning": "So.", "answer": f"city of {name}"})
        for name in ("ann", "bob")
    }
    gus = ScriptedModel("gus", apart)
    keys: dict[str, Any] = {
        "name": "cup",
        "questions": CASES,
        "models": {**models, "gus": gus},
        "players": {name: {"model": name} for name in models},
        "teams": {"two": {"players": list(models), "captain": "ann"}},
        "grouping": {"model": "gus"},
        "strategies": ["silent"],
    }
    path = tmp_path / "cup.db"

    async def asked() -> tuple[float, int]:
        """What is said that a run would take, and what it takes."""
        plan = build(moot.Experiment(**keys).as_file, store_url=f"sqlite:///{path}")
        store = await plan.store().open()
        try:
            before = (await estimate(plan, store)).models["gus"].calls
            made = len(gus.requests)
            assert await Runner(plan, store).run() == "done"
            return before, len(gus.requests) - made
        finally:
            await store.close()

    _, made = await asked()
    assert made >= len(CASES)
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM calls WHERE model = 'gus'")
    assert await asked() == (0, 0)
