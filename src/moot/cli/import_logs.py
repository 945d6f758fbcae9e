"""`moot import`: logs of evaluations as our files, how right each model is there and here, and what to type next."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from moot.cli.outputs import checked_output
from moot.cli.player_names import plain_name, player_names
from moot.cli.safe_text import json_text, say
from moot.config.flow import comment, flow
from moot.data.logs.figures import ImportedModel
from moot.data.logs.imported import ImportedLogs, import_logs
from moot.data.logs.log import NO_REFERENCE
from moot.errors import FileError, UsageError
from moot.foreign_files import text_of
from moot.pasted import pasted
from moot.stats.counted_words import count
from moot.stats.written_numbers import of_hundred
from moot.whole_files import written_together

STDOUT = "-"
WRITTEN_BY = "What moot import made of"
MOST_SHOWN = 40
"""Models in the table that is printed."""


@dataclass(frozen=True, slots=True)
class ImportFiles:
    replies: Path
    questions: Path | None
    experiment: Path | None

    @property
    def to_stdout(self) -> bool:
        return str(self.replies) == STDOUT

    @property
    def beside(self) -> Path | None:
        """Where the questions go; None: nowhere."""
        if self.questions is not None or self.to_stdout:
            return self.questions
        return self.replies.with_name(f"{self.replies.stem}-questions.jsonl")


def import_command(
    tool: str,
    paths: Sequence[Path],
    files: ImportFiles,
    *,
    model: str | None,
    tasks: Sequence[str],
    metric: str | None = None,
    models: Sequence[str] = (),
    complete: bool = False,
) -> int:
    if files.to_stdout and files.experiment is not None:
        raise UsageError("--experiment goes with a file of replies; expected -o FILE")
    logs = import_logs(tool, paths, model=model, tasks=tasks, metric=metric, models=models, complete=complete)
    _check_outputs(files, logs)
    if files.experiment is not None and not logs.questions:
        raise UsageError(
            f"--experiment: no reference could be taken from the logs{_why(logs)}; expected logs with references"
        )
    _write(files, logs)
    shown = sys.stderr if files.to_stdout else sys.stdout
    _show(logs, files, shown)
    return 0


def _why(logs: ImportedLogs) -> str:
    """What the logs themselves say of it."""
    about = [note for note in logs.notes if NO_REFERENCE in note]
    return f" ({'; '.join(about)})" if about else ""


def _check_outputs(files: ImportFiles, logs: ImportedLogs) -> None:
    """Nothing that is read is written over, and no questions that somebody wrote: they may have references of their own."""
    targets = [] if files.to_stdout else [files.replies]
    questions = files.beside if logs.questions else None
    targets += [path for path in (questions, files.experiment) if path is not None]
    if len({path.resolve() for path in targets}) < len(targets):
        raise UsageError("-o, --questions and --experiment name one file; expected one for each")
    for path in targets:
        checked_output(path, replaceable=_is_ours)
        if any(path.resolve() == log.resolve() for log in logs.files):
            raise UsageError(f"-o: {path} is one of the logs, which would be lost; expected another name")
    if questions is not None and questions.is_file() and text_of(questions) != _lines(logs.questions):
        raise UsageError(
            f"{questions} is there already, and holds other questions; expected another name for --questions, or none there"
        )


def _is_ours(path: Path) -> bool:
    """An experiment file that an earlier import wrote."""
    try:
        return path.suffix in (".yaml", ".yml") and text_of(path).startswith(comment(WRITTEN_BY))
    except (OSError, ValueError, FileError):
        return False


def _lines(rows: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json_text(row) + "\n" for row in rows)


def _write(files: ImportFiles, logs: ImportedLogs) -> None:
    texts: dict[Path, str] = {}
    if files.to_stdout:
        sys.stdout.write(_lines(logs.replies))
    else:
        texts[files.replies] = _lines(logs.replies)
    questions = files.beside
    if questions is not None and logs.questions:
        texts[questions] = _lines(logs.questions)
        if files.experiment is not None:
            texts[files.experiment] = "\n".join(_experiment(files, questions, logs)) + "\n"
    try:
        with written_together(list(texts)) as drafts:
            for draft, text in zip(drafts, texts.values(), strict=True):
                draft.write_text(text, encoding="utf-8")
    except OSError as error:
        named = error.filename or ", ".join(map(str, texts))
        raise FileError(f"cannot be written: {error.strerror or error}", file=named) from None


def _experiment(files: ImportFiles, questions: Path, logs: ImportedLogs) -> Iterator[str]:
    assert files.experiment is not None, "looked at before"
    folder = files.experiment.resolve().parent
    names = player_names([model.name for model in logs.models])
    yield comment(
        f"{WRITTEN_BY} {count(len(logs.files), 'file')} of {logs.format}. All replies are recorded: nobody is asked."
    )
    yield f"name: {flow(plain_name(files.experiment.stem) or 'imported')}"
    yield f"questions: {flow({'file': _from(folder, questions)})}"
    yield "models:"
    for model, name in names.items():
        spec = {"provider": "recorded", "file": _from(folder, files.replies), "model": model}
        yield f"  {flow(name)}: {flow(spec)}"
    yield "strategies: [solo, vote]" if len(names) > 1 else "strategies: [solo]"
    if logs.repeats > 1:
        yield f"repeats: {logs.repeats}"


def _from(folder: Path, path: Path) -> str:
    """As the experiment file names it: relative to itself where that is possible."""
    whole = path.resolve()
    return str(whole.relative_to(folder)) if whole.is_relative_to(folder) else str(whole)


def _show(logs: ImportedLogs, files: ImportFiles, shown: TextIO) -> None:
    asked = len(logs.questions) + logs.unreferenced
    samples = f", {logs.repeats} samples each" if logs.repeats > 1 else ""
    say(f"{count(asked, 'question')}, {count(len(logs.models), 'model')}{samples}", file=shown)
    for line in _table(logs.models):
        say(line, file=shown)
    if logs.notes or logs.absent:
        say("What the logs do not tell, or tell otherwise:", file=shown)
        for note in (*logs.notes, *logs.absent):
            say(f"  {note}", file=shown, hanging=4)
    if not files.to_stdout:
        say(f"Written: {', '.join(_written(logs, files))}", file=shown)
    for line in _next(logs, files):
        say(line, file=shown)


def _written(logs: ImportedLogs, files: ImportFiles) -> Iterator[str]:
    yield f"{files.replies} ({count(len(logs.replies), 'reply', 'replies')})"
    if logs.questions:
        yield f"{files.beside} ({count(len(logs.questions), 'question')})"
        if files.experiment is not None:
            yield str(files.experiment)


def _table(models: Sequence[ImportedModel]) -> Iterator[str]:
    rows = [("model", "replies", "right in the log", "right here", "USD")]
    rows += [
        (
            model.name,
            f"{model.samples - model.missing:,}",
            _share(model.stated),
            _share(model.here),
            _usd(model.cost_usd),
        )
        for model in models[:MOST_SHOWN]
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, *cells in rows:
        yield "  ".join(
            ["  " + name.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True))]
        )
    if len(models) > MOST_SHOWN:
        yield f"  and {len(models) - MOST_SHOWN} more"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{of_hundred(value)} %"


def _usd(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def _next(logs: ImportedLogs, files: ImportFiles) -> Iterator[str]:
    if files.to_stdout:
        return
    replies = pasted(files.replies)
    if not logs.questions:
        own = "YOUR-QUESTIONS.jsonl"
        yield f"Next: moot advise {replies} --questions {own}, with questions whose ids are those of the replies"
        return
    advise = f"moot advise {replies} --questions {pasted(files.beside)}"
    steps = [(advise, "which team of them to take, and by which rule")] if len(logs.models) > 1 else []
    if files.experiment is not None:
        steps.insert(0, (f"moot run {pasted(files.experiment)}", "each alone and their vote, with intervals"))
    if not steps:
        yield "Next: logs of other models on the same questions, to see what a team of them would reach"
        return
    width = max(len(command) for command, _ in steps)
    yield "Next:"
    for command, why in steps:
        yield f"  {command.ljust(width)}   {why}"
