"""Do 95 % intervals hold the truth in 95 of 100 cases, and are the p honest? A small version of bench/coverage.py."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from moot.stats.agreement import agreement
from moot.stats.bounded_mean import BoundedMean
from moot.stats.paired import cluster_bootstrap, compare, holm, mcnemar_exact, mean_difference
from moot.stats.proportion import wilson
from moot.stats.rank import spearman

REPETITIONS = 1_500
ALLOWED = 3 * math.sqrt(0.05 * 0.95 / REPETITIONS)
"""Three standard errors of a coverage that is right."""


@pytest.mark.parametrize("shares", [(0.3, 0.15, 0.1, 0.45), (0.25, 0.1, 0.1, 0.55), (0.35, 0.1, 0.03, 0.52)])
def test_paired_difference(shares: tuple[float, ...]) -> None:
    generator = np.random.default_rng(1)
    truth, held = shares[1] - shares[2], 0
    for cells in generator.multinomial(200, shares, size=REPETITIONS):
        both, first, second, _ = map(int, cells)
        pairs = [(1, 1)] * both + [(1, 0)] * first + [(0, 1)] * second + [(0, 0)] * (200 - both - first - second)
        found = compare(pairs).difference
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        held += found.low <= truth <= found.high
    assert held / REPETITIONS > 0.95 - ALLOWED
    if truth:  # where there is no difference the exact test leaves zero open oftener
        assert held / REPETITIONS < 0.95 + ALLOWED + 0.005


def test_pooled_over_captains() -> None:
    """Six captains of one question hang together; an interval over questions knows it."""
    generator = np.random.default_rng(2)
    repetitions, held, naive, truth = 250, 0, 0, _truth()
    for _ in range(repetitions):
        base = generator.beta(0.8, 1.2, size=200)
        after = np.clip(base + np.where(generator.random(200) < 0.5, 0.2, -0.2), 0, 1)
        means = generator.binomial(6, after) / 6 - generator.binomial(6, base) / 6
        found = mean_difference(means.tolist())
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        held += found.low <= truth <= found.high
        # What an interval would be that took 1,200 plays for 1,200 questions.
        spread = 1.96 * math.sqrt(2 * 0.25 / 1200) / 2
        naive += abs(means.mean() - truth) <= spread
    assert held / repetitions == pytest.approx(0.95, abs=3 * math.sqrt(0.05 * 0.95 / repetitions))
    assert naive < held


def _truth() -> float:
    """E[clip(x + 0.2) + clip(x - 0.2)] / 2 - E[x], x being Beta(0.8, 1.2)."""
    x = stats.beta.ppf((np.arange(4_000) + 0.5) / 4_000, 0.8, 1.2)
    return float(((np.clip(x + 0.2, 0, 1) + np.clip(x - 0.2, 0, 1)) / 2 - x).mean())


def test_p_is_uniform_or_conservative_without_a_difference() -> None:
    generator = np.random.default_rng(3)
    pairs = generator.multinomial(200, [0.1, 0.1, 0.8], size=5_000)
    exact = np.array([mcnemar_exact(int(b), int(c)) for b, c, _ in pairs])
    drawn = generator.integers(-3, 4, size=(500, 60)) / 3
    bounded = np.array([BoundedMean(values, [1.0] * 60).p(0.0) for values in drawn.tolist()])
    for level in (0.01, 0.05, 0.2, 0.5):
        assert (exact <= level).mean() <= level + 3 * math.sqrt(level / 5_000)
        assert (bounded <= level).mean() <= level + 3 * math.sqrt(level / 500)


def test_against_other_libraries_on_random_cases() -> None:
    generator = np.random.default_rng(4)
    for _ in range(40):
        a, b, c, d = (int(each) for each in generator.integers(0, 40, size=4))
        assert mcnemar_exact(b, c) == pytest.approx(mcnemar([[a, b], [c, d]], exact=True).pvalue)
        right, n = int(generator.integers(0, 30)), 30
        low, high = proportion_confint(right, n, method="wilson")
        assert (wilson(right, n).low, wilson(right, n).high) == (pytest.approx(low), pytest.approx(high))
        p = generator.random(int(generator.integers(1, 9))).tolist()
        assert holm(p) == pytest.approx(multipletests(p, method="holm")[1])
        one, other = generator.integers(0, 5, size=25), generator.integers(0, 5, size=25)
        found = spearman(one.tolist(), other.tolist())
        expected = stats.spearmanr(one, other)
        assert found is not None
        assert (found.estimate.value, found.p) == (pytest.approx(expected.statistic), pytest.approx(expected.pvalue))


def test_spearmans_interval_holds_the_truth() -> None:
    """Of a normal pair with r, rho is 6/π · asin(r/2)."""
    generator = np.random.default_rng(5)
    truth, held = 6 / math.pi * math.asin(0.5 / 2), 0
    for _ in range(800):
        pair = generator.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]], size=200)
        found = spearman(pair[:, 0].tolist(), pair[:, 1].tolist())
        assert found is not None
        assert found.estimate.low is not None
        assert found.estimate.high is not None
        held += found.estimate.low <= truth <= found.estimate.high
    assert held / 800 == pytest.approx(0.95, abs=3 * math.sqrt(0.05 * 0.95 / 800))


def test_kappas_interval_is_close_to_the_formula() -> None:
    generator = np.random.default_rng(6)
    first = generator.random(600) < 0.5
    second = np.where(generator.random(600) < 0.8, first, ~first)
    table = [
        [int((first & second).sum()), int((first & ~second).sum())],
        [int((~first & second).sum()), int((~first & ~second).sum())],
    ]
    expected = cohens_kappa(table)
    pairs = list(zip(first.tolist(), second.tolist(), strict=True))
    found = agreement(pairs)
    assert found.kappa == pytest.approx(expected.kappa)
    assert found.low == pytest.approx(expected.kappa_low, abs=0.02)
    assert found.high == pytest.approx(expected.kappa_upp, abs=0.02)
    clustered = agreement([pair for pair in pairs for _ in range(4)], [place for place in range(600) for _ in range(4)])
    assert clustered.low == pytest.approx(found.low, abs=0.01)  # four times the same is no more evidence
    assert agreement(pairs[:1]).low is None


def test_a_ratio_of_sums_against_scipys_bootstrap() -> None:
    generator = np.random.default_rng(7)
    bottoms = generator.integers(1, 5, size=120).astype(float)
    tops = generator.binomial(bottoms.astype(int), 0.3).astype(float)
    found = cluster_bootstrap(list(zip(tops.tolist(), bottoms.tolist(), strict=True)), resamples=10_000)
    theirs = stats.bootstrap(
        (tops, bottoms),
        lambda top, bottom, axis: top.sum(axis) / bottom.sum(axis),
        paired=True,
        vectorized=True,
        method="percentile",
        n_resamples=5_000,
        rng=np.random.default_rng(8),
    ).confidence_interval
    assert found is not None
    assert found.low == pytest.approx(theirs.low, abs=0.006)
    assert found.high == pytest.approx(theirs.high, abs=0.006)
