"""What is said of a file before its first call, and not again by every command after it.

How a table of questions was read matters to whoever has just written it, and is noise above the three lines of the tenth run.
What was said is not kept anywhere: a run that has begun has said it, and every run is on record.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable

from sqlalchemy import Connection

from moot.cli.safe_text import say
from moot.experiment.plan import Plan
from moot.store.store import Store
from moot.store.undertakings import questions_were_run, was_run


async def not_said_yet(plan: Plan, store: Store | None) -> list[str]:
    """What no run that this store knows of has said. `store`: open; None: there is none, so that nothing was said."""
    warnings = plan.warnings
    if store is None or not warnings:
        return list(warnings)
    unsaid = await store.read(lambda connection: _unsaid(connection, plan))
    return [warning for warning in warnings if warning in unsaid]


def _unsaid(connection: Connection, plan: Plan) -> set[str]:
    mark = plan.file_questions
    of_questions = mark is not None and questions_were_run(connection, mark)
    return {
        *(() if of_questions else plan.question_warnings),
        *(() if was_run(connection, plan.id) else plan.plan_warnings),
    }


def say_warnings(warnings: Iterable[str]) -> list[str]:
    """On stderr; gives the lines."""
    lines = [f"moot: {warning}" for warning in warnings]
    for line in lines:
        say(line, file=sys.stderr)
    return lines
