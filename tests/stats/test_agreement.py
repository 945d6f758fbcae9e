"""Agreement of two judges, against figures worked out by hand."""

from __future__ import annotations

import random

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


def test_judges_who_never_disagreed_may_yet() -> None:
    """The low end is Clopper and Pearson's, of no disagreement in n, where both words are equally frequent."""
    for n in (4, 40, 400):
        found = agreement([(place % 2 == 0,) * 2 for place in range(n)])
        assert (found.kappa, found.high) == (1.0, 1.0)
        assert found.low == pytest.approx(max(-1.0, 1 - 2 * (1 - 0.025 ** (1 / n))), abs=1e-6)


def test_a_kappa_near_one_lies_in_its_interval() -> None:
    """A bootstrap's low end lay above a truth of 0.96 in more than half of such worlds."""
    draw = random.Random("two judges who err in one case of fifty")
    truth, missed = 0.96, 0
    for _ in range(40):
        words = [draw.random() < 0.5 for _ in range(30)]
        found = agreement([(word, word ^ (draw.random() < 0.02)) for word in words])
        assert found.low is not None
        assert found.high is not None
        missed += not found.low <= truth <= found.high
    assert missed <= 4


def test_answers_to_one_question_are_no_more_than_one() -> None:
    pairs = [(place % 2 == 0, place % 20 != 0 and place % 2 == 0) for place in range(60)]
    once, often = agreement(pairs), agreement(pairs * 4, [*range(60)] * 4)
    assert (often.kappa, often.low, often.high) == pytest.approx((once.kappa, once.low, once.high))


def test_why_there_is_no_interval_is_said() -> None:
    assert "one and the same word" in (agreement([(True, True)] * 9).why or "")
    assert "one question" in (agreement([(True, True), (False, False)], ["q", "q"]).why or "")
    assert agreement([(True, True), (False, False)]).why is None
