"""A column that is called the question and has its number, beside another with what is asked: Question, Body."""

from __future__ import annotations

from collections.abc import Sequence

from moot.data.tables.advised_columns import such_as
from moot.data.tables.doubts import Doubt
from moot.data.tables.likely_columns import sentences_beside_codes
from moot.data.tables.listed_names import cut, listed
from moot.data.tables.stated import Stated
from moot.data.tables.table import QuestionTable


def numbers_for_questions(table: QuestionTable, text: str, unused: Sequence[str]) -> Doubt | None:
    """`text`: what is known by its name alone. None: it has words, or no other column has sentences."""
    worded = sentences_beside_codes(table, text, unused)
    if not worded:
        return None
    have = "has" if len(worded) == 1 else "have"
    brief = (
        f"{cut(text)} has nothing but numbers and codes, and {listed(worded)} {have} sentences: either could be text"
    )
    problem = f"{brief}; say which under questions, such as {such_as('text', worded)}"
    ways = tuple(Stated({"text": name}) for name in (text, *worded))
    likely = 1 if len(worded) == 1 else None
    return Doubt(problem, table.header, ways=ways, about="several", brief=brief, likely=likely)
