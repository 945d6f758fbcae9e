"""By whose grades a run is told: by those of the judges whom its file names now, where the store has them.

A run is stored with the judges that it was graded by. Who names others in the file since wants to see theirs; and who sees
those of before is told so.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Sequence

from sqlalchemy import Connection

from moot.cli.safe_text import say
from moot.experiment.spec import ExperimentFile
from moot.grade.grading import GradedBy, scores_name
from moot.store.graded_by import scores_by_grader
from moot.store.rows import config_of
from moot.store.statements import Row


class FileJudges:
    """The key `judge` of a file, to be held against what a store says."""

    def __init__(self, file: ExperimentFile) -> None:
        self._path, self._named = file.path, file.spec.judge
        self._told: str | None = None

    def follow(self, connection: Connection, experiment: Row) -> Row:
        """The experiment as it is graded by these judges, or else as it was."""
        config = config_of(experiment)
        before = GradedBy.of(config)
        named = {} if self._named is None else {"judge": self._named.model_dump(mode="json", exclude_none=True)}
        now = GradedBy.of({**named, "grader": before.grader})
        if set(now.judges) == set(before.judges) and (now.batch == before.batch or not now.judges):
            return experiment
        scores = scores_by_grader(connection, experiment["id"])
        for judges in (now.judges, now.judges[::-1]):  # the order of two is part of the name of their scores
            if scores.get(scores_name(now.grader, judges, now.batch), 0) >= max(1, scores.get(scores_name(*before), 0)):
                config = {key: value for key, value in config.items() if key != "judge"}
                config |= {"judge": {"models": judges, "batch": now.batch}} if judges else {}
                return {**experiment, "config": json.dumps(config)}
        self._told = (
            f"graded by {_names(before)}; {self._path} now names {_names(now)}:"
            f" moot grade {shlex.quote(str(self._path))} grades by that, and asks no player"
        )
        return experiment

    def say(self) -> None:
        """On the other stream than the figures, where it was not followed."""
        if self._told is not None:
            say(f"moot: {self._told}", file=sys.stderr)


def _names(by: GradedBy) -> str:
    batches = f" (up to {by.batch} answers together)" if by.judges and by.batch != 1 else ""
    return f"{_listed(by.judges)}{batches}"


def _listed(judges: Sequence[str]) -> str:
    return " and ".join(judges) or "no judge"
