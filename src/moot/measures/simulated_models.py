"""Which models are not real: by what the file says of them, or by what answered behind their address.

`moot simulate` marks every reply of its own: a file that points to it says nothing of that. A store also has what answered at
another address before the file was changed, and a run takes what another one of the same store has asked: so it is told by the
replies of the run's own plays, whoever paid for them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import and_, select

from moot.measures.episodes import call_keys
from moot.measures.source import Source
from moot.simulate.mark import SIMULATED, is_simulated, marked
from moot.store import queries
from moot.store.schema import calls, episodes, experiment_questions
from moot.types import canonical_json

AT_EITHER_END = 3
"""Plays of each cell whose replies are looked at, of its first and of its last questions: a trial is of the first."""


def simulated_models(source: Source) -> list[str]:
    """By name."""
    return sorted(_simulated(source))


def _simulated(source: Source) -> Iterator[str]:
    models = source.config.get("models", {})
    behind = {name: spec for name, spec in models.items() if spec.get("base_url")}
    yield from (name for name, spec in models.items() if spec["provider"] == SIMULATED and name not in behind)
    found = _in_plays(source, behind) if behind else set()
    yield from (name for name, spec in behind.items() if name in found or _answered_beside(source, name, spec))


def _in_plays(source: Source, models: Mapping[str, Mapping[str, Any]]) -> set[str]:
    """Who gave a simulated reply in the plays that are looked at. One name here may be another where the call was paid."""
    found: set[str] = set()
    for part in queries.chunks(sorted(_keys(source))):
        told = select(calls.c.shape, calls.c.model).where(
            calls.c.key.in_(part), calls.c.version.startswith(marked(""), autoescape=True)
        )
        for shape, payer in source.connection.execute(told):
            asked = json.loads(shape)[0]
            place = asked.get("base_url"), asked.get("model") or asked.get("body", {}).get("model")
            alike = {name for name, spec in models.items() if (spec["base_url"].rstrip("/"), spec["model"]) == place}
            found |= alike or {payer} & models.keys()
    return found


def _keys(source: Source) -> set[str]:
    """Of the calls of a few plays of every cell."""
    found: set[str] = set()
    place, of_plan = experiment_questions.c.position, experiment_questions.c.experiment == source.ident
    asked = episodes.join(experiment_questions, and_(of_plan, experiment_questions.c.question == episodes.c.question))
    for cell in source.cells:
        plays = select(episodes.c.transcript).select_from(asked).where(episodes.c.cell == cell["id"])
        for order in (place, place.desc()):
            for (transcript,) in source.connection.execute(plays.order_by(order).limit(AT_EITHER_END)):
                found.update(call_keys(json.loads(transcript)))
    return found


def _answered_beside(source: Source, model: str, spec: Mapping[str, Any]) -> bool:
    """A judge is in no play. Of a model behind an address one reply tells: it is one server that answers there."""
    address = canonical_json({"base_url": spec["base_url"].rstrip("/")}).decode().removesuffix("}")
    of_it = (calls.c.experiment == source.name, calls.c.model == model)
    query = select(calls.c.version).where(*of_it, calls.c.shape.startswith(f"[{address},", autoescape=True)).limit(1)
    return is_simulated(source.connection.execute(query).scalar())
