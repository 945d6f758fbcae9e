"""The OpenAI chat form as it comes over the wire, read into a `Reply`. Servers differ; this is where that ends."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import orjson

from moot.errors import CallError, ReplyBroken
from moot.models import border
from moot.models.billed_tokens import as_billed
from moot.models.error_forms import error_fields, error_status
from moot.models.filtered import FILTERED, block_reason, filter_words
from moot.models.finish_words import failed_end_of, finish_reason
from moot.models.hiccups import error_of, failed_end, failure_of, preview
from moot.models.secrets import NO_SECRETS, Secrets
from moot.types import BillInPart, Price, Reply, Usage

_DECIMAL = re.compile(r"\d{1,20}(\.\d{1,40})?([eE]-?\d{1,3})?", re.ASCII)


def read_completion(
    raw: bytes | bytearray | str,
    *,
    latency_s: float,
    price: Price | None,
    pause_s: float | None = None,
    secrets: Secrets = NO_SECRETS,
) -> Reply:
    """A chat completion, as bytes from a server, into a Reply; where it is none, what that means.

    `pause_s`: what the response's own Retry-After asks for. `secrets`: are hidden in what is cut; else they are in it still.
    """
    try:
        body = orjson.loads(raw)
    except ValueError:
        body = _loads_leniently(raw, pause_s, secrets)
    if not isinstance(body, dict) and (error := error_fields(body)) is not None:
        body = {"error": error}  # Gemini's errors come in a list
    if not isinstance(body, dict):
        raise ReplyBroken(f"the reply is not a JSON object: {preview(raw, secrets=secrets)}", retry_after_s=pause_s)
    try:
        return _reply_of(body, raw, latency_s=latency_s, price=price, pause_s=pause_s, secrets=secrets)
    except CallError as error:
        tell_bill(error, body.get("usage"), price, generated=bool(body.get("choices")))
        raise


def _reply_of(
    body: Mapping[str, Any],
    raw: bytes | bytearray | str,
    *,
    latency_s: float,
    price: Price | None,
    pause_s: float | None,
    secrets: Secrets,
) -> Reply:
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    message = choice.get("message")
    finish = choice.get("finish_reason")
    if finish != "stop":
        finish = border.uncut_name(finish) or "stop"
    text = _text_of(message.get("content")) if isinstance(message, dict) else ""
    error, broken_off = error_of(body, choice), False
    if why := filtered_by(error) or block_reason({}, choice) or (None if text else block_reason(body, {})):
        broken_off = bool(text)
        text, finish = text or secrets.shortened(why, border.LONGEST_WORDS), FILTERED
    elif error:
        raise failure_of(error, pause_s, secrets)
    elif (failed := failed_end_of(choice, finish)) is not None:
        raise failure_of(failed_end(failed), pause_s, secrets)
    elif not isinstance(message, dict) and finish_reason(finish) != FILTERED:
        missing = "no 'choices'" if not isinstance(choices, list) else "no message in its 'choices'"
        raise ReplyBroken(f"the reply has {missing}: {preview(raw, secrets=secrets)}", retry_after_s=pause_s)
    elif finish_reason(finish) == FILTERED:
        broken_off = bool(text)  # the words are the model's, up to where the filter stopped it
    message = message if isinstance(message, dict) else {}
    return build_reply(
        text=text,
        refusal=message.get("refusal"),
        finish=finish,
        thoughts=message.get("reasoning_content") or message.get("reasoning"),
        usage=body.get("usage"),
        version=version_of(body.get("model"), body.get("system_fingerprint"), secrets),
        logprobs=choice.get("logprobs"),
        latency_s=latency_s,
        price=price,
        broken_off=broken_off,
        secrets=secrets,
    )


def filtered_by(error: object) -> str | None:
    """What a filter says in an error inside a reply; None where it is another error, or none."""
    if not error:
        return None
    status = error_status(error) if isinstance(error, Mapping) else None
    return filter_words({"error": error}, status or 400)


def _loads_leniently(raw: bytes | bytearray | str, pause_s: float | None, secrets: Secrets) -> Any:
    """The standard library takes what orjson does not: lone surrogates, NaN."""
    try:
        return json.loads(raw)
    except (ValueError, RecursionError) as error:
        said = border.words(error, 100)
        begins = preview(raw, secrets=secrets)
        raise ReplyBroken(f"the reply is not JSON ({said}): {begins}", retry_after_s=pause_s) from None


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
    broken_off: bool = False,
    secrets: Secrets = NO_SECRETS,
) -> Reply:
    """The end that whole replies and streams share. `broken_off`: by a filter, and the words are the model's."""
    if isinstance(refusal, str) and refusal:
        text, finish = text or refusal, "refusal"
    finish = finish_reason(finish)
    counted = read_usage(usage)
    if text and counted.completion == 0 and (finish != FILTERED or broken_off):
        # Words take tokens: gateways and libraries write 0 where they do not know. A filter's words are its own.
        counted = replace(counted, prompt=counted.prompt or None, completion=None)
    cost_usd = cost_of(usage, counted, price)
    return Reply(
        text=border.long_text(text),
        finish=secrets.name(finish) or "stop",
        usage=counted,
        latency_s=latency_s,
        version=version,
        cost_usd=cost_usd,
        in_part=bill_in_part(usage, counted, price) if cost_usd is None else None,
        thoughts=border.long_text(thoughts) if isinstance(thoughts, str) and thoughts else None,
        logprobs=border.logprobs_of(logprobs),
    )


