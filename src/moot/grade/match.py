"""The grader without a model: letters, yes and no, and answers that are equal once normalised.

Numbers are equal in words and in digits. A question may allow more: other forms of the words, another order of them.
The strictest reading comes first, so a variant that is named word for word counts before one that is only like it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import ClassVar, Protocol

from moot.grade.amounts import are_two_amounts, is_same_amount, may_be_same_amount, may_be_several, one_may_be_grams
from moot.grade.apart import may_part_numbers, numbers_of
from moot.grade.lemmas import lemmas
from moot.grade.listed import NOT_LISTED, only_listed
from moot.grade.members import bare_members, listed_in
from moot.grade.normalise import LONGEST_COMPARED, lettered, normalise, spelled, structure, too_long
from moot.grade.optional_parts import without_optional
from moot.grade.ranks import differ_as_ranks
from moot.grade.said_in_words import joins_names, with_and
from moot.grade.squad import scored_by_words, squad
from moot.grade.unit_case import has_loose_unit, in_case_of, with_units
from moot.grade.units import differ_in_unit, units
from moot.grade.wrapping import unwrapped
from moot.models.cut_out import CUT_FROM_ANSWER, HANGS_ON_CUT, was_cut
from moot.team.final_line.letters import short_yes_no
from moot.types import UNKNOWN, Case, Score, Verdict

_UNKNOWN = normalise(UNKNOWN)


class Grader(Protocol):
    @property
    def name(self) -> str:
        """Part of the name of its scores."""

    async def grade(self, case: Case, verdict: Verdict) -> Score:
        """What the verdict's answer is worth on this case. A value of None leaves it to the judges, if there are any.

        Answers are graded again from the store, so the verdict holds an answer and nothing else.
        """


@dataclass(frozen=True, slots=True)
class Match:
    """Exact after normalisation. Without an answer there is nothing right: value 0, and the outcome says why."""

    name: ClassVar[str] = "match"

    async def grade(self, case: Case, verdict: Verdict) -> Score:
        return match(case, verdict.answer)


NO_ANSWER = Score(0.0, "no-answer")
"""Nothing said is not right, and no grader need be asked."""
REJECTED = Score(0.0, "match", "rejected by the author")
"""In so many words: nobody need be asked."""
NOT_KNOWN_YET = Score(None, "ungraded", "nobody has said yet what is right")
LONG_ANSWER = Score(None, "ungraded", "a long answer: no reference says by itself whether it is right")
BY_RUBRIC = Score(None, "ungraded", "a long answer: judges give its points, and none has been asked")
NOTHING_SAID = Score(None, "no-answer", NOT_KNOWN_YET.detail)
"""Nothing said where nobody has said what is right. It will never be right, but were it graded where an answer is not, what is
known would hang on how a play ended: who abstains often would be wrong by construction."""


CUT = Score(None, "ungraded", CUT_FROM_ANSWER)
"""What is missing may have been what is right."""
HANGING = Score(None, "ungraded", HANGS_ON_CUT)
"""With what is missing another answer might have been taken, right or wrong."""


def no_answer(*, known: bool) -> Score:
    """What nothing is worth. `known`: whether somebody has said what is right."""
    return NO_ANSWER if known else NOTHING_SAID


_NO_DIFFERENCE = re.compile(r"\b(?:a|an|the)\b|[\W_]+", re.IGNORECASE)
_TIMES_A_REFERENCE = 20
_FACTORIAL = re.compile(r"[$(]*(?:[0-9]+|\((?=[^()]*[0-9])(?=[^()]*[A-Za-z+*-])[0-9A-Za-z+* -]{1,9}\))!+[$).]*")
_COMPARED = re.compile(r"[\w)\]'\"] ?={2,3} ?[\w(\['\"-]")

_OPTION = re.compile(r"[-−–](?P<letter>[A-Za-z])|(?:--|[–—])(?P<word>[A-Za-z][A-Za-z0-9-]+)")
_LONG_OPTION = re.compile(r"--[a-z][a-z0-9-]+")
_COMMAND = re.compile(r"[a-z][a-z0-9-]+")
_LETTER_BEFORE = re.compile(r"(?<!\w)[Aa]n?[\s.:_\u2010-\u2015−-]")
_DASHES = str.maketrans("−–", "--")
_AMOUNT = re.compile(
    r"\$?(?P<minus>[-−–]?) ?(?P<number>[0-9]{0,12}[.,]?[0-9]{1,12}) ?"
    r"(?P<percent>(?:\\?%|per ?cent|процент(?:а|ов)?)?)\$?\.?"
)
_HAS_DIGITS = re.compile(r"[0-9]")
_PART = re.compile(r"-?[0-9]{1,6}/[0-9]{1,6}")
_PERCENT = re.compile(r"%|(?<![^\W\d_])(?:per ?cent|процент)", re.IGNORECASE)
_INITIALS = re.compile(r"(?:(?:[Tt]he|[Aa]n?) )?(?:[A-Z]\. ?){2,5}[A-Z]?")
_WORDS_LIKE_INITIALS = frozenset(
    [
        "who", "us", "it", "is", "as", "am", "at", "he", "me", "we", "or", "so", "in", "on", "no", "an", "be", "by",
        "do", "go", "if", "my", "of", "to", "up", "all", "any", "are", "can", "did", "for", "had", "has", "her",
        "him", "his", "how", "its", "may", "nor", "not", "now", "off", "our", "out", "own", "she", "the", "too",
        "was", "why", "yet", "you",
    ]
)  # fmt: skip
_AT_MOST = f"and up to {LONGEST_COMPARED:,} are compared"


def match(case: Case, answer: str | None) -> Score:
    """1 or 0, or a share of words where the case asks for that.

    What the author of the question rejects is wrong, even where it equals an accepted answer.
    """
    if answer is None:
        return no_answer(known=case.known)
    if was_cut(answer):
        return CUT
    if not case.known:
        return LONG_ANSWER if case.question.is_long else NOT_KNOWN_YET
    if case.question.is_long:
        return BY_RUBRIC
    if too_long(answer):
        return _of_too_long(case, answer)
    if too_long(case.answer or "") or any(map(too_long, case.accepted)):
        return Score(None, "ungraded", f"the reference has {_longest(case):,} characters, {_AT_MOST}")
    if scored_by_words(case):
        return squad(case, answer)
    if case.question.is_closed:
        said = short_yes_no(answer) if case.question.kind == "yes-no" else answer
        return Score(float(normalise(said) == normalise(case.answer or "")), "choice")
    variants = case.accepted if case.answer is None else (case.answer, *case.accepted)
    for reading in (normalise, lambda text: _loose(text, case)):
        if _among(case.rejected, answer, reading, case):
            return REJECTED
        if _among_but_for_case(variants, answer, reading, case):
            return Score(1.0, "match")
    if case.question.language == "ru":
        shorter = tuple(dict.fromkeys(text for variant in variants for text in without_optional(variant)))
        if _among(shorter, answer, lambda text: _loose(text, case), case):
            return Score(1.0, "match")
    if case.answer is None:
        return Score(float(normalise(answer) == _UNKNOWN), "unanswerable")
    return NOT_LISTED if only_listed(case) else Score(0.0, "match")


def _of_too_long(case: Case, answer: str) -> Score:
    """Wrong where nothing that is no difference could make it as short as a reference; else nobody has compared it.

    Marks, signs and articles may go, and a number in words is at most some twenty times as long as its digits.
    """
    words = f"the answer has {len(answer):,} characters, {_AT_MOST}"
    left = len(_NO_DIFFERENCE.sub("", answer))
    if only_listed(case):
        return NOT_LISTED
    if left > LONGEST_COMPARED >= _TIMES_A_REFERENCE * _longest(case) and not scored_by_words(case):
        return Score(0.0, "match" if case.answer is not None else "unanswerable", words)
    return Score(None, "ungraded", words)


def _longest(case: Case) -> int:
    return max(map(len, (case.answer or "", *case.accepted)))


def _among(variants: tuple[str, ...], answer: str, reading: Callable[[str], str], case: Case) -> bool:
    if not variants:
        return False
    answer = unwrapped(answer)
    answer_read = reading(answer)
    language = case.question.language
    return any(
        is_same_amount(variant, answer, language)
        or (
            (
                answer_read == reading(variant)
                or _says_less(variant, answer, reading)
                or _say_so_in_letters(variant, answer)
            )
            and not _are_two(variant, answer, language)
        )
        for variant in map(unwrapped, variants)
    )


def _among_but_for_case(variants: tuple[str, ...], answer: str, reading: Callable[[str], str], case: Case) -> bool:
    """Where the case of a unit says nothing, as of 16 gb, it is that of the variant; and of a variant, that of the answer.
    So it is where a unit is a letter, which may be something else, 5 m for 5 metres, and where one of money or of an angle is
    left out, 5 for 5 dollars."""
    language = case.question.language
    if _among(variants, answer, reading, case) or any(may_be_same_amount(own, answer, language) for own in variants):
        return True
    read = ((in_case_of(variant, answer), in_case_of(answer, variant), variant) for variant in variants)
    return any(
        (own != variant or said != answer) and _among((own,), said, reading, case) for own, said, variant in read
    )


def alike(one: str, other: str, language: str) -> bool:
    """Whether each of two answers would be right, were the other the reference."""
    one, other = unwrapped(one), unwrapped(other)
    return is_same_amount(one, other, language) or (
        bool(units(one)) == bool(units(other))
        and not _one_is_percent(one, other)
        and not one_may_be_grams(one, other)
        and _say_the_same(one, other, language)
    )


def _say_the_same(one: str, other: str, language: str) -> bool:
    said = any(reading(one) == reading(other) for reading in _readings(language)) or _say_so_in_letters(one, other)
    return said and _are_one(one, other, language)


def told_apart(one: str, other: str, language: str) -> bool:
    """Whether something sets them apart that no form or order of their words makes up for."""
    one, other = unwrapped(one), unwrapped(other)
    equal = any(reading(one) == reading(other) for reading in _readings(language))
    return equal or not _are_one(one, other, language)  # equal, and not alike


def alike_but_for_marks(one: str, other: str, language: str) -> bool:
    """The same where only one of the two has brackets around its members, the sign of a unit, such as percent, or an &, is said
    in words, or has a unit in the case of the standard, or in words where the other has a letter or, of money, none.

    Such likeness is not handed on: 1, 5 may be [1, 5] or (1, 5), 5 % may be 5 or 0.05, 5 may be $5 or €5, and A & B may be A B
    or A and B.
    """
    one, other = as_written = unwrapped(one), unwrapped(other)
    if may_be_same_amount(one, other, language):
        return True
    one, other = in_case_of(one, other), in_case_of(other, one)
    if _say_the_same(one, other, language) and (bool(units(one)) != bool(units(other)) or (one, other) != as_written):
        return True
    return any(_says_less(one, other, reading) for reading in _readings(language)) and _are_one(one, other, language)


def _say_so_in_letters(one: str, other: str) -> bool:
    """Whether they differ in nothing but capitals, or in what parts a letter from the word behind it: A-Team and A Team."""
    if _in_small_letters(one) == _in_small_letters(other):
        return True
    return bool(_LETTER_BEFORE.search(one) and _LETTER_BEFORE.search(other)) and lettered(one) == lettered(other)


def _in_small_letters(text: str) -> str:
    return re.sub(r"(?<!\s)\s(?=[+-]{1,2}\Z)", "", " ".join(with_units(text).casefold().translate(_DASHES).split()))


def _readings(language: str) -> tuple[Callable[[str], str], ...]:
    return (normalise, lambda text: spelled(text, language))


def _are_one(one: str, other: str, language: str) -> bool:
    return not _are_two(one, other, language) and not _are_two(other, one, language)


def _says_less(reference: str, answer: str, reading: Callable[[str], str]) -> bool:
    if _but_for_brackets(reference, answer, reading) or _is_share_of_hundred(reference, answer, reading):
        return True
    if _is_part_in_words(reference, answer, reading) or _is_part_in_words(answer, reference, reading):
        return True
    if ("&" in reference) == ("&" in answer):
        return False
    if all(reading(with_and(reference, word)) != reading(with_and(answer, word)) for word in ("and", "и")):
        return False
    return joins_names(reference) or joins_names(answer)


def _is_part_in_words(part: str, decimal: str, reading: Callable[[str], str]) -> bool:
    """Half is 0.5, as it is 1/2, which are two as long as nothing is worked out."""
    amount = _AMOUNT.fullmatch(decimal.strip())
    if amount is None or amount["percent"] or not any(mark in decimal for mark in ".,") or _HAS_DIGITS.search(part):
        return False
    written = reading(part)
    return _PART.fullmatch(written) is not None and Fraction(written) == Fraction(_decimal(amount))


def may_say_less(text: str, language: str) -> bool:
    """Whether it has what `alike_but_for_marks` looks at: brackets, a sign of percent, an &, a unit in nobody's case or of one
    letter, or a part of one in words."""
    if (
        "&" in text
        or may_be_several(text, language)
        or has_loose_unit(text)
        or _says_percent(text)
        or listed_in(text) is not None
    ):
        return True
    return not _HAS_DIGITS.search(text) and _PART.fullmatch(spelled(unwrapped(text), language)) is not None


def _are_two(reference: str, answer: str, language: str) -> bool:
    return (
        _differ_in_a_sign(reference, answer)
        or _are_two_formulas(reference, answer, language)
        or _part_numbers_elsewhere(reference, answer, language)
        or are_two_amounts(reference, answer, language)
        or differ_as_ranks(reference, answer, language)
    )


def _part_numbers_elsewhere(reference: str, answer: str, language: str) -> bool:
    """Twenty, one and twenty-one, whose words are the same."""
    if reference == answer or not (may_part_numbers(reference) or may_part_numbers(answer)):
        return False
    return numbers_of(spelled(reference, language)) != numbers_of(spelled(answer, language))


def _one_is_percent(one: str, other: str) -> bool:
    """50 % is 50, and 0.5 as well, which are two."""
    return _says_percent(one) != _says_percent(other)


def _says_percent(text: str) -> bool:
    return _PERCENT.search(text) is not None


def _is_share_of_hundred(reference: str, answer: str, reading: Callable[[str], str]) -> bool:
    """0.02 of 2 %, or the other way. A number from 1 on may be as many percent as well."""
    one, other = (_AMOUNT.fullmatch(_percent_in_digits(text, reading).strip()) for text in (reference, answer))
    if one is None or other is None or bool(one["percent"]) == bool(other["percent"]):
        return False
    percent, share = (one, other) if one["percent"] else (other, one)
    part = _decimal(share)
    return 0 < abs(part) < 1 and part * 100 == _decimal(percent)


def _percent_in_digits(text: str, reading: Callable[[str], str]) -> str:
    """Five percent, whose sign reading takes off."""
    return f"{reading(text).rstrip('%')}%" if _says_percent(text) and not _HAS_DIGITS.search(text) else text


def _decimal(amount: re.Match[str]) -> Decimal:
    return Decimal(f"{'-' if amount['minus'] else ''}{amount['number'].replace(',', '.')}")


def _but_for_brackets(reference: str, answer: str, reading: Callable[[str], str]) -> bool:
    """1, 5 for [1, 5], or the other way: brackets tell two answers apart where both have them."""
    one, other = listed_in(reference), listed_in(answer)
    if (one is None) == (other is None):
        return False
    several, bare = (one, answer) if one is not None else (other, reference)
    assert several is not None
    members = bare_members(bare)
    return len(members) == len(several.members) and all(
        reading(member) == reading(own) for member, own in zip(members, several.members, strict=True)
    )


def _are_two_formulas(reference: str, answer: str, language: str) -> bool:
    """Whatever words they have in common: (x+1)/2 and x+1/2. Members in brackets and without are compared one by one."""
    one, other = structure(reference, language), structure(answer, language)
    if one is None or other is None or one == other:
        return False
    return (listed_in(reference) is None) == (listed_in(answer) is None)


def _differ_in_a_sign(reference: str, answer: str) -> bool:
    """In one that mostly says nothing, and says something here: 3! of a reference, which nobody has written to cheer, and the ==
    of a comparison, where = gives a name a value."""
    if _differ_as_options(reference.strip(), answer.strip()) or differ_in_unit(reference, answer):
        return True
    if _is_a_word_of(reference, answer) or _is_a_word_of(answer, reference):
        return True
    if "!" in reference and _FACTORIAL.fullmatch(reference.strip()) and "!" not in answer:
        return True
    return "=" in reference and "=" in answer and bool(_COMPARED.search(reference)) != bool(_COMPARED.search(answer))


def _is_a_word_of(initials: str, word: str) -> bool:
    """Who is not the W.H.O., nor us the U.S.; WHO is, and so is what no other word has the letters of, such as nasa."""
    return (
        _INITIALS.fullmatch(initials.strip()) is not None
        and (plain := word.strip(" .")) != plain.upper()
        and plain.lower() in _WORDS_LIKE_INITIALS
    )


def _differ_as_options(reference: str, answer: str) -> bool:
    """Of a command: -r is no -R, and --help is no help; one dash of a kind may be what a word processor made of two."""
    option = _OPTION.fullmatch(reference)
    if option is None:  # one dash may be that of a list
        return _LONG_OPTION.fullmatch(answer.strip("`'\".")) is not None and _COMMAND.fullmatch(reference) is not None
    said = _OPTION.fullmatch(answer.strip("`'\"."))
    if option["letter"]:
        return said is not None and bool(said["letter"]) and said["letter"] != option["letter"]
    return said is None or not said["word"]


def _loose(text: str, case: Case) -> str:
    """Numbers in digits; dictionary forms and sorted words where the question says so."""
    language = case.question.language
    words = lemmas(text, language) if case.lemmatize else spelled(text, language).split()
    return " ".join(sorted(words) if case.free_order else words)
