"""What is advised is chosen on one half and claimed on the other; and what is said where nothing can be told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from moot.advise.advice import Advice, advise, too_few_to_advise
from moot.advise.find import FoundOptions, find_options
from moot.advise.frontier import AdviceWanted, ToldWorth, lead
from moot.advise.further import MOST_OF_THEM
from moot.advise.known import KnownDrafts, parted_in_two
from moot.advise.options import SINGLE
from moot.stats.power import needed


def world(seed: int, accuracies: tuple[float, ...], questions: int = 120, *, cluster: int = 1) -> KnownDrafts:
    draw = np.random.default_rng(seed)
    right = np.array(accuracies)[:, None]
    shape = len(accuracies), questions
    codes = np.where(draw.random(shape) < right, 0, draw.integers(1, 5, size=shape)).astype(np.int16)
    names = tuple(f"p{place}" for place in range(len(accuracies)))
    units = tuple(f"u{place // cluster}" for place in range(questions))
    usd = np.repeat(np.linspace(0.004, 0.001, len(accuracies))[:, None], questions, axis=1)
    seconds = np.repeat(np.linspace(4.0, 1.0, len(accuracies))[:, None], questions, axis=1)
    return KnownDrafts(names, codes, (codes == 0) * 1.0, units, 5, usd, seconds)


ABLE = (0.75, 0.7, 0.65, 0.6)


@pytest.fixture(scope="module")
def drafts() -> KnownDrafts:
    return world(1, ABLE, 160)


@pytest.fixture(scope="module")
def found(drafts: KnownDrafts) -> FoundOptions:
    return find_options(drafts.at(parted_in_two(drafts.units).search))


@pytest.fixture(scope="module")
def advice(drafts: KnownDrafts, found: FoundOptions) -> Advice:
    return advise(drafts, AdviceWanted(), found)


def _teams(advice: Advice) -> int:
    """Of these alone it is said that they are better than every player."""
    return sum(point.option.kind != SINGLE for point in advice.points)


def test_units_are_never_divided() -> None:
    units = [f"u{place // 3}" for place in range(90)]
    parts = parted_in_two(units)
    assert not {units[place] for place in parts.search} & {units[place] for place in parts.claim}
    assert sorted([*parts.search, *parts.claim]) == list(range(90))
    assert abs(len(parts.search) - len(parts.claim)) <= 3


def test_no_point_is_found_on_the_questions_kept_apart(drafts: KnownDrafts, advice: Advice) -> None:
    """Other answers there change every figure, and no point of the frontier."""
    parts = parted_in_two(drafts.units)
    codes, worth = drafts.codes.copy(), drafts.worth.copy()
    draw = np.random.default_rng(9)
    codes[:, parts.claim] = draw.integers(0, 5, size=(len(ABLE), len(parts.claim)))
    worth[:, parts.claim] = codes[:, parts.claim] == 0
    assert drafts.usd is not None
    usd = drafts.usd.copy()
    usd[:, parts.claim] *= draw.uniform(0.1, 5.0, size=(len(ABLE), 1))
    before = advice
    after = advise(replace(drafts, codes=codes, worth=worth, usd=usd), AdviceWanted())
    chosen = [[point.option.words(drafts.players) for point in each.points] for each in (before, after)]
    assert chosen[0] == chosen[1]
    for one, other in zip(before.points, after.points, strict=True):
        assert one.accuracy.value != other.accuracy.value


def test_figures_are_those_of_the_questions_kept_apart(drafts: KnownDrafts, advice: Advice) -> None:
    claim = drafts.at(parted_in_two(drafts.units).claim)
    assert advice.searched_on + advice.claimed_on == advice.n == 160
    for point in advice.points:
        played = point.option.played(claim)
        assert point.accuracy.value == pytest.approx(float(played.worth.mean()))
        assert point.accuracy.n == claim.size
    taken = advice.recommended
    assert taken in advice.points
    assert taken is not None
    if advice.over_singles is not None:
        level = 0.05 / _teams(advice)
        leads = [lead(taken.told, ToldWorth(row), claim.units).played for row in claim.worth]
        assert advice.over_singles.difference == min(each.value for each in leads)
        assert advice.over_singles.better == all((each.limits(level)[0] or -1.0) > 0 for each in leads)


def test_money_and_time_are_kept_to(drafts: KnownDrafts, found: FoundOptions) -> None:
    cheap = advise(drafts, AdviceWanted(budget_usd_per_1000=2.5), found).recommended
    assert cheap is not None
    assert cheap.played.usd_per_1000 is not None
    assert cheap.played.usd_per_1000 <= 2.6
    quick = advise(drafts, AdviceWanted(max_seconds=2.0), found).recommended
    assert quick is not None
    assert quick.played.mean_seconds is not None
    assert quick.played.mean_seconds <= 2.1
    none = advise(drafts, AdviceWanted(budget_usd_per_1000=0.5), found)
    assert none.recommended is None
    assert "the cheapest cost $1" in str(none.why_none)


def test_a_least_accuracy_is_promised_by_the_lower_end_alone() -> None:
    sure = world(4, (0.95, 0.9, 0.9), 200)
    kept = advise(sure, AdviceWanted(min_accuracy=0.7)).recommended
    assert kept is not None
    assert kept.accuracy.low is not None
    assert kept.accuracy.low >= 0.7
    far = advise(world(4, (0.6, 0.5, 0.5), 60), AdviceWanted(min_accuracy=0.9)).recommended
    assert far is not None
    assert far.accuracy.low is not None
    assert far.accuracy.low < 0.9


def test_it_says_how_many_questions_would_tell(drafts: KnownDrafts, advice: Advice) -> None:
    more, taken = advice.surer, advice.recommended
    assert more is not None
    assert taken is not None
    assert advice.over_singles is not None, (
        "it is a team, and the most accurate: told from the player who comes nearest"
    )
    assert (more.difference, more.low, more.high) == (
        advice.over_singles.difference,
        advice.over_singles.low,
        advice.over_singles.high,
    )
    rival = drafts.at(parted_in_two(drafts.units).claim).worth[drafts.players.index(advice.over_singles.player)]
    differ = float(np.abs(taken.played.worth - rival).mean())
    assert more.questions == needed(float(rival.mean()), more.difference, differ)
    in_the_run = needed(float(rival.mean()), more.difference, differ, comparisons=_teams(advice))
    assert in_the_run is not None
    assert more.more_in_this_run == 2 * in_the_run > 2 * more.questions


def test_a_stage_mends_no_more_than_is_wrong_there(advice: Advice) -> None:
    taken = advice.recommended
    assert taken is not None
    wrong = 100 * (1 - taken.accuracy.value)
    points = [stage.at_most_points for stage in advice.next]
    assert points == sorted(points)
    assert all(0 <= each <= wrong + 1e-9 for each in points)
    assert all(stage.questions <= MOST_OF_THEM * advice.claimed_on for stage in advice.next)


def test_a_stage_for_nearly_all_questions_is_none_for_the_unsure() -> None:
    """Nobody is sure of anything here."""
    unsure = advise(world(7, (0.3, 0.28, 0.27), 100), AdviceWanted())
    assert unsure.recommended is not None
    assert unsure.next == ()


@pytest.mark.parametrize(("questions", "cluster"), [(39, 1), (78, 2)])
def test_with_few_questions_nothing_is_told(questions: int, cluster: int) -> None:
    drafts = world(2, ABLE, questions, cluster=cluster)
    advice = advise(drafts, AdviceWanted())
    assert advice.points == ()
    assert advice.recommended is None
    assert "too few" in str(too_few_to_advise(drafts))


def test_all_alike_is_one_player() -> None:
    """Where all say the same nothing is better than the cheapest alone."""
    one = world(3, (0.6,), 80)
    same = KnownDrafts(("a", "b", "c"), np.repeat(one.codes, 3, axis=0), np.repeat(one.worth, 3, axis=0), one.units, 5)
    taken = advise(same, AdviceWanted()).recommended
    assert taken is not None
    assert taken.option.kind == SINGLE
