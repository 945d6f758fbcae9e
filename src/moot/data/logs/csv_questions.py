"""The questions of a table of replies. Whoever imports one can write nothing beside it: what cannot be told of them is settled in
the table, and until then its replies come without references.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from moot.data.blank_references import BlankReferences
from moot.data.logs.csv_columns import ReplyColumns
from moot.data.logs.csv_labels import labelled_replies
from moot.data.logs.csv_names import guessed_anywhere
from moot.data.logs.csv_verdicts import SAY_RIGHT, mostly_verdicts
from moot.data.logs.csv_words import cells_of
from moot.data.logs.fields import text
from moot.data.logs.log import NO_REFERENCE
from moot.data.logs.rows_without_reference import NONE_WITHOUT, RowsWithoutReference
from moot.data.tables.doubts import Doubt
from moot.data.tables.known_names import COLUMN_KEYS, ColumnNames, plain, several
from moot.data.tables.listed_names import cut
from moot.data.tables.proposal import Proposal, Stated, propose_columns
from moot.data.tables.table import QuestionTable
from moot.errors import FileError
from moot.types import TEXT, Case, QuestionKind

_IN_A_FILE = re.compile(r"\b(?:under questions|columns: \{|answers: |kind: |format: |skip_blank: )")
"""What is written in an experiment file."""
_NUMERAL = re.compile(r"\W*[+-]?\d+(?:\.0)?\W*")
_RENAME = "rename columns in the table, so that one is called so and no other"
_CHANGE = "change the table, such as by deleting or renaming this column"
_OWN = "or bring questions of your own with the same ids"
_LETTERS = f"write the letters of the right choices under answer, {_OWN}"
_LABELS = f"write there what replies call them, such as spam, in the place of the numbers, {_OWN}"
_SEVERAL = f"write | between answers each of which is right, and no other mark where it is one answer, {_OWN}"


@dataclass(frozen=True, slots=True)
class TableQuestions:
    cases: Mapping[int, Case]
    """By line."""
    doubt: str | None = None
    """Why it cannot be told what is right, although a column says it, and what to do."""
    blank: RowsWithoutReference = field(default=NONE_WITHOUT)
    written: Mapping[int, str] = field(default_factory=dict)
    """By line, what stands there for a yes or a no: replies may be written as references are."""
    letters: Mapping[tuple[int, str], str] = field(default_factory=dict)
    """By line and column the choice that a reply names as references are written there."""


def questions_of(table: QuestionTable, kept: Sequence[str], replies: Sequence[ReplyColumns]) -> TableQuestions:
    """`kept`: the columns that questions may be made of."""
    said = [each.more.get("extracted", each.reply) for each in replies]
    found = guessed_anywhere(kept)
    # Of what is in doubt nothing is said: then the doubt is told.
    columns = {key: found.columns.get(key) for key in COLUMN_KEYS if key not in found.doubts and key != "meta"}
    proposal = _proposed(table, columns)
    if any(_are_labels(doubt) for doubt in proposal.doubts) and _mostly_numerals(table, said):
        proposal = _proposed(table, columns, "open")  # whose number is the answer
    if proposal.doubts and all(map(_is_of_answers, proposal.doubts)):
        # What is right cannot be told: the replies are there all the same.
        unreferenced = _without_references(table, columns, _no_reference(proposal.doubts[0]))
        if unreferenced is not None:
            return unreferenced
    if proposal.doubts or proposal.source is None:
        raise _slip(table, found.doubts.get("answer", ())) or _settled_in_the_table(proposal.error())
    labelled = labelled_replies(proposal.source, replies)
    if labelled.doubt is not None and (unreferenced := _without_references(table, columns, labelled.doubt)) is not None:
        return unreferenced
    blank = BlankReferences(skip=True)
    cases = {placed.line: placed.case for placed in replace(proposal.source, blank=blank).cases("en")}
    written = _written(table, columns.get("answer"), cases)
    return TableQuestions(cases, blank=RowsWithoutReference.of(blank), written=written, letters=labelled.letters)


def _without_references(
    table: QuestionTable, columns: Mapping[str, ColumnNames | None], doubt: str
) -> TableQuestions | None:
    """None: nor can they be asked so."""
    without = _proposed(table, {**columns, "answer": None})
    if without.source is None or without.doubts:
        return None
    return TableQuestions({placed.line: placed.case for placed in without.source.cases("en")}, doubt)


def _written(table: QuestionTable, column: ColumnNames | None, cases: Mapping[int, Case]) -> dict[int, str]:
    """True, 1 or ja where the reference is read as yes."""
    if not isinstance(column, str):
        return {}
    cells = ((line, text(row.get(column))) for line, row in table.rows((column,)))
    return {
        line: cell.strip()
        for line, cell in cells
        if cell is not None and line in cases and cases[line].question.kind == "yes-no"
    }


def _are_labels(doubt: Doubt) -> bool:
    return any(way.kind == "open" for way in doubt.ways)


def _is_of_answers(doubt: Doubt) -> bool:
    """Whether it is about how references are written: a numeral beside numerals may be a place or the words of a choice, one
    alone the number of a label, and semicolons may part several."""
    return bool(doubt.ways) and all(way.answers or way.kind or way.references for way in doubt.ways)


def _no_reference(doubt: Doubt) -> str:
    way_out = _LETTERS
    if _are_labels(doubt):
        way_out = _LABELS
    elif any(way.references for way in doubt.ways):
        way_out = _SEVERAL
    where = f"{doubt.column}: " if doubt.column and way_out != _LETTERS else ""
    told = doubt.brief or doubt.problem.partition("; say which")[0]
    return f"{where}{told}; {NO_REFERENCE}: {way_out}"


def _mostly_numerals(table: QuestionTable, said: Sequence[str]) -> bool:
    cells = [cell for each in cells_of(table, said).values() for cell in each]
    return 2 * sum(_NUMERAL.fullmatch(cell) is not None for cell in cells) > len(cells)


def _slip(table: QuestionTable, references: Sequence[ColumnNames]) -> FileError | None:
    """Why one of the columns that could be the reference is there twice: but for some cell it would be verdicts."""
    for column in (name for each in references for name in several(each) if plain(name) in SAY_RIGHT):
        if odd := mostly_verdicts(table, column):
            problem = f"{cut(odd.cell)!r} is no verdict, as the others under {column} are; expected right or wrong"
            called = "or another name of the column, if it is the reference"
            return FileError(f"{problem}, {called}", file=table.path, line=odd.line, key=column)
    return None


def _settled_in_the_table(error: FileError) -> FileError:
    """Columns of questions can be named in an experiment file, those of replies cannot."""
    problem, asked, _ = error.problem.partition("; say which under questions")
    if asked:
        words = f"{problem}; {_RENAME}"
    elif _IN_A_FILE.search(problem):
        left = [part for part in re.split(r"; |, or |, and (?=columns: )", problem) if not _IN_A_FILE.search(part)]
        words = "; ".join([*(left or ["it cannot be told how this is to be read"]), _CHANGE])
    else:
        return error
    return FileError(words, file=error.file, line=error.line, key=error.key)


def _proposed(
    table: QuestionTable, columns: Mapping[str, ColumnNames | None], kind: QuestionKind | None = None
) -> Proposal:
    missing = columns.get("answer", "?") is None
    if missing:
        columns = {**columns, "choices": None}  # without a reference nobody can tell letters from words
    stated = {key: each for key, each in columns.items() if each or key != "text"}
    return propose_columns(table.path, Stated(stated, kind=TEXT if missing else kind))
