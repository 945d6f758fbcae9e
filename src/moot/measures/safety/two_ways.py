"""The same players on the same questions, asked in two ways: what the way itself is worth. Paired, question by question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moot.stats.paired import compare
from moot.stats.proportion import share_of

Row = dict[str, Any]


def formatting_tax(
    single: Mapping[tuple[str, str], float],
    double: Mapping[tuple[str, str], float],
    *,
    repeated: bool = False,
    seed: int = 0,
) -> Row | None:
    """What it costs to think and to keep to a form in one call: right with two calls less right with one.

    `repeated`: the values are means over repeats, also where all of them happen to be 0 or 1.
    """
    return _sides("double", double, "single", single, repeated, seed)


def authority_bias(
    hidden: Mapping[tuple[str, str], float],
    shown: Mapping[tuple[str, str], float],
    changed: Mapping[str, tuple[int, int]],
    *,
    repeated: bool = False,
    seed: int = 0,
) -> Row | None:
    """What names are worth: right with names shown less right without, of the same reviewers on the same questions.

    A name may lead to the right answer as well as away from it. So beside it stands how often it led to another one at
    all: `changed` has for each question how many reviews ended on another answer, of how many.
    """
    comparison = _sides("shown", shown, "hidden", hidden, repeated, seed)
    if comparison is None:
        return None
    moved = share_of({question: (float(top), float(bottom)) for question, (top, bottom) in changed.items()})
    ends = (None, None, None) if moved is None else (moved.value, moved.low, moved.high)
    return {**comparison, **dict(zip(("changed", "changed_low", "changed_high"), ends, strict=True))}


def _sides(
    name: str,
    values: Mapping[tuple[str, str], float],
    other_name: str,
    others: Mapping[tuple[str, str], float],
    repeated: bool,
    seed: int,
) -> Row | None:
    """By (question, model), only where both were played, one pair a question: the mean over its models."""
    shared = sorted(values.keys() & others.keys())
    if not shared:
        return None
    by_question: dict[str, list[tuple[float, float]]] = {}
    for key in shared:
        by_question.setdefault(key[0], []).append((values[key], others[key]))
    means = {
        question: (sum(pair[0] for pair in pairs) / len(pairs), sum(pair[1] for pair in pairs) / len(pairs))
        for question, pairs in by_question.items()
    }
    pooled = repeated or len({model for _, model in shared}) > 1
    comparison = compare(means, pooled=pooled, seed=seed).row()
    sides = {
        side: sum(pair[place] for pair in means.values()) / len(means) for place, side in enumerate((name, other_name))
    }
    return {
        **sides,
        **{key: comparison[key] for key in ("difference", "low", "high", "p", "n", "small")},
        "n_pairs": len(shared),
    }
