"""The rubric of a file: what its long answers are judged by where a question says nothing of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from moot.data import Dataset
from moot.data.placed import CaseSource, Placed
from moot.rubric import Rubric
from moot.types import Case, digest


@dataclass(frozen=True, slots=True)
class ByRubric:
    """Cases of a source whose long answers have a rubric."""

    source: CaseSource
    rubric: Rubric

    def cases(self, language: str) -> Iterator[Placed]:
        for placed in self.source.cases(language):
            yield replace(placed, case=judged_by(placed.case, self.rubric))


def judged_by(case: Case, rubric: Rubric) -> Case:
    """A question's own rubric goes before the file's."""
    return replace(case, rubric=rubric, known=True) if case.question.is_long and not case.rubric else case


def with_rubric(dataset: Dataset, rubric: Rubric) -> Dataset:
    """The same questions; those that want a long answer and have no rubric of their own have this one."""
    written = [[criterion.name, criterion.points, criterion.says] for criterion in rubric]
    return replace(
        dataset,
        source=ByRubric(dataset.source, rubric),
        kept=tuple(judged_by(case, rubric) for case in dataset.kept),
        fingerprint=digest([dataset.fingerprint, "rubric", written]),
    )
