"""What the columns of somebody's file are: found by their names and by all of its rows, with the reasons and the doubts.

A run takes a proposal without doubts and says its reasons; one with doubts it refuses, with what to write. `moot init` shows
both. One way for both of them, so that what was proposed is what is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from moot.data.case import KEYS
from moot.data.tables.advised_columns import SAY_WHICH, WHICH_COLUMN, in_order, such_as, written
from moot.data.tables.answer_forms import AnswersAs, AnswersSeen, in_words, label_against_text
from moot.data.tables.choices_in_questions import choices_in_questions
from moot.data.tables.doubts import Doubt as Doubt
from moot.data.tables.known_names import (
    IMAGE,
    META,
    WRONG,
    ColumnNames,
    Guess,
    guessed,
    out_of_order,
    plain,
    several,
)
from moot.data.tables.known_sets import KnownSet, known_format, known_set
from moot.data.tables.left_out_choices import LeftOutChoices, left_out_choices
from moot.data.tables.listed_names import MOST_LISTED, MOST_SHOWN, unused_words
from moot.data.tables.listed_names import listed as listed
from moot.data.tables.mapped import ColumnsOfTable, MappedFile, no_such_choice
from moot.data.tables.missing_columns import missing_columns, with_values
from moot.data.tables.names_by_rows import settled_by_rows
from moot.data.tables.names_in_doubt import two_could_be
from moot.data.tables.numbers_for_questions import numbers_for_questions
from moot.data.tables.odd_choices import odd_choices
from moot.data.tables.odd_sheets import other_sheets_told
from moot.data.tables.passages_of_groups import passages_of_groups
from moot.data.tables.pictured_rows import images_in_doubt, left_out_words, pictured_lines
from moot.data.tables.questions_and_passages import either_in_doubt
from moot.data.tables.rival_answers import flags_for_answers, rival_answers
from moot.data.tables.rows_seen import rows_seen, uncut
from moot.data.tables.several_right import several_right
from moot.data.tables.stated import NOTHING_STATED as NOTHING_STATED
from moot.data.tables.stated import Stated as Stated
from moot.data.tables.stated import stated_too as stated_too
from moot.data.tables.stored_percentages import stored_percentages
from moot.data.tables.table import QuestionTable, in_our_form, table_of
from moot.data.tables.told_answers import telling_context
from moot.data.tables.unused_passages import unused_passages
from moot.errors import FileError
from moot.models.closest import closest, closest_name
from moot.types import TEXT


@dataclass(frozen=True, slots=True)
class Proposal:
    """Which column is what, how answers are written, why, and what has to be said by whoever knows."""

    path: Path
    ours: bool = False
    """Whether the file is in our own form and needs nothing to be said."""
    columns: Mapping[str, ColumnNames] = field(default_factory=dict)
    answers: AnswersAs | None = None
    """How the answers to questions with choices are written; None: there are no choices, or it is in doubt."""
    reasons: tuple[str, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    unused: tuple[str, ...] = ()
    """Columns that are nothing."""
    source: MappedFile | None = field(default=None, repr=False)
    """Its questions, if there is no doubt and it is not in our own form."""

    @property
    def keys(self) -> dict[str, Any]:
        """What to write under `questions:` beside the file, in the terms of YAML."""
        if self.ours:
            return {}
        columns = {key: value if isinstance(value, str) else list(value) for key, value in self.columns.items()}
        return {"columns": columns} | ({"answers": self.answers} if self.answers else {})

    def error(self) -> FileError:
        """The doubts as one complaint: all that are about the header, or the first about a row."""
        first = self.doubts[0]
        together = [doubt for doubt in self.doubts if doubt.line == first.line]
        if len(together) == 1:
            return FileError(first.problem, file=self.path, line=first.line, key=first.column)
        if all(doubt.write for doubt in together):
            merged: dict[str, ColumnNames] = {}
            for doubt in together:
                merged |= doubt.write
            said = "; ".join(doubt.unadvised for doubt in together)
            return FileError(f"{said}; {SAY_WHICH} {written(in_order(merged))}", file=self.path, line=first.line)
        words = "; ".join(f"{doubt.column}: {doubt.problem}" if doubt.column else doubt.problem for doubt in together)
        return FileError(words, file=self.path, line=first.line)


def propose_columns(path: Path, stated: Stated = NOTHING_STATED) -> Proposal:
    """Read a table and say what its columns are. `FileError`: it is no table that can be read at all.

    >>> proposal = propose_columns(Path("cup.csv"))  # doctest: +SKIP
    >>> proposal.keys  # doctest: +SKIP
    {'columns': {'text': 'question', 'choices': ['A', 'B'], 'answer': 'correct'}, 'answers': 'letters'}
    """
    try:
        if stated == Stated(kind=stated.kind) and in_our_form(path):
            return Proposal(path, ours=True)
        return _of_sheet(path, stated.sheet, stated)
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror or error}", file=path) from None


def _of_sheet(path: Path, sheet: str | None, stated: Stated) -> Proposal:
    table = table_of(path, sheet)
    proposal = _proposed(table, stated)
    if proposal.doubts and (told := other_sheets_told(table, lambda name: not _of_sheet(path, name, stated).doubts)):
        first, *others = proposal.doubts
        of_sheet = replace(first, problem=f"{first.problem}; {told}", unadvised=f"{first.unadvised}; {told}")
        return replace(proposal, doubts=(of_sheet, *others))
    return proposal


def _proposed(table: QuestionTable, stated: Stated) -> Proposal:
    if wrong := _no_such_columns(table, stated.columns):
        return Proposal(table.path, doubts=wrong)
    known = known_set(table.names, stated.columns)
    guess = _guess(table, stated, known)
    columns = in_order({**{key: each for key, each in stated.columns.items() if each is not None}, **guess.columns})
    used = {name for each in columns.values() for name in several(each)}
    unused = [name for name in table.names if name not in used]
    spare = [name for name in unused if name.strip()]  # what no file could name is nothing
    found = {key: each for key, each in guess.columns.items() if each != key and not _is_meta(key, each)}
    if not stated.columns and not found and not guess.doubts and {*stated.needed} <= set(columns) and unused:
        if table.rows_are_named:
            return Proposal(table.path, ours=True)
        if spare:
            return Proposal(table.path, doubts=_unknown(table, spare))
    if (format_of := known_format(table.names)) is not None and not {*stated.needed} <= {*columns}:
        problem = f"these are the columns of a set that is no table; format: {format_of} under questions reads it"
        return Proposal(table.path, doubts=(Doubt(problem, table.header),))
    if doubts := (*two_could_be(table, stated, guess), *missing_columns(table, stated, columns, guess, spare)):
        return Proposal(table.path, columns=columns, doubts=doubts)
    if doubts := _misleading(table, guess, columns, spare):
        return Proposal(table.path, columns=columns, doubts=doubts, unused=tuple(unused))
    if (pictured := images_in_doubt(table, stated, spare)) is not None:
        return Proposal(table.path, columns=columns, doubts=(pictured,), unused=tuple(unused))
    left_out = _left_out(table, stated, columns, spare)
    if left_out is not None and left_out.doubt is not None:
        return Proposal(table.path, columns=columns, doubts=(left_out.doubt,), unused=tuple(unused))
    if left_out is not None and left_out.taken:
        columns = in_order({**columns, "choices": left_out.taken})
        unused = [name for name in unused if name not in left_out.taken]
    asked_about = known is None and "context" not in stated.columns
    if (shares := stored_percentages(table, columns)) is not None:
        return Proposal(table.path, columns=columns, doubts=(shares,), unused=tuple(unused))
    if asked_about and (merged := passages_of_groups(table, columns)) is not None:
        return Proposal(table.path, columns=columns, doubts=(merged,), unused=tuple(unused))
    if asked_about and (passages := unused_passages(table, columns, spare)) is not None:
        return Proposal(table.path, columns=columns, doubts=(passages,), unused=tuple(unused))
    reasons = _reasons(table, stated, columns, found, unused, left_out)
    if known is not None and found:
        reasons = (f"its columns are those of {known.name}", *reasons)
    usual = known.answers if known is not None else None
    proposal = replace(_by_rows(table, stated, columns, reasons, spare, usual), unused=tuple(unused))
    return _with_context_told(table, proposal) if asked_about else proposal


def _with_context_told(table: QuestionTable, proposal: Proposal) -> Proposal:
    """Said of a context that nobody named and that has the answers in it."""
    found = telling_context(table, proposal.columns) if proposal.source is not None else None
    if isinstance(found, Doubt):
        return replace(proposal, doubts=(found,), source=None)
    return replace(proposal, reasons=(*proposal.reasons, found)) if found is not None else proposal


def _guess(table: QuestionTable, stated: Stated, known: KnownSet | None) -> Guess:
    of_set = (
        {key: each for key, each in known.columns.items() if key not in stated.columns} if known is not None else {}
    )
    guess = settled_by_rows(table, guessed(table.names, {**of_set, **stated.columns}), {**of_set, **stated.columns})
    guess = either_in_doubt(table, guess)
    return replace(guess, columns={**of_set, **guess.columns})


def _is_meta(key: str, columns: ColumnNames) -> bool:
    return key == "meta" and not isinstance(columns, str) and all(name.startswith(META) for name in columns)


def _no_such_columns(table: QuestionTable, columns: Mapping[str, ColumnNames | None]) -> tuple[Doubt, ...]:
    stated = [(key, name) for key, each in columns.items() if each is not None for name in several(each)]
    wrong = [(key, name) for key, name in stated if name not in table.names]
    if not wrong:
        return ()
    if examples := [f"{key}: {name}" for key, name in wrong if name == WHICH_COLUMN]:
        problem = f"{', '.join(examples)} is an example: put the name of a column in its place"
        return (Doubt(f"{problem}; the columns are {with_values(table)}", table.header),)
    said = ", ".join(f"{name!r} for {key}{_near(name, table.names)}" for key, name in wrong)
    problem = f"no column {said}; the columns are {listed(table.names)}"
    return (Doubt(problem, table.header),)


def _near(name: str, names: Sequence[str]) -> str:
    """In brackets, so that many of them can stand in one sentence."""
    spelt = {plain(each): each for each in reversed(names)}
    near = closest_name(name, names) or spelt.get(closest_name(plain(name), spelt) or "")
    return f" (did you mean {near!r}?)" if near is not None else ""


def _unknown(table: QuestionTable, names: Sequence[str]) -> tuple[Doubt, ...]:
    """A file that is nearly in our own form: a column too many is a mistake, as it is in every file of ours."""
    short = tuple(name for name in names if len(name) <= MOST_SHOWN)
    kept = such_as("meta", [short[:MOST_LISTED] or "NAME"])
    expected = f"expected one of {', '.join(KEYS)} (anything else goes under meta, such as by {kept})"
    hints = "".join(closest(name, KEYS) for name in names[:MOST_LISTED])
    kept_too = (Stated({"meta": tuple(names)}),)
    return (Doubt(f"unknown key; {expected}{hints}", table.header, listed(names), kept_too, "unused"),)


def _misleading(
    table: QuestionTable, guess: Guess, columns: Mapping[str, ColumnNames], unused: Sequence[str]
) -> tuple[Doubt, ...]:
    """What is known by its name, and may well be something else by what stands in the rows."""
    text = guess.columns.get("text")
    asked = numbers_for_questions(table, text, _or_passages(guess, unused)) if isinstance(text, str) else None
    right = rival_answers(table, columns, unused) if "answer" in guess.columns else None
    return tuple(doubt for doubt in (asked, right) if doubt is not None)


def _or_passages(guess: Guess, unused: Sequence[str]) -> list[str]:
    """A passage by its name may be the question, where another column has the numbers of questions."""
    return [*several(guess.columns.get("context", ())), *unused]


def _left_out(
    table: QuestionTable, stated: Stated, columns: Mapping[str, ColumnNames], unused: Sequence[str]
) -> LeftOutChoices | None:
    if {"choices", WRONG} & {*columns, *stated.columns} or stated.kind == TEXT:
        return None
    answer = columns.get("answer")
    found = left_out_choices(table, answer, unused) if isinstance(answer, str) else None
    if found is None and isinstance(answer, str) and isinstance(text := columns.get("text"), str):
        doubt = choices_in_questions(table, text, answer)
        found = LeftOutChoices(doubt=doubt) if doubt is not None else None
    if found is not None and found.doubt is not None and "answer" in stated.columns:
        return LeftOutChoices(found.doubt.problem)  # whoever says which the answer is is told, and not refused
    return found


def _reasons(
    table: QuestionTable,
    stated: Stated,
    columns: Mapping[str, ColumnNames],
    found: Mapping[str, ColumnNames],
    unused: Sequence[str],
    left_out: LeftOutChoices | None,
) -> tuple[str, ...]:
    reasons = list(table.notes)
    if left_out is not None and left_out.reason is not None:
        reasons.append(left_out.reason)
    if found:
        reasons.append(f"by their names, {written(in_order(found))}")
    if isinstance(images := columns.get(IMAGE), str) and (lines := pictured_lines(table, images)):
        reasons.append(left_out_words(lines))
    if "id" not in columns and "id" not in stated.columns:
        reasons.append("no column is known to be id, so questions are numbered by their rows")
    if unused and (found or not stated.columns):
        reasons.append(f"not used: {unused_words(unused)}")
    return tuple(reasons)


def _by_rows(
    table: QuestionTable,
    stated: Stated,
    columns: Mapping[str, ColumnNames],
    reasons: tuple[str, ...],
    unused: Sequence[str],
    usual: AnswersAs | None = None,
) -> Proposal:
    """`usual`: how answers are written in the set that this is, if all can be read so."""
    proposal = Proposal(table.path, columns=columns, reasons=reasons)
    mapping = ColumnsOfTable(table, columns)
    if {"choices", WRONG} & {*columns} and stated.references is not None:
        problem = f"answers: {stated.references} is about answers without choices, and there are choices"
        return replace(proposal, doubts=(Doubt(problem, table.header),))
    if "choices" not in columns and stated.answers is not None:
        problem = f"answers: {stated.answers} is about choices, and no column is known to be choices"
        return replace(proposal, doubts=(Doubt(problem, table.header),))
    if WRONG in columns:
        if (several_in_a_cell := several_right(table, columns)) is not None:
            return replace(proposal, doubts=(several_in_a_cell,))
        every = listed((*several(columns["answer"]), *several(columns[WRONG])))
        reasons += (f"the choices are {every}, in an order drawn for each question",)
    seen = rows_seen(mapping, stated)
    if (unknown := seen.references.doubt) is not None:
        return replace(proposal, doubts=(unknown,))
    reasons += (*seen.references.reasons, *seen.references.remarks, *seen.parted_told(columns))
    if seen.nulls and stated.kind != TEXT:
        reasons += (f"{seen.nulls} of the answers are null, which says that the question cannot be answered",)
    if (separator := seen.separator()) is None:
        return replace(proposal, doubts=(uncut(columns, seen),))
    answers = seen.answers[separator]
    as_usual = usual if usual in answers.fitting else None
    form = stated.answers or as_usual or answers.form
    if (
        stated.answers is None
        and as_usual is None
        and (flags := _flags(table, stated, columns, answers, unused)) is not None
    ):
        return replace(proposal, doubts=(flags,))
    if answers.rows and form is None:
        return replace(proposal, doubts=(_unread(columns, answers),))
    if stated.answers is None and form is not None and form != "texts" and out_of_order(several(columns["choices"])):
        problem = f"the columns of the choices are not in order ({listed(several(columns['choices']))})"
        say = f"answers: {form} under questions says that answers go by the place in this list"
        words = f"{problem}, and answers are {in_words(form)}; {say}"
        return replace(proposal, doubts=(Doubt(words, table.header, ways=(Stated(answers=form),)),))
    if answers.rows and form is not None:
        reasons += _of_answers(answers, form, said=stated.answers is None)
    if seen.fewer:
        reasons += (
            f"{seen.fewer} of the questions have fewer choices than the {len(several(columns['choices']))} columns",
        )
    reasons += _of_numbers(table, columns, form)
    cut_choices = replace(mapping, separator=separator)
    reasons += tuple(odd_choices(cut_choices, form)) if "choices" in columns else ()
    source = MappedFile(cut_choices, form, kind=stated.kind, references=seen.references.form)
    return replace(proposal, answers=form, reasons=reasons, source=source)


def _flags(
    table: QuestionTable,
    stated: Stated,
    columns: Mapping[str, ColumnNames],
    answers: AnswersSeen,
    unused: Sequence[str],
) -> Doubt | None:
    answer = columns.get("answer")
    said = "answer" in stated.columns
    return flags_for_answers(table, answers, answer, unused, said=said) if isinstance(answer, str) else None


def _of_numbers(table: QuestionTable, columns: Mapping[str, ColumnNames], form: AnswersAs | None) -> tuple[str, ...]:
    """How numbers are read that become texts; an answer by its letter or place becomes none."""
    if table.numbers is None:
        return ()
    keys = [key for key in table.numbers.keys if key in columns and (key != "answer" or form in (None, "texts"))]
    names = [name for key in keys for name in several(columns[key]) if name in table.numbers.names]
    return (f"{listed(names)}: {table.numbers.words}",) if names else ()


def _unread(columns: Mapping[str, ColumnNames], answers: AnswersSeen) -> Doubt:
    column = several(columns["answer"])[0]
    if (doubt := answers.doubt) is not None:
        ways = tuple(Stated(answers=form) for form in answers.forms_of(doubt))
        return Doubt(answers.doubt_in_words(doubt), doubt.line, column, ways)
    nearest = answers.nearest
    if not answers.read[nearest]:
        unread = answers.unread[nearest]
        problem = "expected a letter, a position or the text of a choice"
        why = label_against_text(unread.answer, unread.choices)
        return Doubt(f"{problem}, found {unread.answer!r:.80}{why}", unread.line, column)
    unread = answers.unread[nearest]
    problem = no_such_choice(nearest, unread.answer, unread.choices)
    others = f"{answers.read[nearest]} of the {answers.rows} answers are {in_words(nearest)}"
    return Doubt(f"{problem}; {others}", unread.line, column)


def _of_answers(answers: AnswersSeen, form: AnswersAs, *, said: bool) -> tuple[str, ...]:
    if not said:
        return ()
    reasons = [f"answers are read as {in_words(form)}"]
    if (otherwise := answers.said_otherwise(form)) is not None:
        written, count = otherwise
        more = f" and {count - 1} more" if count > 1 else ""
        other = "a letter or a position" if form == "texts" else "the text of another choice"
        reasons.append(f"line {written.line}{more}: {written.answer!r:.40} is {other} too; answers: {form} settles it")
    return tuple(reasons)
