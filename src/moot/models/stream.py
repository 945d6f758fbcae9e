"""A streamed reply (server-sent events), put together again into one `Reply`."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

from moot.errors import ConnectionFailed, GenerationFailed
from moot.models.wire import build_reply, preview
from moot.types import Price, Reply


async def read_stream(content: Any, *, started: float, price: Price | None) -> Reply:
    """Read `data:` lines until `[DONE]`. A stream that ends before its finish reason was cut."""
    text: list[str] = []
    thoughts: list[str] = []
    refusal: list[str] = []
    finish = usage = version = None
    async for line in _data_lines(content):
        if line == b"[DONE]":
            break
        try:
            event = json.loads(line)
        except ValueError:
            raise GenerationFailed(f"the stream holds something that is not JSON: {preview(line)}") from None
        if not isinstance(event, dict) or "error" in event:
            raise GenerationFailed(f"the stream broke off with {preview(line)}")
        usage = event.get("usage") or usage
        version = event.get("model") or version
        for choice in event.get("choices") or ():
            delta = choice.get("delta") or {}
            text.append(delta.get("content") or "")
            refusal.append(delta.get("refusal") or "")
            thoughts.append(delta.get("reasoning_content") or delta.get("reasoning") or "")
            finish = choice.get("finish_reason") or finish
    if finish is None:
        raise ConnectionFailed("the stream was cut before its end", sent=True)
    return build_reply(
        text="".join(text),
        refusal="".join(refusal),
        finish=finish,
        thoughts="".join(thoughts),
        usage=usage,
        version=version if isinstance(version, str) else None,
        logprobs=None,
        latency_s=time.perf_counter() - started,
        price=price,
    )


async def _data_lines(content: asyncio.StreamReader) -> Any:
    """Lines of any length: the reader's own line limit is too short for some servers."""
    rest = b""
    async for chunk in content.iter_any():  # type: ignore[attr-defined]
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            if line.startswith(b"data:"):
                yield line[5:].strip()
    if rest.startswith(b"data:"):
        yield rest[5:].strip()
