"""The probability of a verdict: true on questions that it was not learnt on, and never learnt on its own."""

from __future__ import annotations

import numpy as np
import pytest

from moot.decide.candidates import SILENT, Candidates, candidates_of
from moot.decide.choice_model import _Lessons, learn
from moot.decide.learning import folds_of
from moot.decide.reliability import calibration_error
from moot.decide.rules import Plurality, taken
from moot.decide.talk_chance import learn_talk
from moot.decide.verdict_chance import RestingVerdicts, learn_verdicts, surest_first, table_chances, verdict_chances

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
    chances = verdict_chances([table_chances(candidates, units(600))], RestingVerdicts(np.arange(600), chosen, rights))
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


@pytest.mark.parametrize("size", [20, 120])
def test_nothing_is_surer_than_its_sample(size: int) -> None:
    """Who was right so many times, and never wrong, may be wrong the next time: the weights alone would tell of a millionth."""
    most = (size + 1) / (size + 2)
    everybody = candidates_of(PLAYERS, np.zeros((4, size), dtype=int), np.ones((4, size)))
    model = learn(everybody, 3.0)
    assert model.likelihood(_Lessons.of(everybody)).max() > np.log(most), "as it learns, nothing is cut"
    assert model.probabilities(everybody).max() == pytest.approx(most, abs=1e-12)
    drafted, own, rights = np.full(size, 0.99), np.zeros(size, dtype=bool), np.ones(size)
    verdicts = learn_verdicts(drafted, own, rights)
    assert verdicts.chances(np.array([1 - 1e-9]), np.array([False]))[0] == pytest.approx(most, abs=1e-12)
    assert verdicts.rounded().chances(np.array([1.0]), np.array([False]))[0] == pytest.approx(most, abs=1e-12)
    talk = learn_talk(np.tile([1.0, 0.0, 0.0], (size, 1)), rights).rounded()
    assert talk.chances(np.array([[1.0, 0.0, 0.0]]))[0] == pytest.approx(most, abs=1e-12)


def test_what_one_stage_of_few_is_worth_rests_on_all_that_taught_it() -> None:
    draw = np.random.default_rng(4)
    every = learn_verdicts(np.full(200, 0.9), np.zeros(200, dtype=bool), (draw.random(200) < 0.9).astype(float))
    few = learn_verdicts(np.full(3, 0.9), np.zeros(3, dtype=bool), np.ones(3), every)
    assert few.chances(np.array([0.9]), np.array([False]))[0] > 0.85


def test_it_is_not_learnt_on_its_own_question() -> None:
    """Were the question's own grade looked at, turning it around would move its own probability most."""
    candidates = world(100)
    chosen = taken(Plurality(), candidates, np.random.default_rng(0))
    rights = candidates.worth_of(chosen)
    table = table_chances(candidates, units(100))
    before = verdict_chances([table], RestingVerdicts(np.arange(100), chosen, rights))
    turned = rights.copy()
    turned[7] = 1 - turned[7]
    assert verdict_chances([table], RestingVerdicts(np.arange(100), chosen, turned))[7] == before[7]


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
    chances = verdict_chances([table_chances(candidates, units(100))], RestingVerdicts(np.arange(100), chosen, rights))
    assert ((chances > 0) & (chances < 1)).all()


def test_a_part_that_turned_out_badly_does_not_come_first() -> None:
    """Everybody says one and the same: what is said differs by what the other parts came to, and by nothing else."""
    part_of = folds_of(units(100), role="probability")
    rights = (part_of != 3).astype(float)
    codes = np.tile(1 - rights.astype(int), (3, 1))
    table = table_chances(candidates_of(PLAYERS[:3], codes, (codes == 0).astype(float)), units(100))
    said = verdict_chances([table], RestingVerdicts(np.arange(100), np.zeros(100, dtype=np.intp), rights))
    assert rights[np.argsort(-said, kind="stable")][:20].mean() == 0
    order = surest_first(said, table.fold_of, [(name, 0) for name in units(100)])
    assert sorted(order) == list(range(100))
    for tenths in range(1, 11):
        assert rights[order[: 10 * tenths]].mean() == 0.8, "as many of each part"


def test_the_surest_answers_are_as_right_as_is_told_of_them() -> None:
    """Three independent players of 70 %, two choices: where all agree they are right in 0.7³ of 0.7³ + 0.3³."""
    draw, shown, true = np.random.default_rng(5), [], []
    for number in range(20):
        codes = (draw.random((3, 100)) > 0.7).astype(int)
        candidates = candidates_of(PLAYERS[:3], codes, (codes == 0).astype(float))
        chosen = taken(Plurality(), candidates, draw)
        rights, names = candidates.worth_of(chosen), [f"{number}-{place}" for place in range(100)]
        table = table_chances(candidates, names)
        said = verdict_chances([table], RestingVerdicts(np.arange(100), chosen, rights))
        surest = surest_first(said, table.fold_of, [(name, 0) for name in names])[:10]
        alike = codes[:, surest].min(axis=0) == codes[:, surest].max(axis=0)
        shown.append(rights[surest].mean())
        true.append(np.where(alike, 0.343 / 0.37, 0.7).mean())
    assert abs(np.mean(shown) - np.mean(true)) < 0.045, "one standard error is 1.9 points"
