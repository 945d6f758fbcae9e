"""What the rows of a table say of how their choices and answers are written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from moot.data.parted_texts import BAR, SEMICOLON
from moot.data.references_seen import ReferencesSeen
from moot.data.tables.answer_forms import AnswersSeen
from moot.data.tables.choice_cells import SEPARATORS, SEPARATORS_IN_WORDS, WRITTEN, is_cut, separator_of
from moot.data.tables.choice_labels import columns_in_russian
from moot.data.tables.doubts import Doubt
from moot.data.tables.known_names import ColumnNames, several
from moot.data.tables.listed_names import cut
from moot.data.tables.mapped import COMMA, ColumnsOfTable, is_list
from moot.data.tables.stated import Stated
from moot.stats.counted_words import count
from moot.types import MOST_CHOICES

_OF_ANSWERS = ("accepted", "rejected")


@dataclass(slots=True)
class RowsSeen:
    """What all rows say of how choices and answers are written."""

    answers: dict[str, AnswersSeen]
    """By what separates choices in a cell."""
    references: ReferencesSeen
    """Of questions without choices."""
    cut: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SEPARATORS, 0))
    uncut: dict[str, int] = field(default_factory=dict)
    """By separator the first line in whose choices it is not."""
    cells: int = 0
    """Of choices that are a text to be cut."""
    fewer: int = 0
    """Questions with fewer choices than there are columns for them."""
    parted: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Cells of accepted or rejected answers that hold several, by our key and by what parts them."""
    nulls: int = 0
    """Answers that are null, which a table may also have where somebody forgot one."""

    def parted_told(self, columns: Mapping[str, ColumnNames]) -> tuple[str, ...]:
        """How cells with several accepted or rejected answers are read."""
        told = []
        for (key, by), rows in self.parted.items():
            name, cells = cut(several(columns[key])[0]), count(rows, "cell")
            if by != COMMA:
                told.append(f"{key}: {by} parts the entries of {name} (in {cells})")
            elif not {(key, BAR), (key, SEMICOLON)} & {*self.parted}:
                told.append(f"{key}: a comma parts no entries of {name} (in {cells}); write | or ; between them")
        return tuple(told)

    def separator(self) -> str | None:
        return separator_of(self.uncut) if self.cells else SEPARATORS[0]


def rows_seen(mapping: ColumnsOfTable, stated: Stated) -> RowsSeen:
    columns = mapping.columns.get("choices", ())
    russian = columns_in_russian(several(columns))
    answers = {each: AnswersSeen(russian_columns=russian) for each in SEPARATORS}
    seen = RowsSeen(answers, ReferencesSeen("".join(several(mapping.columns.get("answer", ()))[:1]), stated))
    for row in mapping.rows():
        seen.references.see(row.line, row.unread())
        seen.nulls += row.says_null("answer")
        seen.parted.update((key, by) for key in _OF_ANSWERS if (by := row.parted_by(key)) is not None)
        if not columns:
            continue
        cell = row.values.get(columns) if isinstance(columns, str) else None
        if isinstance(cell, str) and cell.strip() and not is_list(cell):
            seen.cells += 1
            for each in SEPARATORS:
                if not is_cut(cell, each):
                    seen.uncut.setdefault(each, row.line)
                else:
                    seen.cut[each] += 1
        written = row.answer()
        for each in SEPARATORS if isinstance(columns, str) else SEPARATORS[:1]:
            choices = row.choices(each)
            if written is not None and 0 < len(choices) <= MOST_CHOICES:
                seen.answers[each].see(row.line, written, choices)
        if not isinstance(columns, str) and 0 < len(row.choices()) < len(columns):
            seen.fewer += 1
    return seen


def uncut(columns: Mapping[str, ColumnNames], seen: RowsSeen) -> Doubt:
    column = several(columns["choices"])[0]
    if not {*WRITTEN} & {*seen.uncut}:
        problem = 'the choices can be cut at | and at ;, in every row; write them as JSON: ["a", "b"]'
        return Doubt(problem, None, column)
    likely = max(SEPARATORS, key=lambda each: seen.cut[each])
    some = f"with {likely} between them" if likely in WRITTEN and seen.cut[likely] else SEPARATORS_IN_WORDS
    problem = f'expected choices {some}, or as JSON: ["a", "b"]'
    return Doubt(problem, seen.uncut[likely], column)
