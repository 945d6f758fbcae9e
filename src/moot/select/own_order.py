"""A label matrix in an order of its own, so that no figure hangs on what somebody calls proposers or classes.

Lots are drawn for places: for the third proposer, for the second class. In the order of names another name would be another
lot, and ties would fall otherwise. So places go by what was said and how right it was; names decide only between proposers who
cannot be told apart by any of that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from moot.select.labels import UNANSWERED, Codes, LabelMatrix, Places


def in_own_order(labels: LabelMatrix) -> LabelMatrix:
    """The same labels, the most accurate proposers first; classes in the order of the questions that they are right on."""
    ordered = labels.only(_proposers(labels))
    return _by_class(ordered) if labels.shared else _within_questions(ordered)


def _proposers(labels: LabelMatrix) -> list[int]:
    accuracy, alike = np.round(labels.accuracy, 12), _as_many(labels.codes)
    ungraded = np.zeros(labels.codes.shape, dtype=np.bool_) if labels.ungraded is None else labels.ungraded

    def said(place: int) -> tuple[object, ...]:
        rows = (labels.worth[place], ungraded[place], alike[place])
        return -accuracy[place], *(row.tobytes() for row in rows), labels.proposers[place]

    return sorted(range(len(labels.proposers)), key=said)


def _as_many(codes: Codes) -> Places:
    """Of each label how many have said the same; 0 where somebody said nothing."""
    counts = np.zeros(codes.shape, dtype=np.intp)
    for question, said in enumerate(codes.T):
        _, where, times = np.unique(said, return_inverse=True, return_counts=True)
        counts[:, question] = np.where(said == UNANSWERED, 0, times[where])
    return counts


def _by_class(labels: LabelMatrix) -> LabelMatrix:
    """A class that is never right stands where it was first said, and by whom."""
    late = labels.size * (len(labels.proposers) + 1)
    first = np.full(len(labels.classes), 2 * late + 1, dtype=np.intp)
    rows, questions = np.nonzero(labels.codes != UNANSWERED)
    np.minimum.at(first, labels.codes[rows, questions], late + questions * len(labels.proposers) + rows)
    known = np.flatnonzero(labels.truth >= 0)
    np.minimum.at(first, labels.truth[known], known)
    order = np.argsort(first, kind="stable")
    return _recoded(labels, order)


def _recoded(labels: LabelMatrix, order: Sequence[int] | Places) -> LabelMatrix:
    place = np.empty(len(labels.classes), dtype=np.int16)
    place[np.asarray(order)] = np.arange(len(labels.classes), dtype=np.int16)
    codes, truth = (np.where(each >= 0, place[each], each).astype(np.int16) for each in (labels.codes, labels.truth))
    return replace(labels, classes=tuple(labels.classes[at] for at in order), codes=codes, truth=truth)


def _within_questions(labels: LabelMatrix) -> LabelMatrix:
    """Codes that hold for one question: those that are not right there go to whoever stands first."""
    codes = labels.codes.copy()
    for question, said in enumerate(labels.codes.T):
        others = [code for code in dict.fromkeys(said.tolist()) if code not in (UNANSWERED, labels.truth[question])]
        for code, instead in zip(others, sorted(others), strict=True):
            codes[said == code, question] = instead
    return replace(labels, codes=codes)
