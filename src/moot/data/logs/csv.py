"""Tables of replies that somebody kept: a row for each reply (question, model, reply), or a column for each model.

Which column is the question, the reference, the choices is found as for every table of questions; only the columns that
are about replies are looked for here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from moot.data.logs.csv_answers import called_answers
from moot.data.logs.csv_blank_rows import blank_rows, check_filled, filled_rows
from moot.data.logs.csv_cells import odd_cells
from moot.data.logs.csv_columns import NONE, FoundColumns, ReplyColumns
from moot.data.logs.csv_named_models import call_it_model, check_no_row_each, may_name_models
from moot.data.logs.csv_names import NAMES, bare_name, guessed_anywhere, named
from moot.data.logs.csv_numbers import figure as figure_of
from moot.data.logs.csv_numbers import in_dollars, may_be_two
from moot.data.logs.csv_questions import questions_of
from moot.data.logs.csv_unclear import UnclearColumn, unclear_column
from moot.data.logs.csv_verdicts import (
    SHARES,
    is_verdict,
    may_be_verdicts,
    not_verdicts,
    refuted,
    verdict,
    verdict_column,
)
from moot.data.logs.csv_wide import is_score, never_right, none_named, runs_told, wide_columns
from moot.data.logs.csv_words import judging_replies
from moot.data.logs.fields import text, tokens
from moot.data.logs.log import LogEntry, LoggedReply, LogRemark, QuestionInLog, by_metric
from moot.data.logs.verdict_evidence import JudgedReply, evidence_of, says_reference
from moot.data.tables.known_names import plain, several
from moot.data.tables.listed_names import cut
from moot.data.tables.table import ENDINGS, QuestionTable, table_of
from moot.errors import FileError
from moot.types import TEXT, Case, Question

COST = "cost_usd"
FIGURES = tuple(key for key in NAMES if key.endswith(("_usd", "_tokens", "seconds")))
"""Keys of columns that hold amounts."""
UNITLESS = ("latency", "duration", "time")
LONG_S = 100
"""Seconds that hardly any reply takes."""
_OF_ONE_REPLY = tuple(key for key in NAMES if key not in ("model", "reply"))


@dataclass(frozen=True, slots=True)
class Csv:
    name: ClassVar[str] = "csv"
    endings: ClassVar[tuple[str, ...]] = (".csv", ".tsv")
    metric: str | None = None
    """The column by which replies are right, where somebody has named it."""
    models: tuple[str, ...] = ()
    """Of a table with a column for each model, which they are, where somebody says it."""

    def read(self, files: Sequence[Path]) -> Iterator[LogEntry]:
        for path in files:
            if path.suffix.lower() not in ENDINGS:
                raise FileError(f"is no table; expected {', '.join(ENDINGS)}", file=path)
            try:
                yield from _entries(table_of(path), self.metric, self.models)
            except OSError as error:
                raise FileError(f"cannot be read: {error.strerror or error}", file=path) from None


def _entries(table: QuestionTable, wanted: str | None, models: Sequence[str]) -> Iterator[LogEntry]:
    yield from blank_rows(table)
    table = filled_rows(table)
    found, unclear = _sure_columns(table, wanted, models)
    columns, kept, aside = found.columns, found.kept, found.aside
    check_filled(table, kept, dict.fromkeys(each.model for each in columns if each.model is not None))
    questions = questions_of(table, kept, columns)
    rows = dict(table.rows(table.names))
    asked: dict[tuple[str, str], int] = {}
    name = table.path.name
    has_ids = "id" in guessed_anywhere(kept).columns
    idents: dict[str, str] = {}
    known = {
        line: _question(case, idents, has_ids=has_ids, written=questions.written.get(line))
        for line, case in questions.cases.items()
    }
    blank = {
        line: QuestionInLog(_ident(asked_there, idents, has_ids=has_ids), asked_there.text, asked_there.choices)
        for line, asked_there in questions.blank.asked.items()
    }
    of_lines = questions.blank.joined(known, blank, table.path)
    yield from questions.blank.remarks(of_lines, table.path)
    if has_ids:
        _check_ids(table, columns[0], rows, of_lines, str(guessed_anywhere(kept).columns["id"]))
    columns, against = _borne_out(columns, rows, of_lines)
    for words in dict.fromkeys((*against, *(told for each in columns for told in (each.remark, each.verdicts.remark)))):
        if words is not None:
            yield LogRemark(f"{name}: {words}")
    if columns[0].is_wide:
        yield LogRemark(f"{name}: each column is a model's replies: {', '.join(each.reply for each in columns)}")
        for doubtful in (none_named(aside), runs_told(columns), never_right(columns, rows, of_lines)):
            if doubtful is not None:
                yield LogRemark(f"{name}: {doubtful}")
    elif columns[0].model is None:
        own = {*_of_question(kept), *(each.name for each in unclear)}
        may_be = may_name_models(table, kept, [free for free in kept if free not in own])
        told = f"; {call_it_model(may_be)}" if may_be else ""
        yield LogRemark(f"{name}: no column names the model; it is called {columns[0].called}, as the file is{told}")
    for each_unclear in unclear:
        yield LogRemark(f"{name}: {each_unclear.remark}")
    if questions.doubt is not None:
        yield LogRemark(f"{name}: {questions.doubt}")
    of_question = {*_of_question(kept), *(each_unclear.name for each_unclear in unclear)}
    free = [
        spare for spare in table.names if spare not in of_question and not any(column.uses(spare) for column in columns)
    ]
    doubted = {beside for each in columns if each.verdicts.column is None for beside in each.verdicts.beside}
    free = [spare for spare in free if spare not in (*doubted, *aside)]  # a remark has named them
    no_verdicts = [spare for spare in free if any(is_score(spare, column) for column in columns)]
    no_verdicts = [spare for spare in no_verdicts if not is_verdict(table, spare, shares=plain(spare).endswith(SHARES))]
    for spare in no_verdicts:
        yield LogRemark(f"{name}: {not_verdicts(table, spare, shares=plain(spare).endswith(SHARES))}")
    if unused := [spare for spare in free if spare not in no_verdicts and spare not in table.nameless]:
        judged = any("worth" in each.more for each in columns)
        could = [] if judged else [spare for spare in unused if may_be_verdicts(table, spare)]
        yield LogRemark(f"{name}: columns that are not used: {', '.join(unused)}{_may_be_named(could)}")
    for unread in _unread_figures(table, columns):
        yield LogRemark(f"{name}: {unread}")
    for line, question in of_lines.items():
        for each in columns:
            model = str(text(rows[line].get(each.model))) if each.model is not None else each.called
            # A row more of the same question and model is one more sample, whatever a column of samples numbers it.
            sample = asked[model, question.name] = asked.get((model, question.name), -1) + 1
            reply = _reply(each, rows[line], question, model.strip(), sample, table.path, line)
            letter = questions.letters.get((line, each.reply if reply.answer is None else each.more["extracted"]))
            yield reply if letter is None else replace(reply, answer=letter)


def _check_ids(
    table: QuestionTable,
    columns: ReplyColumns,
    rows: Mapping[int, Mapping[str, Any]],
    questions: Mapping[int, QuestionInLog],
    column: str,
) -> None:
    """That ids are of questions: where each row has its own number, no two models would have answered one question."""
    models = {str(rows[line].get(columns.model)) for line in questions} if columns.model is not None else set()
    ids = {each.id for each in questions.values()}
    alone = len(ids) == len(questions) and all(each.isdecimal() for each in ids)
    if len(models) > 1 and alone and len({each.text for each in questions.values()}) < len(questions):
        problem = f"it numbers replies, and each of {len(models)} models would have answered other questions"
        raise FileError(f"{problem}; delete or rename {column}", file=table.path, line=table.header, key=column)


def _may_be_named(columns: Sequence[str]) -> str:
    """Columns of unknown names that hold what verdicts are written as, which somebody may know to be some."""
    if not columns:
        return ""
    which = columns[0] if len(columns) == 1 else f"one of {', '.join(columns)}"
    return f"; if {which} says whether a reply is right: {by_metric(columns[0] if len(columns) == 1 else 'NAME')}"


def _unread_figures(table: QuestionTable, columns: Sequence[ReplyColumns]) -> Iterator[str]:
    keys = {each.more[key]: key for each in columns for key in FIGURES if key in each.more}
    for column, key in keys.items():
        odd = odd_cells(table, column, _is_cost if key == COST else _is_figure)
        if odd is not None:
            expected = "amount in USD" if key == COST else "number from 0 on"
            yield f"{odd.column}: {odd.share} no {expected} and not read {odd.place}"
        if key == "seconds" and plain(column) in UNITLESS and (median := _median(table, column)) > LONG_S:
            yield f"{column} is read as seconds, and half are {median:g} and more: if these are milliseconds, call it latency_ms"


def _median(table: QuestionTable, column: str) -> float:
    cells = (text(row.get(column)) for _, row in table.rows((column,)))
    found = sorted(number for cell in cells if cell is not None and (number := figure_of(cell)) is not None)
    return found[len(found) // 2] if found else 0.0


def _is_figure(cell: str) -> bool:
    return figure_of(cell) is not None


def _is_cost(cell: str) -> bool:
    return figure_of(in_dollars(cell)) is not None


def _borne_out(
    columns: Sequence[ReplyColumns], rows: Mapping[int, Mapping[str, Any]], questions: Mapping[int, QuestionInLog]
) -> tuple[list[ReplyColumns], list[str]]:
    """Without columns of verdicts that may be of anything and that the replies speak against, and what is told of these."""
    doubted = [each for each in columns if each.verdicts.may_be_anything]
    seen = evidence_of(
        JudgedReply(
            says_reference(question, text(rows[line].get(each.reply))),
            _worth(each, rows[line]),
            question.name,
            str(rows[line].get(each.model)) if each.model is not None else each.called,
        )
        for line, question in questions.items()
        for each in doubted
    )
    against = [refuted(each.verdicts.column, seen) for each in doubted if each.verdicts.column is not None]
    if not any(against):
        return list(columns), []
    plainly = [
        each if each not in doubted else replace(each, more=_without(each.more, "worth"), verdicts=NONE)
        for each in columns
    ]
    return plainly, [words for words in against if words is not None]


def _without(more: Mapping[str, str], key: str) -> dict[str, str]:
    return {other: column for other, column in more.items() if other != key}


def _of_question(names: Sequence[str]) -> set[str]:
    """Those that a question is made of, or may be."""
    guess = guessed_anywhere(names)
    columns = [*guess.columns.values(), *(each for several_of in guess.doubts.values() for each in several_of)]
    return {name for each in columns for name in several(each)}


def _sure_columns(
    table: QuestionTable, wanted: str | None, models: Sequence[str]
) -> tuple[FoundColumns, list[UnclearColumn]]:
    """Without columns of verdicts that may be references, unless somebody wants them."""
    unclear: list[UnclearColumn] = []
    while True:
        found = _reply_columns(table, wanted, [each.name for each in unclear], models)
        first = found.columns[0]
        if wanted is not None or first.is_wide or first.verdicts.column is None:
            return found, unclear
        may_be = unclear_column(table, first.verdicts.column, first.reply, found.kept)
        if may_be is not None:
            unclear.append(may_be)
        if may_be is None or may_be.taken:
            return found, unclear


def _reply_columns(
    table: QuestionTable, wanted: str | None, unclear: Sequence[str], models: Sequence[str]
) -> FoundColumns:
    """`models`: where somebody says which columns are models."""
    if models:
        return wide_columns(table, _of_question(table.names), wanted, models)
    model = named(table.names, "model")
    # "correct" is the reference of many tables.
    judged = verdict_column(table, {name: bare_name(name) for name in table.names if name not in unclear}, wanted)
    found = {key: name for key in _OF_ONE_REPLY if (name := named(table.names, key)) is not None and key != "worth"}
    if judged.column is not None:
        found = {key: name for key, name in found.items() if name != judged.column} | {"worth": judged.column}
    judging = _judging(table, [name for name in table.names if name not in {model, *unclear, *judged.beside}], found)
    found = {key: name for key, name in found.items() if name not in judging}
    free = [name for name in table.names if name not in judging]
    reply = named([name for name in free if name not in found.values()], "reply") or found.pop("extracted", None)
    own = {model, *unclear, *found.values(), *judged.beside, *judging}
    remark = None
    if reply is None and model is not None:
        try:
            called = called_answers(table, model, [name for name in table.names if name not in own])
        except FileError as error:
            raise _only_judged(table, judging, error) from None
        reply, remark = called.column, called.remark
        if judging_replies(table, [reply], [name for name in table.names if name not in (reply, *own)]):
            raise _only_judged(table, [reply], FileError(remark, file=table.path))
    if reply is not None and (model is not None or named(free, "reply") is not None):
        columns = ReplyColumns(reply, found, model, table.path.stem, judged, remark)
        return FoundColumns([columns], [name for name in table.names if name not in {reply, *own}])
    check_no_row_each(table, [*_of_question(table.names)])
    return wide_columns(table, _of_question(table.names), wanted, models)


def _judging(table: QuestionTable, names: Sequence[str], found: Mapping[str, str]) -> list[str]:
    """`found`: by key what is known to be about replies."""
    others = {name for key, name in found.items() if key != "extracted"}
    replies = [name for name in names if name not in others and plain(name) in (*NAMES["reply"], *NAMES["extracted"])]
    return judging_replies(table, replies, [name for name in names if name not in (*others, *replies)])


def _only_judged(table: QuestionTable, judging: Sequence[str], otherwise: FileError) -> FileError:
    if not judging:
        return otherwise
    problem = (
        f"every cell is a verdict, such as right or wrong, and no column of replies is beside {', '.join(judging)}"
    )
    expected = "expected what was said, under reply, of which a team can be made"
    return FileError(f"{problem}; {expected}", file=table.path, line=table.header, key=judging[0])


def _question(case: Case, idents: dict[str, str], *, has_ids: bool, written: str | None) -> QuestionInLog:
    """Where no column holds ids, rows of the same words are of one question. `written`: as the reference stands there."""
    question = case.question
    ident = _ident(question, idents, has_ids=has_ids)
    reference = None if question.kind == TEXT else case.answer
    accepted = case.accepted if written in (None, reference) else (*case.accepted, str(written))
    return QuestionInLog(ident, question.text, question.choices, reference, accepted, question.context, case.category)


def _ident(question: Question, idents: dict[str, str], *, has_ids: bool) -> str:
    return question.id if has_ids else idents.setdefault(question.text, question.id)


def _worth(columns: ReplyColumns, row: Mapping[str, Any]) -> float | None:
    cell = text(columns.cell("worth", row))
    return verdict(cell, shares=True) if cell is not None else None


def _reply(
    columns: ReplyColumns,
    row: Mapping[str, Any],
    question: QuestionInLog,
    model: str,
    sample: int,
    path: Path,
    line: int,
) -> LoggedReply:
    def figure(key: str) -> float | None:
        cell = text(columns.cell(key, row))
        cell = in_dollars(cell) if cell is not None and key == COST else cell
        if cell is not None and key == COST and may_be_two(cell):
            problem = f"{cut(cell)!r} is a thousand or a decimal comma; expected a number with a point"
            raise FileError(problem, file=path, line=line, key=columns.more[key])
        return figure_of(cell) if cell is not None else None

    milliseconds = figure("milliseconds")
    return LoggedReply(
        model,
        question,
        path,
        line,
        text=text(row.get(columns.reply)),
        answer=text(columns.cell("extracted", row)),
        sample=sample,
        worth=_worth(columns, row),
        usage=tokens(
            figure("prompt_tokens"),
            figure("completion_tokens"),
            total=figure("total_tokens"),
            reasoning=figure("reasoning_tokens"),
        ),
        cost_usd=figure(COST),
        seconds=milliseconds / 1000 if milliseconds is not None else figure("seconds"),
    )
