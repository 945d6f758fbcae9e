"""The probability of a verdict: true on questions that it was not learnt on, and never learnt on its own."""

from __future__ import annotations

import numpy as np

from moot.decide.candidates import SILENT, Candidates, candidates_of
from moot.decide.reliability import calibration_error
from moot.decide.rules import Plurality, taken
from moot.decide.verdict_chance import learn_verdicts, table_chances, verdict_chances

PLAYERS = ("ann", "bob", "cat", "dan")


def world(size: int, seed: int = 1) -> Candidates:
    """Ann is right on eight of ten, the others on four; who errs takes one of four wrong answers."""
    draw = np.random.default_rng(seed)
    right = draw.random((4, size)) < np.array([0.8, 0.4, 0.4, 0.4])[:, None]
    codes = np.where(right, 0, draw.integers(1, 5, (4, size)))
    return candidates_of(PLAYERS, codes, (codes == 0).astype(float))


def units(size: int) -> list[str]:
    return [str(place) for place in range(size)]


def test_they_come_true() -> None:
    candidates = world(600)
    chosen = taken(Plurality(), candidates, np.random.default_rng(0))
    rights = candidates.worth_of(chosen)
    chances = verdict_chances(table_chances(candidates, units(600)), np.arange(600), chosen, rights)
    assert calibration_error(chances, rights) < 0.06
    sure = chances >= np.quantile(chances, 0.5)
    assert rights[sure].mean() > rights[~sure].mean() + 0.3


def test_a_captain_who_knows_more_than_the_drafts_is_believed_more() -> None:
    """It ends on ann's answer, and is right on nine of ten although the drafts tell less."""
    draw = np.random.default_rng(2)
    drafted, own = draw.uniform(0.4, 0.8, 400), np.zeros(400, dtype=bool)
    learnt = learn_verdicts(drafted, own, (draw.random(400) < 0.9).astype(float))
    assert learnt.chances(np.array([0.6]), np.array([False]))[0] > 0.8


def test_an_answer_that_nobody_drafted_has_a_probability_of_its_own() -> None:
    draw = np.random.default_rng(3)
    own = draw.random(400) < 0.5
    drafted = np.where(own, np.nan, 0.5)
    rights = np.where(own, draw.random(400) < 0.1, draw.random(400) < 0.5).astype(float)
    learnt = learn_verdicts(drafted, own, rights)
    said = learnt.chances(np.array([np.nan, 0.5]), np.array([True, False]))
    assert said[0] < 0.2 < 0.4 < said[1]


def test_it_is_not_learnt_on_its_own_question() -> None:
    """Were the question's own grade looked at, turning it around would move its own probability most."""
    candidates = world(100)
    chosen = taken(Plurality(), candidates, np.random.default_rng(0))
    rights = candidates.worth_of(chosen)
    table = table_chances(candidates, units(100))
    before = verdict_chances(table, np.arange(100), chosen, rights)
    turned = rights.copy()
    turned[7] = 1 - turned[7]
    assert verdict_chances(table, np.arange(100), chosen, turned)[7] == before[7]


def test_questions_that_belong_together_teach_nothing_about_each_other() -> None:
    table = table_chances(world(100), [str(place // 5) for place in range(100)])
    for start in range(0, 100, 5):
        assert len(set(table.fold_of[start : start + 5])) == 1


def test_an_ungraded_verdict_has_a_probability_and_teaches_nothing() -> None:
    candidates = world(100)
    chosen = taken(Plurality(), candidates, np.random.default_rng(0))
    rights = candidates.worth_of(chosen)
    rights[3] = np.nan
    chosen[4] = SILENT
    chances = verdict_chances(table_chances(candidates, units(100)), np.arange(100), chosen, rights)
    assert ((chances > 0) & (chances < 1)).all()
