"""What a served team answered, kept like an experiment's episodes, so that the same reports measure it.

The questions come from outside and nobody has said what is right: their cases are not known until there is feedback.
Episodes are written down behind the reply's back, in groups; whoever asked does not wait for the disk.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from sqlalchemy import Connection, delete, func, select, update

from moot.errors import MootError, StoreError, UsageError
from moot.grade.normalise import normalise
from moot.run.build import Cell, Experiment
from moot.run.grading import Grading, settle
from moot.store import queries, schema
from moot.store.rows import case_of, case_row, episode_row, score_row
from moot.store.store import Store
from moot.types import Case, Episode, Question, digest

TOGETHER = 500
"""Episodes written in one transaction."""

LINGER_S = 0.2
"""Episodes gather for this long before they are written."""

TRIES = 5
"""How often a question's place is drawn again where two servers write into one store at the same moment."""


def served_name(name: str) -> str:
    """What the served traffic of a file is kept under: apart from the runs of the same file, which have their own bill."""
    return f"{name}:served"


class ServedRecord:
    """The episodes of one served team file, as an experiment of their own beside those that were planned."""

    def __init__(self, store: Store, experiment: Experiment, cells: Sequence[Cell]) -> None:
        self._store = store
        self._experiment = experiment
        self._cells = tuple(cells)
        self._waiting: asyncio.Queue[Episode | None] = asyncio.Queue()
        self._writer: asyncio.Task[None] | None = None
        self._hurry = asyncio.Event()
        self.error: MootError | None = None
        """Why nothing is kept any more, if the store cannot be written."""

    @property
    def id(self) -> str:
        return digest([self._experiment.name, "served", [cell.id for cell in self._cells]])

    @property
    def grading(self) -> Grading:
        return self._experiment.grading

    async def open(self) -> None:
        await self._store.run(self._declare)
        self._writer = asyncio.create_task(self._write())

    def _declare(self, connection: Connection) -> None:
        config = {**self._experiment.public_config, "served": True}
        row = {
            "id": self.id,
            "name": served_name(self._experiment.name),
            "config": json.dumps(config, ensure_ascii=False),
            "size": 0,
            "created_at": time.time(),
        }
        queries.declare_experiment(connection, row, [cell.row() for cell in self._cells])
        _count(connection, self.id)

    def add(self, episode: Episode) -> None:
        self._waiting.put_nowait(episode)

    async def flush(self) -> None:
        """All that was added so far is written."""
        self._hurry.set()
        await self._waiting.join()

    async def close(self) -> None:
        if self._writer is None:
            return
        self._waiting.put_nowait(None)
        self._hurry.set()
        await self._writer
        self._writer = None

    async def _write(self) -> None:
        """Takes what has gathered every so often: one transaction for many, and nobody waits for it."""
        over = False
        while not over:
            batch = [await self._waiting.get()]
            with suppress(TimeoutError):
                async with asyncio.timeout(LINGER_S):
                    await self._hurry.wait()
            self._hurry.clear()
            while len(batch) < TOGETHER and not self._waiting.empty():
                batch.append(self._waiting.get_nowait())
            over = None in batch
            episodes = [each for each in batch if each is not None]
            try:
                if episodes:
                    await self._store.run(partial(self._keep, episodes=episodes))
            except MootError as error:
                self.error = error
            for _ in batch:
                self._waiting.task_done()

    def _keep(self, connection: Connection, episodes: Sequence[Episode]) -> None:
        cases = _placed(connection, self.id, [episode.question for episode in episodes])
        scores = []
        for episode in episodes:
            case = cases[episode.question.digest]
            score = self.grading.at_once(case, episode.verdict.answer)
            scores.append(score_row(episode.cell, case.digest, episode.repeat, self.grading.name, score))
        queries.put(connection, schema.episodes, [episode_row(episode) for episode in episodes])
        queries.put(connection, schema.scores, scores)
        _count(connection, self.id)

    async def feedback(self, episode: str, *, answer: str | None = None, correct: bool | None = None) -> dict[str, Any]:
        """What turned out to be right: the answer itself, or whether the team's was."""
        await self.flush()
        return await self._store.run(partial(self._learn, episode=episode, answer=answer, correct=correct))

    def _learn(self, connection: Connection, episode: str, answer: str | None, correct: bool | None) -> dict[str, Any]:
        row = find_episode(connection, self.id, episode)
        case = case_of(row["content"])
        if answer is not None:
            case = replace(case, answer=answer, known=True)
            connection.execute(
                update(schema.experiment_questions)
                .where(
                    schema.experiment_questions.c.experiment == self.id,
                    schema.experiment_questions.c.question == case.question.digest,
                )
                .values(case=case.digest)
            )
            queries.put(connection, schema.cases, [case_row(case)])
            self._grade_again(connection, case)
        elif row["answer"] is None:
            raise UsageError(f"episode {episode} has no answer that could be right or wrong; send the right one")
        else:
            settle(connection, case, normalise(row["answer"]), bool(correct))
        place = (
            schema.scores.c.cell == row["cell"],
            schema.scores.c.case == case.digest,
            schema.scores.c.repeat == row["repeat"],
            schema.scores.c.grader == self.grading.name,
        )
        score = connection.execute(select(schema.scores.c.value, schema.scores.c.stage).where(*place)).one()
        return {
            "episode": episode,
            "correct": None if score.value is None else score.value == 1.0,
            "stage": score.stage,
        }

    def _grade_again(self, connection: Connection, case: Case) -> None:
        """Every answer to this question, now that the reference is known."""
        cells = [cell.id for cell in self._cells]
        for row in queries.episodes_on(connection, cells, [case.question.digest]):
            score = self.grading.at_once(case, row["answer"])
            graded = score_row(row["cell"], case.digest, row["repeat"], self.grading.name, score)
            queries.put(connection, schema.scores, [graded])


