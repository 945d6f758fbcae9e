"""Lessons for tables of four: what they said to other questions, and what of it was right."""

from __future__ import annotations

from collections.abc import Sequence

from answering_worlds import Codes, answers

from moot.decide.candidates import SILENT
from moot.team import Lesson
from moot.types import Answer, Question, QuestionKind

NAMES = ("ann", "bob", "cat", "dan")
LETTERS = "ABCDEFGH"
QUESTION = Question("q", "Which one?", choices=tuple("wxyz"), kind="choice")


def lessons_of(codes: Codes, kind: QuestionKind = "choice", ungraded: Sequence[int] = ()) -> tuple[Lesson, ...]:
    """0 is right. What is `ungraded` has only grades of what is right."""
    found = []
    for number, column in enumerate(codes.T):
        choices = tuple("wxyz") if kind == "choice" else ()
        question = Question(f"q{number}", f"Question {number}?", choices=choices, kind=kind)
        drafts = tuple(
            Answer(name, None if code == SILENT else LETTERS[code]) for name, code in zip(NAMES, column, strict=True)
        )
        rights = tuple(1.0 if code == 0 else None if number in ungraded else 0.0 for code in column)
        alike: dict[int, list[str]] = {}
        for name, code in zip(NAMES, column, strict=True):
            if code != SILENT:
                alike.setdefault(int(code), []).append(name)
        found.append(Lesson(question, drafts, rights, tuple(map(tuple, alike.values()))))
    return tuple(found)


DOMINATED = lessons_of(answers((0.95, 0.35, 0.35, 0.35), 60, choices=4, seed=1))
