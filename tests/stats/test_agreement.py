"""Agreement of two judges, against figures worked out by hand."""

from __future__ import annotations

import pytest

from moot.stats.agreement import agreement, cohen_kappa

TABLE = [(True, True)] * 20 + [(True, False)] * 5 + [(False, True)] * 10 + [(False, False)] * 15


def test_by_hand() -> None:
    # 35 of 50 agree. The first says right 25 times, the second 30: by chance (25 × 30 + 25 × 20) / 2500 = 0.5.
    assert cohen_kappa(TABLE) == pytest.approx((0.7 - 0.5) / (1 - 0.5))
    found = agreement(TABLE)
    assert (found.n, found.share, found.kappa) == (50, 0.7, pytest.approx(0.4))


def test_words_of_any_kind() -> None:
    # 3 of 4 agree; by chance (a: 2 × 1 + b: 1 × 2 + c: 1 × 1) / 16 = 5 / 16.
    pairs = [("a", "a"), ("a", "b"), ("b", "b"), ("c", "c")]
    assert cohen_kappa(pairs) == pytest.approx((3 / 4 - 5 / 16) / (1 - 5 / 16))


def test_the_ends() -> None:
    assert cohen_kappa([(True, True), (False, False)]) == 1.0
    assert cohen_kappa([(True, False), (False, True)]) == -1.0
    assert cohen_kappa([(True, True), (True, False)]) == 0.0


@pytest.mark.parametrize("pairs", [[], [(True, True)], [(False, False)] * 9])
def test_undefined(pairs: list[tuple[bool, bool]]) -> None:
    assert cohen_kappa(pairs) is None
    assert agreement(pairs).share == (1.0 if pairs else None)
