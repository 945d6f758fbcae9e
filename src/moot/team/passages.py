"""Documents as passages: what is read of a text file, and the parts of it that can be shown by themselves.

A passage is a paragraph with the heading above it. One that is longer than a model should read for one fact is cut where a
sentence, a line or a word ends, so every passage is bounded whatever a file holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from moot.errors import FileError
from moot.foreign_files import text_of

SUFFIXES = (".txt", ".md")
MOST_CHARACTERS = 1_500
"""Of a passage."""
MOST_BYTES = 64 * 1024 * 1024
"""Of one file; a folder may hold any number."""
LIKE_TEXT = ", ".join(SUFFIXES)
_PARAGRAPHS = re.compile(r"\n[^\S\n]*\n\s*")
_ENDS = (". ", "! ", "? ", "; ", "\n", ", ", " ")
"""Where a long paragraph may be cut, the best first."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a document, by its number from 1 on."""

    document: str
    number: int
    of: int
    text: str


def document_text(path: Path, *, key: str | None = None, line: int | None = None, may_be_empty: bool = False) -> str:
    """What a document says. Whatever is no text of a kind that is known is refused in one sentence."""

    def refused(problem: str) -> FileError:
        return FileError(problem, file=path, key=key, line=line)

    if not path.exists():
        raise refused("no such document")
    if path.is_dir():
        raise refused(f"is a folder; expected a document ({LIKE_TEXT})")
    if path.suffix.lower() not in SUFFIXES:
        raise refused(f"unknown kind of document {path.suffix!r}; expected {LIKE_TEXT}: save its text as one of these")
    try:
        text = text_of(path, MOST_BYTES)
    except UnicodeDecodeError as error:
        raise refused(f"is not UTF-8 (byte {error.start + 1:,}); expected a text in UTF-8") from None
    except OSError as error:
        raise refused(f"cannot be read: {error.strerror or error}") from None
    if "\x00" in text:
        raise refused("holds bytes that no text has; expected a text in UTF-8")
    if not text.strip() and not may_be_empty:
        raise refused("is empty; expected a text")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def passages_of(text: str) -> list[str]:
    """In the order of the text. A heading stands with what comes after it."""
    passages: list[str] = []
    heading = ""
    for paragraph in filter(None, map(str.strip, _PARAGRAPHS.split(text))):
        whole = f"{heading}\n\n{paragraph}" if heading else paragraph
        if _is_heading(paragraph) and len(whole) <= MOST_CHARACTERS // 2:
            heading = whole
            continue
        heading = ""
        passages += _cut(whole)
    return [*passages, heading] if heading else passages


def _is_heading(paragraph: str) -> bool:
    return paragraph.startswith("#") and "\n" not in paragraph


def _cut(paragraph: str) -> Iterator[str]:
    rest = paragraph
    while len(rest) > MOST_CHARACTERS:
        end = next(
            (place + len(sign) for sign in _ENDS if (place := rest.rfind(sign, 1, MOST_CHARACTERS)) > 0),
            MOST_CHARACTERS,
        )
        end = min(end, MOST_CHARACTERS)
        yield rest[:end].strip()
        rest = rest[end:].lstrip()
    if rest:
        yield rest
