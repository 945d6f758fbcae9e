"""Logs of several models as one set of questions and one recording, with what cannot be told of them said.

The tool's own verdicts come along: an open answer that it calls right is among the accepted ones, so that a figure here is the
figure there. What is left of a difference is counted and explained.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from moot.data.logs.answers import AnsweredReply, answered, contrary_verdicts
from moot.data.logs.each_once import each_once, resubmitted_words
from moot.data.logs.figures import ImportedModel, figures_of
from moot.data.logs.formats import log_files, log_format
from moot.data.logs.log import (
    LogEntry,
    LogFormat,
    LoggedFigure,
    LoggedReply,
    LogRemark,
    by_metric,
    by_models,
    in_a_file,
)
from moot.data.logs.question_rows import QuestionRows, cases_of
from moot.data.logs.reference_forms import ReferenceForms, as_whole
from moot.data.logs.same_questions import QuestionsOfLogs
from moot.data.logs.told import MOST_PROBLEM, absent_from, forms_words, left_out_words, notes_of, placeholder_words
from moot.data.logs.whole_questions import lacking_replies, on_whole_questions
from moot.errors import FileError, UsageError
from moot.foreign_files import opened
from moot.models.recorded import Recording, recording_of
from moot.plugins import blaming, refusing

METRIC = "metric"
"""The field of a format that can be told by which metric replies are right."""
MODELS = "models"
"""That of one that can be told which columns are models."""
MOST_NAMED = 5
READ_AT_ONCE = 2**20
LONGEST_REPLY = 10_000_000
"""Characters, which is more than any model says at once."""


@dataclass(frozen=True, slots=True)
class ImportedLogs:
    format: str
    files: tuple[Path, ...]
    questions: tuple[Mapping[str, Any], ...]
    """In the form of a file of questions: those whose reference the logs have."""
    replies: tuple[Mapping[str, Any], ...]
    """In the form of a file of recorded replies."""
    models: tuple[ImportedModel, ...]
    notes: tuple[str, ...]
    """What bears on the figures: what is missing, read or judged otherwise."""
    absent: tuple[str, ...]
    """What the logs do not hold, or not of every reply, such as costs."""
    unreferenced: int
    """How many questions are left out since no log says what is right."""
    repeats: int
    """How many samples of a question every model has."""


class UnusableMetric(UsageError):
    """By which no reply of these logs is right or wrong."""

    def __init__(self, metric: str, problem: str) -> None:
        super().__init__(f"{by_metric(metric)}: {problem}")
        self.in_a_file = f"{metric}: {in_a_file(problem)}"
        """As it is told of the key of a file."""


def import_logs(
    name: str,
    paths: Sequence[Path],
    *,
    model: str | None = None,
    tasks: Sequence[str] = (),
    metric: str | None = None,
    models: Sequence[str] = (),
    complete: bool = False,
) -> ImportedLogs:
    """What these logs say together. `model`: what the one model of all of them is called; `tasks`: only these; `metric`: by which
    of several the replies are right; `models`: which columns of a table are models; `complete`: only questions to which every
    model has all its replies."""
    form = log_format(name)
    if models:
        if not _can_be_told(form, MODELS):
            raise UsageError(f"{by_models(','.join(models))} names columns of a table; expected it with csv")
        form = cast(LogFormat, replace(cast(Any, form), **{MODELS: tuple(models)}))
    if metric is None:
        return put_together(form, paths, model=model, tasks=tasks, complete=complete)
    logs = put_together(_judged_by(form, metric), paths, model=model, tasks=tasks, complete=complete)
    if not any(each.judged for each in logs.models):
        why = [note for note in logs.notes if metric in note]
        told = f" ({'; '.join(why[:MOST_NAMED])})" if why else ""
        raise UnusableMetric(metric, f"no verdicts by it{told}")
    return logs


def put_together(
    form: LogFormat,
    paths: Sequence[Path],
    *,
    model: str | None = None,
    tasks: Sequence[str] = (),
    complete: bool = False,
) -> ImportedLogs:
    """The same with a format that was given as an object."""
    name, files = form.name, log_files(form, paths)
    with refusing(), blaming("format of logs", name, "read"):
        entries = _entries(form.read(files))
    wanted = [entry for entry in entries if not tasks or _task(entry) in (None, *tasks)]
    replies = [entry for entry in wanted if isinstance(entry, LoggedReply)]
    if not replies:
        blamed = paths[0] if len(paths) == 1 else files[0]
        raise FileError(_nothing(name, entries, tasks, blamed), file=blamed)
    figures = [entry for entry in wanted if isinstance(entry, LoggedFigure)]
    replies, unpriced = _without_placeholders(replies)
    if model is not None:
        replies, figures = _renamed(replies, figures, model)
    questions = QuestionsOfLogs()
    placed = [known for reply in replies if (known := questions.placed(reply)) is not None]
    if not placed:
        raise FileError(_unasked(questions), file=paths[0] if len(paths) == 1 else files[0])
    there = {reply.question.task for reply in placed}
    beyond = {(each.model, each.question.task) for each in replies if each.question.name in questions.left_out}
    figures = [
        replace(each, of_more=each.of_more or (each.model, each.task) in beyond)
        for each in figures
        if each.task in there
    ]
    placed, resubmitted = each_once(placed)
    _check_tasks(placed)
    placed = _numbered(placed)
    asked = questions.asked()
    read, whole = as_whole([answered(reply, asked[reply.question.name]) for reply in placed])
    contrary = contrary_verdicts(read)
    turned = {each.task for each in contrary}
    read = [replace(reply, contrary=reply.logged.question.task in turned) for reply in read]
    figures = [figure for figure in figures if figure.task not in turned]
    lacking = lacking_replies(read, _repeats(read))
    if complete:
        read, figures = on_whole_questions(read, figures, lacking)
        asked = {name: question for name, question in asked.items() if name not in lacking.anywhere}
    forms = ReferenceForms(read, [*questions])
    made = QuestionRows(read, forms)
    rows = [made.of(question) for question in questions if question.answer is not None and question.name in asked]
    cases = cases_of(rows, files[0])
    models = figures_of(read, cases, figures)
    remarks = [entry.words for entry in wanted if isinstance(entry, LogRemark)]
    unreferenced = len(asked) - len(rows)
    remarks += left_out_words(questions.left_out.values())
    remarks += lacking.words if complete else lacking.warning
    remarks += forms_words(whole, forms.unsaid)
    remarks += [*placeholder_words(unpriced), *resubmitted_words(resubmitted)]
    with_one = {row["id"] for row in rows}
    said_before = (each.unreferenced for each in wanted if isinstance(each, LogRemark))
    told = len(frozenset[str]().union(*said_before) - with_one)
    notes = (*dict.fromkeys(remarks), *notes_of(models, read, cases, len(asked), unreferenced, told, contrary))
    recorded = tuple(each.row for each in read if each.row is not None)
    if not recorded:
        raise FileError(f"no reply in it that could be played back{_because(wanted, files[0], replies)}", file=files[0])
    return ImportedLogs(
        name, files, tuple(rows), recorded, tuple(models), notes, tuple(absent_from(read)), unreferenced, _repeats(read)
    )


def _without_placeholders(replies: Sequence[LoggedReply]) -> tuple[list[LoggedReply], int]:
    """Without costs of 0 that only say that a tool knew no price, and how many replies had one."""
    unpriced = [reply.cost_usd == 0 and not reply.free for reply in replies]
    known = [replace(reply, cost_usd=None) if odd else reply for reply, odd in zip(replies, unpriced, strict=True)]
    return known, sum(odd and bool(reply.text or reply.answer) for reply, odd in zip(replies, unpriced, strict=True))


def _judged_by(form: LogFormat, metric: str) -> LogFormat:
    """The format, told by which metric replies are right; `UsageError` of one whose logs have one verdict at most."""
    if not _can_be_told(form, METRIC):
        raise UnusableMetric(metric, f"logs of {form.name} do not have several verdicts to choose from")
    return cast(LogFormat, replace(cast(Any, form), **{METRIC: metric}))


def _can_be_told(form: LogFormat, key: str) -> bool:
    return is_dataclass(form) and not isinstance(form, type) and key in {field.name for field in fields(form)}


def imported_again(name: str, path: Path, metric: str | None = None) -> ImportedLogs:
    """The same, read once as long as the files stay as they are: the models of an experiment and its questions share logs."""
    return _imported(name, path, metric, _about(name, path))


def recorded_in_logs(name: str, path: Path, metric: str | None = None) -> Recording:
    """The replies of logs, as if they stood in a file of ours."""
    return _recorded(name, path, metric, _about(name, path))


def _about(name: str, path: Path) -> object:
    """What is another when the files are."""
    try:
        files = [(file, file.stat()) for file in log_files(log_format(name), [path])]
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror or error}", file=path) from None
    return tuple((file, about.st_mtime_ns, about.st_size) for file, about in files)


@lru_cache(maxsize=8)
def _imported(name: str, path: Path, metric: str | None, about: object) -> ImportedLogs:
    try:
        return import_logs(name, [path], metric=metric)
    except FileError as error:
        raise FileError(in_a_file(error.problem), file=error.file, line=error.line, key=error.key) from None


@lru_cache(maxsize=8)
def _recorded(name: str, path: Path, metric: str | None, about: object) -> Recording:
    logs = _imported(name, path, metric, about)
    read_by = name if metric is None else f"{name} by {metric}"
    return recording_of(logs.replies, path, _sha256(logs.files, read_by))


def _entries(read: Iterable[LogEntry]) -> list[LogEntry]:
    entries: list[LogEntry] = []
    for entry in read:
        if not isinstance(entry, LoggedReply | LoggedFigure | LogRemark):
            raise TypeError(f"expected LoggedReply, LoggedFigure or LogRemark, found {type(entry).__name__}")
        if isinstance(entry, LoggedReply) and len(entry.text or "") > LONGEST_REPLY:
            words = (
                f"the reply of {entry.model!r} to {entry.question.name!r} has more than {LONGEST_REPLY:,} characters"
            )
            raise FileError(words, file=entry.file, line=entry.line)
        entries.append(entry)
    return entries


def _task(entry: LogEntry) -> str | None:
    """None: it is of no task, and stays whichever are wanted."""
    if isinstance(entry, LoggedReply):
        return entry.question.task
    return entry.task


def _nothing(name: str, entries: Sequence[LogEntry], tasks: Sequence[str], blamed: Path) -> str:
    there = sorted({entry.question.task for entry in entries if isinstance(entry, LoggedReply)})
    if tasks and there:
        return (
            f"no task {', '.join(map(repr, tasks))} in it; there {'is' if len(there) == 1 else 'are'} {_listed(there)}"
            f"{_because([entry for entry in entries if _task(entry) in tasks], blamed)}"
        )
    return f"no replies in it{_because(entries, blamed)}; expected a log of {name}"


def _unasked(questions: QuestionsOfLogs) -> str:
    causes = list(dict.fromkeys(each.why for each in questions.left_out.values()))
    return f"no question in it that anybody can be asked here ({'; '.join(causes[:MOST_NAMED])})"


def _because(entries: Iterable[LogEntry], blamed: Path, failed: Iterable[LoggedReply] = ()) -> str:
    """What the logs themselves say of it. `blamed`: the file that is named anyway; `failed`: those in whose place there is a
    problem."""
    problems = [" ".join(reply.problem.split())[:MOST_PROBLEM] for reply in failed if reply.problem]
    words = (entry.words.removeprefix(f"{blamed.name}: ") for entry in entries if isinstance(entry, LogRemark))
    remarks = list(dict.fromkeys([*problems, *words]))
    return f" ({'; '.join(remarks[:MOST_NAMED])})" if remarks else ""


def _renamed(
    replies: Sequence[LoggedReply], figures: Sequence[LoggedFigure], model: str
) -> tuple[list[LoggedReply], list[LoggedFigure]]:
    names = sorted({reply.model for reply in replies})
    if len(names) > 1:
        raise UsageError(
            f"--model {model}: the logs are of {len(names)} models ({_listed(names)}); expected those of one"
        )
    return [replace(reply, model=model) for reply in replies], [replace(each, model=model) for each in figures]


def _check_tasks(replies: Sequence[LoggedReply]) -> None:
    """A model that was never asked a task's questions would be silent on all of them, which says nothing of it."""
    models = list(dict.fromkeys(reply.model for reply in replies))
    of_task: dict[str, dict[str, set[str]]] = {}
    for reply in replies:
        of_task.setdefault(reply.question.task, {}).setdefault(reply.model, set()).add(reply.question.name)
    for task, asked in of_task.items():
        absent = [model for model in models if model not in asked]
        if absent and task:
            others = [name for name in of_task if len(of_task[name]) == len(models)]
            way_out = f"moot import with --task {others[0]}" if others else "moot import with --task NAME for one task"
            raise UsageError(
                f"there is no log of the task {task!r} for {_listed(absent)}, and one for {_listed(list(asked))};"
                f" expected the same tasks for every model, or {way_out}"
            )
        shared = set.intersection(*asked.values())
        if len(asked) > 1 and not shared:
            apart = [next(iter(ids)) for ids in asked.values()]
            raise UsageError(
                f"no question was put to all of {_listed(list(asked))}: their ids differ ({_listed(apart)});"
                " expected logs of the same questions"
            )


