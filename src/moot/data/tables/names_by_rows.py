"""What names leave open and the rows settle, before anybody is asked: a column with nothing in it is none of two that could
be it.

Where several say whose a question is, or what it is about, the first is taken: no figure hangs on it. Where two say what is right
and say the same, either will do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from moot.data.tables.known_names import NAMES, ColumnNames, Guess, plain, several
from moot.data.tables.likely_columns import ROWS_READ
from moot.data.tables.object_cells import answers_of, opened, prose_of
from moot.data.tables.table import QuestionTable
from moot.data.tables.worked_solutions import is_worked, short_beside

_NO_FIGURE_BY_IT = ("id", "category", "comment", "source", "author", "difficulty", "year", "package")
_SURELY_PASSAGES = ("context", "passage", "paragraph", "контекст", "отрывок")
"""Names of which nobody has to see the rows."""
_WORDS = 3
"""Of a passage, on average: less is a title, a name of a file or an address."""
_IN_OBJECTS = "answers"
_WORKED = "solution"


def settled_by_rows(table: QuestionTable, guess: Guess, stated: Mapping[str, ColumnNames | None]) -> Guess:
    """The same guess with less in doubt."""
    candidates = [*guess.columns.values(), *chain.from_iterable(guess.doubts.values())]
    looked_at = {name for each in candidates for name in several(each)}
    looked_at |= {name for name in table.names if plain(name) == _IN_OBJECTS}
    rows = [values for _, values in islice(table.rows(tuple(looked_at)), ROWS_READ)] if looked_at else []
    columns, doubts = dict(guess.columns), dict(guess.doubts)
    for key, each_of in guess.doubts.items():
        left = _of_which(table, key, _with_something(each_of, rows), rows)
        if len(left) == 1:
            columns[key] = left[0]
            del doubts[key]
        else:
            doubts[key] = tuple(left)
    _take_short_answer(table, columns, doubts, stated)
    _check_passages(columns, doubts, rows)
    if "text" not in {**columns, **doubts, **stated}:
        columns.pop("context", None)  # it may be all that is asked
    if "answer" not in {**columns, **doubts, **stated}:
        known = [each for each in (*columns.values(), *stated.values()) if each is not None]
        used = {name for each in known for name in several(each)}
        held = [name for name in table.names if plain(name) == _IN_OBJECTS and name not in used]
        if len(held) == 1 and _are_objects(held[0], rows):
            columns["answer"] = held[0]
    return replace(guess, columns=columns, doubts=doubts)


def _with_something(candidates: Sequence[ColumnNames], rows: Sequence[Mapping[str, Any]]) -> list[ColumnNames]:
    held = [each for each in candidates if any(_is_something(row.get(name)) for row in rows for name in several(each))]
    return held or list(candidates)


def _is_something(cell: Any) -> bool:
    return cell is not None and cell != "" and cell != []


def _of_which(
    table: QuestionTable, key: str, candidates: list[ColumnNames], rows: Sequence[Mapping[str, Any]]
) -> list[ColumnNames]:
    if len(candidates) < 2:
        return candidates
    if key == "id":
        return next(([each] for each in _in_order(key, candidates) if _tells_apart(table, each)), candidates)
    if key in _NO_FIGURE_BY_IT:
        return _in_order(key, candidates)[:1]
    if key == "answer":
        return _without_worked(candidates, rows)
    return candidates


def _in_order(key: str, candidates: Sequence[ColumnNames]) -> list[ColumnNames]:
    """The commonest name first."""
    names = NAMES.get(key, ())

    def place(each: ColumnNames) -> int:
        bare = plain(several(each)[0])
        return names.index(bare) if bare in names else len(names)

    return sorted(candidates, key=place)


def _tells_apart(table: QuestionTable, each: ColumnNames) -> bool:
    """Whether all rows have something else in it."""
    (name,) = several(each)
    seen: set[str] = set()
    for _, values in table.rows((name,)):
        text = str(values.get(name, "")).strip()
        if not text or text in seen:
            return False
        seen.add(text)
    return True


def _without_worked(candidates: list[ColumnNames], rows: Sequence[Mapping[str, Any]]) -> list[ColumnNames]:
    """Without a solution that is a way to the answer, where another column has the answer."""
    first, *_ = others = [each for each in candidates if plain(several(each)[0]) != _WORKED] or candidates
    if len(others) == 1 and all(
        is_worked(several(each)[0], several(first)[0], rows) for each in {*candidates} - {first}
    ):
        return others
    return candidates


def _take_short_answer(
    table: QuestionTable,
    columns: dict[str, ColumnNames],
    doubts: Mapping[str, tuple[ColumnNames, ...]],
    stated: Mapping[str, ColumnNames | None],
) -> None:
    """In place of the solution that comes to it."""
    known = columns.get("answer")
    if not isinstance(known, str):
        return
    of_doubts = chain.from_iterable(doubts.values())
    used = {name for each in (*columns.values(), *of_doubts, *stated.values()) if each for name in several(each)}
    found = short_beside(table, known, [name for name in table.names if name not in used])
    if found is not None and found.clear is not None:
        columns["answer"] = found.clear


def _check_passages(
    columns: dict[str, ColumnNames], doubts: dict[str, tuple[ColumnNames, ...]], rows: Sequence[Mapping[str, Any]]
) -> None:
    """What is called a document may be its name."""
    candidates = doubts.pop("context", ()) or tuple(
        each for each in (columns.pop("context", None),) if each is not None
    )
    held = [
        each for each in candidates if plain(several(each)[0]) in _SURELY_PASSAGES or _is_prose(several(each)[0], rows)
    ]
    if len(held) == 1:
        columns["context"] = held[0]
    elif held:
        doubts["context"] = tuple(held)


def _is_prose(name: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    cells = [row.get(name) for row in rows if _is_something(row.get(name))]
    texts = [cell if isinstance(cell, str) else prose_of(cell) or "" for cell in cells]
    return bool(texts) and sum(len(text.split()) for text in texts) >= _WORDS * len(texts)


def _are_objects(name: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    """As SQuAD has its answers: nothing else is known to be right by this name."""
    cells = [opened(row.get(name)) for row in rows if _is_something(row.get(name))]
    return bool(cells) and all(answers_of(cell) is not None for cell in cells)
