"""How many more questions would tell two options apart, and where no number can be named."""

from __future__ import annotations

import numpy as np

from moot.advise.frontier import ToldWorth
from moot.advise.further import surer
from moot.stats.power import needed

ONES = ToldWorth(np.ones(40))
UNITS = [str(place) for place in range(40)]


def test_questions_that_belong_together_have_no_number() -> None:
    """What single questions need says nothing of them: they tell less."""
    theirs = ToldWorth(np.where(np.arange(40) % 9 == 0, 0.0, 1.0))
    ours = ToldWorth(np.where(np.arange(40) % 13 == 0, 0.0, 1.0))
    alone = surer(ours, theirs, "x", UNITS)
    assert alone.questions == needed(
        float(theirs.worth.mean()), alone.difference, float(np.abs(ours.worth - theirs.worth).mean())
    )
    together = surer(ours, theirs, "x", [str(place // 2) for place in range(40)])
    assert together.questions is None
    assert "belong together" in str(together.why)


def test_in_the_same_run_half_of_them_are_searched_on() -> None:
    found = surer(ONES, ToldWorth(np.where(np.arange(40) < 3, 0.0, 1.0)), "x", UNITS)
    assert found.questions is not None
    assert found.more_in_this_run == 2 * found.questions


def test_a_pair_that_the_questions_chose_pays_for_all_pairs() -> None:
    """New questions alone choose nothing."""
    theirs = ToldWorth(np.where(np.arange(40) < 7, 0.0, 1.0))
    one, of_six = surer(ONES, theirs, "x", UNITS), surer(ONES, theirs, "x", UNITS, 6)
    assert one.told_apart
    assert not of_six.told_apart
    assert one.questions == of_six.questions
    assert one.more_in_this_run is not None
    assert of_six.more_in_this_run is not None
    assert of_six.more_in_this_run > one.more_in_this_run


def test_thirds_that_do_not_add_up_to_one_are_no_error() -> None:
    draw = np.random.default_rng(1)
    many = (draw.choice([0, 1 / 3, 0.5, 2 / 3, 1], size) for size in range(20, 400) for _ in range(3))
    theirs = next(each for each in many if each.mean() + (1.0 - each).mean() > 1.0)
    found = surer(ToldWorth(np.ones(len(theirs))), ToldWorth(theirs), "x", [str(place) for place in range(len(theirs))])
    assert found.questions is not None
