"""Which column may well be the question, the answer or the id, where no name says so: proposed, and never taken by a run.

A whole word of the name comes first, then what stands in the rows. That two names look alike says nothing: `team` is four
letters of `stem`, and whoever presses enter would have asked forty times what a team is called.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from moot.data.tables.known_names import numbered, words_of
from moot.data.tables.question_headers import calls_it_a_question, could_be_asked
from moot.data.tables.table import QuestionTable

ROWS_READ = 2_000
"""By which is told what a column holds; whether an id is one is told by all rows."""
MOST_COLUMNS = 40
_DISTINCT = 0.9
"""Of the rows that have something in the column, the share that has to be different for it to be asked."""
_REPEATED = 0.5
"""The share of different texts below which a column says the same again and again."""
_WORDS = 3
"""In a question, on average, where no question mark says that it is one."""
_WORDS_BESIDE = 2
"""In another column, on average, with which it may be the question as well."""
_ASKING = 0.5
"""The share of rows with a question mark by which a column asks."""
_CLEAR = 2.0
"""How many times as long as the next one a column has to be that is taken for the question by its length alone."""
LONGEST_ID = 100
_NAMED_ID = {"id", "uid", "uuid", "guid", "key", "номер", "ид", "идентификатор"}
_NUMBERED = {"nr", "no", "num", "number", "nummer", "numero", "número", "numéro", "numer"}
_ROWS_OF_CODES = 10
"""So many have to be different before that is no chance."""
_CODE = re.compile(r"(?=\D*\d)[\w#/-]{1,40}")
_BEFORE_A_NUMBER = re.compile(r"[^\W\d_]+[\s.#-]+[0-9]{1,6}[a-z]?[.)]?|[0-9]{1,6}[.)]")
"""Question 12; 3."""
_DATE = re.compile(r"\d{4}-\d\d-\d\d.*|\d{1,2}/\d{1,2}/\d{2,4}")


@dataclass(slots=True)
class _Column:
    """What stands in the first rows under one name."""

    filled: int = 0
    letters: int = 0
    words: int = 0
    asking: int = 0
    coded: int = 0
    different: set[str] = field(default_factory=set)

    def see(self, text: str) -> None:
        self.filled += 1
        self.letters += len(text)
        self.words += len(text.split())
        self.asking += "?" in text
        self.coded += bool(_CODE.fullmatch(text) or _BEFORE_A_NUMBER.fullmatch(text))
        self.different.add(text)

    def is_distinct(self, rows: int) -> bool:
        return self.filled >= _DISTINCT * rows and len(self.different) >= _DISTINCT * self.filled

    @property
    def is_coded(self) -> bool:
        """Whether all that it says are numbers and codes, with which a question has a number and no words."""
        return self.filled > 0 and self.coded == self.filled

    @property
    def repeats(self) -> bool:
        return len(self.different) <= _REPEATED * self.filled and any(len(text) > 1 for text in self.different)

    @property
    def asks(self) -> bool:
        return self.asking >= _ASKING * self.filled


def likely_text(table: QuestionTable, free: Sequence[str]) -> str | None:
    """The question: a text that is different in nearly every row. By a word of its name, by its question marks, or as the only
    one with sentences; never one of two because it is longer, as an explanation is."""
    seen, rows = _seen(table, free[:MOST_COLUMNS])
    held = [name for name, column in seen.items() if rows and column.is_distinct(rows) and not names_an_id(name)]
    if named := [name for name in held if calls_it_a_question(name) and not seen[name].is_coded]:
        return _only(named, [name for name in named if seen[name].asks])
    possible = [name for name in held if could_be_asked(name)]
    if asking := [name for name in possible if seen[name].asks]:
        return _only(asking, [])
    worded = [name for name in possible if seen[name].words >= _WORDS * rows]
    alike = {name for family in numbered(free) for name in family}
    beside = [name for name in possible if name not in alike and seen[name].words >= _WORDS_BESIDE * rows]
    longest = _only(worded, []) if rows > 1 and {*beside} <= {*worded} else None
    clear = [_CLEAR * seen[name].letters for name in possible if name != longest]
    return longest if longest is not None and seen[longest].letters >= max(clear, default=0) else None


def sentences_beside_codes(table: QuestionTable, text: str, unused: Sequence[str]) -> list[str]:
    """The columns with sentences, where what is called the question has nothing but numbers and codes."""
    seen, rows = _seen(table, [text, *unused[:MOST_COLUMNS]])
    if not seen.pop(text).is_coded:
        return []
    return [
        name
        for name, column in seen.items()
        if column.is_distinct(rows) and column.words >= _WORDS * column.filled and could_be_asked(name)
    ]


def _only(names: Sequence[str], rather: Sequence[str]) -> str | None:
    return names[0] if len(names) == 1 else rather[0] if len(rather) == 1 else None


def answers_first(table: QuestionTable, free: Sequence[str]) -> list[str]:
    """The same columns, for an example: behind the others what says the same in row after row, as a category does. Letters and
    digits are how answers to choices are written, and stay."""
    seen, _ = _seen(table, free[:MOST_COLUMNS])
    return sorted(free, key=lambda name: name in seen and seen[name].repeats)


def question_in_place_of_a_name(names: Sequence[str]) -> str | None:
    """What no column is called, since it is a question: then there is no line with names."""
    return next((name for name in names if name.rstrip().endswith("?") and " " in name.strip()), None)


def names_an_id(name: str) -> bool:
    """By its first or its last word: an id, or a number of something, which nobody is advised to take for an answer."""
    return bool((_NAMED_ID | _NUMBERED) & {*words_of(name)[:1], *words_of(name)[-1:]})


def likely_id(table: QuestionTable, free: Sequence[str], before: str) -> str | None:
    """What is short and different in every row: by a word of its name, else a column of codes left of `before`, the question."""
    distinct = _distinct(table, free[:MOST_COLUMNS])
    named = [name for name in distinct.names if _NAMED_ID & {*words_of(name)[:1], *words_of(name)[-1:]}]
    if named:
        return named[0]
    order = table.names.index
    codes = [name for name in distinct.names if name in distinct.codes and order(name) < order(before)]
    return codes[0] if codes and distinct.rows >= _ROWS_OF_CODES else None


@dataclass(frozen=True, slots=True)
class _Distinct:
    names: tuple[str, ...]
    codes: frozenset[str]
    rows: int


def _distinct(table: QuestionTable, free: Sequence[str]) -> _Distinct:
    """The columns that say something short and different in all rows."""
    seen: dict[str, set[str]] = {name: set() for name in free}
    codes = set(free)
    rows = 0
    for _, values in table.rows(tuple(free)) if free else ():
        rows += 1
        for name in [*seen]:
            text = _text(values.get(name))
            if text is None or len(text) > LONGEST_ID or "\n" in text or text in seen[name]:
                del seen[name]
                continue
            seen[name].add(text)
            if not _CODE.fullmatch(text) or _DATE.fullmatch(text):
                codes.discard(name)
        if not seen:
            break
    return _Distinct(tuple(seen) if rows else (), frozenset(codes), rows)


def _seen(table: QuestionTable, names: Sequence[str]) -> tuple[dict[str, _Column], int]:
    """By name, and how many rows there were."""
    seen = {name: _Column() for name in names}
    rows = 0
    for _, values in islice(table.rows(tuple(names)), ROWS_READ) if names else ():
        rows += 1
        for name, column in seen.items():
            if text := _text(values.get(name)):
                column.see(text)
    return seen, rows


def _text(value: Any) -> str | None:
    """As an id would be read."""
    if isinstance(value, str):
        return value.strip() or None
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None
