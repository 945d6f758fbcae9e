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
