"""By which column of a table a reply is right. Of several that disagree none is taken for standing first in a list of names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from moot.data.logs.csv_cells import OddCells, is_empty, odd_cells
from moot.data.logs.fields import share, text
from moot.data.logs.log import by_metric
from moot.data.logs.verdict_evidence import VerdictEvidence
from moot.data.logs.verdict_names import disagreeing
from moot.data.tables.known_names import plain
from moot.data.tables.table import QuestionTable

SAY_RIGHT = (
    *("correct", "iscorrect", "isright", "right", "passed", "pass", "accuracy", "acc", "verdict", "exactmatch"),
    *("верно", "правильно", "korrekt", "richtig", "correcto", "correcta", "corretto", "corretta", "correto", "correta"),
)
"""What columns are called, as `plain` makes it, that say whether a reply is right."""
ANYTHING = ("score", "grade")
"""Those that may say it, or how polite a reply is: they are no verdicts where the replies speak against it."""
SHARES = (*ANYTHING, "accuracy", "acc")
"""Those that may give a part of a point: under "correct" such a number may be the answer itself."""
_YES = (
    *("true", "yes", "да", "ja", "oui", "sí", "si", "sì", "sim", "истина", "wahr", "vrai", "verdadero", "vero"),
    "verdadeiro",
)
_NO = ("false", "no", "нет", "nein", "non", "não", "nao", "ложь", "falsch", "faux", "falso")
"""With what spreadsheets write for true and false in these languages."""
YES_OR_NO = frozenset((*_YES, *_NO))
"""What may be the answer to a question as well."""
VERDICTS = {
    **dict.fromkeys(("1", "1.0", "correct", "right", "pass", "passed", "c", "верно", "правильно", "richtig"), 1.0),
    **dict.fromkeys(("0", "0.0", "incorrect", "wrong", "fail", "failed", "i", "неверно", "неправильно"), 0.0),
    **dict.fromkeys(_YES, 1.0),
    **dict.fromkeys(_NO, 0.0),
}
WAY_OUT = f"no verdicts are taken; {by_metric()} says by which column replies are right"


@dataclass(frozen=True, slots=True)
class VerdictColumn:
    """None: there is none, or none can be told to be."""

    column: str | None
    remark: str | None = None
    may_be_anything: bool = False
    """Whether its name does not say that it is about right answers."""
    beside: tuple[str, ...] = ()
    """Others that hold verdicts, and so no part of a question."""


def verdict_column(table: QuestionTable, called: dict[str, str], wanted: str | None) -> VerdictColumn:
    """Of the columns about one model's replies. `called`: what each is called, as `plain` makes it, without the model."""
    there = {column: bare for column, bare in called.items() if bare in (*SAY_RIGHT, *ANYTHING)}
    there = {column: bare for column, bare in there.items() if is_verdict(table, column, shares=bare.endswith(SHARES))}
    if wanted is not None:
        return _named(table, called, tuple(there), wanted)
    sure = [column for column, bare in there.items() if bare in SAY_RIGHT]
    among = sure or list(there)
    if not among:
        return VerdictColumn(None)
    if disagreeing(_values(table, column) for column in among):
        return VerdictColumn(None, f"the columns {', '.join(among)} disagree: {WAY_OUT}", beside=tuple(there))
    others = tuple(column for column in there if column != among[0])
    differ = bool(others) and disagreeing(_values(table, column) for column in there)
    told = f"verdicts by {among[0]}" + (f", not by {', '.join(others)}" if differ else "")
    return VerdictColumn(among[0], told if differ or not sure else None, not sure, others)


def _named(table: QuestionTable, called: dict[str, str], there: tuple[str, ...], wanted: str) -> VerdictColumn:
    named = [column for column, bare in called.items() if wanted == column or plain(wanted) in (bare, plain(column))]
    if not named:
        could = ", ".join(there or tuple(column for column in called if may_be_verdicts(table, column)))
        known = f"; there is {could}" if could else ""
        return VerdictColumn(
            None, f"no column beside the replies is called {wanted}{known}: no verdicts are taken", beside=there
        )
    if not is_verdict(table, named[0], shares=True):
        return VerdictColumn(None, not_verdicts(table, named[0], shares=True), beside=(*there, named[0]))
    return VerdictColumn(named[0], beside=tuple(column for column in there if column != named[0]))


def refuted(column: str, seen: VerdictEvidence) -> str | None:
    """Why a column that may be of anything is no verdict; None: nothing speaks against it."""
    if not seen.speaks_against:
        return None
    return f"{column} does not tell replies that say the reference from others ({seen.told}): {WAY_OUT}"


def not_verdicts(table: QuestionTable, column: str, *, shares: bool) -> str:
    odd = odd_cells(table, column, partial(_is_readable, shares=shares))
    held = f"{odd.share} none {odd.place}" if odd is not None else "all its cells are empty"
    return f"{column} holds no verdicts: {held}; expected right or wrong, or a share from 0 to 1"


def is_verdict(table: QuestionTable, column: str, *, shares: bool) -> bool:
    return odd_cells(table, column, partial(_is_readable, shares=shares)) is None and any(
        not is_empty(cell) for cell in _cells(table, column)
    )


def may_be_verdicts(table: QuestionTable, column: str) -> bool:
    """Whatever it is called. What is the same for every reply tells nothing, as a temperature."""
    return is_verdict(table, column, shares=True) and len({*_values(table, column)} - {None}) > 1


def mostly_verdicts(table: QuestionTable, column: str) -> OddCells | None:
    """What is none among cells of which most are verdicts, which may be a slip; None: there is nothing of the kind."""
    odd = odd_cells(table, column, partial(_is_readable, shares=False))
    return odd if odd is not None and 2 * odd.number < odd.of else None


def _is_readable(cell: str, *, shares: bool) -> bool:
    return verdict(cell, shares=shares) is not None


def verdict(cell: str, *, shares: bool) -> float | None:
    known = VERDICTS.get(cell.strip().casefold())
    if known is not None or not shares:
        return known
    try:
        return share(float(cell))
    except ValueError:
        return None


def _values(table: QuestionTable, column: str) -> Sequence[float | None]:
    return [None if cell is None else verdict(cell, shares=True) for cell in _cells(table, column)]


def _cells(table: QuestionTable, column: str) -> Iterable[str | None]:
    return (text(row.get(column)) for _, row in table.rows((column,)))
