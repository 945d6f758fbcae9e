"""What is learnt from graded questions, and when it is kept."""

from __future__ import annotations

import numpy as np
import pytest
from answering_worlds import answers, apart, seen, world

from moot.decide.candidates import SILENT, Candidates, candidates_of
from moot.decide.learning import BEST_SINGLE, PLURALITY, LearntRule, learn_rule
from moot.decide.rule_figures import rule_figures
from moot.decide.rules import Leader, Plurality, expected_worth
from moot.decide.weights import effective_alternatives, weights_by_accuracy, weights_in_words, weights_of
from moot.errors import UsageError


def learnt(candidates: Candidates) -> LearntRule:
    return learn_rule(candidates, apart(len(candidates)))


def test_it_finds_whom_to_trust() -> None:
    """One player of 80 % among four of 35 % who err alike: a vote follows these."""
    many = answers((0.8, 0.35, 0.35, 0.35, 0.35), 400, choices=3, seed=4)
    rule = learn_rule(seen(many[:, :100]), apart(100))
    assert rule.found[rule.kept] > rule.found[PLURALITY] + 0.1
    later = seen(many[:, 100:])
    assert expected_worth(rule.rule, later).mean() > expected_worth(Plurality(), later).mean() + 0.1
    weights = weights_of(rule.model)
    assert max(weights, key=weights.__getitem__) == "p0"


def test_where_all_are_alike_the_vote_stands() -> None:
    kept = [learnt(world((0.6,) * 5, 60, seed=seed)).kept for seed in range(3)]
    assert kept.count(PLURALITY) >= 2


def test_what_is_learnt_is_kept_where_it_is_ahead_of_both() -> None:
    """Two good ones who err apart, two bad ones who err together: neither the best nor the largest group is enough."""
    draw = np.random.default_rng(3)
    codes = answers((0.75, 0.75, 0.75, 0.3), 300, choices=6, seed=9)
    herd = np.where(draw.random(300) < 0.25, 0, 1)
    rule = learnt(seen(np.vstack([codes[:3], herd, herd, herd])))
    assert rule.kept == "learnt", rule.words()
    assert rule.ahead > rule.error > 0
    assert rule.found["learnt"] > max(rule.found[PLURALITY], rule.found[BEST_SINGLE])
    assert "learnt from 300 questions" in rule.words()


def test_fewer_than_twenty_questions_teach_nothing() -> None:
    with pytest.raises(UsageError, match=r"19 graded questions; expected 20 or more to learn from"):
        learnt(world((0.9, 0.5), 19))
    together = [f"passage {number // 4}" for number in range(40)]
    with pytest.raises(UsageError, match=r"40 graded questions \(10 that do not belong together\)"):
        learn_rule(world((0.9, 0.5), 40), together)


def test_questions_that_belong_together_are_one_piece_of_evidence() -> None:
    """Every question ten times: as sure as of one tenth, and not surer."""
    codes = answers((0.85, 0.5, 0.5), 30, seed=1)
    once = learnt(seen(codes))
    often = learn_rule(seen(np.repeat(codes, 10, axis=1)), [f"u{number // 10}" for number in range(300)])
    assert often.error == pytest.approx(once.error, rel=0.3) or once.error == often.error == 0


@pytest.mark.parametrize("odd", ["always right", "all alike", "missing in half", "all wrong"])
def test_odd_worlds_are_learnt_from_all_the_same(odd: str) -> None:
    codes = answers((0.7, 0.5, 0.5), 40, seed=2)
    if odd == "always right":
        codes[0] = 0
    elif odd == "all alike":
        codes[:] = codes[0]
    elif odd == "missing in half":
        codes[0, ::2] = SILENT
    else:
        codes[codes == 0] = 3
    rule = learnt(seen(codes))
    assert np.isfinite(rule.model.weights).all()
    if odd == "all alike":
        assert rule.kept == PLURALITY
    if odd == "always right":
        assert expected_worth(rule.rule, seen(codes)).mean() == 1.0
    chances = rule.model.probabilities(seen(codes))
    assert ((chances >= 0) & (chances <= 1)).all()
    if odd == "all wrong":
        assert chances.sum(axis=1).max() < 0.2


