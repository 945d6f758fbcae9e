"""Columns of sentences that are nothing: a passage that questions are about, under a name that nobody knows.

Left out without a word every question about it would be asked without it, and be called hard. An explanation would be no less
wrong to show. So who knows is asked once, and may say that it is nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from moot.data.tables.advised_columns import written
from moot.data.tables.answer_headers import calls_it_an_answer, says_no_question, words_without_accents
from moot.data.tables.doubts import Doubt
from moot.data.tables.known_names import ColumnNames, known_by_a_word, plain, several
from moot.data.tables.likely_columns import MOST_COLUMNS, ROWS_READ, names_an_id
from moot.data.tables.listed_names import cut, listed
from moot.data.tables.object_cells import opened, prose_of
from moot.data.tables.question_headers import calls_it_a_question
from moot.data.tables.questions_and_passages import asks, may_be_either, may_instruct
from moot.data.tables.stated import Stated
from moot.data.tables.table import QuestionTable
from moot.data.tables.told_answers import may_explain, told

_WORDS = 10
"""Of a cell, on average."""
_WORDS_OF_ONE = 30
"""Of a text that is the same in all rows: less may be an instruction."""
_WORDS_INSIDE = 6
_MOST_INSIDE = 10_000
"""Of a sentence in a list or an object, and pieces of one that are looked at."""
_FILLED = 0.3
"""The share of rows that have something in it."""
_ASKED = 0.3
"""The share of rows that ask from which a column is no passage."""
_WORDS_BY_NAME = 4
"""Of a cell, on average, of a column whose name says that it is a text."""
_WORDS_OF_ANY = 3
"""Of a cell, on average, of a column whose name is that of a passage or of an explanation."""
_EITHER = ("background", "hintergrund")
_NO_PROSE = frozenset(
    (
        "table",
        "tables",
        "code",
        "snippet",
        "program",
        "tabelle",
        "quelltext",
        "tableau",
        "tabla",
        "таблица",
        "код",
        "программа",
    )
)
_CODE = frozenset(("code", "program", "snippet", "quelltext", "код", "программа"))
_OF_CODE = re.compile(
    r"code|program|function|snippet|output|print|return|script|method|algorithm|loop|quelltext|ausgabe|код|програм|функци|вывод",
    re.IGNORECASE,
)
"""Words of questions about a program. One beside questions that have none of them works out the answer."""
_ABOUT_IT = frozenset(("id", "name", "title", "type", "number", "language", "lang", "url", "format", "caption", "path"))
_NOTHING = "columns: {context: null}"
_NONE = frozenset(
    (
        *("cot", "reply", "response", "output", "completion", "generated", "generation", "log", "trace", "thought"),
        *("thoughts", "proof", "derivation", "equation", "formula", "code", "link", "image", "instruction", "prompt"),
        *("canary", "metadata", "meta", "license", "citation", "raw", "tags", "keywords", "concept", "solution"),
    )
)
"""Words of what a question is not about."""


@dataclass(slots=True)
class _Cells:
    filled: int = 0
    words: int = 0
    asking: int = 0
    repeating: int = 0
    """Of those that ask, and that hold the question itself."""
    laid_out: int = 0
    """Of those that are a list or an object, or have lines: "Q-12" is a code too."""
    different: set[int] = field(default_factory=set)
    whole: bool = True
    """Whether each could be shown as it is."""

    def see(self, text: str, question: str) -> None:
        self.filled += 1
        self.words += len(text.split())
        self.asking += asks(text)
        self.repeating += bool(question) and question in text
        self.different.add(hash(text))

    def are_sentences(self, rows: int, fewest: int = _WORDS, of_one: int = _WORDS_OF_ONE) -> bool:
        fewest = fewest if len(self.different) > 1 else of_one
        return rows > 1 and self.filled >= _FILLED * rows and self.words >= fewest * self.filled > 0

    @property
    def tell(self) -> bool:
        """Whether they are what is asked about, and not what is asked, by whichever name."""
        return max(self.asking, self.repeating) < _ASKED * self.filled


def unused_passages(table: QuestionTable, columns: Mapping[str, ColumnNames], unused: Sequence[str]) -> Doubt | None:
    """None: there is a context, or none of the columns that are nothing has sentences."""
    if "context" in columns:
        return None
    possible = [name for name in unused if _could_be_a_passage(name) and name not in table.nameless][:MOST_COLUMNS]
    seen = {name: _Cells() for name in possible}
    asked = several(columns["text"])[0]
    rows = of_code = 0
    for _, values in islice(table.rows((*possible, asked)), ROWS_READ) if possible else ():
        rows += 1
        question = _text(values.get(asked))
        of_code += _OF_CODE.search(question) is not None
        for name, cells in seen.items():
            cells.laid_out += _is_laid_out(values.get(name))
            if text := _text(values.get(name)):
                cells.see(text, question)
            if values.get(name) not in (None, ""):
                cells.whole &= isinstance(values[name], str) or prose_of(values[name]) is not None
    found = [name for name, cells in seen.items() if _is_a_passage(name, cells, rows)]
    if not found:
        return None
    solves = any(_CODE & {*words_without_accents(name)} for name in found) and of_code < _ASKED * rows
    return _doubt(table, columns, found, [name for name in found if seen[name].whole], solves=solves)


def _doubt(
    table: QuestionTable, columns: Mapping[str, ColumnNames], found: list[str], shown: list[str], *, solves: bool
) -> Doubt:
    """`shown`: those that can be as they are. What may explain the answer is rather left out, so that way comes first."""
    has = "has" if len(found) == 1 else "have"
    what = "sentences" if not all(map(_is_no_prose, found)) else "more than a word"
    sentences = f"{listed(found)} {has} {what} and would not be shown"
    left_out = Stated({"context": None})
    ways: tuple[Stated, ...] = tuple(Stated({"context": name}) for name in shown)
    if not shown:
        say = f"{_NOTHING} under questions leaves it out; to be shown it has to be a text, or a list of texts"
        ways = (left_out,)
    elif solves or any(map(may_explain, found)) or any(each.tells for each in told(table, columns, found).values()):
        sentences += ": questions may be about them, or they may give the answers away"
        say = f"{_NOTHING} under questions leaves it out, and {written({'context': shown[0]})} shows {cut(shown[0])}"
        ways = (left_out, *ways)
    else:
        sentences += ", though questions may be about them"
        say = f"{written({'context': shown[0]})} under questions shows {cut(shown[0])}, and {_NOTHING} leaves it out"
        ways = (*ways, left_out)
    brief = f"{sentences}; the column that is taken here is SHOWN TO THE PLAYERS with each question"
    return Doubt(f"{sentences}; {say}", table.header, ways=ways, about="several", brief=brief)


def _is_no_prose(name: str) -> bool:
    """Whether a header calls its column what a question may be about though it has no sentences: a table, a program."""
    words = words_without_accents(name)
    return bool(_NO_PROSE & {*words}) and not _ABOUT_IT & {*words}


def _is_a_passage(name: str, cells: _Cells, rows: int) -> bool:
    if _is_no_prose(name):
        return cells.laid_out >= _FILLED * rows > 0
    if may_be_either(name):
        of_one = _WORDS_OF_ONE if may_instruct(name) else _WORDS
        return cells.tell and cells.are_sentences(rows, _WORDS_BY_NAME, of_one)
    return cells.are_sentences(rows, _WORDS_OF_ANY if plain(name) in _EITHER else _WORDS)


def _could_be_a_passage(name: str) -> bool:
    if may_be_either(name) or _is_no_prose(name):
        return True
    if known_by_a_word(name, "context") and not says_no_question(name):
        return True  # of an answer, too: gold_context
    if names_an_id(name) or calls_it_a_question(name) or calls_it_an_answer(name) or says_no_question(name):
        return False
    return not _NONE & {*words_without_accents(name)}


def _text(cell: Any) -> str:
    """Nothing of an address, and of a list or an object its sentences: phrases and labels are none."""
    value = opened(cell)
    if isinstance(value, Mapping | list):
        return " ".join(text for text in _inner(value) if len(text.split()) >= _WORDS_INSIDE)
    text = value.strip() if isinstance(value, str) else ""
    return "" if text.startswith(("http://", "https://", "{")) else text


def _is_laid_out(cell: Any) -> bool:
    value = opened(cell)
    if isinstance(value, Mapping | list):
        return bool(value)
    return isinstance(value, str) and ("\n" in value.strip() or len(value.split()) >= _WORDS_OF_ANY)


def _inner(value: Any) -> Iterator[str]:
    waiting = [value]
    for _ in range(_MOST_INSIDE):
        if not waiting:
            return
        item = waiting.pop()
        waiting += item.values() if isinstance(item, Mapping) else item if isinstance(item, list) else ()
        if isinstance(item, str):
            yield item
