"""Columns that are nothing, though the answer points at them: left out they would make open questions of a quiz, graded
against letters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from moot.data.tables.advised_columns import written
from moot.data.tables.doubts import Doubt
from moot.data.tables.listed_names import cut, listed
from moot.data.tables.pointing_answers import alike_beside, choices_of, letters_without_choices
from moot.data.tables.positions_without_choices import pointed_at
from moot.data.tables.stated import Stated
from moot.data.tables.table import QuestionTable

NAMES_THEM = "columns: {choices: [...]} under questions names them, and null says that there are none"


@dataclass(frozen=True, slots=True)
class LeftOutChoices:
    """What is to be done about them."""

    reason: str | None = None
    taken: tuple[str, ...] = ()
    doubt: Doubt | None = None


def left_out_choices(table: QuestionTable, answer: str, unused: Sequence[str]) -> LeftOutChoices | None:
    """None: nothing looks like choices of these answers.

    Letters of the columns, and labels with the texts behind them, say what they point at. A number may be the answer itself,
    and a text is what is right with choices or without.
    """
    if others := alike_beside(answer, [name for name in table.names if name == answer or name in unused]):
        return LeftOutChoices(
            f"{answer} is taken for what is right, and looks like one choice beside {', '.join(others)}: {NAMES_THEM}"
        )
    found = choices_of(table, answer, unused)
    if found is None:
        return _nowhere(table, answer, unused)
    names, plain = ", ".join(found.choices), cut(answer)
    if found.by_text:
        return LeftOutChoices(f"{names} are not used, and look like choices that {plain} points at: {NAMES_THEM}")
    if found.by_labels:
        return LeftOutChoices(
            f"{names} are taken for choices, as {plain} points at one of them in every row", found.choices
        )
    ways = (Stated({"choices": found.choices}), Stated({"choices": None}))
    odd = f", but for {found.nearly[0]}" if not found.answers else ""
    brief = f"{listed(found.choices)} look like choices that {plain} points at{odd}"
    likely = 0 if found.answers else None
    return LeftOutChoices(doubt=Doubt(f"{brief}; {NAMES_THEM}", table.header, None, ways, "several", brief, likely))


def _nowhere(table: QuestionTable, answer: str, unused: Sequence[str]) -> LeftOutChoices | None:
    """Where all answers are letters, or positions with something to point at, there are choices, and nobody can say which
    columns they are."""
    if letters_without_choices(table, answer, unused):
        problem = f"no column is known to be choices, though the answers are letters ({cut(answer)}); {NAMES_THEM}"
        return LeftOutChoices(doubt=Doubt(problem, table.header, about="choices"))
    if (found := pointed_at(table, answer, unused)) is None:
        return None
    there = (
        f"{listed(found.columns)} could be choices"
        if not found.in_cells
        else f"{listed(found.columns)} could hold them"
    )
    certain = len(found.columns) == (1 if found.in_cells else found.wanted)
    likely = found.columns[0] if found.in_cells else found.columns
    example = (
        f"; say which under questions, such as {written({'choices': likely})}, or choices: null" if certain else ""
    )
    problem = (
        f"no column is known to be choices, though the answers ({cut(answer)}) could be positions, and {there}"
        f"{example or f'; {NAMES_THEM}'}"
    )
    return LeftOutChoices(doubt=Doubt(problem, table.header, about="choices"))
