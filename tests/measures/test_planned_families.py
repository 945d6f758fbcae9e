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


READ: list[Any] = [
    *("vote", "talkative", "silent", "adaptive", "peer-review", "debate", "discuss"),
    *({"council": {"final": final}} for final in ("chairman", "winner")),
    *({"mixture": {"accuracies": "hidden", **who}} for who in ({}, {"summariser": "sue"})),
    {"discuss": {"decision": "judge", "judge": "sue"}},
    {"discuss": {"decision": "unanimity-consensus"}},
]


def places_planned(folder: Path, strategy: Any, captain: str) -> int:
    plan = build(read_experiment(three_players(folder, [strategy], captain)))
    return family_sizes(plan, 0)["position_bias"]


def three_players(folder: Path, strategies: list[Any], captain: str) -> Path:
    names = ("ann", "bob", "cat")
    keys: dict[str, Any] = {
        "name": "cup",
        "questions": {"builtin": "facts-en", "sample": 16},
        "models": {name: {"provider": "simulated", "accuracy": 0.5} for name in (*names, "sue")},
        "players": {name: {"model": name} for name in names},
        "teams": {"three": {"players": list(names), "captain": captain}},
        "strategies": strategies,
    }
    path = folder / "cup.yaml"
    path.write_text(json.dumps(keys), encoding="utf-8")
    return path


@pytest.mark.parametrize(("captain", "led"), [("each", 8), ("ann", 2)])
def test_places_are_planned_for_whoever_reads_in_the_roles_that_a_strategy_has(
    captain: str, led: int, tmp_path: Path
) -> None:
    """Of each of three captains and of all, or of one: the first place and the last."""
    planned = [places_planned(tmp_path, strategy, captain) for strategy in READ]
    assert planned == [0, led, led, led, led, 8, 2, 8 + led, 8, led, 2, 2, 0]


def test_as_many_places_are_planned_for_as_are_printed(tmp_path: Path) -> None:
    played = [strategy for strategy in READ if "mixture" not in strategy]
    rows = moot.run(three_players(tmp_path, played, "ann")).figures["position_bias"]
    assert sum(places_planned(tmp_path, strategy, "ann") for strategy in played) == rows[0]["family"]
