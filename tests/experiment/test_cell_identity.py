"""A cell is what a run is kept under: whatever could change an answer makes another one, and nothing else does."""

from __future__ import annotations

from typing import Any

import pytest
from worlds import PLAYERS, World

from moot.experiment.build import build
from moot.experiment.spec import Experiment

ALONE = ("solo",)
"""Draws no lot and counts nothing, but its requests carry the seed all the same."""


def cells(strategies: tuple[Any, ...] = ("vote",), **changed: Any) -> set[str]:
    keys = World(lambda name, number, repeat: "Paris").keys(strategies, seed=7)
    return {cell.id for cell in build(Experiment(**{**keys, **changed}).as_file).cells}


CHANGES: dict[str, dict[str, Any]] = {
    "seed": {"seed": 8},
    "language": {"language": "ru"},
    "captain": {"teams": {"team": {"players": list(PLAYERS), "captain": "ann"}}},
    "who-is-in-the-team": {"teams": {"team": {"players": list(PLAYERS[:2]), "captain": "each"}}},
    "name-of-the-team": {"teams": {"other": {"players": list(PLAYERS), "captain": "each"}}},
    "an-option": {"strategies": [{"vote": {"early_stop": True}}]},
    "instruction": {
        "players": {
            name: {"model": name, **({"instruction": "Be brief."} if name == "ann" else {})} for name in PLAYERS
        }
    },
    "which-model": {"players": {name: {"model": "ann"} for name in PLAYERS}},
    "grouping": {"grouping": {"match": "only"}},
}


@pytest.mark.parametrize("changed", CHANGES.values(), ids=CHANGES)
def test_what_could_change_an_answer_makes_another_cell(changed: dict[str, Any]) -> None:
    before, after = cells(), cells(**changed)
    assert len(before) == len(PLAYERS)
    assert before - after, "something is played anew"
    if "teams" not in changed:
        assert not before & after, "and so is everything that it could change"


def test_another_seed_asks_those_alone_anew() -> None:
    assert not cells(ALONE) & cells(ALONE, seed=8)


def test_nothing_else_does() -> None:
    assert cells() == cells() == cells(name="another") == cells(questions=World(lambda *_: "", count=2).asked)
    assert cells() < cells(strategies=("vote", "silent"))
