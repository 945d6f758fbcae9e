"""Distributions beside SciPy's, over wide ranges and out to chances of 1e-300; roots where they are known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from moot.stats import binomial
from moot.stats.distributions import (
    beta_cdf,
    beta_inverse,
    binomial_at_least,
    normal_cdf,
    normal_cdfs,
    normal_inverse,
    student_cdf,
    student_inverse,
)
from moot.stats.roots import root

DIGITS = 1e-12
LEAST = 1e-300

sizes = st.floats(-0.3, 6).map(lambda power: 10**power)
chances = st.floats(-300, -1e-3).map(lambda power: 10**power)
away = st.floats(-37, 37)


def near(found: float, expected: float, digits: float = DIGITS) -> bool:
    return math.isclose(found, expected, rel_tol=digits, abs_tol=LEAST)


@given(st.floats(-37.5, 37.5))
def test_normal(x: float) -> None:
    assert near(normal_cdf(x), float(special.ndtr(x)))


@given(chances)
def test_normal_inverse(p: float) -> None:
    assert near(normal_inverse(p), float(special.ndtri(p)))
    assert near(normal_inverse(1 - p), float(special.ndtri(1 - p)))


def test_normal_at_the_ends() -> None:
    assert [normal_inverse(0), normal_inverse(0.5), normal_inverse(1)] == [-math.inf, 0, math.inf]
    assert math.isnan(normal_inverse(math.nan))
    assert normal_cdfs(np.array([-math.inf, 0.0, math.inf])).tolist() == [0, 0.5, 1]


def digits_of_scipy(a: float, b: float) -> float:
    """Beside fifty digits SciPy's incomplete beta was off by up to 3e-12 where both are large; these by 3e-13 at most."""
    return 5e-12 if min(a, b) > 1e4 else DIGITS


@given(sizes, sizes, away)
def test_beta(a: float, b: float, deviations: float) -> None:
    mean = a / (a + b)
    x = mean + deviations * math.sqrt(mean * (1 - mean) / (a + b + 1))
    x = x if 0 < x < 1 else mean / (1 + deviations**4)
    assert near(beta_cdf(a, b, x), float(special.betainc(a, b, x)), digits_of_scipy(a, b))
    assert 0 <= beta_cdf(a, b, x) <= 1


@given(sizes, sizes, chances)
def test_beta_inverse_there_and_back(a: float, b: float, p: float) -> None:
    """Beside itself: SciPy's is off in the fourth digit here and there. A digit of x is a · b / (a + b) · z of the chance."""
    x = beta_inverse(a, b, p)
    if x < 1e-290 or x > 1 - 1e-3:
        return
    step = 4 * math.ulp(x)
    assert beta_cdf(a, b, x - step) * (1 - DIGITS) <= p <= beta_cdf(a, b, x + step) * (1 + DIGITS)


@pytest.mark.parametrize(("a", "b", "p"), [(59, 31, 0.01), (0.7, 20.3, 1e-6), (5_000, 70_000, 0.4), (3, 1, 0.999)])
def test_beta_inverse(a: float, b: float, p: float) -> None:
    assert near(beta_inverse(a, b, p), float(special.betaincinv(a, b, p)))


@given(st.floats(0, 5).map(lambda power: 10**power), st.floats(1e-3, 37))
def test_student(df: float, t: float) -> None:
    assert near(student_cdf(df, -t), float(special.stdtr(df, -t)))
    assert near(student_cdf(df, t), float(special.stdtr(df, t)))
    if student_cdf(df, -t) > LEAST:
        back = student_inverse(df, student_cdf(df, -t))
        assert near(back, -t, 1e-11 if t < 0.1 else DIGITS)
        assert near(student_inverse(df, 0.1), float(special.stdtrit(df, 0.1)))
        assert student_inverse(df, 0.9) == pytest.approx(-student_inverse(df, 0.1), rel=1e-14)


def test_student_at_the_ends() -> None:
    assert [student_inverse(7, 0), student_inverse(7, 0.5), student_inverse(7, 1)] == [-math.inf, 0, math.inf]
    assert [student_cdf(7, -math.inf), student_cdf(7, 0), student_cdf(7, math.inf)] == [0, 0.5, 1]


