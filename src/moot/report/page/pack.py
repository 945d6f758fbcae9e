"""Texts into as few bytes as a page needs: each told once, referred to by number, compressed, and inert inside HTML.

A prompt is mostly made of what other prompts have already said: the template, the question, the drafts. Told line by
line, each line once, a prompt is a short list of numbers, and the page joins it again to the letter.
"""

from __future__ import annotations

import base64
import gzip
from collections.abc import Iterable
from typing import Any

import orjson


class Once(dict[Any, int]):
    """Values that are kept once, each known by its number: ``names["ann"]`` is 0, and is 0 again."""

    def __missing__(self, value: Any) -> int:
        number = self[value] = len(self)
        return number


class Texts:
    """Texts as lists of the lines they are made of.

    `known` are texts whose lines the reader has already, in this order; they are not written again.
    """

    def __init__(self, known: Iterable[str] = ()) -> None:
        self._lines = Once()
        for text in known:
            self._numbers(text)
        self._known = len(self._lines)
        self._texts = Once()

    def __getitem__(self, text: str | None) -> int:
        """The number of a text; -1 where there is none."""
        return -1 if text is None else self._texts[text]

    def _numbers(self, text: str) -> list[int]:
        return [self._lines[line] for line in text.split("\n")]

    def row(self) -> dict[str, Any]:
        texts = [self._numbers(text) for text in self._texts]
        return {"lines": list(self._lines)[self._known :], "texts": texts}


def packed(value: Any) -> str:
    """JSON, compressed, in letters that mean nothing to HTML. The same value gives the same letters at any time.

    Models say anything: half of a surrogate pair cannot be written in UTF-8 and becomes a question mark.
    """
    try:
        written = orjson.dumps(value)
    except TypeError:
        import json

        written = json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
    return base64.b64encode(gzip.compress(written, 7, mtime=0)).decode("ascii")
