"""Trials: selectors on repeated random splits, each chosen team measured on the questions that its selector never saw.

One split says little, so there are several; the same splits for every method, so that methods can be compared.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from moot.select.aggregate import Aggregator, ByLearntRule, ByRule
from moot.select.kgreedy import Objective, value
from moot.select.labels import Floats, Halves, LabelMatrix, Places, split_labels
from moot.select.oracle import Oracle, VoteOracle, graded_mean, one_team
from moot.select.registry import Chosen, Selector, choice_of


@dataclass(frozen=True, slots=True)
class Summarisers:
    """Who gives the ensemble's word on the two parts of a split."""

    selection: Oracle
    test: Oracle
    notes: Callable[[Sequence[int]], tuple[str, ...]] = lambda team: ()
    """What there is to know of a team once it was tested."""


OracleMaker = Callable[[Halves], Summarisers]


def by_vote(halves: Halves, *, two_class: bool = False) -> Summarisers:
    """The weighted vote of labels, with weights learnt on the selection split."""
    split = halves.selection
    at_home = VoteOracle.of(split, two_class=two_class)
    return Summarisers(at_home, VoteOracle.of(split, halves.test.labels, two_class=two_class))


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """One method on one split."""

    method: str
    k: int | None
    split: int
    team: tuple[int, ...]
    calls: int
    notes: tuple[str, ...]
    selection_accuracy: float | None
    """On the questions it was chosen by: flattering. None where too much of it is ungraded."""
    right: Floats
    """For each test question the share of the summariser's repeats that were right; NaN where none could be graded."""
    tested: Places = field(repr=False)
    """The places of these questions in the whole matrix."""
    known: Floats = field(repr=False)
    """How many labels of the team are right, for the same questions; NaN where one of them is ungraded."""
    selected: Places | None = field(default=None, repr=False)
    """The places of the questions that the team was chosen on."""
    accuracies: tuple[float, ...] = ()
    """Of the team's members, on the selection split: what a summariser may be shown."""
    repeats: int = 1
    """How often the summariser was asked about a test question."""
    g: tuple[float, ...] | None = None
    """How right the summariser is with c right labels, where the method learnt it."""
    distance: float | None = None
    """How far the team is from the optimum of the count-based objective, where that is known."""
    why_no_g: str | None = None
    """Why what the method has learnt is no figure: what it was learnt from would flatter."""

    @property
    def test_accuracy(self) -> float | None:
        """Over the test questions that are graded; None where none is."""
        return graded_mean(self.right)


async def trials(
    labels: LabelMatrix,
    methods: Sequence[Selector],
    k: int,
    *,
    m: int | None = None,
    splits: int = 1,
    seed: int = 0,
    summarisers: OracleMaker = by_vote,
) -> AsyncIterator[Trial]:
    """Every method on every split. A team that two methods chose is measured once."""
    for number in range(splits):
        halves = split_labels(labels, m, seed=seed, number=number)
        made = summarisers(halves)
        chosen = {method.name: await choice_of(method, halves.selection, k, made.selection) for method in methods}
        objective = _optimum(chosen)
        measured: dict[tuple[int, ...], tuple[Floats, Floats]] = {}
        for name, choice in chosen.items():
            same = tuple(sorted(choice.team))
            if same not in measured:
                both = (made.selection, halves.selection.m), (made.test, halves.test.labels.size)
                at_home, away = [await one_team(oracle, choice.team, np.arange(size)) for oracle, size in both]
                measured[same] = (at_home, away)
            at_home, away = measured[same]
            yield Trial(
                name,
                k,
                number,
                choice.team,
                choice.calls,
                (*choice.notes, *made.notes(choice.team)),
                _fair_mean(at_home, halves.selection.labels),
                away,
                halves.tested,
                halves.test.labels.right_in(choice.team),
                halves.selected,
                tuple(float(accuracy) for accuracy in halves.selection.labels.accuracy[list(choice.team)]),
                max(1, made.test.calls_each),
                tuple(choice.detail["g"]) if choice.detail.get("g") is not None else None,
                _distance(objective, choice.team, k),
                choice.detail.get("why_no_g"),
            )


def aggregated(
    labels: LabelMatrix, aggregators: Sequence[Aggregator], *, m: int | None = None, splits: int = 1, seed: int = 0
) -> list[Trial]:
    """The whole pool's labels put together without a model, on the same splits."""
    results = []
    for number in range(splits):
        halves = split_labels(labels, m, seed=seed, number=number)
        for aggregator in aggregators:
            known, asked = halves.selection, halves.test.labels
            if isinstance(aggregator, ByRule):
                team, right = tuple(aggregator.voters(known)), aggregator.right(known, asked)
            else:
                team, right = tuple(range(len(labels.proposers))), asked.grades(aggregator.predict(known, asked))
            right_counts = asked.right_in(team)
            results.append(Trial(aggregator.name, None, number, team, 0, (), None, right, halves.tested, right_counts))
    return results


def unable(
    labels: LabelMatrix, aggregators: Sequence[Aggregator], *, m: int | None = None, splits: int = 1, seed: int = 0
) -> dict[str, str]:
    """By name, those that cannot learn from one of these splits, and why, in words."""
    found: dict[str, str] = {}
    for number in range(splits):
        known = split_labels(labels, m, seed=seed, number=number).selection
        for aggregator in aggregators:
            if isinstance(aggregator, ByLearntRule) and (why := aggregator.why_not(known)):
                found.setdefault(aggregator.name, why)
    return found


def _fair_mean(right: Floats, labels: LabelMatrix) -> float | None:
    """None where so much is ungraded that the rest flatters, as in every figure."""
    unfair = labels.why_unfair(int(np.isnan(right).sum()), len(right))
    return graded_mean(right) if unfair is None else None


def _optimum(chosen: dict[str, Chosen]) -> tuple[Objective, float] | None:
    """What `exact` solved, if it did; not where what it has learnt is no figure, so that a distance by it is none either."""
    for choice in chosen.values():
        detail: Any = choice.detail
        if detail.get("proven") and not detail.get("why_no_g"):
            return detail["objective"], detail["worth"]
    return None


def _distance(objective: tuple[Objective, float] | None, team: Sequence[int], k: int) -> float | None:
    if objective is None or len(team) != k:
        return None
    measure, best = objective
    return max(0.0, best - value(measure, team))
