"""k-greedy: the worth of a candidate is always measured in a team of the final size.

A summariser may gain from a proposer in a team of five and lose by it in a team of two. So the current team is
completed with random others, one of these is swapped for the candidate, and the difference that makes is averaged over
several completions. The completions are the same for all candidates, but for the candidate itself: where it stands in
one, a spare takes its place first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from moot.select.labels import Floats, Places, SelectionSplit
from moot.select.registry import completed

COMPLETIONS = 10


class Objective(Protocol):
    """What a team is worth, by labels alone."""

    def values(self, base: Sequence[int], candidates: Places) -> Floats:
        """The worth of the base with each of these candidates added, all at once."""


def value(objective: Objective, team: Sequence[int]) -> float:
    return float(objective.values(tuple(team[:-1]), np.array(team[-1:]))[0])


def k_greedy(
    split: SelectionSplit, objective: Objective, k: int, start: Sequence[int] = (), completions: int = COMPLETIONS
) -> tuple[int, ...]:
    size = len(split.labels.proposers)
    team = list(start)
    if size <= k:
        return completed(split, team, k)
    accuracy = split.labels.accuracy
    lot = split.random("k-greedy", "lot").random(size)
    draw = split.random("k-greedy", "completions")
    while len(team) < k:
        others = np.setdiff1d(np.arange(size), team)
        gain = np.full(size, -np.inf)
        gain[others] = _gains(objective, team, others, k, completions, draw)[others]
        team.append(int(np.lexsort((lot, -accuracy, -np.round(gain, 12)))[0]))
    return tuple(team)


def _gains(
    objective: Objective, team: list[int], others: Places, k: int, completions: int, draw: np.random.Generator
) -> Floats:
    wanted = k - len(team)
    gain = np.zeros(int(others.max()) + 1)
    if wanted == 1:  # nobody else to come: the worth itself
        gain[others] = objective.values(team, others)
        return gain
    for _ in range(completions):
        drawn = draw.permutation(others)[: wanted + 1].tolist()
        *kept, swapped = drawn[:wanted]
        outside = np.setdiff1d(others, drawn[:wanted])
        worth = objective.values([*team, *kept], np.append(outside, swapped))
        gain[outside] += worth[:-1] - worth[-1]
        for candidate in drawn[:wanted]:
            *rest, spare = (proposer for proposer in drawn if proposer != candidate)
            worth = objective.values([*team, *rest], np.array([candidate, spare]))
            gain[candidate] += worth[0] - worth[1]
    return gain
