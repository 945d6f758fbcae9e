"""Replies that name a choice as the references of their table do: by its place, by a Russian letter, by a label of its own.

Whoever kept the table showed the models those labels, so what is exactly one of them says that choice. In play it does not: there
a model is shown letters of ours, and a 2 or a В may be anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from moot.data.logs.csv_cells import is_empty
from moot.data.logs.csv_columns import ReplyColumns
from moot.data.logs.fields import LETTERS, text
from moot.data.logs.log import NO_REFERENCE
from moot.data.tables.answer_forms import AnswersAs, in_words, place_of
from moot.data.tables.choice_labels import RUSSIAN
from moot.data.tables.known_names import WRONG
from moot.data.tables.listed_names import cut
from moot.data.tables.mapped import ColumnsOfTable, MappedFile, TableRow
from moot.errors import FileError
from moot.stats.counted_words import count
from moot.team.final_line import after_thoughts
from moot.team.final_line.letters import whole_option
from moot.team.reading import announced
from moot.types import MOST_CHOICES, Question, Reply

_POSITIONS: tuple[AnswersAs, ...] = ("from-0", "from-1")
_OF_THE_TABLE: tuple[AnswersAs, ...] = ("letters-ru", *_POSITIONS)
"""Forms that no reply in play is read in."""
_LONGEST_LABEL = 300
"""With the words of its choice behind it."""
_ANNOUNCED = re.compile(
    r"(?:.{0,80}\W)?(?:answer|choice|ответ|вариант|antwort|réponse|respuesta|risposta|resposta)"
    r"\W{0,3}(?: is|[:：=—–])\s{0,3}(.+)",
    re.IGNORECASE,
)
_AROUND = " \t*_`\"'«»“”„()[]."
_NUMERAL = re.compile(r"\d{1,2}(?:\.0)?")
_NUMERALS, _LETTERS = re.compile(r"(?<![\w.,])\d{1,2}(?![\w])"), re.compile(rf"\b[{RUSSIAN}]\b")
_WAY_OUT = "write letters A, B, C for the choices, under answer and in the replies"


@dataclass(frozen=True, slots=True)
class LabelledReplies:
    letters: Mapping[tuple[int, str], str] = field(default_factory=dict)
    """By line and column the choice that a cell names by a label of the table."""
    doubt: str | None = None
    """Why it cannot be told which choices some model names."""


@dataclass(frozen=True, slots=True)
class _Cell:
    line: int
    column: str
    model: str
    words: str
    question: Question
    label: str
    """What may be one in it."""
    by_label: int | None
    by_words: str | None
    """The letter of the choice whose own words it is."""

    @property
    def letter(self) -> str | None:
        return None if self.by_label is None else LETTERS[self.by_label]

    @property
    def is_contested(self) -> bool:
        return None not in (self.letter, self.by_words) and self.letter != self.by_words

    def is_label_in(self, form: AnswersAs) -> bool:
        return place_of(self.label, self.question.choices, form) is not None


def labelled_replies(source: MappedFile, columns: Sequence[ReplyColumns]) -> LabelledReplies:
    """`source`: the questions, with the form in which their references are written."""
    form = source.answers
    if form is None or WRONG in source.columns.columns:
        return LabelledReplies()
    letters: dict[tuple[int, str], str] = {}
    of_models: dict[str, list[_Cell]] = {}
    for each in columns:
        for cell in _cells(source.columns, each, form):
            of_models.setdefault(cell.model, []).append(cell)
    for cells in of_models.values():
        doubt = _doubt(cells, form)
        if doubt is not None:
            return LabelledReplies(doubt=doubt)
        by_label = sum(cell.letter is not None and not cell.is_contested for cell in cells)
        by_words = sum(cell.by_words is not None and cell.letter is None for cell in cells)
        for cell in cells:
            says_words = cell.is_contested and by_label < by_words
            if cell.letter is not None:
                letters[cell.line, cell.column] = str(cell.by_words) if says_words else cell.letter
    return LabelledReplies(letters)


def _cells(questions: ColumnsOfTable, columns: ReplyColumns, form: AnswersAs) -> Iterator[_Cell]:
    """Of each row what its reply is, or where the answer was taken from it, that."""
    extracted = columns.more.get("extracted")
    held = tuple(name for name in (extracted, columns.reply, columns.model) if name is not None)
    for row in replace(questions, columns={**questions.columns, "meta": held}).rows():
        said = ((name, text(row.values.get(name))) for name in (extracted, columns.reply) if name is not None)
        column, words = next(((name, cell) for name, cell in said if cell is not None and not is_empty(cell)), ("", ""))
        choices = _choices(row)
        if words and choices:
            question = Question("", "", choices, kind="choice")
            label = _label(words)
            place = _place(row, column, label, choices, form)
            model = columns.called if columns.model is None else str(text(row.values.get(columns.model)))
            yield _Cell(row.line, column, model, words, question, label, place, whole_option(words, question))


def _choices(row: TableRow) -> tuple[str, ...]:
    try:
        found = tuple(row.choices())
    except FileError:
        return ()  # told with the questions
    return found if 2 <= len(found) <= MOST_CHOICES else ()


def _label(words: str) -> str:
    """What a reply says that is nothing else, or announces in its last line."""
    lines = after_thoughts(words).strip().splitlines() or [""]
    found = _ANNOUNCED.fullmatch(lines[-1].strip(_AROUND))
    label = found[1] if found is not None else lines[-1] if len(lines) == 1 else ""
    return label.strip(_AROUND) if len(label) <= _LONGEST_LABEL else ""


def _place(row: TableRow, column: str, label: str, choices: Sequence[str], form: AnswersAs) -> int | None:
    if not label or label[0] in "{[":
        return None
    as_reference = replace(
        row,
        columns=replace(row.columns, columns={**row.columns.columns, "answer": column}),
        values={**row.values, column: label},
    )
    written = as_reference.answer()
    if written is None or (written == label and form not in _OF_THE_TABLE):
        return None  # a letter or words, which any reply is read by
    return place_of(written, choices, form)


def _doubt(cells: Sequence[_Cell], form: AnswersAs) -> str | None:
    """Why it cannot be told what one model's replies name; None: it can, or they name nothing that way."""
    numerals = [cell for cell in cells if _NUMERAL.fullmatch(cell.label) and cell.by_words is None]
    if form in _POSITIONS:
        other = next(each for each in _POSITIONS if each != form)
        odd = [cell for cell in numerals if not cell.is_label_in(form) and cell.is_label_in(other)]
        if len(odd) > sum(cell.is_label_in(form) and not cell.is_label_in(other) for cell in numerals):
            return _told(odd, cells, f"count choices otherwise than the references do, which are {in_words(form)}")
    unread = [cell for cell in cells if cell.letter is None and _may_be_label(cell, form)]
    if 2 * len(unread) <= len(cells):
        return None
    unread = [cell for cell in unread if announced(cell.question, Reply(cell.words)) is None]
    if 2 * len(unread) <= len(cells):
        return None
    return _told(unread, cells, f"name choices in a way that cannot be told, and the references are {in_words(form)}")


def _may_be_label(cell: _Cell, form: AnswersAs) -> bool:
    if form not in _OF_THE_TABLE:
        return _NUMERAL.fullmatch(cell.label) is not None
    return (_LETTERS if form == "letters-ru" else _NUMERALS).search(cell.words) is not None


def _told(odd: Sequence[_Cell], cells: Iterable[_Cell], what: str) -> str:
    of_all = count(len([*cells]), "reply", "replies")
    first = odd[0]
    such = f"{len(odd)} of {of_all} of {first.model} {what} ({cut(first.words)!r} in line {first.line})"
    return f"{such}; {NO_REFERENCE}: {_WAY_OUT}"
