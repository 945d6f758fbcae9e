"""The questions of an experiment with their references, as a report holds them: there may be hundreds of thousands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import Connection

from moot.store.bulk_read import asked_cases
from moot.store.rows import case_of
from moot.types import Case


class AskedCases(NamedTuple):
    """All by the digest of the question."""

    cases: dict[str, Case]
    times: Counter[str]
    """In how many places of the file it stands."""
    digests: dict[str, str]
    """Of the cases, as they are stored."""


def asked_of(connection: Connection, experiment: str) -> AskedCases:
    asked = AskedCases({}, Counter(), {})
    for question, case, question_set, cluster, content in asked_cases(connection, experiment):
        asked.cases[question] = case_of(content, question_set=question_set, cluster=cluster)
        asked.times[question] += 1
        asked.digests[question] = case
    return asked


class CasesOnce:
    """The questions of one plan, however many ask for them in turn."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._of: str | None = None
        self._asked = AskedCases({}, Counter(), {})

    def of(self, experiment: str) -> AskedCases:
        if self._of != experiment:
            self._asked = asked_of(self._connection, experiment)
            self._of = experiment
        return self._asked

    def cases(self, experiment: str) -> Iterable[Case]:
        """In their order."""
        return self.of(experiment).cases.values()
