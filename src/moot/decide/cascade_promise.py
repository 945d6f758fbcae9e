"""What can be promised of a cascade's answers: it is replayed on graded questions that taught nothing of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from moot.decide.asking_order import AskingPlan
from moot.decide.candidates import Candidates, Floats
from moot.decide.cascading import Replayed, replayed
from moot.decide.choice_model import ChoiceModel
from moot.decide.promise import LEVEL, UNANSWERED, Promise, promised


def cascade_promise(
    asking: AskingPlan,
    heard: Callable[[frozenset[str]], ChoiceModel | None],
    candidates: Candidates,
    units: Sequence[str],
    target: float,
    *,
    level: float = LEVEL,
    largest: int = 1,
) -> Promise:
    """As `promise_of`, with who would have been asked: a tie is as sure as the surest, and right only where all are."""
    went = replayed(candidates, asking.waves, asking.until)
    worth = np.where(went.ahead, np.nan_to_num(candidates.worth), 1.0).min(axis=1)
    rights = np.where(went.ahead.any(axis=1), worth, 0.0)
    return promised(_chances(went, heard, candidates), rights, units, target, level=level, largest=largest)


def _chances(went: Replayed, heard: Callable[[frozenset[str]], ChoiceModel | None], candidates: Candidates) -> Floats:
    found = np.full(len(candidates), UNANSWERED)
    for asked in np.unique(went.asked, axis=0):
        rows, seats = np.flatnonzero((went.asked == asked).all(axis=1)), np.flatnonzero(asked)
        model = heard(frozenset(candidates.players[seat] for seat in seats))
        if model is not None:
            told = model.probabilities(candidates.at(rows).only(seats.tolist()))
            found[rows] = np.where(went.ahead[rows], told, UNANSWERED).max(axis=1)
    return found
