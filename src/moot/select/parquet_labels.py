"""The columns of a label matrix in a Parquet file (extra `polars`), each value in one spelling."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from moot.errors import FileError
from moot.foreign_parquet import parquet_opened, readable
from moot.select.columns import MISSING, LabelColumn
from moot.select.where import Condition, there_is

if TYPE_CHECKING:
    import polars as pl


def parquet_columns(file: Path, wanted: Sequence[str], where: Sequence[Condition]) -> dict[str, LabelColumn]:
    """Those that are wanted of all that there are; the others are empty."""
    with parquet_opened(file) as content:
        import polars as pl

        frame = pl.concat(list(content.slices()))
    for each in where:
        there_is(each, frame.columns, file)
        expected = f"--where {each.text}: expected texts or numbers, found {frame.schema[each.column]}"
        with readable(file, each.column, expected):
            same = (frame[each.column].cast(pl.String).str.to_lowercase() == each.value).fill_null(False)
            frame = frame.filter(~same if each.differs else same)
    nothing = LabelColumn((), np.full(len(frame), MISSING, dtype=np.int64))
    return {name: _column(_spelled(file, frame[name])) if name in wanted else nothing for name in frame.columns}


def _column(texts: pl.Series) -> LabelColumn:
    import polars as pl

    each = pl.DataFrame({"text": texts.drop_nulls().unique()}).with_row_index("place")
    rows = pl.DataFrame({"text": texts}).join(each, on="text", how="left", maintain_order="left")
    places = rows["place"].cast(pl.Int64).fill_null(MISSING).to_numpy()
    return LabelColumn(each["text"].to_list(), places)


def _spelled(file: Path, column: pl.Series) -> pl.Series:
    """As text, each value in one spelling: a whole number that became a float because others are missing (1.0 for 1) is whole
    again; NaN is missing."""
    import polars as pl

    kind = column.dtype
    plain = kind in (pl.String, pl.Boolean, pl.Null, pl.Categorical, pl.Enum, pl.Date) or kind.is_numeric()
    if not plain:
        raise FileError(f"expected texts or numbers, found {kind}", file=file, key=column.name)
    with readable(file, column.name, f"expected texts or numbers, found {kind} that cannot be read"):
        written = column.cast(pl.String)
        if not kind.is_float():
            return written
        whole = (column == column.round()) & (column.abs() < 2.0**63)
        digits = column.cast(pl.Int64, strict=False).cast(pl.String)
        missing = pl.Series(column.name, [None], dtype=pl.String)
        return digits.zip_with(whole.fill_null(False), written).zip_with(column.is_not_nan().fill_null(True), missing)
