"""What a team's labels say of the truth where a label means something only within its question.

Of a proposer one thing can be learnt then: how often it is right (naive Bayes as `decide` has it). What is said for an answer is
the sum over those who gave it, so whoever joins a team moves one answer of each question: nothing grows with the number of
different labels that there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from moot.decide.candidates import SILENT
from moot.decide.one_coin import naive_bayes
from moot.select.labels import Floats, LabelMatrix, Places
from moot.select.voting import LOT, candidates_in


@dataclass(frozen=True, slots=True, eq=False)
class WithinQuestions:
    """The cross-validated worth of the answer that a team's labels speak for."""

    place: Places
    """proposers × questions: which of the question's answers it gave; `SILENT` where none."""
    weight: Floats
    """proposers × questions: how much it says for that answer, by the other folds."""
    worth: Floats
    """questions × answers."""
    lot: Floats
    """questions × answers: who wins a tie."""

    @classmethod
    def of(cls, labels: LabelMatrix, folds: Places) -> WithinQuestions:
        """Of questions of which somebody knows the answer."""
        candidates = candidates_in(labels)
        place = np.where(candidates.spoke, candidates.support.argmax(axis=1), SILENT).T
        weight = np.zeros(place.shape)
        for fold in np.unique(folds):
            learnt = naive_bayes(candidates.at(np.flatnonzero(folds != fold)))
            weight[:, folds == fold] = np.array([learnt.weights[name] for name in candidates.players])[:, None]
        lot = np.random.default_rng(labels.size).random(candidates.worth.shape) * LOT
        return cls(place, weight, candidates.worth, lot)

    def values(self, base: Sequence[int], candidates: Places) -> Floats:
        scores = self._scores(base)
        every = np.arange(len(scores))
        first = scores.argmax(axis=1)
        others = scores.copy()
        others[every, first] = -np.inf
        second = others.argmax(axis=1)
        worth_if = {rank: self._worth_at(scores, place) for rank, place in (("first", first), ("second", second))}
        worth = np.empty(len(candidates))
        for number, candidate in enumerate(candidates):
            said = self.place[candidate]
            spoke = said != SILENT
            joined = np.where(spoke, said, 0)
            so_far = scores[every, joined]
            own = np.where(np.isfinite(so_far), so_far, self.lot[every, joined]) + self.weight[candidate]
            on_top = joined == first
            rival = np.where(on_top, scores[every, second], scores[every, first])
            of_rival = np.where(on_top, worth_if["second"], worth_if["first"])
            taken = np.where(own > rival, self.worth[every, joined], of_rival)
            # A rival that nobody gave is none, however much is said against the answer that there is.
            worth[number] = np.where(spoke, taken, worth_if["first"]).mean()
        return worth

    def _scores(self, team: Sequence[int]) -> Floats:
        """questions × answers: what the team says for each; minus infinity where none of it gave it."""
        scores = np.full(self.worth.shape, -np.inf)
        for member in team:
            asked = np.flatnonzero(self.place[member] != SILENT)
            at = self.place[member, asked]
            so_far = scores[asked, at]
            scores[asked, at] = np.where(np.isfinite(so_far), so_far, self.lot[asked, at]) + self.weight[member, asked]
        return scores

    def _worth_at(self, scores: Floats, place: Places) -> Floats:
        """0 where there is no such answer."""
        every = np.arange(len(scores))
        return np.where(np.isfinite(scores[every, place]), self.worth[every, place], 0.0)
