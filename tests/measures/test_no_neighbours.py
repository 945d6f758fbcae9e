"""What is measured of a strategy does not depend on what else stands in the file."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from worlds import World, grouped_by, shown_texts

from moot import Request
from moot.models.scripted import Script

CITIES = ("Paris", "Lyon", "Metz")
STRATEGIES: Mapping[str, Any] = {
    "vote": "vote",
    "silent": "silent",
    "talkative": "talkative",
    "adaptive": {"adaptive": {"talk_from": 3}},
    "peer-review": {"peer-review": {"drafts": "single-call"}},
    "debate": {"debate": {"max_rounds": 2, "drafts": "single-call"}},
    "mixture": {"mixture": {"repeats": 2}},
}
GROUPING = {"model": {"grouping": {"model": "gil"}}, "words": {"grouping": {"match": "only"}}}


def drawn(*of: Any) -> int:
    return int(hashlib.sha256(repr(of).encode()).hexdigest(), 16)


def says(name: str, number: int, repeat: int) -> str:
    city = CITIES[drawn(name, number, repeat) % 3]
    return (city, f"the city of {city}", f"{city} on its river")[drawn(name, number) % 3]


def after(name: str, number: int, texts: Sequence[str]) -> str:
    """One of those shown, in its words or in others, or something new."""
    lot = drawn(name, number, sorted(texts))
    chosen = sorted(texts)[lot % len(texts)]
    return (chosen, f"surely {chosen}", "nowhere")[lot // 7 % 3]


def judge(request: Request) -> Script:
    grades = [{"id": place, "is_correct": "Paris" in text} for place, text in enumerate(shown_texts(request), 1)]
    return {"grades": grades}


def city(text: str) -> str:
    return next((city for city in CITIES if city in text), text)


def measured(strategies: Sequence[str], grouping: str) -> Mapping[str, Any]:
    world = World(says, after, count=6, offices={"gil": grouped_by(city), "jay": judge})
    played = [STRATEGIES.get(name, name) for name in strategies]
    return world.play(played, judge={"models": ["jay"]}, **GROUPING[grouping]).figures


def of_strategy(figures: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Every row of one strategy, but for what is adjusted for its neighbours and how long it took."""
    rows = {
        key: [row for row in figures.get(key, ()) if row["strategy"].startswith(name)]
        for key in ("accuracy", "diversity", "self_preference", "gap", "gains")
    }
    rows |= {
        key: [row for row in figures.get(key, ()) if row["stage"].startswith(name)]
        for key in ("safety", "safety_models", "coverage")
    }
    for row in (row for several in rows.values() for row in several):
        for changing in ("seconds", "p_holm", "low_holm", "high_holm", "family"):
            row.pop(changing, None)
    return {**rows, "skyline": figures["skyline"], "best_single": figures["best_single"]}


@pytest.mark.parametrize("grouping", GROUPING)
def test_rows_are_the_same_alone_and_beside_others(grouping: str) -> None:
    together = measured(["solo", *STRATEGIES], grouping)
    for name in STRATEGIES:
        alone = measured([name], grouping)
        expected = of_strategy(alone, name)
        assert expected["diversity"]
        assert of_strategy(together, name) == expected, name
        if name in ("silent", "mixture"):
            assert of_strategy(measured(["vote", name], grouping), name) == expected, name
    rates = {row["self_choice"] for row in together["self_preference"]}
    assert len(rates) > 2, "captains differ in it"
