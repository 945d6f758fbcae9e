"""Options × questions: whatever order they are in, each value stands in the column of its question."""

from __future__ import annotations

import numpy as np
import pytest

from moot.stats.crossfit import folds
from moot.stats.digests import digests
from moot.stats.option_table import option_table
from moot.types import digest

ASKED = ["c", "a", "b"]


@pytest.mark.parametrize(
    "options",
    [
        [{"a": 1.0, "b": 0.5, "c": None}, {"a": 0.0, "b": 1.0, "c": 0.25}],
        [{"a": 1.0, "b": 0.5, "c": None}, {"c": 0.25, "a": 0.0, "b": 1.0}],
        [{"c": None, "a": 1.0, "b": 0.5}, {"c": 0.25, "a": 0.0, "b": 1.0}],
        [{"a": 1.0, "b": 0.5, "other": 1.0}, {"a": 0.0, "b": 1.0, "c": 0.25, "other": 1.0}],
    ],
    ids=["one order", "two orders", "as asked", "one lacks a question"],
)
def test_a_value_stands_in_the_column_of_its_question(options: list[dict[str, float | None]]) -> None:
    np.testing.assert_array_equal(option_table(options, ASKED), [[np.nan, 1.0, 0.5], [0.25, 0.0, 1.0]])


def test_a_question_that_none_has_is_nothing_of_any() -> None:
    found = option_table([{"a": 1.0}, {"a": 0.0}], ["x", "a"])
    np.testing.assert_array_equal(found, [[np.nan, 1.0], [np.nan, 0.0]])
    assert option_table([], ASKED).shape == (0, 3)


@pytest.mark.parametrize("seed", [7, 10**30], ids=["usual", "more than 64 bits"])
def test_many_digests_are_those_of_each(seed: int) -> None:
    names = ["q1", "вопрос", 'a "word"']
    assert list(digests([seed, "fold"], names)) == [digest([seed, "fold", name]) for name in names]


def test_folds_go_by_the_digest_of_the_question() -> None:
    questions = [f"q{number}" for number in range(7)]
    order = sorted(questions, key=lambda question: digest([3, "fold", question]))
    assert folds(questions, count=3, seed=3) == {question: order.index(question) % 3 for question in questions}
