"""Which of a served team's models are not real: by what the file says of them, or by what answered behind their address.

`moot simulate` marks every reply of its own. A file that points to it says nothing of that: so the last replies tell it, of
those that the team got as it is served now. Another address makes another plan.
"""

from __future__ import annotations

import json

from sqlalchemy import Connection, select

from moot.experiment.spec import Experiment
from moot.live.served_rows import cells_in, plan_alone
from moot.simulate.mark import SIMULATED, is_simulated
from moot.store import schema

LATEST = 20
"""Questions whose replies are looked at, however many were asked."""
MOST_REPLIES = 500


def simulated_by_file(spec: Experiment) -> set[str]:
    return {name for name, model in spec.models.items() if model.provider == SIMULATED}


def simulated_by_replies(connection: Connection, plan: str) -> set[str]:
    """`plan`: the id of what is served now."""
    episodes, calls = schema.episodes, schema.calls
    last = (
        select(episodes.c.transcript)
        .where(episodes.c.cell.in_(cells_in(plan_alone(plan))))
        .order_by(episodes.c.created_at.desc())
        .limit(LATEST)
    )
    steps = [step for (transcript,) in connection.execute(last) for step in json.loads(transcript)]
    keys = [key for *_, key, _error, _problem in steps if key][:MOST_REPLIES]
    replies = connection.execute(select(calls.c.model, calls.c.version).where(calls.c.key.in_(keys)))
    return {model for model, version in replies if is_simulated(version)}
