"""Successes that say in a word or a number of their own that they are none: the finish, the provider's finish, `base_resp`."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hostile_server import hostile, http

from moot.errors import CallError, RateLimited, ReplyBroken, RequestRejected, ServerFailed
from moot.models.endpoint import EndpointModel
from moot.types import Message, Reply, Request

PLAIN = Request((Message("user", "Which?"),))
WORDS = {"role": "assistant", "content": "Half of it"}

Ended = tuple[type[Any], int | None]


def choice(finish: str, native: str | None = None) -> dict[str, Any]:
    told = {} if native is None else {"native_finish_reason": native}
    return {"choices": [{"index": 0, "message": WORDS, "delta": WORDS, "finish_reason": finish, **told}]}


def base_resp(code: object, words: str = "so it is", **beside: Any) -> dict[str, Any]:
    return {**choice("stop"), "base_resp": {"status_code": code, "status_msg": words}, **beside}


ENDS: dict[str, tuple[dict[str, Any], Ended]] = {
    "rate_limit": (choice("rate_limit"), (RateLimited, None)),
    "RATE-LIMITED": (choice("RATE-LIMITED"), (RateLimited, None)),
    "too_many_requests": (choice("too_many_requests"), (RateLimited, None)),
    "resource_exhausted": (choice("resource_exhausted"), (RateLimited, None)),
    "overloaded": (choice("overloaded"), (ServerFailed, 503)),
    "overloaded_error": (choice("overloaded_error"), (ServerFailed, 503)),
    "insufficient_system_resource": (choice("insufficient_system_resource"), (ServerFailed, 503)),
    "error": (choice("error"), (ReplyBroken, None)),
    "invalid_request_error, which is asked again": (choice("invalid_request_error"), (ReplyBroken, None)),
    "the provider's error": (choice("stop", "error"), (ReplyBroken, None)),
    "the provider's limit": (choice("stop", "rate_limit"), (RateLimited, None)),
    "a limit of requests": (base_resp(1002), (RateLimited, None)),
    "a limit of tokens": (base_resp("1039"), (RateLimited, None)),
    "no choices": ({**base_resp(1013), "choices": None}, (ServerFailed, 500)),
    "a wrong key": (base_resp(1004), (RequestRejected, 401)),
    "an empty purse": (base_resp(1008), (RequestRejected, 402)),
    "a number nobody knows": (base_resp(4711), (ReplyBroken, None)),
    "what may not be asked": ({**base_resp(1026), "choices": None}, (Reply, None)),
}
WELL = {
    "nothing said": choice("stop"),
    "the provider's word": choice("stop", "end_turn"),
    "the provider's other word": choice("stop", "completed"),
    "all well": base_resp(0, ""),
    "all well in words": base_resp("0", "success"),
    "null": {**choice("stop"), "base_resp": None},
    "no number": base_resp(None),
}


def sse(body: dict[str, Any]) -> str:
    return f"data: {json.dumps(body)}\n\ndata: [DONE]\n\n"


async def asked(body: dict[str, Any], *, stream: bool) -> Reply | CallError:
    async with hostile(lambda *_: http(sse(body) if stream else body, Retry_After="3")) as server:
        model = EndpointModel("ann", base_url=server.base_url, model="m", stream=stream)
        try:
            return await model.generate(PLAIN)
        except CallError as error:
            return error
        finally:
            await model.close()


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("case", ENDS)
async def test_a_failed_end_is_what_it_says(case: str, stream: bool) -> None:
    body, (kind, status) = ENDS[case]
    came = await asked(body, stream=stream)
    assert type(came) is kind
    assert getattr(came, "status", None) == status
    if isinstance(came, Reply):
        assert came.finish == "content_filter"
    elif not isinstance(came, RequestRejected):
        assert came.retry_after_s == 3, "the pause that is asked for"
    if isinstance(came, CallError) and body["choices"]:
        assert came.maybe_billed, "there were words"


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("case", WELL)
async def test_a_good_end_is_an_answer(case: str, stream: bool) -> None:
    came = await asked(WELL[case], stream=stream)
    assert isinstance(came, Reply)
    assert (came.text, came.finish) == ("Half of it", "stop")
