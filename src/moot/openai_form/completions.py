"""The OpenAI chat form, seen from the server: a request body read, a reply written whole or as a stream of events."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from moot.types import Message, Reply

_ROLES: Mapping[str, Literal["system", "user", "assistant"]] = {
    "system": "system",
    "developer": "system",
    "assistant": "assistant",
}
_NOT_PARAMS = frozenset({"model", "messages", "stream", "stream_options", "response_format"})
PIECE_TOKENS = 4
"""Tokens in one event of a stream, at four characters each."""

_PIECE_CHARS = 4 * PIECE_TOKENS


class BadRequest(Exception):
    """The body is not a chat request. `param` names the part that is wrong."""

    def __init__(self, message: str, param: str | None = None) -> None:
        super().__init__(message)
        self.param = param


@dataclass(frozen=True, slots=True)
class ChatRequest:
    model: str
    messages: tuple[Message, ...]
    params: Mapping[str, Any]
    form: str
    """What response_format asks for: text, json_object or json_schema."""
    schema: Mapping[str, Any] | None
    stream: bool
    with_usage: bool
    """Whether a stream ends with a chunk that counts tokens."""


def read_chat(raw: bytes) -> ChatRequest:
    """A request body, or `BadRequest`. Only what shapes the reply is looked at."""
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        raise BadRequest("The body of the request could not be parsed as JSON.") from None
    if not isinstance(body, dict):
        raise BadRequest("The body of the request must be a JSON object.")
    model = body.get("model")
    if not isinstance(model, str) or not model:
        raise BadRequest("You must provide a model parameter.", "model")
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise BadRequest("'messages' must be a list with at least one message.", "messages")
    for name, kind in (("temperature", int | float), ("max_tokens", int), ("max_completion_tokens", int)):
        if body.get(name) is not None and (not isinstance(body[name], kind) or body[name] < 0):
            raise BadRequest(f"{name!r} must be a number that is not negative.", name)
    if body.get("n") not in (None, 1):
        raise BadRequest("Only one choice for a request is simulated.", "n")
    form, schema = _form(body.get("response_format"))
    options = body.get("stream_options")
    return ChatRequest(
        model=model,
        messages=tuple(_message(each) for each in messages),
        params={key: value for key, value in body.items() if key not in _NOT_PARAMS},
        form=form,
        schema=schema,
        stream=body.get("stream") is True,
        with_usage=isinstance(options, dict) and options.get("include_usage") is True,
    )


def _message(value: object) -> Message:
    if not isinstance(value, dict) or not isinstance(value.get("role"), str):
        raise BadRequest("Every message must be an object with a role.", "messages")
    content = value.get("content")
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "".join(text for text in texts if isinstance(text, str))
    if not isinstance(content, str | None):
        raise BadRequest("The content of a message must be a text or a list of parts.", "messages")
    return Message(_ROLES.get(value["role"], "user"), content or "")


def _form(value: object) -> tuple[str, Mapping[str, Any] | None]:
    if value is None:
        return "text", None
    kind = value.get("type") if isinstance(value, dict) else None
    if not isinstance(value, dict) or kind not in ("text", "json_object", "json_schema"):
        raise BadRequest("'response_format.type' must be text, json_object or json_schema.", "response_format")
    if kind != "json_schema":
        return str(kind), None
    named = value.get("json_schema")
    schema = named.get("schema") if isinstance(named, dict) else None
    if not isinstance(schema, dict):
        raise BadRequest("'response_format.json_schema.schema' must be an object.", "response_format")
    return "json_schema", schema


@dataclass(frozen=True, slots=True)
class Completion:
    """A reply on its way out. Without a choice it is the empty success that some servers send."""

    id: str
    model: str
    reply: Reply
    choice: bool = True

    def whole(self) -> bytes:
        reply = self.reply
        said = {"content": None, "refusal": reply.text} if reply.finish == "refusal" else {"content": reply.text}
        message = {"role": "assistant", **said}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": self._finish}
        body = self._envelope("chat.completion", [choice] if self.choice else [], usage=self._usage)
        return json.dumps(body).encode()

    def pieces(self, *, with_usage: bool) -> Iterator[bytes]:
        """The events of a stream, one after another."""
        field = "refusal" if self.reply.finish == "refusal" else "content"
        text = self.reply.text if self.choice else ""
        yield self._event({"role": "assistant", field: ""})
        for start in range(0, len(text), _PIECE_CHARS):
            yield self._event({field: text[start : start + _PIECE_CHARS]})
        yield self._event({}, finish=self._finish)
        if with_usage:
            yield _sse(self._envelope("chat.completion.chunk", [], usage=self._usage))
        yield b"data: [DONE]\n\n"

    @property
    def _finish(self) -> str:
        return "stop" if self.reply.finish == "refusal" else self.reply.finish

    @property
    def _usage(self) -> dict[str, int]:
        prompt, completion = self.reply.usage.prompt or 0, self.reply.usage.completion or 0
        return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}

    def _event(self, delta: Mapping[str, str], finish: str | None = None) -> bytes:
        choices = [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}] if self.choice else []
        return _sse(self._envelope("chat.completion.chunk", choices))

    def _envelope(self, kind: str, choices: list[Any], **more: Any) -> dict[str, Any]:
        return {
            "id": self.id,
            "object": kind,
            "created": int(time.time()),
            "model": self.model,
            "system_fingerprint": "simulated",
            "choices": choices,
            **more,
        }


def _sse(value: Mapping[str, Any]) -> bytes:
    return b"data: " + json.dumps(value).encode() + b"\n\n"
