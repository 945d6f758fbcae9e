"""Stores written when nothing told which calls were played back from a recording: only what shaped a call named its provider.

Used once, when such a store is first opened. A run under a cap counted such replies as free for a while, whatever they had cost
when they were made. Which of the costs of nothing that are told there is true nobody knows, so it is unknown.
"""

from __future__ import annotations

import json

from sqlalchemy import Connection, select, update

from moot.store import queries
from moot.store.schema import calls, experiments

PROVIDER = "recorded"


def tell_recorded(connection: Connection) -> None:
    named = calls.c.shape.contains(f'"provider":"{PROVIDER}"', autoescape=True)
    found = connection.execute(select(calls.c.key, calls.c.shape).where(named, calls.c.recorded.is_(None)))
    keys = [key for key, shape in found if _played_back(shape)]
    configs = connection.execute(select(experiments.c.name, experiments.c.config))
    capped = {name for name, config in configs if json.loads(config).get("budget_usd") is not None}
    for some in queries.chunks(keys):
        ours = calls.c.key.in_(some)
        connection.execute(update(calls).where(ours).values(recorded=1))
        for name in sorted(capped):
            free = (ours, calls.c.experiment == name, calls.c.cost_usd == 0, calls.c.finish != "unrecorded")
            connection.execute(update(calls).where(*free).values(cost_usd=None))


def _played_back(shape: str) -> bool:
    """It may be named in a parameter of another provider's too."""
    (asked, *_) = json.loads(shape)
    return isinstance(asked, dict) and asked.get("provider") == PROVIDER
