"""exact: the best team there is for a label-level objective: the count-based one by branch and bound, any by trying all.

Not a method to win with, but the measure of the others: it says how far a greedy choice is from the optimum of what
both of them look at. Teams grow in one order of proposers; a branch is cut where even an optimist finds nothing better
in it; the last two members are found together, by one product of matrices.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np

from moot.select.kgreedy import Objective, k_greedy, value
from moot.select.labels import Floats, SelectionSplit, selection_only
from moot.select.oracle import Meter, Oracle
from moot.select.registry import Chosen, check_calls, check_count, check_k, completed
from moot.select.surrogate import SAMPLES, WorthByCount, learn
from moot.select.truth import FOLDS, dealt, predicted, why_not_cross_validated

MOST_NODES = 300_000
"""Looked at before the search gives up: half a minute or so."""

LITTLE = 1e-9
"""A team that is better by less than this is not better."""


@dataclass(frozen=True, slots=True)
class Exact:
    """The team with the highest mean of g(c), with g as `oracle-surrogate` learns it; or the best to predict the truth."""

    name: ClassVar[str] = "exact"

    objective: Literal["counts", "truth"] = "counts"
    """`counts`: what oracle-surrogate climbs. `truth`: what truth-prediction climbs; all teams are tried, so few can be."""
    samples: int = SAMPLES
    most_nodes: int = MOST_NODES
    calls: int | None = None
    """At most so many summariser calls, for learning g."""

    def __post_init__(self) -> None:
        if self.objective not in ("counts", "truth"):
            raise ValueError(f"objective: expected counts or truth, found {self.objective!r}")
        check_count("samples", self.samples)
        check_count("most_nodes", self.most_nodes)
        check_calls(self.calls)

    async def select(self, split: SelectionSplit, k: int, oracle: Oracle) -> Chosen:
        check_k(selection_only(split).labels, k)
        if self.objective == "truth":
            return self._by_truth(split, k)
        learnt = await learn(split, k, Meter(oracle, self.calls), self.samples)
        if learnt is None:
            too_small = f"a budget of {self.calls} calls is too small to learn g; by accuracy"
            return Chosen(completed(split, (), k), notes=(too_small,))
        objective = learnt.objective
        best = optimum(objective, k, start=k_greedy(split, objective, k), most_nodes=self.most_nodes)
        return _told(split, objective, best, learnt.calls, learnt.notes, learnt.detail(best.value))

    def _by_truth(self, split: SelectionSplit, k: int) -> Chosen:
        split = replace(split, labels=split.labels.with_known_truth())
        labels = split.labels
        if why := why_not_cross_validated(split):
            return Chosen(completed(split, (), k), notes=(why,))
        objective = predicted(labels, dealt(split, FOLDS))
        start = k_greedy(split, objective, k)
        best = tried(objective, len(labels.proposers), k, start=start, most_nodes=self.most_nodes)
        return _told(split, objective, best, 0, ())


def _told(
    split: SelectionSplit,
    objective: Objective,
    best: Optimum,
    calls: int,
    notes: tuple[str, ...],
    learnt: Mapping[str, Any] | None = None,
) -> Chosen:
    if not best.proven:
        unknown = f"the search ended after {best.nodes:,} nodes: the best found, no proof that it is the best"
        notes = (*notes, unknown)
    # In the order of accuracy, since the optimum itself has none.
    accuracy = split.labels.accuracy
    team = tuple(sorted(best.team, key=lambda place: (-accuracy[place], place)))
    detail: dict[str, Any] = {
        "worth": best.value,
        "proven": best.proven,
        "nodes": best.nodes,
        "objective": objective,
        **(learnt or {}),
    }
    return Chosen(team, calls, notes, detail)


@dataclass(frozen=True, slots=True)
class Optimum:
    team: tuple[int, ...]
    value: float
    proven: bool
    nodes: int


def optimum(
    objective: WorthByCount, k: int, *, start: Sequence[int] | None = None, most_nodes: int = MOST_NODES
) -> Optimum:
    """The best team of k. `start` is a good guess, improved by swaps before the search: it cuts more branches."""
    size = len(objective.right)
    guess = tuple(start) if start is not None else tuple(range(k))
    if size == k:
        everybody = tuple(range(size))
        return Optimum(everybody, value(objective, everybody), True, 1)
    guess = _swapped(objective, guess)
    search = _Search(objective, k, most_nodes, guess, value(objective, guess))
    search.run()
    return Optimum(search.team, search.best, search.nodes <= most_nodes, min(search.nodes, most_nodes))


def tried(objective: Objective, size: int, k: int, *, start: Sequence[int], most_nodes: int = MOST_NODES) -> Optimum:
    """The best team by any objective: all teams, the last member of each found together with its rivals."""
    best, value_of_best, nodes = tuple(start), value(objective, start), 0
    for base in itertools.combinations(range(size), k - 1):
        last = np.arange(base[-1] + 1 if base else 0, size)
        if not len(last):
            continue
        nodes += 1
        if nodes > most_nodes:
            return Optimum(best, value_of_best, False, most_nodes)
        worth = objective.values(base, last)
        if worth.max() > value_of_best + LITTLE:
            best, value_of_best = (*base, int(last[worth.argmax()])), float(worth.max())
    return Optimum(best, value_of_best, True, nodes)


def _swapped(objective: WorthByCount, team: tuple[int, ...]) -> tuple[int, ...]:
    """Swap one member for a better one as long as there is one."""
    best = value(objective, team)
    better = True
    while better:
        better = False
        for seat in range(len(team)):
            rest = team[:seat] + team[seat + 1 :]
            outside = np.setdiff1d(np.arange(len(objective.right)), rest)
            worth = objective.values(rest, outside)
            if worth.max() > best + LITTLE:
                team, best, better = (*rest, int(outside[worth.argmax()])), float(worth.max()), True
    return team


@dataclass
class _Search:
    objective: WorthByCount
    k: int
    most_nodes: int
    team: tuple[int, ...]
    best: float
    nodes: int = 0
    order: np.ndarray = field(init=False)
    right: Floats = field(init=False)
    jump: Floats = field(init=False)
    """By members still to come and labels right so far: the largest gain that one more right label can bring."""
    top: Floats = field(init=False)
    """The same for the highest g that can be reached."""

    def __post_init__(self) -> None:
        g, k = self.objective.g, self.k
        self.order = np.argsort(-self.objective.right.mean(axis=1), kind="stable")
        self.right = np.ascontiguousarray(self.objective.right[self.order])
        steps = np.diff(g)
        self.jump = np.zeros((k + 1, k + 1))
        self.top = np.zeros((k + 1, k + 1))
        for left in range(k + 1):
            for c in range(k - left + 1):
                self.jump[left, c] = max(0.0, *steps[c : c + left]) if left else 0.0
                self.top[left, c] = g[c : c + left + 1].max()

    def run(self) -> None:
        self._branch((), np.zeros(self.right.shape[1], dtype=np.intp), 0)

    def _branch(self, team: tuple[int, ...], c: np.ndarray, begin: int) -> None:
        left = self.k - len(team)
        self.nodes += 1
        if left <= 2:
            self._last(team, c, begin, left)
            return
        children = np.arange(begin, len(self.right) - left + 1)
        counts = c + self.right[children].astype(np.intp)
        bounds = self._bounds(counts, children, left - 1)
        for number in np.argsort(-bounds, kind="stable"):
            if bounds[number] <= self.best + LITTLE or self.nodes > self.most_nodes:
                return
            child = int(children[number])
            self._branch((*team, child), counts[number], child + 1)

    def _bounds(self, counts: np.ndarray, children: np.ndarray, left: int) -> Floats:
        """No team below a child can be worth more than this, whatever the shape of g.

        Two optimists, and the more modest is believed. One gives every question the highest g within reach. The other
        gives every right label of a newcomer the largest step that is left, and takes the best `left` newcomers.
        """
        m = self.right.shape[1]
        gains = self.jump[left][counts] @ self.right.T
        later = np.arange(len(self.right))[None, :] > children[:, None]
        gains = np.where(later, gains, 0.0)
        newcomers = np.partition(gains, -left, axis=1)[:, -left:].sum(axis=1)
        by_labels = (self.objective.g[counts].sum(axis=1) + newcomers) / m
        modest: Floats = np.minimum(by_labels, self.top[left][counts].sum(axis=1) / m)
        return modest

    def _last(self, team: tuple[int, ...], c: np.ndarray, begin: int, left: int) -> None:
        g, rest = self.objective.g, self.right[begin:]
        if left == 0 or len(rest) < left:
            return
        first = g[c + 1] - g[c]
        alone = rest @ first
        if left == 1:
            worth = alone
            where: tuple[int, ...] = (int(worth.argmax()),)
            gain = float(worth.max())
        else:
            second = g[c + 2] - g[c + 1]
            both = alone[:, None] + alone[None, :] + (rest * (second - first)) @ rest.T
            both[np.tril_indices(len(rest))] = -np.inf
            place = int(both.argmax())
            where = divmod(place, len(rest))
            gain = float(both.flat[place])
        mean_worth = (float(g[c].sum()) + gain) / len(c)
        if mean_worth > self.best + LITTLE:
            self.best = mean_worth
            self.team = tuple(int(self.order[position]) for position in (*team, *(begin + offset for offset in where)))
