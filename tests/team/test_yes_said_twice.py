"""Yes and no that are said twice are read wherever they are said: as a last line, as an answer in a form, and graded."""

from __future__ import annotations

import pytest

from moot.grade.match import match
from moot.team.final_line import final_answer
from moot.types import Case, Question

QUESTION = Question("q", "?", kind="yes-no")
YES = ["Yes, it is.", "Yes it is", "Yes, that is correct.", "Yes, that's right", "Yes, they do.", "**Yes, it is.**"]
NO = [
    "No, it's not.",
    "No, it isn't.",
    "No, it can't.",
    "No, it won’t.",
    "No, they're not",
    "No, that is incorrect.",
    "No, it is not true",
]
NEITHER = [
    "Yes, it is not",
    "No, it is",
    "Yes, that's wrong",
    "No, that is correct",
    "Yes and no",
    "No, it can",
    "Yes, it's not",
]


@pytest.mark.parametrize(("text", "word"), [*((text, "yes") for text in YES), *((text, "no") for text in NO)])
def test_said_twice(text: str, word: str) -> None:
    assert final_answer(f"Some reasoning about it.\n{text}", QUESTION) == word
    assert match(Case(QUESTION, word), text.strip("*")).value == 1.0


@pytest.mark.parametrize("text", NEITHER)
def test_what_is_neither(text: str) -> None:
    assert match(Case(QUESTION, "yes"), text).value == 0.0
    assert match(Case(QUESTION, "no"), text).value == 0.0
    assert final_answer(f"Some reasoning about it.\n{text}", QUESTION) is None
