"""What a text that is no UTF-8 is likely to be, so that whoever has to save it again knows what as."""

from __future__ import annotations

import codecs
import io
import re
import shlex
from pathlib import Path

from moot.foreign_files import opened, unpacked

_LOOKED_AT = 2**16
_COMMON_RUSSIAN = frozenset("оеаинтср")
"""More than half of any text; what is accented in the languages of the West are others for the most part."""
_RUSSIAN_WORD = re.compile("[А-Яа-яЁё]{2,}")


def not_utf8(path: Path, reason: str) -> str:
    """The complaint about a file that is none."""
    with opened(path) as file:
        likely = _likely(file.read(_LOOKED_AT))
    called = f"{likely} (Latin-1)" if likely == "cp1252" else likely
    hint = f"; it looks like {called}: save it as UTF-8, or {_command(path, likely)}" if likely else ""
    return f"expected UTF-8 text ({reason}){hint}"


def first_line_not_utf8(path: Path) -> int:
    """The line that holds the first such byte. Text is decoded in large parts, so an error of that is known by its part alone."""
    newlines = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder("utf-8-sig")(), translate=True)
    line = 1
    with unpacked(path) as content:
        while True:
            part = content.read(_LOOKED_AT)
            try:
                line += newlines.decode(part, final=not part).count("\n")
            except UnicodeDecodeError as error:
                good = part[
                    : max(0, error.start - (len(error.object) - len(part)))
                ]  # the rest was left of the part before
                return line + newlines.decode(good).count("\n")
            if not part:
                return line


def is_utf8(path: Path) -> bool:
    """Whether its beginning is; a letter that is cut in two at the end of it does not count."""
    with opened(path) as file:
        beginning = file.read(_LOOKED_AT)
    try:
        codecs.getincrementaldecoder("utf-8")().decode(beginning)
    except UnicodeDecodeError:
        return False
    return True


def _command(path: Path, likely: str) -> str:
    """To be typed as it is: beside the file, which stays as it was."""
    saved = path.with_stem(f"{path.stem}-utf8")
    return f"iconv -f {likely} -t UTF-8 {shlex.quote(str(path))} > {shlex.quote(str(saved))}"


def _likely(content: bytes) -> str | None:
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "UTF-16"
    try:
        text = content.decode("cp1251")
    except UnicodeDecodeError:
        return None
    # Any other language of one byte a letter has few such letters side by side.
    letters = sum(ord(letter) > 127 for letter in text)
    in_words = "".join(_RUSSIAN_WORD.findall(text)).casefold()
    common = sum(letter in _COMMON_RUSSIAN for letter in in_words)
    return "cp1251" if len(in_words) * 2 > letters and common * 3 > len(in_words) else "cp1252"
