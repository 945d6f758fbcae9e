"""The label matrix: files, odd labels, splits; votes and aggregators."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from moot.decide.weights import log_odds
from moot.errors import FileError, UsageError
from moot.select import LabelMatrix, Proposer, SelectionSplit, TestSplit, VoteOracle, read_labels, split_labels
from moot.select.aggregate import CROWD, Crowd, DecisionTree, Majority, aggregators, inferred, too_many
from moot.select.labels import default_m, label_matrix, per_question
from moot.select.truth import NaiveBayes, dealt
from moot.select.voting import vote

ROWS = [
    {"question_id": 2, "model": "x", "pred": " b", "answer": "B"},
    {"question_id": 1, "model": "x", "pred": "A", "answer": "a"},
    {"question_id": 1, "model": "y", "pred": None, "answer": "A "},
]


def written(tmp_path: Path, rows: list[dict[str, object]], kind: str = "jsonl") -> Path:
    path = tmp_path / f"labels.{kind}"
    if kind == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        getattr(pl.DataFrame(rows), "write_parquet" if kind == "parquet" else "write_csv")(path)
    return path


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
def test_every_kind_of_file_gives_the_same_matrix(tmp_path: Path, kind: str) -> None:
    labels = read_labels(written(tmp_path, ROWS, kind))
    assert labels.proposers == (Proposer("x"), Proposer("y"))
    assert labels.questions == ("1", "2")
    assert labels.classes == ("a", "b")  # case and outer space are no difference
    assert labels.codes.tolist() == [[0, 1], [-1, -1]]
    assert labels.accuracy.tolist() == [1.0, 0.0]
    assert "2 labels are missing" in labels.remarks()[0]


def test_prompts_make_proposers_and_where_filters_rows(tmp_path: Path) -> None:
    rows = [
        {"question_id": q, "model": m, "prompt": p, "pred": "A", "answer": "A" if ok else "B", "same": ok}
        for q in "12"
        for m in "xy"
        for p in ("one", None)
        for ok in (True, False)
    ]
    path = written(tmp_path, rows)
    with pytest.raises(FileError, match="more than one answer"):
        read_labels(path)
    labels = read_labels(path, ["same"])
    assert [str(each) for each in labels.proposers] == ["x", "x/one", "y", "y/one"]
    assert [str(each) for each in read_labels(path, ["same", "model != x"]).proposers] == ["y", "y/one"]
    assert read_labels(path, ["same=false", "prompt=ONE"]).accuracy.tolist() == [0.0, 0.0]
    with pytest.raises(FileError, match=r"no column 'sane'.*same"):
        read_labels(path, ["sane"])
    with pytest.raises(FileError, match="no rows"):
        read_labels(path, ["model=z"])


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([{"question_id": 1, "model": "x", "answer": "A"}], "no column pred"),
        ([{"question_id": 1, "model": "x", "pred": "A", "answer": None}], "has no answer"),
        ([ROWS[1], {**ROWS[1], "pred": "B"}], "two different labels"),
        ([{**ROWS[1], "model": None}], "no model"),
    ],
)
def test_wrong_files_are_named(tmp_path: Path, rows: list[dict[str, object]], words: str) -> None:
    with pytest.raises(FileError, match=words):
        read_labels(written(tmp_path, rows))


def test_files_that_are_no_labels(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no such file"):
        read_labels(tmp_path / "none.csv")
    (tmp_path / "x.txt").write_text("?")
    with pytest.raises(FileError, match="expected a label matrix"):
        read_labels(tmp_path / "x.txt")
    (tmp_path / "x.jsonl").write_text("{not json")
    with pytest.raises(FileError, match=r"x\.jsonl:1: expected one JSON object a line"):
        read_labels(tmp_path / "x.jsonl")


def test_numbers_with_gaps_are_whole_numbers(tmp_path: Path) -> None:
    path = tmp_path / "labels.parquet"
    columns = {"question_id": [1, 2, 3], "model": ["x"] * 3, "pred": [1.0, None, float("nan")], "answer": [1, 2, 3]}
    pl.DataFrame(columns, strict=False).write_parquet(path)
    labels = read_labels(path)
    assert labels.classes == ("1", "2", "3")
    assert labels.codes.tolist() == [[0, -1, -1]]


def test_the_same_row_twice_is_one_voice(tmp_path: Path) -> None:
    assert read_labels(written(tmp_path, [*ROWS, ROWS[0]])).codes.tolist() == [[0, 1], [-1, -1]]


def small(questions: int = 10) -> LabelMatrix:
    names = [f"q{n}" for n in range(questions)]
    said = {Proposer("x"): dict.fromkeys(names, "A"), Proposer("y"): dict.fromkeys(names, "b")}
    return label_matrix(said, {name: "AB"[n % 2] for n, name in enumerate(names)})


def test_splits_are_seeded_whole_and_apart() -> None:
    labels = small(50)
    first, again = split_labels(labels, 20, seed=1), split_labels(labels, 20, seed=1)
    assert first.selection.labels.questions == again.selection.labels.questions
    assert isinstance(first.test, TestSplit)
    chosen, tested = set(first.selection.labels.questions), set(first.test.labels.questions)
    assert not chosen & tested
    assert chosen | tested == set(labels.questions)
    assert len(chosen) == 20
    other = split_labels(labels, 20, seed=1, number=1)
    assert set(other.selection.labels.questions) != chosen


@pytest.mark.parametrize(("m", "chosen"), [(1, 2), (2, 2), (3, 2), (4, 4), (5, 4), (7, 6), (9, 8)])
def test_of_two_splits_as_near_the_one_with_more_to_test_on_is_taken(m: int, chosen: int) -> None:
    names = [f"q{n}" for n in range(10)]
    labels = label_matrix({Proposer("x"): dict.fromkeys(names, "A")}, dict.fromkeys(names, "A"))
    pairs = replace(labels, clusters={name: str(n // 2) for n, name in enumerate(names)})
    halves = split_labels(pairs, m, seed=1)
    assert (halves.selection.labels.size, halves.test.labels.size) == (chosen, 10 - chosen)


@pytest.mark.parametrize("m", [0, 10, 11])
def test_a_split_needs_questions_on_both_sides(m: int) -> None:
    with pytest.raises(UsageError, match="from 1 to 9"):
        split_labels(small(), m)


def test_how_many_to_choose_on() -> None:
    assert [default_m(n) for n in (2, 10, 500, 12_000)] == [1, 8, 400, 400]
    with pytest.raises(UsageError, match="cannot be split"):
        split_labels(small(1))


def test_what_is_odd_is_said() -> None:
    names = ["q1", "q2"]
    same = label_matrix(
        {Proposer("x"): dict.fromkeys(names, "A"), Proposer("y"): dict.fromkeys(names, "A")}, {"q1": "A", "q2": "a"}
    )
    said = " ".join(same.remarks())
    assert "same right answer" in said
    assert "said the same to every question" in said
    nobody = label_matrix({Proposer("x"): {"q1": "A", "q2": None}}, {"q1": "A", "q2": "B"})
    assert "1 questions were answered by nobody" in " ".join(nobody.remarks())


def test_free_answers_have_codes_of_their_own_for_each_question() -> None:
    said = {
        Proposer("x"): {"q1": ("Paris", True), "q2": ("Oslo", False)},
        Proposer("y"): {"q1": ("paris!", True), "q2": ("OSLO", False)},
        Proposer("z"): {"q1": ("Rome", False), "q2": (None, False)},
    }
    labels = per_question(said, ["q1", "q2"])
    assert not labels.shared
    assert labels.right.tolist() == [[True, False], [True, False], [False, False]]
    assert labels.codes[0, 1] == labels.codes[1, 1] != labels.truth[1]
    assert labels.codes[2, 1] == -1


def test_weights() -> None:
    weights = log_odds(np.array([0.9, 0.1, 0.05, 1.0]), 100, 10)
    assert weights[0] == pytest.approx(np.log(9 * 0.9 / 0.1))
    assert weights[1] == pytest.approx(0, abs=1e-12)  # chance, with ten classes
    assert weights[2] == 0  # worse than chance has no voice
    assert np.isfinite(weights[3])
    assert log_odds(np.array([0.4]), 100, 10, two_class=True)[0] == 0
    assert log_odds(np.array([0.4]), 100, 10)[0] > 0


def votes(rows: list[list[int]], weights: list[float], *, classes: int = 3, seed: int = 0) -> list[int]:
    codes = np.array(rows, dtype=np.int16)
    labels = LabelMatrix(
        tuple(Proposer(f"m{n}") for n in range(len(rows))),
        tuple(f"q{n}" for n in range(codes.shape[1])),
        tuple("abc"[:classes]),
        codes,
        np.zeros(codes.shape[1], dtype=np.int16),
    )
    return vote(labels, range(len(rows)), np.array(weights), seed=seed).tolist()


def test_votes() -> None:
    assert votes([[0], [1], [1]], [1, 1, 1]) == [1]
    assert votes([[0], [1], [1]], [3, 1, 1]) == [0]
    assert votes([[0], [1], [1]], [0, 0, 0]) == [1], "where nobody has a weight, all count alike"
    assert votes([[-1], [-1]], [1, 1]) == [-1]
    assert votes([[-1], [2]], [5, 0]) == [2], "whoever speaks decides where nobody else does"
    ties = {votes([[0], [1]], [1, 1], seed=seed)[0] for seed in range(30)}
    assert ties == {0, 1}, "a tie is decided by lot"


async def test_the_vote_uses_weights_of_the_selection_on_the_test() -> None:
    halves = split_labels(small(20), 10, seed=2)
    oracle = VoteOracle.of(halves.selection, halves.test.labels)
    assert oracle.labels is halves.test.labels
    known = halves.selection.labels
    assert oracle.weights.tolist() == log_odds(known.accuracy, 10, 2).tolist()
    assert "0 calls" in oracle.words


def crowd() -> LabelMatrix:
    draw = np.random.default_rng(1)
    truth = draw.integers(3, size=150)
    able = np.repeat([0.8, 0.55, 0.4], 2)
    codes = np.where(draw.random((6, 150)) < able[:, None], truth, draw.integers(3, size=(6, 150))).astype(np.int16)
    codes[5, :20] = -1
    names = tuple(Proposer(f"m{n // 2}", f"p{n % 2}") for n in range(6))
    return LabelMatrix(names, tuple(f"q{n:03}" for n in range(150)), tuple("abc"), codes, truth.astype(np.int16))


def test_aggregators() -> None:
    halves = split_labels(crowd(), 75, seed=1)
    scores = {
        each.name: (each.predict(halves.selection, halves.test.labels) == halves.test.labels.truth).mean()
        for each in aggregators(crowd())
    }
    assert list(scores) == [
        "majority", "majority-weighted", "majority-best-prompt", "majority-best-prompt-weighted",
        "majority-best-model", "majority-best-model-weighted", "majority-two-class", "naive-bayes", "learnt",
        "decision-tree",
    ]  # fmt: skip
    assert all(score > 0.5 for score in scores.values())
    assert len(Majority("best-prompt").voters(halves.selection)) == 3
    assert len(Majority("best-model").voters(halves.selection)) == 2


def test_a_tree_on_one_class_is_a_constant() -> None:
    labels = crowd()
    flat = LabelMatrix(labels.proposers, labels.questions, labels.classes, labels.codes, np.zeros(150, dtype=np.int16))
    assert set(DecisionTree().predict(SelectionSplit(flat), flat)) == {0}


@pytest.mark.filterwarnings("error::DeprecationWarning")  # those of the library about its own code reach nobody
@pytest.mark.parametrize("name", ["dawid-skene", "one-coin-dawid-skene", "mmsr"])
def test_crowd_kit_infers_without_the_truth(name: str) -> None:
    pytest.importorskip("crowdkit")
    labels = crowd()
    said = Crowd(name).infer(labels)
    blind = LabelMatrix(labels.proposers, labels.questions, labels.classes, labels.codes, np.zeros(150, dtype=np.int16))
    assert Crowd(name).infer(blind).tolist() == said.tolist()
    assert (said == labels.truth).mean() > 0.6


def test_unknown_aggregators() -> None:
    assert "glad" in CROWD
    with pytest.raises(UsageError, match="dawid-skene"):
        Crowd("dawid")


def test_thousands_of_labels_are_counted_by_those_that_were_given() -> None:
    """A label that nobody gave, or that is never right, costs nothing: the tables do not grow with it."""
    generator = np.random.default_rng(4)
    truth = generator.integers(3_000, size=120).astype(np.int16)
    said = np.where(generator.random((5, 120)) < 0.6, truth, generator.integers(3_000, size=(5, 120))).astype(np.int16)
    said[0, :7] = -1
    said[:, 9] = -1
    proposers = tuple(Proposer(f"m{number}") for number in range(5))
    many = LabelMatrix(
        proposers, tuple(f"q{n:03}" for n in range(120)), tuple(f"{n:04}" for n in range(3_000)), said, truth
    )
    objective = NaiveBayes.of(many, dealt(SelectionSplit(many), 5))
    assert objective.likelihood.shape == (5, len(np.unique(truth)), 120)
    weights = np.array([0.3, 0.9, 0.5, 0.7, 0.4])
    winners = vote(many, range(5), weights)
    for place in range(120):
        votes: dict[int, float] = {}
        for label, weight in zip(said[:, place].tolist(), weights.tolist(), strict=True):
            votes[label] = votes.get(label, 0.0) + weight
        votes.pop(-1, None)
        assert winners[place] == (max(votes, key=votes.__getitem__) if votes else -1)
    assert [each.name for each in aggregators(many)] == [
        "majority", "majority-weighted", "majority-two-class", "naive-bayes", "learnt", "one-coin-dawid-skene",
    ]  # fmt: skip
    assert inferred(many) == {}
    assert "3,000 different labels: decision-tree and dawid-skene are left out" in (too_many(many) or "")
    assert too_many(small()) is None
