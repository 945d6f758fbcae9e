"""A plan that was built without its questions, as it is where long answers are among what it is asked.

The prompts for long answers are part of what a cell is wherever they are asked with. A served team is built without the file's
questions, so this is known only once these are read; without it a served cell would be another than that of the run.
"""

from __future__ import annotations

from dataclasses import replace

import orjson

from moot.experiment.plan import Cell, Plan, prompt_hashes
from moot.types import canonical_json, digest


def asked_for_texts(plan: Plan) -> Plan:
    """The same plan with the prompts for long answers in every cell's identity."""
    return replace(plan, cells=tuple(map(_with_long_prompts, plan.cells)))


def _with_long_prompts(cell: Cell) -> Cell:
    hashes = prompt_hashes(cell.strategy, cell.team.prompts, cell.traits, long_answers=True)
    spec = {**orjson.loads(cell.spec), "prompts": dict(hashes)}
    return replace(cell, id=digest(spec), spec=canonical_json(spec).decode())
