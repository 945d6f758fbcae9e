"""The same players on the same questions, asked in two ways: what the way itself is worth. Paired, question by question."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeVar

from moot.stats.estimates import TESTED
from moot.stats.graded import Value
from moot.stats.graded_pairs import (
    compare_between,
    completed_pairs,
    difference_bounds,
    fair_pairs,
    known_pairs,
    one_pair,
    why_no_difference,
    why_turned,
)
from moot.stats.proportion import share_of

Row = dict[str, Any]
Key = TypeVar("Key", bound=tuple[Any, ...])
ValuesOfModels = Mapping[tuple[str, str], Sequence[Value]]
"""By question and model: one value, or one for each repeat, in the same order on both sides."""


def asked_of_all(keys: Collection[Key]) -> set[Key]:
    """Of keys that end in who was asked: those whose question, or play, everybody has who is in any of them. Over whoever is
    there, a mean over models would be one of others from question to question."""
    everybody = {key[-1] for key in keys}
    there: dict[tuple[Any, ...], set[Any]] = {}
    for key in keys:
        there.setdefault(key[:-1], set()).add(key[-1])
    return {key for key in keys if there[key[:-1]] == everybody}


def left_out_of(every: Collection[Key], kept: Collection[Key]) -> Row:
    """How many questions are left out so; nothing where none is. A key begins with its question."""
    left_out = {key[0] for key in every} - {key[0] for key in kept}
    return {"left_out": len(left_out)} if left_out else {}


def none_of_all(keys: Collection[Key], *sides: str) -> Row:
    """A row of which nothing is known, since nothing is of all; `sides`: what the two ways are called there."""
    questions, models = len({key[0] for key in keys}), len({key[-1] for key in keys})
    nothing = dict.fromkeys((*sides, "difference", "low", "high", "p"))
    return {
        **nothing,
        "n": 0,
        "small": True,
        "n_pairs": 0,
        TESTED: None,
        "why": f"none of {questions:,} questions has been played by all {models:,} models in both ways",
    }


def formatting_tax(single: ValuesOfModels, double: ValuesOfModels, *, repeated: bool = False) -> Row | None:
    """What it costs to think and to keep to a form in one call: right with two calls less right with one.

    `repeated`: the values are means over repeats, also where all of them happen to be 0 or 1.
    """
    return _sides("double", double, "single", single, repeated)


def authority_bias(
    hidden: ValuesOfModels,
    shown: ValuesOfModels,
    changed: Mapping[str, tuple[int, int]],
    *,
    repeated: bool = False,
) -> Row | None:
    """What names are worth: right with names shown less right without, of the same reviewers on the same questions.

    A name may lead to the right answer as well as away from it. So beside it stands how often it led to another one at
    all: `changed` has for each question how many reviews ended on another answer, of how many.
    """
    comparison = _sides("shown", shown, "hidden", hidden, repeated)
    if comparison is None:
        return None
    moved = share_of({question: (float(top), float(bottom)) for question, (top, bottom) in changed.items()})
    ends = (None, None, None) if moved is None else (moved.value, moved.low, moved.high)
    return {**comparison, **dict(zip(("changed", "changed_low", "changed_high"), ends, strict=True))}


def _sides(name: str, values: ValuesOfModels, other_name: str, others: ValuesOfModels, repeated: bool) -> Row | None:
    """By (question, model), only where both were played, one pair a question: the mean over its models.

    Over the pairs of which both answers are graded; the bounds are over all. None where nobody played both. The family that
    it stands in makes the adjusted interval of it (`estimates.with_holm`).
    """
    shared = sorted(values.keys() & others.keys())
    if not shared:
        return None
    pairs = {key: list(zip(values[key], others[key], strict=True)) for key in shared}
    by_name = {f"{place:09}": several for place, several in enumerate(pairs.values())}
    graded = known_pairs(fair_pairs(by_name))
    means = _by_question(dict(zip(shared, map(graded.get, by_name), strict=True)))
    # One pair a model and question, so that what several of them say to a question is one unknown.
    may_be = _of_models({key: one_pair(several, gradable=True) for key, several in pairs.items()})
    worst, best = (completed_pairs(may_be, best=best) for best in (False, True))
    pooled = repeated or len({model for _, model in shared}) > 1
    compared = compare_between(means, worst, best, pooled=pooled)
    comparison = compared.row()
    row: Row = {
        **{
            side: sum(pair[place] for pair in means.values()) / len(means) if means else None
            for place, side in enumerate((name, other_name))
        },
        **{key: comparison[key] for key in ("difference", "low", "high", "p", "n", "small")},
        "n_pairs": len(graded),
        **_bounds(pairs),
        TESTED: compared.figure,
    }
    why = why_turned(row, compared.limits_graded) if means else why_no_difference(by_name)
    return {**row, "why": why} if why else row


def _of_models(pairs: Mapping[tuple[str, str], tuple[Value, Value] | None]) -> dict[str, list[tuple[Value, Value]]]:
    """By question: one pair a model."""
    by_question: dict[str, list[tuple[Value, Value]]] = {}
    for (question, _), pair in pairs.items():
        if pair is not None:
            by_question.setdefault(question, []).append(pair)
    return by_question


def _by_question(pairs: Mapping[tuple[str, str], tuple[float, float] | None]) -> dict[str, tuple[float, float]]:
    """One pair a question, the mean over its models."""
    by_question: dict[str, list[tuple[float, float]]] = {}
    for (question, _), pair in pairs.items():
        if pair is not None:
            by_question.setdefault(question, []).append(pair)
    return {
        question: (sum(pair[0] for pair in several) / len(several), sum(pair[1] for pair in several) / len(several))
        for question, several in by_question.items()
    }


def _bounds(pairs: Mapping[tuple[str, str], Sequence[tuple[Value, Value]]]) -> Row:
    """Over all questions that both have, each counting by its mean over models."""
    beside = difference_bounds(_of_models({key: one_pair(several, gradable=False) for key, several in pairs.items()}))
    return {"bounds": beside["bounds"]} if beside else {}
