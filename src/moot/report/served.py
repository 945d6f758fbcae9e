"""What a served team was asked, under its name, and the run that it is held against: which plans of a store are meant."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from moot.errors import UsageError
from moot.experiment.spec import ExperimentFile
from moot.measures.reserved import SERVED
from moot.measures.served.figures import served_figures
from moot.pasted import pasted
from moot.report.figures import plan_beginning
from moot.report.wanted_plan import WantedPlan
from moot.store import queries
from moot.store.rows import config_of, is_edited
from moot.store.statements import Row

SUFFIX = ":served"
NEVER_RUN = "the experiment was never run"
NO_QUESTIONS = "this file has no questions of its own, so the team was never measured"


@dataclass(frozen=True, slots=True)
class ServedReport:
    name: str
    """What it is kept under."""
    figures: dict[str, Any]


def served_report(
    connection: Connection,
    name: str | None,
    file: ExperimentFile | None,
    *,
    since: float | None = None,
    plan: str | None = None,
) -> ServedReport:
    """`name`: what the traffic is kept under; None: whatever was served last. `since`: seconds of the clock. `plan`: the start
    of the id of one version of the file, where not all are meant."""
    kept = queries.experiments_by_age(connection)
    served = [each for each in kept if config_of(each).get("served") and not config_of(each).get("asked")]
    if name is None:
        name = next((each["name"] for each in served), None)
    every = [each for each in served if each["name"] == name]
    plans: list[Row] = [each for each in every if not is_edited(each)]
    beside = [each for each in every if is_edited(each)]
    if name is None or not every:
        who = f"{name.removesuffix(SUFFIX)} was never served" if name else "nothing was served"
        raise UsageError(f"{who} from this store; first: moot serve {pasted(file.path if file else None)}")
    if plan is not None:
        plans, beside = [plan_beginning(connection, plan, name)], []
    measured, note = _measured(connection, name, file)
    found = served_figures(connection, name, plans, beside, measured, since, time.time())
    return ServedReport(name, {**found, **({"measured_note": note} if note else {})})


def _measured(connection: Connection, name: str, file: ExperimentFile | None) -> tuple[Row | str, str | None]:
    """The run, or why there is none; and what there is to know of it."""
    if file is not None and file.spec.questions is None:
        return NO_QUESTIONS, None
    own = name.removesuffix(SUFFIX) if file is None else file.spec.kept_as
    if not queries.experiments_named(connection, own):
        return NEVER_RUN, None
    found = WantedPlan(own, file).found(connection)
    return found.plan, found.not_of_file


def without_unasked(figures: Mapping[str, Any]) -> dict[str, Any]:
    """As a reader is shown them: of a served team no row in the table of who was never asked."""
    if SERVED not in figures or "accuracy" not in figures:
        return dict(figures)
    return {**figures, "accuracy": [row for row in figures["accuracy"] if row["outcomes"]]}
