"""Figures as they are written: exact texts."""

from __future__ import annotations

import pytest

from moot.measures.accuracy.sections import chosen_on_words
from moot.measures.numbers import whisker


@pytest.mark.parametrize(
    ("low", "value", "high", "line"),
    [
        (0.0, 0.5, 1.0, "────●────"),
        (0.25, 0.5, 0.5, "··──●····"),
        (0.0, 0.0, 0.125, "●─·······"),
        (0.875, 1.0, 1.0, "·······─●"),
        (None, 0.5, None, ""),
    ],
)
def test_an_interval_is_drawn_from_nothing_to_all(
    low: float | None, value: float, high: float | None, line: str
) -> None:
    assert whisker({"low": low, "value": value, "high": high}, 9) == line


def test_on_how_many_questions_a_row_was_chosen() -> None:
    rows = [
        {"label": "vote"},
        {"label": "first", "chosen_on": 0},
        {"label": "some", "chosen_on": 200},
        {"label": "all", "chosen_on": 1_500, "why": "nothing is left"},
    ]
    assert [*chosen_on_words({"accuracy": rows, "questions": 1_500})] == [
        "some: 200 of 1,500 questions are those that it was chosen on; its figures are over the other 1,300.",
        "all: nothing is left.",
    ]
    assert [*chosen_on_words({})] == []
