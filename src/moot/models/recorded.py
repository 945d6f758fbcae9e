"""Replies that somebody recorded earlier, found by model and question: an experiment with no model at all."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from moot.errors import FileError
from moot.foreign_files import lines_of, opened
from moot.foreign_json import read_json
from moot.models.border import storable
from moot.models.closest import closest
from moot.types import FREE, Price, Reply, Request, digest

_KEYS = ("model", "question_id", "answer", "reasoning", "text", "sample", "request", "finish")


@dataclass(frozen=True, slots=True)
class Recording:
    """One file of recorded replies, by (model, question, sample)."""

    path: Path
    sha256: str
    replies: Mapping[tuple[str, str, int], str]
    models: frozenset[str]
    answers: Mapping[tuple[str, str, int], str]
    """Where a line has an `answer`: as it was given, for whoever asks for free words."""
    calls: Mapping[tuple[str, str, int], RecordedCall]
    """Where a line has a `request`: by (model, request, sample)."""
    of_calls: frozenset[str]
    """Models of which every call is kept, and not their drafts alone."""


class RecordedCall(NamedTuple):
    """What a model said to one request."""

    text: str
    finish: str


def request_digest(messages: Sequence[Sequence[str]], attempt: int) -> str:
    """What was said to a model, whoever it was: role and content of each message, and which attempt it is."""
    return digest([[list(message) for message in messages], attempt])


class RecordedModel:
    """A model of which only its recorded replies are left.

    A question it never answered gives a reply that says so (`finish` "unrecorded"), since an absent answer is data.
    """

    def __init__(self, name: str, *, file: Path, model: str, price: Price | None = FREE) -> None:
        self.name = name
        self.model = model
        self.price = price
        self.recording = read_recording(file)
        if model not in self.recording.models:
            models = sorted(self.recording.models)
            there = f"those of {', '.join(models[:20])}" if models else "none at all"
            problem = f"holds no replies of {model!r}; expected one of its models: there are {there}"
            raise FileError(problem + closest(model, models), file=file, key="model")

    def shape(self, request: Request) -> Mapping[str, Any]:
        return {
            "provider": "recorded",
            "sha256": self.recording.sha256,
            "model": self.model,
            "question": request.question_id,
            "messages": [[message.role, message.content] for message in request.messages],
        }

    async def generate(self, request: Request) -> Reply:
        if self.model in self.recording.of_calls:
            return self._said_then(request)
        key = (self.model, request.question_id or "", request.sample)
        # Where free words are asked for, the answer is the reply; a form would have to be taken off again.
        text = self.recording.answers.get(key) if request.schema is None else None
        text = text or self.recording.replies.get(key)
        if text is None or request.attempt:  # asking a recording again brings nothing new
            return Reply("", finish="unrecorded", version=self.model, cost_usd=0.0)
        return Reply(text, version=self.model, cost_usd=0.0 if self.price == FREE else None)

    def _said_then(self, request: Request) -> Reply:
        """To the very same words; to any others it has said nothing."""
        said = [(message.role, message.content) for message in request.messages]
        call = self.recording.calls.get((self.model, request_digest(said, request.attempt), request.sample))
        if call is None:
            return Reply("", finish="unrecorded", version=self.model, cost_usd=0.0)
        return Reply(call.text, call.finish, version=self.model, cost_usd=0.0 if self.price == FREE else None)

    async def close(self) -> None:
        pass


def read_recording(path: Path) -> Recording:
    """Read a file of replies once, however many models are taken from it."""
    try:
        about = path.stat()
        return _read(path, about.st_mtime_ns, about.st_size)
    except FileNotFoundError:
        raise FileError("no such file of recorded replies", file=path) from None
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror or error}", file=path) from None


@lru_cache(maxsize=32)
def _read(path: Path, changed_ns: int, size: int) -> Recording:
    replies: dict[tuple[str, str, int], str] = {}
    answers: dict[tuple[str, str, int], str] = {}
    calls: dict[tuple[str, str, int], RecordedCall] = {}
    hashed = hashlib.sha256()
    with opened(path) as file:
        for number, line in enumerate(lines_of(file, path), start=1):
            hashed.update(line)
            if not line.strip():
                continue
            key, text, answer, request, finish = _read_line(line, path, number)
            place = key if request is None else (key[0], request, key[2])
            if place in (replies if request is None else calls):
                problem = f"a second reply of {key[0]!r} to {key[1]!r}, sample {key[2]}"
                raise FileError(problem + (", to one request" if request else ""), file=path, line=number)
            if request is not None:
                calls[place] = RecordedCall(text, finish)
                continue
            replies[key] = text
            if answer is not None:
                answers[key] = answer
    of_calls = frozenset(model for model, _, _ in calls)
    if both := sorted(of_calls & {model for model, _, _ in replies}):
        problem = (
            f"some lines of {both[0]!r} have a request and others have none; expected it in all of a model or in none"
        )
        raise FileError(problem, file=path, key="request")
    models = of_calls | {model for model, _, _ in replies}
    return Recording(path, hashed.hexdigest(), replies, models, answers, calls, of_calls)


def json_object(line: bytes, path: Path, number: int) -> dict[str, Any]:
    """What a line of a file holds, where each holds one JSON object."""
    try:
        row = read_json(line)
    except ValueError as error:
        raise FileError(f"expected one JSON object a line ({error})", file=path, line=number) from None
    if not isinstance(row, dict):
        raise FileError("expected one JSON object a line", file=path, line=number)
    return row


class _Line(NamedTuple):
    key: tuple[str, str, int]
    text: str
    """In the form that every strategy reads."""
    answer: str | None
    """As it was given."""
    request: str | None
    """What it is the reply to, where every call is kept."""
    finish: str


def _read_line(line: bytes, path: Path, number: int) -> _Line:
    row = json_object(line, path, number)
    if unknown := sorted(set(row) - set(_KEYS)):
        problem = f"unknown key; expected one of {', '.join(_KEYS)}{closest(unknown[0], _KEYS)}"
        raise FileError(problem, file=path, line=number, key=unknown[0])
    about_nothing = (
        row.get("request") is not None and row.get("question_id") is None
    )  # as a judge of two answers is asked
    for key in ("model",) if about_nothing else ("model", "question_id"):
        if not isinstance(row.get(key), str) or not row[key]:
            raise FileError("expected a text that is not empty", file=path, line=number, key=key)
    for key in ("answer", "reasoning", "text", "request", "finish"):
        if not isinstance(row.get(key), str | None):
            raise FileError("expected a text or null", file=path, line=number, key=key)
    sample = row.get("sample", 0)
    if not isinstance(sample, int) or isinstance(sample, bool) or sample < 0:
        raise FileError("expected a whole number from 0 on", file=path, line=number, key="sample")
    answer = row.get("answer")
    given = None if answer is None else storable(answer)
    place = (row["model"], row.get("question_id") or "", sample)
    return _Line(place, _text_of(row), given, row.get("request"), row.get("finish") or "stop")


def _text_of(row: Mapping[str, str | None]) -> str:
    """With `answer` given nothing is parsed: it is put into the form that every strategy reads."""
    answer, text = row.get("answer"), row.get("text") or ""
    if answer is None:
        return storable(text)
    reply = {"reasoning": storable(row.get("reasoning") or text), "answer": storable(answer)}
    return json.dumps(reply, ensure_ascii=False)
