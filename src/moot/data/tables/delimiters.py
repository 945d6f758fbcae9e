"""What separates the cells of a CSV file: a comma, a semicolon, a tab or a bar.

Spreadsheets write what the country of their user writes. The header decides where it can be cut in one way only; else the
rows, by how many cells each has; else the names that are known. What stands in quotes counts for nothing.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
SAMPLED_ROWS = 200
MOST_COLUMNS = 20_000
"""More than a spreadsheet can have."""


class UndecidedDelimiter(ValueError):
    """Two ways to cut the file into cells are as good as each other."""


def delimiter_of(lines: Callable[[], Iterator[str]], known_names: Callable[[Sequence[str]], int]) -> str:
    """The delimiter of these lines, which are read anew for each that is tried.

    `known_names`: how many of some names are those of a column that is looked for.
    """
    headers = {each: _header(lines, each) for each in DELIMITERS}
    cuts = [each for each, names in headers.items() if 1 < len(names) < MOST_COLUMNS]
    if len(cuts) < 2:
        return cuts[0] if cuts else ","
    even = [each for each in cuts if _is_even(lines, each, len(headers[each]))]
    if len(even) == 1:
        return even[0]
    by_names = sorted(even or cuts, key=lambda each: known_names(headers[each]), reverse=True)
    first, second = by_names[:2]
    if known_names(headers[first]) > known_names(headers[second]):
        return first
    problem = f"it can be cut at {DELIMITERS[first]} ({len(headers[first])} columns) and at {DELIMITERS[second]}"
    raise UndecidedDelimiter(f"{problem} ({len(headers[second])}); put the names of its columns in quotes")


def _header(lines: Callable[[], Iterator[str]], delimiter: str) -> list[str]:
    return next(_rows(lines, delimiter), [])


def _is_even(lines: Callable[[], Iterator[str]], delimiter: str, columns: int) -> bool:
    """Whether every row has as many cells as the header."""
    return all(len(row) == columns for row in islice(_rows(lines, delimiter), SAMPLED_ROWS) if row)


def _rows(lines: Callable[[], Iterator[str]], delimiter: str) -> Iterator[list[str]]:
    """Rows, up to one that cannot be cut; that one has more cells than any header."""
    try:
        yield from csv.reader(lines(), delimiter=delimiter, strict=True)
    except csv.Error:
        yield [""] * MOST_COLUMNS
