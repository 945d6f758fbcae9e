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
MOST_CPU_S = 60


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
    for number, row in enumerate(book.get_sheet_by_name(name).iter_rows(), start=1):
        cells = [_plain(cell) for cell in row]
        if any(cell is not None for cell in cells):
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
