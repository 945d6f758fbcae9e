"""A question that is asked under two ids is one piece of evidence: in a report, beside another run, in a plan and a choice."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from worlds import World, questions

from moot import Case, Question
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.data.clusters import AskedTwice, clusters_of
from moot.data.contradictions import contradiction_words
from moot.report.remarks import remarks

SIZE = 16
HANG_TOGETHER = "The 32 questions form 16 clusters (up to 2 each)"


def says(player: str, number: int, repeat: int) -> str:
    return "Paris" if (number * 7 + len(player)) % 16 < {"ann": 9, "bob": 7, "cat": 5}[player] else "Rome"


def after(player: str, number: int, texts: Sequence[str]) -> str:
    return "Paris" if number % 4 else "Rome"


def again(cases: Sequence[Case], **more: Any) -> list[Case]:
    """The same under other ids, spaced otherwise."""
    return [replace(case, question=_renamed(case.question), **more) for case in cases]


def _renamed(question: Question) -> Question:
    return replace(question, id=f"r{question.id[1:]}", text=f" {question.text}  ")


def figures(asked: Sequence[Case]) -> dict[str, Any]:
    claims = ["accuracy(talkative) > accuracy(solo) + 0.1", "gap_closure(talkative) > 0", "net(talkative) > 0"]
    return dict(World(says, after, asked=asked).play(["solo", "talkative"], hypotheses=claims).figures)


OF_THE_RUN = ("runs", "prompts", "accuracy")
IN_FOLDS = ("frontier", "talk_threshold", "gain_by_strength")
"""Dealt by the name of a cluster."""


@pytest.mark.filterwarnings("ignore:.*asked under two ids")
def test_every_interval_and_p_is_that_of_the_questions_declared_as_clusters() -> None:
    once = questions(SIZE)
    named = [replace(case, cluster=case.question.text) for case in once]
    twice, declared = figures([*once, *again(once)]), figures([*named, *again(named)])
    assert twice.pop("clusters") == declared.pop("clusters") | {"asked_twice": {"questions": SIZE, "ids": 2 * SIZE}}
    left = {key: value for key, value in twice.items() if key not in (*OF_THE_RUN, *IN_FOLDS)}
    for row in (*twice["hypotheses"], *declared["hypotheses"]):
        assert row.pop("declared_at")
    assert left == {key: declared[key] for key in left}
    for row, as_declared, alone in zip(twice["accuracy"], declared["accuracy"], figures(once)["accuracy"], strict=True):
        assert [row[key] for key in ("low", "high", "n")] == [as_declared[key] for key in ("low", "high", "n")]
        assert (row["low"], row["high"]) == pytest.approx((alone["low"], alone["high"]))


def test_it_is_said_once_in_the_report_and_before_the_run() -> None:
    once = questions(SIZE)
    with pytest.warns(UserWarning, match="^16 questions are asked under two ids: each counts as one in intervals and"):
        told = remarks(figures([*once, *again(once)]))
    assert [line for line in told if "two ids" in line] == [line for line in told if "clusters (up to" in line]
    (line,) = [line for line in told if "two ids" in line]
    assert line.startswith(f"16 questions are asked under two ids: each counts as one. {HANG_TOGETHER}")


def test_nothing_is_said_where_nothing_is_asked_twice() -> None:
    assert "clusters" not in figures(questions(SIZE))
    assert AskedTwice.among(questions(SIZE)) is None


@pytest.mark.parametrize(
    ("times", "said"),
    [
        ((2,), "1 question is asked under two ids: it counts as one"),
        ((2, 2), "2 questions are asked under two ids: each counts as one"),
        ((2, 3), "2 questions are asked under several ids: each counts as one"),
    ],
)
def test_in_words(times: tuple[int, ...], said: str) -> None:
    cases = [Case(Question(f"{n} {m}", f"What is {n}?"), "x") for n, often in enumerate(times) for m in range(often)]
    assert str(AskedTwice.among([*cases, *questions(3)])) == said


def test_clusters_that_ask_one_question_are_one_whatever_the_order() -> None:
    """Of two sets, whose clusters of one name are two; by way of a third."""
    sets = [(1, "red", "page"), (2, "red", "page"), (2, "blue", "page"), (3, "blue", "page"), (4, "blue", None)]
    cases = {
        f"{which} {n}": Case(Question(f"{which} {n}", f"What is {n}?"), "x", question_set=which, cluster=cluster)
        for n, which, cluster in (*sets, (5, "green", "page"), (4, "green", None))
    }
    joined = {"red 1": "blue/page", "red 2": "blue/page", "blue 2": "blue/page", "blue 3": "blue/page"}
    found = clusters_of(cases.items())
    assert {key: found[key] for key in joined} == joined
    assert found["green 5"] == "green/page"
    assert found["blue 4"] == found["green 4"] not in ("blue/page", "green/page")
    assert clusters_of(reversed(cases.items())) == found


@pytest.mark.filterwarnings("ignore:.*asked under two ids")
def test_a_mean_over_two_sets_of_the_same_questions_is_worth_one_of_them() -> None:
    asked = [replace(case, question_set="red") for case in questions(SIZE)]
    shown = figures([*asked, *again(asked, question_set="blue")])
    for row in shown["mean_over_sets"]:
        (of_set, _) = [each for each in shown["question_sets"] if _whose(each) == _whose(row)]
        assert (row["value"], row["low"], row["high"]) == pytest.approx(
            (of_set["value"], of_set["low"], of_set["high"]), abs=0.02
        )
        assert row["high"] - row["low"] >= of_set["high"] - of_set["low"] - 1e-9


def _whose(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return row["label"], row.get("player"), row.get("captain")


def test_compare_plan_and_run_know_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        {"id": f"{n} {spelt}", "text": f"Which{' ' * spelt}one, {n}?", "answer": "yes", "kind": "yes-no"}
        for n in range(12)
        for spelt in range(1, 3)
    ]
    (tmp_path / "asked.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    keys = {
        "name": "twice",
        "questions": {"file": "asked.jsonl"},
        "models": {name: {"provider": "simulated", "accuracy": 0.5} for name in ("ann", "bob")},
        "strategies": ["solo"],
    }
    path = tmp_path / "twice.yaml"
    path.write_text(json.dumps(keys), encoding="utf-8")
    assert run_app(app, ["run", str(path), "--quiet"]) == 0
    assert "moot: 12 questions are asked under two ids: each counts as one" in capsys.readouterr().err
    assert run_app(app, ["compare", str(path), "--a", "solo@ann", "--b", "solo@bob", "--json"]) == 0
    compared = json.loads(capsys.readouterr().out)
    assert (compared["n"], compared["accuracy_a"]["clusters"], compared["test"]) == (24, 12, "score")
    other = tmp_path / "other.yaml"
    other.write_text(json.dumps({**keys, "name": "other", "seed": 8}), encoding="utf-8")
    assert run_app(app, ["run", str(other), "--quiet"]) == 0
    capsys.readouterr()
    assert run_app(app, ["report", str(path), str(other), "--json"]) == 0
    beside = json.loads(capsys.readouterr().out)["comparisons"]
    assert [(row["n"], row["clusters"]) for row in beside] == [(24, 12)] * 2
    assert run_app(app, ["plan", str(path), "--accuracy", "0.4", "--gain", "0.1", "--json"]) == 0
    planned = json.loads(capsys.readouterr().out)
    assert planned["cluster_size"] == 2
    assert planned["questions"] == 2 * planned["clusters"]


@pytest.mark.parametrize(
    ("other", "contradicts"),
    [
        ({"answer": "5"}, True),
        ({"answer": " 4"}, False),
        ({"answer": "four"}, False),
        ({"answer": "IV", "accepted": ("4",)}, False),
        ({"answer": None}, True),
        ({"answer": None, "known": False}, False),
    ],
)
def test_references_that_contradict_each_other_are_told(other: dict[str, Any], contradicts: bool) -> None:
    told = contradiction_words([Case(Question("a", "2 + 2 = ?"), "4"), Case(Question("b", "2 + 2  = ?"), **other)])
    assert bool(told) == contradicts
    if contradicts:
        assert "'a' and 'b'" in told[0]
        assert "'4' and " in told[0]


def test_choices_in_another_order_contradict_by_their_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, other = Question("a", "Which?", ("red", "blue")), Question("b", "Which?", ("blue", "red"))
    assert contradiction_words([Case(one, "A"), Case(other, "B")]) == []
    assert "'red' and 'blue'" in contradiction_words([Case(one, "A"), Case(other, "A")])[0]
    (tmp_path / "cup.csv").write_text("text,answer\n2+2?,4\n2+2?,5\n")
    ann = {"provider": "simulated", "accuracy": 1}
    values = {"name": "cup", "questions": {"file": "cup.csv"}, "models": {"ann": ann}}
    (tmp_path / "cup.yaml").write_text(json.dumps(values))
    run_app(app, ["run", str(tmp_path / "cup.yaml")])
    assert (
        "'1' and '2' are the same, and their references contradict each other: '4' and '5'" in capsys.readouterr().err
    )
