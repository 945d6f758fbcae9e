"""What the judges of an experiment have said of answers, each under the name that the file gives it."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, select

from moot.grade.judge import Judgement
from moot.measures.cells import Row
from moot.store import queries, schema


def judgements_by_case(
    connection: Connection, digests: Sequence[str], judges: Sequence[str]
) -> dict[str, list[Judgement]]:
    """By the digest of the case: what each of these judges said of which answer."""
    rows = queries.judgements_on(connection, list(digests)) if judges else []
    names = _identities(connection, rows, judges)
    by_case: dict[str, list[Judgement]] = {}
    for row in rows:
        if row["judge"] in names:
            right = None if row["right"] is None else bool(row["right"])
            word = Judgement(row["answer"], names[row["judge"]], right, row["detail"])
            by_case.setdefault(row["case"], []).append(word)
    return by_case


def _identities(connection: Connection, rows: Sequence[Row], judges: Sequence[str]) -> dict[str, str]:
    """The judges by what their words are kept under: see `judge_identity`.

    A judge whose model or prompt has changed is another one under the same name; whoever was asked last counts.
    """
    calls = {row["judge"]: (row["detail"] or "").removeprefix("call ") for row in rows}
    table = schema.calls
    query = select(table.c.key, table.c.created_at).where(table.c.key.in_(calls.values()))
    asked_at = {row.key: row.created_at for row in connection.execute(query)}
    names_by_identity: dict[str, str] = {}
    for name in judges:
        identities = [identity for identity in calls if identity.rpartition("#")[0] == name]
        if identities:
            names_by_identity[max(identities, key=lambda identity: asked_at.get(calls[identity], 0.0))] = name
    return names_by_identity
