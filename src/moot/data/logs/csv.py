"""Tables of replies that somebody kept: a row for each reply (question, model, reply), or a column for each model.

Which column is the question, the reference, the choices is found as for every table of questions; only the columns that
are about replies are looked for here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from moot.data.logs.fields import amount, share, text, tokens
from moot.data.logs.log import LogEntry, LoggedReply, LogRemark, QuestionInLog
from moot.data.tables.known_names import COLUMN_KEYS, guessed, plain, several
from moot.data.tables.proposal import Stated, propose_columns
from moot.data.tables.table import ENDINGS, QuestionTable, table_of
from moot.errors import FileError
from moot.types import TEXT, Case

NAMES: Mapping[str, tuple[str, ...]] = {
    "model": ("model", "modelname", "modelid", "llm", "provider", "system", "engine", "модель"),
    "reply": (
        *("reply", "response", "output", "completion", "rawresponse", "rawoutput", "modeloutput", "modelresponse"),
        *("modelreply", "generation", "generated", "prediction", "pred", "modelanswer", "result", "ответмодели"),
    ),
    "extracted": ("extracted", "extractedanswer", "parsed", "parsedanswer", "prediction", "pred", "modelanswer"),
    "sample": ("sample", "epoch", "repeat", "run", "trial", "attempt"),
    "worth": ("correct", "iscorrect", "isright", "right", "score", "passed", "pass", "grade", "верно"),
    "cost_usd": ("cost", "costusd", "usd", "totalcost"),
    "prompt_tokens": ("prompttokens", "inputtokens", "tokensin"),
    "completion_tokens": ("completiontokens", "outputtokens", "tokensout"),
    "seconds": ("seconds", "latency", "latencys", "duration", "durations", "time"),
    "milliseconds": ("latencyms", "durationms", "milliseconds", "ms"),
}
"""What the columns about replies are called, as `plain` makes it."""
VERDICTS = {
    **dict.fromkeys(("1", "1.0", "true", "yes", "correct", "right", "pass", "passed", "c", "да"), 1.0),
    **dict.fromkeys(("0", "0.0", "false", "no", "incorrect", "wrong", "fail", "failed", "i", "нет"), 0.0),
}
SHARES = ("score", "grade")
"""Of the columns of verdicts those that may give a part of a point: under "correct" such a number may be the answer itself."""
_OF_ONE_REPLY = tuple(key for key in NAMES if key not in ("model", "reply"))


class Csv:
    name: ClassVar[str] = "csv"
    endings: ClassVar[tuple[str, ...]] = (".csv", ".tsv")

    def read(self, files: Sequence[Path]) -> Iterator[LogEntry]:
        for path in files:
            if path.suffix.lower() not in ENDINGS:
                raise FileError(f"is no table; expected {', '.join(ENDINGS)}", file=path)
            try:
                yield from _entries(table_of(path))
            except OSError as error:
                raise FileError(f"cannot be read: {error.strerror or error}", file=path) from None


@dataclass(frozen=True, slots=True)
class _ReplyColumns:
    """Where one model's replies stand, and by key what else is. `model`: a column that names it; else `called` does."""

    reply: str
    more: Mapping[str, str]
    model: str | None = None
    called: str = ""

    def cell(self, key: str, row: Mapping[str, Any]) -> Any:
        column = self.more.get(key)
        return None if column is None else row.get(column)

    def uses(self, name: str) -> bool:
        return name in (self.reply, self.model, *self.more.values())


def _entries(table: QuestionTable) -> Iterator[LogEntry]:
    columns, kept = _reply_columns(table)
    cases = _cases(table, kept)
    rows = dict(table.rows(table.names))
    idents: dict[str, str] = {}
    asked: dict[tuple[str, str], int] = {}
    has_ids = "id" in guessed(kept, {}).columns
    name = table.path.name
    if columns[0].called == columns[0].reply:
        yield LogRemark(f"{name}: each column is a model's replies: {', '.join(each.reply for each in columns)}")
    elif columns[0].model is None:
        yield LogRemark(f"{name}: no column names the model; it is called {columns[0].called}, as the file is")
    of_question = _of_question(kept)
    free = [
        spare for spare in table.names if spare not in of_question and not any(column.uses(spare) for column in columns)
    ]
    no_verdicts = [spare for spare in free if any(_is_score(spare, column) for column in columns)]
    for spare in no_verdicts:
        yield LogRemark(f"{name}: {spare} holds no verdicts: expected right or wrong, or a share from 0 to 1")
    if unused := [spare for spare in free if spare not in no_verdicts and spare not in table.nameless]:
        yield LogRemark(f"{name}: columns that are not used: {', '.join(unused)}")
    for line, case in cases.items():
        question = _question(case, idents, has_ids=has_ids)
        for each in columns:
            model = text(rows[line].get(each.model)) if each.model is not None else each.called
            if model is None:
                raise FileError("no model in it", file=table.path, line=line, key=each.model)
            # A row more of the same question and model is one more sample, whatever a column of samples numbers it.
            sample = asked[model, question.name] = asked.get((model, question.name), -1) + 1
            yield _reply(each, rows[line], question, model.strip(), sample, table.path, line)


def _of_question(names: Sequence[str]) -> set[str]:
    """Those that a question is made of, or may be."""
    guess = guessed(names, {})
    columns = [*guess.columns.values(), *(each for several_of in guess.doubts.values() for each in several_of)]
    return {name for each in columns for name in several(each)}


