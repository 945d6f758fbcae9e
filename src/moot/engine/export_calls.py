"""Every call of a run as recorded replies: with them the whole run can be played again, and not its drafts alone.

A captain who has seen the others' answers, a judge, whoever groups or reads: each said what it said to certain words. So each
reply is kept by a digest of these, and whoever plays the same experiment again says the same words and hears the same.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from sqlalchemy import Connection, select

from moot.engine.batches import QUESTIONS_TOGETHER
from moot.engine.export import RecordedReply
from moot.models.recorded import request_digest
from moot.store import queries, schema
from moot.store.queries import chunks
from moot.store.statements import Row
from moot.store.store import Store


async def recorded_calls(store: Store, experiment: Row, called: Mapping[str, str]) -> AsyncIterator[RecordedReply]:
    """Each reply once. `called`: by the model's name in the file, what it is called in the recording; others are left out."""
    cells = [row["id"] for row in await store.read(partial(queries.cells_of, ident=experiment["id"]))]
    written: set[tuple[str, str, int]] = set()
    start = 0
    while places := await store.read(partial(_places, experiment=experiment["id"], start=start)):
        for record in await store.read(partial(_of_questions, cells=cells, places=places, called=called)):
            if _is_new(record, written):
                yield record
        start += len(places)
    for record in await store.read(partial(_of_name, name=experiment["name"], called=called)):
        if _is_new(record, written):
            yield record
    silent = set(called.values()) - {model for model, _, _ in written}
    for model in sorted(silent):  # it was never heard, and a file of replies says so by a line that answers nothing
        yield {"model": model, "text": "", "sample": 0, "request": "none"}


def _is_new(record: RecordedReply, written: set[tuple[str, str, int]]) -> bool:
    key = (record["model"], record["request"], record["sample"])
    if key in written:
        return False
    written.add(key)
    return True


def _places(connection: Connection, experiment: str, start: int) -> list[tuple[str, str, str]]:
    """The next questions: digest, case and id."""
    places, cases = schema.experiment_questions, schema.cases
    query = select(places.c.question, places.c.case, cases.c.question_id).join(cases, places.c.case == cases.c.id)
    query = query.where(places.c.experiment == experiment).order_by(places.c.position)
    rows = connection.execute(query.offset(start).limit(QUESTIONS_TOGETHER)).all()
    return [(question, case, question_id) for question, case, question_id in rows]


def _of_questions(
    connection: Connection, cells: Sequence[str], places: Sequence[tuple[str, str, str]], called: Mapping[str, str]
) -> list[RecordedReply]:
    """What was said in play, and by judges about it."""
    ids = {question: question_id for question, _, question_id in places}
    about: dict[str, str] = {}
    for row in queries.episodes_on(connection, cells, list(ids)):
        about |= {step[3]: ids[row["question"]] for step in json.loads(row["transcript"]) if step[3]}
    judged, by_case = schema.judge_calls, {case: question_id for _, case, question_id in places}
    for part in chunks(list(by_case)):
        query = select(judged.c.key, judged.c.case).where(judged.c.case.in_(part))
        about |= {key: by_case[case] for key, case in connection.execute(query)}
    return _recorded(queries.find_calls(connection, sorted(about)).values(), about, called)


def _of_name(connection: Connection, name: str, called: Mapping[str, str]) -> list[RecordedReply]:
    """What else was paid for under the name, such as finding out which answers mean the same."""
    table = schema.calls
    query = select(table).where(table.c.experiment == name).order_by(table.c.created_at, table.c.key)
    return _recorded([dict(row) for row in connection.execute(query).mappings()], {}, called)


def _recorded(calls: Iterable[Row], about: Mapping[str, str], called: Mapping[str, str]) -> list[RecordedReply]:
    records: list[RecordedReply] = []
    for call in calls:
        if (model := called.get(call["model"])) is None:
            continue
        shape, sample, attempt = json.loads(call["shape"])
        messages = [_message(message) for message in shape.get("messages", ())]
        record: dict[str, Any] = {
            "model": model,
            "question_id": about.get(call["key"]),
            "text": call["text"],
            "sample": sample,
            "request": request_digest(messages, attempt),
            **{key: call[key] for key in ("cost_usd", "prompt_tokens", "completion_tokens") if call[key] is not None},
            "seconds": call["latency_s"],
        }
        records.append(record if call["finish"] == "stop" else {**record, "finish": call["finish"]})
    return records


def _message(message: Any) -> list[str]:
    """Of an endpoint an object, of a recording a pair."""
    return [message["role"], message["content"]] if isinstance(message, Mapping) else list(message)
