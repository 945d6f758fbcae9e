"""Under a budget or a time: what is not known is left out, and what fits is found."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from moot.advise.advice import advise
from moot.advise.find import find_options
from moot.advise.frontier import AdviceWanted, ToldWorth, lead, share
from moot.advise.known import KnownDrafts, parted_in_two
from moot.advise.least import likely_to_reach, questions_to_show
from moot.decide.candidates import SILENT
from moot.decide.rules import Plurality, expected_worth


@pytest.fixture(autouse=True)
def _nothing_learnt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which takes most of the time."""
    monkeypatch.setattr("moot.advise.find.FEWEST", 1_000)


def world(seed: int, accuracies: list[float], usd_per_1000: list[float], questions: int = 100) -> KnownDrafts:
    draw = np.random.default_rng(seed)
    shape = len(accuracies), questions
    codes = np.where(draw.random(shape) < np.array(accuracies)[:, None], 0, draw.integers(1, 5, size=shape))
    usd = np.repeat(np.array(usd_per_1000)[:, None] / 1000, questions, axis=1)
    names = tuple(f"p{place}" for place in range(len(accuracies)))
    units = tuple(map(str, range(questions)))
    return KnownDrafts(names, codes.astype(np.int16), (codes == 0) * 1.0, units, 5, usd, 1000 * usd)


@pytest.mark.parametrize("what", ["usd", "seconds"])
def test_one_player_of_whom_it_is_not_known_hides_nobody(what: str) -> None:
    """It was weighed by calls then, and the most accurate alone hid whoever is cheap."""
    drafts = world(1, [0.9, 0.8, 0.6, 0.5], [9.0, 5.0, 0.5, 0.1])
    gaps = getattr(drafts, what).copy()
    gaps[1] = np.nan
    limit = {"usd": AdviceWanted(budget_usd_per_1000=1.0), "seconds": AdviceWanted(max_seconds=1.0)}[what]
    advice = advise(replace(drafts, **{what: gaps}), limit)
    assert advice.recommended is not None
    assert set(advice.recommended.option.names(drafts.players)) <= {"p2", "p3"}
    assert ["p1" in note for note in advice.notes] == [True]
    none = advise(replace(drafts, **{what: gaps}), replace(limit, **dict.fromkeys(_set(limit), 0.05)))
    assert none.recommended is None
    assert "0.1" in str(none.why_none)
    assert not advise(drafts, limit).notes


def _set(wanted: AdviceWanted) -> list[str]:
    return [name for name in ("budget_usd_per_1000", "max_seconds") if getattr(wanted, name) is not None]


def test_an_unknown_time_is_quicker_than_nobody() -> None:
    drafts = world(2, [0.9, 0.6], [1.0, 1.0])
    assert drafts.seconds is not None
    seconds = drafts.seconds.copy()
    seconds[0] = np.nan
    advice = advise(replace(drafts, seconds=seconds), AdviceWanted())
    assert "p1 alone" in [point.option.words(drafts.players) for point in advice.points]


def test_the_best_vote_that_can_be_paid_is_found_among_dear_players() -> None:
    """Thousands of dear teams are more accurate than any that keeps to the budget."""
    able, prices = [0.9] * 6 + [0.62] * 6, [6.0] * 6 + [0.11, 0.12, 0.13, 0.14, 0.15, 0.16]
    drafts = world(3, able, prices)
    search = drafts.at(parted_in_two(drafts.units).search)
    best = max(
        float(expected_worth(Plurality(), search.candidates(team)).mean())
        for size in (3, 4, 5, 6)
        for team in combinations(range(6, 12), size)
        if sum(prices[seat] for seat in team) <= 0.7
    )
    taken = advise(drafts, AdviceWanted(budget_usd_per_1000=0.7)).recommended
    assert taken is not None
    assert taken.played.usd_per_1000 is not None
    assert taken.played.usd_per_1000 <= 0.7
    assert float(taken.option.searched.mean()) >= best - 1e-6
    looked_at_before = find_options(search)
    at_any_price = advise(drafts, AdviceWanted(budget_usd_per_1000=0.7), looked_at_before).recommended
    assert at_any_price is not None
    assert float(at_any_price.option.searched.mean()) >= best - 0.05


def test_what_is_likely_is_so_nine_times_in_ten() -> None:
    """Of options of which nothing is known but their answers (any accuracy from 60 to 100 %, against 80 %), few of which this is
    said are below; and of those that are ten points above most are said to be."""
    draw, questions, least = np.random.default_rng(1), 120, 0.8
    units = tuple(map(str, range(questions)))
    said, true, far, found = 0, 0, 0, 0
    for right in draw.uniform(0.6, 1.0, 300):
        worth = (draw.random(questions) < right) * 1.0
        likely = bool(likely_to_reach([(ToldWorth(worth), units)], least))
        said, true = said + likely, true + (likely and right >= least)
        far, found = far + (right >= least + 0.1), found + (likely and right >= least + 0.1)
    assert true >= 0.9 * said > 0
    assert found >= 0.9 * far > 0


