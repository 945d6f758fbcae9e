"""What is shown of a served team's past, whatever its size: lists with the beginnings of texts, one question whole.

Questions and replies may be megabytes each, and whoever looks at fifty of them at once does not want them whole. They are
cut where they lie, in the database: what is not shown is not read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from sqlalchemy import ColumnElement, Connection, case, func, null, select

from moot.errors import UsageError
from moot.grade.grading import Grading
from moot.live.answered_question import groups_of
from moot.live.asked_question import choice_of
from moot.live.served_rows import cells_in, find_episode, plans_named, seen_by
from moot.live.told_right import was_told
from moot.report.transcript import calls_of
from moot.serve.asked_before import asked_before
from moot.serve.discretion import public_words
from moot.serve.own_words import is_begun, own_words, written_own_words
from moot.store import queries, schema
from moot.store.rows import case_of, verdict_json, verdict_of
from moot.store.statements import Row
from moot.team.final_line import spoken_whole
from moot.team.watching import Doing, doing_at
from moot.types import REFUSALS, Question

LISTED = 1_000
"""Characters of a question or an answer in a list."""

MOST_SHOWN = 16_000_000
"""Characters of one question with all prompts and replies."""

LEAST_SHOWN = 1_000
"""Characters of each prompt and reply that are shown in any case."""

_PREFIX = 8 * LISTED
_WRITTEN = r'((?:[^"\\]|\\u[0-9a-fA-F]{4}|\\["\\/bfnrt])*)'
"""As much of a text as is written whole: a cut may go through what stands for one sign."""
_TEXT = re.compile(r'\{"question":\{(?:"id":"(?:[^"\\]|\\.)*",)?"text":"' + _WRITTEN, re.DOTALL)
_REST = re.compile(_WRITTEN, re.DOTALL)


class TooLong(UsageError):
    """More than a page can show."""


def listed_episodes(connection: Connection, name: str, most: int, asker: str | None = None) -> list[dict[str, Any]]:
    """What was asked last under a name, each with the beginning of its question and answer. `asker`: only what this one
    asked. A play is told once, of however many plans its cell is."""
    episodes, cells = schema.episodes, schema.cells
    places, cases = schema.experiment_questions.alias(), schema.cases.alias()
    content = cases.c.content
    own = written_own_words(content, connection.dialect.name, _PREFIX)

    def asked(part: ColumnElement[str]) -> ColumnElement[str]:
        return (
            select(part)
            .join(places, places.c.case == cases.c.id)
            .where(places.c.experiment.in_(plans_named(name)), places.c.question == episodes.c.question)
            .limit(1)
            .scalar_subquery()
        )

    query = (
        select(
            *(episodes.c.question, episodes.c.repeat, episodes.c.outcome, episodes.c.seconds, episodes.c.created_at),
            func.substr(episodes.c.answer, 1, LISTED + 1).label("answer"),
            asked(func.substr(content, 1, _PREFIX + 1)).label("content"),
            asked(case((func.length(content) > _PREFIX, own), else_=null())).label("own"),
            *(episodes.c.cell, cells.c.label),
        )
        .join(cells, cells.c.id == episodes.c.cell)
        .where(episodes.c.cell.in_(cells_in(plans_named(name))), seen_by(name, asker, episodes.c.question))
        .order_by(episodes.c.created_at.desc())
        .limit(most)
    )
    return [_listed(dict(row)) for row in connection.execute(query).mappings()]


def _listed(row: dict[str, Any]) -> dict[str, Any]:
    content, own = row.pop("content"), row.pop("own")
    chosen = None
    if len(content) <= _PREFIX:
        question = case_of(content).question
        asked, further, chosen = question.text, own_words(question.text), choice_of(question, row["answer"])
    else:
        asked = _beginning(content)
        further = _read(_REST.match(own)).strip() if own is not None and is_begun(asked) else None
    texts = {"text": asked, "further": further, "answer": row["answer"]}
    cut = [name for name, text in texts.items() if text is not None and len(text) > LISTED]
    return {**row, **{name: _shortened(text) for name, text in texts.items()}, "choice": _shortened(chosen), "cut": cut}


def _shortened(text: str | None) -> str | None:
    return text if text is None or len(text) <= LISTED else f"{text[:LISTED]}…"


def _beginning(content: str) -> str:
    """The beginning of a question's text, from that of a case."""
    return _read(_TEXT.match(content))[:_PREFIX] or "…" * (LISTED + 1)


