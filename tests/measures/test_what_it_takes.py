"""What a strategy takes: the calls that a server would have seen had nothing else stood in the file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from worlds import World, grouped_by, row, shown_texts

from moot import Request
from moot.models.scripted import Script

CITIES = ("Paris", "Lyon", "Metz")


def says(name: str, number: int, repeat: int) -> str:
    city = CITIES[(len(name + str(number)) * 7 + ord(name[0]) * (number + 1) + repeat) % 3]
    return (city, f"the city of {city}")[(number + ord(name[0])) % 2]


def after(name: str, number: int, texts: Sequence[str]) -> str:
    return sorted(texts)[(number + ord(name[0])) % len(texts)]


def judge(request: Request) -> Script:
    grades = [{"id": place, "is_correct": "Paris" in text} for place, text in enumerate(shown_texts(request), 1)]
    return {"grades": grades}


def city(text: str) -> str:
    return next((city for city in CITIES if city in text), text)


def world(count: int = 6) -> World:
    return World(says, after, count=count, offices={"gil": grouped_by(city), "jay": judge})


MORE: dict[str, Any] = {"grouping": {"model": "gil"}, "judge": {"models": ["jay"]}}
STRATEGIES: dict[str, Any] = {
    "solo": "solo",
    "vote": "vote",
    "silent": "silent",
    "talkative": "talkative",
    "adaptive": {"adaptive": {"talk_from": 2}},
    "peer-review": "peer-review",
    "debate": {"debate": {"max_rounds": 2}},
    "discuss": {"discuss": {"max_turns": 2, "vote_from": 1, "decision": "simple-voting"}},
    "mixture": {"mixture": {"repeats": 2}},
}
BESIDE = ["solo", {"solo": {"drafts": "double-call"}}, "vote", "talkative", "peer-review"]


@pytest.mark.parametrize("name", STRATEGIES)
def test_the_calls_of_a_strategy_are_those_that_it_makes_alone(name: str) -> None:
    """With one captain: a server that serves this file alone is asked exactly so often, but for judging and matching."""
    strategy, teams = STRATEGIES[name], {"team": {"players": ["ann", "bob", "cat"], "captain": "ann"}}
    lone = world()
    figures = lone.play([strategy], teams=teams, **MORE).figures
    apart = lone.asked_of("jay") + figures.get("measurement", {}).get("calls", 0)
    rows = [line for line in figures["accuracy"] if line["strategy"] == name]
    assert sum(line["calls"] for line in rows) == lone.asked_of() - apart
    beside = world()
    together = beside.play([*(other for other in BESIDE if other != strategy), strategy], teams=teams, **MORE).figures
    again = [line for line in together["accuracy"] if line["label"] == rows[0]["label"]]
    assert [line["calls"] for line in again] == [line["calls"] for line in rows]


def test_the_bill_counts_each_call_once() -> None:
    many = world()
    results = many.play(list(STRATEGIES.values()), **MORE)
    assert results.store.frame("calls").height == many.asked_of()


@pytest.mark.parametrize(
    ("strategies", "times"),
    [
        (["peer-review"], (3 * 2 + 1) / 2),
        (["solo", "peer-review"], 3 * 2 + 1),  # in one call they are as good
        ([{"solo": {"drafts": "double-call"}}, "peer-review"], (3 * 2 + 1) / 2),
        ([{"peer-review": {"drafts": "single-call"}}], 3 + 1),
        (["solo", "silent"], 3 + 1),
        (["silent"], 3 + 1),
    ],
)
def test_times_the_calls_is_beside_what_the_single_player_takes(strategies: list[Any], times: float) -> None:
    """A native answer in two calls is twice the price of one in one, whether or not anybody played alone."""
    headline = world().play(strategies, **MORE).figures["headline"]
    assert (headline["cost_ratio"], headline["cost_unit"]) == (pytest.approx(times), "calls")
    assert f"with {times:.1f} × the calls" in headline["sentence"]


def test_a_learnt_threshold_pays_for_grouping_where_it_talks() -> None:
    """All of them differ on every question: whoever talks from two answers on has grouped, and then talks."""
    lone = World(
        lambda name, number, repeat: f"{CITIES[('ann', 'bob', 'cat').index(name)]}, surely",
        lambda name, number, texts: "Paris",
        offices={"gil": grouped_by(city)},
    )
    teams = {"team": {"players": ["ann", "bob", "cat"], "captain": "bob"}}
    more = {"grouping": {"model": "gil"}, "teams": teams}
    figures = lone.play(["vote", "talkative", {"adaptive": {"talk_from": 2}}], **more).figures
    learnt = figures["talk_threshold"]
    adaptive = row(figures["accuracy"], strategy="adaptive")
    assert learnt["talk_from"] <= 3
    assert learnt["by_threshold"]["calls"] == adaptive["calls"] / 4 == 5
    assert (learnt["always_talk"]["calls"], learnt["always_vote"]["calls"]) == (4, 4)
