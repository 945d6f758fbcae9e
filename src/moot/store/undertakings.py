"""What else was played in the same undertaking: the plans under every name under which an option was planned.

A file may lose its losers after a run, and a copy of it may get another name. The store has seen them all the same, and who
chose among them could have as well. A team that was served or asked is no such plan: nobody planned who plays what there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from sqlalchemy import Connection, select

from moot.store import queries, schema
from moot.store.rows import as_led, config_of, facts_of
from moot.store.same_options import same_options
from moot.store.statements import Row


class PlannedCell(NamedTuple):
    """A cell, and the name under which it was planned first."""

    experiment: str
    cell: Row


class PlanBeside(NamedTuple):
    """Another plan, with its cells in their order."""

    experiment: str
    cells: list[Row]


def plans_beside(
    connection: Connection, ident: str, chosen: Collection[str], named: Collection[str] = ()
) -> list[PlanBeside]:
    """All plans but this one, under every name under which one of these cells was planned, be it with other lessons to
    learn from; the oldest first. `named`: under these names too, for a plan that is not in the store yet."""
    plans, places, cells = schema.experiments, schema.experiment_cells, schema.cells
    names = set(named)
    for part in queries.chunks(sorted(same_options(connection, chosen))):
        holding = select(plans.c.name).join(places, places.c.experiment == plans.c.id).where(places.c.cell.in_(part))
        names.update(connection.execute(holding.distinct()).scalars())
    beside = []
    for plan in plans_named(connection, names, ident):
        query = select(cells).join(places, places.c.cell == cells.c.id).where(places.c.experiment == plan["id"])
        own = as_led(map(dict, connection.execute(query.order_by(places.c.position)).mappings()))
        beside.append(PlanBeside(plan["name"], list(own)))
    return beside


def cells_beside(plans: Iterable[PlanBeside]) -> list[PlannedCell]:
    """The cells of all these plans, each once."""
    found: dict[str, PlannedCell] = {}
    for plan in plans:
        for cell in plan.cells:
            found.setdefault(cell["id"], PlannedCell(plan.experiment, cell))
    return list(found.values())


def plans_named(connection: Connection, names: Collection[str], but: str = "") -> list[Row]:
    """Whatever was planned under these names, `but` one; the oldest first."""
    plans = schema.experiments
    found: list[Row] = []
    for part in queries.chunks(sorted(names)):
        query = select(plans).where(plans.c.name.in_(part), plans.c.id != but)
        found += (dict(plan) for plan in connection.execute(query).mappings())
    planned = [plan for plan in found if not config_of(plan).get("served")]
    return sorted(planned, key=lambda plan: (plan["created_at"], plan["id"]))


def answers_on(connection: Connection, ident: str, cell: str, grader: str) -> Iterator[Row]:
    """What a cell answered to an experiment's questions, whichever plan it played them for, each beside its score."""
    episodes, scores = schema.episodes, schema.scores
    answered = (episodes.c.question, episodes.c.outcome, episodes.c.answer, episodes.c.verdict)
    query = queries.scored_plays(ident, cell, grader, *answered, scores.c.value, scores.c.stage)
    yield from map(dict, connection.execute(query).mappings())


def file_questions(connection: Connection, ident: str) -> str | None:
    """Which questions the file of a plan had, all of them, by what its runs say; None: none of them says it."""
    runs = schema.runs
    said = connection.execute(
        select(runs.c.facts).where(runs.c.experiment == ident).order_by(runs.c.id.desc())
    ).mappings()
    return next((str(mark) for run in said if (mark := facts_of(dict(run)).get("file_questions"))), None)


def was_run(connection: Connection, ident: str) -> bool:
    """Whether a run of this plan has begun here, however it ended."""
    runs = schema.runs
    return connection.execute(select(runs.c.id).where(runs.c.experiment == ident).limit(1)).first() is not None


def questions_were_run(connection: Connection, mark: str) -> bool:
    """Whether a run of any plan has begun here whose file had these questions, by their mark."""
    runs = schema.runs
    said = select(runs.c.facts).where(runs.c.facts.contains(mark, autoescape=True))
    return any(facts_of(dict(run)).get("file_questions") == mark for run in connection.execute(said).mappings())


def cases_in_order(connection: Connection, ident: str) -> list[str]:
    """The questions of a plan, each with its reference."""
    places = schema.experiment_questions
    query = select(places.c.case).where(places.c.experiment == ident).order_by(places.c.position)
    return list(connection.execute(query).scalars())
