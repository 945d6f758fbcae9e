"""A Parquet file that somebody else wrote: what it would unpack to is known before it is unpacked.

A few kilobytes may hold one cell of gigabytes, and the library that reads them knows no bound: it takes the memory, or ends
the process. So the file's own directory is read first, and the head of every page, which says how large the page becomes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from moot.errors import FileError
from moot.foreign_files import MOST_LINE, opened
from moot.foreign_parquet.directory import MOST_VALUES, RowGroup, check_directory

if TYPE_CHECKING:
    import polars

_SLICE = 2_000
_CELL = 50
"""Bytes that a cell takes in Python, whatever is in it."""


@dataclass(frozen=True)
class CheckedParquet:
    """A file of which it is known that it can be unpacked."""

    path: Path
    groups: Sequence[RowGroup]
    _file: BinaryIO

    def columns(self) -> list[str]:
        return self.schema().names()

    def schema(self) -> polars.Schema:
        """The names of its columns, each with what it holds."""
        return self._scan().collect_schema()

    def slices(self) -> Iterator[polars.DataFrame]:
        """All rows, so many at a time that they fit into memory once each cell stands for itself: thousands of cells may
        share one long text in the file. None is of two row groups, each of which may be as large as is read at once."""
        schema = self.schema()
        begins = 0
        for group in self.groups:
            self._check_padding(schema, group)
            ends = begins + group.rows
            for start in range(begins, ends, _SLICE):
                yield from self._pieces(self._scan().slice(start, min(_SLICE, ends - start)).collect(), start)
            begins = ends

    def _check_padding(self, schema: polars.Schema, group: RowGroup) -> None:
        """A null takes all the items that its array would have, of which the file's pages say nothing."""
        for name, kind in schema.items():
            padded = _padded(kind, group.rows, group.values)
            if padded > MOST_VALUES:
                problem = f"one row group has {padded:,} values in arrays; at most {MOST_VALUES:,} are read"
                raise FileError(problem, file=self.path, key=name)

    def _pieces(self, frame: polars.DataFrame, start: int) -> Iterator[polars.DataFrame]:
        import polars

        sizes = frame.select(
            polars.sum_horizontal(0, *(_bytes_of(polars.col(name), kind) for name, kind in frame.schema.items()))
        ).to_series()
        begins = together = 0
        for place, size in enumerate(sizes):
            if size > MOST_LINE:
                raise FileError(f"the row is longer than {MOST_LINE:,} bytes", file=self.path, line=start + place + 1)
            if together + size > MOST_LINE:
                yield frame.slice(begins, place - begins)
                begins, together = place, 0
            together += size
        yield frame.slice(begins)

    def _scan(self) -> polars.LazyFrame:
        import polars

        return polars.scan_parquet(self._file)


@contextmanager
def parquet_opened(path: Path) -> Iterator[CheckedParquet]:
    """The file, once it is known that it can be unpacked; whatever is wrong with it is a `FileError`."""
    with opened(path) as file:
        groups = check_directory(file, path)
        file.seek(0)
        if find_spec("polars") is None:
            raise FileError("Parquet files are read with Polars: pip install 'moot[polars]'", file=path)
        with readable(path):
            yield CheckedParquet(path, groups, file)


@contextmanager
def readable(path: Path, key: str | None = None, expected: str | None = None) -> Iterator[None]:
    """What Polars says of a file that it cannot read, or what is said in its place. It panics on some files, with what is
    no `Exception`."""
    import polars

    try:
        yield
    except (polars.exceptions.PolarsError, ArithmeticError, ValueError, TypeError) as error:
        raise _unreadable(error, path, key, expected) from None
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise _unreadable(error, path, key, expected) from None


def _padded(kind: polars.DataType, count: int, values: int, in_array: bool = False) -> int:
    """The most cells that so many arrays of this kind may have, whatever is in the file; 0 where it has none in it."""
    import polars

    match kind:
        case polars.Array(inner=inner, size=size):
            return _padded(inner, count * size, values, in_array=True)  # type: ignore[arg-type]
        case polars.List(inner=inner):
            return (count if in_array else 0) + _padded(inner, values, values)  # type: ignore[arg-type]
        case polars.Struct(fields=fields):
            parts = [_padded(field.dtype, count, values, in_array) for field in fields]  # type: ignore[arg-type]
            return sum(parts)
        case _:
            return count if in_array else 0


def _bytes_of(cell: polars.Expr, kind: polars.DataType) -> polars.Expr:
    import polars

    match kind:
        case polars.String():
            size = cell.str.len_bytes()
        case polars.Binary():
            size = cell.bin.size()
        case polars.Categorical() | polars.Enum():
            size = cell.cast(polars.String).str.len_bytes()
        case polars.List() | polars.Array():
            items = cell.arr.to_list() if isinstance(kind, polars.Array) else cell
            size = items.list.eval(_bytes_of(polars.element(), kind.inner)).list.sum()  # type: ignore[arg-type]
        case polars.Struct(fields=fields):
            parts = (_bytes_of(cell.struct.field(field.name), field.dtype) for field in fields)  # type: ignore[arg-type]
            size = polars.sum_horizontal(0, *parts)
        case _:
            size = polars.lit(0)
    return size.cast(polars.Int64).fill_null(0) + _CELL


def parquet_values(frame: polars.DataFrame, path: Path) -> list[dict[str, Any]]:
    """The rows as Python has them. What Python cannot hold, such as a date of the year 300,000, is told by its column."""
    try:
        with readable(path):
            return frame.to_dicts()
    except FileError:
        for name, kind in frame.schema.items():
            expected = f"expected texts, numbers, true and false, lists or objects, found {kind} that cannot be read"
            with readable(path, name, expected):
                frame[name].to_list()
        raise


def _unreadable(error: BaseException, path: Path, key: str | None, expected: str | None) -> FileError:
    said = (str(error).splitlines() or [type(error).__name__])[0][:200]
    return FileError(expected or f"not a readable Parquet file: {said}", file=path, key=key)
