"""What will be played, written down before the first call: the file, its cells, and the questions with their places."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from itertools import islice

from sqlalchemy import Connection

from moot.engine.batches import placed_batches
from moot.experiment.plan import Plan
from moot.store import queries
from moot.store.questions_before import carry_settlements
from moot.store.rows import case_row
from moot.types import Case


def declare_experiment(connection: Connection, experiment: Plan) -> bool:
    """The file and the cells. True if the questions are written already.

    The first of them are written here, the others when they are played: nobody who looks finds a plan without questions.
    """
    row = {
        "id": experiment.id,
        "name": experiment.name,
        "config": json.dumps(experiment.public_config, ensure_ascii=False),
        "size": len(experiment.dataset or ()),
        "created_at": time.time(),
    }
    chosen_on = {cell.id: cell.chosen_on.marks for cell in experiment.cells}
    asked = (case.question.digest for case in experiment.dataset or ())  # mostly nobody has to look at them
    cells = [cell.row() for cell in experiment.cells]
    declared = queries.declare_experiment(connection, row, cells, chosen_on, asked)
    if not declared:
        for start, cases in islice(placed_batches(experiment.dataset or ()), 1):
            declare_questions(connection, experiment.id, start, cases, declared=False)
    return declared


def declare_questions(
    connection: Connection, experiment: str, start: int, cases: Sequence[Case], *, declared: bool
) -> None:
    """Where they stand, and what they belong to, which a file may say otherwise than the last time it was `declared`."""
    places = [
        {
            "experiment": experiment,
            "position": position,
            "question": case.question.digest,
            "case": case.digest,
            "question_set": case.question_set,
            "cluster": case.cluster,
        }
        for position, case in enumerate(cases, start)
    ]
    if not declared or queries.placed_questions(connection, experiment, start, len(cases)) != places:
        queries.declare_questions(connection, places, [case_row(case) for case in cases])
        carry_settlements(connection, experiment, cases)
