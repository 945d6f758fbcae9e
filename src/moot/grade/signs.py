"""Which signs between the words of an answer bear meaning: 2/5 is not 2.5, -x is not x, and x < 3 is not x > 3.

They do beside numbers and letters that stand by themselves, as in a formula. Elsewhere they are punctuation: AC/DC is AC DC,
J. R. R. Tolkien is J R R Tolkien, Boeing-747 is Boeing 747. Units are no such signs: 50 % is 50, $5 is 5, 90° is 90. Where two
signs say the same they are one: ≤ and <=, × and *, every dash.

A text becomes words and the signs between them. The words are those that it has without any signs, so that two texts with
the same words and signs never had different words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from moot.grade.charges import MINUS

KEPT_MINUS = "\ue000"
"""A sign before a number, which belongs to the word; it is nobody's letter."""

_MINUS = re.compile(r"(?<!\w)[-−–](?=[\d⁰¹²³⁴-⁹])")
_WORD = re.compile(rf"{KEPT_MINUS}?[^\W_]+(?:[+#]+(?!\w)(?:{KEPT_MINUS}[^\W_]+)?)*(?:{MINUS}(?!\w))?")
_DATE = re.compile(r"(?<![\w./-])(?:\d{1,2}([./-])\d{1,2}\1\d{4}|\d{4}([./-])\d{1,2}\2\d{1,2})(?![\w]|[./-]\d)")

NUMBER, LETTER, OTHER = "number", "letter", "other"
"""What stands beside a sign: a digit, a Latin or Greek letter by itself, or an ordinary word."""
_FORMULA = (NUMBER, LETTER)

_STARS = "*×·⋅∙∗"
_ONE_CHARACTER = str.maketrans(
    {
        **dict.fromkeys("−–—‐‑‒", "-"),
        **dict.fromkeys(_STARS, "*"),
        **dict.fromkeys("÷∕", "/"),
        **dict.fromkeys("’′", "'"),
        "≦": "≤",
        "⩽": "≤",
        "≧": "≥",
        "⩾": "≥",
        "⟶": "→",
        "⟹": "⇒",
        "∼": "~",
        "∶": ":",
    }
)
_SPELLINGS = {
    "<=": "≤",
    ">=": "≥",
    "!=": "≠",
    "<>": "≠",
    "==": "=",
    "&&": "∧",
    "||": "∨",
    "->": "→",
    "-->": "→",
    "=>": "⇒",
}
_SPELT = re.compile("|".join([*sorted(map(re.escape, _SPELLINGS), key=len, reverse=True), "."]), re.DOTALL)
_LETTERS = re.compile(r"[^\W\d_]*")
_POWER = re.compile(r"\s?\*\*\s?")
_BEFORE_A_COMMAND = re.compile(r"-\s?\\$")
_SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_PAIRS = {")": "(", "]": "["}
_QUANTITIES = frozenset(("sqrt", "infinity", "inf", "pi", "sin", "cos", "tan", "log", "ln", "exp", "πi"))
"""Words before which a minus is no bullet."""
_RAISED_SIGN = re.compile(r"[_^] ?(?:\(([-+*])\)|([-+*]))(?=[\s.,;:\"')\]}$]|\Z)")
"""Of 0^+, of which nothing else is raised."""
_PLUS_BEHIND = re.compile(r" (\+{1,2})(?=[\s.\"')$!?,;]*\Z)")
"""O +, which is no O."""
_JOINS = re.compile("[-−–—‐‑_:.]+")
_MINUS_BETWEEN = re.compile(r"\s[-−–]\s")
_LONGEST_KNOWN = 40
"""Letters of a word that is worth remembering."""
_OF_FORMULAS = "=<>+*^|"
Brackets = Callable[[int, str, str, str], bool]
"""Whether the bracket at this place bears meaning, by what stands beside it."""


@dataclass(frozen=True, slots=True)
class Signed:
    """Words, and what stands before each of them and behind the last: nothing, in most answers."""

    words: tuple[str, ...]
    signs: tuple[str, ...]
    gaps: tuple[str, ...] = ("",)
    """All that stands there, of which the signs are what bears meaning."""
    joined_letters: frozenset[int] = frozenset()
    """Places of an "a" that a mark joins to what follows, as in a-1 and A.1: it is no article."""


