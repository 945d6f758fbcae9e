"""The tables of accuracy, outcomes, abstention and sets from rows that are written down here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from moot.measures.accuracy.sections import (
    abstention_section,
    abstention_words,
    accuracy_section,
    failures_section,
    outcomes_section,
)
from moot.measures.section import Section
from moot.measures.sets.sections import set_sections


def row(label: str = "vote", **other: Any) -> dict[str, Any]:
    given: dict[str, Any] = {"strategy": label, "label": label, "team": "one", "captain": None, "player": None}
    given |= {
        "value": 0.5,
        "low": 0.4,
        "high": 0.6,
        "n": 90,
        "outcomes": {},
        "missing": 0,
        "ungraded": 0,
        "disputed": 0,
    }
    return {**given, "usd_per_question": None, **other}


def only(make: Callable[[Any], Iterator[Section]], **figures: Any) -> Section:
    (found,) = make(figures)
    return found


def keys(found: Section) -> list[str]:
    return [column.key for column in found.columns]


def test_accuracy_stands_first_with_what_it_took() -> None:
    found = only(accuracy_section, accuracy=[row(), row("talk", captain="ann", calls=9, usd_per_question=0.01)])
    assert (found.id, found.place) == ("accuracy", 0)
    assert [(each["name"], each["who"], each["value"], each["calls"]) for each in found.rows] == [
        ("vote", None, 0.5, None),
        ("talk@ann", "ann", 0.5, 9),
    ]
    assert keys(found) == ["label", "who", "value", "n", "calls", "cost_usd", "calls_per_question", "usd_per_question"]
    assert found.words == ("Share right of all questions played; no answer counts as not right. Intervals are 95 %.",)
    free = only(
        accuracy_section, accuracy=[row(usd_per_question=0.0, cohort="x"), row(team="two")], left_out=("A line.",)
    )
    assert keys(free) == ["team", "label", "cohort", "who", "value", "n", "calls", "cost_usd", "calls_per_question"]
    assert free.words[-1] == "A line."
    assert only(accuracy_section).rows == []


def test_bounds_of_what_is_not_graded() -> None:
    waits = row(bounds={"low": 0.25, "high": 0.75}, ungraded=4, why="they wait", value=None)
    found = only(accuracy_section, accuracy=[waits, row("talk")])
    assert [found.rows[0][key] for key in ("least", "most", "ungraded", "why")] == [0.25, 0.75, 4, "they wait"]
    assert "least" not in found.rows[1]
    assert keys(found)[4:6] == ["least", "most"]
    assert found.words == (
        "Share right of the graded questions; no answer counts as not right. Intervals are 95 %.",
        "At least and at most: over all questions, with every ungraded answer counted as wrong, and as right.",
        "No figure in 1 row: they wait.",
    )


def test_what_was_chosen_on_some_of_the_questions() -> None:
    chosen = row("talk", chosen_on=3)
    found = only(
        accuracy_section, accuracy=[{**chosen, "captain": "ann"}, {**chosen, "captain": "bob"}, row()], questions=10
    )
    assert found.words[1:] == (
        "talk, under each of 2 captains: 3 of 10 questions are those that it was chosen on; its figures are over the other 7.",
    )


def test_how_every_episode_ended() -> None:
    ended = row(outcomes={"answered": 7, "failed": 1}, missing=2, cohort="x")
    found = only(outcomes_section, accuracy=[ended, row("talk", outcomes={"answered": 3}, chosen_on=4, disputed=1)])
    assert (found.id, found.place, found.terminal) == ("outcomes", 930, "own")
    assert [(each["answered"], each["failed"], each["missing"], each["chosen_on"]) for each in found.rows] == [
        (7, 1, 2, 0),
        (3, 0, 0, 4),
    ]
    heads = {column.key: column.title for column in found.columns}
    assert (heads["missing"], heads["chosen_on"], heads["answered"]) == (
        "not played", "questions it was chosen on", "answered",
    )  # fmt: skip
    assert [key for key in keys(found) if key not in ("label", "cohort", "who")] == [
        "answered", "failed", "missing", "chosen_on", "disputed",
    ]  # fmt: skip
    assert found.words == ("How every episode ended; none is left out.",)


GAVE = "learnt gave an answer to 71 % of the questions"
RIGHT = "95.6 % were right (94.0–97.0 %)."
COVERED = {
    "coverage": {"value": 0.71, "low": 0.6, "high": 0.8, "n": 1_000},
    "answered": {"value": 0.956, "low": 0.94, "high": 0.97, "n": 710},
    "outcomes": {"answered": 700, "undecided": 10, "abstained": 290},
}


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({}, f"{GAVE}; of these {RIGHT}"),
        (
            {"outcomes": {"answered": 711}},
            f"{GAVE}; on the mean of those with an answer {RIGHT}",
        ),
        ({"outcomes": {"answered": 711}, "ungraded": 1}, f"{GAVE}; of these {RIGHT}"),
        (
            {"answered": {**COVERED["answered"], "low": None}},
            "learnt gave an answer to 71 % of the questions; of these 95.6 % were right.",
        ),
        (
            {"answered": {"value": None, "why": "they wait"}},
            "learnt gave an answer to 71 % of the questions; how right that is is not known: they wait.",
        ),
        (
            {"coverage": {**COVERED["coverage"], "value": 0.0}},
            "learnt gave an answer to none of the 1,000 questions (coverage 0): nothing is known of them.",
        ),
        ({"coverage": {**COVERED["coverage"], "value": None}}, None),
        ({"coverage": None}, None),
    ],
)  # fmt: skip
def test_how_much_is_answered_and_how_right_that_is(other: dict[str, Any], words: str | None) -> None:
    assert [*abstention_words({"accuracy": [row("learnt", **{**COVERED, **other})]})] == (
        [] if words is None else [words]
    )


def test_only_what_abstains_is_in_the_table_of_answers() -> None:
    found = only(abstention_section, accuracy=[row("learnt", **COVERED), row()])
    assert (found.id, found.place, len(found.rows), len(found.words)) == ("abstention", 5, 1, 2)
    assert {
        key: found.rows[0][key]
        for key in ("coverage", "coverage_low", "right", "right_high", "given", "abstained", "n")
    } == {
        "coverage": 0.71,
        "coverage_low": 0.6,
        "right": 0.956,
        "right_high": 0.97,
        "given": 710,
        "abstained": 290,
        "n": 1_000,
    }
    assert [*abstention_section({"accuracy": [row()]})] == []
    assert only(failures_section, failures=[{"model": "m", "kind": "timeout", "times": 2, "message": "x"}]).place == 940


def in_set(name: str, n: int, **other: Any) -> dict[str, Any]:
    return {**row(), "question_set": name, "n": n, **other}


def test_a_column_a_set_and_a_group_and_the_mean() -> None:
    means = [row(n=3), row("talk", n=3)]
    sets = [in_set("a", 1_000), in_set("b", 20), {**in_set("a", 990, value=0.7), "strategy": "talk", "label": "talk"}]
    groups = [{**row(), "group": "hard", "n": 2}, {**row(), "group": "easy", "n": 1}]
    found = only(set_sections, mean_over_sets=means, question_sets=sets, set_groups=groups)
    assert keys(found) == ["label", "who", "set a", "set a n", "set b", "group hard", "mean"]
    assert [column.title for column in found.columns][2:] == ["a", "n", "b", "hard, mean", "mean over sets"]
    assert [(each["set a"], each["set a n"], each["mean"], each["mean low"]) for each in found.rows] == [
        (0.5, 1_000, 0.5, 0.4),
        (0.7, 990, 0.5, 0.4),
    ]
    assert (found.id, found.place) == ("sets", 10)
    assert found.words[0] == "Graded questions: a 990 to 1,000, b 20; n says how many are a row's own."
    assert len(found.words) == 2
    even = only(
        set_sections,
        mean_over_sets=means[:1],
        question_sets=[in_set("a", 9, bounds={}, value=None, why="few")],
        set_groups=[],
    )
    assert even.words[0] == "Graded questions: a 9."
    assert even.words[2:] == (
        "Over what is graded; what is not, is neither right nor wrong.",
        "No figure in 1 row: few.",
    )
    assert [*set_sections({})] == []
