"""Spreadsheets written by hand, a kilobyte each: as a program writes them, and as nobody would."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from xml.sax.saxutils import escape

_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_TYPES = (
    f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="xml" ContentType="application/xml"/>'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/xl/workbook.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>'
)
_STYLES = (
    f'<styleSheet xmlns="{_MAIN}"><numFmts><numFmt numFmtId="164" formatCode="0.0\\ %"/>'
    '<numFmt numFmtId="165" formatCode="0&quot;%&quot;"/></numFmts><cellStyleXfs><xf numFmtId="9"/></cellStyleXfs>'
    '<cellXfs count="5"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/><xf numFmtId="9"/>'
    '<xf numFmtId="164"/><xf numFmtId="165"/></cellXfs></styleSheet>'
)


@dataclass(frozen=True, slots=True)
class Shown:
    """A number in one of the formats of its own."""

    value: float
    style: int


PERCENT, PERCENT_WITH_A_SPACE, QUOTED_PERCENT = 2, 3, 4
Cell = str | float | bool | date | Shown | None


def workbook(path: Path, sheets: Mapping[str, Sequence[Sequence[Cell]] | str]) -> Path:
    """Sheets by name, each as rows of cells, or as the XML of its rows."""
    related = [f'Id="s" Type="{_OFFICE}/styles" Target="styles.xml"']
    listed = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for number, (name, rows) in enumerate(sheets.items(), start=1):
            data = rows if isinstance(rows, str) else "".join(_row(place, row) for place, row in enumerate(rows, 1))
            content = f'<worksheet xmlns="{_MAIN}"><sheetData>{data}</sheetData></worksheet>'
            packed.writestr(f"xl/worksheets/sheet{number}.xml", content)
            related.append(f'Id="r{number}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{number}.xml"')
            listed.append(f'<sheet name="{escape(name)}" sheetId="{number}" r:id="r{number}"/>')
        packed.writestr("[Content_Types].xml", _TYPES)
        root = f'Id="r" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"'
        packed.writestr("_rels/.rels", _relations([root]))
        packed.writestr("xl/_rels/workbook.xml.rels", _relations(related))
        packed.writestr("xl/styles.xml", _STYLES)
        book = f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>{"".join(listed)}</sheets></workbook>'
        packed.writestr("xl/workbook.xml", book)
    return path


def _relations(each: Sequence[str]) -> str:
    inner = "".join(f"<Relationship {one}/>" for one in each)
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{inner}</Relationships>'


def _row(number: int, cells: Sequence[Cell]) -> str:
    inner = "".join(_cell(f"{chr(65 + place)}{number}", cell) for place, cell in enumerate(cells) if cell is not None)
    return f'<row r="{number}">{inner}</row>'


def _cell(place: str, cell: Cell) -> str:
    if isinstance(cell, bool):
        return f'<c r="{place}" t="b"><v>{int(cell)}</v></c>'
    if isinstance(cell, date):
        return f'<c r="{place}" s="1"><v>{(cell - date(1899, 12, 30)).days}</v></c>'
    if isinstance(cell, Shown):
        return f'<c r="{place}" s="{cell.style}"><v>{cell.value!r}</v></c>'
    if isinstance(cell, int | float):
        return f'<c r="{place}"><v>{cell!r}</v></c>'
    return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{escape(str(cell))}</t></is></c>'
