"""What a method got right on each split by itself, and two methods beside each other there.

A split is a test of its own: its team was chosen on other questions than it is tested on. Over several the figures are those of
`moot.stats.splits`: the mean of the splits, as sure as one of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from moot.select.labels import LabelMatrix
from moot.select.trial import Trial
from moot.stats.clusters import value_rows
from moot.stats.completions import Between
from moot.stats.estimates import TESTED
from moot.stats.graded import Value
from moot.stats.graded_pairs import (
    Pairs,
    compare_between,
    completed_pairs,
    difference_ends,
    family_row,
    known_pairs,
    uncounted,
    why_turned,
    why_unfair_pairs,
)
from moot.stats.paired import Paired, compare
from moot.stats.proportion import Share, share, share_between
from moot.stats.splits import OverSplits

Row = dict[str, Any]

NOT_ON_ALL = "there is a split on which no question has both answers graded"


def accuracy_of(labels: LabelMatrix, group: Sequence[Trial]) -> Share | Between | OverSplits | None:
    """Of the trials of one method, one a split; None where a split has nothing graded.

    Only what is graded counts, and the interval holds whatever else turns out to be.
    """
    figures = [figure for trial in group if (figure := _on_split(labels, trial)) is not None]
    if len(figures) < len(group):
        return None
    if len(figures) == 1:
        return figures[0]
    graded = {int(place) for trial in group for place in trial.tested[~np.isnan(trial.right)]}
    return OverSplits(figures, len(graded))


def _on_split(labels: LabelMatrix, trial: Trial) -> Share | Between | None:
    asked = {labels.questions[place]: float(value) for place, value in zip(trial.tested, trial.right, strict=True)}
    seen = share(value_rows({name: value for name, value in asked.items() if not np.isnan(value)}))
    if seen is None or not np.isnan(trial.right).any():
        return seen
    worst, best = ({name: end if np.isnan(value) else value for name, value in asked.items()} for end in (0.0, 1.0))
    return share_between(seen, worst, best)


def compared(labels: LabelMatrix, own: Sequence[Trial], other: Sequence[Trial]) -> Row:
    """One method against another, as a row of a family: the difference over splits, counts and `n` over questions."""
    splits = [_pairs(labels, *trials) for trials in zip(own, other, strict=True)]
    if len(splits) == 1:
        return family_row(splits[0], pooled=own[0].repeats > 1)
    joined: dict[str, list[tuple[Value, Value]]] = {}
    for pairs in splits:
        for question, several in pairs.items():
            joined.setdefault(question, []).extend(several)
    each = _on_each_split(labels, own, other)
    figure = _mean_of(each, len(known_pairs(joined)))
    if figure is None or why_unfair_pairs(joined) is not None:
        untold: Pairs = {
            question: [(one._replace(known=None), other._replace(known=None)) for one, other in several]
            for question, several in joined.items()
        }
        return {**family_row(untold), **_bounds(joined, splits), "why": why_unfair_pairs(joined) or NOT_ON_ALL}
    (low, high), p = figure.limits(), figure.p_zero
    row = {
        **compare(known_pairs(joined), pooled=True).row(),
        **_bounds(joined, splits),
        **uncounted(joined),
        "difference": figure.value,
        "low": low,
        "high": high,
        "p": p,
        "test": "none" if p is None else "splits",
        "small": any(found.small for found in each),
        TESTED: figure,
    }
    seen = OverSplits([part.seen if isinstance(part, Between) else part for part in figure.figures], figure.n)
    turned = why_turned(row, seen.limits())
    return {**row, "why": turned} if turned else row


def clearly_better(labels: LabelMatrix, own: Sequence[Trial], other: Sequence[Trial], level: float) -> float:
    """The one-sided p, over several splits, that the first is no better than the second; 1 where it is above the level."""
    figure = _mean_of(_on_each_split(labels, own, other))
    if figure is None or figure.value <= 0:
        return 1.0
    low = figure.limits(2 * level)[0]
    p = figure.p_zero if low is not None and low > 0 else None
    return 1.0 if p is None else p / 2


def _on_each_split(labels: LabelMatrix, own: Sequence[Trial], other: Sequence[Trial]) -> list[Paired]:
    return [_compared_on_split(labels, first, second) for first, second in zip(own, other, strict=True)]


def _mean_of(splits: Sequence[Paired], n: int = 0) -> OverSplits | None:
    """None where a split has no question on which both are graded."""
    figures = [found.figure for found in splits if found.figure is not None]
    return OverSplits(figures, n) if len(figures) == len(splits) else None


def _compared_on_split(labels: LabelMatrix, own: Trial, other: Trial) -> Paired:
    pooled = own.repeats > 1
    if not (np.isnan(own.right) | np.isnan(other.right)).any():
        sides = zip(own.tested.tolist(), own.right.tolist(), other.right.tolist(), strict=True)
        return compare({labels.questions[place]: (first, second) for place, first, second in sides}, pooled=pooled)
    pairs = _pairs(labels, own, other)
    worst, best = (completed_pairs(pairs, best=best) for best in (False, True))
    return compare_between(known_pairs(pairs), worst, best, pooled=pooled)


def _bounds(joined: Pairs, splits: Sequence[Pairs]) -> Row:
    if not any(value.open for several in joined.values() for pair in several for value in pair):
        return {}
    lows, highs = zip(*map(difference_ends, splits), strict=True)
    bounds = {"low": sum(lows) / len(lows), "high": sum(highs) / len(highs)}
    return {"ungraded": len(joined) - len(known_pairs(joined)), "bounds": bounds}


def _pairs(labels: LabelMatrix, own: Trial, other: Trial) -> Pairs:
    """A pair for each test question of one split."""
    sides = [[_value(float(right), settled=labels.settled) for right in trial.right] for trial in (own, other)]
    return {
        labels.questions[place]: [(first, second)]
        for place, first, second in zip(own.tested, sides[0], sides[1], strict=True)
    }


def _value(right: float, *, settled: bool) -> Value:
    """Who could not grade a word now may yet."""
    return Value(None, 0.0, 1.0, waiting=1) if np.isnan(right) else Value(right, right, right, judged=int(settled))
