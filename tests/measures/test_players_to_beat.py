"""Whom a team has to beat, as a plan counts them before anything is played: those whom a report will hold it against."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import moot
from moot.experiment.build import build
from moot.experiment.spec import read_experiment
from moot.measures.planned_families import players_to_beat


@pytest.mark.parametrize(
    ("strategies", "many"),
    [
        (["solo", {"discuss": {"agents": 3}}], 1),
        ([{"discuss": {"agents": 3}}], 3),
        (["solo", "vote"], 1),
    ],
    ids=["agents of a model beside it alone", "agents, and nobody alone", "a vote"],
)
def test_agents_of_one_model_are_no_players(tmp_path: Path, strategies: list[Any], many: int) -> None:
    spec = {
        "name": "cup",
        "questions": {"builtin": "general-en", "sample": 6},
        "models": {"ann": {"provider": "simulated", "accuracy": 0.6}},
        "strategies": strategies,
    }
    path = tmp_path / "cup.yaml"
    path.write_text(json.dumps(spec), encoding="utf-8")
    assert len(players_to_beat(build(read_experiment(path)))) == many
    if "solo" in strategies and strategies[1] != "vote":
        assert moot.run(path).figures["headline"]["over_best_single"]["singles"] == many
