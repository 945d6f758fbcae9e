"""The questions of a file that was run before, without reading it: its bytes say whether it is the file that they came from.

To check hundreds of thousands of questions takes longer than all that is then told of them. A store that holds them has seen
them checked, so whoever only wants to know which plan a file makes takes them from there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from moot.data import Dataset, builtin, fingerprint_of
from moot.data.placed import Placed
from moot.data.questions_spec import QuestionsSpec
from moot.errors import UsageError
from moot.experiment.spec import ExperimentFile
from moot.types import Case


@dataclass(frozen=True, slots=True)
class CasesElsewhere:
    """Cases that somebody else holds; they are walked through only if something of the plan hangs on what they say."""

    walk: Callable[[], Iterable[Case]]

    def cases(self, language: str) -> Iterator[Placed]:
        return (Placed(case, "", number) for number, case in enumerate(self.walk(), start=1))


def known_questions(file: ExperimentFile, size: int, walk: Callable[[], Iterable[Case]]) -> Dataset | None:
    """The dataset of a file with so many questions, were they these; None where more than its bytes would have to be read.

    Whoever gets it holds the identity of what it makes against what was kept. Its kinds are a guess that this finds out too.
    """
    source = file.spec.questions
    if not isinstance(source, QuestionsSpec) or {source.format, source.metric, source.sample} != {None}:
        return None
    try:
        path = builtin(source.builtin) if source.builtin is not None else file.beside(source.file or "")
        fingerprint = fingerprint_of(path, file.spec.language, source.kind)
    except (UsageError, OSError):
        return None
    kinds = frozenset({source.kind or "open"})
    return Dataset(CasesElsewhere(walk), file.spec.language, size, fingerprint, kinds=kinds)
