"""Marks of Markdown around the whole of an answer: **(2, 3)** is (2, 3), and `0.5%` is 0.5%."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_REMEMBERED = 500
"""Characters up to which a text is worth remembering: of one answer this is asked many times."""
_EDGE = r"[\s\"“”«»]*+"
_AROUND = re.compile(rf"{_EDGE}(?P<mark>\*{{1,3}}|_{{1,3}}|`{{1,3}})(?P<inside>\S.*)(?P=mark){_EDGE}[.,;]?", re.DOTALL)


def unwrapped(text: str) -> str:
    """A text without the marks around it, its letters composed.

    What has such a mark within is no one thing: *a*, *b*; nor is what has no word.
    """
    return _remembered(text) if len(text) <= _REMEMBERED else _unwrapped(text)


@lru_cache(maxsize=20_000)
def _remembered(text: str) -> str:
    return _unwrapped(text)


def _unwrapped(text: str) -> str:
    text = text if text.isascii() else unicodedata.normalize("NFC", text)  # before anything reads it
    while (around := _AROUND.fullmatch(text)) is not None:
        inside = around["inside"]
        if around["mark"][0] in inside.replace("\\_", "") and not _is_other(around["mark"], inside):
            break
        if not re.search(r"[^\W_]", inside):
            break
        text = inside.strip()
    return text


def _is_other(mark: str, inside: str) -> bool:
    """2*x between two stars each, and a_1 likewise: one alone does not close what two have opened."""
    return len(mark) > 1 and mark not in inside and inside[-1] != mark[0]
