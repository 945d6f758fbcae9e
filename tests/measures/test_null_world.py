"""Worlds in which no team is better than the best single player, through the commands: nothing may be claimed there.

All votes are as good as the strong player in truth, each by questions of its own; the other players are far below it. The
best of twelve votes is better than it by luck.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[2] / "bench" / "null_commands.py"


def script(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # where its dataclasses look for their own names
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    return script(SCRIPT)


def test_the_best_of_twelve_votes_by_luck(tmp_path: Path, bench: ModuleType) -> None:
    """In this world one vote repairs 10 errors of the strong player and makes 2: p = .02 by itself, two-sided .04."""
    figures = bench.reported(bench.write(tmp_path, 1))
    head, over = figures["headline"], figures["headline"]["over_best_single"]
    assert (head["chosen"], head["options"], over["single"], over["singles"]) == ("after the fact", 12, "strong", 25)
    assert (over["rescues"], over["regressions"]) == (10, 2)
    assert over["difference"] == pytest.approx(8 / 60), "the gain and what was repaired are against one player"
    assert over["low"] < 0 < over["high"]
    assert over["p"] > 0.05
    assert "cannot be told apart from the best single model, strong" in head["sentence"]
    assert "fixed 10 of strong's errors and made 2 new ones" in head["sentence"]
    assert head["value"] == max(row["value"] for row in figures["accuracy"] if row["label"] == "vote")
    assert over["best_single"]["value"] == max(row["value"] for row in figures["accuracy"] if row["label"] == "solo")


def test_a_gain_that_is_there(tmp_path: Path, bench: ModuleType) -> None:
    head = bench.reported(bench.write(tmp_path, 2, teams=1, questions=120, gain=0.25, primary="vote@strong"))[
        "headline"
    ]
    over = head["over_best_single"]
    assert (head["chosen"], head["options"], over["singles"]) == ("declared", 1, 3)
    assert over["low"] > 0
    assert over["p"] <= 0.05
    assert ") more than the best single model, strong" in head["sentence"]


def test_ratios_products_and_money_that_are_just_what_they_are_held_against() -> None:
    """A bootstrap alone settles any of ten mean costs in 40 % of such experiments, and of ten ratios near 1 in 23 %."""
    verdicts = script(SCRIPT.with_name("verdicts.py"))
    for world in verdicts.worlds():
        n = 75 if world.cluster > 1 else 30 if "cost" in world.name else 100
        found = verdicts.settled(world, n, experiments=200, resamples=500)
        assert found[1] <= 0.08, world.name
        assert found[10] <= 0.1, f"{world.name}: two of two hundred at a tenth of the level"
