"""A question is the same with its choices in another order, and comes into the same part of the questions."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import moot
from moot import ScriptedModel
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.engine.runner import Runner
from moot.experiment.build import build
from moot.experiment.spec import read_experiment
from moot.report.figures import figures, find_experiment
from moot.types import Request

PLAYERS = ("ann", "bob", "cat")
LEVELS = (0.6, 0.55, 0.5)
COUNT = 40
TABLES = ("frontier", "gain_by_strength", "probability", "talk_threshold", "gap_closure", "headline")
_draw = random.Random(5)
ALONE = [[_draw.random() < level for _ in range(COUNT)] for level in LEVELS]
AFTER = [[_draw.random() < (0.8 if right else 0.35) for right in own] for own in ALONE]


def questions(turned: bool, count: int = COUNT) -> list[dict[str, Any]]:
    order = -1 if turned else 1
    return [
        {
            "id": f"q{n}",
            "text": f"Which is number {n}?",
            "choices": [f"Right {n}", f"Wrong {n}", f"None {n}"][::order],
            "answer": "C" if turned else "A",
        }
        for n in range(count)
    ]


def played(turned: bool) -> Mapping[str, Any]:
    def model(place: int) -> ScriptedModel:
        def said(request: Request) -> dict[str, str]:
            number = int(str(request.question_id)[1:])
            draft = "You are the captain" not in request.messages[-1].content and (
                "review among equals" not in request.messages[-1].content
            )
            right = (ALONE if draft else AFTER)[place][number]
            return {"reasoning": "So it is.", "answer": ("C" if turned else "A") if right else "B"}

        return ScriptedModel(PLAYERS[place], said)

    keys = {
        "name": "cup",
        "seed": 3,
        "questions": questions(turned),
        "teams": {"three": {"players": list(PLAYERS), "captain": "each"}},
        "strategies": ["solo", "vote", "talkative", {"peer-review": {"drafts": "single-call"}}],
    }
    return moot.run(keys, models={name: model(place) for place, name in enumerate(PLAYERS)}).figures


def test_figures_that_are_taken_part_by_part_are_the_same() -> None:
    one, other = played(turned=False), played(turned=True)
    told = [table for table in TABLES if table in one]
    assert {"frontier", "gain_by_strength", "probability", "talk_threshold"} <= set(told)
    for table in told:
        assert rounded(one[table]) == rounded(other[table]), table


def rounded(value: Any) -> Any:
    """Sums are taken in the order of the questions' digests, which moves their last digits; and the clock is another."""
    if isinstance(value, Mapping):
        return {key: rounded(each) for key, each in value.items() if key not in ("seconds", "made")}
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return round(value, 9) if isinstance(value, float) else value


LEARNERS = ("weighted", "learnt", "leader", {"vote": {"abstain": {"target": 0.55}}})
MANY = 150
_draws = random.Random(8)
OF_MANY = [[_draws.random() < level for _ in range(MANY)] for level in (0.75, 0.6, 0.5)]


def learning(folder: Path, turned: bool) -> dict[str, Any]:
    def model(place: int) -> ScriptedModel:
        def said(request: Request) -> dict[str, str]:
            right = OF_MANY[place][int(str(request.question_id)[1:])]
            return {"reasoning": "So it is.", "answer": ("C" if turned else "A") if right else "B"}

        return ScriptedModel(PLAYERS[place], said)

    folder.mkdir()
    rows = questions(turned, MANY)
    (folder / "asked.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    keys = {
        "name": "cup",
        "seed": 3,
        "questions": {"file": "asked.jsonl"},
        "models": {name: {"provider": "simulated", "accuracy": 0.5} for name in PLAYERS},
        "teams": {"three": {"players": list(PLAYERS)}},
        "strategies": ["solo", *LEARNERS],
    }
    path = folder / "cup.yaml"
    path.write_text(json.dumps(keys), encoding="utf-8")
    plan = build(read_experiment(path))
    models = {name: replace(plan.models[name], model=model(place)) for place, name in enumerate(PLAYERS)}

    async def run() -> dict[str, Any]:
        store = await plan.store().open()
        try:
            await Runner(replace(plan, models=models), store).run()
            return await store.run(lambda connection: figures(connection, find_experiment(connection, "cup")))
        finally:
            await store.close()

    return asyncio.run(run())


def test_what_learns_from_the_run_learns_from_the_same_questions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = [learning(tmp_path / name, turned) for name, turned in (("one", False), ("other", True))]
    for table in ("accuracy", "probability", "paired"):
        one, other = (rounded(figures.get(table)) for figures in found)
        assert one == other, table
    labels = {row["label"] for row in found[0]["accuracy"]}
    assert {"weighted", "learnt", "leader", "vote(abstain={target: 0.55})"} <= labels
    capsys.readouterr()
    rules = []
    for name in ("one", "other"):
        kept = tmp_path / name / "rule.json"
        asked = [str(tmp_path / name / "cup.yaml"), "--promise", "0.55", "-o", str(kept)]
        assert run_app(app, ["fit", *asked]) == 0, capsys.readouterr()
        rules.append(json.loads(kept.read_text(encoding="utf-8")))
    assert rounded(rules[0]) == rounded(rules[1])
