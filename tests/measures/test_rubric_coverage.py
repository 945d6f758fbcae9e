"""In small worlds of known quality the interval of a side's share of points holds the truth as often as it says."""

from __future__ import annotations

from typing import Any

import pytest

import moot
from moot.types import Case, Question

WORLDS = 120
QUESTIONS = 24
ACCURACIES = {"ann": 0.62, "bob": 0.5}
"""What a text is worth on the mean over all questions that there could be: qualities are drawn around it."""
RUBRIC = [{"name": "clear", "points": 4, "says": "It is clear."}, {"name": "sound", "points": 6, "says": "It is so."}]


def world(seed: int) -> dict[str, Any]:
    models: dict[str, Any] = {
        name: {"provider": "simulated", "accuracy": accuracy, "words": 20} for name, accuracy in ACCURACIES.items()
    }
    models |= {name: {"provider": "simulated", "accuracy": 0.5, "taste": 1.0} for name in ("jim", "joe")}
    return {
        "name": "truth",
        "seed": seed,
        "questions": [Case(Question(f"q{n}", f"Write about {n}.", kind="text"), None) for n in range(QUESTIONS)],
        "models": models,
        "players": {name: {"model": name} for name in ACCURACIES},
        "strategies": ["solo"],
        "judge": {"models": ["jim", "joe"]},
        "rubric": RUBRIC,
    }


@pytest.fixture(scope="module")
def figures() -> list[dict[str, Any]]:
    return [dict(moot.run(world(seed)).figures) for seed in range(WORLDS)]


def covered(rows: list[dict[str, Any]], truth: float) -> float:
    return sum(row["low"] <= truth <= row["high"] for row in rows) / len(rows)


@pytest.mark.parametrize("name", ACCURACIES)
def test_the_interval_of_a_side_holds_what_its_texts_are_worth(figures: list[dict[str, Any]], name: str) -> None:
    rows = [next(row for row in each["accuracy"] if row["player"] == name) for each in figures]
    assert sum(row["value"] for row in rows) / WORLDS == pytest.approx(ACCURACIES[name], abs=0.01), "and is not biased"
    assert covered(rows, ACCURACIES[name]) >= 0.93


@pytest.mark.parametrize("criterion", ["clear", "sound"])
def test_so_does_that_of_a_criterion(figures: list[dict[str, Any]], criterion: str) -> None:
    rows = [
        next(row for row in each["rubric"]["criteria"] if (row["player"], row["criterion"]) == ("ann", criterion))
        for each in figures
    ]
    assert covered(rows, ACCURACIES["ann"]) >= 0.93


def test_judges_who_mishear_apart_are_not_found_to_favour_length(figures: list[dict[str, Any]]) -> None:
    """Length has nothing to do with quality there: in at most one world in ten it seems to."""
    lengths = [each["rubric"]["length"] for each in figures]
    found = [row for row in lengths if row["low"] is not None and not row["low"] <= 0 <= row["high"]]
    assert len(found) / WORLDS <= 0.1


@pytest.mark.parametrize(("bias", "way"), [(3.0, 1), (-3.0, -1)], ids=["for", "against"])
def test_judges_with_a_taste_for_length_are_found_out(bias: float, way: int) -> None:
    """Texts of one question differ in length only by who wrote them; the judges give by it what they should not."""
    spec = world(3)
    spec["models"]["ann"]["words"], spec["models"]["bob"]["accuracy"] = 80, ACCURACIES["ann"]
    for judge in ("jim", "joe"):
        spec["models"][judge] |= {"length_bias": bias}
    length = moot.run(spec).figures["rubric"]["length"]
    assert way * length["correlation"] > 0
    assert not length["low"] <= 0 <= length["high"]