def tell_bill(
    error: CallError, usage: object, price: Price | None, *, generated: bool, unfinished: bool = False
) -> None:
    """Put onto a failure what it was billed, in the words of the endpoint: whatever else its code says, that counts.

    A count of nothing is no bill, as with replies: gateways write it where they do not know. `generated`: there was something
    beside the error, which may be billed though nothing says so. `unfinished`: it was cut off, so the count may not be the last.
    """
    counted = read_usage(usage)
    prompt, completion = counted.prompt or 0, counted.completion or 0
    error.maybe_billed = error.maybe_billed or generated or prompt + completion > 0
    whole = counted.prompt is not None and counted.completion is not None and prompt + completion > 0
    # A sum of money stands whatever was counted beside it.
    billed_usd = cost_of(usage, counted, price) if whole else stated_usd(usage)
    if whole:
        error.billed_tokens = (prompt, completion)
    if whole or billed_usd:
        error.maybe_billed, error.billed_usd, error.bill_unfinished = True, billed_usd or None, unfinished
    if not billed_usd and (in_part := bill_in_part(usage, counted, price)) is not None:
        error.maybe_billed, error.bill_in_part, error.bill_unfinished = True, in_part, unfinished


def bill_in_part(usage: object, counted: Usage, price: Price | None) -> BillInPart | None:
    """What is stated of a cost that is not known; None: nothing."""
    if not isinstance(usage, Mapping):
        return None
    money = border.told_usd(_cost(usage)) or 0.0
    if _with_own_key(usage):
        money += border.told_usd(_upstream(usage)) or 0.0
    said = BillInPart(min(money, border.MOST_USD))
    if price is not None and not price.free:
        prompt, completion = (border.told_count(usage.get(name)) for name in ("prompt_tokens", "completion_tokens"))
        said = BillInPart(
            said.usd,
            prompt if counted.prompt is None else counted.prompt,
            (completion or None) if counted.completion is None else counted.completion,  # a 0: nobody knows
            border.told_count(usage.get("total_tokens")),
        )
    return None if said.says_nothing else said


def stated_usd(usage: object) -> float | None:
    """What a provider says the call has cost, where it does: OpenRouter's `cost`, Perplexity's `cost.total_cost`.

    Of a call that OpenRouter made with the user's own key for the provider, `cost` is its fee alone, and says nothing without
    the provider's part.
    """
    stated = border.usd(_cost(usage))
    if stated is None or not _with_own_key(usage):
        return stated
    upstream = border.usd(_upstream(usage))
    return border.usd(stated + upstream) if upstream else None


