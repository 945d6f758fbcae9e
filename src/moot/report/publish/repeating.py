"""Does the published folder give the verdict again? It is played from what stands there, and the headlines are held together."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Connection

from moot.engine.runner import Runner
from moot.errors import MootError
from moot.experiment.build import build
from moot.experiment.spec import read_experiment
from moot.measures import needs
from moot.report.figures import find_experiment, headline_of

COMPARED = ("of", "value", "low", "high", "n", "ungraded", "over_best_single")
"""Of the headline. What it cost is not among them: a recording costs nothing."""


class VerdictAgain(NamedTuple):
    """Whether the verdict came out the same, and if not, why."""

    same: bool
    why: str | None = None


async def repeated(file: Path, headline: Mapping[str, Any] | None) -> VerdictAgain:
    """Play the published file in a store that nobody else sees. It calls nobody: its models are recordings."""
    try:
        with tempfile.TemporaryDirectory(prefix="moot-again-") as folder:
            again = await _headline(file, Path(folder) / "again.db")
    except MootError as error:
        return VerdictAgain(
            False, f"it cannot be played from what is published: {error}".replace(str(file.parent), "")[:400]
        )
    if headline is None or again is None:
        return VerdictAgain(
            headline is None and again is None, "nothing was played" if headline is None else "nothing came of it"
        )
    for key in COMPARED:
        if not _same(headline.get(key), again.get(key)):
            return VerdictAgain(
                False, f"{key} of the headline comes out otherwise when it is played from what is published"
            )
    return VerdictAgain(True)


async def _headline(file: Path, store_path: Path) -> Mapping[str, Any] | None:
    plan = build(read_experiment(file), store_url=f"sqlite:///{store_path}")
    store = plan.store()
    await store.open()
    try:
        await Runner(plan, store, needs=needs()).run()
        return await store.read(partial(_read, plan=plan.id))
    finally:
        await store.close()


def _read(connection: Connection, plan: str) -> Mapping[str, Any] | None:
    found: Mapping[str, Any] | None = headline_of(connection, find_experiment(connection, ident=plan))["headline"]
    return found


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, float) and isinstance(other, float | int):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    return bool(one == other)
