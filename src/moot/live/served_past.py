"""What a served team was asked, to be forgotten."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Iterable, Sequence
from functools import partial

from sqlalchemy import ColumnElement, Connection, Float, and_, delete, func, insert, select, tuple_, update

from moot.engine.answer_sheets import answers_beside
from moot.grade.normalise import answer_key
from moot.grade.prefer import text_digest
from moot.live.beside_episodes import forget_beside
from moot.live.left_in_files import note_forgotten, scrub_files
from moot.live.tied_calls import unpriced_rows
from moot.live.unlinked_calls import calls_before_links, hush_failures, texts_of
from moot.models.border import MOST_USD
from moot.stats.counted_words import count
from moot.store import money, queries, schema
from moot.store.preferences import forget_preferences
from moot.store.rows import case_of, verdict_of
from moot.store.store import Store

_log = logging.getLogger(__name__)

LONGEST_PLAY_S = 86_400.0
"""After so long a question without an episode was broken off."""


async def forget(store: Store, name: str, before: float, *, now: float | None = None) -> dict[str, int]:
    """Forget what was asked under this name before this moment, and leave nothing of it in the store's files.

    `now`: what is dated later counts as asked just before it.
    """
    now = time.time() if now is None else now
    removed = await store.run(partial(purge, name=name, before=before, now=now))
    await scrub_files(store)
    return removed


def purge(connection: Connection, name: str, before: float, now: float) -> dict[str, int]:
    """Episodes, their grades, questions with all references they were given, and the calls, of judges too.

    All that was served under the name, whichever version of the team's file it was. What was spent stays known, as a sum:
    a cap on money holds.
    """
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA secure_delete = ON")  # else the words stay in the file as free space
    experiments, places, episodes = schema.experiments, schema.experiment_questions, schema.episodes
    served = connection.execute(select(experiments.c.id).where(experiments.c.name == name)).scalars().all()
    cells = select(schema.experiment_cells.c.cell).where(schema.experiment_cells.c.experiment.in_(served))
    mine = places.c.experiment.in_(served)
    # By question as well as by cell: a run of the same file has the same cells, but other questions.
    asked = (episodes.c.cell.in_(cells), episodes.c.question.in_(select(places.c.question).where(mine)))
    _date_from_now(connection, name, asked, now)
    old = (*asked, episodes.c.created_at < before)
    _loosen(connection, name, old, before, now)
    touched = connection.execute(select(episodes.c.question).where(*old).distinct()).scalars().all()
    ids = _ids_of(connection, served, touched)
    placed = places.alias()
    graded = (
        select(episodes.c.cell, placed.c.case, episodes.c.repeat)
        .join(placed, placed.c.question == episodes.c.question)
        .where(*old, placed.c.experiment.in_(served))
    )
    play = tuple_(schema.scores.c.cell, schema.scores.c.case, schema.scores.c.repeat)
    connection.execute(delete(schema.scores).where(play.in_(graded)))
    matched = tuple_(schema.matches.c.question, schema.matches.c.repeat)
    connection.execute(
        delete(schema.matches).where(matched.in_(select(episodes.c.question, episodes.c.repeat).where(*old)))
    )
    forgotten = connection.execute(delete(episodes).where(*old)).rowcount
    rest = _forget_after(connection, served, ids, before, _forget_calls(connection, name, before))
    removed = {"episodes": forgotten, **rest}
    if any(removed.values()):
        note_forgotten(connection, name, removed)
    return removed


def _loosen(connection: Connection, name: str, old: Sequence[ColumnElement[bool]], before: float, now: float) -> None:
    """Nothing that still comes for what is forgotten is kept. Of questions that came to no episode the calls are forgotten by
    their age; they themselves when nobody can be playing them any more."""
    ties, episodes = schema.served_calls, schema.episodes
    played = tuple_(ties.c.question, ties.c.repeat).in_(select(episodes.c.question, episodes.c.repeat).where(*old))
    connection.execute(delete(ties).where(ties.c.experiment == name, played))
    over = ties.c.created_at < min(before, now - LONGEST_PLAY_S)
    answered = tuple_(ties.c.question, ties.c.repeat).in_(select(episodes.c.question, episodes.c.repeat))
    connection.execute(delete(ties).where(ties.c.experiment == name, over, ~answered))


def forget_after_episodes(
    connection: Connection, name: str, questions: Sequence[str], before: float, *, calls: Iterable[str]
) -> dict[str, int]:
    """After single episodes of these questions are deleted: all that hangs on them, and these calls."""
    served = (
        connection.execute(select(schema.experiments.c.id).where(schema.experiments.c.name == name)).scalars().all()
    )
    ids = _ids_of(connection, served, questions)
    return _forget_after(connection, served, ids, before, _drop_by_key(connection, calls, before))


def _forget_after(
    connection: Connection, served: Sequence[str], ids: Sequence[str], before: float, calls: int
) -> dict[str, int]:
    """What hangs on episodes that were deleted: questions that nobody asks any more, their cases, what judges were asked.
    `calls`: how many of the players' own are gone already."""
    experiments, places, episodes = schema.experiments, schema.experiment_questions, schema.episodes
    mine = places.c.experiment.in_(served)
    cells = select(schema.experiment_cells.c.cell).where(schema.experiment_cells.c.experiment.in_(served))
    still = select(episodes.c.question).where(
        episodes.c.cell.in_(cells), episodes.c.question.in_(select(places.c.question).where(mine))
    )
    over = (mine, places.c.question.not_in(still))
    # A question has a place in every plan that it was asked of: it is one all the same.
    gone: int = connection.execute(select(func.count(places.c.question.distinct())).where(*over)).scalar_one()
    connection.execute(delete(places).where(*over))
    said = schema.preferences
    connection.execute(delete(said).where(said.c.question.not_in(select(places.c.question))))
    calls += _forget_judges_calls(connection, ids, before)
    texts = texts_of(connection, ids)
    _forget_cases(connection, ids)
    calls += _drop_by_key(connection, calls_before_links(connection, texts, before), before)
    if texts:
        hush_failures(connection, before)
    _forget_words(connection, ids)
    forget_beside(connection)
    for experiment in served:
        size = select(func.count()).where(places.c.experiment == experiment).scalar_subquery()
        connection.execute(update(experiments).where(experiments.c.id == experiment).values(size=size))
    return {"questions": gone, "calls": calls}


