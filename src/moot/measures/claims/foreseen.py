"""What the report of a planned run will pay for, by what the store of it knows already.

A file alone says how many options it has and what it declares. Whether that is declared beforehand, and what else was
played on these questions, the report asks the store; so must a plan, or it promises a power that the report then spends on
the pilot's options. The rules are those of `headline` and `hypotheses`, from cells that nobody has played yet.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

from sqlalchemy import Connection, select

from moot.experiment.claims import parse
from moot.experiment.plan import Plan
from moot.experiment.selected import ChosenOn, marks_of
from moot.experiment.side_names import ClaimError, cells_meant, is_meant, parse_side
from moot.measures.cells import Stored, identity_of, stored_cell, stored_cells
from moot.measures.claims.unlisted import versions_of
from moot.measures.planned_families import more_rows
from moot.measures.sides import cells_named
from moot.store import schema
from moot.store.declarations import foreseen_declarations
from moot.store.queries import choices_of, experiments_named
from moot.store.questions_before import questions_played, questions_taken_out
from moot.store.undertakings import PlanBeside, cells_beside, plans_beside


@dataclass(frozen=True, slots=True)
class Foreseen:
    """Of a file whose store knows something of it."""

    options: int
    """That the headline will pay for."""
    unlisted: int
    """Those of them that were played before and are not in the file."""
    late: bool
    """Whether the file declares a primary and the report will call it a choice all the same."""
    hypotheses: int
    """In the larger one of their two families: those declared beforehand, and the others with what they pay for."""
    late_hypotheses: int
    """Those of the file that will be exploratory."""
    after: int
    """So many questions were played before."""


def foreseen(connection: Connection, plan: Plan) -> Foreseen:
    before = _Before(connection, plan)
    teams = [cell for cell in before.cells if not cell["player"]]
    pool = teams or before.cells
    config, ids = plan.public_config, [cell["id"] for cell in before.cells]
    known = None if plan.dataset is None else before.asked
    declared = foreseen_declarations(connection, plan.name, config, ids, known)
    frozen = {(word.kind, word.text) for word in declared if word.frozen}
    primary, taken_out = plan.spec.primary, before.taken_out
    chosen = cells_named(primary, before.cells) if primary else pool
    beside = [cell for cell in before.beside(chosen) if bool(cell["player"]) == (not teams)]
    late = False
    if primary:
        changed = any(is_meant(parse_side(primary), cell) for cell in beside)
        late = ("primary", primary) not in frozen or changed or taken_out
    options = 1 + sum([cell] != chosen for cell in pool) if primary else len(pool)
    texts = [word.text for word in declared if word.kind == "hypothesis"]
    tries = {text: before.tries(text) if ("hypothesis", text) in frozen else 0 for text in texts}
    exploratory = [text for text in texts if ("hypothesis", text) not in frozen or tries[text] or taken_out]
    return Foreseen(
        options=options + len(beside) if late or not primary else 1,
        unlisted=len(beside) if late or not primary else 0,
        late=late,
        hypotheses=max(len(texts) - len(exploratory), len(exploratory) + sum(tries.values())),
        late_hypotheses=len(set(exploratory) & set(plan.spec.hypotheses)),
        after=len(questions_played(connection, plan.name, ids, before.asked)),
    )


def foreseen_rows(connection: Connection, plan: Plan) -> dict[str, int]:
    """By table: how many rows more the report will pay for, of other versions of the file that were played before."""
    before = _Before(connection, plan)
    teams = [cell for cell in before.cells if not cell["player"]]
    return more_rows(before.cells, before.versions(teams or before.cells), plan.dataset or ())


class _Before:
    """What was played before, of a file that is planned."""

    def __init__(self, connection: Connection, plan: Plan) -> None:
        self._connection, self._plan = connection, plan
        self.cells = [stored_cell(cell.row()) for cell in plan.cells]
        self._listed = set(map(identity_of, self.cells))
        self._marks = {case.question.digest: marks_of(case.question) for case in plan.dataset or ()}

    @property
    def asked(self) -> list[str]:
        return list(self._marks)

    @property
    def taken_out(self) -> bool:
        """Whether questions were played under this name that the file has no more."""
        named = experiments_named(self._connection, self._plan.name)
        new = {"id": self._plan.id, "name": self._plan.name, "created_at": math.inf}
        row = next((plan for plan in named if plan["id"] == self._plan.id), new)
        words = {case.question.digest: case.question.wording for case in self._plan.dataset or ()}
        return bool(questions_taken_out(self._connection, row, words))

    def beside(self, chosen: Sequence[Stored]) -> list[Stored]:
        """What was played on any of these questions under every name of these cells, and is not in the file; each once."""
        found: dict[str | bytes, Stored] = {}
        others = [stored_cell(row) for _, row in cells_beside(self._plans(chosen))]
        others = [cell for cell in others if identity_of(cell) not in self._listed]
        choices = choices_of(self._connection, [cell["id"] for cell in others])
        for cell in others:
            if identity_of(cell) not in found and self._came(cell["id"], choices.get(cell["id"], ())):
                found[identity_of(cell)] = cell
        return list(found.values())

    def versions(self, chosen: Sequence[Stored]) -> list[list[Stored]]:
        """The plans beside these cells, each with those of its own that are in the file or were played."""
        played = self._listed | set(map(identity_of, self.beside(chosen)))
        plans = [stored_cells(plan.cells) for plan in self._plans(chosen)]
        return [[cell for cell in cells if identity_of(cell) in played] for cells in plans]

    def tries(self, hypothesis: str) -> int:
        """In how many other versions what it names was played."""
        try:
            sides = list(dict.fromkeys(term.side for term in parse(hypothesis).terms))
            meant = [cast(Stored, cell) for side in sides for cell in cells_meant(side, self.cells)]
        except ClaimError:
            return 0
        return versions_of(self._plans(meant), sides, set(map(identity_of, self.beside(meant))))

    def _plans(self, chosen: Sequence[Stored]) -> list[PlanBeside]:
        return plans_beside(self._connection, self._plan.id, [cell["id"] for cell in chosen], [self._plan.name])

    def _came(self, cell: str, chosen_on: Iterable[str]) -> bool:
        """Whether anything came of it, on questions that it was not chosen on."""
        episodes, choice = schema.episodes, ChosenOn(frozenset(chosen_on))
        query = select(episodes.c.question).where(episodes.c.cell == cell, episodes.c.outcome != "failed").distinct()
        played = [
            self._marks[question] for question in self._connection.execute(query).scalars() if question in self._marks
        ]
        return any(not choice.has(marks) for marks in played)
