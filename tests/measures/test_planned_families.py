"""The families that a run is planned for are those that its report will have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import moot
from moot.experiment.build import build
from moot.experiment.spec import read_experiment
from moot.measures.planned_families import family_sizes

TALKS: list[Any] = ["solo", "discuss", {"discuss": {"decision": "unanimity-consensus"}}]


def experiment(folder: Path, strategies: list[Any], sets: int = 1) -> Path:
    described = []
    for place in range(sets):
        lines = [{"id": f"{place}-{n}", "text": f"Who is {place}-{n}?", "answer": f"Person {n}"} for n in range(3)]
        (folder / f"set{place}.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
        described.append({"file": f"set{place}.jsonl", "name": f"set{place}"})
    keys = {
        "name": "cup",
        "questions": described if sets > 1 else {"file": "set0.jsonl"},
        "models": {name: {"provider": "simulated", "accuracy": 0.5} for name in ("ann", "bob")},
        "teams": {"two": {"players": ["ann", "bob"], "captain": "ann"}},
        "strategies": strategies,
    }
    path = folder / "cup.yaml"
    path.write_text(json.dumps(keys), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("strategies", "comparisons"),
    [(["vote"], 0), (["talkative"], 0), (["vote", "talkative"], 2), (["vote", "silent"], 0)],
    ids=["nobody talks", "nobody votes", "both", "nobody hears reasons"],
)
def test_where_talking_pays_is_asked_only_where_there_is_talk_and_a_vote(
    tmp_path: Path, strategies: list[Any], comparisons: int
) -> None:
    plan = build(read_experiment(experiment(tmp_path, strategies)))
    assert family_sizes(plan, 0)["talk_threshold"] == comparisons


@pytest.mark.parametrize("sets", [1, 3])
def test_of_all_questions_and_of_single_sets_the_larger_family_is_planned_for(tmp_path: Path, sets: int) -> None:
    path = experiment(tmp_path, TALKS, sets)
    sizes, figures = family_sizes(build(read_experiment(path)), 0), moot.run(path).figures
    for name in ("protocol_baselines", "protocol_families"):
        assert sizes[name] == max(row["family"] for row in figures[name]), name
    assert sizes["protocol_baselines"] == 2 * sets
