"""Choosing without the winner's curse: what is chosen on some questions is scored on the others.

The best of many always looks better than it is on the questions it was chosen by. So questions are dealt into folds;
for each fold the choice is made on the other folds, and only the score on this one counts.

A value of None is not known: it neither speaks for an option nor against it, and a question whose chosen option is not
known there has no value. A question that an option lacks was not played, which is not being right: 0.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING

from moot.types import digest

if TYPE_CHECKING:
    from moot.stats.bootstrap import Floats

FOLDS = 5


@dataclass(frozen=True, slots=True)
class CrossFit:
    """For each question the value of the option that the other folds chose, where it is known; and what was chosen."""

    values: Mapping[str, float]
    choice: Mapping[str, str]
    """By question."""
    chosen: tuple[str, ...]
    """By fold."""


def folds(questions: Collection[str], *, count: int = FOLDS, seed: int = 0) -> dict[str, int]:
    """A fold for every question: dealt in the order of a seeded hash of the ids, so that folds are of equal size."""
    order = sorted(set(questions), key=lambda question: (digest([seed, "fold", question]), question))
    return {question: position % count for position, question in enumerate(order)}


def best(
    options: Mapping[str, Mapping[str, float | None]],
    questions: Collection[str],
    costs: Mapping[str, Mapping[str, float]] | None = None,
) -> str | None:
    """The option with the highest mean on these questions; of equals the cheaper, then the one named first."""

    def merit(name: str) -> tuple[float, float]:
        cost = sum(values_on(costs[name], questions)) if costs else 0.0
        return round(_as_if_known(options[name], questions), 9), -round(cost, 12)

    return max(options, key=merit) if options and questions else None


def crossfit(
    options: Mapping[str, Mapping[str, float | None]],
    questions: Collection[str],
    *,
    costs: Mapping[str, Mapping[str, float]] | None = None,
    count: int = FOLDS,
    seed: int = 0,
) -> CrossFit | None:
    """None where there is nothing to choose from, or fewer than two questions to choose and to score on."""
    unique = sorted(set(questions))
    if len(unique) < 2 or not options:
        return None
    count = min(count, len(unique))
    fold_of = folds(unique, count=count, seed=seed)
    chosen = _chosen(options, unique, [fold_of[question] for question in unique], count, costs)
    choice = {question: chosen[fold_of[question]] for question in unique}
    marks = {question: options[name].get(question, 0.0) for question, name in choice.items()}
    values = {question: mark for question, mark in marks.items() if mark is not None}
    return CrossFit(values, choice, tuple(chosen))


def _chosen(
    options: Mapping[str, Mapping[str, float | None]],
    questions: Sequence[str],
    fold_of: Sequence[int],
    count: int,
    costs: Mapping[str, Mapping[str, float]] | None,
) -> list[str]:
    """The best on all folds but one, for each of them: as `best` would say, with all sums taken at once."""
    import numpy as np

    names = list(options)
    right = np.array([marks_on(options[name], questions) for name in names], dtype=float)
    paid = np.zeros_like(right)
    if costs is not None:
        paid = np.array([values_on(costs[name], questions) for name in names])
    folds_by_question = np.array(fold_of)
    chosen = []
    for fold in range(count):
        others = folds_by_question != fold
        value, cost = _sums(right[:, others]).round(9), paid[:, others].sum(axis=1).round(12)
        chosen.append(names[max(range(len(names)), key=lambda place: (value[place], -cost[place]))])
    return chosen


def _sums(right: Floats) -> Floats:
    """Of each row, as if what is not known in it (NaN) were like what is; a row of which nothing is known is last."""
    import numpy as np

    unknown = np.isnan(right)
    if not unknown.any():
        sums: Floats = right.sum(axis=1)
        return sums
    size, known_counts = right.shape[1], (~unknown).sum(axis=1)
    sums = np.where(unknown, 0.0, right).sum(axis=1)
    filled: Floats = np.where(known_counts > 0, sums / np.maximum(known_counts, 1) * size, -np.inf)
    return filled


def values_on(values: Mapping[str, float], questions: Collection[str]) -> list[float]:
    """One value a question, 0 where there is none."""
    return list(map(values.get, questions, repeat(0.0)))


def marks_on(values: Mapping[str, float | None], questions: Collection[str]) -> list[float | None]:
    """The same where some are not known."""
    return list(map(values.get, questions, repeat(0.0)))


def _as_if_known(values: Mapping[str, float | None], questions: Collection[str]) -> float:
    """The sum, as if what is not known were like what is."""
    marks = marks_on(values, questions)
    known_marks = [mark for mark in marks if mark is not None]
    if len(known_marks) == len(marks):
        return sum(known_marks)
    return sum(known_marks) / len(known_marks) * len(marks) if known_marks else float("-inf")