def _date_from_now(connection: Connection, name: str, asked: Sequence[ColumnElement[bool]], now: float) -> None:
    """What is dated later than now was asked by a clock that was ahead; when, nobody knows: no later than just now.

    So it is forgotten with all else where all is to be forgotten, and else as many days from the first look at it as were
    promised, and not years later.
    """
    just_now = math.nextafter(now, 0.0)
    episodes = schema.episodes
    answers = connection.execute(
        update(episodes).where(*asked, episodes.c.created_at > just_now).values(created_at=just_now)
    ).rowcount
    for table in (schema.calls, schema.failures, schema.served_calls):
        ahead = (table.c.experiment == name, table.c.created_at > just_now)
        connection.execute(update(table).where(*ahead).values(created_at=just_now))
    if answers:
        dated = count(answers, "answer was", "answers were")
        _log.warning("%s dated later than now: from now on as asked now", dated)


def _ids_of(connection: Connection, served: Sequence[str], questions: Sequence[str]) -> list[str]:
    """The ids of these questions as they were asked, and of those that have no episode at all."""
    places, cases, episodes = schema.experiment_questions, schema.cases, schema.episodes
    query = select(cases.c.question_id).join(places, places.c.case == cases.c.id).where(places.c.experiment.in_(served))
    wanted = [places.c.question.in_(part) for part in queries.chunks(questions)]
    wanted.append(places.c.question.not_in(select(episodes.c.question)))
    return sorted({ident for part in wanted for ident in connection.execute(query.where(part)).scalars()})


def _forget_cases(connection: Connection, ids: Sequence[str]) -> None:
    """Cases of these questions that stand nowhere any more, such as those with a reference that a later one replaced."""
    cases, places = schema.cases, schema.experiment_questions
    for part in queries.chunks(ids):
        unused = (cases.c.question_id.in_(part), cases.c.id.not_in(select(places.c.case)))
        for table in (schema.settlements, schema.judgements, schema.grades, schema.scores):
            connection.execute(delete(table).where(table.c.case.in_(select(cases.c.id).where(*unused))))
        connection.execute(delete(cases).where(*unused))


