"""What was learnt within the run that it is measured in: said beside every figure whose interval does not know of it.

A strategy that learns decides each fold of the questions by what the other folds teach. So a question is tested and helps to
choose for others, and other questions would have taught another rule. Intervals and tests take what each question came to as
independent of the others, and are too narrow for it (`bench/learnt_in_the_run.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from moot.experiment.claims import parse
from moot.experiment.side_names import ClaimError, every_name
from moot.measures.cells import Stored
from moot.measures.section import Section

KEY = "learnt_in_run"
"""Where figures have the labels of these strategies."""
TOO_NARROW = "too narrow, and p too small"
HYPOTHESIS = "hypothesis"
"""The cells in which a label stands among other words."""


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


def learnt_names(*runs: Mapping[str, Any]) -> dict[str, str]:
    """By all that a learning strategy may be called in the figures of these runs: its label."""
    names: dict[str, str] = {}
    for figures in runs:
        labels = figures.get(KEY, ())
        names |= {label: label for label in labels}
        rows = [row for row in figures.get("accuracy", ()) if row["label"] in labels]
        names |= {str(name): row["label"] for row in rows for name in every_name(row)}
    return names


def with_learnt_words(section: Section, names: Mapping[str, str]) -> Section:
    """The same with that sentence, where it has intervals or tests of such a strategy. `names`: see `learnt_names`."""
    return replace(section, words=(*section.words, *words_beneath(section, names)))


def words_beneath(section: Section, names: Mapping[str, str]) -> list[str]:
    measured = any(column.low is not None or column.unit == "p" for column in section.columns)
    if not measured or not names:
        return []
    texts = [column.title for column in section.columns]
    texts += [text for row in section.rows for text in _names_in(row)]
    named = {names[text] for text in texts if text in names}
    return [learnt_words([label for label in dict.fromkeys(names.values()) if label in named])] if named else []


def _names_in(row: Mapping[str, Any]) -> Iterator[str]:
    for key, value in row.items():
        if not isinstance(value, str) or (key == "strategy" and "label" in row):
            continue  # a strategy has other labels too, which may not learn
        if key == HYPOTHESIS:
            yield from _sides_in(value)
        else:
            yield value


def _sides_in(hypothesis: str) -> Iterator[str]:
    """The strategies that somebody's hypothesis names, by the grammar that it is written in."""
    try:
        terms = parse(hypothesis).terms
    except ClaimError:
        return  # a store may hold what was written for another version
    yield from (term.side.strategy for term in terms)