def _placed(connection: Connection, experiment: str, questions: Sequence[Question]) -> dict[str, Case]:
    """The case of each question; one that was never asked before gets a place among the others.

    A case that is there stands: it may be better known than a new one would be.
    """
    wanted = {question.digest: question for question in questions}
    for _ in range(TRIES):
        found = _cases(connection, experiment, list(wanted))
        new = [Case(question, None, known=False) for key, question in wanted.items() if key not in found]
        if not new:
            return found
        places = schema.experiment_questions
        last = connection.execute(select(func.max(places.c.position)).where(places.c.experiment == experiment)).scalar()
        rows = [
            {"experiment": experiment, "position": position, "question": case.question.digest, "case": case.digest}
            for position, case in enumerate(new, start=0 if last is None else last + 1)
        ]
        queries.add(connection, schema.cases, [case_row(case) for case in new])
        # Another server may have taken a place meanwhile: then its row stands, and ours is tried on the next ones.
        queries.add(connection, places, rows)
    raise StoreError("other servers take every place in this store before we do")


def _cases(connection: Connection, experiment: str, questions: Sequence[str]) -> dict[str, Case]:
    places, cases = schema.experiment_questions, schema.cases
    found: dict[str, Case] = {}
    for part in queries.chunks(questions):
        query = select(places.c.question, cases.c.content).join(cases, cases.c.id == places.c.case)
        query = query.where(places.c.experiment == experiment, places.c.question.in_(part))
        found.update((question, case_of(content)) for question, content in connection.execute(query))
    return found


def _count(connection: Connection, experiment: str) -> None:
    places = schema.experiment_questions
    size = select(func.count()).where(places.c.experiment == experiment).scalar_subquery()
    connection.execute(update(schema.experiments).where(schema.experiments.c.id == experiment).values(size=size))


def find_episode(connection: Connection, experiment: str, episode: str) -> Any:
    """An episode by the id that the client was given, with its case."""
    number, question = episode.removeprefix("ep_")[:8], episode.removeprefix("ep_")[8:]
    repeat = -1
    with suppress(ValueError):
        repeat = int(number, 16)
    places, episodes = schema.experiment_questions, schema.episodes
    row = (
        connection.execute(
            select(episodes, schema.cases.c.content)
            .join(places, places.c.question == episodes.c.question)
            .join(schema.cases, schema.cases.c.id == places.c.case)
            .where(places.c.experiment == experiment, episodes.c.question == question, episodes.c.repeat == repeat)
        )
        .mappings()
        .first()
    )
    if row is None:
        raise UsageError(f"there is no episode {episode!r}")
    return row


def latest_episodes(connection: Connection, experiment: str, most: int) -> list[dict[str, Any]]:
    """What was asked last: for a page that shows past questions."""
    places, episodes, cases, cells = schema.experiment_questions, schema.episodes, schema.cases, schema.cells
    query = (
        select(
            episodes.c.question,
            episodes.c.repeat,
            episodes.c.outcome,
            episodes.c.answer,
            episodes.c.seconds,
            episodes.c.created_at,
            cases.c.content,
            episodes.c.cell,
            cells.c.label,
        )
        .join(places, places.c.question == episodes.c.question)
        .join(cases, cases.c.id == places.c.case)
        .join(cells, cells.c.id == episodes.c.cell)
        .where(places.c.experiment == experiment)
        .order_by(episodes.c.created_at.desc())
        .limit(most)
    )
    return [dict(row) for row in connection.execute(query).mappings()]


def purge(connection: Connection, experiment: str, before: float) -> dict[str, int]:
    """Forget what a served team was asked before this moment: episodes, their grades, questions, and the calls."""
    found = connection.execute(select(schema.experiments).where(schema.experiments.c.id == experiment)).mappings().one()
    cells = select(schema.experiment_cells.c.cell).where(schema.experiment_cells.c.experiment == experiment)
    episodes, scores, places = schema.episodes, schema.scores, schema.experiment_questions
    old = connection.execute(
        select(episodes.c.cell, episodes.c.question, episodes.c.repeat).where(
            episodes.c.cell.in_(cells), episodes.c.created_at < before
        )
    ).all()
    for cell, question, repeat in old:
        cases = select(places.c.case).where(places.c.experiment == experiment, places.c.question == question)
        connection.execute(
            delete(scores).where(scores.c.cell == cell, scores.c.repeat == repeat, scores.c.case.in_(cases))
        )
        connection.execute(
            delete(episodes).where(
                episodes.c.cell == cell, episodes.c.question == question, episodes.c.repeat == repeat
            )
        )
    still = select(episodes.c.question).where(episodes.c.cell.in_(cells))
    mine = places.c.experiment == experiment
    gone = connection.execute(select(places.c.case).where(mine, places.c.question.not_in(still))).scalars().all()
    connection.execute(delete(places).where(mine, places.c.question.not_in(still)))
    elsewhere = select(places.c.case)
    for part in queries.chunks(gone):
        unused = (schema.cases.c.id.in_(part), schema.cases.c.id.not_in(elsewhere))
        connection.execute(delete(schema.settlements).where(schema.settlements.c.case.in_(part)))
        connection.execute(delete(schema.judgements).where(schema.judgements.c.case.in_(part)))
        connection.execute(delete(schema.cases).where(*unused))
    calls = connection.execute(
        delete(schema.calls).where(schema.calls.c.experiment == found["name"], schema.calls.c.created_at < before)
    ).rowcount
    _count(connection, experiment)
    return {"episodes": len(old), "questions": len(gone), "calls": calls}
