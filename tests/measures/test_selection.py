"""The interval of a selector: over questions, however many splits have tested them."""

from __future__ import annotations

import numpy as np
import pytest

from moot.measures.selection.figures import method_rows
from moot.select.labels import LabelMatrix, Proposer
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
