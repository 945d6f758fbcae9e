"""The ways in which one letter is written: by itself, by its number in JSON, an address or a page, or by its name.

As patterns. What a letter may be is bounded, and no two ways begin in the same manner, so no text takes long to look through.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cache, lru_cache
from html.entities import html5

BACKSLASH = "\\"
DEEP = 16
"""As many backslashes as JSON within JSON within JSON puts before a letter."""
ANNOUNCING = frozenset("\\%&")
"""What stands before the number or the name of a letter."""
LONGEST_LETTER, LONGEST_BEHIND = 400, 1_200
"""Characters that one letter takes at most, and one behind a backslash; what is half of one takes as many as the latter."""
LONGEST_PLAIN = 9
"""Where no letter is written by its number and there are no backslashes, there may be ends of lines before it."""

_AGAIN = r"(?:25){0,8}"
"""An address within an address."""
_PAGE_AGAIN = r"(?:amp;){0,8}"
_HEX = "[0-9a-fA-F]"
_BACKSLASHES = rf"\\{{0,{DEEP}}}"
_ITS_NUMBER = rf"{_PAGE_AGAIN}(?:#0{{0,7}}92|#[xX]0{{0,7}}(?i:5c)|bsol);"
_NUMBERS = rf"u0026{_ITS_NUMBER}|u(?i:005c)|u\{{0{{0,7}}(?i:5c)\}}|x(?i:5c)"
_A_BACKSLASH = rf"(?:\\(?:{_NUMBERS})?|%{_AGAIN}(?i:5c)|&{_ITS_NUMBER}){{0,{DEEP}}}"
_LINE_ENDS = rf"(?:\s|\\{{1,{DEEP}}}[nrt]|%{_AGAIN}0(?i:[ad])|&#1[03];){{0,8}}"

HALF = re.compile(
    rf"{_LINE_ENDS}{_A_BACKSLASH}(?:"
    rf"(?<=\\)(?:u\{{?{_HEX}{{0,8}}(?:\\{{1,{DEEP}}}(?:u{_HEX}{{0,3}})?)?|x{_HEX}?)"
    rf"|(?:%{_AGAIN}+{_HEX}{{0,2}}+){{1,12}}"
    rf"|(?:&|(?<=\\)u0026){_PAGE_AGAIN}(?:#[xX]?{_HEX}{{0,14}}|[A-Za-z]{{1,32}})?"
    r")?"
)
"""What may be the beginning of a letter that goes on, and of what may stand before it."""
_LETTER_BY_NUMBER = re.compile(
    rf"(?:%{_AGAIN}|\\{{1,{DEEP}}}(?:x|u00)|&{_PAGE_AGAIN}#[xX]0{{0,7}})(?P<hex>{_HEX}{{2}})\Z"
    rf"|&{_PAGE_AGAIN}#0{{0,7}}(?P<decimal>[0-9]{{1,3}})\Z"
    rf"|(?<!\\)\\{{1,{DEEP}}}(?P<line>[nrt])\Z"
)
LONGEST_BEFORE = 50
"""Characters before a place that tell whether it stands within a word: as many as such a letter takes."""
_OTHER_ALPHABET: Mapping[str, str] = {"+": "-", "/": "_"}
_BY_NUMBER = re.compile(rf"\\(?:[ux]|/)|%{_HEX}{{2}}|&[#A-Za-z]|\\u0026")


def how_odd(text: str) -> int:
    """0: all letters are as they are, as in most texts. 1: there are backslashes. 2: there may be letters by their numbers."""
    if BACKSLASH not in text and "%" not in text and "&" not in text:
        return 0
    return 2 if _BY_NUMBER.search(text) is not None else 1


def ends_in_letter(text: str) -> bool:
    """Whether what follows goes on with a word. One that ends in the number of a space, or of what is no letter, does not."""
    if not text or not (text[-1].isalnum() or text[-1] == "_"):
        return False
    found = _LETTER_BY_NUMBER.search(text[-LONGEST_BEFORE:])
    if found is None:
        return True
    if found["line"] is not None:
        return False
    number = int(found["hex"], 16) if found["hex"] is not None else int(found["decimal"])
    return number < 128 and (chr(number).isalnum() or chr(number) == "_")


def same_letters(letter: str, *, packed: bool) -> tuple[str, ...]:
    """Base64 has two alphabets."""
    if packed and letter in _OTHER_ALPHABET:
        return letter, _OTHER_ALPHABET[letter]
    return (letter, "+") if letter == " " else (letter,)


@lru_cache(2_000)
def first_letter(letter: str, *, packed: bool) -> str:
    """Each way begins with a certain sign: the interpreter passes over all others quickly then."""
    plain, behind, others = _ways(letter, packed)
    return f"(?:{others}|{plain}|\\\\{BACKSLASH * 2}{{0,{DEEP - 1}}}(?:{behind}|{plain}))"


@lru_cache(2_000)
def further_letters(letter: str, *, packed: bool, behind_backslash: bool) -> tuple[str, ...]:
    """In the order of a text, after another letter. More than one where it is not certain how much belongs to it.

    `behind_backslash`: in the text that is looked for, where any number of them may stand."""
    before = (_LINE_ENDS if packed else "") + (_A_BACKSLASH if behind_backslash else _BACKSLASHES)
    plain, behind, others = _ways(letter, packed)
    usual = f"{before}(?:(?<=\\\\)(?:{behind})|{others}|{plain})"
    again = {"%": "25", "&": "amp;"}.get(letter)
    if again is None:
        return (usual,)
    # What is behind may be a name of a page only to whoever has not written the letter in a page.
    bare = rf"{before}(?<=\\)(?:{_behind_a_backslash(letter)})"
    return usual, bare, *(f"{before}{letter}{again * number}" for number in range(5))


@lru_cache(2_000)
def compiled_letters(letter: str, *, packed: bool, behind_backslash: bool) -> tuple[re.Pattern[str], ...]:
    ways = further_letters(letter, packed=packed, behind_backslash=behind_backslash)
    return tuple(map(re.compile, ways))


def _ways(letter: str, packed: bool) -> tuple[str, str, str]:
    """By itself; by what stands behind a backslash; by its number or name in an address or a page."""
    letters = same_letters(letter, packed=packed)
    in_pages = "|".join(map(_in_a_page, letters))
    behind = "|".join((f"u0026{_PAGE_AGAIN}(?:{in_pages})", *map(_behind_a_backslash, letters)))
    others = "|".join((*map(_in_an_address, letters), f"&{_PAGE_AGAIN}(?:{in_pages})"))
    return "|".join(map(re.escape, letters)), behind, others


def _behind_a_backslash(letter: str) -> str:
    """Its number in hexadecimal digits of either case; beyond the first plane also the two halves, each announced."""
    halves = letter.encode("utf-16-be", "surrogatepass")
    units = [f"(?i:{halves[place : place + 2].hex()})" for place in range(0, len(halves), 2)]
    number = ord(letter)
    ways = ["u" + rf"\\{{1,{DEEP}}}u".join(units), rf"u\{{0{{0,7}}(?i:{number:x})\}}"]
    return "|".join([*ways, f"x(?i:{number:02x})"] if number < 256 else ways)


def _in_an_address(letter: str) -> str:
    raw = letter.encode("utf-8", "surrogateescape" if 0xDC80 <= ord(letter) < 0xDD00 else "surrogatepass")
    return "".join(f"%{_AGAIN}{''.join(map(_digit_in_an_address, f'{byte:02x}'))}" for byte in raw)


def _digit_in_an_address(digit: str) -> str:
    """In an address within an address the digits may be written by their numbers as well."""
    numbers = "|".join(sorted({f"{ord(each):02x}" for each in (digit, digit.upper())}))
    return f"(?:(?i:{digit})|%{_AGAIN}(?:{numbers}))"


def _in_a_page(letter: str) -> str:
    number = ord(letter)
    named = [f"{name};?" for name in _names().get(letter, ())]
    by_number = rf"#0{{0,7}}{number}(?:;|(?![0-9]))"
    return "|".join([by_number, rf"#[xX]0{{0,7}}(?i:{number:x})(?:;|(?!{_HEX}))", *named])


@cache
def _names() -> Mapping[str, list[str]]:
    names: defaultdict[str, set[str]] = defaultdict(set)
    for name, letter in html5.items():
        names[letter].add(name.rstrip(";"))
    return {letter: sorted(each) for letter, each in names.items()}
