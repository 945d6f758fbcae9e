"""Whether the answers of a table are words: then numbers, dates and verdicts are nobody's replies."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from moot.data.logs.csv_cells import is_empty
from moot.data.logs.csv_names import guessed_anywhere
from moot.data.logs.csv_verdicts import VERDICTS, YES_OR_NO
from moot.data.logs.fields import text
from moot.data.tables.known_names import WRONG, ColumnNames, several
from moot.data.tables.table import QuestionTable

_NUMBER = re.compile(
    r"[^\w]*\d[\d.,:\s]*(?:ms|s|secs?|seconds?|min|usd|us|eur|tokens?|tok|k|m|e[-+]?\d+)?\W*", re.IGNORECASE
)
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[T ].*)?", re.DOTALL)
_LETTER = re.compile(r"[A-Za-z]")

Cells = Mapping[str, Sequence[str]]


def cells_of(table: QuestionTable, names: Sequence[str]) -> dict[str, list[str]]:
    """By column what its cells say, without those that say nothing."""
    cells: dict[str, list[str]] = {name: [] for name in names}
    for _, row in table.rows(names):
        for name in names:
            if (cell := text(row.get(name))) is not None and not is_empty(cell):
                cells[name].append(cell.strip())
    return cells


def is_verdict_word(cell: str) -> bool:
    return cell.casefold() in VERDICTS


def says_words(cell: str) -> bool:
    """More than a number, a date or a verdict."""
    has_letters = any(letter.isalpha() for letter in cell)
    return has_letters and not (is_verdict_word(cell) or _NUMBER.fullmatch(cell) or _DATE.fullmatch(cell))


def are_words(cells: Iterable[str]) -> bool:
    """Whether most are. The letters of choices are, c and i as well."""
    seen = [says_words(cell) or _LETTER.fullmatch(cell) is not None for cell in cells]
    return 2 * sum(seen) > len(seen)


def answer_columns(names: Sequence[str]) -> list[str]:
    """What an answer is taken from: the words of choices where there are some, else the references."""
    guess = guessed_anywhere(names)
    for keys in (("choices", WRONG), ("answer",)):
        found: list[ColumnNames] = [guess.columns[key] for key in keys if key in guess.columns]
        found += [each for key in keys for each in guess.doubts.get(key, ())]
        if found:
            return [name for each in found for name in several(each)]
    return []


_NOTHING_BUT_VERDICTS = frozenset({*VERDICTS} - YES_OR_NO - {"0", "1", "0.0", "1.0", "c", "i"})
"""Which nobody is asked for."""


def judging_replies(table: QuestionTable, replies: Sequence[str], of_questions: Sequence[str]) -> list[str]:
    """Of the columns that are called as replies are, those that hold verdicts alone, while no reference is one."""
    cells = cells_of(table, [*replies, *(right := answer_columns(of_questions))])
    references = [cell for name in right for cell in cells[name]]
    none_is_one = not any(is_verdict_word(cell) and not _LETTER.fullmatch(cell) for cell in references)
    found = []
    for name in replies:
        own = {cell.casefold() for cell in cells[name]}
        asked_for = none_is_one if references else own <= _NOTHING_BUT_VERDICTS
        if own and asked_for and all(map(is_verdict_word, own)) and not all(map(_LETTER.fullmatch, own)):
            found.append(name)
    return found
