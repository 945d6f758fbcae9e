"""What a text that is no UTF-8 is likely to be, so that whoever has to save it again knows what as."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from moot.foreign_files import opened

_LOOKED_AT = 2**16
_RUSSIAN_WORD = re.compile("[А-Яа-яЁё]{2,}")


def not_utf8(path: Path, reason: str) -> str:
    """The complaint about a file that is none."""
    with opened(path) as file:
        likely = _likely(file.read(_LOOKED_AT))
    hint = f"; it looks like {likely}: save it as UTF-8, or iconv -f {likely} -t utf-8" if likely else ""
    return f"expected UTF-8 text ({reason}){hint}"


def _likely(content: bytes) -> str | None:
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "UTF-16"
    try:
        text = content.decode("cp1251")
    except UnicodeDecodeError:
        return None
    # Any other language of one byte a letter has few such letters side by side.
    letters = sum(ord(letter) > 127 for letter in text)
    in_words = sum(map(len, _RUSSIAN_WORD.findall(text)))
    return "cp1251" if in_words * 2 > letters else "cp1252"
