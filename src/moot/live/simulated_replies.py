"""Which of a served team's models are not real: by what the file says of them, or by what answered behind their address.

`moot simulate` marks every reply of its own. A file that points to it says nothing of that: so each model's last replies tell it,
whichever team it gave them in, also in one that somebody has put together, or that was served before a change of the file. Of a
model as it is served now: what answered at another address says nothing of it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, select, tuple_

from moot.experiment.plan import Plan
from moot.experiment.spec import Experiment
from moot.live.served_rows import cells_in, plans_named
from moot.simulate.mark import SIMULATED, is_simulated
from moot.store import queries, schema
from moot.store.rows import object_of
from moot.store.same_options import staff_of
from moot.types import Request, canonical_json

LATEST = 3
"""Plays of each model whose replies are looked at: in the last one it may have been absent."""
LOOKED_THROUGH = 1_000
"""Plays among which these are sought, the last ones."""


def simulated_by_file(spec: Experiment) -> set[str]:
    return {name for name, model in spec.models.items() if model.provider == SIMULATED}


def shapes_of(experiment: Plan) -> dict[str, str]:
    """By model of the file: what of it stands in everything that it plays in."""
    asked = Request(())
    return {name: _written(built.model.shape(asked)) for name, built in experiment.models.items()}


class _Play(NamedTuple):
    cell: str
    question: str
    repeat: int


class _Table(NamedTuple):
    """Whom a cell asks, as far as it is in question."""

    players: Mapping[str, str | None]
    """What each of its players is; None: nobody in question."""
    staff: frozenset[str]
    """Who is asked beside them. Nobody, where one of these is not in question: no transcript says which of them was asked."""

    @property
    def models(self) -> set[str]:
        return {*filter(None, self.players.values()), *self.staff}

    def heard(self, name: str) -> bool:
        """Whether whoever goes by this name in a transcript is in question."""
        return self.players[name] is not None if name in self.players else bool(self.staff)


def simulated_by_replies(connection: Connection, name: str, shapes: Mapping[str, str]) -> set[str]:
    """`name`: what is served now is kept under it. `shapes`: of whom this is to be found out, see `shapes_of`."""
    episodes = schema.episodes
    recent = (
        select(episodes.c.cell, episodes.c.question, episodes.c.repeat)
        .where(episodes.c.cell.in_(cells_in(plans_named(name))))
        .order_by(episodes.c.created_at.desc())
        .limit(LOOKED_THROUGH)
    )
    plays = [_Play(*row) for row in connection.execute(recent)]
    tables = _tables(connection, {play.cell for play in plays}, set(shapes.values()))
    looked_at, heard = list[_Play](), Counter[str]()
    for play in plays:
        models = tables[play.cell].models
        if any(heard[model] < LATEST for model in models):
            looked_at.append(play)
            heard.update(models)
    return _simulated(connection, _keys(connection, looked_at, tables))


def _tables(connection: Connection, cells: Collection[str], wanted: Collection[str]) -> dict[str, _Table]:
    table, tables = schema.cells, dict[str, _Table]()
    for part in queries.chunks(sorted(cells)):
        for cell, written in connection.execute(select(table.c.id, table.c.spec).where(table.c.id.in_(part))):
            spec = object_of(written, "cells.spec")
            players = {player["name"]: _written(player["model"]) for player in spec.get("players", ())}
            staff = frozenset(map(_written, staff_of(spec)))
            named = {name: shape if shape in wanted else None for name, shape in players.items()}
            tables[cell] = _Table(named, staff if staff.issubset(wanted) else frozenset())
    return tables


def _keys(connection: Connection, plays: Collection[_Play], tables: Mapping[str, _Table]) -> list[str]:
    """Of the calls to those who are in question."""
    episodes, keys = schema.episodes, list[str]()
    place = tuple_(episodes.c.cell, episodes.c.question, episodes.c.repeat)
    for part in queries.chunks(list(plays)):
        query = select(episodes.c.cell, episodes.c.transcript).where(place.in_(part))
        for cell, transcript in connection.execute(query):
            steps = json.loads(transcript)
            keys += [key for who, *_, key, _error, _problem in steps if key and tables[cell].heard(who)]
    return keys


def _simulated(connection: Connection, keys: Collection[str]) -> set[str]:
    calls, found = schema.calls, set[str]()
    for part in queries.chunks(sorted(keys)):
        replies = connection.execute(select(calls.c.model, calls.c.version).where(calls.c.key.in_(part)))
        found.update(model for model, version in replies if is_simulated(version))
    return found


def _written(shape: Any) -> str:
    return canonical_json(shape).decode()
