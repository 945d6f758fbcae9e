"""How much of a gap is closed, where nobody knows who is the best player in truth."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import binom

from moot.stats.closure import Closure, Side, closure, only
from moot.stats.clusters import clustered
from moot.stats.ratio import Closed, closed

QUESTIONS = 150


def _named(row: Any) -> dict[str, float]:
    return {str(place): float(value) for place, value in enumerate(row)}


def _world(generator: np.random.Generator, accuracies: list[float], n: int = QUESTIONS) -> np.ndarray:
    """Players who find the same questions hard."""
    latent = generator.standard_normal(n) + generator.standard_normal((len(accuracies), n))
    return (latent / np.sqrt(2) < ndtri(np.array(accuracies))[:, None]).astype(float)


def _closure(players: np.ndarray, team: np.ndarray) -> Closure:
    best = int(players.sum(axis=1).argmax())
    top = players.max(axis=0)
    rows = {str(q): (float(team[q] - players[best, q]), float(top[q] - players[best, q])) for q in range(len(team))}
    side = Side({str(place): _named(row) for place, row in enumerate(players)}, str(best))
    found = closure(rows, only(_named(team)), side, only(_named(top)))
    assert found is not None
    return found


def test_the_truth_is_not_above_where_players_are_equally_good() -> None:
    generator = np.random.default_rng(3)
    skyline = _world(generator, [0.6] * 6, 200_000).max(axis=0).mean()
    reached = 0.6 + 0.3 * (skyline - 0.6)
    above = above_before = held = 0
    for _ in range(60):
        players = _world(generator, [0.6] * 6)
        found = _closure(players, players.max(axis=0) * (generator.random(QUESTIONS) < reached / skyline))
        low, high = found.limits()
        assert low is not None
        assert high is not None
        usual = found.seen.limits()[1]
        assert usual is not None
        above, above_before, held = above + (high < 0.3), above_before + (usual < 0.3), held + (low <= 0.3 <= high)
    assert above_before >= 3, "from the one who came out best alone the truth is often above"
    assert above <= 1
    assert held >= 57


def test_who_is_clearly_beaten_does_not_widen_it() -> None:
    generator = np.random.default_rng(5)
    players = _world(generator, [0.8, 0.4, 0.4])
    team = players.max(axis=0)
    team[:4] = 0.0
    found = _closure(players, team)
    assert [*found.gap.candidates(0.05)] == [("", "0", "")]
    assert found.limits() == found.seen.limits(0.04), "the fifth that rules them out is paid"


def test_at_which_level_somebody_cannot_be_the_best() -> None:
    """The exact one-sided p of being beaten, for all who were compared, out of the fifth that is theirs."""

    best = _named([1] * 17 + [0] * 3)
    start = Side(
        {"best": best, "6 to 1": _named([0] * 6 + [1] * 12 + [0] * 2), "5 to 3": _named([0] * 5 + [1] * 15)}, "best"
    )
    reached = Side({"team": best, "4 to 0": _named([0] * 4 + [1] * 13 + [0] * 3)}, "team")
    top = _named([1] * 20)
    rows = {q: (0.0, top[q] - best[q]) for q in top}
    found = closure(rows, reached, start, only(top))
    assert found is not None
    of_reached, of_start, of_top = found.gap.ruled_out_at
    assert found.gap.compared == 3
    assert of_reached == {"team": math.inf, "4 to 0": pytest.approx(1 / 2**4 * 3 / 0.2)}
    assert of_start == {
        "best": math.inf,
        "6 to 1": pytest.approx((1 + 7) / 2**7 * 3 / 0.2),
        "5 to 3": pytest.approx((1 + 8 + 28 + 56) / 2**8 * 3 / 0.2),
    }
    assert of_top == {"": math.inf}
    level = 1 / 2**4 * 3 / 0.2
    assert ("4 to 0", "best", "") in [*found.gap.candidates(level * 0.999)]
    assert ("4 to 0", "best", "") not in [*found.gap.candidates(level * 1.001)]


def test_without_a_choice_it_is_fiellers() -> None:
    values = _named([0, 1, 1, 0, 0, 1, 0, 0, 1, 0] * 6)
    top = dict.fromkeys(values, 1.0)
    reached = _named([1, 1, 1, 0, 1, 1, 0, 1, 0, 0] * 6)
    rows = {q: (reached[q] - values[q], 1.0 - values[q]) for q in values}
    found = closure(rows, only(reached), only(values), only(top))
    assert found is not None
    assert found.limits() == found.seen.limits()
    assert found.p(0.1) == pytest.approx(found.seen.p(0.1), rel=1e-9)
    assert closure({"1": (0.0, 0.0)}, only(values), only(values), only(values)) is None, "no gap"


@pytest.mark.parametrize("alpha", [1e-6, 0.05, 0.5, 0.8, 0.99])
def test_the_p_of_a_limit_is_its_level(alpha: float) -> None:
    values = _named([0, 1, 1, 0, 0, 1, 0, 0, 1, 0] * 6)
    reached = _named([1, 1, 1, 0, 1, 1, 0, 1, 0, 0] * 6)
    rows = {q: (reached[q] - values[q], 1.0 - values[q]) for q in values}
    found = closure(rows, only(reached), only(values), only(dict.fromkeys(values, 1.0)))
    assert found is not None
    for end in found.limits(alpha):
        assert end is not None
        assert found.p(end) == pytest.approx(alpha, rel=1e-6)


@pytest.mark.parametrize("threshold", [0.0, 0.3, 1.0])
def test_p_and_limits_are_one_thing(threshold: float) -> None:
    generator = np.random.default_rng(8)
    for _ in range(4):
        players = _world(generator, [0.6, 0.6, 0.55])
        found = _closure(players, players.max(axis=0) * (generator.random(QUESTIONS) < 0.9))
        p = found.p(threshold)
        assert p is not None
        if 1e-9 < p < 0.9:
            for level, holds in ((p * 0.999, True), (p * 1.001, False)):
                low, high = found.limits(level)
                assert (low is None or high is None or low <= threshold <= high) is holds


def _held(share: float, truth: float, of: int, figures: list[Closed | None]) -> float:
    """How often the truth is held, added up over every number (of so many) that may be lost or left open."""
    held = [figure is not None and _holds(figure, truth) for figure in figures]
    return float(binom.pmf(np.arange(of + 1), of, share) @ np.array(held))


def _holds(figure: Closed, truth: float) -> bool:
    low, high = figure.limits()
    return low is None or high is None or low <= truth <= high


@pytest.mark.parametrize("left_open", [0.015, 0.022, 0.03, 0.05])
def test_nearly_all_closed_of_questions(left_open: float) -> None:
    """Ninety of 300 questions have a gap, of which one or two stay open: a question of a rare kind may not have been drawn."""
    rest = [(0.0, 0.0)] * 210
    figures = [closed([(0.0, 1.0)] * k + [(1.0, 1.0)] * (90 - k) + rest) for k in range(91)]
    assert _held(left_open, 1 - left_open, 90, figures) >= 0.94


@pytest.mark.parametrize("lost", [0.01, 0.02, 0.03, 0.05, 0.1])
def test_clusters_that_are_lost_as_a_whole(lost: float) -> None:
    """Sixty passages of five questions, one with a gap that the team closes; of few passages it loses the other four."""
    names = {f"{cluster} {place}": str(cluster) for cluster in range(60) for place in range(5)}
    figures = []
    with clustered(names):
        for times in range(61):
            rises = {name: 1.0 if name[-1] == "0" else -1.0 * (int(names[name]) < times) for name in names}
            figures.append(closed({name: (rise, float(name[-1] == "0")) for name, rise in rises.items()}))
    assert _held(lost, 1 - 4 * lost, 60, figures) >= 0.94


def test_what_was_not_seen_is_as_large_as_a_cluster() -> None:
    """The same sixty rises and gaps as questions and as clusters of five: a cluster that was lost would weigh more."""
    alone = closed([(1.0, 1.0)] * 60)
    with clustered({f"{cluster} {place}": str(cluster) for cluster in range(60) for place in range(5)}):
        rows = {f"{c} {place}": (float(place == 0), float(place == 0)) for c in range(60) for place in range(5)}
        together = closed(rows)
    assert alone is not None
    assert together is not None
    assert (alone.rise_square, alone.gap_square, alone.product) == (2.0, 2.0, 1.0)
    assert (together.rise_square, together.gap_square, together.product) == (26.0, 2.0, 1.0)
