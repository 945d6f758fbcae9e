"""Which of the answers given is right, or that none is: a model of that choice, with a weight for every player.

Each answer has the weights of those who gave it behind it, and a common weight for each of them; "none of them" has a
weight of its own, which goes by how many spoke and how many different answers there are. The probabilities of all these are
their exponentials, as shares of the sum: so those of one question never add up to more than one, and where all weights of
players are equal the largest group wins, as in a vote. Players' own weights are drawn strongly towards 0, the others
weakly: with few questions it is a vote with a probability, with more it knows who is to be trusted.

Where questions have categories, each has weights of its own, drawn towards those of all: a category with few questions
has what all have.

In the papers' terms: a conditional logit with an outside option. One logistic regression an answer, which looks at the
answers one by one, is as accurate and is less well calibrated (bench/README.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt

from moot.decide.candidates import Bools, Candidates, Floats, Places
from moot.later import numpy as np

PENALTIES = (0.3, 1.0, 3.0, 10.0, 30.0)
"""How strongly the weights of players are drawn to 0; the one is taken that predicts the questions left out best."""
WEAK = 0.05
CATEGORY_PULLS = (1.0, 3.0, 10.0, 30.0)
"""How strongly a category is drawn to all. One that is too strong leaves experts of a category half believed, and what is told of
them is too low; of these, and of no categories, the one is taken that predicts the questions left out best."""
CATEGORY_PULL = 3.0
"""Where it is not chosen: whoever does not choose learns afterwards how far to go with what is told."""
FEWEST_OF_CATEGORY = 5
MOST_CATEGORIES = 50
"""So many, the largest, have weights of their own: of one that has not, as of one that was never seen, is said what is of all."""
ENOUGH = 2_000
"""So many questions choose a penalty."""
IN_ONE_THREAD = 200_000
"""Multiplications of one product that the libraries of linear algebra do not hand to several threads."""
STEPS = 50
LONGEST_STEP = 2.0
CLOSE = 1e-5
"""A step of Newton's method that is shorter than this leaves less than its square to go."""


def within_sample(chances: Floats, questions: int | None) -> Floats:
    """No surer than so many graded questions can show: had all of them been right, one more would be with 1 - 1/(n + 2), by
    Laplace's rule of succession. Weights that were learnt from them may add up to far more. None: nobody knows how many."""
    return chances if questions is None else np.minimum(chances, 1 - 1 / (questions + 2))


@dataclass(frozen=True, slots=True, eq=False)
class ChoiceModel:
    """What was learnt: of each player, of all of them, and of none being right."""

    players: tuple[str, ...]
    weights: Floats
    """Of each player, beside what all have in common."""
    common: float
    """For each who gives an answer."""
    none: tuple[float, float, float]
    """That no answer is right: always, by the share of players who spoke, by different answers a player."""
    penalty: float
    category_pull: float | None = None
    """How strongly categories were drawn to all; None: they have no weights of their own."""
    categories: Mapping[str, Floats] = field(default_factory=dict)
    """Of each category with enough questions, all weights in one row: players, common, none."""
    questions: int | None = None
    """So many taught it; None: nobody says."""

    def probabilities(self, candidates: Candidates) -> Floats:
        """Questions × places: that the answer there is right, as far as the sample goes. 0 where there is none."""
        if candidates.players != self.players:
            raise ValueError(f"learnt of {self.players}, asked about {candidates.players}")
        return within_sample(self._told(_Features.of(candidates), candidates.categories), self.questions)

    def likelihood(self, lessons: _Lessons) -> Floats:
        """Of each question, as a logarithm: how well what turned out was foreseen."""
        chances, shares = self._told(lessons.features, lessons.categories), lessons.shares
        none = np.maximum(1.0 - chances.sum(axis=1), 1e-12)
        told = (shares * np.log(np.maximum(chances, 1e-12))).sum(axis=1)
        found: Floats = told + (1.0 - shares.sum(axis=1)) * np.log(none)
        return found

    def _told(self, features: _Features, categories: Sequence[str]) -> Floats:
        found = _chances(features, self.row)[0]
        for category, row in self.categories.items():
            there = np.array([name == category for name in categories], dtype=np.bool_)
            if there.any():
                found[there] = _chances(features.at(there), row)[0]
        return found

    @property
    def row(self) -> Floats:
        return np.concatenate([self.weights, [self.common], self.none])


