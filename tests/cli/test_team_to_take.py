"""Which of several methods' teams is to be taken is said by the questions they were chosen on, and how to have it again."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

import pytest

from moot.cli.team_to_take import team_to_take


def row(method: str, selection: float | None, **more: Any) -> dict[str, Any]:
    return {
        "kind": "selector",
        "method": method,
        "team": [f"{method}-1", f"{method}-2"],
        "size": 2,
        "k": 2,
        "calls": 100,
        "selection_accuracy": selection,
        "test_accuracy": 0.5,
        **more,
    }


def ending(*rows: dict[str, Any], **more: Any) -> list[str]:
    options: Mapping[str, Mapping[str, Any]] = more.get("options", {})
    return list(team_to_take(rows, command=["cup.yaml"], options=options, summarised=more.get("summarised")))


@pytest.mark.parametrize(
    "rows",
    [
        [row("right", 0.8, test_accuracy=0.4), row("lucky", 0.7, test_accuracy=0.9)],
        [row("dear", 0.8, calls=900), row("right", 0.8, calls=90, size=2), row("small", 0.8, calls=300, size=1)],
        [row("large", 0.8), row("right", 0.8, size=1)],
        [row("beyond", 0.9, size=3), row("right", 0.8)],
        [row("nobody", 0.9, team=[], size=0), row("right", 0.8)],
        [row("single", 0.9, kind="baseline"), row("right", 0.8)],
        [row("unknown", None, calls=1), row("right", 0.1)],
        [row("also unknown", None, calls=2), row("right", None, calls=1)],
    ],
    ids=["by-choice", "cheapest", "smallest", "within-size", "a-team", "a-selector", "known", "none-known"],
)
def test_the_best_where_it_was_chosen_of_equals_the_cheapest_then_the_smallest(rows: list[dict[str, Any]]) -> None:
    for order in (rows, rows[::-1]):
        first, team, *rest = ending(*order)
        known = any(each["selection_accuracy"] for each in rows)
        assert ("best" in first) is (len([each for each in rows if each["kind"] == "selector"]) > 1)
        assert ("is unknown" in first) is not known
        assert team == "  right-1, right-2"
        assert not [line for line in rest if line.startswith("On the test")]


def test_whom_the_test_calls_better_is_said_beside_it() -> None:
    assert "On the test top-accuracy is better, allowing for all comparisons." in ending(
        row("right", 0.8, beaten_by="top-accuracy")
    )


ALONE = row("best-model", 0.7, size=1, team=["llama"], beaten_by=None)
SINGLE = row("single:llama", None, kind="single", size=1, team=["llama"])
CANNOT = "On the test llama alone (best-model) cannot be told apart from it, at half of the calls (1 a question instead of 2)."
SEE = "How each does alone is under 'Each proposer alone' in --all."


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([row("right", 0.8, beaten_by=None), ALONE, SINGLE], CANNOT),
        ([row("right", 0.8, beaten_by=None), {**ALONE, "beaten_by": "right"}, SINGLE], None),
        ([row("right", 0.8, beaten_by=None, same_as="first"), {**ALONE, "beaten_by": "first"}, SINGLE], None),
        ([row("right", 0.8, beaten_by=None), {**ALONE, "beaten_by": "another"}, SINGLE], SEE),
        ([row("right", 0.8, beaten_by="best-model"), ALONE, SINGLE], None),
        ([row("right", 0.8, beaten_by=None), {**ALONE, "test_accuracy": None}, SINGLE], SEE),
        ([row("right", 0.8, beaten_by=None), {**ALONE, "k": 3}, SINGLE], SEE),
        ([row("right", 0.8, beaten_by=None), {**ALONE, "teams": [["llama"], ["qwen"]]}, SINGLE], SEE),
        ([row("right", 0.8, beaten_by=None), SINGLE], SEE),
        ([row("right", 0.8, beaten_by=None)], None),
        ([row("right", 0.8, size=1, team=["llama"]), SINGLE], None),
    ],
    ids=[
        *("not-told-apart", "beaten", "beaten-by-an-equal", "beaten-by-another", "better", "not-known", "another-size"),
        *("another-each-split", "not-compared", "not-asked", "is-alone"),
    ],
)
def test_one_proposer_that_the_test_cannot_tell_from_the_team_is_named(
    rows: list[dict[str, Any]], said: str | None
) -> None:
    told = ending(*rows)
    assert [line for line in told if line in (CANNOT, SEE)] == ([said] if said else [])
    read = ending(*rows, summarised={"mixture": {}})
    assert CANNOT not in read, "a summariser that reads one proposer is not that one alone"


def test_a_smaller_team_is_named_with_its_share_of_the_calls() -> None:
    large = row("right", 0.8, size=5, k=5, team=list("abcde"), beaten_by=None)
    pair = row("greedy", 0.7, size=2, k=5, team=["a", "b"], beaten_by=None)
    beaten = row("best-model", 0.6, size=1, k=5, team=["a"], beaten_by="right")
    words = "On the test a, b (greedy) cannot be told apart from it, at"
    assert f"{words} 40 % of the calls (2 a question instead of 5)." in ending(large, pair, beaten, SINGLE)
    read = ending(large, pair, beaten, SINGLE, summarised={"mixture": {}})
    assert f"{words} half of the calls (3 a question instead of 6)." in read


def test_no_team_of_a_run_that_was_cut_short_and_none_where_there_is_none() -> None:
    assert ending(row("right", 0.8, cut_short=True)) == [
        "No team to take yet: the run was cut short. Finish it, then choose again."
    ]
    assert ending(row("right", 0.8, size=3)) == []


def test_the_command_has_the_options_of_this_method_as_they_are_typed() -> None:
    options = {"right": {"by": "a word", "tau": 0.5, "all": True, "of": ["x", "y"]}, "other": {"tau": 0.1}}
    (command,) = [line for line in ending(row("right", 0.8, k=3), options=options) if "moot select" in line]
    words = shlex.split(command)
    assert words[:7] == ["moot", "select", "cup.yaml", "--k", "3", "--method", "right"]
    assert words[7:] == [
        *("--option", "by=a word", "--option", "tau=0.5", "--option", "all=true", "--option", 'of=["x", "y"]'),
        *("--json", ">", "team.json"),
    ]
