"""Rows of a file, one at a time, each with its line: a set of 50,000 questions is never in memory at once."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from moot.errors import FileError
from moot.foreign_files import MOST_LINE, RowLines, lines_of, opened, unpacked_text
from moot.foreign_json import read_json
from moot.foreign_parquet import parquet_opened, parquet_values
from moot.models.closest import closest

NumberedRows = Iterator[tuple[int, Mapping[str, Any]]]

_LISTS = ("choices", "accepted", "rejected")
_FLAGS = {"true": True, "false": False, "1": True, "0": False}


def jsonl_rows(path: Path) -> NumberedRows:
    with opened(path) as file:
        for number, line in enumerate(lines_of(file, path), start=1):
            if line := line.removeprefix(codecs.BOM_UTF8).strip() if number == 1 else line.strip():
                yield number, _json_object(line, path, number)


def _json_object(line: bytes, path: Path, number: int) -> Mapping[str, Any]:
    try:
        value = read_json(line)
    except UnicodeDecodeError as error:
        raise FileError(f"expected UTF-8 text ({error.reason})", file=path, line=number) from None
    except ValueError as error:
        raise FileError(f"expected one JSON object a line ({error})", file=path, line=number) from None
    if not isinstance(value, dict):
        raise FileError("expected one JSON object a line", file=path, line=number)
    return value


def csv_rows(path: Path) -> NumberedRows:
    """Lists stand in a cell as JSON (``["a", "b"]``) or separated by ``|``; an empty cell is an absent key.

    So an empty answer is a missing reference; a question that cannot be answered says ``[UNKNOWN]``.
    """
    csv.field_size_limit(MOST_LINE)  # for the whole process: the standard library knows no other way
    with unpacked_text(path) as file:
        lines = RowLines(lines_of(file, path), path)
        reader = csv.DictReader(lines, strict=True)
        try:
            _check_header(reader.fieldnames or (), path)
            begins = reader.line_num + 1
            for values in reader:
                lines.ends()
                if None in values:
                    raise FileError("more cells than the header has columns", file=path, line=begins)
                yield begins, _from_cells(values, path, begins)
                begins = reader.line_num + 1
        except UnicodeDecodeError as error:
            raise FileError(f"expected UTF-8 text ({error.reason})", file=path, line=reader.line_num + 1) from None
        except csv.Error as error:
            raise FileError(f"not valid CSV: {error}", file=path, line=reader.line_num) from None


def _check_header(names: Sequence[str], path: Path) -> None:
    for position, name in enumerate(names):
        if name in names[:position]:
            raise FileError("two columns have this name", file=path, line=1, key=name)


def _from_cells(cells: Mapping[str, str | None], path: Path, line: int) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for key, cell in cells.items():
        text = (cell or "").strip()
        if not text:
            continue
        if key in _LISTS:
            row[key] = _list_cell(text, path, line, key)
        elif key in ("lemmatize", "free_order"):
            row[key] = _FLAGS.get(text.casefold(), text)
        elif key == "year":
            row[key] = int(text) if text.isascii() and text.isdecimal() and len(text) < 18 else text
        elif key == "human" and text.startswith("{"):
            row[key] = _json_cell(text, path, line, key)
        elif key.startswith("meta."):
            row.setdefault("meta", {})[key.removeprefix("meta.")] = text
        else:
            row[key] = text
    return row


def _list_cell(text: str, path: Path, line: int, key: str) -> list[Any]:
    if not text.startswith("["):
        return [item.strip() for item in text.split("|")]
    value = _json_cell(text, path, line, key)
    return value if isinstance(value, list) else [value]


def _json_cell(text: str, path: Path, line: int, key: str) -> Any:
    try:
        return read_json(text)
    except ValueError as error:
        problem = f"begins like JSON and is not ({error}); a list may be written as a|b too"
        raise FileError(problem, file=path, line=line, key=key) from None


def parquet_rows(path: Path, keys: Collection[str] | None = None) -> NumberedRows:
    """`keys`: the columns that there may be; None takes whatever there is."""
    with parquet_opened(path) as file:
        _check_columns(file.columns(), keys, path)
        number = 0
        for frame in file.slices():
            for values in parquet_values(frame, path):
                number += 1
                yield number, _without_nulls(values)


def _check_columns(names: Sequence[str], keys: Collection[str] | None, path: Path) -> None:
    """Before any is unpacked."""
    if keys is None:
        return
    for name in names:
        if name not in keys:
            hint = closest(name, tuple(keys))
            problem = f"unknown key; expected one of {', '.join(keys)} (anything else goes under meta){hint}"
            raise FileError(problem, file=path, key=name)


def _without_nulls(values: Mapping[str, Any]) -> dict[str, Any]:
    """A column that a row does not use is null there; only a null answer says something."""
    return {key: value for key, value in values.items() if value is not None or key == "answer"}


READERS = {".jsonl": jsonl_rows, ".csv": csv_rows, ".parquet": parquet_rows}
