"""Accuracy against cost: which ways of answering are worth their money, and what the choice among them is worth.

An option is on the frontier if none is both cheaper and better. On the questions it was picked by, the frontier
flatters itself; so beside each option stands what the best choice within its cost reached on questions that the choice
had not seen. Options are compared by the least that they can be, as `moot.stats.crossfit` does and for its reason; the
figures are over what is graded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from moot.stats.crossfit import FOLDS, folds, least_on, marks_on
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
    least: Mapping[str, float] = field(default_factory=dict)
    """The least that a value can be of which only a part is graded."""


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
    least = np.array([least_on(options[name].right, asked, options[name].least) for name in names]).T.copy()
    graded = ~np.isnan(right)
    paid = np.array([np.mean(list(options[name].cost.values()) or [0.0]) for name in names])
    parts = min(count, len(asked))
    place = folds(asked, count=parts, seed=seed)
    fold_of = np.array([place[question] for question in asked])
    learnt = np.array([_means(least[fold_of != fold], graded[fold_of != fold]) for fold in range(parts)])
    on = [undominated(means, paid) for means in learnt]
    reached = _means(least, graded)
    whole = undominated(reached, paid)
    rows: list[Row] = []
    for column in sorted(
        range(len(names)), key=lambda place: (paid[place], -float(least[:, place].mean()), names[place])
    ):
        affordable = np.flatnonzero(paid <= paid[column] + 1e-15)
        chosen = [affordable[np.argmax(means[affordable])] for means in learnt]
        within = estimate(_known(asked, right[np.arange(len(asked)), np.array(chosen)[fold_of]]))
        accuracy = estimate(_known(asked, right[:, column]))
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


def _means(least: Floats, graded: Any) -> Floats:
    """Of each column; an option without any grade stands behind all others."""
    import numpy as np

    means: Floats = np.where(graded.any(axis=0), least.mean(axis=0), -np.inf)
    return means


def _known(questions: Sequence[str], values: Floats) -> dict[str, float]:
    marks = zip(questions, values.tolist(), strict=True)
    return {question: value for question, value in marks if value == value}  # NaN is not graded


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
