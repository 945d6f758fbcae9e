"""Which column says which of the choices is right, where no name says so: by what stands in the rows.

Columns of one name with a letter or a number behind it look like choices, and one of them taken for the answer would be a
wrong figure without a word: every question would be graded against the same choice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from moot.data.tables.answer_forms import ANSWER_FORMS, AnswersSeen
from moot.data.tables.choice_labels import columns_in_russian
from moot.data.tables.known_names import ends_of, numbered
from moot.data.tables.likely_columns import MOST_COLUMNS, ROWS_READ, names_an_id
from moot.data.tables.table import QuestionTable

_FILLED = 0.5
"""The share of rows that has to have an answer."""
_NUMBER = re.compile(r"[-+]?[0-9]+(?:[.,][0-9]+)?")
_LETTERS = ("letters", "letters-ru")
_POSITIONS = ("from-0", "from-1")
FEWEST_ALIKE = 3
"""Columns that look like choices by their names alone; of two the second may be another spelling of the first."""


@dataclass(frozen=True, slots=True)
class PointingAnswers:
    """Columns that look like choices, and those of which each could say which is right."""

    choices: tuple[str, ...]
    answers: tuple[str, ...]
    clear: bool
    """Whether it is one alone, and written as the choices are called or as they are: a position beside letters may be points."""


def pointing_answers(
    table: QuestionTable, families: Iterable[tuple[str, ...]], free: Sequence[str]
) -> PointingAnswers | None:
    """Of the first family of columns that another of the `free` ones points at, in every row that says something there."""
    for family in families:
        candidates = [name for name in free if name not in family and not names_an_id(name)]
        fitting = _fitting(table, family, candidates)
        if fitting:
            lettered = ends_of(family)[0].isalpha()
            plain_ways = {*ANSWER_FORMS} - {*(_POSITIONS if lettered else ())}
            clear = len(fitting) == 1 and all(plain_ways & forms for forms in fitting.values())
            return PointingAnswers(family, tuple(fitting), clear)
    return None


def choices_left_out(table: QuestionTable, answer: str, unused: Sequence[str]) -> str | None:
    """What is odd about this answer, in words, if the columns that are nothing look like its choices; None: nothing."""
    near = {answer, *unused[:MOST_COLUMNS]}
    free = [name for name in table.names if name in near]
    for family in numbered(free):
        if answer in family and len(family) >= FEWEST_ALIKE:
            others = ", ".join(name for name in family if name != answer)
            return f"{answer} is taken for what is right, and looks like one choice beside {others}"
    families = [family for family in numbered(free) if answer not in family]
    if (found := pointing_answers(table, families, [answer])) is not None and found.clear:
        return f"{', '.join(found.choices)} are not used, and look like choices that {answer} points at"
    return None


@dataclass(slots=True)
class _Candidate:
    seen: AnswersSeen
    different: set[str] = field(default_factory=set)

    @property
    def forms(self) -> set[str]:
        return {form for form in self.seen.fitting if form in ANSWER_FORMS}


def _fitting(table: QuestionTable, family: tuple[str, ...], names: Sequence[str]) -> dict[str, set[str]]:
    """By column the forms in which all that it says is one of the choices."""
    russian = columns_in_russian(family)
    candidates = {name: _Candidate(AnswersSeen(russian_columns=russian)) for name in names}
    rows, words = 0, False
    for line, values in islice(table.rows((*family, *names)), ROWS_READ) if names else ():
        choices = _choices(values, family)
        rows += bool(choices)
        words = words or any(choice and not _NUMBER.fullmatch(choice) for choice in choices)
        for name, candidate in [*candidates.items()] if choices else ():
            if answer := _text(values.get(name)):
                candidate.seen.see(line, answer, choices)
                candidate.different.add(answer.casefold())
            if not candidate.forms:
                del candidates[name]
        if not candidates:
            break
    # Numbers among numbers are the scores of something, unless letters point at them.
    counted = {*ANSWER_FORMS} if words else {*_LETTERS} if ends_of(family)[0].isalpha() else set()
    return {
        name: candidate.forms & counted
        for name, candidate in candidates.items()
        if candidate.forms & counted and len(candidate.different) > 1 and candidate.seen.rows >= _FILLED * rows
    }


def _choices(values: Mapping[str, Any], family: Sequence[str]) -> list[str]:
    choices = [_text(values.get(name)) for name in family]
    while choices and not choices[-1]:
        choices.pop()
    return choices


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
