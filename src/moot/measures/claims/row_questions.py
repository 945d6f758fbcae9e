"""Which questions a row of a table is about, by what it says of itself: all of them, a set, a category, those that people were
asked; or several such parts, of which it is the mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from moot.measures.quiz.diversity import DIFFICULTIES, difficulty
from moot.types import Case

AskedPart = frozenset[str] | None
"""None: all that were played."""
_OF_PEOPLE = "human"
OF_SETS = frozenset({"mean_over_sets", "set_groups"})
"""Means in which a set of thirty questions counts as much as one of three thousand; their n is how many sets."""
_PARTS = "datasets"
"""Where a mean over sets has its rows."""


@dataclass(frozen=True)
class RowQuestions:
    """Of one run. `cases`: by question."""

    cases: Mapping[str, Case]
    groups: Mapping[str, str | None] = field(default_factory=dict)
    """By set of questions: its group."""

    def grouped(self, question_sets: Iterable[Mapping[str, Any]]) -> RowQuestions:
        """With the groups that these rows tell."""
        return replace(self, groups={row["question_set"]: row["group"] for row in question_sets})

    def of_row(self, row: Mapping[str, Any], of: str) -> tuple[AskedPart, ...]:
        """Nothing where it says nothing of them: then they are those of the rows around it. `of`: the key of its table."""
        if of in OF_SETS:
            return tuple(self._set(name) for name in self.groups if row.get("group") in (None, self.groups[name]))
        if isinstance(row.get(_PARTS), list):
            return tuple(self._set(part["dataset"]) for part in row[_PARTS])
        if isinstance(row.get("difficulty"), str):
            return (self._as_hard[row["difficulty"]],)
        if isinstance(name := row.get("question_set", row.get("dataset")), str) and not row.get("whole"):
            return (self._set(name),)
        if isinstance(row.get("criterion"), str):
            return (self._with_criterion(row["criterion"]),)
        if isinstance(row.get("category"), str):
            return (_all_if_none(q for q, case in self.cases.items() if case.category == row["category"]),)
        if of == _OF_PEOPLE:
            return (frozenset(self._human_rates),)
        return ()

    def _set(self, name: str) -> AskedPart:
        return _all_if_none(q for q, case in self.cases.items() if case.question_set == name)

    def _with_criterion(self, name: str) -> AskedPart:
        return _all_if_none(q for q, case in self.cases.items() if any(each.name == name for each in case.rubric))

    @cached_property
    def _human_rates(self) -> Mapping[str, float]:
        return {question: case.human.rate for question, case in self.cases.items() if case.human}

    @cached_property
    def _as_hard(self) -> Mapping[str, frozenset[str]]:
        level = difficulty(self._human_rates)
        return {name: frozenset(q for q in level if level[q] == name) for name in DIFFICULTIES}


def _all_if_none(questions: Iterable[str]) -> AskedPart:
    """Of a name that no question goes by nobody knows which are meant."""
    return frozenset(questions) or None
