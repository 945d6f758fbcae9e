"""Figures of the rules that were tried: the one that is kept was chosen by them, and the lower end of its interval pays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from moot.decide.candidates import Candidates, candidates_of
from moot.decide.drift import Drift
from moot.decide.learning import LearntRule, learn_rule
from moot.decide.rule_figures import mean_of_places, rule_figures

SIZE = 60


def world(right: tuple[float, ...], seed: int = 3) -> Candidates:
    draw = np.random.default_rng(seed)
    codes = np.where(draw.random((len(right), SIZE)) < np.array(right)[:, None], 0, draw.integers(1, 4, SIZE))
    return candidates_of([f"p{seat}" for seat in range(len(right))], codes, (codes == 0).astype(float))


def units(size: int = SIZE) -> list[str]:
    return [f"u{place}" for place in range(size)]


def only(candidates: Candidates, seats: int) -> Candidates:
    return replace(candidates, players=candidates.players[:seats], support=candidates.support[:, :, :seats])


@pytest.fixture(scope="module")
def learnt() -> LearntRule:
    return learn_rule(world((0.6,) * 4), units())


def test_only_the_lower_end_of_what_is_kept_pays(learnt: LearntRule) -> None:
    found = rule_figures(learnt, world((0.6,) * 4), units())
    assert list(found) == list(learnt.tried)
    for name, figure in found.items():
        plain = mean_of_places(range(SIZE), learnt.tried[name].tolist(), units())
        if name != learnt.kept:
            assert figure == plain
            continue
        assert figure.low is not None
        assert plain.low is not None
        assert figure.low < plain.low - 0.02
        assert figure.high == plain.high


@pytest.mark.long
def test_the_value_of_what_is_kept_is_learnt_and_chosen_anew() -> None:
    """So its own questions do not make it look better than the rules that were not taken."""
    gains = []
    for seed in range(12):
        candidates = world((0.6,) * 4, seed)
        found = learn_rule(candidates, units())
        gains.append(rule_figures(found, candidates, units())[found.kept].value - found.tried[found.kept].mean())
    assert np.mean(gains) < -0.005


def test_more_players_who_could_have_led_cost_more(learnt: LearntRule) -> None:
    few, many = (rule_figures(learnt, only(world((0.6,) * 4), seats), units())[learnt.kept].low for seats in (1, 4))
    assert few is not None
    assert many is not None
    assert many < few


def test_questions_that_belong_together_are_one_in_the_price_too(learnt: LearntRule) -> None:
    together = [f"u{place // 3}" for place in range(SIZE)]
    found = rule_figures(learnt, world((0.6,) * 4), together)[learnt.kept]
    assert found.clusters == 20
    assert found.low is not None
    assert found.low < found.value


def test_a_fall_that_the_choice_explains_is_no_drift(learnt: LearntRule) -> None:
    """So far below the kept figure that it would be one had nothing been chosen."""
    plain = mean_of_places(range(SIZE), learnt.tried[learnt.kept].tolist(), units())
    paid = rule_figures(learnt, world((0.6,) * 4), units())[learnt.kept]
    told = {}
    for right in range(300):
        now = mean_of_places(range(300), [1.0] * right + [0.0] * (300 - right), units(300))
        told[right] = Drift(now, plain).words(), Drift(now, paid).words()
    worse = [sum(words[place] == "it has got worse" for words in told.values()) for place in (0, 1)]
    assert worse[0] > worse[1] > 0
    better = [sum(words[place] == "it has got better" for words in told.values()) for place in (0, 1)]
    assert abs(better[0] - better[1]) <= 2  # the value itself has moved a little, and with it what is beyond it
