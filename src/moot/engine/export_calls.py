"""Every call of a run as recorded replies: with them the whole run can be played again, and not its drafts alone.

A captain who has seen the others' answers, a judge, whoever groups or reads: each said what it said to certain words. So each
reply is kept by a digest of these, and whoever plays the same experiment again says the same words and hears the same.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Collection, Container, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from sqlalchemy import ColumnElement, Connection, select

from moot.engine.batches import QUESTIONS_TOGETHER
from moot.engine.export import RecordedReply
from moot.grade.normalise import answer_key
from moot.models.recorded import request_digest
from moot.store import queries, schema
from moot.store.queries import chunks
from moot.store.rows import case_of
from moot.store.statements import Row
from moot.store.store import Store


async def recorded_calls(store: Store, experiment: Row, called: Mapping[str, str]) -> AsyncIterator[RecordedReply]:
    """Each reply once. `called`: by the model's name in the file, what it is called in the recording; others are left out."""
    cells = [row["id"] for row in await store.read(partial(queries.cells_of, ident=experiment["id"]))]
    written: set[tuple[str, str, int]] = set()
    start = 0
    while places := await store.read(partial(_places, experiment=experiment["id"], start=start)):
        of_questions = partial(_of_questions, cells=cells, places=places, name=experiment["name"], called=called)
        for record in await store.read(of_questions):
            if _is_new(record, written):
                yield record
        start += len(places)
    named = partial(
        _of_name, name=experiment["name"], experiment=experiment["id"], called=called, written=frozenset(written)
    )
    for record in await store.read(named):
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
    connection: Connection,
    cells: Sequence[str],
    places: Sequence[tuple[str, str, str]],
    name: str,
    called: Mapping[str, str],
) -> list[RecordedReply]:
    """What was said in play, and by judges about it. A question may be that of other experiments too, whose answers were judged
    beside these: a judge's call is taken where all answers that it judged are of this run, or, where it came to no word, where
    it was made under this name."""
    ids = {question: question_id for question, _, question_id in places}
    about: dict[str, str] = {}
    said: dict[str, list[str]] = {}
    for row in queries.episodes_on(connection, cells, list(ids)):
        about |= {step[3]: ids[row["question"]] for step in json.loads(row["transcript"]) if step[3]}
        said.setdefault(row["question"], []).extend(_strings(json.loads(row["verdict"])))
    by_case = {case: question_id for _, case, question_id in places}
    own = {case: _keys(connection, case, said.get(question, ())) for question, case, _ in places}
    judged: dict[str, list[bool]] = {}
    for word in queries.judgements_on(connection, list(by_case)):
        judged.setdefault(word["call_key"], []).append(word["answer"] in own[word["case"]])
    of_judges: dict[str, str] = {}
    for part in chunks(list(by_case)):
        asked = schema.judge_calls
        query = select(asked.c.key, asked.c.case).where(asked.c.case.in_(part))
        of_judges |= {key: by_case[case] for key, case in connection.execute(query) if all(judged.get(key, ()))}
    calls = queries.find_calls(connection, sorted({*about, *of_judges}))
    ours = (call for key, call in calls.items() if key in about or key in judged or call["experiment"] == name)
    return _recorded(ours, {**of_judges, **about}, called)


def _keys(connection: Connection, case: str, answers: Iterable[str]) -> set[str]:
    """By which words about these answers are kept."""
    content = connection.execute(select(schema.cases.c.content).where(schema.cases.c.id == case)).scalar_one()
    question = case_of(content).question
    return {answer_key(question, answer) for answer in answers}


def _strings(value: Any) -> Iterator[str]:
    """Every text in a verdict, however deep: among them all answers."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _strings(each)


def _of_name(
    connection: Connection,
    name: str,
    experiment: str,
    called: Mapping[str, str],
    written: Container[tuple[str, str, int]],
) -> list[RecordedReply]:
    """What else was paid for under the name, such as finding out which answers mean the same: as far as it is about these
    questions. Under one name there may be plays of other questions, which nobody means to show any more."""
    table = schema.calls
    elsewhere = _of_plays(connection)
    keys = connection.execute(
        select(table.c.key).where(table.c.experiment == name).order_by(table.c.created_at, table.c.key)
    )
    loose = [key for key in keys.scalars() if key not in elsewhere]
    if not loose:
        return []
    places, cases = schema.experiment_questions, schema.cases
    of_run = select(places.c.case).where(places.c.experiment == experiment)
    shown = _texts(connection, cases.c.id.in_(of_run))
    others = {text for text in _texts(connection, cases.c.id.not_in(of_run)) if not any(text in each for each in shown)}
    records: list[RecordedReply] = []
    for part in chunks(loose):
        found = queries.find_calls(connection, part)
        about = (call for key in part if (call := found.get(key)) is not None and _is_about(call, shown, others))
        records += _recorded(about, {}, called)
    return [record for record in records if (record["model"], record["request"], record["sample"]) not in written]


def _of_plays(connection: Connection) -> set[str]:
    """Calls that belong to a play, to a judge's work or to somebody who has asked: those of this run are known by that."""
    keys = {
        step[3] for (told,) in connection.execute(select(schema.episodes.c.transcript)) for step in json.loads(told)
    }
    for column in (schema.judge_calls.c.key, schema.served_calls.c.key):
        keys.update(connection.execute(select(column)).scalars())
    return keys


def _texts(connection: Connection, which: ColumnElement[bool]) -> set[str]:
    """Of questions, with white space as it may stand in a prompt."""
    found = connection.execute(select(schema.cases.c.content).where(which)).scalars()
    return {text for content in found if (text := _spaced(case_of(content).question.text))}


def _is_about(call: Row, shown: Collection[str], others: Collection[str]) -> bool:
    """Whether it speaks of a question of these, and of no other."""
    shape = json.loads(call["shape"])[0]
    said = _spaced(" ".join(_message(message)[1] for message in shape.get("messages", ())))
    return any(text in said for text in shown) and not any(text in said for text in others)


def _spaced(text: str) -> str:
    return " ".join(text.split())


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
