"""The parts of a formula: numbers, quantities, functions and signs, and the words between them; each in one spelling."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿⁱ", "0123456789-+ni")
_LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉ₙᵢ", "0123456789ni")
_RAISED_RUN = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿⁱ]+")
_LOWERED_RUN = re.compile("[₀₁₂₃₄₅₆₇₈₉ₙᵢ]+")
_HALVES = re.compile("(?<![0-9])([0-9]*+) ?([¼½¾⅐-⅞])")
_ONE_CHARACTER = str.maketrans(
    {
        **dict.fromkeys("−–—‐‑‒", "-"),
        **dict.fromkeys("×·⋅∙∗", "*"),
        **dict.fromkeys("÷∕⁄", "/"),
        **dict.fromkeys("’′", "'"),
        **dict.fromkeys("≦⩽", "≤"),
        **dict.fromkeys("≧⩾", "≥"),
        **dict.fromkeys("⟶", "→"),
        "∶": ":",
        "…": "...",
        "⋯": "...",
        "∞": " infinity ",
        "π": " pi ",
    }
)
_SPELLINGS = {"<=": "≤", ">=": "≥", "!=": "≠", "<>": "≠", "==": "=", "**": "^", "->": "→", "=>": "⇒"}
_TOKEN = re.compile(
    r"\s+|[0-9]+(?:\.[0-9]+)?|\.[0-9]+|\.\.\.|[^\W\d_]+|<=|>=|!=|<>|==|\*\*|->|=>|.",
    re.DOTALL,
)
_FUNCTION_WORDS = (
    "sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln lg exp gcd lcm min max lim det sqrt"
)
_FUNCTIONS = frozenset(_FUNCTION_WORDS.split())
_NAMES = frozenset(("pi", "infinity"))
_WORDS_OF_TWO = "or and if is in to of for no not the at by on as an it be so we all any odd are was has but"
_SHORT_WORDS = frozenset(_WORDS_OF_TWO.split())
_UNIT_WORDS = (
    "cm mm km kg mg ml hz ev kj mol kpa pa atm min sec hr hrs day ft yd mi oz lb lbs mph kmh rad deg cal bc ad am pm "
    "ce bce st nd rd th ph usd eur gbp rub yes nm ms ns"
)
_UNITS_OF_TWO = frozenset(_UNIT_WORDS.split())
"""Units and other short words that are no product of quantities."""
_LONGEST_PRODUCT = 3
"""Letters in a row that are taken for quantities beside each other, as in mc^2; longer ones are a word."""
_UNITS = frozenset("%$€£¥₽°")
OPENS = {"(": ")", "[": "]", "{": "}"}
CLOSES = frozenset(OPENS.values())

_FUNCTION_OF_ONE = re.compile(r"(?<![^\W\d_])(?:arc)?(?:sin|cos|tan|cot)(?=[xα-ω](?![^\W\d_]))")
"""Of sinθ, which is sin θ."""
_SAYS_MORE = re.compile(r"=|(?<![^\W\d_])(?!sqrt|infinity|infty|frac|text|math)[^\W\d_]{4,}")
"""What is no member of a pair or of an interval, so that brackets around it are those of a remark."""
_OTHER_FORMS = ("<font>", "<compat>", "<wide>", "<narrow>")

_EDGES = " \t\n$\"'«»“”`"
_ENDS = f"{_EDGES}.,;"
"""At the end alone: .5 begins with a point."""


class NoFormulaError(Exception):
    """A text, or something that this grammar does not know."""


def prepared(text: str) -> str:
    """Small letters and one character for each sign."""
    text = _HALVES.sub(lambda half: f"{half[1]} {_fraction_of(half[2])}" if half[1] else _fraction_of(half[2]), text)
    text = _RAISED_RUN.sub(lambda run: f"^({run.group().translate(_RAISED)})", text)
    text = _LOWERED_RUN.sub(lambda run: f"_({run.group().translate(_LOWERED)})", text)
    composed = unicodedata.normalize("NFC", text)
    plain = composed if composed.isascii() else "".join(map(_one_form, composed))
    folded = _FUNCTION_OF_ONE.sub(r"\g<0> ", plain.lower().translate(_ONE_CHARACTER))
    return without_brackets(" ".join(folded.split()).strip(_EDGES).rstrip(_ENDS))


@lru_cache(maxsize=5_000)
def _one_form(character: str) -> str:
    """The letter that another only draws otherwise: R of ℝ, φ of ϕ. What stands above or below is no such form."""
    if character.isascii() or not unicodedata.decomposition(character).startswith(_OTHER_FORMS):
        return character
    return unicodedata.normalize("NFKC", character)


def without_brackets(plain: str) -> str:
    """Without brackets around the whole of one thing."""
    says_more = plain[:1] == "(" and _SAYS_MORE.search(plain) is not None
    while len(plain) > 2 and plain[0] in "([" and plain[-1] == OPENS[plain[0]]:
        depth, parts = 0, False
        for place, mark in enumerate(plain):
            depth += (mark in OPENS) - (mark in CLOSES)
            parts |= depth == 1 and mark in ",;" and not says_more
            if parts or (depth == 0 and place < len(plain) - 1):
                return plain
        plain = plain[1:-1].strip()
    return plain


def _fraction_of(half: str) -> str:
    return unicodedata.normalize("NFKC", half).replace("\u2044", "/")


@dataclass(frozen=True, slots=True)
class Token:
    kind: str
    """number, letter, name, function, word, sign"""
    text: str
    spaced: bool
    """Whether there is white space before it."""


def tokens_of(plain: str) -> list[Token]:
    tokens: list[Token] = []
    spaced = False
    for found in _TOKEN.finditer(plain):
        text = found.group()
        if text.isspace():
            spaced = True
            continue
        if text in _UNITS:
            continue
        if text[0].isascii() and (text[0].isdigit() or (text[0] == "." and text[1:].isdigit())):
            if tokens and not spaced and tokens[-1].kind in ("letter", "word", "name", "function"):
                raise NoFormulaError  # x2 is a name of its own
            tokens.append(Token("number", _number(text), spaced))
        elif text[0].isalpha():
            tokens += _of_letters(text, spaced, hung_on=plain[found.end() : found.end() + 1] in ("^", "_"))
        else:
            tokens.append(Token("sign", _SPELLINGS.get(text, text), spaced))
        spaced = False
    return _without_articles(tokens)


def _of_letters(text: str, spaced: bool, *, hung_on: bool) -> list[Token]:
    """A word, a name, or quantities beside each other: at of at^2 is no word."""
    if text in _FUNCTIONS:
        return [Token("function", text, spaced)]
    if text in _NAMES:
        return [Token("name", text, spaced)]
    is_short = text in _UNITS_OF_TWO or (text in _SHORT_WORDS and not hung_on)
    if len(text) > _LONGEST_PRODUCT or is_short or not all(map(_is_quantity, text)):
        return [Token("word", text, spaced)]
    return [Token("letter", letter, spaced and not place) for place, letter in enumerate(text)]


def are_quantities(text: str) -> bool:
    """Whether letters in a row are several quantities beside each other, and no word or unit, nor the dx of a derivative."""
    return not (len(text) == 2 and text[0] == "d") and len(_of_letters(text.lower(), spaced=False, hung_on=False)) > 1


def is_word(letters: str) -> bool:
    """Whether they are a short word or a unit, and no quantities beside each other."""
    return letters in _UNITS_OF_TWO or letters in _SHORT_WORDS


def _is_quantity(letter: str) -> bool:
    return "a" <= letter <= "z" or "\u0370" <= letter <= "\u03ff"


def _number(text: str) -> str:
    """0.50 is .5 is 0.5; 007 is none."""
    whole, _, decimals = text.partition(".")
    if len(whole) > 1 and whole[0] == "0":
        raise NoFormulaError
    decimals = decimals.rstrip("0")
    return f"{whole or '0'}.{decimals}" if decimals else whole or "0"


def _without_articles(tokens: list[Token]) -> list[Token]:
    """A letter is one before a word, never between quantities."""
    kept = []
    for place, token in enumerate(tokens):
        behind = tokens[place + 1] if place + 1 < len(tokens) else None
        before_word = behind is not None and behind.kind == "word"
        if token.kind == "word" and token.text in ("the", "an") and behind is not None:
            continue
        behind_word = not place or tokens[place - 1].kind == "word"
        if token.kind == "letter" and token.text == "a" and before_word and behind_word:
            continue
        kept.append(token)
    return kept
