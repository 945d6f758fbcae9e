"""Whatever a provider counts beside the completion and bills is on our bill: in bodies, in streams, through LiteLLM, in logs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

import pytest
from hostile_server import GOOD, completion, hostile, http
from hypothesis import given
from hypothesis import strategies as st

from moot.errors import CallError
from moot.models.border import MOST_TOKENS
from moot.models.endpoint import EndpointModel
from moot.models.wire import read_usage
from moot.types import Message, Price, Request, Usage

XAI = {
    "prompt_tokens": 32,
    "completion_tokens": 9,
    "total_tokens": 135,
    "completion_tokens_details": {"reasoning_tokens": 94},
}
GEMINI = {"prompt_tokens": 20, "completion_tokens": 24, "total_tokens": 616}
ONLY_THOUGHT = {"prompt_tokens": 20, "total_tokens": 616}
BEDROCK = {
    "prompt_tokens": 368,
    "completion_tokens": 19,
    "total_tokens": 10_923,
    "cache_read_input_tokens": 10_536,
    "cache_creation_input_tokens": 0,
}
FORMS = {
    "xai": (XAI, Usage(32, 103, 94)),
    "gemini": (GEMINI, Usage(20, 596)),
    "gemini, cut while it thought": (ONLY_THOUGHT, Usage(20, 596)),
    "claude at bedrock, read from its cache": (BEDROCK, Usage(10_904, 19, None, 10_536)),
}
ASKED = Request((Message("user", "Who?"),))
PRICE = Price(1.0, 10.0, cached=0.1)


def stream(usage: Mapping[str, Any]) -> bytes:
    said = {"choices": [{"index": 0, "delta": {"content": GOOD}, "finish_reason": "stop"}]}
    events = (json.dumps(said), json.dumps({"choices": [], "usage": usage}), "[DONE]")
    return http("".join(f"data: {event}\n\n" for event in events), Content_Type="text/event-stream")


@pytest.mark.parametrize("streams", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize(("usage", "billed"), FORMS.values(), ids=FORMS)
async def test_what_is_billed(usage: Mapping[str, Any], billed: Usage, streams: bool) -> None:
    sent = stream(usage) if streams else http(completion(usage=usage))
    async with hostile(lambda body, number: sent) as server:
        model = EndpointModel("ann", base_url=server.base_url, model="ann", price=PRICE, stream=streams)
        reply = await model.generate(ASKED)
        await model.close()
    assert reply.usage == billed
    assert reply.cost_usd == PRICE.cost_usd(billed)


@pytest.mark.parametrize(("usage", "billed"), FORMS.values(), ids=FORMS)
async def test_what_a_failure_was_billed(usage: Mapping[str, Any], billed: Usage) -> None:
    failed = completion(usage=usage, choices=[{"message": {"content": None}, "finish_reason": "error"}])
    async with hostile(lambda body, number: http(failed)) as server:
        model = EndpointModel("ann", base_url=server.base_url, model="ann", price=PRICE)
        with pytest.raises(CallError) as failure:
            await model.generate(ASKED)
        await model.close()
    assert failure.value.billed_tokens == (billed.prompt, billed.completion)
    assert failure.value.billed_usd == PRICE.cost_usd(billed)


@pytest.mark.skipif(find_spec("litellm") is None, reason='needs the extra: pip install "moot[litellm]"')
@pytest.mark.parametrize("usage", [XAI, GEMINI], ids=["xai", "gemini"])
async def test_through_litellm(usage: Mapping[str, Any]) -> None:
    from moot.models.litellm import LitellmModel

    async with hostile(lambda body, number: http(completion(usage=usage))) as server:
        asked = {"model": "openai/ann", "api_key": "sk-test", "base_url": server.base_url}
        reply = await LitellmModel("ann", price=PRICE, **asked).generate(ASKED)
    assert reply.usage.completion == usage["total_tokens"] - usage["prompt_tokens"]
    assert reply.cost_usd == PRICE.cost_usd(reply.usage)


@pytest.mark.parametrize(
    ("more", "billed"),
    [
        ({"total_tokens": 150}, Usage(100, 50)),
        ({"total_tokens": 120}, Usage(100, 50)),  # less than the sum says nothing
        ({"total_tokens": None}, Usage(100, 50)),
        ({"total_tokens": "900"}, Usage(100, 50)),
        ({"total_tokens": 2**31}, Usage(100, 50)),  # no count at all
        ({"total_tokens": MOST_TOKENS}, Usage(100, MOST_TOKENS - 100)),
        # OpenAI, DeepSeek: parts of their wholes
        ({"total_tokens": 150, "prompt_tokens_details": {"cached_tokens": 80}}, Usage(100, 50, None, 80)),
        ({"total_tokens": 150, "prompt_cache_hit_tokens": 80}, Usage(100, 50, None, 80)),
        ({"total_tokens": 150, "completion_tokens_details": {"reasoning_tokens": 50}}, Usage(100, 50, 50)),
        # read from a cache, put there, both, and thoughts beside
        ({"total_tokens": 230, "prompt_tokens_details": {"cached_tokens": 80}}, Usage(180, 50, None, 80)),
        ({"total_tokens": 220, "cache_creation_input_tokens": 70}, Usage(170, 50)),
        (
            {"total_tokens": 300, "cache_creation_input_tokens": 70, "cache_read_input_tokens": 80},
            Usage(250, 50, None, 80),
        ),
        (
            {
                "total_tokens": 270,
                "cache_read_input_tokens": 80,
                "completion_tokens_details": {"reasoning_tokens": 40},
            },
            Usage(180, 90, 40, 80),
        ),
        # which of two equal counts it is cannot be told: the dearer
        (
            {
                "total_tokens": 190,
                "cache_read_input_tokens": 40,
                "completion_tokens_details": {"reasoning_tokens": 40},
            },
            Usage(100, 90, 40, 40),
        ),
        # without a total a part that is greater than its whole stands beside it
        ({"completion_tokens_details": {"reasoning_tokens": 60}}, Usage(100, 110, 60)),
        ({"cache_read_input_tokens": 900}, Usage(1000, 50, None, 900)),
        # but for one that says by its name that it is a part of it
        ({"prompt_tokens_details": {"cached_tokens": 900}}, Usage(100, 50, None, 100)),
        ({"prompt_cache_hit_tokens": 900, "total_tokens": 150}, Usage(100, 50, None, 100)),
        ({"prompt_tokens_details": {"cached_tokens": MOST_TOKENS}}, Usage(100, 50, None, 100)),
        (
            {"prompt_tokens_details": {"cached_tokens": 900}, "cache_read_input_tokens": 900},
            Usage(1000, 50, None, 900),
        ),
        (
            {"completion_tokens_details": {"reasoning_tokens": MOST_TOKENS}},
            Usage(100, MOST_TOKENS, MOST_TOKENS),
        ),
    ],
)
def test_what_stands_in_a_total(more: Mapping[str, Any], billed: Usage) -> None:
    assert read_usage({"prompt_tokens": 100, "completion_tokens": 50, **more}) == billed


TOKENS = st.none() | st.integers(0, 1000) | st.integers(MOST_TOKENS - 5, MOST_TOKENS + 5)


@given(st.tuples(TOKENS, TOKENS, TOKENS, TOKENS, TOKENS, TOKENS))
def test_no_count_becomes_smaller_and_a_bill_covers_its_total(counts: tuple[int | None, ...]) -> None:
    prompt, words, total, thoughts, cached, written = counts
    usage = {
        "prompt_tokens": prompt,
        "completion_tokens": words,
        "total_tokens": total,
        "cache_read_input_tokens": cached,
        "cache_creation_input_tokens": written,
        "completion_tokens_details": {"reasoning_tokens": thoughts},
    }
    billed = read_usage(usage)
    for before, after in ((prompt, billed.prompt), (words, billed.completion)):
        assert (before is None or before > MOST_TOKENS) or (after is not None and before <= after <= MOST_TOKENS)
    if billed.prompt is not None and total is not None and prompt is not None and prompt < total <= MOST_TOKENS:
        assert billed.prompt + (billed.completion or 0) >= total
