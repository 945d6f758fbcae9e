"""Notes as Anki exports them: lines that say how they are written (`#separator:tab`), and no line with names.

Two fields are the front and the back of a card. What is hidden in a text of its own (`{{c1::Paris}}`) has no question.
"""

from __future__ import annotations

import csv
import html
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from moot.data.rows import NumberedRows
from moot.data.tables.encodings import first_line_not_utf8, not_utf8
from moot.errors import FileError
from moot.foreign_files import MOST_LINE, lines_of, unpacked_text

_FIRST = "#separator:"
_SAID = re.compile(r"#([a-z ]+):(.*)", re.IGNORECASE)
_SEPARATORS = {"tab": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "colon": ":", "space": " "}
_PLACED = {"tags column": "Tags", "deck column": "Deck", "notetype column": "Notetype", "guid column": "GUID"}
_CARD = ("Front", "Back")
_BREAK, _TAG = re.compile(r"<br\s*/?>|</div>|</p>", re.IGNORECASE), re.compile(r"</?(?!img\b)[a-zA-Z][^<>]*>")
_HIDDEN = re.compile(r"\{\{c[0-9]+::")
_MOST_SAID = 30


@dataclass(frozen=True, slots=True)
class AnkiNotes:
    """How the notes of a file are written."""

    path: Path
    delimiter: str
    said: int
    """Lines above the notes."""
    names: tuple[str, ...]
    html: bool

    def rows(self, _: Sequence[str] = ()) -> NumberedRows:
        with _lines(self.path) as lines:
            for line, cells in _cells(lines, self.delimiter, self.said):
                if len(cells) > len(self.names):
                    problem = f"{len(cells)} fields, though the first note has {len(self.names)}"
                    raise FileError(problem, file=self.path, line=line)
                texts = {name: self._text(cell) for name, cell in zip(self.names, cells, strict=False)}
                if hidden := next((name for name, text in texts.items() if _HIDDEN.search(text)), None):
                    problem = "expected a question, found a text with gaps ({{c1::...}}); export notes with a front and a back"
                    raise FileError(problem, file=self.path, line=line, key=hidden)
                if held := {name: text for name, text in texts.items() if text}:
                    yield line, held

    def _text(self, cell: str) -> str:
        if not self.html:
            return cell.strip()
        return html.unescape(_TAG.sub("", _BREAK.sub("\n", cell))).replace("\u00a0", " ").strip()


def anki_notes(path: Path) -> AnkiNotes | None:
    """None: it is no such file."""
    with _lines(path) as lines:
        first = next(lines, "")
        if not first.casefold().startswith(_FIRST):
            return None
        above = [first, *islice(lines, _MOST_SAID)]
    found = [_SAID.fullmatch(line.rstrip("\r\n")) for line in above]
    count = found.index(None) if None in found else len(found)
    said = {match[1].strip().casefold(): match[2] for match in found[:count] if match is not None}
    written = said["separator"].strip()
    delimiter = _SEPARATORS.get(written.casefold(), written[:1] or "\t")
    with _lines(path) as lines:
        _, cells = next(_cells(lines, delimiter, count), (0, []))
    return AnkiNotes(
        path, delimiter, count, _names(said, delimiter, len(cells)), said.get("html", "").strip() == "true"
    )


def _names(said: Mapping[str, str], delimiter: str, width: int) -> tuple[str, ...]:
    if "columns" in said:
        return tuple(name.strip() for name in said["columns"].split(delimiter))
    placed = {int(said[key]) - 1: name for key, name in _PLACED.items() if said.get(key, "").strip().isdecimal()}
    fields = [place for place in range(width) if place not in placed]
    names = _CARD if len(fields) == len(_CARD) else tuple(f"Field {number + 1}" for number in range(len(fields)))
    placed |= dict(zip(fields, names, strict=True))
    return tuple(placed[place] for place in range(width))


def _cells(lines: Iterator[str], delimiter: str, above: int) -> Iterator[tuple[int, list[str]]]:
    for _ in islice(lines, above):
        pass
    reader = csv.reader(lines, delimiter=delimiter)
    before = 0
    for cells in reader:
        if any(cell.strip() for cell in cells):
            yield above + before + 1, cells
        before = reader.line_num


@contextmanager
def _lines(path: Path) -> Iterator[Iterator[str]]:
    csv.field_size_limit(MOST_LINE)
    with unpacked_text(path) as file:
        try:
            yield lines_of(file, path)
        except UnicodeDecodeError as error:
            raise FileError(not_utf8(path, error.reason), file=path, line=first_line_not_utf8(path)) from None
        except csv.Error as error:
            raise FileError(f"not valid CSV: {error}", file=path) from None
