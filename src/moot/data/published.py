"""Files as benchmarks publish them: JSON, JSON Lines, CSV, Parquet, plain or gzipped, one file or a folder of them.

Rows come as they are, without a guess at what a cell means; a format (see `moot.data.formats`) knows that. JSON Lines, CSV
and Parquet are read a row at a time. A JSON document has to be read whole.
"""

from __future__ import annotations

import ast
import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from moot.data.case import PlacedRow
from moot.data.rows import json_rows, parquet_rows
from moot.errors import FileError
from moot.foreign_files import MOST_LINE, RowLines, lines_of, unpacked_text
from moot.foreign_json import read_json

ENDINGS = (".json", ".jsonl", ".csv", ".parquet")
MOST_DIGITS = 1_000
"""Of a whole number. Olympiads ask for long ones; Python reads no more than 4,300 at once."""


class Published(PlacedRow):
    """A row as it was published, and where it stands. `origin` is the file's name or the split it is from."""

    def __init__(self, values: Mapping[str, Any], file: str, line: int, origin: str) -> None:
        super().__init__(values, file, line)
        self.origin = origin

    def inner(self, values: object, key: str) -> Published:
        """A part of this row, in the same place."""
        if not isinstance(values, Mapping):
            raise self.error(key, "expected an object")
        return Published(values, self.file, self.line, self.origin)

    def needed(self, *keys: str) -> str:
        """The text under the first of these keys that is there: published copies spell their columns differently."""
        column = next((key for key in keys if self.values.get(key) is not None), None)
        if column is None:
            others = f" (or {', '.join(keys[1:])})" if len(keys) > 1 else ""
            raise self.error(keys[0], f"expected a text that is not empty{others}")
        return cast(str, self.text(column, required=True)).strip()

    def items(self, key: str) -> list[Any]:
        """A list; in CSV one stands as Python or JSON writes it: ``['Ann', 'Bob']``."""
        value = self.values.get(key)
        if isinstance(value, str):
            try:
                value = ast.literal_eval(value)
            except (ValueError, SyntaxError, MemoryError, RecursionError):
                value = None
        if not isinstance(value, list | tuple):
            raise self.error(key, "expected a list")
        return list(value)

    def number(self, *keys: str, signed: bool = False) -> int:
        """A whole number, as such or in digits; with `signed` perhaps below zero."""
        text = self.needed(*keys)
        sign, digits = ("-", text[1:]) if signed and text[:1] in ("-", "−") else ("", text)
        digits = digits.removesuffix(".0")
        if not (digits.isascii() and digits.isdecimal() and len(digits) <= MOST_DIGITS):
            raise self.error(
                next(key for key in keys if key in self.values), f"expected a whole number, found {text!r:.60}"
            )
        return int(sign + digits)

    def letter_at(self, key: str, choices: Sequence[object]) -> str:
        """The letter of the choice at a position counted from 0."""
        position = self.number(key)
        if position >= len(choices):
            raise self.error(key, f"expected 0 to {len(choices) - 1}, found {position}")
        return chr(ord("A") + position)


def published_rows(path: Path, columns: Sequence[str] = ()) -> Iterator[Published]:
    """The rows of a file, or of all files of a folder in the order of their names.

    `columns`: what the columns of a CSV without a header are.
    """
    files = sorted(file for file in path.iterdir() if kind(file) in ENDINGS) if path.is_dir() else [path]
    if not files:
        raise FileError(f"no file in it that ends with {', '.join(ENDINGS)}", file=path)
    for file in files:
        try:
            for line, values in _rows(file, columns):
                yield Published(values, str(file), line, file.name.partition(".")[0])
        except OSError as error:
            raise FileError(f"cannot be read: {getattr(error, 'strerror', None) or error}", file=file) from None
        except UnicodeDecodeError as error:
            raise FileError(f"expected UTF-8 text ({error.reason})", file=file) from None


def kind(path: Path) -> str:
    """The ending that says how to read it, ``.gz`` apart."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    return next((suffix for suffix in reversed(suffixes) if suffix != ".gz"), "")


def _rows(path: Path, columns: Sequence[str]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    match kind(path):
        case ".parquet":
            yield from parquet_rows(path)
        case ".json":
            yield from json_rows(path)
        case ".jsonl":
            with unpacked_text(path) as file:
                for number, line in enumerate(lines_of(file, path), start=1):
                    if line.strip():
                        yield number, _object(_json(line, path, number), path, number)
        case ".csv":
            yield from _cells(path, columns)
        case other:
            raise FileError(f"unknown kind of file {other!r}; expected {', '.join(ENDINGS)} or a folder", file=path)


def _json(text: str, path: Path, line: int) -> Any:
    try:
        return read_json(text)
    except ValueError as error:
        raise FileError(f"not valid JSON ({error})", file=path, line=line) from None


def _object(value: object, path: Path, line: int) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise FileError("expected an object", file=path, line=line)
    return value


def _cells(path: Path, columns: Sequence[str]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    csv.field_size_limit(MOST_LINE)
    with unpacked_text(path) as file:
        lines = RowLines(lines_of(file, path), path)
        reader = csv.DictReader(lines, fieldnames=list(columns) or None, strict=True)
        try:
            named = len(reader.fieldnames or ())  # behind the header, where it is the file's own
            if not columns:
                lines.ends()
            for values in reader:
                begins = lines.began
                lines.ends()
                if None in values:
                    raise FileError(f"more cells than the {named} columns", file=path, line=begins)
                yield begins, {key: cell for key, cell in values.items() if cell}
        except csv.Error as error:
            raise FileError(f"not valid CSV: {error}", file=path, line=reader.line_num) from None
