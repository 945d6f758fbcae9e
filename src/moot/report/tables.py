"""Tables as files: columns of plain values, written as CSV here and as Parquet with Polars."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from moot.errors import UsageError
from moot.measures.section import Section
from moot.prompts.foreign_text import UNSEEN
from moot.whole_files import written_together

if TYPE_CHECKING:
    from polars import DataFrame

TableColumns = Mapping[str, Sequence[Any]]
"""A table: of each column its values, as many as there are rows."""

TableFormat = Literal["csv", "parquet"]

FORMULA = re.compile(rf"(?:[\s{UNSEEN}]*[=+\-@＝＋－＠﹦﹢﹣﹫]|[\t\r\n\x00])")
"""What a text begins with that is computed, or hides one that is. Programs leave out what is not seen before it."""

NUMBER = re.compile(r" *[+-]?[0-9]+(?:[.,][0-9]+)?(?:[eE][+-]?[0-9]+)?%?")
"""What begins so and is no formula all the same."""

_QUOTED = re.compile(r'[",\r\n]')


def section_columns(section: Section) -> TableColumns:
    """Every plain value of a section's rows: what is drawn, and what stands behind it."""
    keys = dict.fromkeys(column.key for column in section.columns)
    keys |= dict.fromkeys(key for row in section.rows for key in row)
    return {key: [_plain(row.get(key)) for row in section.rows] for key in keys}


def rows_columns(rows: Sequence[Mapping[str, Any]]) -> TableColumns:
    """Rows of the figures; what is nested in them becomes columns of its own: ``outcomes.refused``."""
    return section_columns(Section("", "", (), (), [_flat(row) for row in rows]))


def _flat(row: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in row.items():
        flat |= _flat(value, f"{before}{key}.") if isinstance(value, Mapping) else {f"{before}{key}": value}
    return flat


def _plain(value: object) -> object:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | tuple | Mapping) else value


def needs_polars(what: str) -> None:
    if find_spec("polars") is None:
        raise UsageError(f"{what} needs Polars: pip install 'moot[polars]'")


FrameLibrary = Literal["polars", "pandas"]


def frame_maker(library: str) -> Callable[[TableColumns], Any]:
    """What makes a frame of columns; said before anything is read where it is not installed."""
    if library == "polars":
        needs_polars("a frame")
        return as_frame
    if library != "pandas":
        raise UsageError(f"as_: expected polars or pandas, found {library!r}")
    if find_spec("pandas") is None:
        raise UsageError("a frame of pandas needs it: pip install pandas")
    return as_pandas


def as_pandas(columns: TableColumns) -> Any:
    """A frame of pandas, from plain values: neither Polars nor PyArrow is needed. Whole numbers stay so where some are absent."""
    import pandas  # type: ignore[import-untyped, unused-ignore]

    return pandas.DataFrame({name: pandas.Series(values, dtype=_dtype(values)) for name, values in columns.items()})


def _dtype(values: Sequence[Any]) -> str | None:
    """None: as pandas finds it."""
    kinds = {type(value) for value in values if value is not None}
    whole = {frozenset({int}): "Int64", frozenset({bool}): "boolean"}.get(frozenset(kinds))
    if whole is not None:
        return whole if any(value is None for value in values) else None
    if kinds and kinds <= {int, float}:
        return "float64"
    return "object"


def as_frame(columns: TableColumns) -> DataFrame:
    needs_polars("a frame")
    import polars

    return polars.DataFrame(dict(columns), strict=False)


def write_tables(folder: Path, kind: TableFormat, tables: Mapping[str, TableColumns]) -> list[Path]:
    """One file a table, named by the section's id."""
    write = _write_csv if kind == "csv" else _write_parquet
    return write_whole(folder, {f"{name}.{kind}": partial(write, table) for name, table in tables.items()})


def write_whole(folder: Path, files: Mapping[str, Callable[[Path], object]]) -> list[Path]:
    """Each by what writes it. Until all can be, none stands in the place of an older one."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / name for name in files]
    with written_together(paths) as drafts:
        for write, draft in zip(files.values(), drafts, strict=True):
            write(draft)
    return paths


def _write_parquet(table: TableColumns, path: Path) -> None:
    written = BytesIO()
    as_frame(table).write_parquet(written)
    path.write_bytes(written.getbuffer())  # by Python: what a disk says comes from Polars as an error of computing


def _write_csv(table: TableColumns, path: Path) -> None:
    """What is absent is an empty cell, and an empty text one between quotes."""
    cells = [map(_writer(values), values) for values in table.values()]
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(",".join(map(_text_cell, table)) + "\n")
        file.writelines(",".join(row) + "\n" for row in zip(*cells, strict=True))


def _writer(values: Sequence[Any]) -> Callable[[Any], str]:
    """How each value of a column is written: all of them as one kind, whichever some of them are."""
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int}:
        return lambda value: "" if value is None else str(value)
    if kinds <= {int, float}:
        return lambda value: "" if value is None else repr(float(value))
    return lambda value: "" if value is None else _text_cell(_text(value))


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _text_cell(text: str) -> str:
    """A text that a spreadsheet would take for a formula has an apostrophe before it: questions and answers are anybody's
    words, and whoever opens the table trusts it."""
    if FORMULA.match(text) and not NUMBER.fullmatch(text):
        text = f"'{text}"
    return f'"{text.replace(chr(34), chr(34) * 2)}"' if not text or _QUOTED.search(text) else text
