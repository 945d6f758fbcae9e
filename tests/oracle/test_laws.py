"""Laws that hold in any experiment, whatever the figures are: what is no part of a figure does not change it."""

from __future__ import annotations

import copy
import json
import os
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from second_way import played
from second_way.worlds import all_strategies, experiment

Figures = dict[str, Any]

MORE = int(os.environ.get("MOOT_WORLDS", "12")) // 12
"""How many times as many experiments as in `make test`."""

ABOUT_THE_FILE = frozenset(
    {"runs", "prompts", "bill_usd", "experiment", "seconds", "failures", "other_plans", "measurement"}
)
"""What tells of the file as a whole, or of the clock."""
CHOSEN = frozenset({"headline", "frontier", "best_single", "gap", "power", "teams", "talk_threshold"})
"""What is chosen among all that stands in the file, or corrected for it."""
ADJUSTED = frozenset({"p_holm", "low_holm", "high_holm", "first_p_holm", "last_p_holm", "family", "from"})
"""What is adjusted for the other rows of its table; and where a player's own answer was read."""
BESIDE_ALONE = frozenset({"calls_ratio", "tokens_ratio", "why"})
"""What is known only once somebody has played alone."""


EARLY = {"vote": {"early_stop": True}}
"""Whom it waits for is a matter of the clock."""


def rows(figures: Figures) -> dict[str, set[str]]:
    """Every row of every table, without what may differ."""
    tables: dict[str, set[str]] = {}
    for key, value in figures.items():
        if key not in ABOUT_THE_FILE | CHOSEN:
            listed = value if isinstance(value, list) else [value]
            tables[key] = {json.dumps(_plain(row), sort_keys=True) for row in listed}
    return tables


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items() if key not in ADJUSTED | ABOUT_THE_FILE | BESIDE_ALONE}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if value == "drafted":
        return "solo"  # what players said alone is told under the name of who played alone, if anybody did
    return round(value, 9) if isinstance(value, float) else value


def reported(folder: Path, keys: Mapping[str, Any], *more: str) -> Figures:
    played.run(folder, keys, *more)
    return played.figures(folder)


def beside(folder: Path, number: int, *, choices: bool = False) -> tuple[Path, Path, dict[str, Any]]:
    """Two folders with the same questions, and the experiment of that number."""
    one, other = folder / "one", folder / "other"
    for place in (one, other):
        place.mkdir()
        keys = experiment(number, place, choices=choices)
    return one, other, keys


@pytest.mark.parametrize("number", range(100, 100 + MORE * 4))
def test_another_strategy_changes_no_row_of_the_others(number: int, tmp_path: Path) -> None:
    one, other, keys = beside(tmp_path, number)
    every = all_strategies(random.Random(number))
    added = next(entry for entry in every if entry not in keys["strategies"])
    before = rows(reported(one, keys))
    after = rows(reported(other, {**keys, "strategies": [*keys["strategies"], added]}))
    for key, table in before.items():
        if key not in ("ungraded", "disputed", "judges"):
            assert table <= after.get(key, set()), (key, added, sorted(table - after.get(key, set()))[:3])


@pytest.mark.parametrize("number", range(200, 200 + MORE * 2))
def test_a_run_in_two_parts_is_the_same_run(number: int, tmp_path: Path) -> None:
    # What a simulated model may say to an open question depends on which others there are.
    one, other, keys = beside(tmp_path, number, choices=True)
    keys["strategies"] = [entry for entry in keys["strategies"] if entry != EARLY] or ["solo"]
    at_once = reported(one, keys)
    played.run(other, keys, "--limit", "3")
    in_parts = reported(other, keys)
    for figures in (at_once, in_parts):
        for key in ("runs", "other_plans"):
            figures.pop(key, None)
    assert _without_clock(in_parts) == _without_clock(at_once)


def _without_clock(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_clock(item) for key, item in value.items() if key != "seconds"}
    return [_without_clock(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("number", range(300, 300 + MORE * 2))
def test_the_order_of_questions_changes_no_count(number: int, tmp_path: Path) -> None:
    """Intervals that are drawn may move in their third digit; nothing else may."""
    one, other, keys = beside(tmp_path, number, choices=True)
    keys["strategies"] = [entry for entry in keys["strategies"] if entry != EARLY] or ["solo"]
    before = reported(one, keys)
    for path in other.glob("*.jsonl"):
        lines = path.read_text(encoding="utf-8").splitlines()
        path.write_text("\n".join(reversed(lines)), encoding="utf-8")
    after = reported(other, keys)
    for row, again in zip(before["accuracy"], after["accuracy"], strict=True):
        for key in ("label", "value", "n", "outcomes", "calls", "ungraded"):
            assert again[key] == (pytest.approx(row[key]) if isinstance(row[key], float) else row[key]), (row, again)
    for key in ("diversity", "self_preference", "safety", "categories"):
        counts = [[_counts(row) for row in figures.get(key, ())] for figures in (before, after)]
        assert sorted(counts[0], key=str) == sorted(counts[1], key=str), key


def _counts(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if isinstance(value, int | str)}


@pytest.mark.parametrize("number", range(400, 400 + MORE * 2))
def test_a_second_of_the_same_player_never_lowers_the_skyline(number: int, tmp_path: Path) -> None:
    one, other, keys = beside(tmp_path, number)
    keys = copy.deepcopy(keys)
    keys["strategies"] = ["solo", "vote"]
    keys["teams"] = {"table": {"players": list(keys["players"])}}
    for model in keys["models"].values():
        model["temperature"] = 0
    before = reported(one, keys)["skyline"]
    twin = {"model": next(iter(keys["players"].values()))["model"]}
    keys["players"] = {**keys["players"], "twin": twin}
    keys["teams"]["table"]["players"].append("twin")
    after = reported(other, keys)["skyline"]
    if before["value"] is not None and after["value"] is not None:
        assert after["value"] >= before["value"] - 1e-12
    else:
        assert after.get("bounds", {"high": 1.0})["high"] >= (before.get("bounds") or {"low": 0.0})["low"]
