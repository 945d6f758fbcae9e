"""By whose grades a run is told: by those of the grader and the judges whom its file names now, where the store has them.

A run is stored with whoever graded it last. Who names others in the file since wants to see theirs; and who sees those of before
is told so.
"""

from __future__ import annotations

import json
import sys

from sqlalchemy import Connection

from moot.cli.safe_text import say
from moot.errors import UsageError
from moot.experiment.spec import ExperimentFile
from moot.grade.graders import USUAL, grader
from moot.grade.grading import GradedBy, scores_name
from moot.grade.identity import VERSION, identity
from moot.pasted import pasted
from moot.store.graded_by import scores_by_grader
from moot.store.rows import config_of
from moot.store.statements import Row


class FileGraders:
    """The keys `grader` and `judge` of a file, to be held against what a store says."""

    def __init__(self, file: ExperimentFile) -> None:
        self._path, self._grader, self._judge = file.path, file.spec.grader, file.spec.judge
        self._told: str | None = None

    def follow(self, connection: Connection, experiment: Row) -> Row:
        """The experiment as it is graded by these, or else as it was."""
        config = config_of(experiment)
        before = GradedBy.of(config)
        now = self._now(before)
        if now is None or _same(before, now):
            return experiment
        scores = scores_by_grader(connection, experiment["id"])
        for judges in (now.judges, now.judges[::-1]):  # the order of two is part of the name of their scores
            if scores.get(scores_name(now.grader, judges, now.batch), 0) >= max(1, scores.get(scores_name(*before), 0)):
                beside = config.get("judge") or {}
                config = {key: value for key, value in config.items() if key not in ("judge", "grader")}
                config |= {"judge": {**beside, "models": judges, "batch": now.batch}} if judges else {}
                config |= {"grader": now.grader} if now.grader != USUAL else {}
                return {**experiment, "config": json.dumps(config)}
        if _same(before, now, versions=False):
            return experiment  # the report itself says that the grader has another version here
        other_grader = _plain_name(now.grader) != _plain_name(before.grader)
        was, named = (_names(by, with_grader=other_grader) for by in (before, now))
        self._told = (
            f"graded by {was}; {self._path} now names {named}:"
            f" moot grade {pasted(self._path)} grades by that, and asks no player"
        )
        return experiment

    def _now(self, before: GradedBy) -> GradedBy | None:
        """Whom the file names; None: a grader that nobody knows here."""
        try:
            kept_as = identity(grader(self._grader))
        except (UsageError, ImportError) as error:
            self._told = f"graded by {_names(before, with_grader=True)}; {self._path}: grader: {error}"
            return None
        judge = {} if self._judge is None else {"judge": self._judge.model_dump(mode="json", exclude_none=True)}
        return GradedBy.of({**judge, "grader": kept_as})

    def say(self) -> None:
        """On the other stream than the figures, where they were not followed."""
        if self._told is not None:
            say(f"moot: {self._told}", file=sys.stderr)


def _same(one: GradedBy, other: GradedBy, *, versions: bool = True) -> bool:
    """`versions`: a grader in another version is another."""
    graders = [by.grader if versions else _plain_name(by.grader) for by in (one, other)]
    together = one.batch == other.batch or not other.judges
    return graders[0] == graders[1] and set(one.judges) == set(other.judges) and together


def _plain_name(kept_as: str) -> str:
    return kept_as.partition(VERSION)[0]


def _names(by: GradedBy, *, with_grader: bool) -> str:
    """The judges, and the grader where it makes the difference."""
    batches = f" (up to {by.batch} answers together)" if by.judges and by.batch != 1 else ""
    graders = [_plain_name(by.grader)] if with_grader else []
    return f"{' and '.join([*graders, *by.judges]) or 'no judge'}{batches}"
