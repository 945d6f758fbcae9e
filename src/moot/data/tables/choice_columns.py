"""Which columns could be the choices of questions whose text and answer are known: by what stands in all rows.

Left out they would make open questions of a multiple-choice set without a word. Still it is only likely: whoever begins a
file is asked, and a run takes no column for a choice by this alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from moot.data.tables.answer_forms import AnswersAs, could_be_a_choice, folded, in_words
from moot.data.tables.answer_headers import says_otherwise
from moot.data.tables.choice_cells import SEPARATORS, is_cut
from moot.data.tables.known_names import ColumnNames, ends_of
from moot.data.tables.mapped import ColumnsOfTable
from moot.data.tables.pointing_answers import FEWEST_ALIKE, likely_families
from moot.data.tables.table import QuestionTable

MOST_LOOKED_AT = 40
"""Columns; somebody else's table may have thousands."""
_POINTING: tuple[AnswersAs, ...] = ("letters", "letters-ru", "from-1", "from-0")
_NUMBER = re.compile(r"[-+]?[0-9]+(?:[.,][0-9]+)?")


@dataclass(frozen=True, slots=True)
class LikelyChoices:
    """Columns that could be choices, and why. No columns: there must be some, and nobody can say which."""

    why: str
    columns: tuple[str, ...] = ()


@dataclass(slots=True)
class _Rows:
    """What all rows say."""

    count: int = 0
    alike: set[frozenset[str]] = field(default_factory=set)
    """The columns that say the same as the answer, each set of them once."""
    forms: dict[AnswersAs, None] = field(default_factory=lambda: dict.fromkeys(_POINTING))
    """In which every answer could be a letter or a position."""
    words: set[str] = field(default_factory=set)
    """Columns in which something else than a number stands."""
    uncut: dict[str, set[str]] = field(default_factory=dict)
    """By column what does not part the text of one of its cells."""
    highest: int = 0
    """Of the answers that are numbers."""

    def see_cell(self, name: str, cell: Any) -> None:
        if isinstance(cell, list) and len(cell) > 1:
            self.words.add(name)
        elif isinstance(cell, str) and not cell.lstrip().startswith("["):
            self.uncut.setdefault(name, set()).update(each for each in SEPARATORS if not is_cut(cell, each))
        elif not isinstance(cell, str):
            self.uncut[name] = {*SEPARATORS}

    def are_cut(self, name: str) -> bool:
        """Whether all cells of a column could be several choices."""
        return {*SEPARATORS} > self.uncut.get(name, set())

    def is_one_of(self, columns: Sequence[str]) -> bool:
        return all(alike.intersection(columns) for alike in self.alike)


def likely_choices(
    table: QuestionTable, columns: Mapping[str, ColumnNames], free: Sequence[str]
) -> Iterator[LikelyChoices]:
    """The likeliest first. `columns`: what is known, text and answer with it. `free`: those that are nothing else."""
    free = tuple(name for name in free[:MOST_LOOKED_AT] if not says_otherwise(name))
    seen = _seen(table, columns, free)
    if not seen.count or not free:
        return
    families = likely_families(free)
    said = f"in all {seen.count} rows the answer is what stands in one of them"
    yield from (LikelyChoices(said, family) for family in families if seen.is_one_of(family))
    if seen.is_one_of(free) and len(between := _between(free, seen)) > 1:
        yield LikelyChoices(said, between)
    cells = [name for name in free if name in seen.words and seen.are_cut(name)]
    yield from (
        LikelyChoices("in all rows it has several parts, of which the answer is one", (name,)) for name in cells
    )
    for form in seen.forms:
        pointed = f"the answers are {in_words(form)}"
        # Numbers may be the scores of something, unless the columns have letters as the answers do.
        yield from (
            LikelyChoices(pointed, family)
            for family in families
            if seen.words.intersection(family) or (form.startswith("letters") and ends_of(family)[0].isalpha())
        )
        held = seen.words.intersection(free)
        if (form.startswith("letters") and held) or len(held) >= max(FEWEST_ALIKE, seen.highest):
            yield LikelyChoices(pointed)


def _between(free: Sequence[str], seen: _Rows) -> tuple[str, ...]:
    """From the first column that is ever the answer to the last; none where a single one always is: that is a copy."""
    if any(seen.is_one_of([name]) for name in free):
        return ()
    places = [place for place, name in enumerate(free) if any(name in alike for alike in seen.alike)]
    return tuple(free[places[0] : places[-1] + 1])


def _seen(table: QuestionTable, columns: Mapping[str, ColumnNames], free: Sequence[str]) -> _Rows:
    seen = _Rows()
    for row in ColumnsOfTable(table, {**columns, "meta": tuple(free)}).rows():
        answer = row.answer()
        if answer is None:
            continue
        seen.count += 1
        cells = {name: _folded(row.values.get(name)) for name in free}
        seen.alike.add(frozenset(name for name, cell in cells.items() if cell == _folded(answer)))
        seen.words.update(name for name, cell in cells.items() if cell and not _NUMBER.fullmatch(cell))
        for name in free:
            seen.see_cell(name, row.values.get(name))
        seen.highest = max(seen.highest, int(answer) if answer.isdecimal() and len(answer) < 3 else 0)
        for form in [form for form in seen.forms if not could_be_a_choice(answer, form)]:
            del seen.forms[form]
    return seen


def _folded(cell: Any) -> str:
    return folded(str(cell)) if cell is not None else ""
