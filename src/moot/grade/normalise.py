"""One spelling for one answer: case, accents, punctuation, quotes, articles and ё are not differences; signs of a formula are.

Answers are compared where others wait, in a server's loop as well, and are written by whoever likes: a megabyte of marks
over one letter would take hours. So there is a length from which a text is not taken apart any more. It equals itself
alone then, which can make nothing right that is not; and whoever grades says that it was not compared (`too_long`).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from moot.grade.apart import BREAK, ending, in_digits, may_part_numbers
from moot.grade.charges import MINUS, with_charges, with_minus
from moot.grade.chemistry import without_marks
from moot.grade.formula import formula
from moot.grade.formula_tokens import without_brackets
from moot.grade.large_numbers import halves_and_dozens, with_scale_of_money
from moot.grade.members import InBrackets, listed, parted
from moot.grade.numerals import SPELLED_OUT, numerals_in_place, scaled, thousands
from moot.grade.said_in_words import as_number, dated, percent_in_words, with_one_spelling
from moot.grade.signs import KEPT_MINUS, Signed, joined, signed
from moot.grade.tex import improper, like_others, may_be_tex, name_of_greek, plain
from moot.grade.unit_case import with_units
from moot.grade.units import units
from moot.grade.wrapping import unwrapped
from moot.types import Question

_LETTERS_OF = {"ł": "l", "ø": "o", "æ": "ae", "œ": "oe", "đ": "d", "ð": "d", "þ": "th", "ħ": "h", "ı": "i"}
_STROKED = re.compile(rf"(?<=[^\W\d_])[{''.join(_LETTERS_OF)}]|[{''.join(_LETTERS_OF)}](?=[^\W\d_])")
"""Letters within a word that Unicode takes for no accented ones: Łódź is Lodz. Alone Ø is no O."""
_STRESS = "\u0301"
_ARTICLES = ("a", "an", "the")
_RAISED = re.compile(rf"[⁰¹²³⁴-⁹]+|(?<=[0-9])[¼½¾⅐-⅞]|(?<=[0-9])[₀-₉]+|(?<=[^\W_]){MINUS}(?![^\W_])")
"""Powers, and a half behind a whole number: written out 10⁶ would be 106, and 2½ would be 21/2; 10₂, and the sign of A⁻."""
_DECIMAL_COMMA = re.compile(r"(?<=[0-9]),(?=[0-9])")
_DECIMAL = re.compile(r"(-?)(0|[1-9][0-9]*|)\.([0-9]+)")
_HALF_BEHIND = re.compile(r"-?[0-9]+[¼½¾⅐-⅞]")
_PI = re.compile(r"(?<![^\W\d_])π(?![^\W\d_])")
_ROOT = re.compile(r"(?:√|sqrt) ?(?:(?=\()|([0-9]+(?:\.[0-9]+)?|(?<=√)[A-Za-z](?![A-Za-z])))")
_TIMES = re.compile(r"(?<=[0-9])(?: ?[*·×⋅] ?| )(?=sqrt\(|pi(?![^\W_]))")
_ONE_RAISED = re.compile(r"([\^_])\{ ?([^\W\d_]|-?[0-9]+) ?\}(?![^\W_])")
"""Of x^{2}, which is x^2."""
_TEX = re.compile(r"\\[a-z]|[\^_]\{")
"""What gives braces their meaning: a command, or a group above or below."""
_TEX_EDGES = ' $"«»“”`'
_DASHES = str.maketrans("−–", "--")
_TEX_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[0-9]+(?:\.[0-9]+)?|\S", re.DOTALL)
_ONE_IN_BRACES = re.compile(r"(?<!\\)\{ ?([0-9A-Za-z]) ?\}")
_NO_SIGN = re.compile(r"\\(?:left|right) ?\.")
_MINUS_OF_MONEY = re.compile(r"(?<!\w)[-−–] ?\\?[$€£¥₽] ?(?=[0-9.])")
"""-$5, which is as much as $-5."""
_PART_OF_ONE = re.compile(r"-?0?\.[0-9]+")
"""Of 0.02 %, which is no 0.02: without the sign that is a share."""
_BEFORE_GREEK = re.compile(r"(?<=[0-9])\s+(?=[α-ωΑ-ΩµΩ])")
"""5 Ω, which is 5Ω, and 2 α."""
_AMOUNT_OF_ONE_LETTER = re.compile(r"\A(?P<number>-?[0-9]{1,12}(?:\.[0-9]{1,12})?) (?P<unit>[vanwshglmkjвансчглмк])\Z")
"""5 V, which is 5V, where it is all there is."""
_THE = re.compile(r"\bthe\s++", re.IGNORECASE)
_ABOUT = re.compile(r"([\s$(\[]*)(?:[≈~+]\s*)+(?=[-−–]?\s?\$?\.?[0-9])")
"""Before a number that is all there is, it says nothing."""
_TIME_OF_DAY = re.compile(r"(?<=[0-9])\s?([ap])\.\s?m\b\.?", re.IGNORECASE)
"""3 p.m., which is 3 PM."""
_APART = "␣"
"""Between the parts of a formula that has no plain spelling, so that it is one word."""

_MOST_READINGS = 5
LONGEST_COMPARED = 10_000
"""Characters, white space folded. No answer to a question that has a reference is nearly as long."""

_REMEMBERED = 1_000
"""Characters up to which a text is worth remembering: thousands are, and must fit into memory."""


def too_long(text: str) -> bool:
    """Whether a text is too long to be compared but letter by letter."""
    if len(text) <= LONGEST_COMPARED:
        return False
    # Of megabytes the beginning tells it, but where that is white space.
    return any(len(" ".join(part.split())) > LONGEST_COMPARED for part in (text[: 4 * LONGEST_COMPARED], text))


def normalise(text: str) -> str:
    """Lower case, without diacritics, punctuation and articles, white space folded.

    ё becomes е, and the stress mark that Russian quiz texts use is dropped; й keeps its breve, being another letter.
    An article is one only before another word: "A" and "vitamin A" keep theirs. So do a number its sign, C++ and C#
    what sets them apart from C, and numbers and formulas the signs between them (`signs`). A text that is nothing but
    punctuation stays as it is; so does one that is too long.
    """
    if len(text) <= _REMEMBERED:
        return _remembered(text)
    folded = " ".join(text.split())
    return folded if len(folded) > LONGEST_COMPARED else _normalised(folded)


def folded_if_long(text: str) -> str:
    """Normalised, where it is no page: of that only the white space is folded, since a page takes a third of a second, and no
    two pages differ in nothing but their signs."""
    return _remembered(text) if len(text) <= _REMEMBERED else " ".join(text.split())


def answer_key(question: Question, answer: str) -> str:
    """What an answer to this question is known by where words about it are kept: equal answers have equal keys.

    Of a long answer only white space is folded: its marks and capitals are part of what it is judged by. A word about $5 is none
    about €5.
    """
    return " ".join(answer.split()) if question.is_long else " ".join((normalise(answer), *units(unwrapped(answer))))


@lru_cache(maxsize=20_000)
def _remembered(text: str) -> str:
    return _normalised(text)


def _normalised(text: str) -> str:
    """Signs that bear no meaning hide others from each other, so it is read until nothing changes: once, in real answers."""
    plain, has_signs = _read(text)
    for _ in range(_MOST_READINGS if has_signs else 0):
        again, _ = _read(plain)
        if again == plain:
            break
        plain = again
    return plain


def _read(text: str) -> tuple[str, bool]:
    """Words and signs in one spelling, and whether there are any signs."""
    folded = _folded(with_minus(with_units(unwrapped(text))).replace(KEPT_MINUS, " "))
    if "^{" in folded or "_{" in folded:
        folded = _ONE_RAISED.sub(r"\1\2", folded)
    if _TEX.search(folded):
        return _as_it_stands(folded), False
    if (several := listed(folded)) is not None:
        return _bracketed(several), True
    parts = signed(parted(folded))
    if not parts.words:
        return " ".join(folded.split()), False
    kept = _without_articles(parts)
    read = joined(kept.words, kept.signs)
    if "%" in folded and _PART_OF_ONE.fullmatch(alone := read.strip("()[]")):
        return f"{alone}%", True
    return read, any(parts.signs)


def _as_it_stands(tex: str) -> str:
    r"""What braces hold together no sign outside TeX tells: \sqrt{x+1} is not \sqrt{x}+1, and a is no article."""
    text = " ".join(tex.translate(_DASHES).split())
    while (shorter := text.strip(_TEX_EDGES).rstrip(".")) != text and shorter:
        text = shorter
    return text


def _bracketed(several: InBrackets) -> str:
    members = "; ".join(_read(member)[0] for member in several.members)
    return f"{several.brackets[0]}{members}{several.brackets[1]}"


def lettered(text: str) -> str:
    """The words of a text, be they articles or letters: A-Team is A Team."""
    parts = (
        signed(parted(_folded(with_minus(with_units(unwrapped(text))).replace(KEPT_MINUS, " "))))
        if not too_long(text)
        else None
    )
    return joined(parts.words, parts.signs) if parts is not None and parts.words else text


class Worded(NamedTuple):
    """The words of a text that are no articles, their places, and the signs before and behind them."""

    places: list[int]
    words: list[str]
    signs: list[str]


def _without_articles(parts: Signed) -> Worded:
    """An article is one only before another word: not at the end, and not as a part of a formula, such as a b."""
    words, signs = parts.words, list(parts.signs)
    for place in parts.joined_letters:
        signs[place + 1] = signs[place + 1] or ("" if words[place + 1][0] == "-" else "-")
    last = len(words) - 1
    first = next((place for place, word in enumerate(words) if word not in _ARTICLES), 0)
    numbers = [place for place, word in enumerate(words) if word[0].isnumeric()]
    quantities = "a" in words and all(len(word) == 1 or word[0].isnumeric() or word in ("an", "the") for word in words)
    # Behind a quantity no number stands without a sign: "a B 52" is no product.
    quantities = quantities and all(signs[place] or place <= first for place in numbers)
    of_number = first if first in numbers else 0  # up to a first number there is no quantity
    kept = [
        place
        for place, word in enumerate(words)
        if not (
            word in _ARTICLES
            and place not in parts.joined_letters
            and place < last
            and not signs[place]
            and not signs[place + 1]
            and not (quantities and word == "a" and place >= of_number)
        )
    ]
    return Worded(kept, [words[place] for place in kept], [*(signs[place] for place in kept), signs[-1]])


def spelled(text: str, language: str) -> str:
    """Normalised, with numbers in digits: "twenty-one" is "21", and 20 000 is 20000; a number that is all there is is written as
    short as it can be, so that 18.0 is 18, and 1 1/2 is 3/2. A formula is spelled by its structure, in TeX or not. For comparing,
    never for showing."""
    if len(text) <= _REMEMBERED:
        return _spelled(text, language)
    return normalise(text) if too_long(text) else _spelled.__wrapped__(" ".join(text.split()), language)


def structure(text: str, language: str) -> str | None:
    """What a text says as a formula, where it is one: two of which this differs are two answers, whatever their words."""
    if len(text) > _REMEMBERED or (written := _written(text, language)) is None:
        return None
    return formula(written)


@lru_cache(maxsize=20_000)
def _spelled(text: str, language: str) -> str:
    """Numbers in words end at a sign: "twenty-one < x" is "21<x"; with a mark between them they are read as digits are."""
    written = _written(text, language)
    if written is None:
        return _unplain(text)
    if (structured := formula(written)) is not None:
        return structured
    folded = _folded(written.replace(KEPT_MINUS, " "))
    parts = signed(folded)
    if not parts.words:
        return " ".join(folded.split())
    if (with_digits := in_digits(parts.words, parts.gaps, language)) is not None:
        if (structured := formula(with_digits)) is not None:
            return structured
        parts = signed(with_digits)
    shortest = _shortest(as_number(halves_and_dozens(_with_numerals(parts, language))))
    percent = percent_in_words(shortest)
    shortest = _shortest(percent) if percent is not None else shortest
    shortest = _AMOUNT_OF_ONE_LETTER.sub(r"\g<number>\g<unit>", shortest)
    shortest = dated(shortest.replace(BREAK, " "))
    return f"{shortest}%" if (percent or "%" in written) and _PART_OF_ONE.fullmatch(shortest) else shortest


def _with_numerals(parts: Signed, language: str) -> str:
    """The text of these words and signs, with numbers in digits, and a break where no number goes on."""
    places, words, signs = _without_articles(parts)
    broken = {place for place, gap in enumerate(parts.gaps) if ending(gap)}
    starts = [place for place, sign in enumerate(signs[:-1]) if sign or not place]
    read, before = [], []
    for start, end in zip(starts, [*starts[1:], len(words)], strict=True):
        for piece in numerals_in_place(words[start:end], language, behind=signs[start]):
            at = start + piece.start
            read.append(piece.text)
            sign = "" if piece.start else signs[start]
            # a mark before an article is one before its word
            since = range(places[at - 1] + 1 if at else 0, places[at] + 1)
            before.append(BREAK if broken and not sign and at and not broken.isdisjoint(since) else sign)
    return joined(read, [*before, signs[-1]])


def numbers_apart(text: str, language: str) -> str:
    """The text, with its numbers in digits where a mark parts one in words from what stands beside it."""
    if too_long(text) or not may_part_numbers(text):
        return text
    parts = signed(_folded(text))
    return in_digits(parts.words, parts.gaps, language) or text


@lru_cache(maxsize=20_000)
def _written(text: str, language: str) -> str | None:
    """A text as it is read, whatever it is written in. None: it is in TeX that has no plain spelling."""
    text = with_one_spelling(with_charges(unwrapped(text)))
    text = _TIME_OF_DAY.sub(r" \1m", text) if "m" in text.lower() else text
    if language in SPELLED_OUT:
        text = with_scale_of_money(text)
    text = with_units(text)
    bare = _without_notation(_MINUS_OF_MONEY.sub("-", text))
    if bare is None:
        return None
    if (about := _ABOUT.match(bare)) is not None:
        bare = about[1] + bare[about.end() :]
    if len(bare) <= 2:
        bare = name_of_greek(bare)
    written = thousands(scaled(parted(bare, language), language), language)
    return written if language == "en" else _DECIMAL_COMMA.sub(".", written)


def _unplain(tex: str) -> str:
    """TeX without a plain spelling, such as a matrix: its parts, but for the size and the spaces of its signs."""
    text = _NO_SIGN.sub("", tex.replace(_APART, " ").translate(_DASHES))
    text = _THE.sub("", text)
    if text[:2] + text[-2:] in (r"\(\)", r"\[\]"):
        text = text[2:-2]
    text = without_brackets(_ONE_RAISED.sub(r"\1\2", like_others(text)).strip(_TEX_EDGES).rstrip("."))
    if len(text) > 2 and text[0] == text[-1] == "'":
        text = text[1:-1]
    tokens = _TEX_TOKEN.findall(_ONE_IN_BRACES.sub(r" \1 ", text))
    return _APART.join(
        token if len(token) > 1 and token[0] == "\\" else _folded(token) for token in tokens if token != "$"
    )


def _without_notation(text: str) -> str | None:
    """A formula in one of the ways in which it is written: with TeX or without, √2 as sqrt(2), π as pi."""
    if may_be_tex(text):
        bare = plain(without_marks(text))
        if bare is None and _TEX.search(text.lower()):
            return None
        text = bare if bare is not None else like_others(text)
    else:
        text = without_marks(text)
    if "∞" in text:
        text = text.replace("∞", "infinity")
    if "π" in text:
        text = _PI.sub("pi", text)
    if not text.isascii():
        text = _BEFORE_GREEK.sub("", text)
    if "√" in text or "sqrt" in text:
        text = _ROOT.sub(lambda root: f"sqrt({root[1]})" if root[1] else "sqrt", text)
    if "sqrt" in text or "pi" in text:
        text = _TIMES.sub("", text)
    return text


def _shortest(text: str) -> str:
    """One number alone without the zeros that say nothing: 0.50 is .5 and 0.5. Beside words a point may be a version's."""
    if not text.isascii() and _HALF_BEHIND.fullmatch(text):
        text = f"{text[:-1]} {unicodedata.normalize('NFKC', text[-1])}".replace("\u2044", "/")
    if "/" in text and (fraction := improper(text)) is not None:
        return fraction
    if "." not in text or (number := _DECIMAL.fullmatch(text)) is None:
        return text
    sign, whole, decimals = number.groups()
    decimals = decimals.rstrip("0")
    if not decimals:
        return f"{sign if whole.strip('0') else ''}{whole or '0'}"
    return f"{sign}{whole or '0'}.{decimals}"


def _folded(text: str) -> str:
    """Case and diacritics off. Compatibility forms first (ﬁ, Ⅳ, ℌ): they may hide capitals and marks."""
    if text.isascii():
        return text.lower()
    parts, start = [], 0
    for raised in _RAISED.finditer(text):
        parts += [_composed(text[start : raised.start()]), raised.group()]
        start = raised.end()
    return "".join((*parts, _composed(text[start:])))


def _composed(text: str) -> str:
    composed = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    plain = composed.replace("ё", "е").replace(_STRESS, "")
    plain = "".join(map(_plain, plain))
    return plain if plain.isascii() else _STROKED.sub(lambda letter: _LETTERS_OF[letter.group()], plain)


@lru_cache(maxsize=5_000)
def _plain(character: str) -> str:
    if character.isascii() or "а" <= character <= "я" or unicodedata.category(character) == "Sm":
        return character  # of ≠ there would be left =
    return "".join(part for part in unicodedata.normalize("NFKD", character) if not unicodedata.combining(part))
