"""Nouns into rows and back. Nothing else in moot knows what a row looks like."""

from __future__ import annotations

import json
import math
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import ContextDecorator
from typing import Any

from moot.errors import CallError, StoreUnreadable
from moot.models.border import storable
from moot.models.cache import StoredCall
from moot.rubric import Criterion
from moot.store.columns import refusal
from moot.team.attempts import unreached_in
from moot.traces import trace_json, trace_of
from moot.types import Answer, Case, Episode, HumanRate, Question, Reply, Score, Usage, Verdict, dense_json

PLAYED_BACK, AT_ONCE = 1, 2
"""Where a stored call says whose reply it is: that of a recording, which may say that it took no time."""
_QUESTION_DEFAULTS = {"id": None, "text": None, "choices": (), "context": None, "language": None, "kind": "open"}
_CASE_DEFAULTS: Mapping[str, Any] = {
    **dict.fromkeys(("comment", "source", "author", "category", "package", "year", "difficulty")),
    **dict.fromkeys(("accepted", "rejected"), ()),
    **dict.fromkeys(("lemmatize", "free_order"), False),
    "meta": {},
    "known": True,
}


def points_json(points: tuple[float, ...] | None, reasons: tuple[str, ...]) -> str | None:
    """What a judge gave by each criterion of a rubric, and why; None: it gave nothing."""
    return None if points is None else _readable_json([list(pair) for pair in zip(points, reasons, strict=True)])


def points_of(written: str | None) -> tuple[tuple[float, ...] | None, tuple[str, ...]]:
    if written is None:
        return None, ()
    with _as_moot_writes("judgements.points", "points"):
        given = [(float(points), str(reason)) for points, reason in json.loads(written)]
        if not all(0 <= points < math.inf for points, _ in given):
            raise ValueError(written)
    return tuple(points for points, _ in given), tuple(reason for _, reason in given)


def call_row(call: StoredCall, experiment: str) -> dict[str, Any]:
    reply = call.reply
    usage = reply.usage
    return {
        "key": call.key,
        "experiment": experiment,
        "model": call.model,
        "shape": call.shape,
        "text": reply.text,
        "finish": reply.finish,
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.completion,
        "reasoning_tokens": usage.reasoning,
        "cached_tokens": usage.cached,
        "latency_s": reply.latency_s,
        "version": reply.version,
        "cost_usd": reply.cost_usd,
        "thoughts": reply.thoughts,
        "logprobs": None if reply.logprobs is None else dense_json(reply.logprobs),
        "created_at": time.time(),
        "recorded": _recorded(call),
    }


def _recorded(call: StoredCall) -> int | None:
    if not call.recorded:
        return None
    return AT_ONCE if call.reply.timed and not call.reply.latency_s else PLAYED_BACK


def known_latency_s(latency_s: float, recorded: int | None) -> float | None:
    """Of a stored call; None: it was played back, and its recording does not say how long it took."""
    return latency_s if latency_s or recorded is None or recorded == AT_ONCE else None


def reply_of(row: Mapping[str, Any]) -> Reply:
    return Reply(
        text=row["text"],
        finish=row["finish"],
        usage=Usage(row["prompt_tokens"], row["completion_tokens"], row["reasoning_tokens"], row["cached_tokens"]),
        latency_s=row["latency_s"],
        version=row["version"],
        cost_usd=row["cost_usd"],
        thoughts=row["thoughts"],
        logprobs=None if row["logprobs"] is None else json.loads(row["logprobs"]),
        key=row["key"],
        timed=known_latency_s(row["latency_s"], row["recorded"]) is not None,
    )


def failure_row(key: str, model: str, error: CallError, experiment: str) -> dict[str, Any]:
    message = " ".join([str(error), *getattr(error, "__notes__", ())])
    return {
        "key": key,
        "experiment": experiment,
        "model": model,
        "kind": type(error).__name__,
        "message": message,
        "created_at": time.time(),
    }


