"""Cascades with a last stage that must be paid for: all of it is chosen where it was searched, and where it is played."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from moot.advise.advice import Advice, advise
from moot.advise.frontier import AdviceWanted
from moot.advise.known import KnownDrafts, parted_in_two
from moot.advise.staged import StagedOptions, staged_options
from moot.decide.cascading import UntilSure
from moot.errors import UsageError

NAMES = ("ann", "bob", "cat", "dan")


@pytest.fixture(scope="module")
def drafts() -> KnownDrafts:
    draw = np.random.default_rng(4)
    shape = 4, 240
    codes = np.where(draw.random(shape) < 0.5, 0, draw.integers(1, 4, size=shape)).astype(np.int16)
    codes[:, ::40] = -1  # nobody says anything
    return KnownDrafts(NAMES, codes, (codes == 0) * 1.0, tuple(map(str, range(240))), 4)


@pytest.fixture(scope="module")
def advice(drafts: KnownDrafts) -> Advice:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("moot.advise.find.FEWEST", 1_000)  # learning takes most of the time
        return advise(drafts, AdviceWanted(min_accuracy=0.99))


def searched(drafts: KnownDrafts) -> KnownDrafts:
    return drafts.at(parted_in_two(drafts.units).search)


@pytest.fixture(scope="module")
def staged(drafts: KnownDrafts, advice: Advice) -> StagedOptions:
    return staged_options(advice, searched(drafts))


def test_two_captains_of_each_stage_are_the_most_accurate_where_it_was_searched(
    drafts: KnownDrafts, advice: Advice, staged: StagedOptions
) -> None:
    search = searched(drafts)
    right = {NAMES[seat]: float(search.worth[seat].mean()) for seat in staged.cascade.seats}
    best = sorted(right, key=lambda name: -right[name])[:2]
    assert [option.name for option in staged.options] == [
        f"{stage}@{captain}" for stage in ("talkative", "silent") for captain in best
    ]
    assert staged.options[0].entry == {"talkative": {"captain": best[0]}}
    (review, _) = staged_options(advice, search, ["peer-review"]).options
    assert review.entry["peer-review"]["drafts"] == "single-call"


def test_the_stage_is_played_where_it_is_not_sure_with_everybody_asked(
    drafts: KnownDrafts, staged: StagedOptions
) -> None:
    """A vote that is decided is not sure by that. Where nobody said anything there is nothing to decide on."""
    unsure, worth = staged.unsure(drafts)
    candidates = drafts.candidates(staged.cascade.seats)
    until = staged.cascade.until
    assert isinstance(until, UntilSure)
    replay = staged.cascade.replay(candidates)
    spoke = candidates.spoke.any(axis=1)
    assert not unsure[~spoke].any()
    assert replay.asked[unsure].all()
    assert (replay.chances[unsure] < staged.below).all()
    assert (replay.chances[spoke & ~unsure] >= staged.below - 1e-9).all()
    assert 0 < unsure.sum() < len(unsure)
    assert worth[~spoke].sum() == 0
    decided = replace(staged.cascade, until=replace(until, or_decided=True)).replay(candidates).reached
    assert decided.sum() > replay.reached.sum(), "in this world some are decided early and not sure"


def test_nothing_of_it_is_chosen_on_the_questions_kept_apart(
    drafts: KnownDrafts, advice: Advice, staged: StagedOptions
) -> None:
    claim = parted_in_two(drafts.units).claim
    codes, worth = drafts.codes.copy(), drafts.worth.copy()
    codes[:, claim] = np.random.default_rng(1).integers(0, 4, size=(4, len(claim)))
    worth[:, claim] = codes[:, claim] == 0
    other = staged_options(advice, searched(replace(drafts, codes=codes, worth=worth)))
    assert other.below == staged.below
    assert other.cascade.words(NAMES) == staged.cascade.words(NAMES)
    assert [option.name for option in other.options] == [option.name for option in staged.options]


def test_the_table_is_seated_as_in_the_file(staged: StagedOptions) -> None:
    """In whatever order they are asked: so a run of the file finds the same calls."""
    names = staged.options[0].at_table(NAMES, reversed(NAMES))
    assert names == [name for name in reversed(NAMES) if name in names]
    assert len(names) == len(staged.cascade.seats) > 1


def test_what_cannot_be_a_last_stage_is_refused(drafts: KnownDrafts, advice: Advice) -> None:
    with pytest.raises(UsageError, match="learns itself"):
        staged_options(advice, searched(drafts), ["weighted"])
