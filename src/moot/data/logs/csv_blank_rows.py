"""Rows of a table of replies in which something is missing that every row needs: told once a file, with how many there are."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from moot.data.blank_references import listed_lines
from moot.data.logs.csv_names import guessed_anywhere
from moot.data.logs.fields import text
from moot.data.logs.log import LogRemark
from moot.data.rows import blank_csv_rows
from moot.data.tables.known_names import IMAGE
from moot.data.tables.table import QuestionTable
from moot.errors import FileError
from moot.stats.counted_words import count

_CALLED = {"text": "question"}
CSV = (".csv", ".tsv", ".txt")


def filled_rows(table: QuestionTable) -> QuestionTable:
    """Without rows of empty cells, which say nothing of anybody."""

    def rows(names: Sequence[str]) -> Iterator[tuple[int, Mapping[str, Any]]]:
        return ((line, row) for line, row in table.rows(names) if _says_something(row))

    return replace(table, rows=rows)


def blank_rows(table: QuestionTable) -> Iterator[LogRemark]:
    lines = [line for line, row in table.rows(table.names) if not _says_something(row)]
    if table.path.suffix.lower() in CSV:  # whose reader leaves them out
        lines += blank_csv_rows(table.path)
    if lines:
        yield LogRemark(f"{table.path.name}: {count(len(lines), 'blank row')} left out (line {listed_lines(lines)})")


def check_filled(table: QuestionTable, of_questions: Sequence[str], models: Collection[str]) -> None:
    """That every row says what is asked and who answers: one complaint for all rows of the file."""
    guess = guessed_anywhere(of_questions).columns
    if IMAGE in guess:  # a row that asks by a picture is left out
        return
    needed = {name: key for key in ("id", "text") if isinstance(name := guess.get(key), str)}
    needed |= dict.fromkeys(models, "model")
    rows = list(table.rows(tuple(needed))) if needed else []
    for column, key in needed.items():
        lines = [line for line, row in rows if text(row.get(column)) is None]
        if lines:
            where = f" in {len(lines)} rows (line {listed_lines(lines)})" if len(lines) > 1 else " in it"
            problem = f"no {_CALLED.get(key, key)}{where}; fill in or delete"
            raise FileError(problem, file=table.path, line=min(lines), key=column)


def _says_something(row: Mapping[str, Any]) -> bool:
    return any(cell is not None and (not isinstance(cell, str) or cell.strip()) for cell in row.values())
