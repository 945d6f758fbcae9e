"""Which files of a folder look like questions, for whoever did not say which they are."""

from __future__ import annotations

from pathlib import Path

from moot.data.tables.encodings import is_utf8
from moot.data.tables.known_names import plain
from moot.data.tables.proposal import NOTHING_STATED, Proposal, Stated, propose_columns
from moot.data.tables.table import ENDINGS, table_of
from moot.data.tables.which_sheet import sheet_of_questions
from moot.errors import FileError

MOST_LOOKED_AT = 40
LARGEST_BYTES = 32 * 2**20
"""A file is read whole to see what its columns are; larger ones have to be named."""

TEXT_ENDINGS = (".csv", ".tsv", ".jsonl", ".json")

_TABLES_OF_ROWS = frozenset(ENDINGS) - {".json", ".txt"}
"""Those that are hardly anything else: a .json is the settings of many a program."""

_OF_REPLIES = ({"model", "questionid"}, {"model", "pred"})
"""Columns of recorded replies and of label matrices, which have an answer too."""


def likely_questions(folder: Path) -> list[Path]:
    """By their names, in order; a file that cannot be read is none of them."""
    return [path for path in _looked_at(folder) if path.suffix.lower() == ".4s" or _holds_questions(path)]


def unknown_tables(folder: Path) -> list[Path]:
    """Tables that can be read, and by whose columns nobody can tell what they are."""
    return [path for path in _looked_at(folder) if path.suffix.lower() in ENDINGS and _is_unknown(path)]


def undecoded_tables(folder: Path) -> list[Path]:
    """Texts with the ending of a table that are no UTF-8: they may well be questions, and nobody could look."""
    return [path for path in _looked_at(folder) if path.suffix.lower() in TEXT_ENDINGS and not is_utf8(path)]


def broken_tables(folder: Path) -> list[FileError]:
    """What is wrong with each table that can be decoded and still not be read; it may well be the questions."""
    return [
        error
        for path in _looked_at(folder)
        if path.suffix.lower() in _TABLES_OF_ROWS
        and not (path.suffix.lower() in TEXT_ENDINGS and not is_utf8(path))
        and (error := _broken(path)) is not None
    ]


def _broken(path: Path) -> FileError | None:
    try:
        propose_columns(path, _sheet(path))
    except FileError as error:
        return error
    except OSError as error:
        return FileError(f"cannot be read: {error.strerror or error}", file=path)
    return None


def _looked_at(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.iterdir()) if _could_be(path)][:MOST_LOOKED_AT]


def _could_be(path: Path) -> bool:
    """A .txt is mostly no table: it is one where somebody names it."""
    if path.name.startswith(".") or path.suffix.lower() not in (*ENDINGS, ".4s") or path.suffix.lower() == ".txt":
        return False
    return path.is_file() and path.stat().st_size <= LARGEST_BYTES


def _holds_questions(path: Path) -> bool:
    try:
        stated = _sheet(path)
        return not _of_replies(path, stated.sheet) and _has_both(propose_columns(path, stated))
    except (FileError, OSError):
        return False


def _is_unknown(path: Path) -> bool:
    try:
        stated = _sheet(path)
        doubts = propose_columns(path, stated).doubts
        return not _of_replies(path, stated.sheet) and any(doubt.about == "missing" for doubt in doubts)
    except (FileError, OSError):
        return False


def _sheet(path: Path) -> Stated:
    """The one in which questions would be."""
    found = sheet_of_questions(path)
    return NOTHING_STATED if found is None else Stated(sheet=found.name)


def _of_replies(path: Path, sheet: str | None) -> bool:
    names = {plain(name) for name in table_of(path, sheet).names}
    return any(replies <= names for replies in _OF_REPLIES)


def _has_both(proposal: Proposal) -> bool:
    """Whether a question and an answer are there, or it is only in doubt which column each is."""
    doubted = {
        key for doubt in proposal.doubts if doubt.about == "several" for way in doubt.ways for key in way.columns
    }
    nearly_ours = any(doubt.about == "unused" for doubt in proposal.doubts)
    return proposal.ours or nearly_ours or {"text", "answer"} <= {*proposal.columns, *doubted}
