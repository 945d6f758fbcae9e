"""What stands together is corrected together: p, interval, words and the power that was promised agree."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pytest

from moot.experiment.claims import parse
from moot.measures.claims.figure import Ratio
from moot.measures.claims.hypothesis import Judged, judge, with_holm
from moot.stats.estimates import with_holm as family_of
from moot.stats.graded import Value
from moot.stats.graded_pairs import family_row
from moot.stats.paired import holm, mcnemar_exact
from moot.stats.power import detectable, needed, power

NULL = (
    *("accuracy(a) - accuracy(b) > 0", "accuracy(a) > accuracy(c)", "accuracy(b) - accuracy(c) < 0"),
    *("accuracy(a) > 0.5", "accuracy(b) < 0.5", "accuracy(c) > 0.5", "accuracy(a) / accuracy(b) > 1"),
    *("accuracy(a) + accuracy(b) > 1", "net(a) > 0", "accuracy(c) / accuracy(a) < 1"),
)
"""Ten hypotheses of which none holds, and none its contrary."""


def null_ratios(generator: np.random.Generator, n: int) -> dict[str, Ratio]:
    """Three that are right on half of the questions, alike on most of them; a net of rescues that is nothing."""
    shared = generator.random(n) < 0.5
    columns = {name: np.where(generator.random(n) < 0.6, shared, generator.random(n) < 0.5) for name in "abc"}
    keys = [f"q{number}" for number in range(n)]
    ratios = {
        f"accuracy({name})": Ratio(dict(zip(keys, map(float, side), strict=True))) for name, side in columns.items()
    }
    net = generator.choice([1.0, -1.0, 0.0], p=[0.15, 0.15, 0.7], size=n)
    ratios["net(a)"] = Ratio(dict(zip(keys, net.tolist(), strict=True)), dict.fromkeys(keys, 1 / n))
    return ratios


def verdicts(generator: np.random.Generator, n: int) -> list[dict[str, object]]:
    return with_holm(judged_on(null_ratios(generator, n), generator), [True] * len(NULL))


def judged_on(ratios: Mapping[str, Ratio], generator: np.random.Generator) -> list[Judged]:
    judged = []
    for text in NULL:
        hypothesis = parse(text)
        terms = {term: ratios[f"{term.function}({term.side})"] for term in hypothesis.terms}
        judged.append(judge(hypothesis, terms, seed=int(generator.integers(2**31)), resamples=1_500))
    return judged


def test_of_ten_hypotheses_without_truth_hardly_any_is_confirmed_or_refuted() -> None:
    generator = np.random.default_rng(3)
    worlds, claimed = 60, 0
    for _ in range(worlds):
        rows = verdicts(generator, 60)
        claimed += any(row["verdict"] != "open" for row in rows)
    assert claimed / worlds <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / worlds)


def test_words_interval_and_p_agree() -> None:
    generator = np.random.default_rng(4)
    for _ in range(5):
        for row in verdicts(generator, 40):
            outside = row["low_holm"] > row["threshold"] or row["high_holm"] < row["threshold"]  # type: ignore[operator]
            assert outside == (row["p_holm"] <= 0.05) == (row["verdict"] != "open"), row  # type: ignore[operator]


def test_five_to_nothing_is_not_confirmed() -> None:
    hypothesis = parse("accuracy(a) - accuracy(b) > 0")
    one, other = hypothesis.terms
    right = {f"q{number}": 1.0 for number in range(60)}
    fewer = {question: float(number >= 5) for number, question in enumerate(right)}
    (row,) = with_holm([judge(hypothesis, {one: Ratio(right), other: Ratio(fewer)})], [True])
    assert row["p"] == pytest.approx(0.0625)
    assert row["verdict"] == "open"
    assert -0.01 < row["low_holm"] <= 0.0


def test_rows_printed_together_have_adjusted_intervals() -> None:
    generator = np.random.default_rng(5)
    rows = []
    for gain in (0.0, 0.1, 0.2, 0.3, 0.0):
        marks = generator.random((80, 2)) < np.array([0.4 + gain, 0.4])
        pairs = {f"q{n}": [(Value(a, a, a), Value(b, b, b))] for n, (a, b) in enumerate(marks.astype(float).tolist())}
        rows.append(family_row(pairs))
    family = family_of(rows)
    assert [row["p_holm"] for row in family] == holm([row["p"] for row in rows])
    for row in family:
        assert row["low_holm"] <= row["low"] <= row["high"] <= row["high_holm"]
        assert (row["low_holm"] <= 0 <= row["high_holm"]) == (row["p_holm"] > 0.05)
        assert "paired" not in row
    assert {row["p_holm"] > 0.05 for row in family} == {True, False}, "the example shows both"


@pytest.mark.parametrize("comparisons", [1, 8])
def test_the_power_that_is_promised_is_kept_through_holm(comparisons: int) -> None:
    """One real gain among comparisons that show nothing: the least that Holm's procedure gives it."""
    gain, discordance = 0.1, 0.25
    n = needed(0.5, gain, discordance, comparisons=comparisons)
    assert n is not None
    generator = np.random.default_rng(6)
    runs, found = 600, 0
    for _ in range(runs):
        real = generator.multinomial(n, [(discordance + gain) / 2, (discordance - gain) / 2, 1 - discordance])
        null = generator.multinomial(n, [discordance / 2, discordance / 2, 1 - discordance], size=comparisons - 1)
        found += holm([mcnemar_exact(*pairs[:2]) for pairs in (real, *null)])[0] <= 0.05
    assert found / runs >= 0.8 - 3 * math.sqrt(0.8 * 0.2 / runs)
    assert power(n, gain, discordance, comparisons=comparisons) >= 0.8
    least = detectable(n, discordance, comparisons=comparisons)
    assert least == pytest.approx(gain, abs=0.003)
    assert (detectable(n, discordance) or 0) <= gain + 0.003
