"""What would tell more: how many questions, and which paid stage on which of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from moot.advise.cascades import CascadeOption
from moot.advise.frontier import ToldWorth, lead
from moot.advise.known import KnownDrafts
from moot.advise.options import SINGLE, AdvisedOption
from moot.decide.kinds_apart import told_by_drafts
from moot.decide.learning import FEWEST
from moot.decide.rules import winners
from moot.stats.completions import IntervalLimits
from moot.stats.power import MOST, needed
from moot.stats.quantiles import ALPHA

UNSURE = (0.5, 0.6, 0.7, 0.8, 0.9)
"""Probabilities below which a dear stage may be tried."""
MOST_OF_THEM = 0.67
"""A stage for nearly all of the questions is another strategy, and none for the unsure."""
NOTHING = 1e-9


@dataclass(frozen=True, slots=True)
class Surer:
    """How many new questions tell two options apart, with 80 % power."""

    against: str
    difference: float
    """On the questions kept apart."""
    low: float | None
    high: float | None
    told_apart: bool
    questions: int | None
    """Played by themselves, should the difference be what it is there. None: not known, see `why`."""
    more_in_this_run: int | None
    """Added to those that are there: one half is searched on again, and the other pays for all pairs."""
    why: str | None = None


def surer(
    told: ToldWorth,
    of_the_other: ToldWorth,
    against: str,
    units: Sequence[str],
    pairs: int = 1,
    limits: IntervalLimits | None = None,
) -> Surer:
    """`pairs`: so many there are, and the questions had a say in choosing this one. New questions have none. `limits`: those of
    the difference, where they are known."""
    ours, theirs = told.worth, of_the_other.worth
    ahead, level = lead(told, of_the_other, units), ALPHA / pairs
    low, high = ahead.limits(level, level) if limits is None else limits
    differ, gain = float(np.abs(ours - theirs).mean()), float((ours - theirs).mean())
    apart = ahead.played.p_zero is not None and low is not None and high is not None and not low <= 0 <= high
    if abs(gain) < NOTHING:
        alike = "they are equally good there" if differ else "they say the same there"
        return Surer(against, gain, low, high, apart, None, None, alike)
    if len(set(units)) < len(units):
        together = "questions that belong together tell less, and by how much is not known"
        return Surer(against, gain, low, high, apart, None, None, together)
    base = min(1.0, max(0.0, float(theirs.mean())))  # thirds add up to a little more than one
    design = base, min(1.0 - base, max(-base, gain)), differ
    alone, here = needed(*design), needed(*design, comparisons=pairs)
    if alone is None or here is None:
        return Surer(against, gain, low, high, apart, None, None, f"more than {MOST:,}")
    return Surer(against, gain, low, high, apart, alone, 2 * here)


@dataclass(frozen=True, slots=True)
class NextStage:
    """A dear stage on the questions of which the option is not sure: it can mend no more than is wrong there."""

    seats: tuple[int, ...]
    """Who would talk."""
    below: float
    questions: int
    at_most_points: float
    """Over all questions kept apart."""
    wrong: float


def next_stages(
    option: AdvisedOption, beside: AdvisedOption | None, search: KnownDrafts, claim: KnownDrafts
) -> list[NextStage]:
    """`beside`: a team whose agreement tells how sure one player alone may be."""
    alone = option.kind == SINGLE
    seats = tuple(sorted({*option.seats, *beside.seats})) if alone and beside is not None else option.seats
    if len(seats) < 2 or search.different_units < FEWEST:
        return []
    learnt = None if option.learnt is None else option.learnt.model
    model = told_by_drafts(search.candidates(seats), search.units) if learnt is None else learnt
    candidates = claim.candidates(seats)
    replay = option.replay(candidates) if isinstance(option, CascadeOption) else None
    ahead = winners(option.rule, candidates) if replay is None else replay.ahead
    chance = model.probabilities(candidates)[np.arange(len(candidates)), ahead.argmax(axis=1)]
    if replay is not None:  # those who were not asked tell nothing
        chance = np.where(np.isnan(replay.chances), chance, replay.chances)
    if candidates.categories:  # of a kind that taught nothing no rule tells how sure it is
        chance = np.where([kind in model.categories for kind in candidates.categories], chance, 0.0)
    wrong = 1.0 - option.played(claim).worth
    found: list[NextStage] = []
    for below in UNSURE:
        there = chance < below
        if there.any() and there.mean() <= MOST_OF_THEM:
            lost = float(wrong[there].sum())
            found.append(NextStage(seats, below, int(there.sum()), 100.0 * lost / claim.size, lost))
    return found


def to_try(stages: Sequence[NextStage]) -> NextStage | None:
    """The least threshold that has half of what any of them could mend."""
    most = max((stage.at_most_points for stage in stages), default=0.0)
    return next((stage for stage in stages if stage.at_most_points >= most / 2), None)
