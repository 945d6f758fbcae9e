"""Which models are not real: by what the file says of them, or by what answered behind their address.

`moot simulate` marks every reply of its own: a file that points to it says nothing of that.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import select

from moot.measures.source import Source
from moot.simulate.mark import SIMULATED, is_simulated
from moot.store.schema import calls


def simulated_models(source: Source) -> list[str]:
    """By name. Of a model behind an address one stored reply tells: it is one server that answers there."""
    return sorted(_simulated(source))


def _simulated(source: Source) -> Iterator[str]:
    for name, spec in source.config.get("models", {}).items():
        if spec["provider"] == SIMULATED or ("base_url" in spec and _answered_as(source, name)):
            yield name


def _answered_as(source: Source, model: str) -> bool:
    query = select(calls.c.version).where(calls.c.experiment == source.name, calls.c.model == model).limit(1)
    return is_simulated(source.connection.execute(query).scalar())
