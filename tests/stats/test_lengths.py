"""Sequences that belong together, one value to each of the other: where one is shorter nothing is left out in silence."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from moot.stats.agreement import agreement, kappa_interval
from moot.stats.proportion import worth_of
from moot.stats.rank import permuted_p, spearman, spearman_over_questions

PAIRS = [("yes", "no"), ("no", "no"), ("yes", "yes")]


@pytest.mark.parametrize(
    "figure",
    [
        lambda: agreement(PAIRS, ["q0", "q1"]),
        lambda: agreement(PAIRS, ["q0", "q1", "q2", "q3"]),
        lambda: kappa_interval(PAIRS, ["q0", "q1"]),
        lambda: worth_of([0.5, -0.5], [1.0, 1.0, 1.0], 0.5),
        lambda: worth_of([0.5, -0.5, 0.0], [1.0, 1.0], 0.5),
        lambda: spearman([1.0, 2.0, 3.0], [1.0, 3.0]),
        lambda: spearman([1.0, 2.0], [1.0, 3.0, 2.0]),
        lambda: permuted_p([1.0, 2.0, 3.0], [1.0, 3.0]),
        lambda: spearman_over_questions({"q0": (1.0, 2.0), "q1": (1.0,)}),  # type: ignore[dict-item]
    ],
)
def test_sequences_of_different_length_are_refused(figure: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"zip\(\)|shape|mismatch|dimension"):
        figure()
