"""What can be promised of a cascade's answers: it is replayed on graded questions that taught nothing of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from moot.decide.asking_order import AskingPlan
from moot.decide.candidates import Candidates, Floats
from moot.decide.cascading import Replayed, replayed
from moot.decide.choice_model import ChoiceModel
from moot.decide.promise import LEVEL, UNANSWERED, Promise, promised
from moot.decide.taught_verdicts import TaughtVerdicts
from moot.decide.verdict_chance import VerdictModel
from moot.later import numpy as np

HeardBy = Callable[[frozenset[str]], ChoiceModel | None]
"""By who was asked: what tells how likely each of their answers is right."""


def cascade_promise(
    asking: AskingPlan,
    heard: HeardBy,
    candidates: Candidates,
    units: Sequence[str],
    target: float,
    *,
    level: float = LEVEL,
    largest: int = 1,
) -> Promise:
    """As `promise_of`, with who would have been asked: a tie is as sure as the surest, and right only where all are."""
    went = replayed(candidates, asking.waves, asking.until)
    chances, rights = _chances(went, heard, candidates), _rights(went, candidates)
    return promised(chances, rights, units, target, level=level, largest=largest)


def staged_promise(
    asking: AskingPlan,
    heard: HeardBy,
    verdicts: VerdictModel,
    played: TaughtVerdicts,
    target: float,
    *,
    level: float = LEVEL,
    largest: int = 1,
) -> Promise:
    """The same where a last stage follows: where it would have been played its own graded verdict counts, else what the
    drafts had come to by then. `verdicts`: what that stage is worth beside the drafts."""
    candidates = played.candidates
    everybody = heard(frozenset(candidates.players))
    assert everybody is not None, "what is learnt of some is learnt of all"
    went = replayed(candidates, asking.waves, asking.until)
    of_drafts = candidates.settled | (candidates.waiting & played.open_ones)
    rows = np.flatnonzero(np.where(went.reached, of_drafts, played.counted))
    told = np.where(went.reached, _chances(went, heard, candidates), played.chances(everybody, verdicts))
    rights = np.where(went.reached, _rights(went, candidates), np.nan_to_num(played.rights))
    units = [played.units[row] for row in rows]
    return promised(told[rows], rights[rows], units, target, level=level, largest=largest)


def _rights(went: Replayed, candidates: Candidates) -> Floats:
    worth = np.where(went.ahead, np.nan_to_num(candidates.worth), 1.0).min(axis=1)
    return np.where(went.ahead.any(axis=1), worth, 0.0)


def _chances(went: Replayed, heard: HeardBy, candidates: Candidates) -> Floats:
    found = np.full(len(candidates), UNANSWERED)
    for asked in np.unique(went.asked, axis=0):
        rows, seats = np.flatnonzero((went.asked == asked).all(axis=1)), np.flatnonzero(asked)
        model = heard(frozenset(candidates.players[seat] for seat in seats))
        if model is not None:
            told = model.probabilities(candidates.at(rows).only(seats.tolist()))
            found[rows] = np.where(went.ahead[rows], told, UNANSWERED).max(axis=1)
    return found
