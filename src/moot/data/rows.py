"""Rows of a file, one at a time, each with its line: a set of 50,000 questions is never in memory at once."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from moot.errors import FileError

Rows = Iterator[tuple[int, Mapping[str, Any]]]

_LISTS = ("choices", "accepted", "rejected")
_FLAGS = {"true": True, "false": False, "1": True, "0": False}
_PARQUET_SLICE = 2_000


def jsonl_rows(path: Path) -> Rows:
    with path.open(encoding="utf-8-sig") as lines:
        try:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield number, _json_object(line, path, number)
        except UnicodeDecodeError as error:
            raise FileError(f"expected UTF-8 text ({error.reason})", file=path) from None


def _json_object(line: str, path: Path, number: int) -> Mapping[str, Any]:
    try:
        value = orjson.loads(line)
    except ValueError as error:
        raise FileError(f"expected one JSON object a line ({error})", file=path, line=number) from None
    if not isinstance(value, dict):
        raise FileError("expected one JSON object a line", file=path, line=number)
    return value


def csv_rows(path: Path) -> Rows:
    """Lists stand in a cell as JSON (``["a", "b"]``) or separated by ``|``; an empty cell is an absent key."""
    with path.open(encoding="utf-8-sig", newline="") as lines:
        reader = csv.DictReader(lines)
        try:
            for values in reader:
                if None in values:
                    raise FileError("more cells than the header has columns", file=path, line=reader.line_num)
                yield reader.line_num, _from_cells(values, path, reader.line_num)
        except UnicodeDecodeError as error:
            raise FileError(f"expected UTF-8 text ({error.reason})", file=path) from None
        except csv.Error as error:
            raise FileError(f"not valid CSV: {error}", file=path, line=reader.line_num) from None


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
            row[key] = int(text) if text.isdecimal() else text
        elif key.startswith("meta."):
            row.setdefault("meta", {})[key.removeprefix("meta.")] = text
        else:
            row[key] = text
    if "answer" not in row and "answer" in cells:
        row["answer"] = None
    return row


def _list_cell(text: str, path: Path, line: int, key: str) -> list[Any]:
    if not text.startswith("["):
        return [part.strip() for part in text.split("|")]
    try:
        value = json.loads(text)
    except ValueError as error:
        raise FileError(
            f"expected a JSON list or values separated by | ({error})", file=path, line=line, key=key
        ) from None
    return value if isinstance(value, list) else [value]


def parquet_rows(path: Path) -> Rows:
    import polars

    try:
        height = polars.scan_parquet(path).select(polars.len()).collect().item()
        for start in range(0, height, _PARQUET_SLICE):
            part = polars.scan_parquet(path).slice(start, _PARQUET_SLICE).collect()
            for offset, values in enumerate(part.iter_rows(named=True)):
                yield start + offset + 1, _without_nulls(values)
    except polars.exceptions.PolarsError as error:
        raise FileError(f"not a readable Parquet file: {error}", file=path) from None


def _without_nulls(values: Mapping[str, Any]) -> dict[str, Any]:
    """A column that a row does not use is null there; only a null answer says something."""
    return {key: value for key, value in values.items() if value is not None or key == "answer"}


READERS = {".jsonl": jsonl_rows, ".csv": csv_rows, ".parquet": parquet_rows}