def _read(found: re.Match[str] | None) -> str:
    """A text of which the beginning was cut out of JSON, wherever that was."""
    written = found[1] if found else ""
    return str(json.loads(f'"{written}"')).encode("utf-8", "ignore").decode()


def whole_episode(
    connection: Connection, name: str, episode: str, asker: str | None, grading: Grading
) -> dict[str, Any]:
    """One question with every prompt, reply, ballot and grade; of prompts and replies beyond all bounds, the beginnings."""
    row = find_episode(connection, name, episode, asker, longest=MOST_SHOWN)
    if row["verdict"] is None:
        raise TooLong(f"episode {episode} holds more than {MOST_SHOWN:,} characters; moot show reads it from the store")
    asked, verdict = case_of(row["content"]), verdict_of(row["verdict"])
    find = partial(_shortened_calls, connection)
    return {
        "episode": episode,
        "cell": row["cell"],
        "question": asked.question.text,
        "question_id": asked.question.id,
        "kind": asked.question.kind,
        "context": asked.question.context,
        "language": asked.question.language,
        **({"choices": list(asked.question.choices)} if asked.question.choices else {}),
        "reference": asked.answer,
        "known": asked.known,
        "feedback": was_told(connection, grading, row, asked),
        "asked_of": asked_before(connection, name, [row["cell"]]).get(row["cell"]),
        "verdict": {**verdict_json(verdict), "note": verdict.note},
        "groups": [list(group) for group in groups_of(asked.question, verdict)],
        "calls": [
            {
                **call,
                "doing": doing_at(call["stage"]),
                "answer": _whole_answer(asked.question, call),
                "refused": call["finish"] in REFUSALS,
            }
            for call in calls_of(connection, json.loads(row["transcript"]), find=find)
        ],
        "seconds": row["seconds"],
        "asked_at": row["created_at"],
    }


def answer_alone(connection: Connection, name: str, episode: str, asker: str | None) -> dict[str, Any]:
    """What was answered, and how it ended; why there is no answer is told in its cause."""
    row = find_episode(connection, name, episode, asker)
    cause = None if row["answer"] is not None else verdict_of(row["verdict"]).cause
    told = None if cause is None else public_words(cause)
    return {"episode": episode, "answer": row["answer"], "outcome": row["outcome"], "cause": told}


_WRITES: tuple[Doing, ...] = ("drafting", "reading", "reviewing", "arguing")


def _whole_answer(question: Question, call: Mapping[str, Any]) -> str | None:
    """The answer that a reply is as it stands: where a long one is wanted, and from whom one is."""
    wanted = question.is_long and doing_at(call["stage"]) in _WRITES and call["problem"] in (None, "repaired")
    wanted = wanted and call["finish"] not in REFUSALS
    return spoken_whole(call["text"].strip()) if wanted and call["text"] else None


_OF_A_CALL = ("key", "finish", "latency_s", "recorded", "version", "cost_usd")


def _shortened_calls(connection: Connection, keys: Iterable[str]) -> dict[str, Row]:
    """Stored calls as far as they are shown. All whole if they fit; else the long ones are cut, each to its share."""
    calls, wanted = schema.calls, list(dict.fromkeys(keys))
    sizes: dict[str, tuple[int, int]] = {}
    for part in queries.chunks(wanted):
        query = select(calls.c.key, func.length(calls.c.shape), func.length(calls.c.text)).where(calls.c.key.in_(part))
        sizes.update((key, (shape, text)) for key, shape, text in connection.execute(query))
    fits = sum(map(sum, sizes.values())) <= MOST_SHOWN
    share = MOST_SHOWN if fits else max(LEAST_SHOWN, MOST_SHOWN // (2 * len(sizes)))
    found: dict[str, Row] = {}
    for part in queries.chunks(wanted):
        shape = case((func.length(calls.c.shape) <= share, calls.c.shape), else_=null()).label("shape")
        text = func.substr(calls.c.text, 1, share).label("text")
        query = select(*(calls.c[name] for name in _OF_A_CALL), shape, text).where(calls.c.key.in_(part))
        for row in connection.execute(query).mappings():
            asked, said = sizes[row["key"]]
            shown = dict(row)
            if said > share:
                shown["text"] = f"{row['text']}… ({said:,} characters)"
            if row["shape"] is None:
                note = f"(a prompt of {asked:,} characters: moot show reads it from the store)"
                shown["shape"] = json.dumps([{"messages": [{"role": "user", "content": note}]}])
            found[row["key"]] = shown
    return found