@dataclass(frozen=True, slots=True, eq=False)
class _Features:
    """Of each answer (questions × places × features), and of none being right (questions × features)."""

    given: Bools
    answer: Floats
    none: Floats

    @classmethod
    def of(cls, candidates: Candidates) -> _Features:
        counts, players = candidates.counts, len(candidates.players)
        answer = np.concatenate([candidates.support.astype(float), counts[:, :, None]], axis=2)
        spoke, different = counts.sum(axis=1) / players, candidates.given.sum(axis=1) / players
        none = np.stack([np.ones(len(candidates)), spoke, different], axis=1)
        return cls(candidates.given, answer, none)

    def at(self, questions: Bools) -> _Features:
        return _Features(self.given[questions], self.answer[questions], self.none[questions])


@dataclass(frozen=True, slots=True, eq=False)
class _Lessons:
    """Settled questions as the search reads them: made once, however often it is learnt from them."""

    players: tuple[str, ...]
    features: _Features
    shares: Floats
    categories: tuple[str, ...]

    @classmethod
    def of(cls, candidates: Candidates) -> _Lessons:
        return cls(candidates.players, _Features.of(candidates), right_shares(candidates), candidates.categories)


def _chances(features: _Features, row: Floats) -> tuple[Floats, Floats]:
    """Of each answer, and of none."""
    size = features.answer.shape[2]
    answers = np.where(features.given, features.answer @ row[:size], -np.inf)
    none = features.none @ row[size:]
    highest = np.maximum(answers.max(axis=1), none)
    answers, none = np.exp(answers - highest[:, None]), np.exp(none - highest)
    total = answers.sum(axis=1) + none
    return answers / total[:, None], none / total


def fitted(features: _Features, shares: Floats, centre: Floats, pull: Floats, begin: Floats | None = None) -> Floats:
    """The weights with the highest likelihood, drawn towards `centre`: Newton's method, of a function with one top.

    `shares`: how right each answer is, as shares of one; what is left over is that none is. `begin`: where the search starts,
    which is no matter but for its time; left out, at the centre.
    """
    row, none_right = (centre if begin is None else begin).copy(), 1.0 - shares.sum(axis=1)
    size = features.answer.shape[2]
    flat, pulled = features.answer.reshape(-1, size), np.diag(pull)
    for _ in range(STEPS):
        answers, none = _chances(features, row)
        slope = np.concatenate([(answers - shares).reshape(-1) @ flat, (none - none_right) @ features.none]) + pull * (
            row - centre
        )
        mean = np.concatenate(
            [np.einsum("qp,qpf->qf", answers, features.answer), none[:, None] * features.none], axis=1
        )
        curve = pulled - _summed_products(mean, mean)
        curve[:size, :size] += _summed_products(flat * answers.reshape(-1)[:, None], flat)
        curve[size:, size:] += (features.none * none[:, None]).T @ features.none
        step = np.linalg.solve(curve, slope)
        longest = float(np.abs(step).max())
        row = row - step * min(1.0, LONGEST_STEP / max(longest, CLOSE))
        if longest < CLOSE:
            break
    return row


