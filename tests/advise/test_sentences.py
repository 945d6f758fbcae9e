"""What is said beside the figures is true of them."""

from __future__ import annotations

import re
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
    assert sentence(kept, wanted).startswith("Within $2.80 for 1,000 questions and 2.9 seconds, take ")
    over = advise(replace(drafts, usd=dear, seconds=slow), wanted)
    taken = over.recommended
    assert taken is not None
    assert taken.played.usd_per_1000 is not None
    said = sentence(over, wanted)
    assert said.startswith("Within $2.80 for 1,000 questions and 2.9 seconds, by the mean of all 80 questions, take ")
    assert (
        f"But on the held-out questions alone it took ${taken.played.usd_per_1000:.2f} for 1,000 questions and" in said
    )
    assert (
        f"of the {len(over.points)} options weighed it is the most accurate within the limit, on all 80 questions."
        in said
    )
    beyond = advise(replace(drafts, usd=5 * dear), wanted)
    assert beyond.recommended is None, "what is over a limit on all questions is not taken"
    assert "the cheapest cost $5.5)" in str(beyond.why_none)


def test_what_is_likely_is_said_to_be_no_more() -> None:
    wanted = AdviceWanted(min_accuracy=0.65)
    advice = replace(advise(world(2, (0.75, 0.6, 0.5)), wanted), least="likely", to_show=1234)
    said = sentence(advice, wanted)
    assert "None" not in said
    assert (
        f"of the {len(advice.points)} options weighed it is the cheapest by money that likely reaches 65 % or more; it has "
        in said
    )
    assert (
        "That is likely but not shown: its interval extends below; about 1,300 new questions alone would show it"
        in said
    )
    assert "interval extends below." in sentence(replace(advice, to_show=None), wanted)


def test_what_is_too_near_is_open() -> None:
    """Its share of these questions is above, and by no more than chance."""
    drafts = world(2, (0.75, 0.6, 0.5))
    share = advise(drafts, AdviceWanted(most_accurate=True)).recommended
    assert share is not None
    wanted = AdviceWanted(min_accuracy=share.on_all.accuracy - 0.005)
    advice = advise(drafts, wanted)
    assert advice.least == "open"
    assert advice.recommended is not None
    assert advice.recommended.on_all.accuracy == share.on_all.accuracy
    said = sentence(advice, wanted)
    assert "questions is open" in said
    assert "None" not in said


@pytest.mark.parametrize("budget", [None, 2.5])
def test_what_no_option_has_on_these_questions_is_said_first(budget: float | None) -> None:
    wanted = AdviceWanted(min_accuracy=0.95, budget_usd_per_1000=budget)
    advice = advise(world(2, (0.7, 0.6, 0.5)), wanted)
    said = sentence(advice, wanted)
    within = "" if budget is None else ", within $2.50 for 1,000 questions"
    none = f"None of the {len(advice.points)} options weighed reaches 95 %{within} on these questions. The most accurate is "
    assert said.startswith(none)
    assert "cheapest" not in said
    assert advice.least == "not reached"
    assert all(point.on_all.accuracy < 0.95 for point in advice.points)


def test_what_may_be_reached_on_others_is_said_to_be() -> None:
    """The share of these questions is below, the interval goes above."""
    drafts = world(2, (0.75, 0.6, 0.5))
    best = advise(drafts, AdviceWanted(most_accurate=True)).recommended
    assert best is not None
    wanted = AdviceWanted(min_accuracy=best.on_all.accuracy + 0.005)
    advice = advise(drafts, wanted)
    assert advice.least == "not reached"
    assert sentence(advice, wanted).endswith("On other questions it may: its interval extends above.")


@pytest.mark.parametrize("above", [0.0004, 0.00002, 0.0000003])
def test_a_share_just_below_what_was_asked_for_does_not_look_like_it(above: float) -> None:
    drafts = world(2, (0.75, 0.6, 0.5))
    best = advise(drafts, AdviceWanted(most_accurate=True)).recommended
    assert best is not None
    share = best.on_all.accuracy
    wanted = AdviceWanted(min_accuracy=share + above)
    said = sentence(advise(drafts, wanted), wanted)
    asked, told = re.fullmatch(r"None .* reaches ([\d.]+) % on these.*, with ([\d.]+) % of all .*", said).groups()  # type: ignore[union-attr]
    assert float(told) < float(asked) == pytest.approx(100 * (share + above), abs=1e-7)


def test_what_costs_less_by_one_in_a_hundred_is_not_said_to_cost_more() -> None:
    wanted = AdviceWanted(min_accuracy=0.5)
    advice = replace(advise(world(2, (0.75, 0.6, 0.5)), wanted), least="likely")
    taken = advice.recommended
    assert taken is not None
    plain = "it is the cheapest by money that likely reaches 50 % or more"
    for cost, said in (
        (0.98, plain),
        (0.995, "it is the cheapest by money, give or take 1 %, that likely reaches"),
    ):
        others = [point for point in advice.points if point.on_all.cost >= taken.on_all.cost]
        beside = replace(others[-1], on_all=replace(others[-1].on_all, cost=cost * taken.on_all.cost))
        assert said in sentence(replace(advice, points=(*others, beside)), wanted)


def test_nothing_is_said_of_cheaper_ones_where_there_are_none() -> None:
    one = world(3, (0.6,))
    same = KnownDrafts(("a", "b", "c"), np.repeat(one.codes, 3, axis=0), np.repeat(one.worth, 3, axis=0), one.units, 5)
    said = sentence(advise(same, AdviceWanted()), AdviceWanted())
    assert "options weighed is cheaper by calls (costs unknown), or more accurate on all 80 questions" in said


def test_the_least_lead_is_named_and_every_player_must_be_beaten() -> None:
    """A leader whom nobody overrules says what it says alone: that is no lead, though the others' ends are lower."""
    drafts = world(6, (0.6, 0.58, 0.57), 120)
    led = TeamOption(LEADER, (0, 1), Leader("p0"), drafts.worth[0])
    played = led.played(drafts)
    weighed = WeighedOption(led, float(played.worth.mean()), 2.0, played)
    over = _over_singles(ClaimedPoint(led, share(drafts.worth[0], drafts.units), played, weighed), drafts, 0.05)
    assert (over.player, over.difference) == ("p0", 0.0)
    assert not over.better
