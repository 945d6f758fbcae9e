"""The questions that simulated models know the truth of, from the sources that a config names."""

from __future__ import annotations

from pathlib import Path

from moot.data import Dataset, builtin, load, load_published
from moot.data.formats import dataset_format
from moot.data.hub import Hub
from moot.data.questions_spec import QuestionsSpec
from moot.data.tables.advised_columns import SAY_WHICH
from moot.errors import FileError


def known_questions(source: QuestionsSpec, seed: int) -> Dataset:
    """All of them: a sample, and what they are called in a report, is for whoever asks. `seed`: by which choices are drawn."""
    if source.format is not None:
        form = dataset_format(source.format, seed=seed, choices=source.choices)
        if source.hub is not None:
            hub = Hub(source.hub, source.config, source.split or "test", source.revision)
            return load_published(hub, form, seed=seed, kind=source.kind)
        return load_published(Path(source.file or ""), form, seed=seed, kind=source.kind)
    if source.builtin is not None:
        return load(builtin(source.builtin), stated=source.stated)
    try:
        return load(Path(source.file or ""), stated=source.stated, skip_blank=source.skip_blank)
    except FileError as error:
        raise _as_a_source(error, source) from error


def _as_a_source(error: FileError, source: QuestionsSpec) -> FileError:
    """What to write of columns stands with the file here: `questions` is a list, and a path alone has no place for it."""
    problem, asked, columns = error.problem.partition(f"{SAY_WHICH} columns: ")
    if not asked or not columns.endswith("}"):
        return error
    written = f"[{{file: {Path(source.file or '').name}, columns: {columns}}}]"
    return FileError(f"{problem}{SAY_WHICH} {written}", file=error.file, line=error.line, key=error.key)