def signed(folded: str) -> Signed:
    """A text, in small letters and without accents, as words and signs."""
    plain = _DATE.sub(lambda date: re.sub("[/-]", ".", date.group()), folded.replace("⁄", "/"))
    text = _MINUS.sub(KEPT_MINUS, plain)
    found = list(_WORD.finditer(text))
    words = tuple(word.group().replace(KEPT_MINUS, "-") for word in found)
    if not words:
        return Signed((), ("",))
    edges = [0, *(edge for word in found for edge in word.span()), len(text)]
    gaps = [(edges[place], text[edges[place] : edges[place + 1]]) for place in range(0, len(edges), 2)]
    letters = {place for place, word in enumerate(words[:-1]) if _is_joined(word, gaps[place + 1][1], words[place + 1])}
    return Signed(words, _signs(text, words, gaps), tuple(gap for _, gap in gaps), frozenset(letters))


def _is_joined(word: str, gap: str, behind: str) -> bool:
    """An article is followed by white space and a word."""
    if word not in ("a", "an"):
        return False
    if behind[0] == "-" or _JOINS.fullmatch(gap):
        return True
    return _MINUS_BETWEEN.fullmatch(gap) is not None and _beside(behind)[0] in _FORMULA


def _signs(text: str, words: Sequence[str], gaps: Sequence[tuple[int, str]]) -> tuple[str, ...]:
    if not any(gap.strip() for _, gap in gaps):
        return ("",) * len(gaps)
    one_star, one_prime = sum(map(text.count, _STARS)) == 1, sum(map(text.count, "'’′")) == 1
    half_open, around = _brackets(text)

    def all_signs(brackets: Brackets, *, in_formula: bool) -> tuple[str, ...]:
        """From the end: whether "a" is an article is known once it is known what stands behind it."""
        signs: list[str] = []
        right, behind = "", ""
        for (start, gap), word in zip(reversed(gaps), (*reversed(words), ""), strict=True):
            left, before = _beside(word)
            between, sign = None, ""
            if gap != " " and gap and not gap.isspace():
                between = _Gap(
                    start, gap.translate(_ONE_CHARACTER), before, right, word, behind, one_star, one_prime, in_formula
                )
                sign = between.signs(brackets)
            if word in ("a", "i") and behind and not sign:  # the article, the pronoun
                left = OTHER
                sign = replace(between, left=OTHER).signs(brackets) if between is not None else ""
            signs.append(sign)
            right, behind = left, word
        return tuple(reversed(signs))

    signs = all_signs(lambda place, mark, left, right: place in half_open, in_formula=False)
    if not any(signs):
        return signs
    return all_signs(
        lambda place, mark, left, right: (
            place in half_open or (place not in around and (right if mark in "([" else left) in _FORMULA)
        ),
        in_formula=any(mark in _OF_FORMULAS or _mathematical(mark) for sign in signs for mark in sign),
    )


def _beside(word: str) -> tuple[str, str]:
    return _beside_known(word) if len(word) <= _LONGEST_KNOWN else _beside_known.__wrapped__(word)


@lru_cache(maxsize=10_000)
def _beside_known(word: str) -> tuple[str, str]:
    """What a word is to the sign before it, and to the sign behind it."""
    if not word:
        return "", ""
    # From its end backwards: to look for its last letters from everywhere takes the square of its length.
    letters = _LETTERS.match(word.removeprefix("-")), _LETTERS.match(word[::-1])
    starts, ends = (found.group() if found else "" for found in letters)
    return _kind(starts, word[0] == "-" or word[0].isnumeric()), _kind(ends, word[-1].isnumeric())


def _kind(letters: str, is_number: bool) -> str:
    if is_number:
        return NUMBER
    return LETTER if len(letters) == 1 and ("a" <= letters <= "z" or "\u0370" <= letters <= "\u03ff") else OTHER


