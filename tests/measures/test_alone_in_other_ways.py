"""A team is held against its players however they were asked alone, in the way of its own drafts or in another."""

from __future__ import annotations

from typing import Any

import pytest
from worlds import in_form, number_of, questions, shown_texts

import moot
from moot import Request, ScriptedModel

REVIEWED: dict[str, Any] = {"peer-review": {"drafts": "double-call"}}


def reply(request: Request) -> Any:
    """Right alone in one call, wrong in two, and right on three of four questions after a review."""
    if shown_texts(request):
        return in_form(request, "Paris" if number_of(request) % 4 else "Lyon")
    single = "reasoning" in (request.schema or {}).get("properties", {})
    return in_form(request, "Paris" if single else "Lyon")


@pytest.mark.parametrize("declared", [False, True])
@pytest.mark.parametrize("alone_first", [False, True])
def test_nobody_is_beaten_who_was_better_alone_in_another_way(alone_first: bool, declared: bool) -> None:
    keys: dict[str, Any] = {
        "name": "ways",
        "questions": questions(40),
        "models": {name: ScriptedModel(name, reply) for name in ("ann", "bob")},
        "teams": {"two": {"players": ["ann", "bob"], "captain": "ann"}},
        "strategies": ["solo", REVIEWED] if alone_first else [REVIEWED, "solo"],
        **({"primary": "peer-review@ann"} if declared else {}),
    }
    headline = moot.run(keys).figures["headline"]
    over = headline["over_best_single"]
    assert (headline["value"], over["singles"], over["difference"]) == (0.75, 4, -0.25)
    assert over["high"] < 0
    assert (over["best_single"]["value"], headline["cost_ratio"]) == (1.0, 5.0), "of who was better"
    assert over["single"] == "ann (solo)", "and not of the team's own ann, who drafts in two calls"


@pytest.mark.parametrize("strategies", [["solo", REVIEWED], [REVIEWED, "solo"]])
def test_who_is_as_good_in_one_call_is_not_paid_for_two(strategies: list[Any]) -> None:
    """Two ways that come to the same are one player to beat, who can be asked in the cheaper one."""

    def alike(request: Request) -> Any:
        return in_form(request, "Paris" if shown_texts(request) or number_of(request) % 2 else "Lyon")

    keys: dict[str, Any] = {
        "name": "ways",
        "questions": questions(40),
        "models": {name: ScriptedModel(name, alike) for name in ("ann", "bob")},
        "teams": {"two": {"players": ["ann", "bob"], "captain": "ann"}},
        "strategies": strategies,
    }
    figures = moot.run(keys).figures
    calls = {row["label"]: row["calls_per_question"] for row in figures["accuracy"]}
    assert calls["solo"] == 1.0
    assert figures["headline"]["cost_ratio"] == calls["peer-review"] == 5.0
