"""Formats of logs by name: ours, and those that other packages bring (entry point group ``moot.logs``)."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

from moot.data.logs.log import LogFormat
from moot.errors import FileError, UsageError
from moot.models.closest import closest
from moot.plugins import PluginKind, problem_with_object

BUILT_IN = {
    "inspect": "moot.data.logs.inspect:Inspect",
    "lm-eval": "moot.data.logs.lm_eval:LmEval",
    "promptfoo": "moot.data.logs.promptfoo:Promptfoo",
    "helm": "moot.data.logs.helm:Helm",
    "openai-batch": "moot.data.logs.openai_batch:OpenAiBatch",
    "csv": "moot.data.logs.csv:Csv",
}
LOG_FORMATS = PluginKind("format of logs", "moot.logs", BUILT_IN)
MOST_FILES = 100_000


class UnknownLogFormat(UsageError):
    """Nobody brings a format of logs of this name."""


def log_format(name: str) -> LogFormat:
    if LOG_FORMATS.place(name) is None:
        names = sorted(LOG_FORMATS.places())
        raise UnknownLogFormat(f"format {name!r} is unknown; expected one of {', '.join(names)}{closest(name, names)}")
    made = LOG_FORMATS.make(name)
    if (
        problem := problem_with_object(made, "format of logs", methods=("read",), values=("name", "endings"))
    ) is not None:
        raise UsageError(f"{LOG_FORMATS.named(name)}: {problem}")
    return cast(LogFormat, made)


def is_log_format(name: str) -> bool:
    return LOG_FORMATS.place(name) is not None


def log_files(form: LogFormat, paths: Sequence[Path]) -> tuple[Path, ...]:
    """The files that these paths mean: files, folders with all below them, and patterns such as ``logs/*.eval``."""
    files: dict[Path, Path] = {}
    for path in paths:
        found = list(_meant(form, path))
        if not found:
            raise FileError(f"no logs in it; expected files that end in {' or '.join(form.endings)}", file=path)
        for file in found:
            files.setdefault(file.resolve(), file)
    return tuple(files.values())


def _meant(form: LogFormat, path: Path) -> Iterator[Path]:
    if path.is_dir():
        for count, file in enumerate(sorted(path.rglob("*"))):
            if count > MOST_FILES:
                raise FileError(f"more than {MOST_FILES:,} files in it", file=path)
            if file.suffix.lower() in form.endings and file.is_file():
                yield file
    elif path.exists():
        yield path
    elif glob.has_magic(str(path)):
        matched = sorted(glob.glob(str(path), recursive=True))
        if not matched:
            raise FileError("no file is called so", file=path)
        for name in matched:
            yield from _meant(form, Path(name))
    else:
        raise FileError("no such file or folder of logs", file=path)
