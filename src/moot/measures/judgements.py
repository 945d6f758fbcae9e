"""What the judges of an experiment have said of answers, each under the name that the file gives it."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, func, select

from moot.engine.grading import judgement_of
from moot.grade.by_rubric import BY_RUBRIC
from moot.grade.judge import ONE_BY_ONE, Judgement, named_in_batches
from moot.measures.cells import Row
from moot.store import queries, schema


def judgements_by_case(
    connection: Connection, digests: Sequence[str], judges: Sequence[str], batch: int = ONE_BY_ONE
) -> dict[str, list[Judgement]]:
    """By the digest of the case: what each of these judges said of which answer, seeing so many in a call."""
    rows = queries.judgements_on(connection, list(digests)) if judges else []
    names = _names_by_identity(connection, rows, judges, batch)
    by_case: dict[str, list[Judgement]] = {}
    for row in rows:
        if row["judge"] in names:
            by_case.setdefault(row["case"], []).append(judgement_of(row, names[row["judge"]]))
    return by_case


def earlier_judges(
    connection: Connection, digests: Sequence[str], judges: Sequence[str], batch: int = ONE_BY_ONE
) -> list[str]:
    """Those of these judges who had another model or prompt under the same name, and have judged with it."""
    table = schema.judgements
    rows: list[Row] = []
    for part in queries.chunks(list(digests)) if judges else ():
        named = select(table.c.judge, table.c.judge_name).where(table.c.case.in_(part)).distinct()
        rows += map(dict, connection.execute(named).mappings())
    current = _names_by_identity(connection, rows, judges, batch)
    others = {
        row["judge_name"]
        for row in rows
        if row["judge"] not in current and row["judge"].startswith(_beginnings(row["judge_name"], batch))
    }
    return [name for name in judges if name in others]


def _names_by_identity(
    connection: Connection, rows: Sequence[Row], judges: Sequence[str], batch: int
) -> dict[str, str]:
    """The judges by what their words are kept under: see `judge_identity`.

    A judge whose model or prompt has changed is another one under the same name; whoever was asked last counts.
    """
    identities: dict[str, set[str]] = {}
    for row in rows:
        identities.setdefault(row["judge_name"], set()).add(row["judge"])
    names = {}
    for name, begins in [(judge, start) for judge in judges for start in _beginnings(judge, batch)]:
        of_name = sorted(identity for identity in identities.get(name, ()) if identity.startswith(begins))
        if len(of_name) > 1:
            asked_at = _last_asked(connection, of_name)
            of_name.sort(key=lambda identity: asked_at.get(identity, 0.0))
        if of_name:
            names[of_name[-1]] = name
    return names


def _beginnings(name: str, batch: int) -> tuple[str, str]:
    """Of what a judge's words are kept under, on short answers and on long ones."""
    return f"{named_in_batches(name, batch)}#", f"{name}{BY_RUBRIC}#"


def _last_asked(connection: Connection, identities: Sequence[str]) -> dict[str, float]:
    words, calls = schema.judgements, schema.calls
    query = select(words.c.judge, func.max(calls.c.created_at)).join(calls, calls.c.key == words.c.call_key)
    rows = connection.execute(query.where(words.c.judge.in_(identities)).group_by(words.c.judge))
    return {identity: float(asked_at) for identity, asked_at in rows.all()}
