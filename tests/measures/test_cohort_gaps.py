"""How far a cohort comes up to another: a hypothesis says what the row says, and no best is below its cohort."""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from worlds import in_form, number_of, shown_texts

import moot
from moot import Case, Question, Request, ScriptedModel
from moot.measures.safety.gap import gap_closure
from moot.stats.graded import Value, value_of

COUNT = 24
COHORTS = {"open": ["ann", "bob", "cat"], "closed": ["dan", "eve"]}
THREE = {"open": ["ann", "bob"], "half": ["cat"], "closed": ["dan", "eve"]}
TWO_CALLS = {"solo": {"drafts": "double-call"}}
ALONE = {"both ways": ["solo", TWO_CALLS], "the other way round": [TWO_CALLS, "solo"], "one": ["solo"], "none": []}
FIGURE = ("value", "low", "high", "n")


def right(name: str, number: int, request: Request) -> bool:
    """Dan is far better in one call than in two; whoever is open gains by reading the others."""
    in_one_call, reads = bool((request.schema or {}).get("properties")), bool(shown_texts(request))
    share = {"ann": 50, "bob": 35, "cat": 35, "dan": 95 if in_one_call else 70, "eve": 30}[name]
    return zlib.crc32(f"{name} {number}".encode()) % 100 < share + (15 if reads and name != "dan" else 0)


def says(name: str) -> Callable[[Request], Any]:
    return lambda request: in_form(request, "Paris" if right(name, number_of(request), request) else "Rome")


def figures(alone: list[Any], hypotheses: list[str], cohorts: Mapping[str, list[str]] = COHORTS) -> dict[str, Any]:
    players = [name for members in cohorts.values() for name in members]
    return moot.run(
        {
            "name": "cup",
            "questions": [Case(Question(f"q{n}", f"Which city is number {n}?"), "Paris") for n in range(COUNT)],
            "models": {name: ScriptedModel(name, says(name)) for name in players},
            "teams": {"five": {"players": players, "captain": "each", "cohorts": dict(cohorts)}},
            "strategies": [*alone, "silent", "peer-review"],
            "hypotheses": hypotheses,
        }
    ).figures


@pytest.mark.parametrize("alone", ALONE.values(), ids=ALONE)
def test_a_hypothesis_is_about_the_figure_of_the_row(alone: list[Any]) -> None:
    """In whatever ways players were also asked alone, and in which order the file lists them."""
    stages = ("silent", "peer-review")
    found = figures(alone, [f"gap_closure({stage}, open) > 0.5" for stage in stages])
    declared = dict(zip(stages, found["hypotheses"], strict=True))
    rows = {row["stage"]: row for row in found["gap_closure"] if row["cohort"] == "open"}
    assert rows.keys() == set(stages)
    for stage, row in rows.items():
        assert [declared[stage][key] for key in FIGURE] == [row[key] for key in FIGURE]
    assert rows["silent"]["stronger"] > rows["peer-review"]["stronger"], "one call and two are not the same"


def test_of_one_captain_it_is_the_row_of_the_model() -> None:
    found = figures(["solo"], ["gap_closure(peer-review@bob, open) > 0"])
    (row,) = (row for row in found["gap_closure_models"] if (row["stage"], row["model"]) == ("peer-review", "bob"))
    assert [found["hypotheses"][0][key] for key in FIGURE] == [row[key] for key in FIGURE]


def test_of_three_cohorts_the_others_are_one() -> None:
    """So it is the way to the best of them: the row towards whoever has it."""
    found = figures([], ["gap_closure(silent, open) > 0"], THREE)
    rows = [row for row in found["gap_closure"] if (row["stage"], row["cohort"]) == ("silent", "open")]
    farthest = max(rows, key=lambda row: row["stronger"])
    assert farthest["towards"] == "closed"
    assert found["hypotheses"][0]["value"] == farthest["value"]


def test_no_best_is_below_its_cohort() -> None:
    """Each of the three is the highest of its side, and the value is made of these very accuracies."""
    draw = random.Random(5)

    def side(names: str, share: float) -> dict[str, dict[str, Value]]:
        return {name: {f"q{n}": value_of([float(draw.random() < share)]) for n in range(40)} for name in names}

    for _ in range(20):
        alone, after, stronger = side("abc", 0.4), side("abc", 0.6), side("de", 0.75)
        row = gap_closure(alone, after, stronger).row()
        for key, models in (("alone", alone), ("after", after), ("stronger", stronger)):
            reached = {name: sum(value.least for value in values.values()) / 40 for name, values in models.items()}
            assert row[key] == pytest.approx(max(reached.values()))
            assert reached[row["best"][key]] == max(reached.values())
        assert row["value"] == pytest.approx((row["after"] - row["alone"]) / (row["stronger"] - row["alone"]))
        assert row["low"] is None or row["low"] <= row["value"] <= row["high"]
