"""The questions of logs as a set: ``questions: {file: logs/*.eval, format: inspect}``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from moot.data import Dataset, checked_source
from moot.data.case import read_case
from moot.data.logs.imported import imported_again
from moot.data.logs.log import in_a_file
from moot.data.placed import Placed
from moot.errors import FileError
from moot.types import QuestionKind


@dataclass(frozen=True, slots=True)
class LoggedCases:
    path: Path
    format: str
    kind: QuestionKind | None = None
    metric: str | None = None

    def cases(self, language: str) -> Iterator[Placed]:
        file = str(self.path)
        for number, row in enumerate(imported_again(self.format, self.path, self.metric).questions, start=1):
            yield Placed(read_case(row, file=file, line=number, language=language, kind=self.kind), file, number)


def load_logged(
    path: Path,
    name: str,
    *,
    language: str = "en",
    sample: int | Literal["auto"] | None = None,
    seed: int = 0,
    kind: QuestionKind | None = None,
    metric: str | None = None,
) -> Dataset:
    """Those whose reference the logs have; what cannot be told of them is in the notes. `metric`: by which replies are right,
    where the logs have several."""
    logs = imported_again(name, path, metric)
    if not logs.questions:
        raise FileError(
            "its logs do not say what is right; expected questions of your own with the same ids", file=path
        )
    dataset = checked_source(LoggedCases(path, name, kind, metric), path, language, sample=sample, seed=seed)
    # Of one file the remarks name it themselves.
    notes = (in_a_file(note).removeprefix(f"{path.name}: ") for note in logs.notes)
    return replace(dataset, notes=tuple(f"{path.name}: {note}" for note in notes))
