"""The interval of a selector: over questions, however many splits have tested them."""

from __future__ import annotations

import numpy as np
import pytest

from moot.measures.selection.figures import method_rows
from moot.measures.selection.sections import selection_sections
from moot.select.labels import LabelMatrix, Proposer, SelectionSplit
from moot.select.oracle import AskedOracle
from moot.select.registry import selector
from moot.select.trial import Trial
from moot.stats.proportion import wilson

SIZE = 400


def matrix() -> LabelMatrix:
    truth = np.zeros(SIZE, dtype=np.int32)
    ids = tuple(f"q{number}" for number in range(SIZE))
    return LabelMatrix((Proposer("ann"),), ids, ("A", "B"), truth[None, :], truth)


def trials(right: np.ndarray) -> list[Trial]:
    """A row a split, every question tested in each."""
    every = np.arange(SIZE)
    return [
        Trial("top", 1, split, (0,), 0, (), None, values.astype(float), every, np.zeros(SIZE))
        for split, values in enumerate(right)
    ]


def test_one_split_is_wilsons() -> None:
    right = np.random.default_rng(1).random((1, SIZE)) < 0.6
    (row,) = method_rows(matrix(), trials(right))
    expected = wilson(int(right.sum()), SIZE)
    assert (row["test_accuracy"], row["low"], row["high"], row["n"]) == (
        pytest.approx(expected.value),
        expected.low,
        expected.high,
        SIZE,
    )


def test_the_same_question_in_twenty_splits_is_one_question() -> None:
    once = np.random.default_rng(2).random(SIZE) < 0.6
    (row,) = method_rows(matrix(), trials(np.tile(once, (20, 1))))
    expected = wilson(int(once.sum()), SIZE)
    assert expected.low is not None
    assert expected.high is not None
    assert row["n"] == SIZE
    assert (row["low"], row["high"]) == pytest.approx((expected.low, expected.high), abs=0.01)


def test_questions_that_differ_from_split_to_split_are_means() -> None:
    right = np.random.default_rng(3).random((20, SIZE)) < 0.6
    (row,) = method_rows(matrix(), trials(right))
    means = right.mean(axis=0)
    half = 1.96 * means.std(ddof=1) / SIZE**0.5
    assert (row["low"], row["high"]) == pytest.approx((means.mean() - half, means.mean() + half), abs=0.003)


def test_what_nobody_could_grade_is_not_wrong() -> None:
    """Of 400 words 20 are ungraded: the figure is over 380, the interval holds whatever they are, the bounds are over all."""
    right = (np.random.default_rng(4).random((1, SIZE)) < 0.6).astype(float)
    right[0, :20] = np.nan
    (row,) = method_rows(matrix(), trials(right))
    graded = right[0, 20:]
    expected = wilson(int(graded.sum()), 380)
    assert (row["test_accuracy"], row["n"], row["ungraded"]) == (pytest.approx(expected.value), 380, 20)
    ends = wilson(int(graded.sum()), SIZE), wilson(int(graded.sum()) + 20, SIZE)
    assert (row["low"], row["high"]) == (pytest.approx(ends[0].low), pytest.approx(ends[1].high))
    assert row["bounds"] == {"low": graded.sum() / SIZE, "high": (graded.sum() + 20) / SIZE}
    assert "why" not in row
    (section, *_) = selection_sections(
        [{**row, "accuracies": {"ann": 0.6}}], oracle="asked", m=10, splits=1, questions=SIZE
    )
    assert any("20 of the ensemble's words are ungraded" in words for words in section.words)


def test_what_the_rest_would_flatter_has_no_figure() -> None:
    """What is graded without the judge is right by construction: with many that wait for it there are bounds alone."""
    right = np.ones((1, SIZE))
    right[0, :21] = np.nan
    (row,) = method_rows(matrix(), trials(right))
    assert (row["test_accuracy"], row["low"], row["high"], row["n"]) == (None, None, None, 0)
    assert row["bounds"] == {"low": pytest.approx(379 / SIZE), "high": 1.0}
    assert "21 of 400" in row["why"]


def test_where_nothing_is_graded_there_is_no_figure() -> None:
    (row,) = method_rows(matrix(), trials(np.full((1, SIZE), np.nan)))
    assert (row["test_accuracy"], row["low"], row["high"], row["n"]) == (None, None, None, 0)
    assert row["bounds"] == {"low": 0.0, "high": 1.0}
    assert "grade" in row["why"]


def test_with_everything_graded_nothing_is_said_of_it() -> None:
    (row,) = method_rows(matrix(), trials(np.ones((1, SIZE))))
    assert not {"ungraded", "bounds", "why"} & row.keys()


@pytest.mark.parametrize("name", ["greedy", "model-first", "oracle-surrogate"])
async def test_a_choice_takes_what_is_ungraded_as_not_right(name: str) -> None:
    """bob is right wherever it is graded, which is what a match does; ann half the time, and all of hers is graded."""
    every = np.zeros(40, dtype=np.int32)
    ids = tuple(f"q{number}" for number in range(40))
    labels = LabelMatrix((Proposer("ann"), Proposer("bob")), ids, ("A", "B"), np.array([every, every]), every)

    async def ask(team: tuple[Proposer, ...], question: str) -> float:
        number = int(question[1:])
        if team[-1].model == "ann":
            return float(number % 2)
        return 1.0 if number % 4 == 0 else float("nan")

    chosen = await selector(name).select(SelectionSplit(labels, 7), 1, AskedOracle(labels, ask))
    if name != "oracle-surrogate":  # which goes by the number of right labels alone
        assert chosen.team == (0,)
    assert len(chosen.team) == 1
