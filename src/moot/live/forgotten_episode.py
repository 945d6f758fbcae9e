"""One question of a served team, to be forgotten by whoever asked it: what `purge` does to all that is old, done to one."""

from __future__ import annotations

import json
import time

from sqlalchemy import Connection, delete, select, update

from moot.errors import UsageError
from moot.live.left_in_files import mark_of_episode, note_forgotten, noted_episode
from moot.live.served_past import forget_after_episodes
from moot.live.served_rows import cells_in, find_episode, plans_named
from moot.live.tied_calls import forgettable, ties_since, untied
from moot.live.unlinked_calls import FORGOTTEN, mark_of
from moot.store import queries, schema
from moot.store.rows import case_of
from moot.types import Question

LATE_S = 5.0
"""Before calls were tied to questions: an episode is written down a little after its last call, and calls beside it a little
after it."""


def purge_episode(connection: Connection, name: str, episode: str, asker: str | None) -> dict[str, int]:
    """The episode with its grades and calls; its question too, unless that was asked once more. `asker`: only one of its own.

    Its words are in the store's files until these are scrubbed. Of one that is so far the same is told again.
    """
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA secure_delete = ON")
    try:
        row = find_episode(connection, name, episode, asker)
    except UsageError:
        if (removed := noted_episode(connection, name, episode, asker)) is None:
            raise
        return removed
    owner = _owner(connection, name, row["question"])
    episodes, scores, matches = schema.episodes, schema.scores, schema.matches
    this = (
        episodes.c.cell.in_(cells_in(plans_named(name))),
        episodes.c.question == row["question"],
        episodes.c.repeat == row["repeat"],
    )
    plays = connection.execute(select(episodes.c.transcript, episodes.c.created_at, episodes.c.seconds).where(*this))
    said, begun, ended = set[str](), row["created_at"], row["created_at"]
    for transcript, created_at, seconds in plays.all():
        said.update(key for *_, key, _error, _problem in json.loads(transcript) if key)
        begun, ended = min(begun, created_at - seconds - LATE_S), max(ended, created_at + LATE_S)
    case = case_of(row["content"])
    cases = select(schema.cases.c.id).where(schema.cases.c.question_id == case.question.id)
    connection.execute(
        delete(scores).where(
            scores.c.case.in_(cases), scores.c.cell.in_(cells_in(plans_named(name))), scores.c.repeat == row["repeat"]
        )
    )
    connection.execute(delete(matches).where(matches.c.question == row["question"], matches.c.repeat == row["repeat"]))
    forgotten = connection.execute(delete(episodes).where(*this)).rowcount
    tied = _loosened(connection, name, row["question"], row["repeat"])
    if tied:
        _forget_failures(connection, name, tied)
    else:
        tied = _before_ties(connection, name, case.question, begun, min(ended, ties_since(connection)))
    calls = forgettable(connection, name, said | tied)
    rest = forget_after_episodes(connection, name, [row["question"]], time.time(), calls=calls)
    removed = {"episodes": forgotten, **rest}
    note_forgotten(connection, name, removed, mark=mark_of_episode(episode), asker=owner)
    return removed


def _owner(connection: Connection, name: str, question: str) -> str | None:
    """Whose question it is; None: nobody's, or that of several, which only they see who see all."""
    places = schema.experiment_questions
    asked = (places.c.experiment.in_(plans_named(name)), places.c.question == question)
    askers = connection.execute(select(places.c.asker).where(*asked).distinct()).scalars().all()
    return askers[0] if len(askers) == 1 else None


def _loosened(connection: Connection, name: str, question: str, repeat: int) -> set[str]:
    """All that was tied to it, which is no more; from now on nothing that comes for it is kept."""
    ties = schema.served_calls
    its_own = (ties.c.experiment == name, ties.c.question == question, ties.c.repeat == repeat)
    keys = set(connection.execute(select(ties.c.key).where(*its_own)).scalars())
    connection.execute(delete(ties).where(*its_own))
    return keys


def _forget_failures(connection: Connection, name: str, keys: set[str]) -> None:
    failures = schema.failures
    for some in queries.chunks(sorted(untied(connection, keys))):
        connection.execute(delete(failures).where(failures.c.experiment == name, failures.c.key.in_(some)))


def _before_ties(connection: Connection, name: str, question: Question, begun: float, ended: float) -> set[str]:
    """Of a question that was asked before calls were tied to any: those of its moment that are about it alone, such as the
    one that wrote a client's form. Failures of that moment lose their words: which question they were of nobody has written
    down."""
    calls, failures, ties = schema.calls, schema.failures, select(schema.served_calls.c.key)
    moment = (calls.c.experiment == name, calls.c.created_at.between(begun, ended), calls.c.key.not_in(ties))
    rows = connection.execute(select(calls.c.key, calls.c.shape).where(*moment)).all()
    failed = (failures.c.experiment == name, failures.c.created_at.between(begun, ended), failures.c.key.not_in(ties))
    connection.execute(update(failures).where(*failed).values(message=FORGOTTEN))
    marks = _marks(question)
    return {key for key, shape in rows if any(mark in shape for mark in marks)}


def _marks(question: Question) -> list[str]:
    """The whole question as it stands in a prompt; who writes a client's form is shown its options with it."""
    options = [f"{letter}. {choice}" for letter, choice in zip(question.letters, question.choices, strict=True)]
    return [mark_of(text) for text in {question.text, "\n".join([question.text, *options])}]