def _brackets(text: str) -> tuple[set[int], set[int]]:
    """Where the brackets of half-open intervals are; and those around the whole, which mean nothing."""
    half_open: set[int] = set()
    around: set[int] = set()
    opened: list[int] = []
    first = len(text) - len(text.lstrip(" \"'«“„*$`"))
    last = len(text.rstrip(" .\"'»”*$`!")) - 1
    for place, mark in enumerate(text):
        if mark in "([":
            opened.append(place)
        elif mark in ")]":
            if not opened:
                half_open |= {place} if mark == "]" else set()
                continue
            start = opened.pop()
            if text[start] != _PAIRS[mark]:
                half_open |= {start, place}
            elif (start, place) == (first, last):
                around |= {start, place}
                first, last = first + 1, last - 1
    return half_open | {place for place in opened if text[place] == "["}, around


@dataclass(frozen=True, slots=True)
class _Gap:
    """What stands between two words, or at an end of the text."""

    start: int
    text: str
    left: str
    right: str
    """What the words beside it are; "" where there is none."""
    word_before: str
    word_behind: str
    one_star: bool
    one_prime: bool
    in_formula: bool
    """Whether a sign elsewhere in the text says that it is one: then words are names of quantities too."""

    def signs(self, brackets: Brackets) -> str:
        if not self.text.strip():
            return ""
        if self.left and self.right != NUMBER and (raised := _RAISED_SIGN.match(self.text)) is not None:
            rest = replace(self, start=self.start + raised.end(), text=self.text[raised.end() :])
            return f"{self.text[0]}{raised[1] or raised[2]}{rest.signs(brackets)}"
        if not self.left and self.right not in ("", NUMBER) and self.text.endswith("++"):
            return "++"  # ++a, which is no a
        if self.left in (LETTER, OTHER) and not self.right and (plus := _PLUS_BEHIND.match(self.text)) is not None:
            return f" {plus[1]}"
        if not self.in_formula and self.left not in _FORMULA and self.right not in _FORMULA:
            if any(map(_never_in_words, self.text)):
                return "".join(filter(_never_in_words, self.text))
            if not self.left and self.text.endswith("-") and self.word_behind in _QUANTITIES:
                return "-"
            if self.left and self.right and self.text.strip() in ("=", "=="):
                return "="  # whoever equates two words writes a formula
            return "-\\" if self.right and _BEFORE_A_COMMAND.search(self.text) else ""
        kept = _SPELT.sub(_one_spelling, "".join(self._kept(brackets)))
        if kept == "-" and self.left == LETTER and not self.right:
            return MINUS  # as behind a word
        # Else it would be read as the number's own: "- 5" is nobody's -5.
        alone = kept.endswith("-") and self.right == NUMBER and (len(kept) > 1 or self.left != NUMBER)
        return f"{kept} " if alone else kept

    def _kept(self, brackets: Brackets) -> Iterator[str]:
        if _POWER.fullmatch(self.text) and self._between(_FORMULA, _FORMULA):
            yield "^"
            return
        if self.text.strip() == ",":
            yield "," if self.word_before == "a" and self.word_behind else self._comma()  # no article
            return
        before = ""
        for spelt in _SPELT.finditer(self.text):
            mark, place = _one_spelling(spelt), spelt.start()
            if mark in "()[]":
                kept = mark if brackets(self.start + place, mark, self.left, self.right) else ""
            else:
                kept = self._sign(mark, place, spelt.end() == len(self.text), before)
            before += kept
            yield kept

    def _between(self, left: Sequence[str], right: Sequence[str]) -> bool:
        return self.left in left and self.right in right

    def _sign(self, mark: str, place: int, last: bool, before: str) -> str:
        """The sign as it is compared, or nothing. `before`: those that bear meaning before it."""
        inside, first = bool(self.left and self.right), place == 0
        lead = self.text[:place]
        bears = False
        if mark == "-":
            bears = self._minus(lead, before, last)
        elif mark in "+/^":
            bears = inside
        elif mark == "=":
            bears = inside and (self.in_formula or not self._between((OTHER,), (NUMBER,)))  # pH = 7
        elif mark == ",":
            bears = inside and self.text[place + 1 :].lstrip().startswith("-")
        elif mark == "*":
            lone = self.one_star and LETTER in (self.left if first else "", self.right if last else "")
            bears = lone or (self._between(_FORMULA, _FORMULA) and self.text.count("*") == 1)
        elif mark == "|":
            edge = (first and self.left in _FORMULA) or (last and self.right in _FORMULA)
            bears = edge or self._between(_FORMULA, _FORMULA)
        elif mark in "!~":
            return self._factorial_or_denial(mark, lead, last)
        elif mark in ".:":
            if mark == "." and lead and not before and self.left and self._point(place, last):
                return " ."  # "5 .5" is no 5.5
            bears = self._point(place, last) if mark == "." else self._ratio()
        elif mark == "'":
            opens = self.text[1:2] == "(" and self.right in _FORMULA
            bears = first and self.left == LETTER and self.one_prime and (opens or not self.right)
        elif mark in "♯♭":
            bears = first and self.left == LETTER
        elif mark in "⁻⁺":
            bears = self.word_behind[:1] in tuple(_SUPERSCRIPTS)
        elif mark == "≈":
            bears = inside
        else:
            bears = _mathematical(mark)
        return mark if bears else ""

    def _minus(self, lead: str, before: str, last: bool) -> bool:
        if not self.right:
            return self.left == LETTER and not lead.strip("-^")
        if not self.left or before or lead.rstrip().endswith(("(", "[", "{", ",")):
            return self.in_formula or self.right in _FORMULA
        is_name = self._between((LETTER,), (NUMBER,)) and not any(mark in self.text for mark in "()[]")  # F-16
        if self.in_formula and not is_name:
            return bool(lead) or not last or self._between(_FORMULA, _FORMULA)  # not the one of well-being
        of_function = self.left in _FORMULA and self.word_behind in _QUANTITIES  # x - sin x
        return of_function or (self._between(_FORMULA, _FORMULA) and not is_name)

    def _factorial_or_denial(self, mark: str, lead: str, last: bool) -> str:
        if mark == "!" and self.left == NUMBER and not self.right:
            return ""  # who says "42!" is glad more often than a factorial is meant
        if self.left in _FORMULA and not lead.strip(mark) and lead == lead.strip():
            return mark
        if mark == "~" and self._between(_FORMULA, _FORMULA):
            return mark
        return "¬" if last and (self.right == LETTER or (self.in_formula and self.right)) else ""

    def _point(self, place: int, last: bool) -> bool:
        if not last or self.right != NUMBER:
            return False
        if place == 0:
            return self.left in ("", NUMBER)
        return self.text[place - 1] != "."

    def _ratio(self) -> bool:
        between_numbers = self._between((NUMBER,), (NUMBER,)) and self.text in (" : ", " :")  # not the one of a list
        return between_numbers or (self.text == ":" and self.left == self.right)

    def _comma(self) -> str:
        """A decimal comma is a point, unless it may part thousands; between a letter and a number it parts two things."""
        if self._between((LETTER,), (NUMBER,)) or self._between((NUMBER,), (LETTER,)):
            return ","
        if self.text != "," or not self._between((NUMBER,), (NUMBER,)):
            return ""
        of_thousands = re.fullmatch(r"-?[1-9]\d{0,2}", self.word_before) and re.match(r"\d{3}(?!\d)", self.word_behind)
        return "," if of_thousands or (re.fullmatch(r"\d{3}", self.word_behind) and "," in self.word_before) else "."


def _one_spelling(found: re.Match[str]) -> str:
    return _SPELLINGS.get(found.group(), found.group())


@lru_cache(maxsize=1_000)
def _never_in_words(mark: str) -> bool:
    """Signs of logic and sets, which no ordinary text has; arrows and comparisons it may have."""
    return (
        not mark.isascii() and mark not in "±×÷−¬≈∙∗∕⁄∼" and unicodedata.category(mark) == "Sm" and not mark <= "\u21ff"
    )


@lru_cache(maxsize=1_000)
def _mathematical(mark: str) -> bool:
    return unicodedata.category(mark) == "Sm" or "\u2190" <= mark <= "\u21ff"


def joined(words: Sequence[str], signs: Sequence[str]) -> str:
    """Words with the signs before and behind them: "x<3", and a space where there is no sign."""
    parts = [signs[0], words[0]]
    for sign, word in zip(signs[1:-1], words[1:], strict=True):
        if sign.startswith("+") and (len(sign) > 1 or word.startswith("-")):
            sign = f" {sign}"  # right behind a word it would be the word's: C+
        parts += [sign or " ", word]
    return "".join((*parts, signs[-1]))
