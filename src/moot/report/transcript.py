"""Who saw what: an episode with the whole prompt and reply of each of its calls, rebuilt from the store."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import chain, compress
from typing import Any

from sqlalchemy import Connection

from moot.data.documents import documents_of
from moot.errors import UsageError
from moot.experiment.side_names import ClaimError, SideName, is_meant, parse_side, seat_of_row, several_teams
from moot.models.closest import closest
from moot.report.figures import grader_of
from moot.store import queries
from moot.store.rows import case_of, config_of, known_latency_s, note_json, verdict_json, verdict_of
from moot.store.statements import Row
from moot.strategies.natives import NATIVE_STAGES
from moot.traces import Cascaded, of_kind
from moot.types import Verdict

IDS_NAMED = 4
"""In a message to whoever named one that is not there."""


@dataclass(frozen=True, slots=True)
class Transcript:
    title: str
    repeat: int
    reference: str | None
    verdict: Verdict
    calls: tuple[Mapping[str, Any], ...]
    value: float | None
    stage: str | None
    detail: str | None = None
    """What the grader or the judges said beside the grade, or why there is none."""
    documents: tuple[Mapping[str, Any], ...] = ()
    """What was shown of the documents that the question is about, where it is about any."""

    def json(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "repeat": self.repeat,
            "reference": self.reference,
            "verdict": {**verdict_json(self.verdict), **note_json(self.verdict)},
            "calls": list(self.calls),
            "score": self.value,
            "stage": self.stage,
            "detail": self.detail,
            **({"documents": list(self.documents)} if self.documents else {}),
        }


def transcripts(
    connection: Connection,
    experiment: Row,
    question_id: str,
    strategy: str | None = None,
    *,
    play: tuple[str, int] | None = None,
) -> list[Transcript]:
    """Every episode of a question, or those of one strategy (its name, its label, ``solo@ann``, or ``three/vote@ann``).

    `play`: of one cell and repeat only.
    """
    ident = experiment["id"]
    case_row = next(iter(queries.cases_of(connection, ident, question_id)), None)
    if case_row is None:
        raise UsageError(_no_such_question(connection, experiment, question_id))
    grader = grader_of(config_of(experiment))
    case = case_of(case_row["content"])
    documents = documents_of(case)
    episodes = []
    side = named_side(strategy)
    cells = queries.cells_of(connection, ident)
    config = config_of(experiment)
    # Of what was asked only those are on record that played it: whether the file has several teams is told by the file.
    several = several_teams(cells, config.get("teams", ()) if config.get("served") else ())
    for cell in cells:
        if side is not None and not is_meant(side, cell):
            continue
        if play is not None and play[0] != cell["id"]:
            continue
        title = str(seat_of_row(cell, team=several))
        for row in queries.results(connection, ident, cell["id"], grader, question=case_row["question"]):
            if play is not None and play[1] != row["repeat"]:
                continue
            verdict = verdict_of(row["verdict"])
            calls = _as_asked(calls_of(connection, json.loads(row["transcript"])), verdict)
            score = row["value"], row["stage"], row["detail"]
            episodes.append(Transcript(title, row["repeat"], case.answer, verdict, calls, *score, documents))
    return episodes


def _plain_numbers(question_id: str) -> str:
    """T-5 for T-005."""
    return re.sub(r"\d+", lambda digits: digits[0].lstrip("0"), question_id)


def _no_such_question(connection: Connection, experiment: Row, question_id: str) -> str:
    known = [row["question_id"] for row in queries.cases_of(connection, experiment["id"])]
    such = ", ".join(known[:IDS_NAMED])
    alike = [each for each in known if _plain_numbers(each) == _plain_numbers(question_id)]
    hint = closest(question_id, alike or known)
    return f"experiment {experiment['name']!r} has no question {question_id!r}; its ids are such as {such}{hint}"


def named_side(strategy: str | None) -> SideName | None:
    try:
        return parse_side(strategy) if strategy is not None else None
    except ClaimError as error:
        raise UsageError(f"--strategy: {error}") from None


def calls_of(
    connection: Connection, steps: list[list[Any]], find: Callable[[list[str]], Mapping[str, Row]] | None = None
) -> tuple[Mapping[str, Any], ...]:
    """`find`: where stored calls are read by, if not whole."""
    keys = [key for *_, key, _error, _problem in steps if key]
    stored = queries.find_calls(connection, keys) if find is None else find(keys)
    attempts: dict[tuple[str, str, int], int] = {}
    calls = []
    for player, stage, turn, key, error, problem in steps:
        row = stored.get(key)
        attempt = attempts[player, stage, turn] = attempts.get((player, stage, turn), -1) + 1
        shape = json.loads(row["shape"])[0] if row else {}
        calls.append(
            {
                "player": player,
                "stage": stage,
                "turn": turn,
                "attempt": attempt,
                "key": key,
                "messages": _messages(shape.get("messages", ())),
                "text": row["text"] if row else None,
                "finish": row["finish"] if row else None,
                "latency_s": known_latency_s(row["latency_s"], row["recorded"]) if row else None,
                "version": row["version"] if row else None,
                "cost_usd": row["cost_usd"] if row else None,
                "error": error,
                "problem": problem,
            }
        )
    return tuple(calls)


def _as_asked(calls: tuple[Mapping[str, Any], ...], verdict: Verdict) -> tuple[Mapping[str, Any], ...]:
    """They are kept by seat; where one was asked after another, what they drafted is told in that order."""
    waves = [wave for record in of_kind(verdict.traces, Cascaded) for wave in record.asked]
    if not waves:
        return calls
    place = {name: number for number, name in enumerate(chain.from_iterable(waves))}
    drafted = [each["turn"] == 1 and each["stage"] in NATIVE_STAGES and each["player"] in place for each in calls]
    drafts = iter(sorted(compress(calls, drafted), key=lambda each: place[each["player"]]))
    return tuple(next(drafts) if is_draft else each for each, is_draft in zip(calls, drafted, strict=True))


def _messages(messages: Any) -> list[dict[str, str]]:
    return [
        message if isinstance(message, dict) else {"role": str(message[0]), "content": str(message[1])}
        for message in messages
    ]
