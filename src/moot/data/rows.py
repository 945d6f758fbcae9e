"""Rows of a file, one at a time, each with its line: a set of 50,000 questions is never in memory at once."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from moot.data.tables.delimiters import UndecidedDelimiter, delimiter_of
from moot.data.tables.encodings import first_line_not_utf8, not_utf8
from moot.data.tables.known_names import known_names
from moot.errors import FileError
from moot.foreign_files import MOST_LINE, RowLines, lines_of, opened, unpacked, unpacked_text, whole_of
from moot.foreign_json import read_json
from moot.foreign_parquet import parquet_opened, parquet_values
from moot.models.closest import closest
from moot.stats.counted_words import count

if TYPE_CHECKING:
    import polars

NumberedRows = Iterator[tuple[int, Mapping[str, Any]]]

LISTS = ("choices", "accepted", "rejected", "wrong")
"""Keys under which one cell may hold several."""
MOST_SAMPLED = 5_000
"""Lines by which a delimiter is found."""
TABBED = (".tsv", ".txt")
"""Endings of tables with tabs between their columns."""
NO_TABS = (
    "a .txt file is read as a table with tabs between its columns, and its first line has none; expected tabs there, or another"
    " ending: .csv for commas, semicolons or bars, .jsonl for one JSON object a line"
)
_MOST_KEYS = 5
"""Of a document that is told."""
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
        raise FileError(not_utf8(path, error.reason), file=path, line=number) from None
    except ValueError as error:
        raise FileError(f"expected one JSON object a line ({error})", file=path, line=number) from None
    if not isinstance(value, dict):
        raise FileError("expected one JSON object a line", file=path, line=number)
    return value


def json_rows(path: Path) -> NumberedRows:
    """The items of a list, or of the list under `data`; the number that stands for a line is the item's.

    A document cannot be read a row at a time, so it is bounded as a whole.
    """
    try:
        with unpacked_text(path) as content:
            text = whole_of(content, path)
    except UnicodeDecodeError as error:
        raise FileError(not_utf8(path, error.reason), file=path, line=first_line_not_utf8(path)) from None
    try:
        document = read_json(text)
    except ValueError as error:
        raise FileError(f"not valid JSON ({error}){_as_lines(text)}", file=path) from None
    items = _items(document)
    if not isinstance(items, list):
        raise FileError(f'expected a list of objects, or {{"data": [...]}}{_found_instead(document)}', file=path)
    for number, item in enumerate(items, start=1):
        if not isinstance(item, dict):
            raise FileError("expected an object", file=path, line=number)
        yield number, item


def _items(document: Any) -> Any:
    """The list that a document is or holds: under `data`, else the only list of objects in it, as the open trivia database
    has its questions under `results`; else objects by their ids, as PubMedQA is published, or columns by theirs."""
    if not isinstance(document, dict) or "data" in document:
        return document.get("data") if isinstance(document, dict) else document
    if (
        isinstance(rows := document.get("rows"), list)
        and rows
        and _all_objects(rows)
        and all("row" in row for row in rows)
    ):
        return [row["row"] for row in rows]  # as the hub shows the first of a set
    if _is_by_columns(document):
        return [
            dict(zip(document, cells, strict=True))
            for cells in zip(*(each.values() for each in document.values()), strict=True)
        ]
    held = [items for items in document.values() if isinstance(items, list) and items and _all_objects(items)]
    if len(held) == 1:
        return held[0]
    if not held and document and _all_objects(document.values()) and _alike(document.values()):
        return [
            {"id": name, **{key: value for key, value in each.items() if key != "id"}}
            for name, each in document.items()
        ]
    return None


def _found_instead(document: Any) -> str:
    """What the document has, by its keys: which of several lists holds the questions nobody can tell."""
    if not isinstance(document, dict):
        return ""
    held = [key for key, items in document.items() if isinstance(items, list) and items and _all_objects(items)]
    if len(held) > 1:
        lists = " and ".join(f"{key!r:.40}" for key in held[:_MOST_KEYS])
        return f"; there are lists of objects under {lists}: write the one with the questions into a file of its own"
    keys = ", ".join(f"{key!r:.40} ({_sort(value)})" for key, value in [*document.items()][:_MOST_KEYS])
    more = f" and {len(document) - _MOST_KEYS} more" if len(document) > _MOST_KEYS else ""
    return f"; found an object with {keys}{more}" if keys else "; found an object with nothing in it"


def _sort(value: Any) -> str:
    if isinstance(value, list):
        return f"a list of {count(len(value), 'item')}" if value else "an empty list"
    return "an object" if isinstance(value, dict) else "a text" if isinstance(value, str) else "a value"


def _is_by_columns(document: Mapping[str, Any]) -> bool:
    """Whether it has an object of cells for each column, by their rows, as pandas writes a table."""
    if known_names([*document]) < 2 or not _all_objects(document.values()):
        return False
    return len({tuple(each) for each in document.values()}) == 1


def _all_objects(items: Iterable[Any]) -> bool:
    return all(isinstance(item, dict) for item in items)


def _alike(objects: Iterable[Mapping[str, Any]]) -> bool:
    """Whether they are rows of one table, by names that are known: columns by rows have numbers for names."""
    return all(known_names([*each]) > 1 for each in objects)


def _as_lines(text: str) -> str:
    """Many call a file of one object a line by the shorter name."""
    try:
        first = read_json(text.lstrip().partition("\n")[0])
    except ValueError:
        return ""
    return "; one object a line is read from a name that ends in .jsonl" if isinstance(first, dict) else ""


def csv_rows(path: Path) -> NumberedRows:
    """Lists stand in a cell as JSON (``["a", "b"]``) or separated by ``|``; an empty cell is an absent key.

    So an empty answer is a missing reference; a question that cannot be answered says ``[UNKNOWN]``.
    """
    for line, cells in csv_cells(path):
        yield line, _from_cells(cells, path, line)


def csv_names(path: Path) -> tuple[str, ...]:
    """The names of the columns."""
    with _csv_reader(path) as (reader, _):
        return tuple(reader.fieldnames or ())


def csv_cells(path: Path) -> NumberedRows:
    """The cells in which there is something, by the names of their columns; a row of empty ones is none."""
    with _csv_reader(path) as (reader, lines):
        names = reader.fieldnames or ()
        several_nameless = sum(not name.strip() for name in names) > 1
        lines.ends()
        for values in reader:
            begins = lines.began
            lines.ends()
            if None in values:
                raise FileError("more cells than the header has columns", file=path, line=begins)
            cells = {name: text for name, cell in values.items() if (text := (cell or "").strip())}
            if several_nameless and not all(map(str.strip, cells)):
                raise _nameless(names, path, 1)
            if cells:
                yield begins, cells


def blank_csv_rows(path: Path) -> list[int]:
    """Where rows of empty cells are."""
    found = []
    with _csv_reader(path) as (reader, lines):
        lines.ends()
        for values in reader:
            begins = lines.began
            lines.ends()
            if None not in values and not any((cell or "").strip() for cell in values.values()):
                found.append(begins)
    return found


@contextmanager
def _csv_reader(path: Path) -> Iterator[tuple[csv.DictReader[str], RowLines]]:
    """Behind its header, which has been looked at."""
    csv.field_size_limit(MOST_LINE)  # for the whole process: the standard library knows no other way
    delimiter = "\t" if path.suffix.lower() in TABBED else _delimiter(path)
    with unpacked_text(path) as file:
        lines = RowLines(lines_of(file, path), path)
        reader = csv.DictReader(lines, strict=True, delimiter=delimiter)
        try:
            names = reader.fieldnames or ()
            if path.suffix.lower() == ".txt" and len(names) < 2:
                raise FileError(NO_TABS, file=path, line=1)
            reader.fieldnames = _ends_told_apart(names)
            check_header(reader.fieldnames, path, 1)
            yield reader, lines
        except UnicodeDecodeError as error:
            raise FileError(not_utf8(path, error.reason), file=path, line=first_line_not_utf8(path)) from None
        except csv.Error as error:
            raise FileError(f"not valid CSV: {error}", file=path, line=reader.line_num) from None


def _delimiter(path: Path) -> str:
    with ExitStack() as open_files:

        def lines() -> Iterator[str]:
            content = open_files.enter_context(unpacked(path))
            # Whoever reads the rows says where it is no UTF-8.
            text = open_files.enter_context(
                io.TextIOWrapper(content, encoding="utf-8-sig", errors="replace", newline="")
            )
            return iter(RowLines(islice(lines_of(text, path), MOST_SAMPLED), path))

        try:
            return delimiter_of(lines, known_names)
        except UndecidedDelimiter as error:
            raise FileError(str(error), file=path, line=1) from None


def check_header(names: Sequence[str], path: Path, line: int) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen and not name.strip():
            raise _nameless(names, path, line)
        if name in seen:
            raise FileError("two columns have this name", file=path, line=line, key=name)
        seen.add(name)


def _ends_told_apart(names: Sequence[str]) -> list[str]:
    """Spreadsheets write a comma for each column behind the others in which something stood once: they have no name, and hold
    nothing."""
    named = max((place for place, name in enumerate(names, 1) if name.strip()), default=0)
    return [*names[:named], *(" " * place for place in range(len(names) - named))]


def _nameless(names: Sequence[str], path: Path, line: int) -> FileError:
    given = [repr(each.strip()) for each in names if each.strip()]
    title = f"; {title_words(line, len(given), len(names))}" if len(given) * 2 < len(names) else ""
    problem = f"two columns have no name; those with one are {', '.join(given) or 'none'}{title}"
    return FileError(problem, file=path, line=line)


def title_words(line: int | None, named: int, columns: int) -> str:
    """Of a first row that leaves most columns without a name."""
    return (
        f"row {line} names {named} of {columns} columns: is it a title? The first row has to be the one that names them"
    )


def _from_cells(cells: Mapping[str, Any], path: Path, line: int) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for key, text in cells.items():
        if key.startswith("meta."):
            row.setdefault("meta", {})[key.removeprefix("meta.")] = text
        else:
            row[key] = from_cell(key, text, path, line)
    return row


def from_cell(key: str, text: str, path: Path, line: int) -> Any:
    """What a cell says where this key is expected."""
    if key in LISTS:
        return _list_cell(text, path, line, key)
    if key in ("lemmatize", "free_order"):
        return _FLAGS.get(text.casefold(), text)
    if key == "year":
        return int(text) if text.isascii() and text.isdecimal() and len(text) < 18 else text
    if key in ("human", "meta") and text.startswith("{"):
        return _json_cell(text, path, line, key)
    return text


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


def parquet_names(path: Path) -> tuple[str, ...]:
    with parquet_opened(path) as file:
        return tuple(file.columns())


def parquet_rows(path: Path, keys: Collection[str] | None = None, *, only: Sequence[str] | None = None) -> NumberedRows:
    """`keys`: the columns that there may be; None takes whatever there is, and `only` some of them."""
    with parquet_opened(path) as file:
        _check_columns(file.columns(), keys, path)
        number = 0
        for frame in file.slices():
            chosen = as_written(frame if only is None else frame.select(only))
            for values in parquet_values(chosen, path):
                number += 1
                whole = {key: value if key == "meta" else whole_numbers(value) for key, value in values.items()}
                yield number, _without_nulls(whole) if only is None else whole


_SURE = 2**53
"""Up to this a float knows each whole number."""


def whole_numbers(value: Any) -> Any:
    """The value of a typed column as it would be written: 5.0 is 5.

    A float has no digits that somebody wrote, and a column of whole numbers becomes one of floats where one is missing. As
    a reference "5.0" would be wrong whenever the answer is 5.
    """
    if isinstance(value, float):
        return int(value) if abs(value) <= _SURE and value.is_integer() else value
    return [whole_numbers(item) for item in value] if isinstance(value, list) else value


def parquet_floats(path: Path) -> tuple[str, ...]:
    """The columns that hold floats, be it in lists."""
    with parquet_opened(path) as file:
        return tuple(name for name, kind in file.schema().items() if _inner(kind).is_float())


def as_written(frame: polars.DataFrame) -> polars.DataFrame:
    """0.1 in half the bits is 0.1, and not the 0.10000000149011612 that it is in all of them."""
    import polars

    short = {name: kind for name, kind in frame.schema.items() if _inner(kind) == polars.Float32}
    if not short:
        return frame
    return frame.with_columns(
        polars.col(name).cast(_with_inner(kind, polars.String)).cast(_with_inner(kind, polars.Float64))
        for name, kind in short.items()
    )


def _inner(kind: polars.DataType) -> polars.DataType:
    import polars

    return _inner(kind.inner) if isinstance(kind, polars.List | polars.Array) else kind  # type: ignore[arg-type]


def _with_inner(kind: polars.DataType, inner: type[polars.DataType]) -> Any:
    import polars

    return polars.List(_with_inner(kind.inner, inner)) if isinstance(kind, polars.List | polars.Array) else inner  # type: ignore[arg-type]


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


READERS = {
    ".jsonl": jsonl_rows,
    ".json": json_rows,
    ".csv": csv_rows,
    ".parquet": parquet_rows,
    ".tsv": csv_rows,
    ".txt": csv_rows,
}
