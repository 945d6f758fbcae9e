"""Options that have not played the same questions, in worlds whose truth is known: what was not played is never wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from worlds import in_form, number_of, questions

import moot
from moot import Case, Question, Request, ScriptedModel
from moot.errors import ReplyBroken
from moot.report.sections import all_sections

pytestmark = pytest.mark.filterwarnings("ignore:.*that it was chosen on:UserWarning")
QUESTIONS = 40
RIGHT, WRONG = "A", "B"
Right = Callable[[int], bool]
"""Whether somebody is right, by the number of the question."""


def played(
    folder: Path,
    says_right: Mapping[str, Right],
    strategies: list[Any],
    *,
    chosen_on: int = QUESTIONS // 2,
    **more: Any,
) -> dict[str, Any]:
    """Who is right on which question is told here, be it alone or after reading others. `sue` only summarises.

    A team that is chosen (`team.json`) was chosen on the first `chosen_on` questions.
    """
    asked = [Case(Question(f"q{n}", f"Question {n}?", ("w", "x", "y"), kind="choice"), RIGHT) for n in range(QUESTIONS)]
    players = [name for name in says_right if name != "sue"]
    selection = {"team": players, "accuracies": dict.fromkeys(players, 0.5)}
    selection["chosen_on_ids"] = [f"q{n}" for n in range(chosen_on)]
    (folder / "team.json").write_text(json.dumps([selection]), encoding="utf-8")
    keys = {
        "name": "world",
        "seed": 3,
        "questions": asked,
        "models": {name: ScriptedModel(name, _saying(right)) for name, right in says_right.items()},
        "players": {name: {"model": name} for name in players},
        "teams": {"all": {"players": players}},
        "strategies": [_at(folder, entry) for entry in strategies],
        **more,
    }
    return dict(moot.run(keys).figures)


def _saying(right: Right) -> Callable[[Request], Any]:
    return lambda request: in_form(request, RIGHT if right(number_of(request)) else WRONG)


def _at(folder: Path, entry: Any) -> Any:
    if isinstance(entry, str):
        return entry
    return {name: {**options, "shown_accuracies": str(folder / "team.json")} for name, options in entry.items()}


def words_of(figures: dict[str, Any]) -> str:
    return " ".join(words for section in all_sections(figures) for words in section.words)


def chosen_mixture(**more: Any) -> dict[str, Any]:
    return {"mixture": {"summariser": "sue", "repeats": 1, **more}}


def wrong_on(*remainders: int) -> Callable[[int], bool]:
    """Right but for these of every five questions, which are spread over both halves alike."""
    return lambda n: n % 5 not in remainders


THREE = {"ann": wrong_on(0), "bob": wrong_on(1), "cat": wrong_on(2)}
"""Each is wrong alone on every fifth question, on which the two others are right: their vote is always right."""
EQUAL = {"ann": wrong_on(0, 1), "bob": wrong_on(0, 1), "cat": wrong_on(0, 1)}
"""They are wrong together."""


def row_of(rows: list[dict[str, Any]], title: str) -> dict[str, Any]:
    (row,) = [row for row in rows if row["of"].startswith(title)]
    return row


def test_a_chosen_team_is_ranked_on_the_questions_that_all_have(tmp_path: Path) -> None:
    """It is always right and may be measured on half of the questions: 100 %, and not the 50 % that are left of it."""
    figures = played(tmp_path, {**EQUAL, "sue": lambda n: True}, ["solo", "vote", chosen_mixture()])
    head = figures["headline"]
    assert (head["of"].split("(")[0], head["value"], head["n"], head["ranked_on"]) == ("mixture", 1.0, 20, 20)
    assert head["after_the_fact"]["of"] == head["of"]
    assert "(the best of 2 options on the 20 questions that all of them have)" in head["sentence"]
    assert " got 100.0 %" in head["sentence"]
    over = head["over_best_single"]
    assert over["difference"] == pytest.approx(0.4)
    assert over["best_single"]["value"] == pytest.approx(0.6), "on the questions that the team has too"
    assert (over["single"], over["singles"], over["low"] > 0) == ("ann", 3, True)
    mixture, ann = row_of(figures["frontier"], "mixture"), row_of(figures["frontier"], "solo@ann")
    assert (mixture["accuracy"], mixture["on_frontier"], mixture["folds"]) == (1.0, True, mixture["of_folds"])
    assert mixture["within_of"] == mixture["of"]
    assert (ann["on_frontier"], ann["ranked_on"]) == (True, 20)
    vote = row_of(figures["frontier"], "vote")
    assert vote["on_frontier"] is False
    assert "All of this covers the 20 questions that all of them have" in words_of(figures)


def test_easy_questions_flatter_nobody(tmp_path: Path) -> None:
    """All that the chosen team may be measured on is easy: it gets less of that right than others, who get less of all."""
    easy = {name: lambda n: n >= 20 for name in ("ann", "bob", "cat")}
    figures = played(tmp_path, {**easy, "sue": lambda n: n % 4 != 3}, ["solo", "vote", chosen_mixture()])
    shown = {row["label"].split("(")[0]: row["value"] for row in figures["accuracy"] if "player" not in row}
    assert shown == {"vote": 0.5, "mixture": 0.75}
    assert figures["headline"]["of"] == "vote"
    assert row_of(figures["frontier"], "mixture")["on_frontier"] is False
    assert row_of(figures["frontier"], "solo@ann")["on_frontier"] is True


def test_too_few_questions_are_not_ranked_and_that_is_said(tmp_path: Path) -> None:
    figures = played(tmp_path, {**EQUAL, "sue": lambda n: True}, ["solo", "vote", chosen_mixture()], chosen_on=36)
    head = figures["headline"]
    mixture = next(row["of"] for row in figures["frontier_left_out"])
    assert (head["of"], head["chosen"], head["options"]) == ("vote", "only", 1)
    assert head["unranked"] == [{"of": mixture, "questions": 4}]
    assert f"Not ranked, with too few questions in common with the others: {mixture} (4)." in head["sentence"]
    assert not [row for row in figures["frontier"] if row["of"] == mixture]
    assert "4 questions only" in figures["frontier_left_out"][0]["why"]
    assert "4 questions only, too few in common with the others" in words_of(figures)


def test_what_may_not_be_measured_at_all_is_named(tmp_path: Path) -> None:
    figures = played(
        tmp_path, {**EQUAL, "sue": lambda n: True}, ["solo", "vote", chosen_mixture()], chosen_on=QUESTIONS
    )
    assert [row["why"] for row in figures["frontier_left_out"]] == [
        "none of the questions that it may be measured on has been played"
    ]
    assert figures["headline"]["of"] == "vote"


def test_what_failed_throughout_is_no_option_of_the_headline() -> None:
    def broken(request: Request) -> Any:
        raise ReplyBroken("no reply")

    keys = {
        "name": "broken",
        "questions": questions(6),
        "models": {
            "ann": ScriptedModel("ann", lambda request: in_form(request, "Rome")),
            "bob": ScriptedModel("bob", broken),
        },
        "teams": {"two": {"players": ["ann", "bob"], "captain": "each"}},
        "strategies": ["solo", "silent"],
    }
    figures = moot.run(keys).figures
    assert (figures["headline"]["of"], figures["headline"]["options"]) == ("silent@ann", 1)
    assert (
        {row["of"]: row["why"] for row in figures["frontier_left_out"]}
        == {
            **dict.fromkeys(("solo@bob", "silent@bob"), "every question failed"),
            "silent@ann": "so many of its plays lack a call that nobody knows what it takes",  # bob's draft, on every question
            "solo@ann": "what the others take is not known, so there is nothing to compare it with",
        }
    )


def test_a_player_of_a_chosen_team_is_no_second_single(tmp_path: Path) -> None:
    """The vote repairs all 8 errors of each player. The chosen team of two of them has half of the questions: 4 errors."""
    chosen_two = chosen_mixture(proposers=["ann", "bob"])
    figures = played(tmp_path, {**THREE, "sue": lambda n: n % 2 == 0}, ["solo", "vote", chosen_two])
    head, over = figures["headline"], figures["headline"]["over_best_single"]
    assert (head["of"], head["value"], head["n"]) == ("all/vote", 1.0, 40)
    assert [each["single"] for each in over["each"]] == ["ann", "bob", "cat"]
    assert {each["n"] for each in over["each"]} == {40}
    assert over["low"] > 0
    assert re.search(r"20\.0 points \(.*\) more than the best single model, ann;", head["sentence"])


def test_nor_is_it_where_nobody_played_alone(tmp_path: Path) -> None:
    """What the players said is known from the same calls: their drafts at either table."""
    chosen_two = chosen_mixture(proposers=["ann", "bob"])
    for strategies in (["vote", chosen_two], [chosen_two, "vote"]):
        figures = played(tmp_path, {**THREE, "sue": lambda n: n % 2 == 0}, strategies)
        over = figures["headline"]["over_best_single"]
        assert sorted((each["single"], each["n"]) for each in over["each"]) == [("ann", 40), ("bob", 40), ("cat", 40)]
        assert over["low"] > 0


def test_a_primary_that_was_chosen_stands_beside_its_players_on_its_own_questions(tmp_path: Path) -> None:
    """Alone they are right on nothing that is left and on all that it was chosen on."""
    says = {name: lambda n: n < 20 for name in ("ann", "bob", "cat")}
    strategies = ["solo", "vote", chosen_mixture()]
    first = played(tmp_path, {**says, "sue": lambda n: True}, strategies)
    label = next(row["label"] for row in first["accuracy"] if row["strategy"] == "mixture")
    head = played(tmp_path, {**says, "sue": lambda n: True}, strategies, primary=label)["headline"]
    over = head["over_best_single"]
    assert (head["n"], over["difference"], over["best_single"]["value"]) == (20, 1.0, 0.0)
    assert head["cost_ratio"] == 4.0