def _is_score(name: str, columns: _ReplyColumns) -> bool:
    """Whether it is called as verdicts on these replies are."""
    own = name[len(columns.called) :] if columns.called == columns.reply and name.startswith(columns.called) else name
    return plain(own.strip(" _-:.")) in NAMES["worth"]


def _reply_columns(table: QuestionTable) -> tuple[list[_ReplyColumns], list[str]]:
    """Those of replies, and the names of the rest, which are the question's."""
    model = _named(table.names, "model")
    found = {key: name for key in _OF_ONE_REPLY if (name := _named(table.names, key)) is not None}
    if (worth := found.get("worth")) is not None and not _is_verdict(table, worth):
        del found["worth"]  # "correct" is the reference of many tables
    reply = _named([name for name in table.names if name not in found.values()], "reply") or found.pop(
        "extracted", None
    )
    if reply is not None and (model is not None or _named(table.names, "reply") is not None):
        taken = {reply, model, *found.values()}
        return [_ReplyColumns(reply, found, model, table.path.stem)], [
            name for name in table.names if name not in taken
        ]
    if model is not None:
        expected = "expected a column such as reply, response or output beside it"
        raise FileError(f"a column of models and none of their replies; {expected}", file=table.path, key=model)
    return _wide(table)


def _named(names: Sequence[str], key: str) -> str | None:
    """In the order in which names of this kind are looked for."""
    by_plain = {plain(name): name for name in names}
    return next((by_plain[known] for known in NAMES[key] if known in by_plain), None)


def _is_verdict(table: QuestionTable, column: str) -> bool:
    cells = [text(row.get(column)) for _, row in table.rows((column,))]
    shares = plain(column).endswith(SHARES)
    return all(cell is None or _verdict(cell, shares=shares) is not None for cell in cells)


def _verdict(cell: str, *, shares: bool) -> float | None:
    known = VERDICTS.get(cell.strip().casefold())
    if known is not None or not shares:
        return known
    try:
        return share(float(cell))
    except ValueError:
        return None


def _wide(table: QuestionTable) -> tuple[list[_ReplyColumns], list[str]]:
    """Whatever is no part of a question is a model's; what begins with a model's name is about its replies."""
    ours = _of_question(table.names)
    free = [name for name in table.names if name not in ours and name not in table.nameless]
    about = {name: other for name in free for other in free if name != other and _begins(name, other)}
    models = [name for name in free if name not in about and any(text(row.get(name)) for _, row in table.rows((name,)))]
    if not models:
        expected = "expected a column for each model, or columns such as model and reply"
        raise FileError(f"no replies in it; {expected}", file=table.path, line=table.header)
    columns = []
    for model in models:
        beside = {name: plain(name[len(model) :].strip(" _-:.")) for name, other in about.items() if other == model}
        more = {
            key: name
            for name, bare in beside.items()
            for key in _OF_ONE_REPLY
            if bare in NAMES[key] and (key != "worth" or _is_verdict(table, name))
        }
        columns.append(_ReplyColumns(model, more, called=model))
    return columns, [name for name in table.names if name in ours]


def _begins(name: str, other: str) -> bool:
    """gpt-4o_cost is about gpt-4o; gpt-4o-mini is another model."""
    if not name.startswith(other) or name[len(other)] not in " _-:.":
        return False
    rest = plain(name[len(other) :].strip(" _-:."))
    return any(rest in NAMES[key] for key in _OF_ONE_REPLY)


def _cases(table: QuestionTable, kept: Sequence[str]) -> dict[int, Case]:
    """The question of each row, by its line."""
    found = guessed(kept, {})
    # Of what is in doubt nothing is said: then the doubt is told.
    columns = {key: found.columns.get(key) for key in COLUMN_KEYS if key not in found.doubts and key != "meta"}
    missing = columns.get("answer", "?") is None
    if missing:
        columns["choices"] = None  # without a reference nobody can tell letters from words
    stated = Stated(
        {key: each for key, each in columns.items() if each or key != "text"}, kind=TEXT if missing else None
    )
    proposal = propose_columns(table.path, stated)
    if proposal.doubts or proposal.source is None:
        raise proposal.error()
    return {placed.line: placed.case for placed in proposal.source.cases("en")}


def _question(case: Case, idents: dict[str, str], *, has_ids: bool) -> QuestionInLog:
    """Where no column holds ids, rows of the same words are of one question."""
    question = case.question
    ident = question.id if has_ids else idents.setdefault(question.text, question.id)
    reference = None if question.kind == TEXT else case.answer
    return QuestionInLog(
        ident, question.text, question.choices, reference, case.accepted, question.context, case.category
    )


def _reply(
    columns: _ReplyColumns,
    row: Mapping[str, Any],
    question: QuestionInLog,
    model: str,
    sample: int,
    path: Path,
    line: int,
) -> LoggedReply:
    def figure(key: str) -> float | None:
        cell = columns.cell(key, row)
        try:
            return amount(float(cell)) if text(cell) is not None else None
        except ValueError:
            return None

    verdict = text(columns.cell("worth", row))
    milliseconds = figure("milliseconds")
    return LoggedReply(
        model,
        question,
        path,
        line,
        text=text(row.get(columns.reply)),
        answer=text(columns.cell("extracted", row)),
        sample=sample,
        worth=_verdict(verdict, shares=True) if verdict is not None else None,
        usage=tokens(figure("prompt_tokens"), figure("completion_tokens")),
        cost_usd=figure("cost_usd"),
        seconds=milliseconds / 1000 if milliseconds is not None else figure("seconds"),
    )
