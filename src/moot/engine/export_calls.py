"""Every call of a run as recorded replies: with them the whole run can be played again, and not its drafts alone.

A captain who has seen the others' answers, a judge, whoever groups or reads: each said what it said to certain words. So each
reply is kept by a digest of these, and whoever plays the same experiment again says the same words and hears the same.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from sqlalchemy import Connection, select

from moot.engine.batches import QUESTIONS_TOGETHER
from moot.engine.export import RecordedReply
from moot.engine.match_record import matched_by, texts_compared
from moot.grade.normalise import answer_key
from moot.grade.prefer import text_digest
from moot.models.recorded import request_digest
from moot.store import queries, schema
from moot.store.queries import chunks
from moot.store.rows import case_of, config_of, known_latency_s
from moot.store.statements import Row
from moot.store.store import Store
from moot.types import UNRECORDED


async def recorded_calls(store: Store, experiment: Row, called: Mapping[str, str]) -> AsyncIterator[RecordedReply]:
    """Each reply once. `called`: by the model's name in the file, what it is called in the recording; others are left out.

    Only what something stored of this run names: the transcript of one of its plays, a judge's word on one of its answers, a
    finding which of its answers mean the same. Whatever else was paid for under its name is nobody's business.
    """
    cells = [row["id"] for row in await store.read(partial(queries.cells_of, ident=experiment["id"]))]
    grouped_by = matched_by(config_of(experiment))
    written: set[tuple[str, str, int]] = set()
    start = 0
    while places := await store.read(partial(_places, experiment=experiment["id"], start=start)):
        of_questions = partial(_of_questions, cells=cells, places=places, grouped_by=grouped_by, called=called)
        for record in await store.read(of_questions):
            if _is_new(record, written):
                yield record
        start += len(places)
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


@dataclass(frozen=True, slots=True)
class _Said:
    """What was said to one question in the plays of a run."""

    question_id: str
    cases: set[str] = field(default_factory=set)
    """Two with other references may ask the same."""
    texts: set[str] = field(default_factory=set)
    """Every text of every verdict: among them all answers."""


def _of_questions(
    connection: Connection,
    cells: Sequence[str],
    places: Sequence[tuple[str, str, str]],
    grouped_by: str | None,
    called: Mapping[str, str],
) -> list[RecordedReply]:
    """What was said in play, by judges about it, and by who found out what means the same."""
    said: dict[str, _Said] = {}
    for question, case, question_id in places:
        said.setdefault(question, _Said(question_id)).cases.add(case)
    about: dict[str, str] = {}
    for row in queries.episodes_on(connection, cells, list(said)):
        told = said[row["question"]]
        about |= {step[3]: told.question_id for step in json.loads(row["transcript"]) if step[3]}
        told.texts.update(_strings(json.loads(row["verdict"])))
    beside = {**_judges_calls(connection, said), **_groupers_calls(connection, said, grouped_by)}
    calls = queries.find_calls(connection, sorted({*about, *beside}))
    return _recorded(calls.values(), {**beside, **about}, called)


def _judges_calls(connection: Connection, said: Mapping[str, _Said]) -> dict[str, str]:
    """By key, what question it is about. A question may be that of other experiments too, whose answers were judged beside these:
    a call counts where all answers that it judged are of this run; with it the attempts that led to it."""
    by_case = {case: told for told in said.values() for case in told.cases}
    keys = {case: _keys(connection, case, told.texts) for case, told in by_case.items()}
    judged: dict[str, dict[str, list[bool]]] = {case: {} for case in by_case}
    for word in queries.judgements_on(connection, list(by_case)):
        judged[word["case"]].setdefault(word["call_key"], []).append(word["answer"] in keys[word["case"]])
    digests = {question: set(map(text_digest, told.texts)) for question, told in said.items()}
    for word in _preferences_on(connection, list(said)):
        ours = {word["first"], word["second"]} <= digests[word["question"]]
        for case in said[word["question"]].cases:
            judged[case].setdefault(word["call_key"], []).append(ours)
    found: dict[str, str] = {}
    asked = _asked_of_judges(connection, list(by_case))
    for case, words in judged.items():
        named = {key for key, ours in words.items() if key is not None and all(ours)}
        for key in named | _led_to(connection, named, asked.get(case, ())):
            found[key] = by_case[case].question_id
    return found


def _preferences_on(connection: Connection, questions: Sequence[str]) -> list[Row]:
    table = schema.preferences
    columns = (table.c.question, table.c.first, table.c.second, table.c.call_key)
    parts = (select(*columns).where(table.c.question.in_(part)) for part in chunks(questions))
    return [dict(row) for query in parts for row in connection.execute(query).mappings()]


def _asked_of_judges(connection: Connection, cases: Sequence[str]) -> dict[str, list[str]]:
    """By case the keys of all that judges were asked about it, with what came to no word."""
    table = schema.judge_calls
    asked: dict[str, list[str]] = {}
    for part in chunks(cases):
        for case, key in connection.execute(select(table.c.case, table.c.key).where(table.c.case.in_(part))):
            asked.setdefault(case, []).append(key)
    return asked


def _led_to(connection: Connection, named: Collection[str], asked: Iterable[str]) -> set[str]:
    """Those whose reply was of no use, so that the same was asked again until one of the named replies came."""
    others = [key for key in asked if key not in named]
    if not others:
        return set()
    calls = queries.find_calls(connection, sorted({*named, *others}))
    tries = {key: _Try.of(call) for key, call in calls.items()}
    return {
        key
        for key in others
        if key in tries and any(tries[key].led_to(tries[end], tries.values()) for end in named if end in tries)
    }


@dataclass(frozen=True, slots=True)
class _Try:
    """One attempt of a call: whom it was sent to, what was said, and for the how manieth time."""

    model: str
    sample: int
    attempt: int
    messages: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, call: Row) -> _Try:
        shape, sample, attempt = json.loads(call["shape"])
        return cls(call["model"], sample, attempt, tuple(tuple(_message(each)) for each in shape.get("messages", ())))

    def led_to(self, end: _Try, tries: Iterable[_Try]) -> bool:
        """The first attempt says it all; each later one says the same again, and what was wrong with the one before."""
        if (self.model, self.sample) != (end.model, end.sample) or self.attempt >= end.attempt:
            return False
        beginnings = (each.messages for each in tries if each.messages == end.messages[: len(each.messages)])
        first = min(beginnings, key=len)  # the end begins with itself
        return self.messages[: len(first)] == first


def _groupers_calls(connection: Connection, said: Mapping[str, _Said], grouped_by: str | None) -> dict[str, str]:
    """By key, what question it is about: of findings on texts of this run alone. They name all attempts that it took."""
    found: dict[str, str] = {}
    for row in queries.matches_on(connection, list(said)) if grouped_by is not None else ():
        told = said[row["question"]]
        for entry in json.loads(row["content"]):
            if entry["by"] == grouped_by and told.texts.issuperset(texts_compared(entry)):
                found |= dict.fromkeys(entry["calls"], told.question_id)
    return found


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
        }
        if call["finish"] != UNRECORDED:
            spent = ("cost_usd", "prompt_tokens", "completion_tokens")
            record |= {key: call[key] for key in spent if call[key] is not None}
        if (took := known_latency_s(call["latency_s"], call["recorded"])) is not None:
            record["seconds"] = took
        records.append(record if call["finish"] == "stop" else {**record, "finish": call["finish"]})
    return records


def _message(message: Any) -> list[str]:
    """Of an endpoint an object, of a recording a pair."""
    return [message["role"], message["content"]] if isinstance(message, Mapping) else list(message)
