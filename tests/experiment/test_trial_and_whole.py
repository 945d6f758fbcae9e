"""A trial of some questions, and the whole run after it: one file that nobody has changed is one plan."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import moot

ABLE = {"provider": "simulated", "accuracy": 0.6}


def keys(store: Path, **more: Any) -> dict[str, Any]:
    return {
        "name": "plain",
        "store": f"sqlite:///{store}",
        "questions": {"builtin": "quiz-en", "sample": 24},
        "models": {"ann": {**ABLE, "temperature": 0}, "bob": ABLE, "cat": {**ABLE, "judgement": 0.9}},
        "players": {"ann": {"model": "ann"}, "bob": {"model": "bob"}},
        "teams": {"two": {"players": ["ann", "bob"], "captain": "ann"}},
        "strategies": ["solo", "vote"],
        "grouping": {"model": "cat"},
        "judge": {"models": ["cat"]},
        **more,
    }


@pytest.mark.parametrize(("primary", "chosen"), [("vote", "declared"), (None, "only")])
def test_open_questions_to_simulated_models(primary: str | None, chosen: str, tmp_path: Path) -> None:
    plan = keys(tmp_path / "parts.db", **({"primary": primary} if primary else {}))
    moot.run(plan, limit=6)
    told = moot.run(plan).figures
    assert (told["headline"]["chosen"], told["headline"]["options"]) == (chosen, 1)
    at_once = moot.run({**plan, "store": f"sqlite:///{tmp_path / 'whole.db'}"}).figures
    assert told["headline"]["sentence"] == at_once["headline"]["sentence"]
    assert [row["value"] for row in told["accuracy"]] == [row["value"] for row in at_once["accuracy"]]
