"""A cascade replayed over drafts: nothing is lost where the rest cannot change the winner, and nobody unasked is taken for
silent."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from moot.decide.candidates import SILENT, Candidates, candidates_of
from moot.decide.cascading import (
    UntilDecided,
    UntilSure,
    best_order,
    cannot_change,
    in_waves,
    learnt_order,
    replayed,
    stage_models,
)
from moot.decide.choice_model import learn
from moot.decide.learning import learn_rule
from moot.decide.rules import DraftRule, Leader, MostProbable, Plurality, WeightedSum, expected_worth, winners

NAMES = ("ann", "bob", "cyd", "dan", "eve")


def table(questions: int, seed: int = 0, accuracies: tuple[float, ...] = (0.8, 0.4, 0.6, 0.5, 0.3)) -> Candidates:
    draw = np.random.default_rng(seed)
    codes = np.where(
        draw.random((len(accuracies), questions)) < np.array(accuracies)[:, None],
        0,
        draw.integers(1, 4, (len(accuracies), questions)),
    )
    codes[draw.random(codes.shape) < 0.1] = SILENT
    return candidates_of(NAMES[: len(accuracies)], codes, (codes == 0).astype(float))


@pytest.mark.parametrize(
    "rule",
    [
        Plurality(),
        WeightedSum({"ann": 2.5, "bob": 1.0, "cyd": 1.5, "dan": 0.0, "eve": 0.7}),
        WeightedSum(dict.fromkeys(NAMES, 0.0)),
        Leader("cyd"),
        MostProbable(learn(table(400, 9), 1.0, category_pull=None)),
    ],
)
@pytest.mark.parametrize("size", [1, 2])
def test_until_decided_takes_what_everybody_asked_would_have_decided(rule: DraftRule, size: int) -> None:
    candidates = table(500)
    found = replayed(candidates, in_waves([3, 0, 4, 1, 2], size), UntilDecided(rule))
    assert np.array_equal(found.ahead[found.reached], winners(rule, candidates)[found.reached])
    assert np.allclose(found.worth(candidates), expected_worth(rule, candidates))
    assert found.calls.max() <= 5
    assert found.calls.min() >= 1
    assert (found.reached | (found.calls == 5)).all()


def test_it_stops_as_soon_as_no_reply_of_the_rest_could_change_the_winner() -> None:
    """By going through all that the rest could say, also of voices that count less than nothing."""
    draw = np.random.default_rng(4)
    for _ in range(300):
        voices = np.round(draw.normal(0.7, 1.0, 5), 1)
        said = draw.integers(0, 3, 3)
        scores, given = np.zeros((1, 3)), np.zeros((1, 3), dtype=bool)
        np.add.at(scores[0], said, voices[:3])
        given[0, said] = True
        first = int(np.where(given[0], scores[0], -np.inf).argmax())
        changed = False
        for reply in product(range(-1, 6), repeat=2):
            after, there = np.zeros(6), np.zeros(6, dtype=bool)
            after[:3], there[:3] = scores[0], given[0]
            for voice, place in zip(voices[3:], reply, strict=True):
                if place >= 0:
                    after[place] += voice
                    there[place] = True
            others = np.where(there, after, -np.inf)
            others[first] = -np.inf
            changed |= bool(after[first] <= others.max() + 1e-9)
        found = bool(cannot_change(scores, given, voices[3:])[0])
        assert not (found and changed)
        if (voices[3:] > 0).all() or (voices[3:] < 0).all():
            assert found != changed, (voices, said)


def test_who_was_not_asked_is_not_taken_for_silent() -> None:
    train, test = table(600, 1), table(300, 2)
    waves = in_waves([0, 2, 1, 3, 4])
    models = stage_models(train, waves, 1.0)
    found = replayed(test, waves, UntilSure(0.7, models, MostProbable(models[frozenset(NAMES)])))
    first = test.only([0])
    alone = learn(train.only([0]), 1.0, category_pull=None).probabilities(first).max(axis=1)
    at_once = alone >= 0.7
    assert np.array_equal(at_once & (found.calls == 1), at_once)
    assert np.allclose(found.chances[at_once], alone[at_once])
    # Had the others been taken for silent, one voice of five would not be believed.
    whole = models[frozenset(NAMES)].probabilities(
        candidates_of(NAMES, np.array([[0]] + [[SILENT]] * 4), np.ones((5, 1)))
    )
    assert whole.max() < alone[at_once].min()


def test_the_probability_that_is_told_when_it_stops_is_true() -> None:
    train, test = table(3_000, 5), table(3_000, 6)
    rule = learn_rule(train, [str(place) for place in range(len(train))])
    waves = in_waves(learnt_order(rule.model))
    models = stage_models(train, waves, rule.model.penalty, rule.model)
    found = replayed(test, waves, UntilSure(0.9, models, rule.rule, or_decided=False))
    assert found.reached.mean() > 0.3
    assert found.chances[found.reached].mean() == pytest.approx(found.worth(test)[found.reached].mean(), abs=0.03)
    assert (found.chances[found.reached] >= 0.9).all()
    assert (found.calls[~found.reached] == 5).all()
    decided = replayed(test, waves, UntilSure(0.9, models, rule.rule))
    assert decided.calls.mean() < found.calls.mean()
    assert decided.worth(test).mean() == pytest.approx(expected_worth(rule.rule, test).mean(), abs=0.01)


def test_orders() -> None:
    candidates = table(2_000, 7)
    assert best_order(candidates) == [0, 2, 3, 1, 4]
    # Bob says what ann says, and is right as often: what he says tells nothing more.
    echoed = candidates_of(("ann", "bob", "cyd"), *_echo(np.random.default_rng(8), 3_000))
    assert best_order(echoed)[:2] == [0, 1]
    assert learnt_order(learn(echoed, 0.3, category_pull=None)).index(2) < 2


def _echo(draw: np.random.Generator, questions: int) -> tuple[np.ndarray, np.ndarray]:
    ann, cyd = (np.where(draw.random(questions) < right, 0, draw.integers(1, 4, questions)) for right in (0.7, 0.65))
    bob = np.where(draw.random(questions) < 0.95, ann, 5)
    codes = np.stack([ann, bob, cyd])
    return codes, (codes == 0).astype(float)


def test_nobody_is_asked_twice() -> None:
    with pytest.raises(ValueError, match="twice"):
        replayed(table(3), [[0, 1], [1]], UntilDecided())


def test_a_question_that_nobody_answers_asks_everybody() -> None:
    candidates = candidates_of(NAMES, np.full((5, 2), SILENT), np.zeros((5, 2)))
    found = replayed(candidates, in_waves(range(5)), UntilDecided())
    assert (found.calls == 5).all()
    assert not found.reached.any()
    assert not found.ahead.any()
