"""Accuracy against cost: which ways of answering are worth their money, and what the choice among them is worth.

An option is on the frontier if none is both cheaper and better. On the questions it was picked by, the frontier
flatters itself; so beside each option stands what the best choice within its cost reached on questions that the choice
had not seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from moot.stats.crossfit import FOLDS, folds, marks_on
from moot.stats.estimates import Row, estimate, estimate_row

if TYPE_CHECKING:
    from moot.stats.bootstrap import Floats


@dataclass(frozen=True, slots=True)
class Option:
    """One way of answering: its value and its cost, question by question. A question it lacks is not right.

    None: not graded, so the question is no part of its accuracy.
    """

    right: Mapping[str, float | None]
    cost: Mapping[str, float]
    once: bool = True
    """Its values are right or wrong; else they are means over captains or repeats."""


def frontier(
    options: Mapping[str, Option], questions: Sequence[str], *, count: int = FOLDS, seed: int = 0
) -> list[Row]:
    """A row for each option, the cheapest first.

    `on_frontier` is after the fact; `folds` counts in how many of `of_folds` parts it is on the frontier of the others;
    `within` is the cross-fitted accuracy of the best choice that costs no more than this option.
    """
    import numpy as np

    asked = sorted(set(questions))
    if not options or len(asked) < 2:
        return []
    names = list(options)
    right = np.array([marks_on(options[name].right, asked) for name in names], dtype=float).T.copy()
    paid = np.array([np.mean(list(options[name].cost.values()) or [0.0]) for name in names])
    parts = min(count, len(asked))
    place = folds(asked, count=parts, seed=seed)
    fold_of = np.array([place[question] for question in asked])
    learnt = np.array([_means(right[fold_of != fold]) for fold in range(parts)])
    on = [undominated(means, paid) for means in learnt]
    reached = _means(right)
    whole = undominated(reached, paid)
    rows: list[Row] = []
    for column in sorted(range(len(names)), key=lambda place: (paid[place], -_mean(right[:, place]), names[place])):
        affordable = np.flatnonzero(paid <= paid[column] + 1e-15)
        chosen = [affordable[np.argmax(means[affordable])] for means in learnt]
        mixed = not all(options[names[choice]].once for choice in chosen)
        within = estimate(_known(right[np.arange(len(asked)), np.array(chosen)[fold_of]]), pooled=mixed, seed=seed)
        accuracy = estimate(_known(right[:, column]), pooled=not options[names[column]].once, seed=seed)
        rows.append(
            {
                "of": names[column],
                "cost": float(paid[column]),
                **estimate_row(accuracy, "accuracy"),
                "on_frontier": bool(whole[column]),
                "folds": sum(bool(fold_frontier[column]) for fold_frontier in on),
                "of_folds": parts,
                "within": within and within.value,
                "within_low": within and within.low,
                "within_high": within and within.high,
            }
        )
    return rows


def _means(right: Floats) -> Floats:
    """Of each column, over what is known in it; an option of which nothing is known stands behind all others."""
    import numpy as np

    unknown = np.isnan(right)
    if not unknown.any():
        means: Floats = right.mean(axis=0)
        return means
    known_counts = (~unknown).sum(axis=0)
    return np.where(known_counts > 0, np.where(unknown, 0.0, right).sum(axis=0) / np.maximum(known_counts, 1), -np.inf)


def _mean(column: Floats) -> float:
    known_marks = _known(column)
    return float(column.mean()) if len(known_marks) == len(column) else sum(known_marks) / max(1, len(known_marks))


def _known(values: Floats) -> list[float]:
    return [value for value in values.tolist() if value == value]  # NaN is not graded


def undominated(value: Floats, cost: Floats) -> list[bool]:
    """Which are on the frontier: none is cheaper and as good, and none is better at the same cost."""
    return [
        not any(
            (cost[other] <= cost[option] and value[other] > value[option] + 1e-12)
            or (cost[other] < cost[option] and value[other] >= value[option] - 1e-12)
            for other in range(len(value))
        )
        for option in range(len(value))
    ]
