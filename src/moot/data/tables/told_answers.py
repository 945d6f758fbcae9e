"""Columns in which the answer itself stands, row after row: short ones explain it, and shown they would give it away.

A passage that questions are about has the answers in it too. So where a name says that it is one nobody is asked; it is said.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from moot.data.tables.advised_columns import written
from moot.data.tables.answer_forms import folded
from moot.data.tables.answer_headers import words_without_accents
from moot.data.tables.choice_cells import WRITTEN, is_cut, without_labels
from moot.data.tables.doubts import Doubt
from moot.data.tables.flag_columns import says_yes_or_no
from moot.data.tables.known_names import WRONG, ColumnNames, plain
from moot.data.tables.likely_columns import ROWS_READ
from moot.data.tables.listed_names import cut
from moot.data.tables.mapped import ColumnsOfTable, TableRow, is_list
from moot.data.tables.object_cells import opened, prose_of
from moot.data.tables.stated import Stated
from moot.data.tables.table import QuestionTable
from moot.errors import FileError

_MOST = 0.8
"""The share of rows that have to have the answer in them."""
_SHORT_WORDS = 60
"""In a text on average, from which it is a passage whatever stands in it."""
_FEWEST_ROWS = 2
_MAY_BE_ELSE = ("body", "premise", "document", "documents", "excerpt")
"""Names of passages that are as well those of what a quiz says of its answers."""
_EXPLAIN = frozenset(
    (
        *("fact", "facts", "explained", "trivia", "info", "infos", "note", "notes", "detail", "details", "why", "know"),
        *("combinedfact", "learn", "discussion", "analysis", "evidence", "background", "merksatz", "wissenswertes"),
        *("hintergrund", "fakt", "fakten", "mehr", "warum", "факт", "факты", "справка", "почему"),
    )
)
"""Words of what is more often told after the answer than shown before it, without their accents."""


def may_explain(name: str) -> bool:
    """Whether a header says so; fact1 and fact2 are two of them."""
    return bool(_EXPLAIN & {*words_without_accents(name)})


@dataclass(slots=True)
class TextsWithAnswer:
    """Rows that have a text in a column, and those of them in which it has the answer."""

    rows: int = 0
    with_answer: int = 0
    words: int = 0
    different: set[int] = field(default_factory=set)

    def see(self, text: str, *, with_answer: bool) -> None:
        self.rows += 1
        self.with_answer += with_answer
        self.words += len(text.split())
        self.different.add(hash(text))

    @property
    def tells(self) -> bool:
        """Of a text that several questions have together they are asked."""
        is_of_one = len(self.different) > _MOST * self.rows and self.words < _SHORT_WORDS * self.rows
        return is_of_one and self.rows >= _FEWEST_ROWS and self.with_answer > _MOST * self.rows


def told(
    table: QuestionTable, columns: Mapping[str, ColumnNames], names: Sequence[str]
) -> Mapping[str, TextsWithAnswer]:
    """By column. Where a row cannot be read, whoever reads them all says so."""
    found = {name: TextsWithAnswer() for name in names}
    taken = {key: columns[key] for key in ("text", "answer", "choices", WRONG) if key in columns}
    mapping = ColumnsOfTable(table, {**taken, "meta": tuple(names)})
    try:
        for row in islice(mapping.rows(), ROWS_READ):
            choices = _choices(row)
            possible = choices or _right(row)
            for name, seen in found.items():
                if possible and (text := _text(row, name)):
                    held = sum(_has(text, each) for each in possible)
                    seen.see(text, with_answer=held == 1 if choices else held > 0)  # which is right is not known yet
    except FileError:
        return {}
    return found


def telling_context(table: QuestionTable, columns: Mapping[str, ColumnNames]) -> Doubt | str | None:
    """Of a context that is known by its name alone: a doubt where the name may be that of an explanation, else a note."""
    name = columns.get("context")
    if not isinstance(name, str):
        return None
    seen = told(table, columns, (name,)).get(name, TextsWithAnswer())
    if not seen.tells:
        return None
    has = f"{cut(name)} has the right answer in {seen.with_answer} of {seen.rows} rows"
    left_out = "columns: {context: null}"
    if plain(name) not in _MAY_BE_ELSE:
        return f"{has}, and is shown with the questions; {left_out} leaves it out"
    problem = f"{has} and would be shown: it may be what explains them; {left_out} under questions leaves it out"
    ways = (Stated({"context": None}), Stated({"context": name}))
    shown = f"{written({'context': name})} shows it"
    return Doubt(
        f"{problem}, and {shown}", table.header, None, ways, "several", f"{has}; what is taken is SHOWN to players"
    )


def _right(row: TableRow) -> list[str]:
    value = opened(row.value("answer"))
    texts = value if isinstance(value, list) else [row.answer()]
    return [text for text in texts if isinstance(text, str) and text.strip() and not _is_verdict(text)]


def _is_verdict(text: str) -> bool:
    return says_yes_or_no(text) and not text.strip().isdecimal()


def _choices(row: TableRow) -> list[str]:
    columns = row.columns.columns.get("choices")
    if columns is None:
        return []
    cell = row.values.get(columns) if isinstance(columns, str) else None
    by = None
    if isinstance(cell, str) and not is_list(cell):
        by = next((each for each in WRITTEN if is_cut(cell, each)), None)
    return without_labels(row.choices(by))


def _text(row: TableRow, name: str) -> str:
    cell = row.values.get(name)
    return cell if isinstance(cell, str) else prose_of(cell) or ""


def _has(text: str, part: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(folded(part))}(?!\w)", folded(text)) is not None