def test_what_nobody_has_graded_is_left_out() -> None:
    codes = answers((0.9, 0.4, 0.4), 50, seed=5)
    worth = (codes == 0).astype(float)
    worth[:, :10] = np.nan
    rule = learn_rule(candidates_of(("a", "b", "c"), codes, worth), apart(50))
    assert (rule.questions, rule.left_out) == (40, 10)
    assert rule.settled.tolist() == list(range(10, 50))
    worth[1:][codes[1:] != 0] = np.nan
    beside = learn_rule(candidates_of(("a", "b", "c"), codes, worth), apart(50))
    assert np.isfinite([*beside.found.values(), beside.ahead, beside.error]).all(), "what is right settles the others"


def test_weights_are_log_odds_of_being_right() -> None:
    candidates = world((0.9, 0.6, 0.2), 200, choices=4, seed=3)
    weights = weights_by_accuracy(candidates, 4)
    for name, right in zip(candidates.players, candidates.accuracy, strict=True):
        assert weights[name] == pytest.approx(max(0.0, np.log(3 * right / (1 - right))))
    assert weights["p2"] == 0.0, "who does worse than chance has no voice"
    # Three wrong answers, all equally likely: two who err say the same once in three times.
    assert effective_alternatives(world((0.3,) * 4, 1_000, choices=4)) == pytest.approx(4, abs=0.3)
    # Of few pairs exactly: one equal pair, or none, of all wrong ones, each with one of either added.
    codes = np.array([[1, 0], [1, 0], [2, 0]])
    assert effective_alternatives(seen(codes)) == pytest.approx(1 + (3 + 1) / (1 + 1))
    assert effective_alternatives(seen(np.array([[1], [2], [3]]))) == pytest.approx(1 + (3 + 1) / (0 + 1))
    assert effective_alternatives(seen(np.zeros((3, 4), dtype=np.intp))) == pytest.approx(2)
    assert weights_by_accuracy(seen(np.zeros((2, 30), dtype=np.intp)), 4)["p0"] == pytest.approx(np.log(3 * 31))


def test_weights_are_said_in_words() -> None:
    assert weights_in_words({"qwen": 2.0, "ann": 1.0, "bob": 1.05, "gemma": 0.0, "tom": 0.5, "zed": -1.0}) == [
        "qwen counts double",
        "bob counts like most",
        "ann counts like most",
        "tom counts half",
        "gemma adds nothing",
        "zed speaks against its own answer",
    ]
    for seats in (("ann", "bob"), ("bob", "ann")):
        assert weights_in_words(dict.fromkeys(seats, 0.0)) == ["ann adds nothing", "bob adds nothing"]


def test_a_leader_alone_is_the_best_single() -> None:
    rule = learnt(world((0.95, 0.3, 0.3, 0.3), 100, choices=2, seed=8))
    assert rule.kept in (BEST_SINGLE, "learnt")
    if rule.kept == BEST_SINGLE:
        assert rule.rule == Leader("p0")
        assert "best single stands" in rule.words()


def test_the_figure_of_the_kept_rule_is_not_the_luck_that_it_was_chosen_by() -> None:
    """Six equal players who err alike: whichever rule is kept gets 60 % right, and over many worlds that is what is told."""
    draw, off = np.random.default_rng(9), []
    for number in range(12):
        right = draw.random((6, 30)) < 0.6
        codes = np.where(right, 0, 1)
        candidates = candidates_of([f"p{seat}" for seat in range(6)], codes, right.astype(float))
        units = [f"{number}-{place}" for place in range(30)]
        learnt = learn_rule(candidates, units)
        told = rule_figures(learnt, candidates, units)[learnt.kept]
        assert told.low is not None
        assert told.high is not None
        assert told.low <= told.value <= told.high
        off.append(told.value - learnt.found[learnt.kept])
    assert np.mean(off) < -0.01