def _cost(usage: object) -> object:
    cost = usage.get("cost") if isinstance(usage, Mapping) else None
    if isinstance(cost, Mapping):
        cost = cost.get("total_cost")
    return _spelt_out(cost)


def _with_own_key(usage: object) -> bool:
    return isinstance(usage, Mapping) and usage.get("is_byok") is True


def _upstream(usage: object) -> object:
    """What the provider takes where the gateway's cost is its fee alone. A 0 is what is written where nobody knows."""
    details = usage.get("cost_details") if isinstance(usage, Mapping) else None
    return _spelt_out(details.get("upstream_inference_cost")) if isinstance(details, Mapping) else None


def _spelt_out(cost: object) -> object:
    """Some gateways write decimals as texts, so that no digit is lost."""
    return float(cost) if isinstance(cost, str) and _DECIMAL.fullmatch(cost) else cost


def cost_of(usage: object, counted: Usage, price: Price | None) -> float | None:
    """What was paid: as the provider states it, else by the price list.

    A statement of nothing stands only where the list asks for nothing: gateways write 0 where they do not know. A fee for the
    user's own key without the provider's part comes on top of the list's price, which is that part. A statement that nobody can
    believe, or keep, is none of what the list says either.
    """
    stated = stated_usd(usage)
    if stated or (stated is not None and price is None):
        return stated
    parts = (_cost(usage), _upstream(usage) if _with_own_key(usage) else None)
    listed = price.cost_usd(counted) if price else None
    if listed is None or any(border.usd(part) != border.told_usd(part) for part in parts):
        return None
    fee, upstream = map(border.usd, parts)
    return border.usd((upstream or listed) + (fee or 0.0)) if _with_own_key(usage) else listed


def read_usage(usage: object) -> Usage:
    """The counts, as they are billed."""
    if not isinstance(usage, dict):
        return Usage()
    prompt, completion = border.count(usage.get("prompt_tokens")), border.count(usage.get("completion_tokens"))
    total = border.count(usage.get("total_tokens"))
    if _PARTS.isdisjoint(usage):
        return as_billed(Usage(prompt, completion), total)
    of_prompt, of_completion = usage.get("prompt_tokens_details"), usage.get("completion_tokens_details")
    counted = Usage(
        prompt=prompt,
        completion=completion,
        reasoning=_count(of_completion, "reasoning_tokens"),
        cached=_first(
            _count(of_prompt, "cached_tokens"),
            _count(usage, "prompt_cache_hit_tokens"),
            _count(usage, "cache_read_input_tokens"),
        ),
    )
    beside = _count(usage, "cache_read_input_tokens") is not None  # Anthropic's count, whatever else a gateway calls it
    written = _first(
        _count(usage, "cache_creation_input_tokens"),
        _count(of_prompt, "cache_creation_tokens"),
        _count(of_prompt, "cache_write_tokens"),
    )
    return as_billed(counted, total, written, cached_within=not beside)


_PARTS = frozenset(
    (
        *("prompt_tokens_details", "completion_tokens_details"),
        *("prompt_cache_hit_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"),
    )
)
"""What counts parts of the prompt or the completion."""


def _text_of(content: object) -> str:
    """Content is a string, null, or a list of parts of which the text ones count."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)]
        return "".join(parts)
    return ""


def version_of(model: object, fingerprint: object, secrets: Secrets = NO_SECRETS) -> str | None:
    named, told = secrets.name(model), secrets.name(fingerprint)
    return secrets.name(f"{named} {told}" if named and told else named or told)


def _first(*counts: int | None) -> int | None:
    return next((count for count in counts if count is not None), None)


def _count(usage: object, name: str) -> int | None:
    return border.count(usage.get(name)) if type(usage) is dict else None