def _summed_products(left: Floats, right: Floats) -> Floats:
    """The product of the one turned on its side with the other, block by block.

    A product as small as these is quicker than handing it to several threads, which is what a large one is for: on a machine
    that is busy they wait for each other, and learning took fifteen times as long.
    """
    size = left.shape[1]
    rows = max(1, IN_ONE_THREAD // (size * size))
    if len(left) < rows:
        return left.T @ right
    whole = len(left) // rows * rows
    blocks = left[:whole].reshape(-1, rows, size).transpose(0, 2, 1) @ right[:whole].reshape(-1, rows, size)
    products: Floats = blocks.sum(axis=0) + left[whole:].T @ right[whole:]
    return products


def learn(
    candidates: Candidates, penalty: float, *, category_pull: float | None = CATEGORY_PULL, begin: Floats | None = None
) -> ChoiceModel:
    """From questions of which all is settled. `category_pull`: how strongly categories are drawn to all; None: they have no
    weights of their own. `begin`: the row of a model that is likely near, to be there sooner."""
    return _learnt(_Lessons.of(candidates), penalty, category_pull, begin)


def _learnt(lessons: _Lessons, penalty: float, category_pull: float | None, begin: Floats | None) -> ChoiceModel:
    players, features, shares = len(lessons.players), lessons.features, lessons.shares
    centre = np.zeros(players + 4)
    pull = np.concatenate([np.full(players, penalty), np.full(4, WEAK)])
    row = fitted(features, shares, centre, pull, begin)
    categories: dict[str, Floats] = {}
    if category_pull is not None:
        for name, _ in sorted(Counter(lessons.categories).most_common(MOST_CATEGORIES)):
            there = np.array([each == name for each in lessons.categories], dtype=np.bool_)
            if name and FEWEST_OF_CATEGORY <= there.sum() < len(there):
                towards = np.full(len(row), category_pull)
                categories[name] = fitted(features.at(there), shares[there], row, towards)
    common, *none = row[players:]
    return ChoiceModel(
        lessons.players,
        row[:players],
        float(common),
        (float(none[0]), float(none[1]), float(none[2])),
        penalty,
        category_pull,
        categories,
        len(shares),
    )


def right_shares(candidates: Candidates) -> Floats:
    """How right each answer is, so that those of a question add up to one at most: two may be right in other words."""
    worth = np.where(candidates.given, np.nan_to_num(candidates.worth), 0.0)
    shares: Floats = worth / np.maximum(worth.sum(axis=1, keepdims=True), 1.0)
    return shares


def learn_best(candidates: Candidates, folds: Sequence[int], penalties: Sequence[float] = PENALTIES) -> ChoiceModel:
    """With the penalty that foresees the questions of each fold best from the others; with categories where these foresee them
    better by more than the standard error of that.

    Of many questions the first `ENOUGH` by fold and place choose the penalty: with more it hardly matters.
    """
    fold_of = np.asarray(folds)
    if len(fold_of) > ENOUGH:
        part = np.sort(np.random.default_rng(len(fold_of)).permutation(len(fold_of))[:ENOUGH])
        chosen = candidates.at(part), fold_of[part]
    else:
        chosen = candidates, fold_of
    splits = _splits(*chosen)
    near: dict[int, Floats] = {}
    foreseen = {each: _foreseen(splits, each, near) for each in sorted(penalties, reverse=True)}
    penalty = max(penalties, key=lambda each: (float(foreseen[each].sum()), each))
    category_pull: float | None = None
    if len(set(candidates.categories)) > 1:
        gained = {each: _foreseen(splits, penalty, near, each) - foreseen[penalty] for each in CATEGORY_PULLS}
        best = max(gained, key=lambda each: (float(gained[each].sum()), each))
        if gained[best].sum() > sqrt(len(gained[best])) * gained[best].std():
            category_pull = best
    return learn(candidates, penalty, category_pull=category_pull, begin=next(iter(near.values()), None))


@dataclass(frozen=True, slots=True, eq=False)
class _Split:
    """One fold, and what is learnt without it."""

    inside: Places
    within: _Lessons
    without: _Lessons | None
    """None: there is no other fold to learn from."""


def _splits(candidates: Candidates, fold_of: Places) -> list[_Split]:
    splits = []
    for fold in np.unique(fold_of):
        inside, outside = np.flatnonzero(fold_of == fold), np.flatnonzero(fold_of != fold)
        without = _Lessons.of(candidates.at(outside)) if len(outside) else None
        splits.append(_Split(inside, _Lessons.of(candidates.at(inside)), without))
    return splits


def _foreseen(
    splits: Sequence[_Split], penalty: float, near: dict[int, Floats], category_pull: float | None = None
) -> Floats:
    """How well each question is foreseen from the other folds. `near`: of each fold what was learnt without it with another
    penalty."""
    found = np.zeros(sum(len(split.inside) for split in splits))
    for place, split in enumerate(splits):
        if split.without is not None:
            model = _learnt(split.without, penalty, category_pull, near.get(place))
            near[place] = model.row
            found[split.inside] = model.likelihood(split.within)
    return found
