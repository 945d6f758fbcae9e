"""The grader without a model."""

from __future__ import annotations

import pytest

from moot.grade.match import Match, match
from moot.types import UNKNOWN, Case, Question, Verdict

OPEN = Case(Question("q", "?"), "Olympics", accepted=("Olympic Games",), rejected=("winter Olympics", "Universiade"))
CHOICE = Case(Question("q", "?", choices=("x", "y"), kind="choice"), "B")
YES_NO = Case(Question("q", "?", kind="yes-no"), "yes")
NOTHING = Case(Question("q", "?", context="..."), None)

GRADES = {
    "reference": (OPEN, "the Olympics!", 1.0, "match"),
    "accepted": (OPEN, "olympic games", 1.0, "match"),
    "other": (OPEN, "World Cup", 0.0, "match"),
    "more-words": (OPEN, "Olympics in Rome", 0.0, "match"),
    "rejected": (OPEN, "Winter «Olympics».", 0.0, "match"),
    "unknown-where-there-is-one": (OPEN, UNKNOWN, 0.0, "match"),
    "silence": (OPEN, None, 0.0, "no-answer"),
    "letter": (CHOICE, "B", 1.0, "choice"),
    "small-letter": (CHOICE, "b", 1.0, "choice"),
    "other-letter": (CHOICE, "A", 0.0, "choice"),
    "silence-at-choices": (CHOICE, None, 0.0, "no-answer"),
    "yes": (YES_NO, "yes", 1.0, "choice"),
    "no": (YES_NO, "no", 0.0, "choice"),
    "unknown": (NOTHING, UNKNOWN, 1.0, "unanswerable"),
    "unknown-in-small-letters": (NOTHING, "[unknown]", 1.0, "unanswerable"),
    "guess": (NOTHING, "Paris", 0.0, "unanswerable"),
    "silence-is-not-unknown": (NOTHING, None, 0.0, "no-answer"),
}


@pytest.mark.parametrize(("case", "answer", "value", "stage"), GRADES.values(), ids=GRADES)
def test_grades(case: Case, answer: str | None, value: float, stage: str) -> None:
    score = match(case, answer)
    assert (score.value, score.stage) == (value, stage)


def test_what_the_author_rejects_is_wrong_even_if_it_is_accepted_elsewhere() -> None:
    case = Case(Question("q", "?"), "Georgia", accepted=("the state",), rejected=("State",))
    assert match(case, "state").value == 0.0
    assert match(case, "Georgia").value == 1.0


async def test_the_grader_reads_the_verdict() -> None:
    assert (await Match().grade(OPEN, Verdict("Olympics", "answered"))).value == 1.0
    assert (await Match().grade(OPEN, Verdict(None, "failed"))).stage == "no-answer"


def flagged(reference: str, *accepted: str, language: str = "en", **flags: bool) -> Case:
    return Case(Question("q", "?", language=language), reference, accepted=accepted, **flags)


LOOSE = {
    "number-in-words": (flagged("seven"), "7", 1.0),
    "number-in-digits": (flagged("21"), "Twenty-one", 1.0),
    "russian-number": (flagged("7", language="ru"), "семь", 1.0),
    "number-inside": (flagged("One Hundred Years of Solitude"), "100 Years of Solitude", 1.0),
    "accepted-number": (flagged("a week", "7 days"), "seven days", 1.0),
    "other-number": (flagged("seven"), "8", 0.0),
    "no-fraction": (flagged("51.0"), "51", 1.0),
    "fraction-of-none": (flagged("18"), "$18.00", 1.0),
    "zeros-behind": (flagged("0.50"), ".5", 1.0),
    "below-zero": (flagged("-3"), "-3.0", 1.0),
    "thousands-and-no-fraction": (flagged("1000"), "1,000.0", 1.0),
    "decimal-comma": (flagged("3,50", language="ru"), "3.5", 1.0),
    "other-fraction": (flagged("18"), "18.01", 0.0),
    "zeros-before-the-point": (flagged("10"), "1.0", 0.0),
    "sign-is-no-zero": (flagged("3"), "-3.0", 0.0),
    "digits-that-are-a-name": (flagged("007"), "7.0", 0.0),
    "a-version": (flagged("Web 2.0"), "Web 2", 0.0),
    "a-rank-is-no-count": (flagged("second"), "2.0", 0.0),
    "a-date-is-no-number": (flagged("1.10.2020"), "1.1.2020", 0.0),
    "hyphen": (flagged("Rimsky-Korsakov"), "Rimsky Korsakov", 1.0),
    "guillemets": (flagged("«Ёлка»", language="ru"), '"елка"', 1.0),
    "lemmas": (flagged("Олимпийские игры", language="ru", lemmatize=True), "олимпийских игр", 1.0),
    "lemmas-not-asked-for": (flagged("Олимпийские игры", language="ru"), "олимпийских игр", 0.0),
    "english-lemmas": (flagged("wild geese", lemmatize=True), "wild goose", 1.0),
    "lemmas-keep-the-order": (flagged("dogs and cats", lemmatize=True), "cats and dog", 0.0),
    "any-order": (flagged("Romeo and Juliet", free_order=True), "Juliet and Romeo", 1.0),
    "order-not-free": (flagged("Romeo and Juliet"), "Juliet and Romeo", 0.0),
    "order-is-not-form": (flagged("cat dog", free_order=True), "dogs cats", 0.0),
    "both": (flagged("dogs and cats", lemmatize=True, free_order=True), "cat and dog", 1.0),
    "any-order-counts-words": (flagged("ha ha ho", free_order=True), "ho ho ha", 0.0),
}


@pytest.mark.parametrize(("case", "answer", "value"), LOOSE.values(), ids=LOOSE)
def test_what_a_question_allows(case: Case, answer: str, value: float) -> None:
    assert match(case, answer).value == value


def test_word_for_word_counts_before_what_is_only_like_it() -> None:
    case = Case(Question("q", "?"), "goose", accepted=("geese",), rejected=("gooses",), lemmatize=True)
    assert match(case, "geese").value == 1.0
    assert match(case, "gooses").value == 0.0
    likeness = Case(Question("q", "?"), "bird", rejected=("wild geese",), lemmatize=True)
    assert match(likeness, "wild goose").detail == "rejected by the author"