whole = st.floats(0, 6).map(lambda power: round(10**power))


@given(whole, away, st.one_of(st.just(0.5), st.floats(-6, -1e-3).map(lambda power: 10**power)))
def test_binomial(n: int, deviations: float, p: float) -> None:
    middle = n * p + deviations * math.sqrt(n * p * (1 - p))
    k = np.unique(np.clip(np.round([middle, middle + 1, n * p, 0, n - 1]), 0, n - 1))
    for number, found in zip(k, binomial.at_most(k, float(n), p), strict=True):
        expected = float(special.betainc(n - number, number + 1, 1 - p))
        assert near(found, expected, max(1e-11, digits_of_scipy(n - number, number + 1)))  # a sum of thousands of them
    assert near(binomial_at_least(int(k[0]), n, p), 1.0 if k[0] == 0 else float(special.bdtrc(k[0] - 1, n, p)), 5e-12)


def test_binomial_of_few_is_the_sum_of_its_parts() -> None:
    for n in (1, 2, 5, 13):
        parts = [math.comb(n, k) * 0.3**k * 0.7 ** (n - k) for k in range(n + 1)]
        k = np.arange(-1.0, n + 2)
        expected = [0, *(math.fsum(parts[: place + 1]) for place in range(n + 1)), 1]
        assert binomial.at_most(k, float(n), 0.3) == pytest.approx(expected, rel=DIGITS)
        assert [binomial_at_least(place, n, 0.3) for place in (0, n, n + 1)] == pytest.approx([1, parts[-1], 0])


def test_binomial_that_is_certain() -> None:
    k, p = np.array([-1.0, 0.0, 2.0, 3.0]), np.array([0.0, 1.0])
    assert [binomial.at_most(k, 3.0, each).tolist() for each in p] == [[0, 1, 1, 1], [0, 0, 0, 1]]


@pytest.mark.parametrize(
    ("function", "low", "high", "expected"),
    [
        (lambda x: x * x - 2, 0.0, 2.0, math.sqrt(2)),
        (lambda x: 2 - x * x, 0.0, 2.0, math.sqrt(2)),
        (lambda x: math.exp(50 * x) - 1e-9, -1.0, 1.0, math.log(1e-9) / 50),
        (lambda x: (x - 0.3) ** 9, 0.0, 1.0, 0.3),
        (lambda x: 1.0 if x > 0.7 else -1.0, 0.0, 1.0, 0.7),
        (lambda x: math.copysign(math.inf, x - 0.7), 0.0, 1.0, 0.7),
        (lambda x: x - 1, 0.0, 1.0, 1.0),
    ],
)
def test_root(function: object, low: float, high: float, expected: float) -> None:
    tolerance = 1e-2 if expected == 0.3 else 2e-12
    assert root(function, low, high) == pytest.approx(expected, abs=tolerance)  # type: ignore[arg-type]
    assert root(function, high, low) == pytest.approx(expected, abs=tolerance)  # type: ignore[arg-type]


def test_root_in_few_steps() -> None:
    """No more than SciPy's, which a limit of an interval was found by."""
    from scipy.optimize import brentq

    curves = [lambda x: math.atan(8 * x) - 0.7, lambda x: normal_inverse(0.5 + x / 3) - 0.4, lambda x: x**3 - 0.2]
    ours, theirs = [], []
    for curve in curves:
        seen: list[float] = []
        found = root(lambda x, curve=curve, seen=seen: seen.append(x) or curve(x), -0.9, 1.0, xtol=1e-13)  # type: ignore[misc]
        exact, told = brentq(curve, -0.9, 1.0, xtol=1e-13, rtol=1e-13, full_output=True)
        assert found == pytest.approx(exact, abs=2e-13)
        ours.append(len(seen))
        theirs.append(told.function_calls)
    assert sum(ours) <= sum(theirs) + 3


def test_root_wants_two_signs() -> None:
    with pytest.raises(ValueError, match="one sign at both ends"):
        root(lambda x: x * x + 1, -1.0, 1.0)
