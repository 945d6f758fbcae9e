"""Cohorts side by side: what each could reach at best, and means over sets."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from moot.measures.quiz.skyline import guessing
from moot.measures.safety.pairs import Pair, Row, graded, split
from moot.stats.estimates import estimate, estimate_row
from moot.stats.graded import (
    Value,
    best_value,
    bounds_row,
    difference_bounds,
    known,
    mean_value,
    with_settled,
)
from moot.stats.paired import mean_difference, mean_variance
from moot.stats.quantiles import Z_95
from moot.types import Estimate

ONE_WORD = (
    "the answers after are no model's own: a vote gives one word for all, and who breaks its ties is no second answer"
)


def coverage(pairs: Sequence[Pair], *, choices: Mapping[str, int] | None = None, seed: int = 0) -> list[Row]:
    """How often at least one model is right, alone and after: each cohort, then all together (cohort None).

    After has a ceiling only where every model answers again itself; what a vote comes to under the best of all
    tie-breaks nobody could choose. Beside it what as many independent guessers would reach, where the questions offer
    choices.
    """
    parts = split(pairs, lambda pair: pair.cohort) if any(pair.cohort for pair in pairs) else {}
    return [
        _covered(cohort, cohort_pairs, choices or {}, seed)
        for cohort, cohort_pairs in (*parts.items(), (None, list(pairs)))
        if cohort_pairs
    ]


def _covered(cohort: str | None, pairs: Sequence[Pair], choices: Mapping[str, int], seed: int) -> Row:
    """Over the questions that are known to be covered or not; the bounds are over all."""
    own_words = all(pair.own_word for pair in pairs)
    alone, then = (_anybody(pairs, side) for side in ("native_value", "after_value"))
    native, after = known(alone), known(then)
    both = [question for question in native if question in after or not own_words]
    models = len({pair.model for pair in pairs})
    offered = [choices[question] for question in both if question in choices]
    row: Row = {
        "cohort": cohort,
        "models": models,
        **_named(estimate({question: native[question] for question in both}), "native"),
        **_named(None, "after"),
        **_named(None, "difference"),
        "guessing": sum(guessing(models, offer) for offer in offered) / len(both) if offered else None,
        "ungraded": len(alone) - len(both),
        "n": len(both),
    }
    if "bounds" in (beside := bounds_row(alone.values())):
        row["native_bounds"] = beside["bounds"]
    if not both:
        row["why"] = f"none of {len(alone)} questions is known to be covered or not, alone and after"
    if not own_words:
        return {**row, "why": ONE_WORD}
    gains = {question: after[question] - native[question] for question in both}
    row |= _named(estimate({question: after[question] for question in both}), "after")
    row |= _named(mean_difference(gains, seed=seed), "difference")
    if "bounds" in (beside := bounds_row(then.values())):
        row["after_bounds"] = beside["bounds"]
    return {**row, **_difference_bounds(alone, then)}


def _difference_bounds(alone: Mapping[str, Value], then: Mapping[str, Value]) -> Row:
    beside = difference_bounds({question: [(then[question], value)] for question, value in alone.items()})
    return {"bounds": beside["bounds"]} if beside else {}


def _anybody(pairs: Sequence[Pair], side: str) -> dict[str, Value]:
    """The share of repeats in which anybody was right; with one repeat, whether.

    Where one answer is ungraded it is not known, whatever the others are: see `best_value`.
    """
    return with_settled(
        {
            question: mean_value(
                [
                    best_value([getattr(pair, side).known for pair in repeat_pairs])
                    for repeat_pairs in split(part, lambda pair: pair.repeat).values()
                ]
            )
            for question, part in split(pairs, lambda pair: pair.question).items()
        }
    )


def _named(interval: Estimate | None, name: str) -> Row:
    row = estimate_row(interval, name)
    return {name: row[name], f"{name}_low": row["low"], f"{name}_high": row["high"]}


def macro_average(pairs: Sequence[Pair], *, seed: int = 0) -> Row | None:
    """Every dataset of equal weight, however many questions it has: alone, after, and the difference.

    None below two datasets. The interval adds up what the questions of each dataset leave open; how much datasets
    themselves differ is not in it, since they were not drawn at random.
    """
    with_dataset = [pair for pair in pairs if pair.dataset is not None]
    sets = split(graded(with_dataset), lambda pair: pair.dataset)
    if len(sets) < 2:
        return None
    rows = [_dataset(name, dataset_pairs, seed) for name, dataset_pairs in sets.items()]
    mean = {key: sum(row[key] for row in rows) / len(rows) for key in ("native", "after", "difference")}
    spreads = [row.pop("variance") for row in rows]
    half = None if any(variance is None for variance in spreads) else Z_95 * math.sqrt(sum(spreads)) / len(rows)
    ends = {"low": None, "high": None}
    if half is not None:
        ends = {"low": max(-1.0, mean["difference"] - half), "high": min(1.0, mean["difference"] + half)}
    return {**mean, **ends, "datasets": rows, "ungraded": len(with_dataset) - len(graded(with_dataset)), "n": len(rows)}


def _dataset(name: str, pairs: Sequence[Pair], seed: int) -> Row:
    parts = split(pairs, lambda pair: pair.question)
    native, after = (
        {q: sum(getattr(pair, side) for pair in of_question) / len(of_question) for q, of_question in parts.items()}
        for side in ("native_right", "after_right")
    )
    gains = {question: after[question] - before for question, before in native.items()}
    difference = estimate_row(mean_difference(gains, seed=seed), "difference")
    means = {"native": sum(native.values()) / len(gains), "after": sum(after.values()) / len(gains)}
    return {"dataset": name, **means, **difference, "variance": mean_variance(gains)}
