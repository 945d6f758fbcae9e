"""Columns that could be what is right as well as the one that is known by its name.

"label", "target" and "correct" are names of answers, and of much else: a topic, who is asked, whether somebody knew it. Where
another header plainly says what is right, and its rows do not say the same, nobody can tell which is meant. Nor where all that
a column says is yes or no, and what was answered stands beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from moot.data.tables.advised_columns import WHICH_COLUMN, written
from moot.data.tables.answer_forms import ROWS_OF_FLAGS, AnswersSeen, folded, place_of
from moot.data.tables.answer_headers import (
    named_right,
    says_no_question,
    says_nothing_else,
    words_without_accents,
)
from moot.data.tables.choice_cells import SEPARATORS, is_cut, separator_of
from moot.data.tables.choice_labels import columns_in_russian
from moot.data.tables.doubts import Doubt
from moot.data.tables.flag_columns import says_yes_or_no
from moot.data.tables.known_names import SECOND_NAMES, WRONG, ColumnNames, plain, several
from moot.data.tables.likely_columns import MOST_COLUMNS, ROWS_READ, names_an_id
from moot.data.tables.listed_names import cut, listed
from moot.data.tables.mapped import ColumnsOfTable, is_list
from moot.data.tables.stated import Stated
from moot.data.tables.table import QuestionTable
from moot.data.tables.worked_solutions import is_worked, short_beside
from moot.errors import FileError
from moot.types import MOST_CHOICES

_WEAK = frozenset(("label", "target", "reference", "expected", "output", "completion", "key"))
"""Names of answers that are as well those of something else."""
_OF_A_VERDICT = ("correct", "верный", "правильный")
"""Names of answers that may as well say whether somebody knew it."""
_DECIDED = ("finaldecision",)
"""Names of answers that are yes or no, whatever stands beside them."""
_BESIDES = frozenset(("alias", "aliases", "alternative", "accepted", "other"))
"""Words of what is right as well."""
_ROWS_OF_A_VERDICT = 2
_POINTING = 0.3
"""The share of rows in which a column points at choices that could be the answer to them."""


@dataclass(frozen=True, slots=True)
class _Row:
    answer: str
    choices: tuple[str, ...]


def rival_answers(table: QuestionTable, columns: Mapping[str, ColumnNames], unused: Sequence[str]) -> Doubt | None:
    """`columns`: what is known by names, the answer among it. Where a row cannot be read, whoever reads them all says so."""
    known = columns["answer"]
    if not isinstance(known, str) or not unused:
        return None
    try:
        return _rival_answers(table, columns, known, unused)
    except FileError:
        return None


def _rival_answers(
    table: QuestionTable, columns: Mapping[str, ColumnNames], known: str, unused: Sequence[str]
) -> Doubt | None:
    rows = _rows(table, columns, known)
    verdict = plain(known) not in _DECIDED and _is_verdict(table, known)
    plainly = [
        name
        for name in named_right(unused[:MOST_COLUMNS])
        if plain(name) not in SECOND_NAMES[0]
        and not names_an_id(name)
        and not _BESIDES & {*words_without_accents(name)}
    ]
    rivals = [name for name in plainly if _could_be(_rows(table, columns, name), rows, columns)]
    weak = plain(known) in _WEAK
    if (
        not verdict and not weak
    ):  # beside a true answer stand many of its kind; and a verdict is whether somebody gave it
        rivals = [name for name in rivals if says_nothing_else(name) and not _is_verdict(table, name)]
        rivals = [name for name in rivals if not is_worked(name, known, _cells(table, (name, known)))]
    if not rivals and not verdict and (short := short_beside(table, known, unused)) is not None:
        return _doubt(table, (known, *short.names), likely=1 if len(short.names) == 1 else None)
    if rivals:
        clear = len(rivals) == 1 and (weak or verdict) and not _is_verdict(table, rivals[0])
        return _doubt(table, (known, *rivals), likely=1 if clear else None)
    if not verdict or {"choices", WRONG} & {*columns} or plain(known) not in _OF_A_VERDICT:
        return None
    replies = judged_answers(table, unused)
    return _doubt(table, (known, *replies), likely=None, verdict=True) if replies else None


def flags_for_answers(
    table: QuestionTable, answers: AnswersSeen, answer: str, unused: Sequence[str], *, said: bool
) -> Doubt | None:
    """Where 0 and 1 are all the answers to questions with more choices. `said`: that the file names the column."""
    fewest = _ROWS_OF_A_VERDICT if plain(answer) in _OF_A_VERDICT else ROWS_OF_FLAGS
    by_place = answers.form in ("from-0", "from-1") and "texts" not in answers.fitting
    if said or not by_place or not answers.may_be_flags(fewest):
        return None
    of = f"though there are up to {answers.most_choices} choices"
    problem = f"all answers are 0 or 1, {of}: that may be whether somebody knew it"
    other = written({"answer": WHICH_COLUMN})
    say = f"answers: from-0 under questions says that they are positions, and {other} names another column"
    others = judged_answers(table, unused)
    ways = (Stated(answers="from-0"), *(Stated({"answer": name}) for name in others)) if others else ()
    return Doubt(f"{problem}; {say}", table.header, answer, ways)


def judged_answers(table: QuestionTable, unused: Sequence[str]) -> list[str]:
    """What stands beside a verdict, and may be what it is about."""
    return [name for name in unused[:MOST_COLUMNS] if _could_be_judged(table, name)]


def _doubt(table: QuestionTable, candidates: Sequence[str], *, likely: int | None, verdict: bool = False) -> Doubt:
    brief = f"{len(candidates)} columns could be answer: {' and '.join(map(cut, candidates))}"
    if verdict:
        known, *replies = candidates
        brief = (
            f"{cut(known)} says yes or no in every row: that may be the answer, or whether {listed(replies)} was right"
        )
    example = written({"answer": candidates[likely] if likely is not None else WHICH_COLUMN})
    ways = tuple(Stated({"answer": name}) for name in candidates)
    problem = f"{brief}; say which under questions, such as {example}"
    return Doubt(problem, table.header, ways=ways, about="several", brief=brief, likely=likely)


def _rows(table: QuestionTable, columns: Mapping[str, ColumnNames], name: str) -> list[_Row]:
    """The first rows as they would be, were this the answer; choices in a cell as most of these are parted."""
    choices = columns.get("choices", ())
    mapping = ColumnsOfTable(table, {"answer": name} | ({"choices": choices} if choices else {}))
    read = [*islice(mapping.rows(), ROWS_READ)]
    separator = SEPARATORS[0]
    if isinstance(choices, str):
        cells = [cell for row in read if isinstance(cell := row.values.get(choices), str) and cell.strip()]
        cells = [cell for cell in cells if not is_list(cell)]
        separator = separator_of([each for each in SEPARATORS if not all(is_cut(cell, each) for cell in cells)]) or "|"
    return [_Row(row.answer() or "", tuple(row.choices(separator)) if choices else ()) for row in read]


def _could_be(rival: Sequence[_Row], known: Sequence[_Row], columns: Mapping[str, ColumnNames]) -> bool:
    """Whether it says something that could be an answer, and is not the same in other words."""
    if not any(row.answer for row in rival):
        return False
    if "choices" not in columns:
        both = [(one.answer, other.answer) for one, other in zip(rival, known, strict=True) if one.answer]
        return any(folded(one) != folded(other) for one, other in both)
    russian = columns_in_russian(several(columns["choices"]))
    theirs, ours = _places(rival, russian=russian), _places(known, russian=russian)
    if theirs is None:
        return False
    return ours is None or any(one != other for one, other in zip(theirs, ours, strict=True) if one is not None)


def _places(rows: Sequence[_Row], *, russian: bool) -> list[int | None] | None:
    """Which choice each of them says; None: they point at none of them in too many."""
    seen = AnswersSeen(russian_columns=russian)
    for line, row in enumerate(rows):
        if row.answer and 0 < len(row.choices) <= MOST_CHOICES:
            seen.see(line, row.answer, row.choices)
    form = seen.form or seen.nearest
    if not seen.rows or seen.read[form] < _POINTING * seen.rows:
        return None
    return [place_of(row.answer, row.choices, form) if row.answer else None for row in rows]


def _cells(table: QuestionTable, names: Sequence[str]) -> list[Mapping[str, Any]]:
    return [values for _, values in islice(table.rows(names), ROWS_READ)]


def _is_verdict(table: QuestionTable, name: str) -> bool:
    """Whether all of it is yes or no, and there is more than one row."""
    said = [values.get(name) for _, values in islice(table.rows((name,)), ROWS_READ)]
    filled = [value for value in said if value is not None and value != ""]
    return len(filled) > 1 and all(map(says_yes_or_no, filled))


def _could_be_judged(table: QuestionTable, name: str) -> bool:
    """Whether words stand there of which somebody could say that they are right: by the header what somebody said, or nothing
    that tells otherwise."""
    if names_an_id(name) or (says_no_question(name) and not _SAID & {*words_without_accents(name)}):
        return False
    said = [values.get(name) for _, values in islice(table.rows((name,)), ROWS_READ)]
    return any(isinstance(value, str) and value.strip() and not says_yes_or_no(value) for value in said)


_SAID = frozenset(
    (
        *("given", "chosen", "selected", "student", "user", "model", "predicted", "prediction"),
        *("gegeben", "gegebene", "donnee", "choisie", "elegida", "scelta", "выбрано", "выбранныи"),
    )
)
