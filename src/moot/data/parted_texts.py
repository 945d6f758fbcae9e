"""Several answers in one text, with bars or semicolons between them: "Paris|City of Light", "Goethe; J. W. Goethe".

In a column of what is accepted they are entries. In a reference a bar is what parts a list; a semicolon may be a part of what is
said, so somebody has to tell. Neither is read in a formula or in a piece of code, where they say something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

BAR, SEMICOLON = "|", ";"
LONGEST_ENTRY = 60
"""Characters. Longer is a sentence's half."""
_ENTITY_BEHIND = re.compile(r"&#?\w{1,8}\Z")
_OF_FORMULAS_OR_CODE = re.compile(r"[\[\]{}<>=\\^$`]|\|\|")
_SAYS_SOMETHING = re.compile(r"[^\W\d_]{2}|[0-9]")


def entries(text: str) -> list[str]:
    """Of a cell of accepted or rejected answers: parted by bars, or else by semicolons; itself where there are none."""
    if BAR in text:
        return [each.strip() for each in text.split(BAR)]
    parts = [each for part in _outside_brackets(text, SEMICOLON) if (each := part.strip())]
    return parts or [text.strip()]


def parted(text: str, separator: str) -> tuple[str, ...] | None:
    """The answers in a reference that has this between them. None: it has not, or it may say something else."""
    if separator not in text or "\n" in text.strip() or _OF_FORMULAS_OR_CODE.search(text):
        return None
    parts = [part.strip() for part in _outside_brackets(text.strip().removesuffix(separator), separator)]
    is_list = len(parts) > 1 and all(len(each) <= LONGEST_ENTRY and _SAYS_SOMETHING.search(each) for each in parts)
    return tuple(dict.fromkeys(parts)) if is_list else None


def _outside_brackets(text: str, separator: str) -> Iterator[str]:
    """The whole where brackets are left open; a semicolon that ends &amp; parts nothing."""
    depth, start, parts = 0, 0, []
    for place, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if depth < 0:
            break
        is_entity = sign == SEMICOLON and _ENTITY_BEHIND.search(text, max(0, place - 10), place) is not None
        if sign == separator and not depth and not is_entity:
            parts.append(text[start:place])
            start = place + 1
    yield from (*parts, text[start:]) if depth == 0 else (text,)
