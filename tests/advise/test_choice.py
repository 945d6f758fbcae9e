"""Which point of the frontier is taken: by all questions; and what the other half may claim of it then."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from moot.advise.advice import Advice, advise, promises
from moot.advise.choice import to_take
from moot.advise.find import FoundOptions
from moot.advise.frontier import AdviceWanted, WeighedOption, lead, share
from moot.advise.known import KnownDrafts, parted_in_two
from moot.advise.options import SINGLE, PlayedOut, TeamOption
from moot.decide.rules import Leader

UNITS = tuple(map(str, range(40)))
PARTS = parted_in_two(UNITS)


def first(count: int, of: int) -> np.ndarray:
    return (np.arange(of) < count) * 1.0


def players(
    right: list[tuple[int, int]], usd_per_1000: list[float], seconds: list[float] | None = None
) -> tuple[KnownDrafts, FoundOptions]:
    """Of each player how many of twenty are right on either half. They err together as far as they can, and nothing but each of
    them alone is searched."""
    worth = np.zeros((len(right), 40))
    for seat, (searched, claimed) in enumerate(right):
        worth[seat, PARTS.search], worth[seat, PARTS.claim] = first(searched, 20), first(claimed, 20)
    names = tuple(f"p{seat}" for seat in range(len(right)))
    usd = np.repeat(np.array(usd_per_1000)[:, None] / 1000, 40, axis=1)
    took = None if seconds is None else np.repeat(np.array(seconds)[:, None], 40, axis=1)
    drafts = KnownDrafts(names, np.where(worth > 0, 0, 1).astype(np.int16), worth, UNITS, 4, usd, took)
    search = drafts.at(PARTS.search)
    alone = [TeamOption(SINGLE, (seat,), Leader(name), search.worth[seat]) for seat, name in enumerate(names)]
    return drafts, FoundOptions([*alone], len(alone), True)


def taken(advice: Advice) -> str:
    assert advice.recommended is not None
    return advice.recommended.option.names(advice.players)[0]


def test_of_equal_cost_the_one_that_both_halves_make_the_more_accurate() -> None:
    """Slower by nothing that counts, and 30 points behind where nothing was chosen: the first half alone took it."""
    drafts, found = players([(16, 12), (15, 18)], [1.0, 1.0], [0.3, 0.2])
    advice = advise(drafts, AdviceWanted(), found)
    assert [point.option.names(drafts.players) for point in advice.points] == [("p0",), ("p1",)]
    assert taken(advice) == "p1"
    assert advice.best is advice.recommended
    assert advice.recommended is not None
    assert advice.recommended.on_all.accuracy == pytest.approx(33 / 40)


@pytest.mark.parametrize(("behind", "cheap"), [(1, True), (4, False)])
def test_the_cheapest_within_one_standard_error(behind: int, cheap: bool) -> None:
    """One of forty behind is a standard error, four are two: no test at 95 % tells either."""
    drafts, found = players([(15, 16), (16, 15 + behind)], [1.0, 9.0])
    advice = advise(drafts, AdviceWanted(), found)
    low, high = lead(*(point.on_all.told for point in advice.points), UNITS).limits(0.05, 0.05)
    assert low is not None
    assert high is not None
    assert low <= 0 <= high, "not told apart"
    assert taken(advice) == ("p0" if cheap else "p1")
    assert taken(advise(drafts, AdviceWanted(most_accurate=True), found)) == "p1"


def test_a_budget_is_kept_on_all_questions() -> None:
    """Cheap where it was searched, and dear on the others."""
    drafts, found = players([(12, 12), (15, 15), (18, 18)], [1.0, 3.0, 9.0])
    assert drafts.usd is not None
    usd = drafts.usd.copy()
    wanted = AdviceWanted(budget_usd_per_1000=4.0)
    assert taken(advise(drafts, wanted, found)) == "p1"
    usd[1, PARTS.claim] = 0.006
    assert taken(advise(replace(drafts, usd=usd), wanted, found)) == "p0"


def test_what_is_promised_is_likely_and_the_cheapest_that_is() -> None:
    """The half searched on says no, the one kept apart shows it."""
    drafts, found = players([(10, 20), (11, 20), (12, 12)], [1.0, 2.0, 3.0])
    wanted = AdviceWanted(min_accuracy=0.7)
    advice = advise(drafts, wanted, found)
    assert taken(advice) == "p0"
    assert advice.recommended is not None
    assert promises(advice.recommended, wanted)
    assert advice.least == "shown"
    dear = advise(drafts, AdviceWanted(min_accuracy=0.99), found)
    assert taken(dear) == "p1", "the most accurate on all"
    assert dear.least == "not reached"


def test_intervals_pay_for_all_points() -> None:
    drafts, found = players([(12, 12), (15, 15), (18, 18)], [1.0, 3.0, 9.0])
    advice = advise(drafts, AdviceWanted(), found)
    assert len(advice.points) == 3
    claim = drafts.at(PARTS.claim)
    for point in advice.points:
        assert point.accuracy == share(point.played.worth, claim.units, 0.05 / 3)
        alone = share(point.played.worth, claim.units)
        assert point.accuracy.low is not None
        assert alone.low is not None
        assert point.accuracy.low < alone.low
    more = advice.surer
    assert more is not None
    gap = lead(advice.points[-1].told, advice.points[-2].told, claim.units)
    assert (more.low, more.high) == gap.limits(0.05 / 3, 0.05 / 3)
    lonely, only = players([(15, 15)], [1.0])
    one = advise(lonely, AdviceWanted(), only)
    assert one.points[0].accuracy == share(one.points[0].played.worth, claim.units)
    assert one.surer is None


def test_a_price_that_is_missing_on_one_half_is_missing() -> None:
    drafts, found = players([(12, 12), (15, 15)], [1.0, 3.0])
    assert drafts.usd is not None
    for half in (PARTS.search, PARTS.claim):
        usd = drafts.usd.copy()
        usd[1, half[0]] = np.nan
        advice = advise(replace(drafts, usd=usd), AdviceWanted(budget_usd_per_1000=9.0), found)
        assert taken(advice) == "p0"
        assert ["p1" in note for note in advice.notes] == [True]


def test_costs_that_hardly_differ_are_the_same() -> None:
    def point(right: int, cost: float) -> WeighedOption:
        worth = first(right, 40)
        option = TeamOption(SINGLE, (0,), Leader("p0"), worth)
        return WeighedOption(option, right / 40, cost, PlayedOut(worth, worth * 0 + 1, None, None))

    assert to_take([point(33, 1.0), point(34, 1.005)], UNITS, AdviceWanted()) == 1
    assert to_take([point(33, 1.0), point(34, 1.05)], UNITS, AdviceWanted()) == 0
