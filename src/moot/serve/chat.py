"""The OpenAI chat form in the terms of a team: a conversation becomes a question, a verdict becomes a completion."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import orjson
from pydantic import BaseModel, ConfigDict, Field

from moot.live.team import Asked
from moot.prompts import Prompts
from moot.serve.admission import Refused
from moot.traces import Deadline, NotNeeded, of_kind
from moot.types import Question, Usage, digest

PIECE = 24
"""Characters in one event of a stream: the answer is whole when the stream begins, so this is for the eye only."""

NO_ANSWER_STATUS = 502
TOO_LATE_STATUS = 408
"""The time limit is the client's own: nothing here has failed."""


class Part(BaseModel):
    model_config = ConfigDict(extra="ignore")

    type: str = "text"
    text: str | None = None


class ChatMessage(BaseModel):
    model_config = ConfigDict(extra="ignore")

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[Part] | None = None

    @property
    def text(self) -> str:
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.text is not None)
        return self.content or ""


class JsonSchema(BaseModel):
    model_config = ConfigDict(extra="ignore")

    name: str = "answer"
    schema_: Annotated[dict[str, Any], Field(alias="schema")]
    strict: bool | None = None


class ResponseFormat(BaseModel):
    model_config = ConfigDict(extra="ignore")

    type: Literal["text", "json_object", "json_schema"]
    json_schema: JsonSchema | None = None


class StreamOptions(BaseModel):
    model_config = ConfigDict(extra="ignore")

    include_usage: bool | None = None
    include_team: bool | None = Field(default=None, description="Also send what happens at the table, as it happens.")


LONGEST_S = 3600
Seconds = Annotated[float, Field(gt=0, le=LONGEST_S)]


class ChatRequest(BaseModel):
    """What shapes the reply is read; sampling parameters are the players' own, and those of the client are left out."""

    model_config = ConfigDict(extra="ignore")

    model: Annotated[str, Field(min_length=1, description="A team and how it decides: see /v1/models.")]
    messages: Annotated[list[ChatMessage], Field(min_length=1)]
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    response_format: ResponseFormat | None = None
    n: Annotated[int, Field(ge=1, le=1)] | None = None
    time_limit_s: Seconds | None = Field(
        default=None, description="After this many seconds the team answers with what it has."
    )


@dataclass(frozen=True, slots=True)
class Wanted:
    """The form that the client wants the final answer in."""

    schema: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Conversation:
    """A chat as a team takes it."""

    question: Question
    system: str
    wanted: Wanted | None


def conversation(messages: list[ChatMessage], wanted: Wanted | None, prompts: Prompts, language: str) -> Conversation:
    """The last message is the question; system messages go to every player; what was said before is its context."""
    system = "\n\n".join(each.text for each in messages if each.role in ("system", "developer") and each.text.strip())
    spoken = [each for each in messages if each.role not in ("system", "developer")]
    if not spoken or spoken[-1].role != "user" or not spoken[-1].text.strip():
        words = "The last message must be the user's, with a text: it is what the team is asked."
        raise Refused(400, words, code="invalid_messages", param="messages")
    *before, last = spoken
    said = [(each.role, each.text) for each in before if each.text.strip()]
    text = prompts.render("chat", messages=said, question=last.text) if said else last.text
    ident = f"asked-{digest([system, text])[:12]}"
    told = prompts.render("served", instruction=system)
    return Conversation(Question(ident, text, language=language), told, wanted)


def wanted_form(given: ResponseFormat | None) -> Wanted | None:
    if given is None or given.type == "text":
        return None
    if given.type == "json_object":
        return Wanted(None)
    if given.json_schema is None:
        raise Refused(400, "'response_format.json_schema' is missing.", code="invalid_schema", param="response_format")
    return Wanted(given.json_schema.schema_)


