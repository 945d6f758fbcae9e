"""What is odd about the choices of a table and no mistake that a row could be refused for: said, so that somebody looks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from moot.data.blank_references import MOST_LISTED
from moot.data.tables.answer_forms import AnswersAs, folded, place_of
from moot.data.tables.likely_columns import ROWS_READ
from moot.data.tables.mapped import ColumnsOfTable
from moot.types import MOST_CHOICES, Question

_FEWEST_ROWS = 12
"""With four choices each, fewer may be of one letter by chance in one of four million files."""


def odd_choices(mapping: ColumnsOfTable, form: AnswersAs | None) -> Iterator[str]:
    """By the first rows of it. A player who always names the first choice would be right, and equal choices are one."""
    places: list[int | None] = []
    equal: list[int] = []
    for row in islice(mapping.rows(), ROWS_READ):
        choices = row.choices(mapping.separator)
        if not 2 <= len(choices) <= MOST_CHOICES:
            continue
        if len({*map(folded, choices)}) < len(choices):
            equal.append(row.line)
        if form is not None and (written := row.answer()) is not None:
            places.append(place_of(written, choices, form))
    if len(places) >= _FEWEST_ROWS and len({*places}) == 1 and (place := places[0]) is not None:
        letter = Question("", "", ("",) * MOST_CHOICES).letters[place]
        yield f"the right choice is {letter} in all {len(places)} rows: whoever always says {letter} is right"
    if equal:
        more = f" and {len(equal) - MOST_LISTED} more" if len(equal) > MOST_LISTED else ""
        lines = ", ".join(map(str, equal[:MOST_LISTED]))
        yield f"two choices are the same in line {lines}{more}: only one of them counts as right"
