"""The process in which a spreadsheet is unpacked, started by `spreadsheets` with the file's name and perhaps a sheet's.

The library that reads spreadsheets makes room for every cell between the first and the last, of which a file of a kilobyte may
have seventeen thousand million, and ends its process where there is none. So it has a process of its own, with bounds, that
imports nothing of ours. One line is written for the sheet, and one for each row that is not empty.

The library does not tell how a cell is formatted. Of a percentage that inverts what it says, as 2 % is stored as 0.02, so those
are looked for in the file itself, whose parts are XML.
"""

from __future__ import annotations

import contextlib
import json
import posixpath
import re
import sys
import zipfile
from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import ParseError, iterparse

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
    percentages = _percentages(path, name) if name in sheets else None
    yield {
        "sheets": sheets,
        "sheet": name if name in sheets else None,
        "formats": percentages is not None,
    }
    if name not in sheets:
        return
    counted, alike, before = 0, 0, None
    sheet = book.get_sheet_by_name(name)
    first = (sheet.start or (0, 0))[1] + 1  # empty columns before the first are left out, empty rows are not
    for number, row in enumerate(sheet.iter_rows(), start=1):
        cells = [_plain(cell) for cell in row]
        if percentages:
            cells = [_as_percentage(cell, percentages.get((number, place))) for place, cell in enumerate(cells, first)]
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


def _as_percentage(cell: Any, stored: float | None) -> Any:
    """The place is told by the value as well: a sheet that was read otherwise than it is written stays what it was."""
    if stored is None or isinstance(cell, bool) or not isinstance(cell, int | float) or cell != stored:
        return cell
    return {"percent": cell}


def _percentages(path: str, name: str | None) -> dict[tuple[int, int], float] | None:
    """Which cells of a sheet are shown as percentages, by row and column, with what is stored. None: nobody can tell."""
    try:
        with zipfile.ZipFile(path) as packed:
            if "content.xml" in packed.namelist():
                return dict(_of_open_document(packed, name))
            styles = _percent_styles(packed)
            return dict(_of_workbook(packed, _part_of(packed, name), styles)) if styles else {}
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, KeyError, ValueError, OSError, ParseError):
        return None


def _percent_styles(packed: zipfile.ZipFile) -> frozenset[str]:
    """By the numbers under which cells name them."""
    if "xl/styles.xml" not in packed.namelist():
        return frozenset()
    codes = {"9": "0%", "10": "0.00%"}
    found, place, inside = set(), 0, False
    for event, tag, given in _elements(packed, "xl/styles.xml"):
        if tag == "cellXfs":
            inside = event == "start"
        elif event == "start" and tag == "numFmt":
            codes[given.get("numFmtId", "")] = given.get("formatCode", "")
        elif event == "start" and tag == "xf" and inside:
            # What stands in quotes or behind a backslash is shown beside the number as it is.
            if "%" in re.sub(r'"[^"]*"|\\.|_.', "", codes.get(given.get("numFmtId", ""), "")):
                found.add(str(place))
            place += 1
    return frozenset(found)


def _part_of(packed: zipfile.ZipFile, name: str | None) -> str:
    """Where the cells of a sheet are."""
    related = {}
    for event, tag, given in _elements(packed, "xl/_rels/workbook.xml.rels"):
        if event == "start" and tag == "Relationship":
            related[given["Id"]] = given["Target"]
    for event, tag, given in _elements(packed, "xl/workbook.xml"):
        if event == "start" and tag == "sheet" and given.get("name") == name:
            target = related[given["id"]]
            return target.lstrip("/") if target.startswith("/") else posixpath.normpath(f"xl/{target}")
    raise KeyError(name)


def _of_workbook(packed: zipfile.ZipFile, part: str, styles: frozenset[str]) -> Iterator[tuple[tuple[int, int], float]]:
    row, column, shown, value = 0, 0, False, None
    for event, tag, given in _elements(packed, part):
        if event == "start" and tag == "row":
            row, column = int(given.get("r", row + 1)), 0
        elif event == "start" and tag == "c":
            column = _column(given["r"]) if "r" in given else column + 1
            shown, value = given.get("s") in styles and given.get("t", "n") == "n", None
        elif event == "end" and tag == "v":
            value = given["text"]
        elif event == "end" and tag == "c" and shown and value:
            yield (row, column), float(value)


def _column(place: str) -> int:
    """3 of C7."""
    number = 0
    for letter in place:
        if "A" <= letter <= "Z":
            number = number * 26 + ord(letter) - 64
    return number


def _of_open_document(packed: zipfile.ZipFile, name: str | None) -> Iterator[tuple[tuple[int, int], float]]:
    inside, row, column, rows = False, 0, 0, 1
    for event, tag, given in _elements(packed, "content.xml"):
        if tag == "table":
            inside = event == "start" and given.get("name") == name
        elif not inside or event == "end":
            continue
        elif tag == "table-row":
            row, column, rows = row + rows if row else 1, 1, int(given.get("number-rows-repeated", 1))
        elif tag in ("table-cell", "covered-table-cell"):
            times = int(given.get("number-columns-repeated", 1))
            if given.get("value-type") == "percentage":
                for place in range(min(times * rows, MOST_ALIKE)):
                    yield (row + place // times, column + place % times), float(given["value"])
            column += times


def _elements(packed: zipfile.ZipFile, part: str) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Where elements begin and end, by their names without a namespace; what has been read is let go."""
    with packed.open(part) as content:
        open_elements: list[Any] = []
        for event, element in iterparse(content, events=("start", "end")):
            tag = element.tag.rpartition("}")[2]
            if event == "start":
                open_elements.append(element)
                yield event, tag, {key.rpartition("}")[2]: value for key, value in element.attrib.items()}
            else:
                open_elements.pop()
                yield event, tag, {"text": element.text or ""}
                element.clear()
                if open_elements:
                    open_elements[-1].remove(element)


def _be_modest() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
        resource.setrlimit(resource.RLIMIT_CPU, (MOST_CPU_S, MOST_CPU_S))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main()
