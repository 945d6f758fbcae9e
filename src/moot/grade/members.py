"""Commas that part several things: 1,2,3 is 1, 2, 3, and (3,4) is (3, 4), where 3,4 alone may be a number.

What stands in brackets of which sort is another thing: [1, 5] is no (1, 5), and neither is {1, 5}.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from moot.grade.tex import may_be_tex, plain

_PAIRS = {"(": ")", "[": "]", "{": "}"}
_CLOSES = frozenset(_PAIRS.values())
_THOUSANDS = re.compile(r"\s*[$€£]?-?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?\s*")
_DECIMAL = re.compile(r"\s*-?[0-9]+,[0-9]+\s*")
_NUMBER = r"-?[0-9]+(?:\.[0-9]+)?"
_SEVERAL = re.compile(
    rf"(?<![\w.,+*/^-]){_NUMBER}(?:,{_NUMBER}){{2,}}(?![\w^/]|[,.]\d)"  # 1,2,3
    rf"|(?<![\w.,/-])-?[0-9]+(?:\.[0-9]+)?(?:,-{_NUMBER[2:]})+(?![\w^]|[,.]\d)"  # 1,-2
    r"|(?<![\w.,-])-?[0-9]+\.[0-9]+(?:,[0-9]+\.[0-9]+)+(?![\w]|[,.]\d)"  # 1.5,2.5
    r"|(?<![\w.,])-?[0-9]+/[0-9]+(?:,-?[0-9]+/[0-9]+)+(?![\w]|[,.]\d)"  # 1/2,3/4
)
_ALL_THOUSANDS = re.compile(r"-?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_WORD = re.compile(r"[^\W\d_]{2,}")
_KNOWN_WORDS = "sqrt pi infinity infty inf frac dfrac tfrac sin cos tan log ln exp left right cup cap"
_KNOWN = frozenset(_KNOWN_WORDS.split())
_EDGES = " \t\n$\"'«»“”`"
_LONGEST = 1_000
"""Characters. Nobody lists more in brackets."""


@dataclass(frozen=True, slots=True)
class InBrackets:
    """Two or more members in brackets, which say what they are."""

    brackets: str
    members: tuple[str, ...]


def listed(text: str) -> InBrackets | None:
    """What is nothing but members of a formula in one pair of brackets."""
    bare = text.strip(_EDGES).rstrip(f"{_EDGES}.")
    if not 4 <= len(bare) <= _LONGEST or bare[0] not in _PAIRS or bare[-1] not in _CLOSES:
        return None
    inside = bare[1:-1]
    if _closes_early(bare) or not _is_formula(inside) or (bare[0] == "(" and _THOUSANDS.fullmatch(inside)):
        return None
    members = _split(inside)
    if len(members) < 2 or not all(re.search(r"[^\W_]", member) for member in members):
        return None
    return InBrackets(bare[0] + bare[-1], tuple(members))


def listed_in(text: str) -> InBrackets | None:
    r"""The same of what may be written in TeX: \left( 3, 4 \right) is (3, 4)."""
    if not may_be_tex(text):
        return listed(text)
    bare = plain(text)
    return listed(bare) if bare is not None else None


def bare_members(text: str) -> tuple[str, ...]:
    """What commas part in a text without brackets; nothing where there is one thing alone."""
    bare = plain(text) or text if may_be_tex(text) else text
    members = _split(bare.strip(_EDGES).rstrip(f"{_EDGES}."))
    return tuple(members) if len(members) > 1 else ()


def _split(inside: str) -> list[str]:
    """At semicolons, or else at commas, of which one in a number of thousands is none where a space tells the others."""
    mark = ";" if ";" in inside else ","
    spaced = mark == "," and ", " in inside
    members, start, depth = [], 0, 0
    for place, character in enumerate(inside):
        depth += (character in _PAIRS) - (character in _CLOSES)
        in_number = spaced and re.match(r"[0-9]{3}(?![0-9])", inside[place + 1 : place + 5]) is not None
        if character == mark and depth == 0 and not in_number:
            members.append(inside[start:place].strip())
            start = place + 1
    return [*members, inside[start:].strip()]


def _closes_early(text: str) -> bool:
    depth = 0
    for place, character in enumerate(text):
        depth += (character in _PAIRS) - (character in _CLOSES)
        if depth == 0 and place < len(text) - 1:
            return True
    return depth != 0


def _is_formula(inside: str) -> bool:
    return not any(word.lower() not in _KNOWN for word in _WORD.findall(inside))


def parted(text: str, language: str = "en") -> str:
    """A space behind each comma that parts members, so that it is no decimal one.

    In brackets every comma does, but where it may part thousands or, in other languages than English, stand in the one number.
    """
    if "," not in text:
        return text
    if len(text) <= _LONGEST:
        text = _SEVERAL.sub(_spaced_out, text)
        if any(mark in text for mark in "([{"):
            text = _in_brackets(text, language)
    return text


def _spaced_out(found: re.Match[str]) -> str:
    return found.group() if _ALL_THOUSANDS.fullmatch(found.group()) else found.group().replace(",", ", ")


def _in_brackets(text: str, language: str) -> str:
    opened: list[int] = []
    commas: list[list[int]] = []
    spaced: set[int] = set()
    for place, character in enumerate(text):
        if character in _PAIRS:
            opened.append(place)
            commas.append([])
        elif character in _CLOSES and opened:
            start, own = opened.pop(), commas.pop()
            alone = not re.search(r"[^\W_]", text[:start] + text[place:])
            if own and _parts(text[start], text[start + 1 : place], character, language, alone=alone):
                spaced |= set(own)
        elif character == "," and opened:
            commas[-1].append(place)
    return "".join(
        ", " if place in spaced and text[place + 1 : place + 2] != " " else c for place, c in enumerate(text)
    )


def _parts(opening: str, inside: str, closing: str, language: str, *, alone: bool) -> bool:
    if ";" in inside or ", " in inside or not _is_formula(inside):
        return False
    if _PAIRS[opening] != closing:
        return True
    if language != "en" and opening == "(" and alone and _DECIMAL.fullmatch(inside):
        return False
    return opening != "(" or not _THOUSANDS.fullmatch(inside)
