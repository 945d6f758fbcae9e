"""With repeats every play is measured by the drafts, the groups and the players of its own repeat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from worlds import PLAYERS, World, grouped_by, row

from moot import Case, Question


def says(name: str, number: int, repeat: int) -> str:
    """The first time all agree and are wrong; the second time all differ and ann is right."""
    if repeat == 0:
        return "Lyon"
    return {"ann": "Paris", "bob": "Metz", "cat": "Nice"}[name]


def first_seat(name: str, number: int, texts: Sequence[str]) -> str:
    """Whoever reads says what it had said itself: all of them are captains that hold on to their own."""
    return "Lyon" if set(texts) == {"Lyon"} else {"ann": "Paris", "bob": "Metz", "cat": "Nice"}[name]


@pytest.fixture(scope="module")
def figures() -> dict[str, Any]:
    return World(says, first_seat).play(["solo", "vote", "silent", "talkative"], repeats=2).figures


def test_diversity_is_that_of_the_repeat(figures: dict[str, Any]) -> None:
    by_d = {(line["d"], line["strategy"]): line["accuracy"] for line in figures["diversity"]}
    assert by_d[1, "vote"] == by_d[1, "silent"] == by_d[1, "solo"] == 0.0
    assert by_d[3, "vote"] == by_d[3, "silent"] == by_d[3, "solo"] == pytest.approx(1 / 3)
    assert {line["n"] for line in figures["diversity"]} == {4}


def test_the_skyline_is_the_mean_over_all_repeats(figures: dict[str, Any]) -> None:
    """The first time nobody is right and the second time somebody is: on each question half of the repeats."""
    assert figures["skyline"]["value"] == pytest.approx(0.5)
    turned = World(lambda name, number, repeat: says(name, number, 1 - repeat if number else repeat), first_seat)
    assert turned.play(["solo", "vote"], repeats=2).figures["skyline"]["value"] == pytest.approx(0.5)
    thrice = World(lambda name, number, repeat: says(name, number, int(repeat == 2)), first_seat)
    assert thrice.play(["solo", "vote"], repeats=3).figures["skyline"]["value"] == pytest.approx(1 / 3)


def test_the_majority_is_that_of_the_repeat() -> None:
    """The first time bob and cat agree against ann, the second and third time ann and cat against bob."""

    def divided(name: str, number: int, repeat: int) -> str:
        alone = "ann" if repeat == 0 else "bob"
        return "Paris" if name == alone else "Metz"

    world = World(divided, None)
    world.after = lambda name, number, texts: "Paris"  # the lone draft: only who gave it has chosen its own
    rows = world.play(["silent"], repeats=3).figures["self_preference"]
    ann, bob = (row(rows, strategy="silent", captain=name) for name in ("ann", "bob"))
    assert (ann["self_choice_count"], ann["self_and_majority_count"]) == (4, 0)
    assert (bob["self_choice_count"], bob["self_and_majority_count"]) == (8, 0)


def test_the_threshold_goes_by_the_answers_of_the_repeat() -> None:
    learnt = World(says, lambda name, number, texts: "Lyon" if set(texts) == {"Lyon"} else "Paris")
    threshold = learnt.play(["vote", "talkative"], repeats=2).figures["talk_threshold"]
    assert threshold["always_vote"]["accuracy"] == pytest.approx(1 / 6)
    assert threshold["always_talk"]["accuracy"] == pytest.approx(1 / 2)
    assert threshold["by_threshold"]["accuracy"] == pytest.approx(1 / 2)
    assert threshold["talk_from"] in (2, 3), "it talks only where the team differs, which is half of the time"
    assert threshold["by_threshold"]["calls"] == pytest.approx((3 + 4) / 2)


def test_a_skyline_is_the_union_over_players_in_each_repeat() -> None:
    """In every repeat another player is right: together they could have had them all."""
    asked = [Case(Question(f"q{n}", f"Which, {n}?", choices=("x", "y", "z"), kind="choice"), "A") for n in range(4)]
    world = World(lambda name, number, repeat: "A" if PLAYERS.index(name) == repeat else "B", asked=asked)
    for strategies in (["solo", "vote"], ["vote"], ["silent"]):
        figures = world.play(strategies, repeats=3).figures
        assert [line["value"] for line in figures["players"]] == pytest.approx([1 / 3] * 3)
        assert (figures["skyline"]["value"], figures["skyline"]["n"]) == (1.0, 4)
        assert figures["skyline"]["guessing"] == pytest.approx(1 - (2 / 3) ** 3), "three guessers, in each repeat"


def test_each_repeat_has_its_own_grouping_by_a_model() -> None:
    """The same words mean the same in one repeat and not in another: the grouping model says so each time."""
    words = {"ann": "the capital", "bob": "its capital city", "cat": "Metz"}
    world = World(
        lambda name, number, repeat: words[name] if repeat else f"{words[name]}, I think",
        offices={"gil": grouped_by(lambda text: "capital" in text if "think" in text else text)},
    )
    for strategies in (["silent"], ["silent", "vote"], ["vote", "talkative"]):
        rows = world.play(strategies, repeats=2, grouping={"model": "gil"}).figures["diversity"]
        assert {(line["d"], line["n"]) for line in rows} == {(2, 4), (3, 4)}, strategies


def test_a_draft_that_was_grouped_with_the_captains_is_its_own_choice() -> None:
    """ann's captaincy takes bob's words, which mean what ann had said herself; cat's draft means something else."""
    words = {"ann": "the Big Apple", "bob": "New York", "cat": "Metz"}
    world = World(
        lambda name, number, repeat: words[name],
        lambda name, number, texts: "New York",
        offices={"gil": grouped_by(lambda text: text == "Metz")},
    )
    rows = world.play(["silent"], grouping={"model": "gil"}).figures["self_preference"]
    counts = {line["captain"]: line["self_choice_count"] for line in rows if line["captain"]}
    assert counts == {"ann": 4, "bob": 4, "cat": 0}
    assert {line["novel_count"] for line in rows} == {0}
