"""A column called correct that may as well be the reference as say whether a reply is right: it is taken for neither."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from moot.data.logs.csv_names import NAMES, guessed_anywhere, named
from moot.data.logs.csv_verdicts import YES_OR_NO
from moot.data.logs.fields import text
from moot.data.logs.log import NO_REFERENCE
from moot.data.tables.known_names import plain, several
from moot.data.tables.table import QuestionTable

PLACES = ("0", "1", "0.0", "1.0")
"""Verdicts that may be the places of choices as well."""


@dataclass(frozen=True, slots=True)
class UnclearColumn:
    name: str
    may_be: str
    """Beside whether the reply is right."""
    way_out: str

    @property
    def remark(self) -> str:
        return (
            f"{self.name} may be {self.may_be} or whether the reply is right, so it is taken for neither: call it is_correct,"
            f" or {self.way_out}"
        )


def unclear_column(table: QuestionTable, wanted: str | None) -> UnclearColumn | None:
    """Of a row for each reply: the place of the right one of two choices, or the answer to a question of yes or no.

    It is a verdict where something else is the reference, and where it differs between replies to one question.
    """
    reply = named(table.names, "reply")
    if reply is None and named(table.names, "model") is None:
        return None
    of_question = guessed_anywhere(table.names).columns
    column, asked = of_question.get("answer"), of_question.get("text")
    if not isinstance(column, str) or asked is None or plain(column) not in NAMES["worth"]:
        return None
    if wanted is not None and plain(wanted) == plain(column):
        return None
    words = several(asked)
    cells: dict[str, list[str]] = {}
    for _, row in table.rows((column, *words)):
        if (cell := text(row.get(column))) is not None:
            cells.setdefault(str([row.get(each) for each in words]), []).append(cell.strip().casefold())
    if not cells or not all(len({*each}) == 1 for each in cells.values()):
        return None
    there = {cell for each in cells.values() for cell in each}
    if "choices" in of_question and there <= set(PLACES):
        return UnclearColumn(
            column, "the place of the right choice", "write the letters of the right choices under answer"
        )
    if "choices" not in of_question and there <= YES_OR_NO and reply is not None:
        # That several replies to every question are alike right or alike wrong is rarer than that it is asked for yes or no.
        alike = len(cells) > 1 and 2 * sum(len(each) > 1 for each in cells.values()) > len(cells)
        if alike or _mostly_yes_or_no(table, reply):
            return UnclearColumn(column, "the right answer", "call it answer")
    return None


def _mostly_yes_or_no(table: QuestionTable, reply: str) -> bool:
    said = [words for _, row in table.rows((reply,)) if (words := (text(row.get(reply)) or "").split())]
    return bool(said) and 2 * sum(_says_so(words) for words in said) > len(said)


def _says_so(words: Sequence[str]) -> bool:
    """ "Yes, it is.", "So the answer is yes." """
    return any(word.strip(".,;:!*\"'{}[]`").casefold() in YES_OR_NO for word in (words[0], words[-1]))


def no_reference(doubt: str) -> str:
    return (
        f"{doubt}; {NO_REFERENCE}: write the letters of the right choices under answer, or bring"
        " questions of your own with the same ids"
    )
