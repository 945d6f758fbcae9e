"""A streamed reply (server-sent events), put together again into one `Reply`."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from moot.errors import ConnectionFailed, GenerationFailed
from moot.models.filtered import FILTERED, block_reason, filter_words
from moot.models.wire import build_reply, preview, read_completion
from moot.types import Price, Reply


@dataclass
class Heard:
    """What has come through so far."""

    text: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    refusal: list[str] = field(default_factory=list)
    logprobs: dict[str, list[Any]] = field(default_factory=dict)
    finish: str | None = None
    usage: object = None
    blocked: str | None = None
    """Why a filter stopped it, where it says so beside the choices."""
    model: str | None = None
    fingerprint: str | None = None

    def take(self, event: Mapping[str, Any]) -> None:
        self.usage = event.get("usage") or self.usage
        self.model = _word(event.get("model")) or self.model
        self.fingerprint = _word(event.get("system_fingerprint")) or self.fingerprint
        choices = event.get("choices")
        self.blocked = filter_words(event, 400) if event.get("error") else block_reason(event, {}) or self.blocked
        for choice in choices if isinstance(choices, list) else ():
            if isinstance(choice, Mapping):
                self._take_choice(choice)

    def _take_choice(self, choice: Mapping[str, Any]) -> None:
        delta = choice.get("delta")
        if isinstance(delta, Mapping):
            self.text.append(_word(delta.get("content")))
            self.refusal.append(_word(delta.get("refusal")))
            self.thoughts.append(_word(delta.get("reasoning_content")) or _word(delta.get("reasoning")))
        logprobs = choice.get("logprobs")
        for field_name, tokens in logprobs.items() if isinstance(logprobs, Mapping) else ():
            if isinstance(tokens, list):
                self.logprobs.setdefault(str(field_name), []).extend(tokens)
        self.finish = _word(choice.get("finish_reason")) or self.finish
        self.blocked = block_reason({}, choice) or self.blocked

    def reply(self, *, finish: str, latency_s: float, price: Price | None) -> Reply:
        text = "".join(self.text)
        if not text and self.blocked:
            text, finish = self.blocked, FILTERED
        return build_reply(
            text=text,
            refusal="".join(self.refusal),
            finish=finish,
            thoughts="".join(self.thoughts),
            usage=self.usage,
            version=" ".join(part for part in (self.model, self.fingerprint) if part) or None,
            logprobs=self.logprobs or None,
            latency_s=latency_s,
            price=price,
        )


async def read_stream(content: Any, *, started: float, price: Price | None) -> Reply:
    """Read `data:` lines until `[DONE]`. A stream that ends before that and before its finish reason was cut."""
    heard = Heard()
    done = False
    async for line in _lines(content):
        if not line.startswith(b"data:"):
            if line.startswith(b"{"):  # asked to stream, the server answered whole
                return read_completion(line, latency_s=time.perf_counter() - started, price=price)
            continue
        data = line[5:].strip()
        if done := data == b"[DONE]":
            break
        heard.take(_event(data))
    if heard.finish is None and not done and not heard.blocked:
        raise ConnectionFailed("the stream was cut before its end", sent=True)
    finish = heard.finish or ("stop" if any(heard.text) else "empty")
    return heard.reply(finish=finish, latency_s=time.perf_counter() - started, price=price)


def _event(data: bytes) -> Mapping[str, Any]:
    try:
        event = json.loads(data)
    except (ValueError, RecursionError):
        raise GenerationFailed(f"the stream holds something that is not JSON: {preview(data)}") from None
    if not isinstance(event, dict) or (event.get("error") and not filter_words(event, 400)):
        raise GenerationFailed(f"the stream broke off with {preview(data)}")
    return event


def _word(value: object) -> str:
    return value if isinstance(value, str) else ""


async def _lines(content: Any) -> AsyncIterator[bytes]:
    """Lines of any length: the reader's own line limit is too short for some servers. A body that is one JSON object
    over many lines comes as one line."""
    rest: list[bytes] = []
    whole = False
    async for chunk in content.iter_any():
        whole = whole or (not rest and chunk.lstrip().startswith(b"{"))
        if whole or b"\n" not in chunk:
            rest.append(chunk)
            continue
        *lines, last = b"".join((*rest, chunk)).split(b"\n")
        rest = [last]
        for line in lines:
            yield line.strip()
    yield b"".join(rest).strip()