def moot_field(asked: Asked) -> dict[str, Any]:
    """What an ordinary model has not: how far the team agreed, who was missing, what it cost."""
    verdict = asked.verdict
    shown: dict[str, Any] = {
        "episode": asked.id,
        "strategy": asked.cell.label,
        "captain": asked.cell.captain,
        "outcome": verdict.outcome,
        "who": list(verdict.who),
        "agreement": asked.agreement,
        "diversity": asked.diversity,
        "absent": list(verdict.absent),
        "turns": verdict.turns,
        "calls": len(asked.episode.calls),
        "cost_usd": asked.cost_usd,
        "seconds": round(asked.episode.seconds, 3),
    }
    if verdict.cause:
        shown["cause"] = verdict.cause
    for each in of_kind(verdict.traces, Deadline):
        shown["deadline_s"] = each.seconds
    for spared in of_kind(verdict.traces, NotNeeded):
        shown["not_needed"] = list(spared.players)
    return shown


def usage_json(usage: Usage) -> dict[str, Any]:
    prompt, completion = usage.prompt or 0, usage.completion or 0
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": usage.cached or 0},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning or 0},
    }


@dataclass(frozen=True, slots=True)
class Completion:
    """A verdict on its way out."""

    id: str
    created: int
    model: str
    text: str
    refused: bool
    usage: Usage
    moot: Mapping[str, Any]

    def whole(self) -> bytes:
        said = {"content": None, "refusal": self.text} if self.refused else {"content": self.text, "refusal": None}
        choice = {
            "index": 0,
            "message": {"role": "assistant", **said},
            "logprobs": None,
            "finish_reason": "stop",
        }
        return orjson.dumps(
            self._envelope("chat.completion", [choice], usage=usage_json(self.usage), moot=dict(self.moot))
        )

    def pieces(self, *, with_usage: bool) -> Iterator[bytes]:
        field = "refusal" if self.refused else "content"
        for start in range(0, len(self.text), PIECE):
            yield self._delta({field: self.text[start : start + PIECE]})
        yield self._delta({}, finish="stop", moot=dict(self.moot))
        if with_usage:
            yield sse(self._envelope("chat.completion.chunk", [], usage=usage_json(self.usage)))

    def _delta(self, delta: Mapping[str, str], finish: str | None = None, **more: Any) -> bytes:
        return delta_event(self.id, self.created, self.model, delta, finish, **more)

    def _envelope(self, kind: str, choices: list[Any], **more: Any) -> dict[str, Any]:
        return envelope(self.id, self.created, self.model, kind, choices, **more)


def completion_of(ident: str, created: int, asked: Asked, dressed: str | None = None) -> Completion:
    """The verdict as a completion; `Refused` where the team has no answer and no refusal either."""
    verdict = asked.verdict
    refused = verdict.outcome == "refused"
    text = dressed if dressed is not None else verdict.answer
    if text is None and not refused:
        status = TOO_LATE_STATUS if of_kind(verdict.traces, Deadline) else NO_ANSWER_STATUS
        words = f"The team has no answer: {verdict.cause or verdict.outcome}"
        raise Refused(status, words, code=f"team_{verdict.outcome}", kind="server_error")
    said = text if text is not None else verdict.cause or "The team refused to answer."
    return Completion(ident, created, asked.model, said, refused, asked.usage, moot_field(asked))


def delta_event(
    ident: str, created: int, model: str, delta: Mapping[str, str], finish: str | None = None, **more: Any
) -> bytes:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    return sse(envelope(ident, created, model, "chat.completion.chunk", [choice], **more))


def table_event(ident: str, created: int, model: str, event: Mapping[str, Any]) -> bytes:
    """Something that happened at the table: a chunk without a choice, which clients that do not know it pass over."""
    return sse(envelope(ident, created, model, "chat.completion.chunk", [], moot={"event": dict(event)}))


def envelope(ident: str, created: int, model: str, kind: str, choices: list[Any], **more: Any) -> dict[str, Any]:
    return {"id": ident, "object": kind, "created": created, "model": model, "choices": choices, **more}


def sse(value: Mapping[str, Any]) -> bytes:
    return b"data: " + orjson.dumps(value) + b"\n\n"


def now() -> int:
    return int(time.time())
