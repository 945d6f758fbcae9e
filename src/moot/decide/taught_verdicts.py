"""What lessons teach about the verdicts of a strategy that asks on after the drafts: a captain's, say.

Its verdicts on other questions are graded like any answer. Beside each stands what the drafts alone would have told of it,
learnt on questions other than its own, so that what the strategy adds to the drafts, or takes from them, can be learnt
(`moot.decide.verdict_chance`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from moot.decide.candidates import SILENT, Bools, Candidates, Floats, Places
from moot.decide.choice_model import ChoiceModel, learn
from moot.decide.learning import FOLDS, folds_of, too_few_to_learn
from moot.decide.promise import LEVEL, UNANSWERED, Promise, promised
from moot.decide.studied import NothingLearnt, Studied
from moot.decide.verdict_chance import VerdictModel, learn_verdicts
from moot.later import numpy as np
from moot.stats.graded import FEW_WAITING
from moot.team.lessons import NOT_PLAYED


@dataclass(frozen=True, slots=True, eq=False)
class TaughtVerdicts:
    """A strategy's verdicts on the questions of some lessons, beside the drafts that they rest on."""

    candidates: Candidates
    units: tuple[str, ...]
    chosen: Places
    """The place of the group that each is of; `SILENT`: nobody had drafted it."""
    known: Bools
    """Whether there is an answer, and it is known whose draft it is."""
    rights: Floats
    """NaN: not graded."""
    answered: Bools
    open_ones: Bools
    """Questions that somebody may still say of what is right."""

    @classmethod
    def of(cls, taught: Studied) -> TaughtVerdicts:
        verdicts = [lesson.verdict or NOT_PLAYED for lesson in taught.lessons]
        chosen = [
            place_of_holders(taught.candidates, question, verdict.holders or ())
            for question, verdict in enumerate(verdicts)
        ]
        rights = [np.nan if verdict.right is None else verdict.right for verdict in verdicts]
        answered = np.array([verdict.answered for verdict in verdicts], dtype=np.bool_)
        return cls(
            taught.candidates,
            taught.units,
            np.array(chosen, dtype=np.intp),
            answered & np.array([verdict.holders is not None for verdict in verdicts], dtype=np.bool_),
            np.array(rights, dtype=float),
            answered,
            np.array([lesson.question.kind == "open" for lesson in taught.lessons], dtype=np.bool_),
        )

    def learn(
        self, penalty: float, until: float | None = None, *, category_pull: float | None = None
    ) -> VerdictModel | NothingLearnt:
        """`penalty`, `category_pull`: those of the model which tells of the drafts. `until`: the strategy is played only
        where the drafts leave every answer less likely than this; what it is worth there is drawn to what it is worth on all
        questions."""
        waiting = self.answered & np.isnan(self.rights) & self.open_ones
        gradable = int((waiting | (self.answered & ~np.isnan(self.rights))).sum())
        if waiting.sum() > FEW_WAITING * gradable:
            told = "wait for a grade, and whether one has it hangs on what was said"
            return NothingLearnt(f"{int(waiting.sum()):,} of {gradable:,} of its answers {told}")
        rows = np.flatnonzero(self.known & ~np.isnan(self.rights))
        if (few := too_few_to_learn(len(rows), [self.units[row] for row in rows])) is not None:
            return NothingLearnt(f"of its own verdicts {few}")
        own = self.chosen[rows] == SILENT
        every = cross_fitted(self.candidates, self.units, penalty, category_pull=category_pull)[rows]
        drafted = np.where(own, np.nan, every[np.arange(len(rows)), np.maximum(self.chosen[rows], 0)])
        everywhere = learn_verdicts(drafted, own, self.rights[rows])
        unsure = np.flatnonzero(every.max(axis=1) < (1.0 if until is None else until))
        if until is None or not len(unsure):
            return everywhere
        return learn_verdicts(drafted[unsure], own[unsure], self.rights[rows][unsure], everywhere)

    @property
    def graded(self) -> int:
        return int((self.known & ~np.isnan(self.rights)).sum())

    def promise(
        self, model: ChoiceModel, verdicts: VerdictModel, target: float, *, level: float = LEVEL, largest: int = 1
    ) -> Promise:
        """On questions that taught neither model. What waits for a grade is taken for wrong; what has no answer, or one of
        which nobody knows whose it is, is not answered; and of which nobody ever says what is right, is left out."""
        rows = np.flatnonzero(self.counted)
        chances, rights = self.chances(model, verdicts)[rows], np.nan_to_num(self.rights[rows])
        return promised(chances, rights, [self.units[row] for row in rows], target, level=level, largest=largest)

    @property
    def counted(self) -> Bools:
        """All but what nobody ever says of whether it is right."""
        counted: Bools = ~self.answered | ~np.isnan(self.rights) | self.open_ones
        return counted

    def chances(self, model: ChoiceModel, verdicts: VerdictModel) -> Floats:
        """That each is right; `UNANSWERED` where there is no answer, or nobody knows whose it is."""
        own, every = self.chosen == SILENT, np.arange(len(self.chosen))
        drafted = model.probabilities(self.candidates)[every, np.maximum(self.chosen, 0)]
        found: Floats = np.where(self.known, verdicts.chances(np.where(own, np.nan, drafted), own), UNANSWERED)
        return found


def place_of_holders(candidates: Candidates, question: int, holders: Sequence[str]) -> int:
    """The place of the answer that these gave; `SILENT`: nobody gave it."""
    seats = [seat for seat, name in enumerate(candidates.players) if name in holders]
    there = candidates.support[question][:, seats].any(axis=1) if seats else np.zeros(1, dtype=np.bool_)
    return int(there.argmax()) if there.any() else SILENT


def cross_fitted(
    candidates: Candidates, units: Sequence[str], penalty: float, *, category_pull: float | None = None
) -> Floats:
    """Questions × places: how likely each answer is right, learnt on other questions of the same lessons."""
    found = np.zeros(candidates.worth.shape)
    folds = folds_of(units, FOLDS, role="verdicts")
    settled = candidates.settled
    for fold in np.unique(folds):
        inside, others = np.flatnonzero(folds == fold), np.flatnonzero((folds != fold) & settled)
        found[inside] = learn(candidates.graded(others), penalty, category_pull=category_pull).probabilities(
            candidates.at(inside)
        )
    return found
