"""Figures as they are written: exact texts."""

from __future__ import annotations

import pytest

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
