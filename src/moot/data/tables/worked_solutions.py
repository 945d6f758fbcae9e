"""A worked solution beside the short answer that it comes to.

Nobody who is right says the whole way, so graded against it everybody would be wrong: the short one is the reference.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from moot.data.solution_answers import answer_within
from moot.data.tables.answer_forms import folded
from moot.data.tables.answer_headers import calls_it_an_answer, says_otherwise, words_without_accents
from moot.data.tables.flag_columns import says_yes_or_no
from moot.data.tables.known_names import plain
from moot.data.tables.likely_columns import MOST_COLUMNS, ROWS_READ, names_an_id
from moot.data.tables.object_cells import opened
from moot.data.tables.table import QuestionTable

_WORKED = ("solution", "lösung", "loesung", "losung", "musterlösung", "musterloesung", "solución", "soluzione")
"""Names of what is right that are as well those of how it is found."""
_BRIEF = frozenset(
    (
        *("final", "short", "brief", "exact", "result", "numeric", "numerical", "number", "value"),
        *("ergebnis", "endergebnis", "resultat", "kurz", "kurzantwort", "endwert", "resultado", "risultato", "wynik"),
        *("итог", "итоговыи", "краткии", "короткии", "результат", "число"),
    )
)
"""Words of what a way comes to, without their accents."""
_MOST = 0.8
"""The share of rows in which the way has to hold what it comes to."""
_TIMES_AS_LONG = 4
"""How many times as long as what it comes to a way is, whatever stands in it."""


@dataclass(frozen=True, slots=True)
class ShortAnswers:
    """Columns with what a solution comes to."""

    names: tuple[str, ...]
    clear: str | None = None
    """The only one that says so by its name as well."""


def short_beside(table: QuestionTable, known: str, others: Sequence[str]) -> ShortAnswers | None:
    """What is short beside a column that is known to be right; None: nothing is, or the known one is not long."""
    possible = [name for name in others[:MOST_COLUMNS] if not says_otherwise(name)]
    possible = [name for name in possible if calls_it_an_answer(name) or (_is_brief(name) and not names_an_id(name))]
    if not possible:
        return None
    rows = [values for _, values in islice(table.rows((known, *possible)), ROWS_READ)]
    if plain(known) not in _WORKED:
        found = [name for name in possible if _is_named(name) and _is_within(name, known, rows)]
        return ShortAnswers(tuple(found)) if found and not _reads_itself(known, rows) else None
    found = [name for name in possible if _comes_to(name, known, rows)]
    named = [name for name in found if _is_named(name)]
    clear = named[0] if len(named) == 1 or (named and _are_same(named, rows)) else None
    return ShortAnswers(tuple(found), clear) if found else None


def is_worked(name: str, answer: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a solution says how, and the answer what."""
    if plain(name) not in _WORKED:
        return False
    way, right = (sum(len(str(row.get(each) or "")) for row in rows) for each in (name, answer))
    return 0 < _TIMES_AS_LONG * right <= way or _share_within(_both(answer, name, rows)) >= _MOST


def _is_brief(name: str) -> bool:
    return bool(_BRIEF & {*words_without_accents(name)})


def _is_named(name: str) -> bool:
    """An answer number may be which of them is right."""
    return _is_brief(name) and calls_it_an_answer(name) and not names_an_id(name)


def _comes_to(name: str, known: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a solution by its name does to this: by its name and length, or by what stands in both."""
    both = _both(name, known, rows)
    if not both or (not _is_named(name) and all(says_yes_or_no(short) for short, _ in both)):
        return False
    return _share_within(both) >= _MOST or (calls_it_an_answer(name) and not names_an_id(name) and _is_longer(both))


def _is_within(name: str, known: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether an answer holds this, and much more."""
    both = _both(name, known, rows)
    return _share_within(both) >= _MOST and _is_longer(both)


def _reads_itself(known: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether what a solution comes to is marked in it, and is read from it."""
    said = [text for row in rows if (text := _text(row.get(known)))]
    return sum(answer_within(text) is not None for text in said) >= _MOST * len(said)


def _are_same(names: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> bool:
    return all(len({folded(_text(row.get(name))) for name in names}) == 1 for row in rows)


def _both(name: str, known: str, rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """The short and the long of each row; none where many rows have only one of them."""
    long = [(_text(row.get(name)), _text(row.get(known))) for row in rows]
    both = [pair for pair in long if all(pair)]
    return both if len(both) >= _MOST * sum(bool(way) for _, way in long) else []


def _share_within(both: Sequence[tuple[str, str]]) -> float:
    held = sum(len(short) < len(way) and _has_words(way, short) for short, way in both)
    return held / len(both) if both else 0.0


def _has_words(text: str, part: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(folded(part))}(?!\w)", folded(text)) is not None


def _is_longer(both: Sequence[tuple[str, str]]) -> bool:
    short, way = (sum(len(pair[place]) for pair in both) for place in (0, 1))
    return 0 < _TIMES_AS_LONG * short <= way


def _text(cell: Any) -> str:
    """Of a list its texts, as sets of olympiads have them: a solution or several of them."""
    value = opened(cell)
    if isinstance(value, list) and value and all(isinstance(each, str | int | float) for each in value):
        value = value[0] if len(value) == 1 else " ".join(map(str, value))
    return str(value).strip() if isinstance(value, str | int | float) else ""
