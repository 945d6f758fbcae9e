"""What is said beside the figures is true of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from moot.advise.advice import ClaimedPoint, _over_singles, advise
from moot.advise.frontier import AdviceWanted, WeighedOption, share
from moot.advise.known import KnownDrafts, parted_in_two
from moot.advise.options import LEADER, TeamOption
from moot.cli.advise_shown import sentence
from moot.decide.rules import Leader


@pytest.fixture(autouse=True)
def _nothing_learnt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which takes most of the time."""
    monkeypatch.setattr("moot.advise.find.FEWEST", 1_000)


def world(seed: int, accuracies: tuple[float, ...], questions: int = 80) -> KnownDrafts:
    draw = np.random.default_rng(seed)
    shape = len(accuracies), questions
    codes = np.where(draw.random(shape) < np.array(accuracies)[:, None], 0, draw.integers(1, 5, size=shape))
    usd = np.repeat(np.linspace(0.004, 0.001, len(accuracies))[:, None], questions, axis=1)
    names = tuple(f"p{place}" for place in range(len(accuracies)))
    units = tuple(map(str, range(questions)))
    return KnownDrafts(names, codes.astype(np.int16), (codes == 0) * 1.0, units, 5, usd, 1000 * usd)


def test_a_limit_that_the_figures_are_over_is_said_to_be() -> None:
    drafts = world(1, (0.8, 0.7, 0.6))
    assert drafts.usd is not None
    assert drafts.seconds is not None
    dear, slow = drafts.usd.copy(), drafts.seconds.copy()
    claim = parted_in_two(drafts.units).claim
    dear[:, claim] *= 1.2
    slow[:, claim] *= 1.3
    wanted = AdviceWanted(budget_usd_per_1000=2.8, max_seconds=2.9)
    kept = advise(drafts, wanted)
    assert "But" not in sentence(kept, wanted)
    over = advise(replace(drafts, usd=dear, seconds=slow), wanted)
    taken = over.recommended
    assert taken is not None
    assert taken.played.usd_per_1000 is not None
    said = sentence(over, wanted)
    assert (
        f"But on the questions kept apart alone it took ${taken.played.usd_per_1000:.2f} for 1,000 questions and"
        in said
    )
    assert "the most accurate that keeps to it, on all 80 questions." in said
    beyond = advise(replace(drafts, usd=5 * dear), wanted)
    assert beyond.recommended is None, "what is over a limit on all questions is not taken"
    assert "the cheapest cost $5.5)" in str(beyond.why_none)


def test_what_one_option_cannot_promise_is_said_of_it_alone() -> None:
    wanted = AdviceWanted(min_accuracy=0.65)
    advice = advise(world(2, (0.75, 0.6, 0.5)), wanted)
    said = sentence(replace(advice, likely=True), wanted)
    assert "None" not in said
    assert "it is the cheapest likely to reach 65 % or more. That cannot be promised: its interval goes below." in said


@pytest.mark.parametrize("budget", [None, 2.5])
def test_what_nothing_is_likely_to_reach_is_said_first(budget: float | None) -> None:
    wanted = AdviceWanted(min_accuracy=0.9, budget_usd_per_1000=budget)
    advice = advise(world(2, (0.7, 0.6, 0.5)), wanted)
    said = sentence(advice, wanted)
    within = "" if budget is None else " within $2.50 for 1,000 questions"
    assert said.startswith(f"No option{within} is likely to reach 90 %. The most accurate on all 80 questions is ")
    assert "cheapest" not in said
    assert not advice.likely


def test_nothing_is_said_of_cheaper_ones_where_there_are_none() -> None:
    one = world(3, (0.6,))
    same = KnownDrafts(("a", "b", "c"), np.repeat(one.codes, 3, axis=0), np.repeat(one.worth, 3, axis=0), one.units, 5)
    said = sentence(advise(same, AdviceWanted()), AdviceWanted())
    assert "no point of the frontier is cheaper, nor more accurate on all 80 questions" in said


def test_the_least_lead_is_named_and_every_player_must_be_beaten() -> None:
    """A leader whom nobody overrules says what it says alone: that is no lead, though the others' ends are lower."""
    drafts = world(6, (0.6, 0.58, 0.57), 120)
    led = TeamOption(LEADER, (0, 1), Leader("p0"), drafts.worth[0])
    played = led.played(drafts)
    weighed = WeighedOption(led, float(played.worth.mean()), 2.0, played)
    over = _over_singles(ClaimedPoint(led, share(drafts.worth[0], drafts.units), played, weighed), drafts, 0.05)
    assert (over.player, over.difference) == ("p0", 0.0)
    assert not over.better
