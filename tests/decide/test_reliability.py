"""How far probabilities can be trusted: by hand on a few, and the interval of the error in worlds where it is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta

from moot.decide.reliability import Bin, binned, calibration_error, reliability


def test_by_hand() -> None:
    said = np.array([0.05, 0.05, 0.95, 0.95, 0.95, 0.95])
    right = np.array([0.0, 1.0, 1.0, 1.0, 1.0, 0.0])
    assert binned(said, right) == [Bin(pytest.approx(0.05), 0.5, 2), Bin(pytest.approx(0.95), 0.75, 4)]
    assert calibration_error(said, right) == pytest.approx((2 * 0.45 + 4 * 0.2) / 6)
    found = reliability(said, right, [str(place) for place in range(6)])
    assert found.brier == pytest.approx(((said - right) ** 2).mean())
    assert found.low <= found.error <= found.high


def test_one_is_in_the_last_bin_and_nothing_is_lost() -> None:
    said = np.array([0.0, 1.0, 0.1, 0.999])
    assert sum(each.n for each in binned(said, np.zeros(4))) == 4
    assert calibration_error(np.array([]), np.array([])) == 0.0


@pytest.mark.parametrize("shift", [0.0, 0.15])
def test_its_interval_holds_the_error_that_there_is(shift: float) -> None:
    """Of probabilities that are all too high by so much, the error is that much; of true ones it is none."""
    draw, worlds, held = np.random.default_rng(4), 60, 0
    for _ in range(worlds):
        said = draw.uniform(0.25, 0.95, 200)
        right = (draw.random(200) < said - shift).astype(float)
        found = reliability(said, right, [str(place) for place in range(200)])
        held += found.low <= shift <= found.high
    assert held >= 0.9 * worlds


@pytest.mark.parametrize("shift", [0.0, 0.1, 0.3])
def test_its_low_end_gives_chance_its_due(shift: float) -> None:
    """What is seen is no more than the error and what chance adds, so the low end is no higher than what that leaves."""
    draw = np.random.default_rng(8)
    for _ in range(20):
        said = draw.uniform(0.3, 0.95, 100)
        found = reliability(said, (draw.random(100) < said - shift).astype(float), [str(n) for n in range(100)])
        assert found.low <= max(0.0, found.error - found.by_chance)
        assert shift < 0.3 or 0.05 < found.low < 0.3


def test_what_chance_alone_would_show_is_told() -> None:
    draw = np.random.default_rng(5)
    said = draw.random(100)
    errors = [calibration_error(said, (draw.random(100) < said).astype(float)) for _ in range(200)]
    found = reliability(said, (draw.random(100) < said).astype(float), [str(place) for place in range(100)])
    assert found.by_chance == pytest.approx(np.mean(errors), rel=0.15)


def test_questions_that_belong_together_widen_it() -> None:
    draw = np.random.default_rng(6)
    said = np.repeat(draw.uniform(0.3, 0.9, 40), 5)
    right = np.repeat((draw.random(40) < said[::5]).astype(float), 5)
    apart = reliability(said, right, [str(place) for place in range(200)])
    together = reliability(said, right, [str(place // 5) for place in range(200)])
    assert together.brier_high - together.brier_low > 1.5 * (apart.brier_high - apart.brier_low)


def test_what_was_never_wrong_is_not_known_to_be_never_wrong() -> None:
    """Forty of forty go with a share of 91 %, and so with an error of nine points."""
    said = np.full(40, 0.999)
    found = reliability(said, np.ones(40), list(map(str, range(40))))
    least = beta.ppf(0.025, 40, 1)
    assert found.error == pytest.approx(0.001)
    assert found.high >= 0.95 * (0.999 - least)
    assert found.brier_high >= 0.95 * (1 - least)
    assert (found.low, found.brier_low) == (0.0, pytest.approx(0.0, abs=1e-5))


def test_nearly_always_right_it_holds_the_error_that_there_is() -> None:
    draw = np.random.default_rng(5)
    for share in (0.95, 0.97, 0.99):
        for said in (1.0, share):
            missed = 0
            for _ in range(60):
                right = (draw.random(50) < share).astype(float)
                found = reliability(np.full(50, said), right, list(map(str, range(50))))
                missed += not found.low - 1e-9 <= abs(said - share) <= found.high
            assert missed <= 5


def test_it_does_not_hang_on_where_a_question_stands_nor_on_what_it_is_called() -> None:
    draw = np.random.default_rng(4)
    said = draw.random(60)
    right = (draw.random(60) < said).astype(float)
    order = draw.permutation(60)
    here = reliability(said, right, [f"q{place // 2}" for place in range(60)])
    there = reliability(said[order], right[order], [f"z{99 - place // 2}" for place in order])
    for name in ("brier", "brier_low", "brier_high", "error", "low", "high", "by_chance"):
        assert getattr(here, name) == pytest.approx(getattr(there, name), abs=1e-9), name
