"""A mixture has repeats of its own, which are not those of the drafts: each of its episodes belongs to what it read."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from moot.engine.runner import Runner
from moot.experiment.build import build
from moot.experiment.spec import read_experiment
from moot.models.scripted import Script, ScriptedModel
from moot.report.figures import figures, find_experiment
from moot.simulate.prompt_reading import read_shown
from moot.stats.paired import compare
from moot.types import Request

QUESTIONS = 4
VOICES = {"ann": "a deep voice", "bob": "a high voice"}
"""How reasons tell whose they are: names are masked in them."""
OWN = 3
LABEL = f"mixture(repeats={OWN})"


def reply(name: str, request: Request) -> Script:
    """Ann drafts A the first time and B the second, bob the other way round; a captain says what ann has drafted."""
    texts = [each.text for each in read_shown(request.messages)]
    if not texts:
        answer = "AB"[(request.sample + (name == "bob")) % 2]
    else:
        answer = "A" if f"{VOICES['ann']} says A" in request.messages[-1].content else "B"
    return {"reasoning": f"{VOICES[name]} says {answer}", "answer": answer}


async def played(
    folder: Path,
    strategies: Sequence[Any],
    *,
    count: int = QUESTIONS,
    say: Callable[[str, Request], Script] = reply,
    **more: Any,
) -> Mapping[str, Any]:
    asked = [{"id": f"q{n}", "text": f"Which, {n}?", "choices": ["x", "y"], "answer": "A"} for n in range(count)]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, asked)), encoding="utf-8")
    spec = {
        "name": "cup",
        "questions": {"file": "questions.jsonl"},
        "models": {name: {"provider": "simulated", "accuracy": 0.5} for name in ("ann", "bob")},
        "teams": {"two": {"players": ["ann", "bob"], "captain": "ann"}},
        "strategies": list(strategies),
        "repeats": 2,
        **more,
    }
    path = folder / "cup.yaml"
    path.write_text(json.dumps(spec), encoding="utf-8")
    plan = build(read_experiment(path))
    models = {
        name: replace(built, model=ScriptedModel(name, partial(say, name))) for name, built in plan.models.items()
    }
    store = await plan.store().open()
    try:
        await Runner(replace(plan, models=models), store).run()
        return await store.run(lambda connection: figures(connection, find_experiment(connection, "cup")))
    finally:
        await store.close()


@pytest.mark.parametrize("order", [("talkative", "mixture"), ("mixture", "talkative")], ids=["after", "before"])
async def test_drafts_count_once_for_each_time_they_were_asked_for(tmp_path: Path, order: Sequence[str]) -> None:
    strategies = [{"mixture": {"repeats": OWN}} if name == "mixture" else name for name in order]
    found = await played(tmp_path, strategies)
    assert {row["player"]: row["value"] for row in found["players"]} == {"ann": 0.5, "bob": 0.5}
    rows = {(row["label"], row["captain"]): row for row in found["self_preference"]}
    assert (rows[LABEL, "ann"]["self_choice"], rows[LABEL, "ann"]["n"]) == (1.0, 2 * OWN * QUESTIONS)
    assert rows["talkative", "ann"]["self_choice"] == 1.0
    assert rows[LABEL, "ann"]["self_and_majority"] == 1.0


async def test_an_episode_is_held_against_the_native_answer_among_its_own_drafts(tmp_path: Path) -> None:
    """The captain says what it drafted, every time: nothing is rescued and nothing spoilt."""
    found = await played(tmp_path, ["solo", {"mixture": {"repeats": OWN}}], hypotheses=[f"net({LABEL}@ann) > -1"])
    (row,) = found["safety"]
    assert (row["rescues"], row["regressions"]) == (0, 0)
    assert row["n_pairs"] == 2 * OWN * QUESTIONS
    (hypothesis,) = found["hypotheses"]
    assert hypothesis["value"] == 0


async def test_the_orders_of_its_repeats_are_drawn_apart(tmp_path: Path) -> None:
    found = await played(tmp_path, [{"mixture": {"repeats": OWN}}])
    (row,) = found["position_bias"]
    assert (row["decisions"], row["n"]) == (2 * OWN * QUESTIONS, QUESTIONS)
    assert row["chance"] == 0.5


def steady(name: str, request: Request) -> Script:
    """Always the same: with one call every second question is right, in a review and with two calls two of three."""
    number, prompt = int(str(request.question_id)[1:]), request.messages[-1].content
    better = bool(read_shown(request.messages)) or "answer" not in (request.schema or {}).get("properties", {})
    right = number % 3 > 0 if better or "reasoning" not in prompt else number % 2 == 0
    fields = (request.schema or {}).get("properties", {"reasoning": 0, "answer": 0})
    return {key: ("A" if right else "B") if key == "answer" else "So." for key in fields}


@pytest.mark.parametrize("repeats", [1, 2])
async def test_repeats_that_never_differ_are_means_all_the_same(tmp_path: Path, repeats: int) -> None:
    count = 36
    found = await played(
        tmp_path,
        ["solo", {"solo": {"drafts": "double-call"}}, {"peer-review": {"drafts": "single-call"}}],
        count=count,
        say=steady,
        repeats=repeats,
    )
    better, plain = ([float(right(n)) for n in range(count)] for right in (lambda n: n % 3 > 0, lambda n: n % 2 == 0))
    pairs = list(zip(better, plain, strict=True))
    (review,) = found["safety_models"]
    expected = compare(pairs, pooled=repeats > 1).row()
    assert expected["test"] == ("mcnemar" if repeats == 1 else "score")
    assert {key: review[key] for key in ("difference", "low", "high", "p")} == pytest.approx(
        {key: expected[key] for key in ("difference", "low", "high", "p")}
    )
    tax, both = found["formatting_tax"], compare(pairs, pooled=True).row()
    assert tax["n_pairs"] == 2 * count, "two players"
    assert {key: tax[key] for key in ("difference", "low", "high", "p")} == pytest.approx(
        {key: both[key] for key in ("difference", "low", "high", "p")}
    )
