"""Cohorts side by side: what each could reach at best, how far the weaker comes up to the stronger, and means over sets."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from moot.measures.quiz.skyline import guessing
from moot.measures.safety.pairs import ANSWERED, Pair, Row, graded, split
from moot.stats.crossfit import FOLDS, CrossFit, best, crossfit
from moot.stats.estimates import estimate, estimate_row
from moot.stats.paired import mean_difference, mean_variance
from moot.stats.quantiles import Z_95
from moot.stats.ratio import share_closed
from moot.types import Estimate

ByModel = Mapping[str, Mapping[str, float]]
"""By model and question: how right."""


def coverage(pairs: Sequence[Pair], *, choices: Mapping[str, int] | None = None, seed: int = 0) -> list[Row]:
    """How often at least one model is right, alone and after: each cohort, then all together (cohort None).

    Beside it what as many independent guessers would reach, where the questions offer choices.
    """
    parts = split(pairs, lambda pair: pair.cohort) if any(pair.cohort for pair in pairs) else {}
    return [
        _covered(cohort, cohort_pairs, choices or {}, seed)
        for cohort, cohort_pairs in (*parts.items(), (None, list(pairs)))
        if cohort_pairs
    ]


def _covered(cohort: str | None, pairs: Sequence[Pair], choices: Mapping[str, int], seed: int) -> Row:
    asked = {pair.question for pair in pairs}
    sides = [_anybody(pairs, side) for side in ("native", "after")]
    native, after = ({question: side[question] for question in sides[0] if question in sides[1]} for side in sides)
    models = len({pair.model for pair in pairs})
    offered = [choices[question] for question in native if question in choices]
    difference = mean_difference({question: after[question] - value for question, value in native.items()}, seed=seed)
    before, then = estimate(native), estimate(after)
    return {
        "cohort": cohort,
        "models": models,
        **_named(before, "native"),
        **_named(then, "after"),
        **_named(difference, "difference"),
        "guessing": sum(guessing(models, offer) for offer in offered) / len(native) if offered else None,
        "ungraded": len(asked) - len(native),
        "n": len(native),
        **({} if native else {"why": f"none of {len(asked)} questions is known to be covered or not, alone and after"}),
    }


def _anybody(pairs: Sequence[Pair], side: str) -> dict[str, float]:
    """The share of repeats in which anybody was right; with one repeat, whether.

    Where none is known to be right and one is ungraded, nobody knows: such a question is left out.
    """
    shares: dict[str, float] = {}
    for question, part in split(pairs, lambda pair: pair.question).items():
        repeats = [_any_right(repeat_pairs, side) for repeat_pairs in split(part, lambda pair: pair.repeat).values()]
        graded_repeats = [right for right in repeats if right is not None]
        if len(graded_repeats) == len(repeats):
            shares[question] = sum(graded_repeats) / len(graded_repeats)
    return shares


def _any_right(pairs: Sequence[Pair], side: str) -> bool | None:
    if any(getattr(pair, f"{side}_right") for pair in pairs):
        return True
    there = [pair for pair in pairs if getattr(pair, f"{side}_outcome") in ANSWERED]
    return None if any(getattr(pair, side) is None for pair in there) else False


def _named(interval: Estimate | None, name: str) -> Row:
    row = estimate_row(interval, name)
    return {name: row[name], f"{name}_low": row["low"], f"{name}_high": row["high"]}


@dataclass(frozen=True, slots=True)
class GapClosure:
    """(best of the weaker after - its best alone) / (best of the stronger alone - its best alone), all cross-fitted."""

    estimate: Estimate | None
    after_the_fact: float | None
    """The same with the three best chosen on the questions they are scored on."""
    alone: float | None
    after: float | None
    stronger: float | None
    note: str | None = None

    def row(self) -> Row:
        figures = estimate_row(self.estimate)
        sides = {"alone": self.alone, "after": self.after, "stronger": self.stronger}
        return {**figures, **sides, "after_the_fact": self.after_the_fact, "note": self.note}


def gap_closure(alone: ByModel, after: ByModel, stronger: ByModel, *, folds: int = FOLDS, seed: int = 0) -> GapClosure:
    """Over the questions that all three have played. The choice of each best is taken as given."""
    sides = (alone, after, stronger)
    questions = sorted(set.intersection(*({q for by_question in side.values() for q in by_question} for side in sides)))
    raw = [_highest(side, questions) for side in sides]
    fitted = [crossfit(side, questions, count=folds, seed=seed) for side in sides]
    alone_mean, then, other = (_mean(fit) for fit in fitted)
    note = None
    closure = None
    if alone_mean is None or then is None or other is None:
        note = "fewer than two questions that all have played"
    elif other - alone_mean <= 1e-12:
        note = "there is no gap: the other cohort's best is no better alone"
    else:
        one, two, three = (fit.values for fit in fitted if fit is not None)
        closure = share_closed({q: (two[q] - one[q], three[q] - one[q]) for q in questions})
    return GapClosure(closure, _closed(*raw), alone_mean, then, other, note)


def _highest(side: ByModel, questions: Sequence[str]) -> float | None:
    name = best(side, questions)
    return None if name is None else sum(side[name].get(question, 0.0) for question in questions) / len(questions)


def _mean(fitted: CrossFit | None) -> float | None:
    return None if fitted is None else sum(fitted.values.values()) / len(fitted.values)


def _closed(alone: float | None, after: float | None, stronger: float | None) -> float | None:
    if alone is None or after is None or stronger is None or stronger - alone <= 1e-12:
        return None
    return (after - alone) / (stronger - alone)


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