def _readable_json(value: object) -> str:
    """As a report can read it, whatever words an error had: half a surrogate pair would end it for the whole store."""
    written = dense_json(value)
    if "\\ud" not in written and "\\uD" not in written:
        return written
    return dense_json(json.loads(storable(json.dumps(json.loads(written), ensure_ascii=False))))


def episode_row(episode: Episode) -> dict[str, Any]:
    """The transcript names each call by its key; the prompt and the reply stand in `calls`, once."""
    verdict = episode.verdict
    transcript = [
        [call.player, call.stage, call.turn, call.reply.key if call.reply else None, call.error, call.problem]
        for call in episode.calls
    ]
    return {
        "cell": episode.cell,
        "question": episode.question.digest,
        "repeat": episode.repeat,
        "outcome": verdict.outcome,
        "answer": verdict.answer,
        "verdict": _readable_json(verdict_json(verdict)),
        "transcript": _readable_json(transcript),
        "seconds": episode.seconds,
        "created_at": time.time(),
        "unreached": _readable_json(names) if (names := unreached_in(episode.calls)) else None,
    }


def verdict_json(verdict: Verdict) -> dict[str, Any]:
    """Only what differs from the default: most verdicts are short."""
    content: dict[str, Any] = {"answer": verdict.answer, "outcome": verdict.outcome}
    if verdict.reasoning:
        content["reasoning"] = verdict.reasoning
    if verdict.who:
        content["who"] = verdict.who
    if verdict.answers:
        content["answers"] = [
            [answer.player, answer.text, answer.reasoning, answer.outcome, answer.cause] for answer in verdict.answers
        ]
    content["turns"] = verdict.turns
    if verdict.absent:
        content["absent"] = verdict.absent
    if verdict.cause:
        content["cause"] = verdict.cause
    if verdict.traces:
        content["traces"] = [trace_json(record) for record in verdict.traces]
    return content


def note_json(verdict: Verdict) -> dict[str, str]:
    """What is to be said of an answer beside it, which its records tell; nothing where there is nothing to say."""
    return {} if verdict.note is None else {"note": verdict.note}


class _as_moot_writes(ContextDecorator):
    """A store may be a stranger's: what is broken in it is told as the store's fault. There may be very many such values."""

    __slots__ = ("_place", "_what")

    def __init__(self, place: str, what: str) -> None:
        self._place, self._what = place, what

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        if isinstance(error, ValueError | TypeError | AttributeError | LookupError | RecursionError):
            words = f"{self._what} that is not as moot writes one ({type(error).__name__})"
            raise StoreUnreadable(f"{self._place}: the store holds {words}") from None


def config_of(experiment: Mapping[str, Any]) -> dict[str, Any]:
    """The file of an experiment, as it was when it was declared: of a row of `experiments`."""
    return object_of(experiment["config"], "experiments.config")


EDITED = "edited"
"""In the configuration of a plan: its team was put together by who asked, while a file was served, and is none of the file's."""


def is_edited(plan: Mapping[str, Any]) -> bool:
    return bool(config_of(plan).get(EDITED))


def facts_of(run: Mapping[str, Any]) -> dict[str, Any]:
    """What is known about a run: of a row of `runs`."""
    return object_of(run["facts"], "runs.facts")


def options_of(written: str) -> dict[str, Any]:
    """The options of a cell: those that were given, and the defaults of the rest."""
    options = object_of(written, "cells.options")
    if not all(isinstance(options.get(part, {}), dict) for part in ("given", "default")):
        raise refusal("cells.options", "options that were given, and the defaults of the rest", written)
    return options


def captain_of(cell: Mapping[str, Any]) -> str | None:
    """Who leads or breaks ties in a cell. Stores of before have a captain also where its strategy says that nobody does."""
    captain: str | None = cell["captain"]
    if captain is None or object_of(cell["traits"] or "{}", "cells.traits").get("captain") is None:
        return None
    return captain


