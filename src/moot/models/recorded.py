"""Replies that somebody recorded earlier, found by model and question: an experiment with no model at all."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from moot.errors import FileError, NotRecorded
from moot.foreign_files import lines_of, opened
from moot.foreign_json import read_json
from moot.models.border import count, storable, usd
from moot.models.closest import closest
from moot.types import FREE, UNRECORDED, Price, Reply, Request, Usage, digest

_SPENT = ("cost_usd", "prompt_tokens", "completion_tokens", "seconds")
_KEYS = ("model", "question_id", "answer", "open_answer", "reasoning", "text", "sample", *_SPENT, "request", "finish")

ReplyKey = tuple[str, str, int]
"""Model, question and sample."""


NOT_COUNTED = Usage()
NEVER_ASKED = Usage(0, 0, 0, 0)
"""Of what no recording has: nobody was asked."""


@dataclass(frozen=True, slots=True)
class SpentThen:
    """What a reply took when it was made; nothing of it is paid when it is played back."""

    usage: Usage = NOT_COUNTED
    cost_usd: float | None = None
    seconds: float | None = None

    def reply(self, text: str, finish: str, version: str, cost_usd: float | None) -> Reply:
        timed = self.seconds is not None
        return Reply(text, finish, self.usage, self.seconds or 0.0, version, cost_usd, timed=timed)


NOTHING_SPENT = SpentThen()
NEVER_ASKED_THEN = SpentThen(NEVER_ASKED, 0.0)
"""Of a line that says that there was no reply; whatever else it says that this took."""


@dataclass(frozen=True, slots=True)
class Recording:
    """One file of recorded replies, by (model, question, sample)."""

    path: Path
    sha256: str
    replies: Mapping[ReplyKey, str]
    models: frozenset[str]
    answers: Mapping[ReplyKey, str]
    """Where a line has an `answer`: as it was given, for whoever asks for free words."""
    open_answers: Mapping[ReplyKey, str] = field(default_factory=dict)
    """Where a line has an `open_answer`: in the form of a reply, for whoever asks an open question."""
    spent: Mapping[ReplyKey, SpentThen] = field(default_factory=dict)
    """Where a line says what it took."""
    finishes: Mapping[ReplyKey, str] = field(default_factory=dict)
    """Where a line says how it ended, and that is not as usual."""

    calls: Mapping[ReplyKey, RecordedCall] = field(default_factory=dict)
    """Where a line has a `request`: by model, request and sample."""
    of_calls: frozenset[str] = frozenset()
    """Models of which every call is kept, and not their drafts alone."""

    def spent_by(self, model: str, played: PlayedBack | None = None) -> list[SpentThen]:
        """What each of its replies took, in the order of the file; of most files that is nothing that anybody knows. `played`:
        of those alone that are played back."""
        drafts = [(key, self.spent.get(key, NOTHING_SPENT)) for key in self.replies if key[0] == model]
        calls = [((key[0], call.question, key[2]), call.spent) for key, call in self.calls.items() if key[0] == model]
        every = (*drafts, *calls)
        return [spent for (_, question, sample), spent in every if played is None or played.holds(question, sample)]


class RecordedCall(NamedTuple):
    """What a model said to one request."""

    text: str
    finish: str
    spent: SpentThen
    question: str = ""


@dataclass(frozen=True, slots=True)
class PlayedBack:
    """Which part of a recording an experiment plays: a file of replies may hold many more."""

    questions: Collection[str]
    repeats: int

    def holds(self, question: str, sample: int) -> bool:
        return question in self.questions and sample < self.repeats


def request_digest(messages: Sequence[Sequence[str]], attempt: int) -> str:
    """What was said to a model, whoever it was: role and content of each message, and which attempt it is."""
    return digest([[list(message) for message in messages], attempt])


class RecordedModel:
    """A model of which only its recorded replies are left.

    A question it never answered gives a reply that says so (`finish` "unrecorded"), since an absent answer is data. Where every
    call was recorded, one that is not there is one that failed.
    """

    plays_back = True
    """Whoever asks it pays nothing: its replies were paid for when they were made."""

    def __init__(
        self,
        name: str,
        *,
        file: Path,
        model: str,
        price: Price | None = None,
        then: Price | None = None,
        recording: Recording | None = None,
        played: PlayedBack | None = None,
    ) -> None:
        """`played`: what is asked of it, so that its means are of that; None: whatever it holds. `recording`: what was read
        from files of another form; left out: the file is in ours. `price` None: a reply whose cost is not recorded cost nobody
        knows what, unless `then` says what tokens cost when it was made. What nobody knows is not 0."""
        self.name = name
        self.model = model
        self.price = price
        self.then = then
        self._played = played
        self.recording = recording or read_recording(file)
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
        if _asks_openly(request.schema):
            text = self.recording.open_answers.get(key)
        text = text or self.recording.replies.get(key)
        if text is None or request.attempt:  # asking a recording again brings nothing new
            return NEVER_ASKED_THEN.reply("", UNRECORDED, self.model, 0.0)
        spent = self.recording.spent.get(key, NOTHING_SPENT)
        finish = self.recording.finishes.get(key, "stop")
        return spent.reply(text, finish, self.model, self._cost_usd(spent))

    def _said_then(self, request: Request) -> Reply:
        """To the very same words. Every call that had a reply is there, so that another one had none: then it fails as it did,
        and nobody takes that for silence."""
        said = [(message.role, message.content) for message in request.messages]
        call = self.recording.calls.get((self.model, request_digest(said, request.attempt), request.sample))
        if call is None:
            raise NotRecorded(f"{self.recording.path.name} has no reply of {self.model} to this")
        return call.spent.reply(call.text, call.finish, self.model, self._cost_usd(call.spent))

    def _cost_usd(self, spent: SpentThen) -> float | None:
        """When it was made; whoever plays it back pays nothing (`Cache` says so of the call that is kept)."""
        known = self._cost_then_usd(spent)
        return 0.0 if known is None and self.price == FREE else known

    def _cost_then_usd(self, spent: SpentThen) -> float | None:
        if spent.cost_usd is not None or self.then is None:
            return spent.cost_usd
        return self.then.cost_usd(spent.usage)

    @cached_property
    def _costs_then_usd(self) -> list[float | None]:
        return [self._cost_then_usd(spent) for spent in self.recording.spent_by(self.model, self._played)]

    @property
    def known_costs(self) -> int:
        """Of how many of its replies that are played back it is known what they cost when they were made."""
        return sum(cost is not None for cost in self._costs_then_usd)

    @cached_property
    def mean_cost_usd(self) -> float | None:
        """Of its replies that are played back, when they were made, whatever is paid now; None where that is not known of each of
        them."""
        return _mean(self._costs_then_usd)

    @cached_property
    def mean_completion_tokens(self) -> float | None:
        return _mean([spent.usage.completion for spent in self.recording.spent_by(self.model, self._played)])

    async def close(self) -> None:
        pass


def _mean(amounts: Sequence[float | None]) -> float | None:
    """None where one is not known: the mean of the others is another figure."""
    known = [amount for amount in amounts if amount is not None]
    return math.fsum(known) / len(known) if known and len(known) == len(amounts) else None


def _asks_openly(schema: Mapping[str, Any] | None) -> bool:
    """Whether an answer is asked for that may be any words, and is not one of several."""
    fields = schema.get("properties") if schema is not None else None
    answer = fields.get("answer") if isinstance(fields, Mapping) else None
    return isinstance(answer, Mapping) and "enum" not in answer


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
    hashed = hashlib.sha256()

    def read_lines() -> Iterator[_Line]:
        with opened(path) as file:
            for number, line in enumerate(lines_of(file, path), start=1):
                hashed.update(line)
                if line.strip():
                    yield _read_row(json_object(line, path, number), path, number)

    recording = _recording(path, read_lines())
    return replace(recording, sha256=hashed.hexdigest())


def recording_of(rows: Iterable[Mapping[str, Any]], path: Path, sha256: str) -> Recording:
    """The same from rows that were made of something else: what comes out is as if they had stood in a file."""
    lines = (_read_row(row, path, number) for number, row in enumerate(rows, start=1))
    return replace(_recording(path, lines), sha256=sha256)


def _recording(path: Path, lines: Iterable[_Line]) -> Recording:
    replies: dict[ReplyKey, str] = {}
    answers: dict[ReplyKey, str] = {}
    open_answers: dict[ReplyKey, str] = {}
    spent: dict[ReplyKey, SpentThen] = {}
    finishes: dict[ReplyKey, str] = {}
    calls: dict[ReplyKey, RecordedCall] = {}
    for line in lines:
        key = line.key
        place = key if line.request is None else (key[0], line.request, key[2])
        if place in (replies if line.request is None else calls):
            to_one = "" if line.request is None else ", to one request"
            problem = f"a second reply of {key[0]!r} to {key[1]!r}, sample {key[2]}{to_one}"
            raise FileError(problem, file=path, line=line.number)
        if line.request is not None:
            calls[place] = RecordedCall(line.text, line.finish, line.spent, key[1])
            continue
        replies[key] = line.text
        if line.answer is not None:
            answers[key] = line.answer
        if line.open_answer is not None:
            open_answers[key] = line.open_answer
        if line.spent != NOTHING_SPENT:
            spent[key] = line.spent
        if line.finish != "stop":
            finishes[key] = line.finish
    of_calls, of_drafts = (frozenset(model for model, _, _ in kept) for kept in (calls, replies))
    if both := sorted(of_calls & of_drafts):
        problem = f"some lines of {both[0]!r} have a request and others none; expected it in all of a model or in none"
        raise FileError(problem, file=path, key="request")
    return Recording(path, "", replies, of_calls | of_drafts, answers, open_answers, spent, finishes, calls, of_calls)


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
    key: ReplyKey
    number: int
    text: str
    """In the form that every strategy reads."""
    answer: str | None
    """As it was given."""
    open_answer: str | None
    """In the form that every strategy reads; None: the text is read whatever is asked."""
    spent: SpentThen
    request: str | None
    """What it is the reply to, where every call is kept."""
    finish: str


def _read_row(row: Mapping[str, Any], path: Path, number: int) -> _Line:
    if unknown := sorted(set(row) - set(_KEYS)):
        problem = f"unknown key; expected one of {', '.join(_KEYS)}{closest(unknown[0], _KEYS)}"
        raise FileError(problem, file=path, line=number, key=unknown[0])
    about_nothing = (
        row.get("request") is not None and row.get("question_id") is None
    )  # as a judge of two answers is asked
    for key in ("model",) if about_nothing else ("model", "question_id"):
        if not isinstance(row.get(key), str) or not row[key]:
            raise FileError("expected a text that is not empty", file=path, line=number, key=key)
    for key in ("answer", "open_answer", "reasoning", "text", "request", "finish"):
        if not isinstance(row.get(key), str | None):
            raise FileError("expected a text or null", file=path, line=number, key=key)
    sample = row.get("sample", 0)
    if not isinstance(sample, int) or isinstance(sample, bool) or sample < 0:
        raise FileError("expected a whole number from 0 on", file=path, line=number, key="sample")
    answer = row.get("answer")
    given = None if answer is None else storable(answer)
    place = (row["model"], row.get("question_id") or "", sample)
    spent = _spent(row, path, number)
    if row.get("finish") == UNRECORDED:
        spent = NEVER_ASKED_THEN
    if (openly := row.get("open_answer")) is not None:
        if given is not None:
            raise FileError("expected one of answer and open_answer", file=path, line=number, key="open_answer")
        openly = _text_of({**row, "answer": openly})
    return _Line(place, number, _text_of(row), given, openly, spent, row.get("request"), row.get("finish") or "stop")


def _spent(row: Mapping[str, Any], path: Path, number: int) -> SpentThen:
    read: dict[str, Any] = {}
    for key in _SPENT:
        value = row.get(key)
        if value is None:
            continue
        whole = key.endswith("_tokens")
        found = count(value) if whole else usd(value)
        if found is None:
            expected = "a whole number" if whole else "a number"
            raise FileError(f"expected {expected} from 0 on, or null", file=path, line=number, key=key)
        read[key] = found
    if not read:
        return NOTHING_SPENT
    usage = Usage(read.get("prompt_tokens"), read.get("completion_tokens"))
    return SpentThen(usage, read.get("cost_usd"), read.get("seconds"))


def _text_of(row: Mapping[str, str | None]) -> str:
    """With `answer` given nothing is parsed: it is put into the form that every strategy reads."""
    answer, text = row.get("answer"), row.get("text") or ""
    if answer is None:
        return storable(text)
    reply = {"reasoning": storable(row.get("reasoning") or text), "answer": storable(answer)}
    return json.dumps(reply, ensure_ascii=False)
