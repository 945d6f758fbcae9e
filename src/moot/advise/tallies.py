"""How right a team would be with each of the others in it: all of them at once, ties as the mean over their lots.

A search asks this of very many teams. No voice counts less than nothing, so whoever joins can only lift one answer of each
question: it wins, it draws level, or all stays as it was. So a team and its newcomers take one look at every label.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from moot.decide.candidates import Candidates, Floats, Places

EVERYBODY = slice(None)
VOICELESS = 1e-4
"""What a voice counts that counts nothing: only where nobody else speaks."""
LEVEL = 1e-5
"""Scores that differ by less are a tie: a look at very many teams is taken in single precision."""
AT_ONCE = 40_000
"""Labels that are looked at in one go, so that they stay near the processor."""

ShortFloats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class TalliedVote:
    """How a vote stands, of each question."""

    scores: ShortFloats
    """Questions × places and one more, which is that of silence."""
    top: ShortFloats
    level: ShortFloats
    """How many answers have that score."""
    won: ShortFloats
    """What these are worth, added up."""

    @property
    def worth(self) -> ShortFloats:
        found: ShortFloats = self.won / np.maximum(self.level, 1.0)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Tallies:
    """Players × questions: where each answer stands, what it is worth, and what the voice counts there."""

    place: NDArray[np.intp]
    worth: ShortFloats
    weight: ShortFloats
    worth_at: ShortFloats
    """Questions × places."""
    flat: NDArray[np.intp]
    """Players × questions: the place among all of `TalliedVote.scores`."""

    @classmethod
    def of(cls, candidates: Candidates, weight: Floats | None = None) -> Tallies:
        """`weight`: players × questions; left out, all count alike."""
        questions, places, players = candidates.support.shape
        place = np.where(candidates.spoke, candidates.support.argmax(axis=1), places).T
        worth_at = np.concatenate([candidates.worth, np.zeros((questions, 1))], axis=1).astype(np.float32)
        worth = np.take_along_axis(worth_at, place.T, axis=1).T
        counted = np.ones((players, questions)) if weight is None else np.maximum(weight, VOICELESS)
        flat = place + np.arange(questions)[None, :] * (places + 1)
        return cls(place, np.ascontiguousarray(worth), counted.astype(np.float32), worth_at, np.ascontiguousarray(flat))

    def standing(self, team: Iterable[int], without: Places | None = None) -> TalliedVote:
        """`without`: of each question a place that cannot win."""
        scores = np.zeros(self.worth_at.shape, dtype=np.float32)
        every = scores.reshape(-1)
        for member in team:
            every[self.flat[member]] += self.weight[member]
        scores[:, -1] = -np.inf
        if without is not None:
            scores[np.arange(len(scores)), without] = -np.inf
        top = scores.max(axis=1)
        ahead = (scores >= top[:, None] - LEVEL) & (scores > 0)
        level = ahead.sum(axis=1, dtype=np.float32)
        return TalliedVote(scores, np.maximum(top, 0.0), level, np.einsum("qp,qp->q", ahead, self.worth_at))

    def blocks(self, standing: TalliedVote, newcomers: slice) -> Iterator[JoinedBlock]:
        """Had each of the newcomers joined, question by question, a part of these at a time."""
        seats = range(*newcomers.indices(len(self.worth)))
        step = max(1, AT_ONCE // max(1, len(seats)))
        scores = standing.scores.reshape(-1)
        for start in range(0, len(standing.top), step):
            part = slice(start, start + step)
            top, worth = standing.top[part], self.worth[newcomers, part]
            own = scores[self.flat[newcomers, part]]
            own += self.weight[newcomers, part]
            over = own - top
            tied = (worth + standing.won[part]) / (standing.level[part] + 1.0)
            taken = np.where(over > LEVEL, worth, np.where(over >= -LEVEL, tied, standing.worth[part]))
            yield JoinedBlock(part, own, taken)

    def values(self, team: Iterable[int], newcomers: slice = EVERYBODY) -> Floats:
        """Of each newcomer: how right the team would be with it."""
        standing = self.standing(team)
        sums = sum(block.worth.sum(axis=1, dtype=np.float64) for block in self.blocks(standing, newcomers))
        return np.asarray(sums / max(1, len(standing.top)), dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class JoinedBlock:
    """Newcomers × some of the questions."""

    part: slice
    own: ShortFloats
    """The score of the newcomer's answer."""
    worth: ShortFloats
    """What the answer taken would be worth."""
