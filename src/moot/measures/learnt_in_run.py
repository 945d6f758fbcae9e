"""What was learnt within the run that it is measured in: said beside every figure whose interval does not know of it.

A strategy that learns decides each fold of the questions by what the other folds teach. So a question is tested and helps to
choose for others, and other questions would have taught another rule. Intervals and tests take what each question came to as
independent of the others, and are too narrow for it (`bench/learnt_in_the_run.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from moot.measures.cells import Stored
from moot.measures.section import Section

KEY = "learnt_in_run"
"""Where figures have the labels of these strategies."""
TOO_NARROW = "too narrow, and p too small"
_TEXTS = ("hypothesis",)
"""Cells in which a label stands among other words."""


def labels_of(cells: Iterable[Stored]) -> list[str]:
    return list(dict.fromkeys(cell["label"] for cell in cells if cell["traits"].learns))


def learnt_row(cells: Iterable[Stored]) -> dict[str, Any]:
    """What stands in a row, or beside all of them; nothing where nothing learns."""
    return {KEY: labels} if (labels := labels_of(cells)) else {}


def learnt_words(labels: Sequence[str]) -> str:
    return (
        f"Learnt in this run: {', '.join(labels)}. Other questions would teach other rules, which the intervals of such rows know"
        f" nothing of: they are {TOO_NARROW} (docs/report.md, Where they fall short)."
    )


def learnt_in_short(figures: Mapping[str, Any]) -> Iterable[str]:
    if labels := figures.get(KEY):
        yield f"Learnt in this run, so intervals are {TOO_NARROW}: {', '.join(labels)}."


def with_learnt_words(section: Section, labels: Sequence[str]) -> Section:
    """The same with that sentence, where it has intervals or tests of such a strategy."""
    return replace(section, words=(*section.words, *words_beneath(section, labels)))


def words_beneath(section: Section, labels: Sequence[str]) -> list[str]:
    measured = any(column.low is not None or column.unit == "p" for column in section.columns)
    named = [label for label in labels if _names(section, label)] if measured else []
    return [learnt_words(named)] if named else []


def _names(section: Section, label: str) -> bool:
    if any(_is_of(column.title, label) for column in section.columns):
        return True
    return any(_row_names(row, label) for row in section.rows)


def _row_names(row: Mapping[str, Any], label: str) -> bool:
    for key, value in row.items():
        if not isinstance(value, str) or (key == "strategy" and "label" in row):
            continue  # a strategy has other labels too, which may not learn
        if key in _TEXTS and re.search(rf"(?<![\w-]){re.escape(label)}(?![\w(-])", value):
            return True
        if _is_of(value, label):
            return True
    return False


def _is_of(side: str, label: str) -> bool:
    """``LABEL``, ``LABEL@WHO``, or the same with ``TEAM/`` before it."""
    before, slash, rest = side.partition("/")
    named = rest if slash and "(" not in before else side
    return any(each == label or each.startswith((f"{label}@", f"{label} (")) for each in (side, named))
