"""Options of which each has played enough, and not all of them the same: who is ranked beside whom, and on what."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from worlds import in_form, questions

import moot
from moot import ScriptedModel
from moot.measures.sides import SideResults, highest
from moot.stats.graded import Value

pytestmark = pytest.mark.filterwarnings("ignore:.*that it was chosen on:UserWarning")
QUESTIONS = 40
PLAYERS = ["ann", "bob"]


def mixture(folder: Path, first: int, last: int) -> dict[str, Any]:
    """A team that may be measured on these questions: it was chosen on all others."""
    others = [f"q{n}" for n in range(QUESTIONS) if not first <= n < last]
    path = folder / f"{first}.json"
    chosen = {"team": PLAYERS, "accuracies": dict.fromkeys(PLAYERS, first / 100), "chosen_on_ids": others}
    path.write_text(json.dumps([chosen]), encoding="utf-8")
    return {"mixture": {"summariser": "sue", "repeats": 1, "shown_accuracies": str(path)}}


@pytest.mark.parametrize("turned", [False, True])
def test_of_two_that_share_nothing_the_one_with_more_is_ranked_beside_the_whole(tmp_path: Path, turned: bool) -> None:
    """20 questions of 40 and 12 others are enough each, and have none in common; in whatever order they stand."""
    strategies: list[Any] = ["vote", mixture(tmp_path, 0, 20), mixture(tmp_path, 20, 32)]
    models = {name: ScriptedModel(name, lambda request: in_form(request, "Paris")) for name in (*PLAYERS, "sue")}
    figures = moot.run(
        {
            "name": "cup",
            "questions": questions(QUESTIONS),
            "models": models,
            "players": {name: {"model": name} for name in PLAYERS},
            "teams": {"two": {"players": PLAYERS}},
            "strategies": strategies[:: -1 if turned else 1],
        }
    ).figures
    played = {row["label"]: row["n"] for row in figures["accuracy"]}
    assert sorted(played.values()) == [12, 20, 40]
    (fewest,) = [label for label, n in played.items() if n == 12]
    head = figures["headline"]
    assert (head["options"], head["ranked_on"]) == (2, 20)
    assert head["unranked"] == [{"of": fewest, "questions": 12}]
    assert [row["of"] for row in figures["frontier_left_out"]] == [fewest]
    assert {row["ranked_on"] for row in figures["frontier"]} == {20}


def test_the_highest_is_so_by_the_least_that_each_can_be() -> None:
    """Half of what the one said is graded, and right; the other has a little less, and all of it is known."""
    asked = [f"q{number}" for number in range(20)]
    half = Value(1.0, 0.5, 1.0, answers=2, waiting=1)
    calls = dict.fromkeys(asked, 1.0)
    flattered = SideResults("a", (), dict.fromkeys(asked, 1.0), calls, None, dict.fromkeys(asked, half))
    known = SideResults("b", (), {question: float(place >= 5) for place, question in enumerate(asked)}, calls, None)
    assert highest({"a": flattered, "b": known}) == "b"
    assert highest({"a": replace(flattered, open={}), "b": known}) == "a"
