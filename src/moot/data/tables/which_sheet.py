"""In which sheet of a spreadsheet the questions are: people put a cover, a key or last year's in front of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from moot.data.tables.odd_sheets import MOST_SHEETS
from moot.data.tables.proposal import Proposal, Stated, propose_columns
from moot.data.tables.spreadsheets import ENDINGS, sheet_of
from moot.errors import FileError


@dataclass(frozen=True, slots=True)
class FoundSheet:
    """The sheet to take, of several."""

    name: str
    known: bool
    """Whether its columns are those of questions, with nothing to be asked about them."""
    others: tuple[str, ...]
    also: tuple[str, ...] = ()
    """Those of the others whose columns are such too."""

    @property
    def words(self) -> str:
        why = ", whose columns are those of questions" if self.known else ""
        beside = ", ".join(f"{name!r} (questions too)" if name in self.also else repr(name) for name in self.others)
        return f"the sheet {self.name!r} is taken{why}; beside it: {beside} (sheet: NAME reads another)"


def sheet_of_questions(path: Path) -> FoundSheet | None:
    """The first whose columns are known, else the first of which words could say what they are, else the first of all.

    None: there is but one, or it is no spreadsheet.
    """
    if path.suffix.lower() not in ENDINGS or len(names := sheet_of(path).of) < 2:
        return None
    doubted = {name: _doubt(path, name) for name in names[:MOST_SHEETS]}
    name = min(doubted, key=lambda each: doubted[each])  # the first of equals
    known = [each for each, doubt in doubted.items() if doubt == 0]
    others = tuple(each for each in names if each != name)
    return FoundSheet(name, name in known, others, tuple(each for each in known if each != name))


def _doubt(path: Path, sheet: str) -> int:
    """0: none, 1: all is there, and some of it twice, 2: a column is missing that words could name, 3: nobody could."""
    return max(_each_doubt(path, sheet), default=0)


def _each_doubt(path: Path, sheet: str) -> Iterator[int]:
    try:
        proposal: Proposal = propose_columns(path, Stated(sheet=sheet))
    except FileError:  # an empty sheet, or one without names
        yield 3
        return
    for doubt in proposal.doubts:
        if doubt.about != "unused":  # kept, and shown to nobody
            yield 3 if not doubt.ways else 2 if doubt.about == "missing" else 1
