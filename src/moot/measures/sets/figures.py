"""Accuracy of every cell on each set of questions, on each group of sets, and its mean over sets.

A mean over sets is no accuracy over questions: a set of thirty questions counts in it as much as one of three thousand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from moot.measures.cells import Stored
from moot.measures.source import Source
from moot.stats.estimates import estimate_row
from moot.stats.graded import Value, accuracy_row, graded_share, mean_value
from moot.stats.independent_means import mean_between, mean_of_independent_shares, sharing

Row = dict[str, Any]
BySet = Mapping[str, Mapping[str, Value]]
"""By set and question: what it got right."""


def set_figures(source: Source) -> dict[str, Any]:
    """Nothing where the file has one set: then the accuracy says it all."""
    names = list(dict.fromkeys(case.question_set for case in source.cases.values() if case.question_set is not None))
    if len(names) < 2:
        return {}
    groups = _groups(source.config.get("questions"), names)
    by_set: list[Row] = []
    by_group: list[Row] = []
    means: list[Row] = []
    for cell in source.cells:
        values = {name: _on_set(source, cell, name) for name in names}
        rows = [{"question_set": name, "group": groups[name], **accuracy_row(values[name])} for name in names]
        by_set += [{**_named(cell), **row} for row in rows]
        by_group += [{**_named(cell), "group": group, **mean} for group, mean in _by_group(rows, values).items()]
        means.append({**_named(cell), **_mean(rows, values)})
    return {"question_sets": by_set, "set_groups": by_group, "mean_over_sets": means}


def _groups(written: object, names: Iterable[str]) -> dict[str, str | None]:
    """The group of each set, as the file says it."""
    from moot.experiment.spec import QuestionsSpec

    specs = [QuestionsSpec.model_validate(keys) for keys in (written if isinstance(written, list) else [])]
    declared = {spec.title: spec.group for spec in specs}
    return {name: declared.get(name) for name in names}


def _named(cell: Stored) -> Row:
    named: Row = {"strategy": cell["strategy"], "label": cell["label"]}
    if cell["player"]:
        return {**named, "player": cell["player"]}
    cohort = {"cohort": cell["cohort"]} if cell["cohort"] else {}
    return {**named, "team": cell["team"], "captain": cell["captain"], **cohort}


def _on_set(source: Source, cell: Stored, name: str) -> dict[str, Value]:
    grades: dict[str, list[Value]] = {}
    for episode in source.seen(cell):
        if source.cases[episode.key[0]].question_set == name:
            grades.setdefault(episode.key[0], []).append(episode.value)
    return {question: mean_value(several) for question, several in grades.items()}


def _by_group(rows: Sequence[Row], values: BySet) -> dict[str, Row]:
    """Where sets belong to groups: the mean over the sets of each."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        if row["group"] is not None:
            groups.setdefault(row["group"], []).append(row)
    return {group: _mean(several, values) for group, several in groups.items()}


def _mean(rows: Sequence[Row], values: BySet) -> Row:
    """`n`: how many sets. One of which nothing is graded leaves no mean: what is left would be another figure."""
    bounds = _bounds(rows)
    if any(row["value"] is None for row in rows):
        why = "; ".join(f"{row['question_set']}: {row['why']}" for row in rows if row["value"] is None)
        return {**estimate_row(None), **bounds, "why": why}
    shares = [share for row in rows if (share := graded_share(values[row["question_set"]])) is not None]
    mean = partial(mean_of_independent_shares, shared=sharing([values[row["question_set"]] for row in rows]))
    return {**estimate_row(mean_between(shares, mean)), **bounds}


def _bounds(rows: Sequence[Mapping[str, Any]]) -> Row:
    """Over all questions, whatever the ungraded answers are; nothing where all is graded."""
    if not any("bounds" in row for row in rows):
        return {}
    ends = [row.get("bounds") or {"low": row["value"], "high": row["value"]} for row in rows]
    if any(end["low"] is None for end in ends):
        return {}
    low, high = (sum(end[side] for end in ends) / len(ends) for side in ("low", "high"))
    return {"ungraded": sum(row.get("ungraded", 0) for row in rows), "bounds": {"low": low, "high": high}}