def _forget_words(connection: Connection, ids: Sequence[str]) -> None:
    """Of questions that stay, what was said of answers that no episode holds any more."""
    cases, places, episodes = schema.cases, schema.experiment_questions, schema.episodes
    for part in queries.chunks(ids):
        query = select(cases.c.id, cases.c.content, places.c.question).join(places, places.c.case == cases.c.id)
        for case, content, question in connection.execute(query.where(cases.c.question_id.in_(part)).distinct()).all():
            rows = select(episodes.c.answer, episodes.c.verdict).where(episodes.c.question == question)
            asked, texts = case_of(content).question, set[str]()
            for answer, verdict in connection.execute(rows):
                beside = answers_beside(verdict_of(verdict), drafts=True, claims=True)
                texts.update(text for text in (answer, *beside) if text is not None)
            given = {answer_key(asked, text) for text in texts}
            forget_preferences(connection, question, {text_digest(text) for text in texts})
            for table in (schema.settlements, schema.judgements, schema.grades):
                said = connection.execute(select(table.c.answer).where(table.c.case == case).distinct()).scalars().all()
                for gone in queries.chunks([answer for answer in said if answer not in given]):
                    connection.execute(delete(table).where(table.c.case == case, table.c.answer.in_(gone)))


def _forget_judges_calls(connection: Connection, ids: Sequence[str], before: float) -> int:
    """All that judges were asked about these questions, whichever file paid for it, and what failed.

    Also where a question stays, being asked once more: a judge may have been shown old answers beside the new. A call
    that is about another question's case as well, in the same words, is that one's too and stays.
    """
    links, cases = schema.judge_calls, schema.cases
    keys: set[str] = set()
    for part in queries.chunks(ids):
        about = links.c.case.in_(select(cases.c.id).where(cases.c.question_id.in_(part)))
        keys.update(connection.execute(select(links.c.key).where(about)).scalars())
        connection.execute(delete(links).where(about))
    return _drop_by_key(connection, keys, before)


def drop_calls(connection: Connection, name: str, keys: Iterable[str]) -> int:
    """Calls that nobody uses any more, as if they had not been kept."""
    if not (gone := sorted(keys)):
        return 0
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA secure_delete = ON")
    dropped = _drop_by_key(connection, gone, time.time())
    if dropped:
        note_forgotten(connection, name, {"calls": dropped})
    return dropped


def _drop_by_key(connection: Connection, keys: Iterable[str], before: float) -> int:
    """Those of the calls and failures that no case has a link to any more."""
    links, forgotten = schema.judge_calls, 0
    for some in queries.chunks(sorted(keys)):
        still = select(links.c.key)
        asked = (schema.calls.c.key.in_(some), schema.calls.c.key.not_in(still))
        failed = (schema.failures.c.key.in_(some), schema.failures.c.key.not_in(still))
        connection.execute(delete(schema.failures).where(*failed))
        forgotten += _drop_calls(connection, asked, before)
    return forgotten


def _forget_calls(connection: Connection, name: str, before: float) -> int:
    """Those that are old, but for what an answer that stays was made of: stored calls may be used again."""
    calls, failures, ties, episodes = schema.calls, schema.failures, schema.served_calls, schema.episodes
    connection.execute(delete(failures).where(failures.c.experiment == name, failures.c.created_at < before))
    old = (calls.c.experiment == name, calls.c.created_at < before)
    answered = and_(episodes.c.question == ties.c.question, episodes.c.repeat == ties.c.repeat)
    used = select(ties.c.key).join(episodes, answered).where(ties.c.key.in_(select(calls.c.key).where(*old)))
    return _drop_calls(connection, (*old, calls.c.key.not_in(used)), before)


def _drop_calls(connection: Connection, which: Sequence[ColumnElement[bool]], before: float) -> int:
    """What they cost stays in the books of whoever paid. What is no amount there is forgotten with its call."""
    calls, losses = schema.calls, schema.losses
    paid = money.paid_here(calls)
    cost = func.sum(calls.c.cost_usd, type_=Float).filter(calls.c.cost_usd.between(0, MOST_USD), paid)
    for payer, spent in connection.execute(
        select(calls.c.experiment, cost).where(*which).group_by(calls.c.experiment)
    ).all():
        if spent:
            connection.execute(insert(losses).values(experiment=payer, usd=float(spent), created_at=before))
    free = (*which, calls.c.cost_usd.is_(None), paid)
    unknown = connection.execute(select(calls.c.experiment, func.count()).where(*free).group_by(calls.c.experiment))
    if rows := unpriced_rows({row[0]: row[1] for row in unknown}, before):
        connection.execute(insert(schema.unpriced_losses), rows)
    return connection.execute(delete(calls).where(*which)).rowcount
