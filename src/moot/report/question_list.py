"""The questions of a run, each with who was right: where to look next is the first thing that a verdict makes one ask."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection

from moot.experiment.side_names import SideName, is_meant, seat_of_row, several_teams
from moot.report.figures import grader_of
from moot.store import queries
from moot.store.rows import case_of, config_of
from moot.store.statements import Row


@dataclass(frozen=True, slots=True)
class ListedQuestion:
    id: str
    text: str
    reference: str | None
    scores: dict[str, list[float | None]] = field(default_factory=dict)
    """By who answered: the score of each repeat, None where it is not graded."""

    @property
    def right(self) -> list[str]:
        """Who was, with how many of the repeats where it was not all of them."""
        return [said for title, scores in self.scores.items() if (said := _right(title, scores)) is not None]

    @property
    def ungraded(self) -> int:
        return sum(score is None for scores in self.scores.values() for score in scores)

    def json(self) -> Mapping[str, Any]:
        return {"id": self.id, "text": self.text, "reference": self.reference, "scores": self.scores}


def _right(title: str, scores: list[float | None]) -> str | None:
    total = sum(score for score in scores if score is not None)
    if not total:
        return None
    return title if total == len(scores) else f"{title} {total:.4g}/{len(scores)}"


def listed_questions(connection: Connection, experiment: Row, side: SideName | None = None) -> list[ListedQuestion]:
    """In the order of the file; `side`: with the plays of those that are meant alone."""
    ident, config = experiment["id"], config_of(experiment)
    listed = {}
    for row in queries.cases_of(connection, ident):
        case = case_of(row["content"])
        listed[row["question"], row["id"]] = ListedQuestion(case.question.id, case.question.text, case.answer)
    cells = queries.cells_of(connection, ident)
    several = several_teams(cells, config.get("teams", ()) if config.get("served") else ())
    for cell in cells:
        if side is not None and not is_meant(side, cell):
            continue
        title = str(seat_of_row(cell, team=several))
        for question, case_id, value in queries.values_of(connection, ident, cell["id"], grader_of(config)):
            listed[question, case_id].scores.setdefault(title, []).append(value)
    return list(listed.values())
