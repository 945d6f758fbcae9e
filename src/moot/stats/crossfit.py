"""Choosing without the winner's curse: what is chosen on some questions is scored on the others.

The best of many always looks better than it is on the questions it was chosen by. So questions are dealt into folds;
for each fold the choice is made on the other folds, and only the score on this one counts. Questions of one cluster are
in one fold.

A value of None is not graded, and a question whose chosen option is not graded there has no value. What matches is
graded at once and only the rest needs a judge, so what is graded flatters an option that has much ungraded. That is why
options are compared by the least that they can be, every ungraded answer counted as wrong: for the choice alone, never
for a figure. Where all is graded this is the value itself. A question that an option lacks was not played, and is neither
wrong nor right: options are chosen, and scored, on the questions that they share (`moot.stats.shared_questions`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import TypeVar

from moot.stats.clusters import dealt, dealt_as, unit_names
from moot.stats.digests import digests
from moot.stats.shared_questions import shared_questions

V = TypeVar("V")

FOLDS = 5

Least = Mapping[str, Mapping[str, float]]
"""By option and question: the least that a value of which only a part is graded can be. Only where it differs."""


@dataclass(frozen=True, slots=True)
class CrossFit:
    """For each question the value of the option that the other folds chose, where it is known; and what was chosen."""

    values: Mapping[str, float]
    choice: Mapping[str, str]
    """By question, of those that all options have which could be chosen."""
    chosen: tuple[str, ...]
    """By fold."""
    left_out: Mapping[str, int]
    """By option that could not be chosen, having too few questions in common with the others: how many it has."""


def folds(questions: Collection[str], *, count: int = FOLDS, seed: int = 0) -> dict[str, int]:
    """A fold for every question: dealt in the order of a seeded hash of the ids, so that folds are of equal size.

    Questions of one cluster are dealt together, to where the fewest questions are.
    """
    every = sorted(set(questions))
    units = unit_names(every)
    sizes = Counter(units)
    order = sorted(zip(digests([seed, "fold"], map(dealt_as, sizes)), sizes, strict=True))
    dealt_to = dealt([sizes[unit] for _, unit in order], count)
    fold_of = {unit: fold for (_, unit), fold in zip(order, dealt_to, strict=True)}
    return {question: fold_of[unit] for question, unit in zip(every, units, strict=True)}


def parts_of(questions: Collection[str], count: int = FOLDS) -> int:
    """How many folds these questions can be dealt into: never more than there are clusters, and none below two."""
    independent = len(set(unit_names(questions)))
    return min(count, independent) if independent > 1 else 0


def best(
    options: Mapping[str, Mapping[str, float | None]],
    questions: Collection[str],
    costs: Mapping[str, Mapping[str, float]] | None = None,
    least: Least | None = None,
) -> str | None:
    """The option with the highest mean on those of these questions that they share; of equals the cheaper, then the one
    named first. None where none has been played, or no two share enough questions to be ranked.

    What is ungraded counts as the least that it can be (`least`; None as 0); an option without any grade is last.
    """
    return next(iter(equally_best(options, questions, costs, least)), None)


def equally_best(
    options: Mapping[str, Mapping[str, float | None]],
    questions: Collection[str],
    costs: Mapping[str, Mapping[str, float]] | None = None,
    least: Least | None = None,
) -> list[str]:
    """All that are as good as `best`, and cost the same."""
    together = shared_questions(options, questions)
    if together.none_ranked:
        return []

    def merit(name: str) -> tuple[float, float]:
        cost = _mean_cost(_on(costs[name], together.questions)) if costs else 0.0
        return round(_at_least(options[name], together.questions, (least or {}).get(name, {})), 9), -round(cost, 12)

    merits = {name: merit(name) for name in together.names}
    highest = max(merits.values(), default=None)
    return [name for name, reached in merits.items() if reached == highest]


def crossfit(
    options: Mapping[str, Mapping[str, float | None]],
    questions: Collection[str],
    *,
    costs: Mapping[str, Mapping[str, float]] | None = None,
    least: Least | None = None,
    count: int = FOLDS,
    seed: int = 0,
) -> CrossFit | None:
    """None where there is nothing to choose from, or fewer than two questions, or clusters, to choose and to score on, or no
    two options that share enough of them.

    Chosen as `best` does, by the least that the options can be; scored by what is graded.
    """
    together = shared_questions(options, questions)
    unique = together.questions
    count = parts_of(unique, count)
    if not count or together.none_ranked:
        return None
    fold_of = folds(unique, count=count, seed=seed)
    ranked = {name: options[name] for name in together.names}
    chosen = _chosen(ranked, unique, [fold_of[question] for question in unique], count, costs, least or {})
    choice = {question: chosen[fold_of[question]] for question in unique}
    marks = {question: options[name][question] for question, name in choice.items()}
    values = {question: mark for question, mark in marks.items() if mark is not None}
    return CrossFit(values, choice, tuple(chosen), together.left_out)


def _chosen(
    options: Mapping[str, Mapping[str, float | None]],
    questions: Sequence[str],
    fold_of: Sequence[int],
    count: int,
    costs: Mapping[str, Mapping[str, float]] | None,
    least: Least,
) -> list[str]:
    """The best on all folds but one, for each of them: as `best` would say, with all sums taken at once."""
    import numpy as np

    names = list(options)
    right = np.array([least_on(options[name], questions, least.get(name, {})) for name in names], dtype=float)
    graded = np.array([[options[name][question] is not None for question in questions] for name in names])
    paid = np.zeros_like(right)
    if costs is not None:
        paid = np.array([values_on(costs[name], questions) for name in names])
    folds_by_question = np.array(fold_of)
    chosen = []
    for fold in range(count):
        others = folds_by_question != fold
        value, cost = right[:, others].sum(axis=1).round(9), paid[:, others].sum(axis=1).round(12)
        value = np.where(graded[:, others].any(axis=1), value, -np.inf)
        chosen.append(names[max(range(len(names)), key=lambda place: (value[place], -cost[place]))])
    return chosen


def values_on(costs: Mapping[str, float], questions: Collection[str]) -> list[float]:
    """What each question cost, 0 where nothing was spent."""
    return list(map(costs.get, questions, repeat(0.0)))


def least_on(values: Mapping[str, float | None], questions: Collection[str], least: Mapping[str, float]) -> list[float]:
    """One value a question, everything ungraded counted as wrong: what options are compared by."""
    marks = [values[question] for question in questions]
    if not least:
        return [mark or 0.0 for mark in marks]
    return [least.get(question, mark or 0.0) for question, mark in zip(questions, marks, strict=True)]


def _mean_cost(costs: Mapping[str, float]) -> float:
    """Of whoever has none nobody knows what it costs: it is no cheaper one."""
    return math.fsum(costs.values()) / len(costs) if costs else math.inf


def _on(values: Mapping[str, V], questions: Collection[str]) -> Mapping[str, V]:
    """As far as they are of these questions: nearly always they are of no others."""
    if len(values) == len(questions) and values.keys() == set(questions):
        return values
    return {question: values[question] for question in questions if question in values}


def _at_least(values: Mapping[str, float | None], questions: Collection[str], least: Mapping[str, float]) -> float:
    """The least that the sum can be; an option without any grade stands behind all others."""
    marks = _on(values, questions)
    if all(mark is None for mark in marks.values()):
        return float("-inf")
    return math.fsum(least_on(marks, questions, least) if least else (mark or 0.0 for mark in marks.values()))
