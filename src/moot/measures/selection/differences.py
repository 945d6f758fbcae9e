"""Methods beside each other on the same test questions: each against one of them, and which of them may be the best.

Questions are the unit. A question that several splits have tested counts by its mean over them, and both methods by the
same splits. The teams are taken as they were chosen: the interval is about the questions, not about other splits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moot.select.labels import Floats, LabelMatrix
from moot.select.trial import Trial
from moot.stats.choice import standings
from moot.stats.clusters import units_of
from moot.stats.estimates import with_holm
from moot.stats.graded import Value
from moot.stats.graded_pairs import Pairs, family_row

Row = dict[str, Any]
Together = Mapping[tuple[str, int | None], Sequence[Trial]]
"""The trials of a method and k, one a split."""

USUAL = "top-accuracy"
"""What everybody would do without any of this."""


def mark_differences(labels: LabelMatrix, rows: Sequence[Row], together: Together, against: str | None) -> None:
    """`over` in each row that is another team than that of the method compared with, all of them one family; `beaten_by`
    where another method of the same k is better, the choice of it paid for."""
    for row in rows:
        row["over"] = row["beaten_by"] = None
    methods = list(dict.fromkeys(row["method"] for row in rows))
    if len(methods) < 2:
        return
    beside = against or (USUAL if USUAL in methods else methods[0])
    compared: list[tuple[Row, Row]] = []
    for row in rows:
        reference = next(other for other in rows if (other["method"], other["k"]) == (beside, row["k"]))
        if _of(rows, row) != _of(rows, reference):
            own, other = together[row["method"], row["k"]], together[beside, row["k"]]
            difference = family_row(_pairs(labels, own, other), pooled=_pooled(own))
            compared.append((row, {"method": beside, **difference}))
    for (row, _), difference in zip(compared, with_holm([over for _, over in compared]), strict=True):
        row["over"] = difference
    for k in dict.fromkeys(row["k"] for row in rows):
        _mark_beaten(labels, [row for row in rows if row["k"] == k], together)


def _of(rows: Sequence[Row], row: Row) -> str:
    """The method whose teams these are: the first of those that chose the same. One may point to another that points on."""
    while row["same_as"] is not None:
        row = next(other for other in rows if (other["method"], other["k"]) == (row["same_as"], row["k"]))
    return str(row["method"])


def _pooled(group: Sequence[Trial]) -> bool:
    """Whether a question's value is a mean, be it that all of them happen to be 0 or 1."""
    return len(group) > 1 or any(trial.repeats > 1 for trial in group)


def _table(labels: LabelMatrix, group: Sequence[Trial]) -> Floats:
    """Splits × questions: what was right; NaN where a split did not test the question, and where nobody could grade it."""
    table = np.full((len(group), labels.size), np.nan)
    for place, trial in enumerate(group):
        table[place, trial.tested] = trial.right
    return table


def _completed(labels: LabelMatrix, group: Sequence[Trial], end: float) -> Floats:
    """The same, all that nobody has graded wrong, or right."""
    table = np.full((len(group), labels.size), np.nan)
    for place, trial in enumerate(group):
        table[place, trial.tested] = np.where(np.isnan(trial.right), end, trial.right)
    return table


def _tested(labels: LabelMatrix, group: Sequence[Trial]) -> NDArray[np.intp]:
    times = np.zeros(labels.size, dtype=np.intp)
    for trial in group:
        times[trial.tested] += 1
    return times


def _pairs(labels: LabelMatrix, own: Sequence[Trial], other: Sequence[Trial]) -> Pairs:
    times, tables = _tested(labels, own), [_table(labels, group) for group in (own, other)]
    both = ~np.isnan(tables[0]) & ~np.isnan(tables[1])
    graded = both.sum(axis=0)
    sides = [_values(table, both, graded, times, settled=labels.settled) for table in tables]
    return {labels.questions[place]: [(sides[0][place], sides[1][place])] for place in np.flatnonzero(times)}


def _values(
    table: Floats, both: NDArray[np.bool_], graded: NDArray[np.intp], times: NDArray[np.intp], *, settled: bool
) -> dict[int, Value]:
    """By question: the mean over the splits that have both sides graded, and the least and the most over all."""
    known = np.where(both, table, 0.0).sum(axis=0)
    sums, open_splits = np.nansum(table, axis=0), times - (~np.isnan(table)).sum(axis=0)
    return {
        int(place): Value(
            float(known[place] / graded[place]) if graded[place] else None,
            float(sums[place] / times[place]),
            float((sums[place] + open_splits[place]) / times[place]),
            answers=int(times[place]),
            waiting=int(open_splits[place]),
            judged=int(times[place] - open_splits[place]) if settled else 0,
        )
        for place in np.flatnonzero(times)
    }


def _mark_beaten(labels: LabelMatrix, rows: Sequence[Row], together: Together) -> None:
    different = [row for row in rows if row["same_as"] is None and row["test_accuracy"] is not None]
    if len(different) < 2:
        return  # of what is not known nobody can say that another is better
    groups = [together[row["method"], row["k"]] for row in different]
    means = [_means(_table(labels, group)) for group in groups]
    asked = _tested(labels, groups[0]) > 0
    clusters = units_of(labels.questions[place] for place in np.flatnonzero(asked))
    worst, best = (
        np.array([_means(_completed(labels, group, end)) for group in groups])[:, asked] for end in (0.0, 1.0)
    )
    said = standings(np.array(means)[:, asked], ends=(worst, best), pooled=any(map(_pooled, groups)), clusters=clusters)
    by_method = {
        row["method"]: None if standing.beaten_by is None else different[standing.beaten_by]["method"]
        for row, standing in zip(different, said, strict=True)
    }
    for row in rows:
        row["beaten_by"] = by_method.get(_of(rows, row))


def _means(table: Floats) -> Floats:
    graded = (~np.isnan(table)).sum(axis=0)
    means: Floats = np.where(graded > 0, np.nansum(table, axis=0) / np.maximum(graded, 1), np.nan)
    return means
