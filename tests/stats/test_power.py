"""Power and sample size, against SciPy's binomial, against play, and against impossible wishes."""

from __future__ import annotations

import math

import pytest

from moot.errors import UsageError
from moot.stats.power import (
    detectable,
    independent_discordance,
    most_discordance,
    needed,
    power,
    simulated_power,
)


def slow_power(n: int, gain: float, discordance: float, alpha: float) -> float:
    from scipy.stats import binom, binomtest  # slow to import

    better = (discordance + gain) / (2 * discordance)
    total = 0.0
    for pairs in range(n + 1):
        found = sum(
            binom.pmf(k, pairs, better) for k in range(pairs + 1) if pairs and binomtest(k, pairs, 0.5).pvalue <= alpha
        )
        total += binom.pmf(pairs, n, discordance) * found
    return float(total)


@pytest.mark.parametrize(("n", "gain", "discordance"), [(20, 0.3, 0.4), (30, 0.2, 0.2), (25, 0.1, 0.9), (7, 0.5, 0.5)])
def test_power_is_the_sum_over_all_outcomes(n: int, gain: float, discordance: float) -> None:
    assert power(n, gain, discordance) == pytest.approx(slow_power(n, gain, discordance, 0.05), abs=1e-6)
    assert power(n, gain, discordance, 0.2) == pytest.approx(slow_power(n, gain, discordance, 0.2), abs=1e-6)


def test_without_a_gain_the_power_is_at_most_alpha() -> None:
    assert power(400, 0.0, 0.3) <= 0.05


@pytest.mark.parametrize(
    ("accuracy", "gain", "discordance"),
    [(0.4, 0.03, 0.2), (0.4, 0.05, 0.1), (0.7, -0.08, 0.3), (0.4, 0.2, 0.2), (0.2, 0.1, 0.26)],
)
def test_the_promised_power_is_reached(accuracy: float, gain: float, discordance: float) -> None:
    n = needed(accuracy, gain, discordance)
    assert n is not None
    assert simulated_power(n, gain, discordance, repetitions=40_000) == pytest.approx(
        power(n, gain, discordance), abs=0.01
    )
    assert power(n, gain, discordance) >= 0.8
    assert power(math.floor(0.9 * n), gain, discordance) < 0.8


def test_more_discordance_needs_more_questions() -> None:
    counts = [needed(0.4, 0.03, share) or 0 for share in (0.05, 0.1, 0.2, 0.4)]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1] / 5


def test_a_gain_that_would_take_too_many() -> None:
    assert needed(0.5, 0.0001, 0.5) is None


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((0.4, 0.3, 0.2), "expected 0.3 or more"),
        ((0.4, -0.3, 0.2), "expected 0.3 or more"),
        ((0.95, 0.04, 0.2), "at most 0.06"),
        ((0.4, 0.7, 0.8), "no accuracy"),
        ((0.4, -0.5, 0.8), "no accuracy"),
        ((1.4, 0.1, 0.2), "between 0 and 1"),
        ((-0.1, 0.2, 0.2), "between 0 and 1"),
        ((0.5, 1.1, 0.2), "between -1 and 1"),
        ((0.4, 0.1, 1.1), "up to 1"),
        ((0.4, 0.0, 0.2), "not 0"),
        ((0.4, 0.1, 0.0), "above 0"),
        ((0.4, 0.1, 0.2, 1.0), "between 0 and 1"),
    ],
)
def test_impossible_wishes(arguments: tuple[float, ...], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        needed(*arguments)


@pytest.mark.parametrize(
    ("accuracy", "gain"), [(0.25, -0.25), (0.75, 0.25), (0.0, 0.5), (1.0, -0.5), (0.0, 1.0), (1.0, -1.0)]
)
def test_none_or_all_may_be_right(accuracy: float, gain: float) -> None:
    """How many are needed hangs on the gain and on how many differ, not on where the accuracies lie."""
    n = needed(accuracy, gain, abs(gain))
    assert n is not None
    assert n == needed(0.5 - gain / 2, gain, abs(gain))


def test_discordance_of_strangers_and_its_limit() -> None:
    assert independent_discordance(0.4, 0.03) == pytest.approx(0.4 * 0.57 + 0.43 * 0.6)
    assert most_discordance(0.4, 0.1) == pytest.approx(0.9)
    assert most_discordance(0.95, 0.04) == pytest.approx(0.06)


def test_detectable_is_the_other_way_round() -> None:
    """From n and discordance alone: what was needed for a gain can show that gain, and hardly a smaller one."""
    n = needed(0.4, 0.05, 0.2)
    assert n is not None
    assert detectable(n, 0.2) == pytest.approx(0.05, abs=0.0005)
    assert detectable(20, 0.1) is None
    assert detectable(572, 0.0) is None
    assert detectable(1, 0.5) is None
    assert (detectable(572, 0.2) or 0) > (detectable(5_720, 0.2) or 1)
