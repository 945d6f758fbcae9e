"""Replies that stand in a column called answer, Antwort or the like, as references do elsewhere.

Beside a column of models it can be nothing else where another column is the reference, or where it differs between rows of
one question, of which there is one reference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from moot.data.logs.csv_cells import is_empty
from moot.data.logs.csv_names import guessed_anywhere
from moot.data.logs.csv_verdicts import SAY_RIGHT, mostly_verdicts
from moot.data.logs.fields import text
from moot.data.tables.known_names import ColumnNames, plain, several
from moot.data.tables.table import QuestionTable
from moot.errors import FileError

ANSWERS = frozenset(("answer", "ответ", "antwort", "réponse", "reponse", "respuesta", "risposta", "resposta"))
"""As `plain` makes it: what is said to a question, by whomever."""


@dataclass(frozen=True, slots=True)
class CalledAnswers:
    column: str
    remark: str


def called_answers(table: QuestionTable, model: str, free: Sequence[str]) -> CalledAnswers:
    """`free`: the columns that are not about replies. `FileError`: none of them can only be the replies."""
    called = [name for name in free if plain(name) in ANSWERS]
    if len(called) == 1:
        others = [name for name in free if name not in called]
        references = [name for name in _references(others) if not _is_slip(table, name)]
        if references:
            beside = f"since the reference is under {' or '.join(references)}"
            return CalledAnswers(called[0], f"the replies are those under {called[0]}, {beside}")
        if (asked := _differing(table, called[0], others)) is not None:
            differs = f"which differ between rows of one question ({' '.join(asked.split())[:60]!r})"
            return CalledAnswers(called[0], f"the replies are those under {called[0]}, {differs}")
    beside = "".join(
        f", or references under another name, such as target, if the replies are under {name}" for name in called
    )
    expected = f"expected a column such as reply, response or output beside it{beside}"
    raise FileError(f"a column of models and none of their replies; {expected}", file=table.path, key=model)


def _references(names: Sequence[str]) -> Iterator[str]:
    guess = guessed_anywhere(names)
    found: list[ColumnNames] = [*guess.doubts.get("answer", ())]
    found += [guess.columns["answer"]] if "answer" in guess.columns else []
    for each in found:
        yield from several(each)


def _is_slip(table: QuestionTable, name: str) -> bool:
    """Whether it would be verdicts but for some cell."""
    return plain(name) in SAY_RIGHT and mostly_verdicts(table, name) is not None


def _differing(table: QuestionTable, column: str, others: Sequence[str]) -> str | None:
    """The first question to which it holds two things; None: there is none."""
    columns: Mapping[str, ColumnNames] = guessed_anywhere(others).columns
    if "text" not in columns:
        return None
    words = [name for key in ("id", "text", "context", "choices") if key in columns for name in several(columns[key])]
    asked = several(columns["text"])[0]
    first: dict[tuple[str, ...], str] = {}
    for _, row in table.rows((column, *words)):
        said = text(row.get(column))
        if said is not None and not is_empty(said):
            plainly = " ".join(said.split()).casefold()
            if first.setdefault(tuple(str(row.get(name)) for name in words), plainly) != plainly:
                return str(row.get(asked))
    return None
