"""Choices that stand in the question itself, with letters as answers: "Which? A) Mars B) Jupiter", and B.

Played as an open question "Jupiter" would be wrong: no short answer is a letter but to whoever reads it as one.
"""

from __future__ import annotations

from itertools import islice

from moot.data.tables.choice_cells import labels_within
from moot.data.tables.doubts import Doubt
from moot.data.tables.likely_columns import ROWS_READ
from moot.data.tables.listed_names import cut
from moot.data.tables.stated import Stated
from moot.data.tables.table import QuestionTable

_FEWEST = 2
_OF_ALL = 0.9


def choices_in_questions(table: QuestionTable, text: str, answer: str) -> Doubt | None:
    """None unless nearly every answer is one of the labels that its question has."""
    rows = pointing = 0
    for _, values in islice(table.rows((text, answer)), ROWS_READ):
        asked, right = values.get(text), values.get(answer)
        if isinstance(asked, str) and right not in (None, ""):
            rows += 1
            pointing += str(right).strip().strip("()[].").upper() in labels_within(asked)
    if rows < _FEWEST or pointing < _OF_ALL * rows:
        return None
    problem = f"the choices stand in the question ({cut(text)}), and {cut(answer)} is their letters"
    say = "write them in a column of their own; columns: {choices: null} under questions says that a letter is all that is asked"
    return Doubt(f"{problem}; {say}", table.header, ways=(Stated({"choices": None}),), about="several", brief=problem)
