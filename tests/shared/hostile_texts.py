"""Texts that keep a regular expression busy, made of what it looks for itself: each of its pieces many times, behind what leads
there, before what it cannot take.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from re import _constants as kinds  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

NEAR = 3
"""Two pieces are tried side by side that stand so near to each other in the pattern,"""
TOGETHER = 6
"""and each two where there are no more than so many."""
TAILS = ("", "\0", "\nx")
"""The end that a pattern may like, one that hardly any takes, and one behind the end of a line."""
OTHERS = "x1 \n_.,-{}()[]'\"\\/#%<>яξ$^*+="
"""Of these the first that a class which names what it does not take takes."""

_REPEATS = (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT)
_OF_A_KIND = {
    kinds.CATEGORY_DIGIT: "1",
    kinds.CATEGORY_WORD: "a1_",
    kinds.CATEGORY_SPACE: " \n",
    kinds.CATEGORY_NOT_DIGIT: "a ",
    kinds.CATEGORY_NOT_WORD: " -.",
    kinds.CATEGORY_NOT_SPACE: "a-1",
}


@dataclass(frozen=True, slots=True)
class Hostile:
    """One text, of any length."""

    before: str
    again: str
    behind: str

    def text(self, size: int) -> str:
        return self.before + self.again * max(1, size // len(self.again)) + self.behind


def hostile_to(pattern: re.Pattern[str]) -> Iterator[Hostile]:
    """Each once."""
    tree = parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE)
    pieces = _once(_pieces(tree))
    leads = _once(_leads(tree, ""))
    seen: set[Hostile] = set()
    for each in _made(pieces, leads, _example(tree)):
        if each not in seen:
            seen.add(each)
            yield each


def _made(pieces: list[str], leads: list[str], example: str) -> Iterator[Hostile]:
    together = [
        one + other
        for place, one in enumerate(pieces)
        for further, other in enumerate(pieces)
        if one != other and (abs(place - further) <= NEAR or len(pieces) <= TOGETHER)
    ]
    for again in (*pieces, *together, *([example] if example else [])):
        for behind in TAILS:
            yield Hostile("", again, behind)
    for before in leads:
        for again in pieces:
            yield Hostile(before, again, "\0")
        yield Hostile("", before + pieces[-1] if pieces else before, "")
    for again in leads:
        for behind in TAILS:
            yield Hostile("", again, behind)


def _once(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(text for text in texts if text))


def _members(items: Any) -> str:
    """What a class takes: all that it names, the ends of each range, and something else where it says what it does not take."""
    negated, named = False, ""
    for kind, value in items:
        if kind is kinds.NEGATE:
            negated = True
        elif kind is kinds.LITERAL:
            named += chr(value)
        elif kind is kinds.RANGE:
            named += chr(value[0]) + chr(value[1])
        elif kind is kinds.CATEGORY:
            named += _OF_A_KIND[value]
    return next((each for each in OTHERS if each not in named), "\u2028") if negated else named


def _within(kind: Any, value: Any) -> list[Any]:
    """The parts of a part."""
    if kind in _REPEATS:
        return [value[2]]
    if kind is kinds.SUBPATTERN:
        return [value[3]]
    if kind is kinds.ATOMIC_GROUP:
        return [value]
    if kind is kinds.BRANCH:
        return list(value[1])
    if kind in (kinds.ASSERT, kinds.ASSERT_NOT):
        return [value[1]]
    return []


def _pieces(tree: Any) -> Iterator[str]:
    """Its words, the members of its classes, and an example of each part that may come again."""
    word = ""
    for kind, value in tree:
        if kind is kinds.LITERAL:
            word += chr(value)
            continue
        yield word
        word = ""
        if kind is kinds.IN:
            yield from _members(value)
        elif kind in (kinds.ANY, kinds.NOT_LITERAL):
            yield _example([(kind, value)])
        for part in _within(kind, value):
            yield from _pieces(part)
            if kind in _REPEATS or kind is kinds.BRANCH:
                yield _example(part)
    yield word


def _example(tree: Any) -> str:
    """A short text that it takes, as far as one part after the other tells."""
    text = ""
    for kind, value in tree:
        if kind is kinds.LITERAL:
            text += chr(value)
        elif kind is kinds.NOT_LITERAL:
            text += "y" if value == ord("x") else "x"
        elif kind is kinds.ANY:
            text += "x"
        elif kind is kinds.IN:
            text += _members(value)[:1]
        elif kind in _REPEATS:
            text += _example(value[2]) * min(value[0], 40)
        elif kind not in (kinds.ASSERT, kinds.ASSERT_NOT):
            text += "".join(map(_example, _within(kind, value)[:1]))
    return text


def _leads(tree: Any, before: str) -> Iterator[str]:
    """What stands before each part that may come again."""
    for kind, value in tree:
        if kind in _REPEATS:
            yield before
        for part in _within(kind, value):
            if kind not in (kinds.ASSERT, kinds.ASSERT_NOT):
                yield from _leads(part, before)
        before += _example([(kind, value)])
