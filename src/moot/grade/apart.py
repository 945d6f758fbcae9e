"""Numbers in words that a sign parts, which are two: "ten, twenty" is 10, 20 and no 1020, and "forty / two" is no 42.

Words become digits where they stand, with the signs between them, and are read as digits are. Between thousands and hundreds
English sets a comma within one number (one thousand, two hundred), as it does in digits.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from moot.grade.numerals import is_counted, is_scale, numerals_in_place, value_of

BREAK = "\ue002"
"""Between two words that a mark parts, where they are read as one number or one date; it is nobody's letter."""
_MARKS = re.compile(r"[,;.:/()\[\]{}+|&!?…·*^=<>~×÷⁄\u2190-\u22ff]|(?<=\s)[-−–—‐‑]|[-−–—‐‑](?=\s)")
_ENDS = re.compile(r"[,;:.!?…]")
_TIGHT = str.maketrans({",": ", ", ".": ". "})
_WORD = re.compile(r"[^\W_]+")


def parting(gap: str) -> bool:
    """Whether what stands between two words parts them: no white space, nor the hyphen of twenty-one, nor quotes and stars."""
    if gap == " " or not (bare := gap.strip()):
        return False
    return bare not in ("**", "*", "__") and _MARKS.search(gap) is not None


def ending(gap: str) -> bool:
    """Whether it ends a number, a part of one and its unit; not the bracket of 401(k)."""
    return gap != " " and _ENDS.search(gap) is not None


def in_digits(words: Sequence[str], gaps: Sequence[str], language: str) -> str | None:
    """The text with its numbers in digits, where one in words stands beside such a mark; else nothing.

    `gaps`: what stands before each word, and behind the last."""
    places = [place for place in range(1, len(words)) if parting(gaps[place])]
    if not any(is_counted(words[place - 1]) or is_counted(words[place]) for place in places):
        return None
    edges = [0, *(place for place in places if not _within_one(words, gaps, place)), len(words)]
    if len(edges) == 2:
        return None
    text = []
    for start, end in pairwise(edges):
        for piece in numerals_in_place(words[start:end], language):
            gap = gaps[start + piece.start]
            beside = gap in (",", ".") and start + piece.start
            text += [gap.translate(_TIGHT) if beside else gap, piece.text]
    return "".join((*text, gaps[-1]))


def _within_one(words: Sequence[str], gaps: Sequence[str], place: int) -> bool:
    """The comma of one thousand, two hundred; not of one thousand, five."""
    if gaps[place].strip() != "," or not is_scale(words[place - 1]):
        return False
    end = next((after for after in range(place + 1, len(words)) if parting(gaps[after])), len(words))
    following = value_of(words[place:end])
    return following is not None and 100 <= following < is_scale(words[place - 1])


def numbers_of(spelled: str) -> list[str]:
    """The digits of a text in their order of size, whatever stands between them."""
    return sorted(re.findall(r"[0-9]+", spelled))


def may_part_numbers(text: str) -> bool:
    """Whether a text has such a mark beside a number in words."""
    if _MARKS.search(text) is None:
        return False
    words = [*_WORD.finditer(text.lower())]
    return any(
        (is_counted(one.group()) or is_counted(other.group())) and parting(text[one.end() : other.start()])
        for one, other in pairwise(words)
    )
