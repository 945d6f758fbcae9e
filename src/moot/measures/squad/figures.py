"""Reading comprehension: F1 and exact match over all questions, over those that can be answered and those that cannot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from moot.grade.squad import best, exact_match, scored_by_words
from moot.measures.cells import Stored
from moot.measures.columns import figure, who, with_team
from moot.measures.episodes import right_of
from moot.measures.section import Column, Section
from moot.measures.source import Source
from moot.stats.estimates import estimate_row
from moot.stats.proportion import accuracy
from moot.types import Case

PARTS = ("all", "answerable", "unanswerable")


@dataclass(frozen=True, slots=True)
class _Scores:
    """Scores by question, one for every repeat."""

    f1: dict[str, list[float]] = field(default_factory=dict)
    exact: dict[str, list[float]] = field(default_factory=dict)

    def add(self, question: str, f1: float, exact: float) -> None:
        self.f1.setdefault(question, []).append(f1)
        self.exact.setdefault(question, []).append(exact)

    def row(self) -> dict[str, Any]:
        same = accuracy(self.exact)
        f1_row = estimate_row(accuracy(self.f1), "f1")
        return {**f1_row, "exact": same.value, "exact_low": same.low, "exact_high": same.high}


def squad_figures(source: Source, cells: Sequence[Stored]) -> dict[str, Any]:
    """A row for each cell and part, under `squad`; nothing where no question is scored so."""
    cases = {question: case for question, case in source.cases.items() if case.known and scored_by_words(case)}
    return {"squad": [row for cell in cells for row in _rows(source, cell, cases)]} if cases else {}


def _rows(source: Source, cell: Stored, cases: Mapping[str, Case]) -> Iterator[dict[str, Any]]:
    """Over what is graded: an answer whose reference nobody knows is no part of it."""
    parts = {part: _Scores() for part in PARTS}
    ungraded = dict.fromkeys(PARTS, 0)
    for played in source.results(cell):
        if case := cases.get(played["question"]):
            answer, f1 = played["answer"], right_of(played)
            exact = 0.0 if answer is None else best(case, answer, exact_match)
            for part in ("all", "unanswerable" if case.answer is None else "answerable"):
                if f1 is None:
                    ungraded[part] += 1
                else:
                    parts[part].add(played["question"], f1, exact)
    named: dict[str, Any] = {"strategy": cell["strategy"], "label": cell["label"]}
    named |= {"player": cell["player"]} if cell["player"] else {"team": cell["team"], "captain": cell["captain"]}
    for part, scores in parts.items():
        if scores.f1:
            left_out = {"ungraded": ungraded[part]} if ungraded[part] else {}
            yield {**named, "part": part, **scores.row(), **left_out}


def squad_sections(figures: Mapping[str, Any]) -> list[Section]:
    rows = [{**row, "who": who(row)} for row in figures.get("squad", ())]
    return [_section(figures, rows)] if rows else []


def _section(figures: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> Section:
    columns = with_team(
        figures,
        rows,
        Column("label", "strategy"),
        Column("who", "who"),
        Column("part", "questions"),
        figure("f1", "F1"),
        figure("exact", "exact", "share", "exact_low", "exact_high"),
        Column("n", "n"),
    )
    words = (
        "F1: words in common with the nearest gold answer. Where a question cannot be answered, saying so is 1 and"
        " anything else is 0.",
    )
    return Section("squad", "Reading comprehension", words, columns, rows, place=100)
