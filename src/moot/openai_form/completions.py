"""A reply written in the OpenAI chat form: whole, or as a stream of events."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from moot.openai_form.refusal import json_bytes
from moot.types import Usage

DONE = b"data: [DONE]\n\n"


def now() -> int:
    return int(time.time())


@dataclass(frozen=True, slots=True)
class Head:
    """What stands at the top of a completion and of every event of its stream."""

    id: str
    model: str
    created: int = field(default_factory=now)
    fingerprint: str | None = None

    def envelope(self, kind: str, choices: Sequence[Any], **more: Any) -> dict[str, Any]:
        envelope = {"id": self.id, "object": kind, "created": self.created, "model": self.model}
        if self.fingerprint is not None:
            envelope["system_fingerprint"] = self.fingerprint
        return {**envelope, "choices": choices, **more}

    def event(self, choices: Sequence[Any], **more: Any) -> bytes:
        return sse(self.envelope("chat.completion.chunk", choices, **more))

    def delta(self, delta: Mapping[str, Any], finish: str | None = None, **more: Any) -> bytes:
        """An event with the next piece of the reply."""
        return self.event([{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}], **more)


@dataclass(frozen=True, slots=True)
class Completion:
    """A reply on its way out. Without a choice it is the empty success that some servers send."""

    head: Head
    text: str
    usage: Usage
    finish: str = "stop"
    refused: bool = False
    choice: bool = True
    tool: str | None = None
    """The function that is called: the text is its arguments."""
    more: Mapping[str, Any] = field(default_factory=dict)
    """What an ordinary model does not say: it stands beside the choices."""

    @property
    def call_id(self) -> str:
        """Of the call of the tool: one for each reply."""
        return f"call_{self.head.id.rpartition('_')[2].rpartition('-')[2]}"

    @property
    def _message(self) -> dict[str, Any]:
        if self.tool is not None and not self.refused:
            function = {"name": self.tool, "arguments": self.text}
            call = {"id": self.call_id, "type": "function", "function": function}
            return {"role": "assistant", "content": None, "refusal": None, "tool_calls": [call]}
        words = {"content": None, "refusal": self.text} if self.refused else {"content": self.text, "refusal": None}
        return {"role": "assistant", **words}

    def whole(self) -> bytes:
        choice = {"index": 0, "message": self._message, "logprobs": None, "finish_reason": self.finish}
        choices = [choice] if self.choice else []
        counted = usage_json(self.usage)
        usage = {} if counted is None else {"usage": counted}
        return json_bytes(self.head.envelope("chat.completion", choices, **usage, **self.more))

    def pieces(self, *, chars: int, with_usage: bool, begun: bool = False, told: int = 0) -> Iterator[bytes]:
        """The events of a stream, so many characters each; all but the first where the stream has begun already, and without
        the characters that are `told`."""
        name = "refusal" if self.refused else "content"
        calls = self.tool is not None and not self.refused
        if not begun:
            yield self._delta({"role": "assistant", name: None if calls else ""})
        if calls:
            called = {"name": self.tool, "arguments": ""}
            yield self._delta(
                {"tool_calls": [{"index": 0, "id": self.call_id, "type": "function", "function": called}]}
            )
        text = self.text if self.choice else ""
        for start in range(told, len(text), chars):
            piece = text[start : start + chars]
            argument = {"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}
            yield self._delta(argument if calls else {name: piece})
        yield self._delta({}, finish=self.finish, **self.more)
        if with_usage and (counted := usage_json(self.usage)) is not None:
            yield self.head.event([], usage=counted)
        yield DONE

    def _delta(self, delta: Mapping[str, Any], finish: str | None = None, **more: Any) -> bytes:
        return self.head.delta(delta, finish, **more) if self.choice else self.head.event([], **more)


def usage_json(usage: Usage) -> dict[str, Any] | None:
    """What was counted; None where a count is not known: the form has numbers for all three or no usage at all, which clients
    take. The parts of a count are told where they are known."""
    prompt, completion = usage.prompt, usage.completion
    if prompt is None or completion is None:
        return None
    counted: dict[str, Any] = {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }
    if usage.cached is not None:
        counted["prompt_tokens_details"] = {"cached_tokens": usage.cached}
    if usage.reasoning is not None:
        counted["completion_tokens_details"] = {"reasoning_tokens": usage.reasoning}
    return counted


def models_json(names: Iterable[str], *, owner: str, created: int = 0) -> dict[str, Any]:
    return {"object": "list", "data": [model_json(name, owner=owner, created=created) for name in names]}


def model_json(name: str, *, owner: str, created: int = 0) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": created, "owned_by": owner}


def sse(value: Mapping[str, Any]) -> bytes:
    return b"data: " + json_bytes(value) + b"\n\n"
