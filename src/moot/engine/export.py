"""The store as recorded replies: every player's draft, so that an experiment can be played again without a model.

Drafts are found in the transcripts, where every strategy leaves them under the same stage; the reply that was used is
the one without a problem, and it is read by the same form as in play. One that extraction models read has their answer.
"""

from __future__ import annotations

import json
import math
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from sqlalchemy import Connection, select

from moot.bills import total_usage
from moot.engine.batches import QUESTIONS_TOGETHER
from moot.grade.extract import EXTRACT
from moot.store import queries, schema
from moot.store.rows import case_of, reply_of, verdict_of
from moot.store.store import Store
from moot.team.forms import AnswerForm, Unusable, read_reply
from moot.types import Question, Reply

USABLE = (None, "repaired")
"""What a transcript notes of a reply that was used."""

RecordedReply = Mapping[str, Any]


async def recorded_replies(
    store: Store, experiment: str, together: Callable[[int], None] = lambda calls: None
) -> AsyncIterator[RecordedReply]:
    """Each draft of each player once, question by question, in the form of the file of recorded replies. `together`: told of each
    that took several calls, of how many."""
    cells = [row["id"] for row in await store.read(partial(queries.cells_of, ident=experiment))]
    start = 0
    while asked := await store.read(partial(_questions, experiment=experiment, start=start)):
        for record in await store.read(partial(_replies, cells=cells, asked=asked)):
            if record.calls > 1:
                together(record.calls)
            yield record.reply
        start += len(asked)


class _Draft(NamedTuple):
    reply: RecordedReply
    calls: int
    """What it took, as one reply."""


def _questions(connection: Connection, experiment: str, start: int) -> dict[str, Question]:
    """The next questions by their digests."""
    places, cases = schema.experiment_questions, schema.cases
    query = select(places.c.question, cases.c.content).join(cases, places.c.case == cases.c.id)
    query = query.where(places.c.experiment == experiment).order_by(places.c.position)
    page = connection.execute(query.offset(start).limit(QUESTIONS_TOGETHER))
    return {question: case_of(content).question for question, content in page}


def _replies(connection: Connection, cells: Sequence[str], asked: Mapping[str, Question]) -> list[_Draft]:
    drafts: dict[str, dict[tuple[str, int], str]] = {question: {} for question in asked}
    tried: dict[tuple[str, str, int], tuple[str, ...]] = {}
    extracted: dict[tuple[str, str], str] = {}
    for row in queries.episodes_on(connection, cells, list(asked)):
        transcript = json.loads(row["transcript"])
        for player, stage, _turn, key, _error, problem in transcript:
            if stage == "draft" and key and problem in USABLE:
                drafts[row["question"]].setdefault((player, row["repeat"]), key)
        for player, keys in _tries(transcript).items():
            tried.setdefault((row["question"], player, row["repeat"]), keys)
        if any(stage == EXTRACT for _player, stage, *_ in transcript):
            for player, key, answer in _extracted(transcript, row["verdict"]):
                drafts[row["question"]].setdefault((player, row["repeat"]), key)
                extracted[row["question"], key] = answer
    for (question, player, repeat), keys in tried.items():  # of no use at all, and paid for all the same
        drafts[question].setdefault((player, repeat), keys[-1])
    used = {key for keys in drafts.values() for key in keys.values()}
    rows = queries.find_calls(connection, used.union(*tried.values()))
    replies = {key: reply_of(row) for key, row in rows.items()}
    records = (
        _Draft(
            _recorded(
                asked[question],
                player,
                repeat,
                replies[key],
                extracted.get((question, key)),
                _spent([replies.get(each) for each in tried.get((question, player, repeat), (key,))]),
            ),
            len(tried.get((question, player, repeat), (key,))),
        )
        for question, keys in drafts.items()
        for (player, repeat), key in sorted(keys.items())
        if key in replies
    )
    return list(records)


def _tries(transcript: Sequence[Sequence[Any]]) -> dict[str, tuple[str, ...]]:
    """By player, all calls of its draft: those too whose reply was of no use, which were paid for like it."""
    keys: dict[str, dict[str, None]] = {}
    for player, stage, _turn, key, _error, _problem in transcript:
        if stage == "draft" and key:
            keys.setdefault(player, {})[key] = None
    return {player: tuple(several) for player, several in keys.items()}


def _spent(replies: Sequence[Reply | None]) -> dict[str, Any]:
    """What a draft took, as far as it is known: a call of which nobody knows it leaves the sum unknown."""
    there = [reply for reply in replies if reply is not None and not reply.unrecorded]
    if len(there) < len(replies):
        return {}
    usage = total_usage(reply.usage for reply in there)
    costs = [reply.cost_usd for reply in there if reply.cost_usd is not None]
    times = [took for reply in there if (took := reply.known_latency_s) is not None]
    spent = {
        "cost_usd": math.fsum(costs) if len(costs) == len(there) else None,
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.completion,
        "seconds": math.fsum(times) if len(times) == len(there) else None,
    }
    return {key: value for key, value in spent.items() if value is not None}


def _extracted(transcript: Sequence[Sequence[Any]], verdict: str) -> Iterator[tuple[str, str, str]]:
    """Player, call and answer of the drafts that fitted no form and gave an answer all the same."""
    drafted = {player: (key, problem) for player, stage, _turn, key, _error, problem in transcript if stage == "draft"}
    for answer in verdict_of(verdict).answers:
        key, problem = drafted.get(answer.player, (None, None))
        if key and problem not in USABLE and answer.text is not None:
            yield answer.player, key, answer.text


def _recorded(
    question: Question, player: str, repeat: int, reply: Reply, extracted: str | None, spent: Mapping[str, Any]
) -> RecordedReply:
    """One without a usable answer as it was: nothing is found in it again."""
    whose = {"model": player, "question_id": question.id}
    as_it_was = {**whose, "text": reply.text, "finish": reply.finish, **spent, "sample": repeat}
    if reply.refused:
        return as_it_was
    form = AnswerForm(question)
    try:
        draft = read_reply(reply, form).value if extracted is None else form.found(extracted, reply.text)
    except Unusable:
        return as_it_was
    return {
        **whose,
        "answer": draft.answer,
        "reasoning": draft.reasoning,
        # Where there is no reasoning a reader takes the text for it, and the player would say more than it did.
        "text": reply.text if draft.reasoning else None,
        **spent,
        "sample": repeat,
    }
