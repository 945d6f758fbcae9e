"""Rubrics in the plan: what long answers are judged by, checked before anybody is asked.

A file's rubric is for all its long answers whose question has none. It takes judges, and none of it is for short answers.
"""

from __future__ import annotations

from collections.abc import Iterable

from moot.data import Dataset
from moot.data.rubrics import with_rubric
from moot.errors import FileError
from moot.experiment.spec import ExperimentFile
from moot.experiment.spec_parts import JUDGES_OF_SHORT_ANSWERS
from moot.rubric import Criterion, Rubric, rubric_problem
from moot.strategies.option_values import ABSTAIN
from moot.types import TEXT, Case

_JUDGE = "judge: {models: [NAME]}, one model or several that read the answers and give the points"


def rubric_of(file: ExperimentFile) -> Rubric:
    """The file's own; () where it has none."""
    rubric = tuple(Criterion(each.name, each.points, each.says) for each in file.spec.rubric)
    if rubric and (problem := rubric_problem(rubric)) is not None:
        raise file.error(("rubric",), problem)
    return rubric


def judged_questions(file: ExperimentFile, dataset: Dataset | None) -> Dataset | None:
    """The questions with what their answers are judged by. None: it is a team file, which may have a rubric all the same."""
    rubric = rubric_of(file)
    if rubric and file.spec.judge is None:
        raise file.error(("rubric",), f"there is nobody to give points by it; expected {_JUDGE}")
    if dataset is None:
        return None
    if rubric and TEXT not in dataset.kinds:
        problem = "a rubric is for long answers, and no question is of kind text"
        raise file.error(("rubric",), f"{problem}; expected kind: text in a question or under questions, or no rubric")
    _check_judges(file, dataset)
    if rubric:
        return with_rubric(dataset, rubric)
    own = next((case for case in dataset if case.rubric), None) if TEXT in dataset.kinds else None
    if own is not None and file.spec.judge is None:
        problem = f"Field required: question {own.question.id!r} has a rubric, and there is nobody to give points by it"
        raise file.error(("judge",), f"{problem}; expected {_JUDGE}")
    return dataset


def check_nothing_has_points(file: ExperimentFile, position: int, played: str, cases: Iterable[Case]) -> None:
    """Who abstains goes by the probability of being right."""
    if (first := next((case for case in cases if case.rubric), None)) is not None:
        problem = f"question {first.question.id!r} is judged by a rubric: its answers have points, and no chance of being right"
        raise file.error(("strategies", position, played, ABSTAIN), f"{problem}; expected no {ABSTAIN} with it")


def _check_judges(file: ExperimentFile, dataset: Dataset) -> None:
    names = file.spec.judge.models if file.spec.judge is not None else []
    if len(names) > JUDGES_OF_SHORT_ANSWERS and dataset.kinds != {TEXT}:
        raise _too_many(file, len(names))


def _too_many(file: ExperimentFile, found: int) -> FileError:
    problem = f"expected one model or two, found {found}: short answers are right or wrong, and two judges settle that"
    return file.error(("judge", "models"), f"{problem}; more go with long answers alone (kind: text)")
