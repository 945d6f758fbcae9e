"""A table as it is: the names of its columns and its rows, before anybody says what they mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from moot.data.case import KEYS, ROW_KEYS
from moot.data.rows import (
    NumberedRows,
    check_header,
    csv_cells,
    csv_names,
    json_rows,
    jsonl_rows,
    parquet_floats,
    parquet_names,
    parquet_rows,
)
from moot.data.tables.anki_export import anki_notes
from moot.data.tables.flat_rows import as_flat
from moot.data.tables.spreadsheets import ENDINGS as SPREADSHEETS
from moot.data.tables.spreadsheets import ReadSheet, sheet_of
from moot.errors import FileError

ENDINGS = (".jsonl", ".json", ".csv", ".parquet", ".tsv", ".txt", *SPREADSHEETS)

OF_OBJECTS: Mapping[str, Callable[[Path], NumberedRows]] = {".jsonl": jsonl_rows, ".json": json_rows}
"""Kinds of files in which each row has names of its own."""

AS_TEXTS = ("id", "answer", "accepted", "rejected", "choices")
"""Keys under which a number is a text."""
FLOATS = "floats are read without a .0 behind them: 5.0 is 5"
STORED = "numbers are read as they are stored, not as their cells are formatted: what is shown as 007 is 7"
STORED_PERCENTAGES = f"{STORED}, and 2 % is 0.02"
"""Where the file does not say which numbers are percentages."""


@dataclass(frozen=True, slots=True)
class NumberColumns:
    """Columns whose numbers nobody has written digit by digit. Under these keys, where a number is a text, it is said how
    they are read."""

    names: frozenset[str]
    keys: tuple[str, ...]
    words: str


@dataclass(frozen=True, slots=True)
class QuestionTable:
    path: Path
    names: tuple[str, ...]
    header: int | None
    """The line that names the columns; None where there is no such line."""
    rows: Callable[[Sequence[str]], NumberedRows]
    """All rows, with at least these columns of them."""
    notes: tuple[str, ...] = ()
    numbers: NumberColumns | None = None
    sheet: str | None = None
    """The sheet that was taken since nobody named one, where there are several;"""
    other_sheets: tuple[str, ...] = ()
    """and the others."""
    nameless: frozenset[str] = frozenset()
    """Columns that the header leaves blank, by what they are called here."""
    percentages_known: bool = True
    """Whether a number of a spreadsheet that is shown as a percentage is read as one."""

    @property
    def rows_are_named(self) -> bool:
        """Whether each row has names of its own, so that a wrong one is that row's."""
        return self.path.suffix.lower() in OF_OBJECTS


def table_of(path: Path, sheet: str | None = None) -> QuestionTable:
    match path.suffix.lower():
        case ".csv" | ".tsv" | ".txt":
            if (notes := anki_notes(path)) is not None:
                return QuestionTable(path, notes.names, None, notes.rows)
            names = csv_names(path)
            nameless = frozenset(name for name in names if not name.strip())
            return QuestionTable(path, names, 1, partial(_csv, path), nameless=nameless)
        case ".parquet":
            return QuestionTable(
                path,
                parquet_names(path),
                None,
                partial(_parquet, path),
                numbers=NumberColumns(frozenset(parquet_floats(path)), AS_TEXTS, FLOATS),
            )
        case ending if ending in OF_OBJECTS:
            of_rows = dict.fromkeys(name for _, row in _objects(path, ()) for name in row)
            return QuestionTable(path, tuple(of_rows), None, partial(_objects, path))
        case ending if ending in SPREADSHEETS:
            return _of_sheet(path, sheet_of(path, sheet), told=sheet is None)
        case ending:
            raise FileError(f"unknown kind of table {ending!r}; expected {', '.join(ENDINGS)}", file=path)


def check_readable(path: Path) -> None:
    """`FileError` where it is no table, or a text in which some row cannot be read, whatever its columns mean."""
    try:
        table = table_of(path)
        if path.suffix.lower() in (".csv", ".tsv", ".txt"):  # the others are read whole for their names, or have types
            for _ in table.rows(table.names):
                pass
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror or error}", file=path) from None


def _csv(path: Path, _: Sequence[str]) -> NumberedRows:
    for line, row in csv_cells(path):
        yield line, as_flat(row)


def _parquet(path: Path, names: Sequence[str]) -> NumberedRows:
    return parquet_rows(path, only=names)


def _objects(path: Path, _: Sequence[str]) -> NumberedRows:
    for line, row in OF_OBJECTS[path.suffix.lower()](path):
        yield line, as_flat(row)


def in_our_form(path: Path) -> bool:
    """Whether the columns of a file are ours, by its header, or by its first row where rows have names of their own."""
    match path.suffix.lower():
        case ending if ending in OF_OBJECTS:
            _, row = next(iter(OF_OBJECTS[ending](path)), (0, {"text": "", "answer": ""}))
            return row.keys() <= set(ROW_KEYS) and "text" in row and bool({"id", "answer"} & row.keys())
        case ".csv" | ".tsv" | ".txt":
            if anki_notes(path) is not None:
                return False
            names = {"meta" if name.startswith("meta.") else name for name in csv_names(path)}
        case ".parquet":
            names = set(parquet_names(path))
        case _:
            return False
    return {"id", "text", "answer"} <= names <= set(KEYS)


def _of_sheet(path: Path, sheet: ReadSheet, *, told: bool) -> QuestionTable:
    if not sheet.rows:
        raise FileError(f"no rows in the sheet {sheet.name!r}", file=path)
    line, cells = sheet.rows[0]
    filled = {place for _, row in sheet.rows for place, cell in enumerate(row) if cell is not None}
    names = {
        place: cell if isinstance(cell, str) else f"(column {place + 1}, which has no name)"
        for place, cell in enumerate(cells)
        if place in filled
    }
    check_header(list(names.values()), path, line)
    notes = (f"the sheet {sheet.name!r} is read, one of {', '.join(sheet.of)}",) if told and len(sheet.of) > 1 else ()
    numbers = NumberColumns(
        frozenset(name for place, name in names.items() if place in sheet.numbers),
        tuple(key for key in AS_TEXTS if key != "id"),  # of a name it matters little how it looks
        STORED if sheet.percentages_known else STORED_PERCENTAGES,
    )
    rows = partial(_sheet_rows, sheet, names)
    several = told and len(sheet.of) > 1
    return QuestionTable(
        path,
        tuple(names.values()),
        line,
        rows,
        notes,
        numbers,
        sheet=sheet.name if several else None,
        other_sheets=tuple(name for name in sheet.of if name != sheet.name) if several else (),
        nameless=frozenset(name for place, name in names.items() if not isinstance(cells[place], str)),
        percentages_known=sheet.percentages_known,
    )


def _sheet_rows(
    sheet: ReadSheet, names: Mapping[int, str], _: Sequence[str]
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, row in sheet.rows[1:]:
        yield number, {name: row[place] for place, name in names.items() if row[place] is not None}
