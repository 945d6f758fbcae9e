"""The process in which a spreadsheet is unpacked, started by `spreadsheets` with the file's name and perhaps a sheet's.

The library that reads spreadsheets makes room for every cell between the first and the last, of which a file of a kilobyte may
have seventeen thousand million, and ends its process where there is none. So it has a process of its own, with bounds, that
imports nothing of ours. One line is written for the sheet, and one for each row that is not empty.
"""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator
from typing import Any

MOST_BYTES = 2 * 1024**3
"""Of address space."""
MOST_CPU_S = 30
MOST_CELLS = 4_000_000
"""Of rows that are not empty: whoever reads them has them all in memory."""
MOST_ALIKE = 100
"""Rows one after another that say the same: a few bytes of a file can say that a row comes a million times."""


def main() -> None:
    path, *named = sys.argv[1:]
    _be_modest()
    try:
        for said in _read(path, named[0] if named else None):
            print(json.dumps(said), flush=False)
    except Exception as error:  # noqa: BLE001  whatever it is, it is the file's doing
        print(json.dumps({"problem": f"{type(error).__name__}: {error}"[:500]}))


def _read(path: str, named: str | None) -> Iterator[Any]:
    from python_calamine import SheetTypeEnum, SheetVisibleEnum, load_workbook

    with open(path, "rb") as file:
        book = load_workbook(file)
    sheets = [
        sheet.name
        for sheet in book.sheets_metadata
        if sheet.typ == SheetTypeEnum.WorkSheet and (sheet.visible == SheetVisibleEnum.Visible or sheet.name == named)
    ]
    name = named if named is not None else next(iter(sheets), None)
    yield {"sheets": sheets, "sheet": name if name in sheets else None}
    if name not in sheets:
        return
    counted, alike, before = 0, 0, None
    for number, row in enumerate(book.get_sheet_by_name(name).iter_rows(), start=1):
        cells = [_plain(cell) for cell in row]
        if all(cell is None for cell in cells):
            continue
        counted += len(cells)
        alike, before = (alike + 1 if cells == before else 1), cells
        if alike > MOST_ALIKE:
            yield {"refused": f"the same row comes more than {MOST_ALIKE} times, one after another", "row": number}
            return
        if counted > MOST_CELLS:
            yield {"refused": f"more than {MOST_CELLS:,} cells, and would have to be read as a whole", "row": number}
            return
        yield [number, cells]


def _plain(cell: object) -> Any:
    if isinstance(cell, str):
        return cell if cell.strip() else None
    if isinstance(cell, bool | int | float):
        return cell
    return {"date": str(cell)}


def _be_modest() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
        resource.setrlimit(resource.RLIMIT_CPU, (MOST_CPU_S, MOST_CPU_S))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main()
