"""A column of verdicts by its name and cells that may as well be the reference: it is taken for neither, or it is told what it is
taken for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from moot.data.logs.csv_names import guessed_anywhere
from moot.data.logs.csv_verdicts import YES_OR_NO
from moot.data.logs.fields import text
from moot.data.logs.log import by_metric
from moot.data.tables.known_names import plain, several
from moot.data.tables.table import QuestionTable

PLACES = ("0", "1", "0.0", "1.0")
"""Verdicts that may be the places of choices as well, or the numbers of labels."""
_NOTHING_ELSE = frozenset(("iscorrect", "isright", "passed", "pass", "accuracy", "acc", "exactmatch"))
"""What no reference is called."""
_FEWEST_ALIKE = 2
"""Questions with several replies, of which one may have the same verdict twice by chance."""
_SHORT = 30
"""Words of a reply in which a yes anywhere may be what it says; in more it may be any word."""


@dataclass(frozen=True, slots=True)
class UnclearColumn:
    name: str
    may_be: str
    """Beside whether the reply is right."""
    way_out: str
    taken: bool = False
    """Whether it is taken for verdicts all the same."""

    @property
    def remark(self) -> str:
        if self.taken:
            return f"{self.name} is taken for whether the reply is right: if it is {self.may_be}, {self.way_out}"
        return (
            f"{self.name} may be {self.may_be} or whether the reply is right, so it is taken for neither: call it is_correct"
            f" or say {by_metric(self.name)}, or {self.way_out}"
        )


def unclear_column(table: QuestionTable, column: str, reply: str, kept: Sequence[str]) -> UnclearColumn | None:
    """Of a row for each reply: the right one's place of two choices, a label's number, or the answer to a question of yes or no.
    `column`: the verdicts that would be taken; `kept`: what is left for the question.

    It is a verdict where something else is the reference, and where it differs between replies to one question.
    """
    guess = guessed_anywhere(kept)
    asked = guess.columns.get("text")
    if plain(column) in _NOTHING_ELSE or asked is None or "answer" in {*guess.columns, *guess.doubts}:
        return None
    words = [name for key in ("text", "context", "choices") for name in several(guess.columns.get(key, ()))]
    cells: dict[str, list[str]] = {}
    for _, row in table.rows((column, *words)):
        if (cell := text(row.get(column))) is not None:
            cells.setdefault(str([row.get(each) for each in words]), []).append(cell.strip().casefold())
    if not cells or not all(len({*each}) == 1 for each in cells.values()):
        return None
    there = {cell for each in cells.values() for cell in each}
    if "choices" in guess.columns:
        places = UnclearColumn(
            column, "the place of the right choice", "write the letters of the right choices under answer"
        )
        return places if there <= set(PLACES) else None
    if not there <= {*YES_OR_NO, *PLACES}:
        return None
    # That several replies to every question are alike right or alike wrong is rarer than that it is asked for yes or no.
    alike = sum(len(each) > 1 for each in cells.values()) >= _FEWEST_ALIKE
    taken = not alike and not _mostly_say(table, reply, there)
    return UnclearColumn(column, "the right answer", "call it answer", taken)


def _mostly_say(table: QuestionTable, reply: str, there: set[str]) -> bool:
    """Whether most replies say what stands in that column, or yes or no."""
    said = [words for _, row in table.rows((reply,)) if (words := (text(row.get(reply)) or "").split())]
    return bool(said) and 2 * sum(_says_so(words, there) for words in said) > len(said)


def _says_so(words: Sequence[str], there: set[str]) -> bool:
    """ "Yes, it is.", "So the answer is yes.", {"answer": "yes"}"""
    said = [word.strip(".,;:!*\"'{}[]`").casefold() for word in words]
    return any(word in YES_OR_NO for word in (said[0], said[-1])) or (len(said) <= _SHORT and bool(there & {*said}))
