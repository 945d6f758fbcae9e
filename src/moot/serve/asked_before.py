"""Of whom a served team's past was asked: of teams as the file had them before it was changed, and of those that were put
together for a question. What the server has seated it knows by itself; all else is found in the store.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select

from moot.live.edited_team import EditedTeam, team_in_plan
from moot.live.served_names import names_of_rows
from moot.store import queries, schema
from moot.store.rows import config_of, is_edited, object_of
from moot.store.statements import Row


@dataclass(frozen=True, slots=True)
class AskedBefore:
    """Whom a question was asked of, when that was."""

    name: str
    """As lists call it."""
    team: EditedTeam | None
    """What its asker put together; None: one of the file's."""
    captain: str | None
    players: list[dict[str, str]] | None
    """With their models; None: not all are known."""


def asked_before(connection: Connection, name: str, cells: Collection[str]) -> dict[str, AskedBefore]:
    """By cell. One of several plans is called as in the latest that is a version of the file."""
    plans, members = schema.experiments, schema.experiment_cells
    ids: dict[str, list[str]] = {}
    for part in queries.chunks(sorted(cells)):
        query = (
            select(members.c.cell, plans.c.id)
            .join(plans, members.c.experiment == plans.c.id)
            .where(plans.c.name == name, members.c.cell.in_(part))
            .order_by(plans.c.created_at.desc(), plans.c.id)
        )
        for cell, ident in connection.execute(query):
            ids.setdefault(cell, []).append(ident)
    known: dict[str, Row] = {}
    for ident in {ident for of_cell in ids.values() for ident in of_cell}:
        known[ident] = queries.experiment_of(connection, ident)
    found: dict[str, AskedBefore] = {}
    seated: dict[str, dict[str, AskedBefore]] = {}
    for cell, of_cell in ids.items():
        plan = next((known[ident] for ident in of_cell if not is_edited(known[ident])), known[of_cell[0]])
        if plan["id"] not in seated:
            seated[plan["id"]] = _seated(connection, plan)
        found[cell] = seated[plan["id"]][cell]
    return found


def _seated(connection: Connection, plan: Row) -> dict[str, AskedBefore]:
    """By cell, all of one plan."""
    config, rows = config_of(plan), queries.cells_of(connection, plan["id"])
    if is_edited(plan):
        teams = {row["id"]: team_in_plan(config, row["label"]) for row in rows}
        return {row["id"]: _asked(row, config, teams[row["id"]].name, teams[row["id"]]) for row in rows}
    told: dict[str, AskedBefore] = {}
    for name, row in names_of_rows(rows, config).items():
        told.setdefault(row["id"], _asked(row, config, name, None))
    return told


def _asked(row: Row, config: Mapping[str, Any], name: str, team: EditedTeam | None) -> AskedBefore:
    players, models = config.get("players") or {}, config.get("models") or {}
    seats: list[dict[str, str]] = []
    for player in object_of(row["spec"], "cells.spec").get("players", ()):
        own = players.get(player["name"], {}).get("model", player["name"])
        seats += [{"name": player["name"], "model": own}] if own in models else []
    whole = len(seats) == len(object_of(row["spec"], "cells.spec").get("players", ()))
    captain = None if row["player"] else row["captain"]
    return AskedBefore(name, team, captain, seats if whole else None)
