"""Free answers: a label means something within its question, and nothing beyond it."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.select import Proposer, VoteOracle, read_labels, split_labels
from moot.select.aggregate import Majority
from moot.select.files import kind_of
from moot.select.labels import NOBODY_KNOWS, SelectionSplit, label_matrix, per_question
from moot.select.oracle import one_team

Rename = Callable[[int, str], str]


def as_it_is(question: int, label: str) -> str:
    return label


def with_its_question(question: int, label: str) -> str:
    return f"{label} of {question}"


def by_lot(question: int, label: str) -> str:
    return f"word {random.Random(f'{question} {label}').getrandbits(60)}"


def world(path: Path, rename: Rename, questions: int = 300) -> Path:
    """Two who know a lot, each with mistakes of its own, and five who know little and share one popular mistake."""
    draw = random.Random(3)
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["question_id", "model", "pred", "answer"])
        for question in range(questions):
            answer = f"answer {question}"
            for number, accuracy in enumerate([0.9, 0.88, 0.4, 0.38, 0.36, 0.36, 0.34]):
                own = f"mistake {draw.randrange(10**6)}"
                wrong = own if accuracy > 0.5 or draw.random() < 0.3 else f"myth {question}"
                said = answer if draw.random() < accuracy else wrong
                table.writerow([question, f"m{number}", rename(question, said), rename(question, answer)])
    return path


def selected(capsys: pytest.CaptureFixture[str], *arguments: object) -> list[dict[str, Any]]:
    capsys.readouterr()
    assert run_app(app, ["select", *map(str, arguments), "--json"]) == 0
    rows: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return rows


@pytest.mark.long
def test_other_words_for_the_same_answers_change_no_figure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = [
        selected(capsys, world(tmp_path / f"{rename.__name__}.csv", rename), "--k", 3, "--m", 150, "--splits", 2)
        for rename in (as_it_is, with_its_question, by_lot)
    ]
    assert figures[0] == figures[1] == figures[2]
    assert {"truth-prediction", "hybrid", "naive-bayes", "learnt", "one-coin-dawid-skene"} <= {
        row["method"] for row in figures[0]
    }


@pytest.mark.long
def test_weights_go_by_how_often_wrong_answers_agree_and_not_by_how_many_labels_the_file_holds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = selected(capsys, world(tmp_path / "labels.csv", as_it_is), "--k", 3, "--m", 150, "--splits", 3)
    accuracy = {row["method"]: row["test_accuracy"] for row in rows}
    assert accuracy["majority"] < 0.75, "five who share a mistake outvote two who know"
    assert accuracy["input-all"] > 0.9
    assert accuracy["majority-weighted"] > 0.9
    assert accuracy["input-all"] >= accuracy["majority-two-class"]
    assert accuracy["learnt"] > 0.9
    assert accuracy["naive-bayes"] > 0.9


@pytest.mark.parametrize(
    ("answers", "kind"),
    [
        ("abcd" * 3, "choices"),
        (["yes", "no"], "choices"),
        (["0", "3", "1"], "choices"),
        (["entailment", "neutral", "contradiction"] * 10, "choices"),
        (["paris", "rome", "oslo"], "free"),
        (["12", "700", "3"], "free"),
        ([f"city {n}" for n in range(500)], "free"),
    ],
)
def test_what_labels_look_like(answers: list[str], kind: str) -> None:
    assert kind_of(answers) == kind


def test_the_look_of_labels_can_be_overruled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = world(tmp_path / "labels.csv", as_it_is, 40)
    wanted = ["select", str(path), "--k", "2", "--method", "truth-prediction"]
    assert run_app(app, wanted) == 0
    assert "taken for free answers" in " ".join(capsys.readouterr().err.split())
    tree = ["--option", "classifier=sklearn.tree:DecisionTreeClassifier", "--option", "completions=1"]
    assert run_app(app, [*wanted, *tree]) == 2
    assert "a classifier needs questions with choices" in " ".join(capsys.readouterr().err.split())
    assert run_app(app, [*wanted, *tree, "--labels", "choices"]) == 0
    assert run_app(app, [*wanted, "--labels", "words"]) == 2


def test_a_stray_label_is_no_choice(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    rows = [f"{n},m,{'ABCD'[n % 4] if n else 'I cannot say'},{'ABCD'[n % 4]}" for n in range(8)]
    path.write_text("\n".join(["question_id,model,pred,answer", *rows]))
    labels = read_labels(path)
    assert labels.shared
    assert labels.alternatives == 4
    assert labels.at(np.array([1, 2])).alternatives == 4


def test_how_many_wrong_answers_there_are() -> None:
    said = {Proposer(f"m{n}"): {"q": (word, False)} for n, word in enumerate(["x", "x", "y", "z"])}
    assert per_question(said, ["q"]).alternatives == 1 + (6 + 1) / (1 + 1), "of six pairs one is equal"
    right = {Proposer(f"m{n}"): {"q": ("x", True)} for n in range(3)}
    assert per_question(right, ["q"]).alternatives == 2, "nothing is known of wrong answers: right or wrong"


async def test_an_ungraded_label_is_neither_right_nor_wrong() -> None:
    said = {
        Proposer("x"): {"q1": ("Paris", True), "q2": ("Oslo", None), "q3": ("Bern", False)},
        Proposer("y"): {"q1": ("Paris", True), "q2": ("Oslo", None), "q3": ("Rome", True)},
    }
    labels = per_question(said, ["q1", "q2", "q3"])
    assert labels.accuracy.tolist() == [1 / 3, 2 / 3], "by which they are chosen: the least that it can be"
    oracle = VoteOracle(labels, np.ones(2))
    right = await one_team(oracle, [1], np.arange(3))
    assert right[[0, 2]].tolist() == [1, 1]
    assert np.isnan(right[1])
    assert np.isnan(labels.right_in([0])[1])


def test_what_nobody_knows_makes_no_weight_surer() -> None:
    """One question shows that x is right once: a weight that went by all ten would be that of nine successes more."""
    known = {Proposer("x"): {"q0": ("Paris", True)}, Proposer("y"): {"q0": ("Oslo", False)}}
    unheard = {f"q{n}": ("Bern", None) for n in range(1, 10)}
    alone, with_others = (
        VoteOracle.of(SelectionSplit(per_question(said, sorted(said[Proposer("x")]), set(unheard)))).weights.tolist()
        for said in (known, {proposer: {**own, **unheard} for proposer, own in known.items()})
    )
    assert alone == with_others


async def test_a_vote_for_what_is_right_in_part_is_worth_that_part_while_others_wait() -> None:
    """To q1 two of three say what is worth a half; to q2 nobody has graded y."""
    said = {
        Proposer("x"): {"q1": ("Lyon", False), "q2": ("Bern", True)},
        Proposer("y"): {"q1": ("Lyon", False), "q2": ("Rome", None)},
        Proposer("z"): {"q1": ("Oslo", False), "q2": ("Bern", True)},
    }
    labels = replace(per_question(said, ["q1", "q2"]), marks=np.array([[0.5, 1.0], [0.5, 0.0], [0.0, 1.0]]))
    by_heads = Majority().right(SelectionSplit(labels), labels)
    asked = await one_team(VoteOracle(labels, np.ones(3)), [0, 1, 2], np.arange(2))
    for right in (by_heads, asked):
        assert right[0] == 0.5
        assert np.isnan(right[1])


async def test_a_vote_that_labels_without_a_grade_could_turn_is_open() -> None:
    """x is right and y may be, in other words: then the two outvote z, who is wrong and has more to say than either."""
    said = {
        Proposer("x"): {"q1": ("Paris", True), "q2": ("Bern", True)},
        Proposer("y"): {"q1": ("Lutetia", None), "q2": ("Rome", None)},
        Proposer("z"): {"q1": ("Oslo", False), "q2": ("Bern", True)},
    }
    labels = per_question(said, ["q1", "q2"])
    right = await one_team(VoteOracle(labels, np.array([1.0, 1.0, 1.5])), [0, 1, 2], np.arange(2))
    assert np.isnan(right[0])
    assert right[1] == 1, "whatever y is"
    heads = Majority().right(SelectionSplit(labels), labels)
    assert np.isnan(heads[0]), "of a vote by heads too"


def test_where_nobody_knows_the_answer_nothing_is_learnt() -> None:
    names = [f"q{n}" for n in range(20)]
    said = {Proposer("x"): dict.fromkeys(names, "A"), Proposer("y"): dict.fromkeys(names, "B")}
    labels = label_matrix(said, {name: None if n < 5 else "AB"[n % 2] for n, name in enumerate(names)})
    assert (labels.truth == NOBODY_KNOWS).sum() == 5
    assert labels.graded.tolist() == [15, 15]
    assert labels.with_known_truth().size == 15
    assert np.isnan(labels.grades(labels.codes[0])).sum() == 5
    assert split_labels(labels, 10).selection.labels.ungraded is not None


async def test_an_ungraded_answer_that_lost_the_vote_leaves_nothing_open() -> None:
    """Two agree on what is right, and on the next question on what nobody has graded."""
    said = {
        "ann": {"q1": ("Paris", True), "q2": ("Oslo", None)},
        "bob": {"q1": ("Paris", True), "q2": ("Oslo", None)},
        "cat": {"q1": ("Rome", None), "q2": ("Bern", True)},
    }
    labels = per_question({Proposer(name, "", name): answers for name, answers in said.items()}, ["q1", "q2"])
    oracle = VoteOracle(labels, np.ones(3))
    right = await oracle.right(np.array([[0, 1, 2], [0, 1, 2]]), np.array([0, 1]))
    assert right[0] == 1.0
    assert np.isnan(right[1])
