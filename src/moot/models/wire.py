"""The OpenAI chat form as it comes over the wire, read into a `Reply`. Servers differ; this is where that ends."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import orjson

from moot.errors import GenerationFailed
from moot.models.filtered import FILTERED, block_reason, filter_words, finish_reason
from moot.types import Price, Reply, Usage

_UNSTORABLE = str.maketrans({"\x00": "\ufffd"})


def storable(text: str) -> str:
    """Model text as every store can hold it: lone surrogates and NUL become the replacement character."""
    if "\x00" in text:
        text = text.translate(_UNSTORABLE)
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def read_completion(raw: bytes | str, *, latency_s: float, price: Price | None) -> Reply:
    """A chat completion, as bytes from a server, into a Reply; `GenerationFailed` where it is none."""
    try:
        body = orjson.loads(raw)
    except ValueError:
        body = _loads_leniently(raw)
    if not isinstance(body, dict):
        raise GenerationFailed(f"the reply is not a JSON object: {preview(raw)}")
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    message = choice.get("message")
    message = message if isinstance(message, dict) else {}
    finish = str(choice.get("finish_reason") or ("stop" if choice else "empty"))
    text = _text_of(message.get("content"))
    if not text and (why := _filtered(body, choice)):
        text, finish = why, FILTERED
    elif not isinstance(choices, list):
        raise GenerationFailed(f"the reply has no 'choices': {preview(raw)}")
    return build_reply(
        text=text,
        refusal=message.get("refusal"),
        finish=finish,
        thoughts=message.get("reasoning_content") or message.get("reasoning"),
        usage=body.get("usage"),
        version=_version_of(body),
        logprobs=choice.get("logprobs"),
        latency_s=latency_s,
        price=price,
    )


def _filtered(body: Mapping[str, Any], choice: Mapping[str, Any]) -> str | None:
    """Why there are no words, where a filter is the reason: it says so, or an error inside the reply does."""
    for part in (choice, body):
        error = part.get("error")
        if error and (words := filter_words({"error": error}, _status(error))):
            return words
    return block_reason(body, choice)


def _status(error: object) -> int:
    code = error.get("code") if isinstance(error, Mapping) else None
    return code if type(code) is int else 400


def _loads_leniently(raw: bytes | str) -> Any:
    """The standard library takes what orjson does not: lone surrogates, NaN."""
    try:
        return json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise GenerationFailed(f"the reply is not JSON ({error}): {preview(raw)}") from None


def build_reply(
    *,
    text: str,
    refusal: object,
    finish: str,
    thoughts: object,
    usage: object,
    version: str | None,
    logprobs: object,
    latency_s: float,
    price: Price | None,
) -> Reply:
    """The end that whole replies and streams share."""
    if isinstance(refusal, str) and refusal:
        text, finish = text or refusal, "refusal"
    finish = finish_reason(finish)
    counted = read_usage(usage)
    return Reply(
        text=storable(text),
        finish=finish,
        usage=counted,
        latency_s=latency_s,
        version=version,
        cost_usd=price.cost_usd(counted) if price else None,
        thoughts=storable(thoughts) if isinstance(thoughts, str) and thoughts else None,
        logprobs=logprobs,
    )


def read_usage(usage: object) -> Usage:
    if not isinstance(usage, dict):
        return Usage()
    return Usage(
        prompt=_count(usage, "prompt_tokens"),
        completion=_count(usage, "completion_tokens"),
        reasoning=_count(usage.get("completion_tokens_details"), "reasoning_tokens"),
        cached=_count(usage.get("prompt_tokens_details"), "cached_tokens"),
    )


def preview(raw: bytes | str, length: int = 200) -> str:
    """The beginning of a body, for an error message."""
    text = raw[: length * 4].decode("utf-8", "replace") if isinstance(raw, bytes) else raw
    text = storable(" ".join(text[: length * 2].split()))
    return repr(text if len(text) <= length else text[:length] + "…")


def _text_of(content: object) -> str:
    """Content is a string, null, or a list of parts of which the text ones count."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)]
        return "".join(parts)
    return ""


def _version_of(body: Mapping[str, Any]) -> str | None:
    model, fingerprint = body.get("model"), body.get("system_fingerprint")
    named = [part for part in (model, fingerprint) if isinstance(part, str) and part]
    return " ".join(named) or None


def _count(usage: object, name: str) -> int | None:
    if type(usage) is not dict:
        return None
    value = usage.get(name)
    return value if type(value) is int and value >= 0 else None
