"""Which column says which of the choices is right, where no name says so: by what stands in the rows.

Columns of one name with a letter or a number behind it look like choices, and one of them taken for the answer would be a
wrong figure without a word: every question would be graded against the same choice. So would points from 1 to 4, which point
at a choice in every row, while the true answers do in all but one, where two are right. So a column is taken by its rows
alone only where it has the texts of the choices, which nothing else has.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from moot.data.tables.answer_forms import ANSWER_FORMS, AnswersAs, AnswersSeen, WrittenAnswer, could_be_a_choice
from moot.data.tables.answer_headers import named_right, says_otherwise
from moot.data.tables.choice_labels import columns_in_russian, label_alone
from moot.data.tables.known_names import ends_of, numbered
from moot.data.tables.likely_columns import MOST_COLUMNS, ROWS_READ, names_an_id
from moot.data.tables.table import QuestionTable

_FILLED = 0.5
"""The share of rows that has to have an answer."""
MOSTLY = 0.6
"""The share of rows by which a column may be the answer, with some rows that somebody has to look at."""
PARTLY = 0.3
"""The same of a column that is known to be the answer: then letters in it are hardly by chance."""
_ROWS_OF_TRIAL = 30
"""After which a column that hardly ever points is looked at no more."""
_NUMBER = re.compile(r"[-+]?[0-9]+(?:[.,][0-9]+)?")
_SEVERAL = re.compile(r"[,;+/&|]| (?:and|und|et|y|e|и|or|oder|ou|o|или) ")
_LETTERS: tuple[AnswersAs, ...] = ("letters", "letters-ru")
_BY_PLACE = (*_LETTERS, "from-0", "from-1")
_LONGEST_SEVERAL = 40
FEWEST_ALIKE = 3
"""Columns that look like choices by their names alone; of two the second may be another spelling of the first."""


@dataclass(frozen=True, slots=True)
class OddAnswers:
    """A column that points at choices in most rows, and the first in which it does not."""

    name: str
    first: WrittenAnswer
    rows: int
    """How many do not."""

    def __str__(self) -> str:
        more = f" and {self.rows - 1} more" if self.rows > 1 else ""
        return f"line {self.first.line}: {self.first.answer!r:.40}{more}"


@dataclass(frozen=True, slots=True)
class PointingAnswers:
    """Columns that look like choices, and those of which each could say which is right."""

    choices: tuple[str, ...]
    answers: tuple[str, ...]
    """Those that point in every row."""
    nearly: tuple[OddAnswers, ...] = ()
    """Those that do in most."""
    clear: str | None = None
    """The one that it is: by its header, or by the texts of the choices, which no points and no level have."""
    by_labels: bool = False
    """Whether the first points by the letters of the columns, or by labels with their texts: no number does by chance."""
    by_text: bool = False
    """Whether it is read as the texts of choices: then it says what is right without them too."""


def pointing_answers(
    table: QuestionTable, families: Iterable[tuple[str, ...]], free: Sequence[str], mostly: float = MOSTLY
) -> PointingAnswers | None:
    """Of the first family of columns that another of the `free` ones points at, in every row that says something there; or
    of the first at which one does in most rows."""
    in_part = None
    for family in families:
        names = [name for name in free if name not in family and not names_an_id(name) and not says_otherwise(name)]
        found = _pointing(table, family, names, mostly)
        if found is not None and found.answers:
            return found
        in_part = in_part or found
    return in_part


def likely_families(names: Sequence[str]) -> list[tuple[str, ...]]:
    """Columns that look like choices: levels, hints and what is wrong are none."""
    return [family for family in numbered(names) if not says_otherwise(family[0])]


def choices_of(table: QuestionTable, answer: str, unused: Sequence[str]) -> PointingAnswers | None:
    """The columns that are nothing, and at which a column points that is known to be the answer."""
    near = {answer, *unused[:MOST_COLUMNS]}
    families = [
        family for family in likely_families([name for name in table.names if name in near]) if answer not in family
    ]
    in_part = None
    for family in families:
        found = _pointing(table, family, [answer], PARTLY, _BY_PLACE)
        if found is not None and found.answers:
            return found
        in_part = in_part or found
    return in_part


_YES_AND_NO = (frozenset("yn"), frozenset("jn"), frozenset("дн"))
"""Letters that point at nothing."""


def letters_without_choices(table: QuestionTable, answer: str, unused: Sequence[str]) -> bool:
    """Whether all answers are letters, several of them, beside columns of which some could be the choices."""
    beside = [name for name in unused[:MOST_COLUMNS] if not says_otherwise(name) and not names_an_id(name)]
    letters: set[str] = set()
    worded = False
    for _, values in islice(table.rows((answer, *beside)), ROWS_READ) if beside else ():
        written = _text(values.get(answer))
        if written and not any(could_be_a_choice(written, form) for form in _LETTERS):
            return False
        letters.update(filter(None, [written.casefold()]))
        worded = worded or any(_holds_words(values.get(name)) for name in beside)
    return worded and len(letters) > 1 and not any(letters <= pair for pair in _YES_AND_NO)


def alike_beside(answer: str, names: Sequence[str]) -> tuple[str, ...]:
    """The others of several columns that are called alike, of which the answer is one; none where there are two."""
    family = next((each for each in numbered(names) if answer in each and len(each) >= FEWEST_ALIKE), ())
    return tuple(name for name in family if name != answer)


@dataclass(slots=True)
class _Candidate:
    seen: AnswersSeen
    different: set[str] = field(default_factory=set)
    bare: int = 0
    """Answers that are a letter or a number, without a text."""
    at_several: int = 0
    """Answers that are several letters or numbers."""

    def see(self, line: int, answer: str, choices: Sequence[str]) -> None:
        self.seen.see(line, answer, choices)
        self.different.add(answer.casefold())
        self.bare += label_alone(answer) is not None
        self.at_several += _points_at_several(answer, choices)

    @property
    def forms(self) -> set[str]:
        return {form for form in self.seen.fitting if form in ANSWER_FORMS}

    @property
    def by_text(self) -> bool:
        """Numbers among numbers may be texts of choices by chance."""
        return "texts" in self.forms and self.bare < self.seen.rows

    @property
    def by_labels(self) -> bool:
        """Each with the text of its choice."""
        return bool(self.forms) and not self.bare

    def share(self, counted: Iterable[str]) -> float:
        """Of the rows with an answer, those that point in one form."""
        read = max((self.seen.read[form] for form in counted), default=0)
        return min((read + self.at_several) / self.seen.rows, 1.0) if self.seen.rows else 0.0

    def odd_answers(self, name: str, counted: Iterable[str]) -> OddAnswers:
        nearest = max(counted, key=lambda form: self.seen.read[form])
        return OddAnswers(name, self.seen.unread[nearest], self.seen.rows - self.seen.read[nearest])

    @property
    def is_hopeless(self) -> bool:
        return self.seen.rows >= _ROWS_OF_TRIAL and self.share(ANSWER_FORMS) < PARTLY


def _pointing(
    table: QuestionTable,
    family: tuple[str, ...],
    names: Sequence[str],
    mostly: float,
    in_part: Collection[str] = ANSWER_FORMS,
) -> PointingAnswers | None:
    """`in_part`: the forms that count where only most rows point."""
    russian = columns_in_russian(family)
    candidates = {name: _Candidate(AnswersSeen(russian_columns=russian)) for name in names}
    rows, words = 0, False
    for line, values in islice(table.rows((*family, *names)), ROWS_READ) if names else ():
        choices = _choices(values, family)
        rows += bool(choices)
        words = words or any(choice and not _NUMBER.fullmatch(choice) for choice in choices)
        for name, candidate in [*candidates.items()] if choices else ():
            if answer := _text(values.get(name)):
                candidate.see(line, answer, choices)
            if candidate.is_hopeless:
                del candidates[name]
        if not candidates:
            break
    lettered = ends_of(family)[0].isalpha()
    # Numbers among numbers are the scores of something, unless letters point at them.
    counted: set[str] = {*ANSWER_FORMS} if words else {*_LETTERS} if lettered else set()
    of_part = counted & {*in_part}
    told = {
        name: candidate
        for name, candidate in candidates.items()
        if len(candidate.different) > 1 and candidate.seen.rows >= _FILLED * rows
    }
    fitting = {name: candidate for name, candidate in told.items() if candidate.forms & counted}
    nearly = {
        name: candidate.odd_answers(name, of_part)
        for name, candidate in told.items()
        if name not in fitting and of_part and candidate.share(of_part) >= mostly
    }
    if not fitting and not nearly:
        return None
    first = next(iter(fitting.values()), None)
    return PointingAnswers(
        family,
        tuple(fitting),
        tuple(nearly.values()),
        _clear(fitting, nearly),
        by_labels=first is not None and (first.by_labels or (lettered and bool(first.forms & {*_LETTERS}))),
        by_text=first is not None and first.by_text,
    )


def _clear(fitting: Mapping[str, _Candidate], nearly: Mapping[str, OddAnswers]) -> str | None:
    if named := named_right([*fitting, *nearly]):
        sure = len(named) == 1 and named[0] in fitting and not fitting[named[0]].seen.may_be_flags()
        return named[0] if sure else None
    alone = next(iter(fitting)) if len(fitting) == 1 and not nearly else None
    return alone if alone is not None and (fitting[alone].by_text or fitting[alone].by_labels) else None


def _points_at_several(answer: str, choices: Sequence[str]) -> bool:
    """A, C: two are right, or whoever wrote it thought so."""
    parts = _SEVERAL.split(" ".join(answer[:_LONGEST_SEVERAL].split()))
    bare = [label_alone(part) for part in parts]
    return 1 < len(parts) <= len(choices) and None not in bare


def _choices(values: Mapping[str, Any], family: Sequence[str]) -> list[str]:
    choices = [_text(values.get(name)) for name in family]
    while choices and not choices[-1]:
        choices.pop()
    return choices


def _holds_words(value: Any) -> bool:
    return isinstance(value, list) or (len(text := _text(value)) > 1 and not _NUMBER.fullmatch(text))


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
