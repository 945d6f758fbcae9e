"""A claim about the best of many: how often it is false, that interval and p agree, and what it never costs."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import beta, binomtest, norm

from moot.stats.choice import (
    ALPHA,
    Standing,
    alike_in_differences,
    chosen_interval,
    claim,
    highest,
    luck_of,
    standing,
    standings,
    told_apart,
)
from moot.stats.proportion import wilson
from moot.stats.score import BoundedSums, Counts, differences, tango
from moot.stats.waiting_choice import Tables, claim_whatever

WORLDS = 200
ALLOWED = ALPHA + 3 * math.sqrt(ALPHA * (1 - ALPHA) / WORLDS)
"""Three standard errors above 2.5 %: what a valid rule stays below, and a choice that pays nothing does not."""
OPTIONS = 12


def same_repairs(generator: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Options repair the same errors of the best player and make different ones, as many: none is better than it."""
    first = generator.random(n) < 0.5
    repaired, spoilt = generator.random(n) < 0.5, generator.random((OPTIONS, n)) < 0.5
    others = generator.random((2, n)) < 0.2
    return np.where(first, ~spoilt, repaired).astype(float), np.vstack([first, others]).astype(float)


def all_equal(generator: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Players and options are right on half of the questions, what is hard being hard for all."""
    hard = generator.standard_normal(n)
    right = (hard + generator.standard_normal((OPTIONS + 3, n)) < 0).astype(float)
    return right[:OPTIONS], right[OPTIONS:]


@pytest.mark.parametrize("n", [30, 100])
@pytest.mark.parametrize("world", [same_repairs, all_equal])
def test_nothing_is_better_and_nothing_is_claimed(world: object, n: int) -> None:
    generator = np.random.default_rng(5)
    claims = unpaid = 0
    for _ in range(WORLDS):
        options, singles = world(generator, n)  # type: ignore[operator]
        found = claim(options, singles, draws=1_000)
        assert found is not None
        claims += found.more
        alone = claim(options[[found.option]], singles[[0]])
        unpaid += alone is not None and alone.more
    assert claims / WORLDS <= ALLOWED
    assert unpaid / WORLDS > ALLOWED, "the worlds are such that a choice that pays nothing shows"


def test_one_option_against_a_near_best_single() -> None:
    """Declared beforehand, so nothing is paid for options; still every single has to be beaten."""
    generator = np.random.default_rng(6)
    claims = 0
    for _ in range(WORLDS):
        options, singles = all_equal(generator, 60)
        found = claim(options[:1], singles)
        claims += found is not None and found.more
    assert claims / WORLDS <= ALLOWED


def test_interval_and_p_agree() -> None:
    for better in range(12):
        for worse in range(12):
            pairs = Counts(better, worse, 40)
            for z in (1.9600, 2.6, 3.3):
                assert (pairs.low(z) > 0) == (pairs.above > z)
                assert (pairs.high(z) < 0) == (pairs.below > z)
                assert -1 <= pairs.low(z) <= pairs.mean <= pairs.high(z) <= 1
    generator = np.random.default_rng(1)
    for _ in range(100):
        sums = differences(generator.integers(-3, 5, size=30) / 3, pooled=True)
        assert (sums.low(2.5) > 0) == (sums.above > 2.5)
        assert (sums.high(2.5) < 0) == (sums.below > 2.5)
    for _ in range(50):
        options, singles = same_repairs(generator, 60)
        options[:, :6] = generator.random() < 0.5
        found = claim(options, singles, draws=2_000)
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        assert (not found.low <= 0 <= found.high) == (found.p <= 2 * ALPHA)


def test_one_option_is_the_exact_test_and_many_never_cost_more_than_bonferroni() -> None:
    generator = np.random.default_rng(2)
    for _ in range(30):
        options, singles = same_repairs(generator, 50)
        one = claim(options[:1], singles[:1])
        assert one is not None
        counts = one.against[0].differences  # type: ignore[union-attr]
        assert isinstance(counts, Counts)
        exact = binomtest(counts.better, counts.better + counts.worse, alternative="greater").pvalue
        assert one.against[0].more == pytest.approx(exact)  # type: ignore[union-attr]
        many = claim(options, singles[:1], option=0, draws=500)
        assert many is not None
        assert exact <= many.against[0].more <= min(1.0, OPTIONS * exact) + 1e-12  # type: ignore[union-attr]
        assert one.low is not None
        assert many.low is not None
        assert many.low <= one.low
        luck = luck_of(alike_in_differences(options - singles[0]), draws=500)
        assert norm.isf(ALPHA) <= luck.point() <= norm.isf(ALPHA / OPTIONS)


@pytest.mark.parametrize("ungraded", [0, 2])
@pytest.mark.parametrize("count", [1, 3])
def test_the_upper_end_pays_for_each_single_once_and_for_none_that_is_not_there(count: int, ungraded: int) -> None:
    options, singles = all_equal(np.random.default_rng(8), 60)
    beside = np.vstack([singles[:count], np.full((ungraded, 60), np.nan)])
    found = claim(options[:1], beside)
    assert found is not None
    assert [versus is None for versus in found.against] == [False] * count + [True] * ungraded
    for versus in found.against[:count]:
        assert versus is not None
        assert versus.high == pytest.approx(versus.differences.high(norm.isf(ALPHA / count)))
        assert versus.low == pytest.approx(versus.differences.low(norm.isf(ALPHA)))


def test_copies_of_one_option_cost_nothing() -> None:
    generator = np.random.default_rng(3)
    options, singles = same_repairs(generator, 80)
    one = claim(options[:1], singles)
    copies = claim(np.repeat(options[:1], 20, axis=0), singles)
    assert one is not None
    assert copies is not None
    assert copies.p == pytest.approx(one.p, abs=0.01)
    assert copies.low == pytest.approx(one.low, abs=0.01)


def test_the_order_of_options_questions_and_singles_changes_nothing() -> None:
    generator = np.random.default_rng(4)
    options, singles = same_repairs(generator, 60)
    options[3] = np.maximum(options[3], generator.random(60) < 0.5)
    found = claim(options, singles)
    turned = claim(options[::-1, ::-1], singles[::-1, ::-1])
    assert found is not None
    assert turned is not None
    assert turned.option == OPTIONS - 1 - found.option
    for key in ("difference", "low", "high", "p"):
        assert getattr(found, key) == pytest.approx(getattr(turned, key), abs=1e-9)


def test_tango() -> None:
    """At its ends the score is z, the most likely shares at that difference searched for by brute force."""
    for better, worse, n in ((10, 2, 50), (0, 1, 44), (5, 5, 30), (12, 1, 100)):
        for end, sign in zip(tango(better, worse, n, 1.96), (1, -1), strict=True):
            second = np.linspace(max(0.0, -end), (1 - end) / 2, 200_001)[1:-1]
            likely = better * np.log(second + end) if better else 0.0
            likely = likely + worse * np.log(second) + (n - better - worse) * np.log(1 - end - 2 * second)
            best = second[np.argmax(likely)]
            score = (better - worse - n * end) / math.sqrt(n * (2 * best + end * (1 - end)))
            assert score == pytest.approx(sign * 1.96, abs=5e-3)
    z = 1.96
    assert tango(0, 0, 30, z) == pytest.approx((-(z**2) / (30 + z**2), z**2 / (30 + z**2)))
    assert tango(30, 0, 30, z)[1] == pytest.approx(1.0)
    assert tango(7, 3, 50, z)[0] == pytest.approx(-tango(3, 7, 50, z)[1])


def test_means_and_clusters_are_no_counts() -> None:
    assert isinstance(differences([1.0, 0.0, -1.0]), Counts)
    assert isinstance(differences([1.0, 0.0, -1.0], pooled=True), BoundedSums)
    clustered = differences([1.0, 0.0, -1.0, 1.0], ["a", "a", "b", "b"])
    assert isinstance(clustered, BoundedSums)
    assert (clustered.bounded.sums, clustered.bounded.sizes, clustered.n) == ([1.0, 0.0], [2.0, 2.0], 4)
    assert clustered.mean == 0.25
    assert isinstance(differences([1.0, 0.0], ["a", "b"]), Counts), "clusters of one are questions"


def test_clusters_of_alike_questions_are_worth_one_each() -> None:
    generator = np.random.default_rng(7)
    options, singles = same_repairs(generator, 40)
    options[0, :8] = 1.0
    one = claim(options[:1], singles[:1], pooled=True)
    tripled = claim(
        np.repeat(options[:1], 3, axis=1), np.repeat(singles[:1], 3, axis=1), clusters=np.repeat(range(40), 3).tolist()
    )
    assert one is not None
    assert tripled is not None
    assert (tripled.p, tripled.low) == pytest.approx((one.p, one.low))


def test_a_rare_great_loss_that_was_not_seen_yet() -> None:
    """Means over repeats: a little better often, much worse rarely, no better in all."""
    generator = np.random.default_rng(8)
    claims = 0
    for _ in range(WORLDS):
        drawn = generator.random((1, 30))
        moved = np.where(drawn < 0.05, -1.0, np.where(drawn < 0.20, 1 / 3, 0.0))
        found = claim(0.5 + moved / 2, np.full((1, 30), 0.5), pooled=True)
        claims += found is not None and found.more
    assert claims / WORLDS <= ALLOWED


def test_what_is_ungraded_is_left_out() -> None:
    options = np.array([[1.0, 1.0, np.nan, 0.0]])
    found = claim(options, np.array([[0.0, np.nan, 1.0, 0.0], [np.nan] * 4]))
    assert found is not None
    assert found.against[0] is not None
    assert (found.difference, found.against[0].differences.n) == (0.5, 2)
    assert found.against[1] is None
    assert claim(options, np.full((1, 4), np.nan)) is None
    assert highest(np.array([[np.nan, np.nan], [0.0, 0.0]])) == 1


def test_whoever_is_highest_whatever_waits_pays_nothing_above() -> None:
    """Its own answers that wait make nobody else the highest."""
    generator = np.random.default_rng(4)
    singles = (generator.random((2, 60)) < 0.5).astype(float)
    first, second = (np.arange(60) < right for right in (54, 30))
    worst = np.vstack([first, second]).astype(float)
    best, rivalled = worst.copy(), worst.copy()
    best[0, 54:57] = rivalled[0, 54:57] = 1.0
    rivalled[1, 30:] = 1.0

    def high(at_best: np.ndarray) -> float | None:
        seen = np.where(worst == at_best, worst, np.nan)
        waiting = claim_whatever(Tables(seen, worst, at_best), Tables(singles, singles, singles), option=0, single=0)
        assert waiting is not None
        return waiting.high

    def plain(at_best: np.ndarray, top: bool) -> float | None:
        found = claim(at_best, singles, option=0, single=0, top=top)
        assert found is not None
        return found.high

    assert high(best) == plain(best, True) != plain(best, False)
    assert high(rivalled) == plain(rivalled, False) != plain(rivalled, True)


def test_the_accuracy_of_what_was_chosen() -> None:
    """The highest of twelve covers its truth as often as promised; its own interval would not."""
    generator = np.random.default_rng(9)
    held = unpaid = 0
    for _ in range(WORLDS):
        options, _ = all_equal(generator, 60)
        top = highest(options)
        usual = wilson(options[top].sum(), 60)
        paid = chosen_interval(options, top, usual, draws=1_000)
        assert paid.low is not None
        assert paid.high == usual.high
        held += paid.low <= 0.5 <= (paid.high or 0.0)
        unpaid += (usual.low or 0.0) <= 0.5 <= (usual.high or 0.0)
    assert held / WORLDS >= 0.95 - 3 * math.sqrt(0.05 * 0.95 / WORLDS)
    assert unpaid < held


def test_the_lower_end_of_what_was_chosen_holds_for_rare_answers() -> None:
    """Six equals at .02: the score interval alone lay above the truth in 12 % of experiments, and may in 2.5."""
    generator = np.random.default_rng(5)
    above = 0
    for _ in range(WORLDS):
        options = (generator.random((6, 30)) < 0.02).astype(float)
        top = highest(options)
        paid = chosen_interval(options, top, wilson(options[top].sum(), 30), draws=1_000)
        assert paid.low is not None
        above += paid.low > 0.02
    assert above / WORLDS <= ALPHA + 3 * math.sqrt(ALPHA * (1 - ALPHA) / WORLDS)


def test_the_lower_end_is_never_above_clopper_and_pearsons() -> None:
    options = np.vstack([np.arange(40) < 3, np.arange(40) < 2]).astype(float)
    usual = wilson(3, 40)
    paid = chosen_interval(options, 0, usual)
    exact = beta.ppf(ALPHA, 3, 38)
    assert paid.low is not None
    assert usual.low is not None
    assert 0 < paid.low <= exact < usual.low
    assert chosen_interval(options[:1], 0, usual) == usual, "nothing was chosen"


def test_a_paid_interval_does_not_hang_on_the_last_digit() -> None:
    """One interval computed in two ways differs there, and is Wilson's all the same; of how many clusters it is stays."""
    generator = np.random.default_rng(4)
    options, _ = all_equal(generator, 40)
    top = highest(options)
    usual = wilson(options[top].sum(), 40)
    assert usual.low is not None
    shifted = replace(usual, low=usual.low + 1e-14, clusters=20)
    paid, again = (chosen_interval(options, top, own, draws=1_000) for own in (usual, shifted))
    assert again.low == pytest.approx(paid.low, abs=1e-12)
    assert (paid.clusters, again.clusters) == (None, 20)


def test_standings() -> None:
    generator = np.random.default_rng(10)
    beaten = 0
    for _ in range(150):
        values = (generator.random((8, 60)) < 0.5).astype(float)
        beaten += standings(values, draws=1_000)[0].beaten_by is not None
    assert beaten / 150 <= ALPHA + 3 * math.sqrt(ALPHA * (1 - ALPHA) / 150)
    clear = np.vstack([np.ones(40), np.ones(40), np.zeros(40)])
    assert [way.beaten_by for way in standings(clear)] == [None, None, 0]
    assert [way.beaten_by for way in standings(clear[:1])] == [None]


def test_who_is_beaten_pays_for_all_rows_of_the_table() -> None:
    """Of ten that are equally good some is below some other at p = .02 in far more than 5 % of experiments."""
    alone = [Standing(1, 0.02), Standing(0, 0.9)]
    assert [one.beaten_by for one in told_apart(alone)] == [1, None], "of two: one-sided 2.5 % each"
    ten = [Standing(9, 0.02), *(Standing(0, 0.9) for _ in range(9))]
    assert [one.beaten_by for one in told_apart(ten)] == [None] * 10
    clear = [Standing(9, 0.004), Standing(9, 0.0055), *(Standing(0, 0.9) for _ in range(8))]
    assert [one.beaten_by for one in told_apart(clear)][:3] == [9, 9, None], "step by step"
    assert told_apart(clear)[0].p == pytest.approx(0.04)


def test_rows_of_a_table_go_by_the_same_rule() -> None:
    """22 questions more of 24 that differ: p = .00002; 9 more of 12: p = .07, which is clear against nobody."""
    values = np.zeros((8, 60))
    values[:, :30] = 1.0
    values[7, :23], values[7, 59] = 0.0, 1.0
    values[6, :10], values[6, 58] = 0.0, 1.0
    found = standings(values)
    assert found[7].beaten_by is not None
    assert found[6].p == pytest.approx(min(1.0, 7 * standing(values[6], np.delete(values, 6, axis=0)).p), rel=0.2)
    assert [one.beaten_by for one in found[:6]] == [None] * 6
