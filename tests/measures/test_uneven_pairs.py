"""Pairs of before and after where not all captains have played the same: a run that was stopped, or served traffic.

A pair by itself is fair, so every captain's own row is of all that it has. A figure of several of them is of the plays that
all of them have: else it would be one of other captains from question to question.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from stopped_runs import REVIEW, Episode, always, even, never, stopped, terminal, words_of, world
from worlds import row

LABEL = "peer-review(drafts=single-call)"
HYPOTHESES = [f"net({LABEL}) > 5", f"safety_multiple({LABEL}) > 1"]
TEN_OF_BOB: Episode = lambda strategy, whose, n: (strategy, whose) != ("peer-review", "bob") or n < 10  # noqa: E731
SAID = "30 questions that not all of them have are left out"


async def test_rescues_and_regressions_are_of_the_questions_that_every_captain_has(tmp_path: Path) -> None:
    """Ann is rescued on the even ones and bob spoilt on all, which he was asked ten of; cat stays as she is."""
    players = world({"ann": never, "bob": always, "cat": even}, {"ann": even, "bob": never, "cat": even})
    shown = await stopped(tmp_path, players, ["solo", REVIEW], TEN_OF_BOB, hypotheses=HYPOTHESES)
    (counted,) = shown["safety"]
    assert (counted["rescues"], counted["regressions"], counted["net"], counted["multiple"]) == (5, 10, -5, 0.5)
    assert (counted["n"], counted["n_pairs"], counted["left_out"], counted["models"]) == (10, 30, 30, 3)
    assert "not_begun" not in counted
    assert SAID in words_of(shown, "safety")
    assert SAID in terminal(shown)
    own = {each["model"]: (each["rescues"], each["regressions"], each["n"]) for each in shown["safety_models"]}
    assert own == {"ann": (20, 0, 40), "bob": (0, 10, 10), "cat": (0, 0, 40)}, "each by itself has all its own"
    net, multiple = shown["hypotheses"]
    assert (net["value"], net["n"], net["verdict"]) == (-5, 10, "open")
    assert (multiple["value"], multiple["n"]) == (0.5, 10)
    assert all("30 questions that not all have played are left out" in each["note"] for each in (net, multiple))


async def test_captains_without_a_common_question_have_no_sum(tmp_path: Path) -> None:
    players = world({"ann": never, "bob": always, "cat": even}, {"ann": even, "bob": never, "cat": even})
    shown = await stopped(
        tmp_path,
        players,
        ["solo", REVIEW],
        lambda strategy, whose, n: strategy == "solo" or (n < 10) == (whose == "bob"),
        hypotheses=HYPOTHESES,
    )
    (counted,) = shown["safety"]
    unknown = ("rescues", "regressions", "recovered", "net", "multiple", "rescue_rate", "net_share", "note")
    assert [counted[key] for key in unknown] == [None] * len(unknown)
    assert (counted["n"], counted["n_pairs"], counted["left_out"]) == (0, 0, 40)
    assert counted["why"] == "none of 40 questions has been played by all 3 models"
    assert counted["why"] in words_of(shown, "safety")
    for judged in shown["hypotheses"]:
        assert (judged["value"], judged["verdict"]) == (None, "open")
        assert "has been played by all 3 captains" in judged["note"]


async def test_whoever_has_not_begun_is_named_and_no_claim_is_made_without_it(tmp_path: Path) -> None:
    players = world({"ann": never, "bob": always, "cat": even}, {"ann": even, "bob": never, "cat": even})
    shown = await stopped(
        tmp_path,
        players,
        ["solo", REVIEW],
        lambda strategy, whose, n: strategy == "solo" or whose != "bob",
        hypotheses=HYPOTHESES,
    )
    (counted,) = shown["safety"]
    assert (counted["rescues"], counted["regressions"], counted["models"], counted["not_begun"]) == (20, 0, 2, ["bob"])
    said = f"{LABEL} is over 2 of 3 models: bob has not begun."
    assert said in words_of(shown, "safety")
    for judged in shown["hypotheses"]:
        assert (judged["value"], judged["verdict"]) == (None, "open")
        assert "has been played by all 3 captains" in judged["note"]


async def test_strength_and_gain_of_models_are_told_on_the_same_questions(tmp_path: Path) -> None:
    """Bob was asked the easy ones only: on those all are strong, and none of them gains."""
    easy = 20
    right: dict[str, Any] = {
        "ann": lambda n: n < easy or n % 4 == 0,
        "bob": lambda n: n < easy and n % 5 > 0,
        "cat": lambda n: n < easy and n % 2 == 0,
    }
    players = world(right, dict.fromkeys(right, always))
    shown = await stopped(
        tmp_path, players, ["solo", REVIEW], lambda strategy, whose, n: strategy == "solo" or whose != "bob" or n < easy
    )
    (tmp_path / "even").mkdir()
    whole = await stopped(
        tmp_path / "even", players, ["solo", REVIEW], lambda strategy, whose, n: strategy == "solo" or n < easy
    )
    uneven, even_run = (each["gain_by_strength"][0] for each in (shown, whole))
    assert uneven == {**even_run, "left_out": 20}
    assert "20 questions that not all of them have are left out" in words_of(shown, "safety-models")


async def test_what_a_debate_adds_is_over_plays_that_all_have_in_both(tmp_path: Path) -> None:
    """Bob is rescued in the debate on every question, which he was asked ten of."""
    debate = {"debate": {"drafts": "single-call"}}
    right = {"ann": never, "bob": never, "cat": even}
    players = world(right, {"ann": even, "bob": always, "cat": even})
    shown = await stopped(
        tmp_path,
        players,
        ["solo", REVIEW, debate],
        lambda strategy, whose, n: strategy != "debate" or whose != "bob" or n < 10,
    )
    (lifted,) = shown["debate_lift"]
    assert (lifted["n"], lifted["n_pairs"], lifted["left_out"]) == (10, 30, 30)
    assert (lifted["net_before"], lifted["net_after"]) == (15, 15)
    assert SAID in words_of(shown, "debate-lift")


@pytest.mark.parametrize("double", [10, 40])
async def test_the_formatting_tax_is_over_questions_that_all_have_in_both_ways(tmp_path: Path, double: int) -> None:
    """Bob, whom two calls help on nothing, was asked so ten times; ann is helped on all that he was not asked."""
    twice = {"solo": {"drafts": "double-call"}}
    players = world({"ann": even, "bob": never})
    shown = await stopped(tmp_path, players, ["solo", twice], lambda strategy, whose, n: whose != "bob" or n < double)
    tax = shown["formatting_tax"]
    assert (tax["n"], tax.get("left_out")) == (double, 30 if double == 10 else None)
    assert tax["n_pairs"] == 2 * double
    if double == 10:
        assert SAID in words_of(shown, "formatting-tax")
    assert {each["model"]: each["n"] for each in shown["formatting_tax_models"]} == {"ann": 40, "bob": double}
    assert row(shown["formatting_tax_models"], model="ann")["difference"] == 0
