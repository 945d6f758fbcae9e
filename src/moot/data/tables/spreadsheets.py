"""Spreadsheets (.xlsx, .xls, .ods) as tables of texts, such as a CSV file of the same cells would have.

A spreadsheet turns what is typed into numbers and dates. A number is written as it is stored: 1.0 is 1. How its cell shows it
(007, 3.14) the library does not tell, and that is said; a percentage alone is read as it is shown, 2% where 0.02 is stored. What
cannot be taken back is refused where it is used: "1/2" that became a date, a number of more digits than a spreadsheet keeps.
"""

from __future__ import annotations

import importlib.util
import json
import math
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from moot.errors import FileError
from moot.foreign_files import MOST_DOCUMENT, lines_of, opened
from moot.models.closest import closest

ENDINGS = (".xlsx", ".xls", ".ods")
_WORKER = Path(__file__).with_name("spreadsheet_worker.py")
_MOST_DIGITS = 10**15


@dataclass(frozen=True, slots=True)
class Mangled:
    """A cell that no longer says what was typed into it."""

    why: str


@dataclass(frozen=True, slots=True)
class ReadSheet:
    name: str
    of: tuple[str, ...]
    """All sheets of the file that can be seen."""
    rows: tuple[tuple[int, tuple[str | Mangled | None, ...]], ...]
    """The rows that are not empty, with their numbers."""
    numbers: frozenset[int] = frozenset()
    """The places of columns that hold numbers, below the first row. How their cells are formatted is not known,"""
    percentages_known: bool = True
    """but for the percentages among them, where the file says which they are."""


def sheet_of(path: Path, named: str | None = None) -> ReadSheet:
    """The first sheet that can be seen, or the one of this name."""
    if importlib.util.find_spec("python_calamine") is None:
        problem = "a spreadsheet needs the extra excel: pip install 'moot[excel]'; or save it as CSV"
        raise FileError(problem, file=path)
    _check_size(path)
    said = list(_said(path, named))
    head = said[0] if said and isinstance(said[0], dict) else {}
    if isinstance(said[-1] if said else None, dict) and "refused" in said[-1]:
        raise FileError(said[-1]["refused"], file=path, line=said[-1]["row"])
    problems = [each["problem"] for each in said if isinstance(each, dict) and "problem" in each]
    if problems or not head:
        raise FileError(f"not a readable spreadsheet ({''.join(problems) or 'nothing in it'})", file=path)
    sheets = tuple(head["sheets"])
    if head["sheet"] is None:
        expected = f"expected one of {', '.join(sheets)}{closest(named, sheets)}" if sheets else "there is none"
        raise FileError(f"no sheet {named!r}; {expected}" if named else "no sheet in it", file=path)
    rows = tuple((number, tuple(_text(cell) for cell in cells)) for number, cells in said[1:])
    numbers = frozenset(place for _, cells in said[2:] for place, cell in enumerate(cells) if _is_number(cell))
    return ReadSheet(head["sheet"], sheets, rows, numbers, percentages_known=head["formats"])


def _is_number(cell: object) -> bool:
    return isinstance(cell, int | float) and not isinstance(cell, bool)


def _check_size(path: Path) -> None:
    """What the file itself says it unpacks to; one that lies meets the bounds of the process that reads it."""
    with opened(path) as file:
        size = path.stat().st_size
        if zipfile.is_zipfile(file):
            try:
                with zipfile.ZipFile(file) as packed:
                    size = max(size, sum(part.file_size for part in packed.infolist()))
            except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
                raise FileError(f"not a readable spreadsheet ({error})", file=path) from None
    if size > MOST_DOCUMENT:
        raise FileError(f"is longer than {MOST_DOCUMENT:,} bytes, and would have to be read as a whole", file=path)


def _said(path: Path, named: str | None) -> Iterator[Any]:
    command = [sys.executable, "-I", str(_WORKER), str(path.absolute()), *([named] if named is not None else [])]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        try:
            length = 0
            for line in lines_of(process.stdout, path):
                length += len(line)
                if length > MOST_DOCUMENT:
                    raise FileError(f"its cells are longer than {MOST_DOCUMENT:,} bytes", file=path)
                if line.endswith(b"\n"):
                    yield json.loads(line)
        except BaseException:
            process.kill()
            raise
    if process.returncode != 0:
        raise FileError("takes more memory or time to unpack than a file of questions can need", file=path)


def _text(cell: object) -> str | Mangled | None:
    if cell is None:
        return None
    if isinstance(cell, str):
        return cell.strip()
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, int | float):
        return _number(cell)
    assert isinstance(cell, dict)
    if "percent" in cell:
        return _percentage(cell["percent"])
    made = f"a date or a time ({cell['date']}), which a spreadsheet makes of texts such as 1/2"
    return Mangled(f"{made}; format the cell as text and type it again")


def _percentage(cell: float) -> str | Mangled:
    """As it is shown, with all of its digits: moved in tens, since a hundred times 0.07 is 7.000000000000001."""
    number = _number(cell)
    if isinstance(number, Mangled):
        return number
    text = f"{Decimal(number) * 100:f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text}%"


def _number(cell: float) -> str | Mangled:
    if not math.isfinite(cell):
        return Mangled(f"{cell}, which is no number; type the cell again")
    if abs(cell) >= _MOST_DIGITS:
        return Mangled("a number of more digits than a spreadsheet keeps; format the cell as text and type it again")
    return str(int(cell)) if cell == int(cell) else f"{cell:.15g}"
