"""The estimate: calls, tokens and money said in advance, and borne out by the run."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from moot.engine.runner import Runner
from moot.estimate.estimate import CHARACTERS_A_TOKEN, COMPLETION_TOKENS, SAMPLE, RunEstimate, estimate
from moot.experiment.build import build
from moot.experiment.plan import Plan
from moot.experiment.spec import read_experiment
from moot.simulate.server import SimulatedServer, running
from moot.store.sqlite import SqliteStore

SERVED = {"seed": 7, "models": {"ann": {"accuracy": 0.5}, "bob": {"accuracy": 0.5}}}
PRICE = {"prompt": 2.0, "completion": 8.0}


def endpoint(base_url: str = "http://127.0.0.1:9/v1", model: str = "ann", **more: Any) -> dict[str, Any]:
    return {"provider": "endpoint", "base_url": base_url, "model": model, **more}


def experiment(folder: Path, models: dict[str, Any], questions: int = 20, **more: Any) -> Path:
    lines = [{"id": f"q{n}", "text": f"Who is number {n:04}?", "answer": f"Person {n}"} for n in range(questions)]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    path = folder / "cup.yaml"
    path.write_text(json.dumps({"name": "cup", "questions": {"file": "questions.jsonl"}, "models": models, **more}))
    return path


def built(path: Path, limit: int | None = None) -> Plan:
    return build(read_experiment(path), limit=limit)


async def estimated(path: Path, limit: int | None = None) -> RunEstimate:
    store = SqliteStore(path.with_suffix(".db"))
    if not store.path.exists():
        return await estimate(built(path, limit), None)
    await store.open()
    try:
        return await estimate(built(path, limit), store)
    finally:
        await store.close()


async def run(path: Path, limit: int | None = None) -> None:
    store = await SqliteStore(path.with_suffix(".db")).open()
    await Runner(built(path, limit), store).run()
    await store.close()


@pytest.mark.parametrize(
    ("questions", "more"),
    [
        (20, {}),
        (SAMPLE, {}),
        (130, {}),
        (20, {"repeats": 3}),
        (
            20,
            {
                "players": {
                    "one": {"model": "ann"},
                    "two": {"model": "ann"},
                    "three": {"model": "bob", "persona": "a cook"},
                }
            },
        ),
    ],
    ids=["few", "as many as are sampled", "many", "repeats", "like players"],
)
async def test_solo_makes_exactly_the_calls_that_were_estimated(
    tmp_path: Path, questions: int, more: dict[str, Any]
) -> None:
    async with running(SERVED) as server:
        models = {name: endpoint(server.base_url, name) for name in SERVED["models"]}  # type: ignore[attr-defined]
        path = experiment(tmp_path, models, questions, **more)
        before = await estimated(path)
        assert server.stats["requests"] == 0, "an estimate asks nobody"
        assert not path.with_suffix(".db").exists()
        await run(path)
        assert server.stats["requests"] == sum(each.calls for each in before.models.values())
        served = {name: sum(entry["model"] == name for entry in server.log()) for name in models}
    assert {name: each.calls for name, each in before.models.items()} == served
    assert before.episodes == built(path).episodes
    after = await estimated(path)
    for name, each in after.models.items():
        assert (each.calls, each.cost_usd) == (0, 0.0), "what is stored is not paid again"
        assert each.stored == served[name]


async def test_what_is_stored_already_is_shown_as_such(tmp_path: Path) -> None:
    async with running(SERVED) as server:
        path = experiment(tmp_path, {"ann": endpoint(server.base_url)}, questions=30)
        await run(path, limit=12)
        found = (await estimated(path)).models["ann"]
        assert (found.calls, found.stored) == (18, 12)


async def test_two_names_for_one_model_are_asked_once(tmp_path: Path) -> None:
    async with running(SERVED) as server:
        path = experiment(tmp_path, {"ann": endpoint(server.base_url), "anna": endpoint(server.base_url)})
        before = await estimated(path)
        await run(path)
        assert server.stats["requests"] == sum(each.calls for each in before.models.values()) == 20


async def test_calls_that_failed_are_in_the_estimate_of_the_next_run(tmp_path: Path) -> None:
    async with running({**SERVED, "faults": [{"kind": "500", "times": 4}]}) as server:
        path = experiment(tmp_path, {"ann": endpoint(server.base_url, retries={"attempts": 1})})
        await run(path)
        found = (await estimated(path)).models["ann"]
        assert (found.calls, found.stored) == (4, 16)


async def test_tokens_and_money(tmp_path: Path) -> None:
    path = experiment(tmp_path, {"ann": endpoint(price=PRICE, params={"max_tokens": 1000})})
    found = (await estimated(path)).models["ann"]
    prompt = prompt_characters(path) / CHARACTERS_A_TOKEN * 20
    assert found.prompt_tokens == pytest.approx(prompt)
    assert found.completion_tokens == 20 * COMPLETION_TOKENS
    assert found.cost_usd == pytest.approx((prompt * 2 + 20 * COMPLETION_TOKENS * 8) / 1e6)
    assert found.most_usd == pytest.approx((prompt * 2 + 20 * 1000 * 8) / 1e6)


def prompt_characters(path: Path) -> int:
    prompts = built(path).cells[0].team.prompts
    return len(prompts.render("draft", question="Who is number 0000?", choices=(), context=None, kind="open"))


@pytest.mark.parametrize(
    ("own", "cost_known", "most_known"),
    [
        ({}, False, False),
        ({"params": {"max_tokens": 10}}, False, False),
        ({"price": PRICE}, True, False),
        ({"price": PRICE, "params": {"max_tokens": 10}}, True, True),
        ({"price": {"prompt": 0, "completion": 0}}, True, True),
    ],
    ids=["no price", "no price but a length", "no length", "both", "free"],
)
async def test_unknown_is_unknown_and_not_nothing(
    tmp_path: Path, own: dict[str, Any], cost_known: bool, most_known: bool
) -> None:
    path = experiment(tmp_path, {"ann": endpoint(**own), "tom": {"provider": "simulated", "accuracy": 0.5}})
    found = await estimated(path)
    assert (found.models["ann"].cost_usd is not None) == cost_known
    assert (found.models["ann"].most_usd is not None) == most_known
    assert found.models["tom"].cost_usd == 0.0
    assert (found.cost_usd is not None) == cost_known, "one unknown makes the sum unknown"
    assert (found.most_usd is not None) == most_known


async def test_short_replies_are_estimated_short(tmp_path: Path) -> None:
    path = experiment(tmp_path, {"ann": endpoint(price=PRICE, params={"max_tokens": 10})})
    found = (await estimated(path)).models["ann"]
    assert found.completion_tokens == 20 * 10
    assert found.cost_usd == found.most_usd


async def test_the_money_is_about_right(tmp_path: Path) -> None:
    async with running(SERVED) as server:
        path = experiment(tmp_path, {"ann": priced(server)}, questions=60)
        before = (await estimated(path)).models["ann"]
        await run(path)
    connection = sqlite3.connect(path.with_suffix(".db"))
    (spent,) = connection.execute("SELECT SUM(cost_usd) FROM calls").fetchone()
    connection.close()
    assert before.most_usd is not None
    assert before.cost_usd is not None
    assert 0.1 * before.cost_usd < spent <= before.most_usd


def priced(server: SimulatedServer) -> dict[str, Any]:
    return endpoint(server.base_url, price=PRICE, params={"max_tokens": 400})


async def test_what_a_bound_leaves_over_is_that_of_all_questions_and_not_of_the_sample(tmp_path: Path) -> None:
    """A discussion may go on longer than any that was tried, and so on every question."""
    models = {name: endpoint(model=name, price=PRICE, params={"max_tokens": 50}) for name in ("ann", "bob", "cat")}
    found = []
    for questions in (20, 200):
        (folder := tmp_path / str(questions)).mkdir()
        taken = await estimated(experiment(folder, models, questions, strategies=["discuss"]))
        assert taken.beyond_calls
        assert taken.beyond_usd
        found.append((taken.beyond_calls / questions, taken.beyond_usd / questions))
    assert found[1] == pytest.approx(found[0], rel=0.3)