@pytest.mark.parametrize("players", [1, 4, 12, 34])
@pytest.mark.parametrize("short", [0.0, 0.03])
def test_however_many_there_are_it_is_seldom_said_of_one_that_does_not_reach_it(players: int, short: float) -> None:
    """All of them a little short of it, or by as much as most of them are told apart by: of one alone it was said in one world in
    ten, of the best of 34 in most."""
    draw, questions, least, worlds = np.random.default_rng(3), 100, 0.8, 120
    units = tuple(map(str, range(questions)))
    right = draw.random((worlds, players, questions)) < least - 1e-6 - short
    said = sum(bool(likely_to_reach([(ToldWorth(row * 1.0), units) for row in world], least)) for world in right)
    assert said <= 0.15 * worlds, "0.1 is meant; the error of so many worlds is 0.03"


def test_those_who_are_far_below_are_not_paid_for() -> None:
    units = tuple(map(str, range(100)))
    good, bad = (ToldWorth((np.arange(100) < number) * 1.0) for number in (86, 40))
    assert likely_to_reach([(good, units)], 0.8) == {0}
    assert likely_to_reach([(good, units), *[(bad, units)] * 30], 0.8) == {0}
    assert likely_to_reach([(good, units)] * 30, 0.8) == set()


def some_unreached(drafts: KnownDrafts, seat: int, questions: list[int]) -> KnownDrafts:
    """The same, this player not reached on these."""
    codes, worth = drafts.codes.copy(), drafts.worth.copy()
    missing = np.zeros(codes.shape, dtype=np.bool_)
    codes[seat, questions], worth[seat, questions], missing[seat, questions] = SILENT, 0.0, True
    return replace(drafts, codes=codes, worth=worth, unreached=missing)


def test_what_is_claimed_holds_whatever_comes_of_those_who_could_not_be_reached() -> None:
    """Intervals of all who need them go from all of them wrong to all of them right; the others are what they were."""
    whole = world(4, [0.8, 0.7, 0.65], [1.0, 1.0, 1.0])
    claim = parted_in_two(whole.units).claim
    lost = [int(place) for place in claim[:4]]
    drafts = some_unreached(whole, 0, lost)
    advice = advise(drafts, AdviceWanted(most_accurate=True))
    places = [list(claim).index(place) for place in lost]
    units = drafts.at(claim).units
    for point in advice.points:
        level = 0.05 / len(advice.points)
        low, high = point.played.worth.copy(), point.played.worth.copy()
        if 0 in point.option.seats:
            low[places], high[places] = 0.0, 1.0
        assert point.accuracy.value == pytest.approx(point.played.worth.mean())
        assert (point.accuracy.low, point.accuracy.high) == (
            share(low, units, level).low,
            share(high, units, level).high,
        )


def test_a_lead_that_is_there_since_a_rival_was_not_reached_is_none() -> None:
    """Nine in ten of p1's alone are right, and p0 is as good; were p1 not reached on some, p0 would be ahead."""
    units = tuple(map(str, range(60)))
    right = ToldWorth((np.arange(60) < 54) * 1.0)
    lost = np.arange(60) < 8
    rival = ToldWorth(np.where(lost, 0.0, right.worth), lost)
    told = lead(right, ToldWorth(rival.worth), units).limits(0.05, 0.05)
    assert told[0] is not None
    assert told[0] > 0
    low, high = lead(right, rival, units).limits(0.05, 0.05)
    assert low is not None
    assert low <= 0
    assert high == told[1]


def test_none_is_said_not_to_reach_it_that_may_once_it_is_reached() -> None:
    drafts = world(5, [0.8, 0.5], [1.0, 1.0], 80)
    right = float(drafts.worth[0].mean())
    lost = [int(place) for place in np.flatnonzero(drafts.worth[0])[:4]]
    wanted = AdviceWanted(min_accuracy=right - 0.01)
    missing = some_unreached(drafts, 0, lost)
    assert advise(missing, wanted).least == "open"
    assert advise(replace(missing, unreached=None), wanted).least == "not reached"


def test_so_many_new_questions_show_it_four_times_in_five() -> None:
    draw, units = np.random.default_rng(2), tuple(map(str, range(200)))
    worth = np.where(np.arange(200) < 180, 1.0, 0.0)
    number = questions_to_show(worth, units, 0.8)
    assert number is not None
    lows = [share((draw.random(number) < 0.9) * 1.0, tuple(map(str, range(number)))).low for _ in range(300)]
    assert 0.74 <= sum(low is not None and low >= 0.8 for low in lows) / 300 <= 0.88
    assert questions_to_show(worth, units, 0.9) is None, "it is not above"
    assert questions_to_show(worth, tuple(str(place // 2) for place in range(200)), 0.8) is None, "they tell less"
    sure = questions_to_show(np.ones(200), units, 0.8)
    assert sure is not None
    assert 10 <= sure <= 20