def _numbered(replies: Sequence[LoggedReply]) -> list[LoggedReply]:
    """Samples from 0 on without a gap: a tool may number its epochs as it likes, and be asked for some of them."""
    there: dict[tuple[str, str], set[int]] = {}
    for reply in replies:
        there.setdefault((reply.model, reply.question.task), set()).add(reply.sample)
    numbers = {key: {sample: number for number, sample in enumerate(sorted(own))} for key, own in there.items()}
    return [replace(reply, sample=numbers[reply.model, reply.question.task][reply.sample]) for reply in replies]


def _repeats(replies: Sequence[AnsweredReply]) -> int:
    """The fewest that any model has in any task, of most questions: with more, somebody would be silent in every further one."""
    counts: dict[tuple[str, str], dict[str, int]] = {}
    for reply in replies:
        of_questions = counts.setdefault((reply.logged.model, reply.logged.question.task), {})
        of_questions[reply.question.id] = of_questions.get(reply.question.id, 0) + 1
    return min(sorted(each.values())[len(each) // 2] for each in counts.values())


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:MOST_NAMED])
    return f"{shown} and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else shown


def _sha256(files: Sequence[Path], name: str) -> str:
    hashed = hashlib.sha256(name.encode())
    for path in files:
        try:
            with opened(path) as file:
                while part := file.read(READ_AT_ONCE):
                    hashed.update(part)
        except OSError as error:
            raise FileError(f"cannot be read: {error.strerror or error}", file=path) from None
    return hashed.hexdigest()
