"""The questions of an experiment with their references, as a report holds them: there may be hundreds of thousands."""

from __future__ import annotations

from collections import Counter
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