def as_led(cells: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Cells of one plan, each with the captain that it has.

    Line-ups that only a captain tells apart who does nothing are told apart by their labels.
    """
    written = list(cells)
    seats = Counter(map(_seat, written))
    rows = [{**cell, "captain": captain_of(cell)} for cell in written]
    for cell, row in zip(written, rows, strict=True):
        if row["captain"] != cell["captain"] and seats[_seat(cell)] > 1:
            row["label"] = f"{cell['label']}[{cell['captain']}]"
    return rows


def _seat(cell: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(cell[key] for key in ("label", "team", "cohort", "player"))


def object_of(written: str, place: str) -> dict[str, Any]:
    """A JSON object out of a column. `place`: table and column."""
    try:
        content = json.loads(written)
    except (ValueError, TypeError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise refusal(place, "a JSON object", written)
    return content


@_as_moot_writes("episodes.verdict", "a verdict")
def verdict_of(text: str) -> Verdict:
    data = json.loads(text)
    data["answers"] = tuple(Answer(*fields) for fields in data.get("answers", ()))
    data["traces"] = tuple(map(trace_of, data.get("traces", ())))
    for name in ("who", "absent"):
        data[name] = tuple(data.get(name, ()))
    return Verdict(**data)


def score_row(cell: str, case: str, repeat: int, grader: str, score: Score) -> dict[str, Any]:
    return {
        "cell": cell,
        "case": case,
        "repeat": repeat,
        "grader": grader,
        "value": score.value,
        "stage": score.stage,
        "detail": score.detail,
        "failure": score.failure,
    }


def grade_row(grader: str, place: tuple[str, str], score: Score) -> dict[str, Any]:
    case, answer = place
    return {
        "case": case,
        "answer": answer,
        "grader": grader,
        "value": score.value,
        "stage": score.stage,
        "detail": score.detail,
    }


def grades_of(rows: Iterable[Mapping[str, Any]]) -> dict[tuple[str, str], Score]:
    """By case and normalised answer."""
    return {(row["case"], row["answer"]): Score(row["value"], row["stage"], row["detail"]) for row in rows}


def case_row(case: Case) -> dict[str, Any]:
    """Only what differs from the default."""
    question = _given(case.question, _QUESTION_DEFAULTS)
    content = {"question": question, "answer": case.answer, **_given(case, _CASE_DEFAULTS)}
    if case.human is not None:
        content["human"] = [case.human.solved, case.human.asked]
    if case.rubric:
        content["rubric"] = [[each.name, each.points, each.says] for each in case.rubric]
    return {"id": case.digest, "question_id": case.question.id, "content": dense_json(content)}


def placed_case(row: Mapping[str, Any]) -> Case:
    """A case with the set and the cluster that an experiment says it is of: a row of `queries.cases_of`."""
    return case_of(row["content"], question_set=row["question_set"], cluster=row["cluster"])


_AS_CASES = _as_moot_writes("cases.content", "a question")


def case_of(content: str, **placed: str | None) -> Case:
    """`placed`: by field, what an experiment says that it is of."""
    with _AS_CASES:
        data = json.loads(content)
        question = data.pop("question")
        question["choices"] = tuple(question.get("choices", ()))
        human = data.pop("human", None)
        for name in ("accepted", "rejected"):
            if name in data:
                data[name] = tuple(data[name])
        if "rubric" in data:
            data["rubric"] = tuple(Criterion(*fields) for fields in data["rubric"])
        data.update(placed)
        return Case(question=Question(**question), human=HumanRate(*human) if human else None, **data)


def _given(noun: object, defaults: Mapping[str, Any]) -> dict[str, Any]:
    given = {}
    for name, default in defaults.items():
        value = getattr(noun, name)
        if value is not default and value != default:  # for every question of a run: mostly it is the default itself
            given[name] = value
    return given
