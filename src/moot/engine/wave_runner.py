"""A run in waves: which questions come next, and who is still asked them, hangs on what came of those before.

All the rest is as in any run: the same calls, episodes and grades, the same cap on money, resumable at any moment. What is
there already is heard and not played again, so whoever begins anew goes on where it stopped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import orjson
from sqlalchemy import Connection, select

from moot.data import given_cases
from moot.engine.declaring import declare_questions
from moot.engine.runner import Runner
from moot.experiment.plan import Plan
from moot.needs import NOTHING_MORE
from moot.store import queries, schema
from moot.store.store import Store
from moot.types import Case

DRAFT_STAGE = "draft"


@dataclass(frozen=True, slots=True)
class Wave:
    """Questions that are next to each other in the set, and the places of the cells that are asked them."""

    first: int
    questions: int
    cells: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class WavePlay:
    """What came of one cell on one question."""

    worth: float | None
    """None: nobody could grade it."""
    calls: int
    """Beside the drafts."""
    failed: bool
    whole: bool = True
    """Whether everybody was reached on the way: else it is played again."""
    made: frozenset[str] = frozenset()
    """These calls by their keys: what several cells have in common is made once."""


WavePlays = Mapping[tuple[int, int], WavePlay]
"""By the places of the cell and of the question; what is not there was not played to its end."""


class WaveCourse(Protocol):
    """Who says what is played."""

    def begin(self, plays: WavePlays) -> None:
        """With all that is there already of these cells and questions."""

    def next_wave(self) -> Wave | None:
        """None: it is over."""

    def hear(self, plays: WavePlays) -> None:
        """Of the last wave."""


class WaveRunner(Runner):
    """Plays what a course asks for, until it is over or the run must end."""

    def __init__(self, experiment: Plan, store: Store, course: WaveCourse) -> None:
        super().__init__(experiment, store, needs=NOTHING_MORE)
        self._course = course
        self._cases: Sequence[Case] = tuple(experiment.dataset or ())
        self._wave = Wave(0, 0, ())

    def _batches(self) -> Iterator[tuple[int, list[Case]]]:
        if asked := self._asked():
            yield self._wave.first, asked

    def _asked(self) -> list[Case]:
        return list(self._cases[self._wave.first : self._wave.first + self._wave.questions])

    async def _play_seated(self, seated: Plan) -> None:
        self._course.begin(await self.store.run(self._there))
        while self._stopped is None and not self._interrupted and (wave := self._course.next_wave()) is not None:
            self._wave = wave
            cells = tuple(seated.cells[place] for place in wave.cells)
            if wave.questions:
                await self._play_all(cells)
                await self._afterwards(replace(seated, cells=cells, dataset=given_cases(tuple(self._asked()))))
            if not self._store_is_broken():
                self._course.hear(await self.store.run(lambda connection: self._plays(connection, self._wave)))

    def _there(self, connection: Connection) -> WavePlays:
        """All that was played before, on questions that are then written down as asked here too."""
        plays = self._plays(connection, Wave(0, len(self._cases), tuple(range(len(self.experiment.cells)))))
        asked = 1 + max((number for _, number in plays), default=-1)
        declare_questions(connection, self.experiment.id, 0, list(self._cases[:asked]), declared=self._declared)
        return plays

    def _plays(self, connection: Connection, wave: Wave) -> WavePlays:
        """As they are in the store."""
        cases = self._cases[wave.first : wave.first + wave.questions]
        question = {case.question.digest: wave.first + place for place, case in enumerate(cases)}
        cell = {self.experiment.cells[place].id: place for place in wave.cells}
        rows = queries.episodes_on(connection, list(cell), list(question))
        cased = {case.question.digest: case.digest for case in cases}
        scores = schema.scores
        graded = select(scores.c.cell, scores.c.case, scores.c.value).where(
            scores.c.cell.in_(cell), scores.c.grader == self.experiment.grading.name
        )
        values: dict[tuple[str, str], float | None] = {}
        for part in queries.chunks(list(cased.values())):
            values |= {(row[0], row[1]): row[2] for row in connection.execute(graded.where(scores.c.case.in_(part)))}
        plays = {}
        for row in rows:
            calls = [call for call in orjson.loads(row["transcript"]) if call[1] != DRAFT_STAGE]
            plays[cell[row["cell"]], question[row["question"]]] = WavePlay(
                0.0 if row["answer"] is None else values.get((row["cell"], cased[row["question"]])),
                len(calls),
                row["outcome"] == "failed",
                row["unreached"] is None,
                frozenset(call[3] for call in calls if call[3] is not None),
            )
        if self._stopped is None and not self._interrupted:
            return plays
        return {key: play for key, play in plays.items() if play.worth is not None}  # the rest may wait for a judge
