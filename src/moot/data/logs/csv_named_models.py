"""A column of a name that nobody knows which may name the model: short words, of which the same stand beside every question."""

from __future__ import annotations

from collections.abc import Sequence

from moot.data.logs.csv_names import guessed_anywhere
from moot.data.logs.csv_stems import names_no_model
from moot.data.logs.csv_words import Cells, answer_columns, cells_of, says_words
from moot.data.logs.fields import text
from moot.data.logs.log import by_models
from moot.data.tables.known_names import several
from moot.data.tables.table import QuestionTable
from moot.errors import FileError

_LONGEST = 80
"""Characters of a model's name."""
_FEWEST = 2
"""Questions with several rows, and models."""
_NEARLY_ALL = 0.8
"""Of them, since some model may lack some reply."""


def may_name_models(table: QuestionTable, of_questions: Sequence[str], free: Sequence[str]) -> list[str]:
    """`free`: the columns that are nothing else that is known."""
    found = guessed_anywhere(of_questions).columns
    asked = [name for key in ("text", "id", "context", "choices") for name in several(found.get(key, ()))]
    cells = cells_of(table, [*free, *(right := answer_columns(of_questions))])
    references = {cell.casefold() for name in right for cell in cells[name]}
    could = [name for name in free if not names_no_model(name) and _are_names(cells, name, references)]
    if not could or not {"text", "id"} & {*found}:
        return []
    of_questions_said: dict[tuple[str, ...], list[dict[str, str]]] = {}
    for _, row in table.rows((*asked, *could)):
        said = {name: (text(row.get(name)) or "").strip() for name in could}
        of_questions_said.setdefault(tuple(str(row.get(name)) for name in asked), []).append(said)
    repeated = [rows for rows in of_questions_said.values() if len(rows) > 1]
    if len(repeated) < _FEWEST or 2 * len(repeated) < len(of_questions_said):
        return []
    return [name for name in could if _same_beside_all(repeated, name)]


def _are_names(cells: Cells, name: str, references: set[str]) -> bool:
    own = {*cells[name]}
    short = all(len(cell) <= _LONGEST and "\n" not in cell and says_words(cell) for cell in own)
    return short and len(own) >= _FEWEST and not {cell.casefold() for cell in own} & references


def _same_beside_all(repeated: Sequence[Sequence[dict[str, str]]], name: str) -> bool:
    sets = [{row[name] for row in rows} for rows in repeated]
    every = set().union(*sets)
    return sum(each == every for each in sets) >= _NEARLY_ALL * len(sets)


def call_it_model(columns: Sequence[str]) -> str:
    which = columns[0] if len(columns) == 1 else f"one of {', '.join(columns)}"
    return f"if {which} names the model, call it model"


def check_no_row_each(table: QuestionTable, of_questions: Sequence[str]) -> None:
    """That a table of which no column is known to hold models has a column for each, and no row for each reply: the names of
    models would be replies there."""
    free = [name for name in table.names if name not in of_questions and name not in table.nameless]
    if found := may_name_models(table, of_questions, free):
        beside = "it has the same few words beside every question, as names of models are"
        problem = f"{beside}; {call_it_model(found)}, and the replies reply; or {by_models()} if columns are models"
        raise FileError(problem, file=table.path, line=table.header, key=", ".join(found))
