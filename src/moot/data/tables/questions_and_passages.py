"""Two columns of which either could be asked by its name, and one is what the other asks about: Text, Question.

Played the wrong way round a passage would be asked; with the passage left out every question would be asked without it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, permutations
from typing import Literal

from moot.data.tables.known_names import ColumnNames, Guess, plain, several
from moot.data.tables.likely_columns import MOST_COLUMNS, ROWS_READ, names_an_id
from moot.data.tables.question_headers import calls_it_a_question
from moot.data.tables.table import QuestionTable

_INSTRUCT = ("prompt", "input")
_EITHER = (*_INSTRUCT, "text", "текст", "testo", "texto", "texte", "tekst")
"""Names of a question that are as well those of what it is about, and the first of what a model is told in every row."""
_ASKS, _TELLS = 0.5, 0.2
"""The share of rows with a question mark at their end from which a column asks, and below which it may tell."""
_FEWEST_WORDS = 4
"""In a passage, on average;"""
_TIMES_AS_LONG = 1.5
"""and how many times as long as a question it is where none of the two has question marks."""


def may_be_either(name: str) -> bool:
    return plain(name) in _EITHER


def may_instruct(name: str) -> bool:
    return plain(name) in _INSTRUCT


@dataclass(frozen=True, slots=True)
class AskedAndShown:
    question: str
    passage: str | None = None


@dataclass(slots=True)
class _Texts:
    filled: int = 0
    words: int = 0
    asking: int = 0
    ending: int = 0

    def see(self, text: str) -> None:
        self.filled += 1
        self.words += len(text.split())
        self.asking += "?" in text
        self.ending += asks(text)

    def share(self, count: int) -> float:
        return count / self.filled if self.filled else 0.0

    @property
    def mean(self) -> float:
        return self.share(self.words)


def asks(text: str) -> bool:
    """Whether it ends as a question does; what stands within a story may be anything."""
    return text.rstrip(" \n\t\"'»”)").endswith(("?", "？"))


def asked_and_shown(table: QuestionTable, candidates: Sequence[ColumnNames]) -> AskedAndShown | None:
    """Which of the columns asks, and which is what it asks about; None: nobody can tell."""
    names = [each for each in candidates if isinstance(each, str)][:MOST_COLUMNS]
    if len(names) < 2:
        return None
    seen = {name: _Texts() for name in names}
    within: Counter[tuple[str, str]] = Counter()
    for _, values in islice(table.rows(tuple(names)), ROWS_READ):
        texts = {name: str(value).strip() for name in names if isinstance(value := values.get(name), str | int | float)}
        for name, text in texts.items():
            if text:
                seen[name].see(text)
        within.update(
            (one, other) for one, other in permutations(texts, 2) if texts[one] and texts[one] in texts[other]
        )
    question = _question(names, seen)
    if question is None:
        return None
    asked = seen[question]
    passages = [
        name
        for name in names
        if name != question
        and seen[name].share(seen[name].ending) < _TELLS
        and seen[name].mean >= max(_FEWEST_WORDS, asked.mean)
        and within[question, name] < _ASKS * asked.filled
    ]
    return AskedAndShown(question, passages[0] if len(passages) == 1 else None)


def _question(names: Sequence[str], seen: Mapping[str, _Texts]) -> str | None:
    """By question marks at the end, else by a name that can be nothing else where the other is longer, else by any."""
    return _asking(names, seen, "ending") or _named(names, seen) or _asking(names, seen, "asking")


def _asking(names: Sequence[str], seen: Mapping[str, _Texts], counted: Literal["ending", "asking"]) -> str | None:
    shares = {name: seen[name].share(getattr(seen[name], counted)) for name in names}
    asking = [name for name in names if shares[name] >= _ASKS]
    clear = len(asking) == 1 and all(shares[name] < _TELLS for name in names if name not in asking)
    return asking[0] if clear else None


def _named(names: Sequence[str], seen: Mapping[str, _Texts]) -> str | None:
    named = [name for name in names if not may_be_either(name)]
    if len(named) != 1 or not seen[named[0]].filled:
        return None
    longer = (seen[name].mean >= _TIMES_AS_LONG * seen[named[0]].mean for name in names if name != named[0])
    return named[0] if all(longer) else None


def either_in_doubt(table: QuestionTable, guess: Guess) -> Guess:
    """A question that is known by such a name is in doubt where another column is called one and asks: Text, Frage."""
    known = guess.columns.get("text")
    if not isinstance(known, str) or not may_be_either(known):
        return guess
    used = {name for each in guess.columns.values() for name in several(each)}
    others = [name for name in table.names if name not in used and calls_it_a_question(name) and not names_an_id(name)]
    found = asked_and_shown(table, (known, *others)) if others else None
    if found is None or found.question == known:
        return guess
    columns = {key: each for key, each in guess.columns.items() if key != "text"}
    return replace(guess, columns=columns, doubts={**guess.doubts, "text": (known, found.question)})
