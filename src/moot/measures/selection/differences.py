"""Methods beside each other on the same test questions: each against one of them, and which of them may be the best.

Questions are the unit, and both methods are tested on those of the same splits. Over several splits the difference is their
mean, as sure as one of them (`by_split`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from moot.measures.selection.by_split import clearly_better, compared
from moot.select.labels import LabelMatrix
from moot.select.trial import Trial
from moot.stats.choice import ALPHA, Standing, standings, told_apart
from moot.stats.clusters import units_of
from moot.stats.estimates import with_holm

Row = dict[str, Any]
Together = Mapping[tuple[str, int | None], Sequence[Trial]]
"""The trials of a method and k, one a split."""

USUAL = "top-accuracy"
"""What everybody would do without any of this."""


def mark_differences(labels: LabelMatrix, rows: Sequence[Row], together: Together, against: str | None) -> None:
    """`over` in each row that is another team than that of the method compared with, all of them one family, in which methods
    that chose the same count once; `beaten_by` where another method of the same k is better, the choice of it paid for."""
    for row in rows:
        row["over"] = row["beaten_by"] = None
    methods = list(dict.fromkeys(row["method"] for row in rows))
    if len(methods) < 2:
        return
    beside = against or (USUAL if USUAL in methods else methods[0])
    differences: dict[tuple[str, int | None], Row] = {}
    for row in rows:
        reference = next(other for other in rows if (other["method"], other["k"]) == (beside, row["k"]))
        place = _of(rows, row), row["k"]
        if place[0] != _of(rows, reference) and place not in differences:
            differences[place] = {"method": beside, **compared(labels, together[place], together[beside, row["k"]])}
    adjusted = dict(zip(differences, with_holm(list(differences.values())), strict=True))
    for row in rows:
        row["over"] = adjusted.get((_of(rows, row), row["k"]))
    for k in dict.fromkeys(row["k"] for row in rows):
        _mark_beaten(labels, [row for row in rows if row["k"] == k], together)


def _of(rows: Sequence[Row], row: Row) -> str:
    """The method whose teams these are: the first of those that chose the same. One may point to another that points on."""
    while row["same_as"] is not None:
        row = next(other for other in rows if (other["method"], other["k"]) == (row["same_as"], row["k"]))
    return str(row["method"])


def _mark_beaten(labels: LabelMatrix, rows: Sequence[Row], together: Together) -> None:
    different = [row for row in rows if row["same_as"] is None and row["test_accuracy"] is not None]
    if len(different) < 2:
        return  # of what is not known nobody can say that another is better
    groups = [together[row["method"], row["k"]] for row in different]
    said = _on_one_split(labels, groups) if len(groups[0]) == 1 else _over_splits(labels, groups)
    by_method = {
        row["method"]: None if standing.beaten_by is None else different[standing.beaten_by]["method"]
        for row, standing in zip(different, said, strict=True)
    }
    for row in rows:
        row["beaten_by"] = by_method.get(_of(rows, row))


def _on_one_split(labels: LabelMatrix, groups: Sequence[Sequence[Trial]]) -> list[Standing]:
    trials = [group[0] for group in groups]
    right = np.array([trial.right for trial in trials])
    ends = np.where(np.isnan(right), 0.0, right), np.where(np.isnan(right), 1.0, right)
    clusters = units_of(labels.questions[place] for place in trials[0].tested)
    return standings(right, ends=ends, pooled=any(trial.repeats > 1 for trial in trials), clusters=clusters)


def _over_splits(labels: LabelMatrix, groups: Sequence[Sequence[Trial]]) -> list[Standing]:
    """How far methods go together over splits nobody knows either: the choice among the others is paid by Bonferroni."""
    found = []
    for place, own in enumerate(groups):
        others = [other for other in range(len(groups)) if other != place]
        level = 2 * ALPHA / len(others)  # above it nothing is beaten, whatever the other rows are
        p = {other: clearly_better(labels, groups[other], own, level) for other in others}
        top = min(others, key=p.__getitem__)
        found.append(Standing(top, min(1.0, len(others) * p[top])))
    return told_apart(found)
