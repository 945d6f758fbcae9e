"""Two runs beside each other: which test their pairs get."""

from __future__ import annotations

from typing import Any

import pytest

from moot.report.side_by_side import Run, side_by_side


def run(right: dict[str, float], plays: int, **named: Any) -> Run:
    row = {"label": "vote", "captain": "ann", "team": "three", "outcomes": {"answered": plays}, "n": len(right)}
    titles = ("vote@ann", "vote@ann (three)")
    means = frozenset(titles if plays > len(right) else ())
    return Run({"experiment": "cup", "accuracy": [{**row, **named}]}, dict.fromkeys(titles, right), means)


@pytest.mark.parametrize(("plays", "test"), [(40, "mcnemar"), (80, "score")])
def test_a_run_with_repeats_gives_means(plays: int, test: str) -> None:
    before = {f"q{number}": float(number % 2) for number in range(40)}
    after = dict.fromkeys(before, 1.0)
    shown = side_by_side(run(before, 40), run(after, plays))
    assert [row["test"] for row in shown["comparisons"]] == [test, test]
    assert {row["difference"] for row in shown["comparisons"]} == {0.5}
