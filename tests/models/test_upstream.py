"""Servers that are OpenAI-compatible, each in its own way: what they say is understood, over real HTTP."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from hostile_server import Hostile, completion, hostile, http, until_closed

from moot.engine.runner import Runner
from moot.errors import CallError, RateLimited, ReplyBroken, RequestRejected, ServerFailed
from moot.experiment.build import build
from moot.experiment.spec import read_experiment
from moot.models.endpoint import EndpointModel
from moot.models.model import call_key
from moot.models.retry_after import LONGEST_S, asked_pause_s, duration_s
from moot.models.stream_way import StreamRefused, StreamWay
from moot.types import Message, Price, Reply, Request

PLAIN = Request((Message("system", "Be brief."), Message("user", "Who?")))


@asynccontextmanager
async def asking(*answers: bytes, **options: Any) -> AsyncIterator[tuple[EndpointModel, Hostile]]:
    """A model whose server gives these answers one after the other; the last of them for ever."""
    async with hostile(lambda body, number: answers[min(number, len(answers)) - 1]) as server:
        model = EndpointModel("tom", base_url=server.base_url, model="m", **options)
        try:
            yield model, server
        finally:
            await model.close()


async def failing(*answers: bytes, **options: Any) -> CallError:
    async with asking(*answers, **options) as (model, _):
        with pytest.raises(CallError) as caught:
            await model.generate(PLAIN)
    return caught.value


async def replying(*answers: bytes, **options: Any) -> Reply:
    async with asking(*answers, **options) as (model, _):
        return await model.generate(PLAIN)


def sse(*events: Any) -> bytes:
    return until_closed(b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events))


# --- errors in all their forms --------------------------------------------------------------------------------------------

GEMINI = [
    {
        "error": {
            "code": 429,
            "message": "Resource has been exhausted (e.g. check quota).",
            "status": "RESOURCE_EXHAUSTED",
            "details": [
                {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{}]},
                {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "17s"},
            ],
        }
    }
]
VLLM = {"object": "error", "message": "at most 4096 tokens", "type": "BadRequestError", "param": None, "code": 400}
OPENROUTER = {
    "error": {
        "code": 429,
        "message": "Provider returned error",
        "metadata": {"provider_name": "Nebula", "raw": "slow down", "headers": {"Retry-After": "7"}},
    },
    "user_id": "u",
}


@pytest.mark.parametrize(
    ("body", "kind", "words", "pause_s"),
    [
        (GEMINI, RateLimited, "Resource has been exhausted", 17),
        (GEMINI[0], RateLimited, "Resource has been exhausted", 17),
        (VLLM, RequestRejected, "at most 4096 tokens", None),
        ({**VLLM, "code": "500", "type": "InternalServerError"}, ServerFailed, "4096", None),
        (OPENROUTER, RateLimited, "Nebula: slow down", 7),
        ({"error": {"code": "rate_limit_exceeded", "message": "try again in 1.5s"}}, RateLimited, "try again", 1.5),
        ({"error": {"code": "model_not_found", "message": "no m"}}, RequestRejected, "no m", None),
        ({"error": "overloaded", "code": 503}, ServerFailed, "overloaded", None),
        ({"error": {"status": "UNAVAILABLE", "message": "later"}}, ServerFailed, "later", None),
        ({"errors": [{"message": "why not", "code": 502}]}, ServerFailed, "why not", None),
        ({"message": "no more", "code": 402}, RequestRejected, "no more", None),
        ({"message": "odd"}, ReplyBroken, "odd", None),
        ({"detail": [{"loc": ["body", "seed"], "msg": "odd"}]}, ReplyBroken, "body.seed: odd", None),
        ([], ReplyBroken, "not a JSON object", None),
        ([[[{"error": "deep"}]]], ReplyBroken, "not a JSON object", None),
    ],
)  # fmt: skip
async def test_an_error_inside_a_success(body: Any, kind: type[CallError], words: str, pause_s: float | None) -> None:
    for options, answer in (({}, http(body)), ({"stream": True}, http(body)), ({"stream": True}, sse(body))):
        error = await failing(answer, **options)
        assert type(error) is kind, (options, error)
        assert words in str(error) or "stream broke off" in str(error)
        assert getattr(error, "retry_after_s", None) == pause_s


@pytest.mark.parametrize("stream", [False, True])
async def test_the_error_of_a_choice(stream: bool) -> None:
    """OpenRouter's, where the provider behind it fails in the middle of a reply."""
    error = {"code": 502, "message": "Provider disconnected", "metadata": {"provider_name": "Nebula"}}
    part = {"content": "half an ans"}
    choice = {"index": 0, "finish_reason": "error", "error": error, "message": part, "delta": part}
    answer = sse({"choices": [choice]}) if stream else http({"choices": [choice]})
    failure = await failing(answer, stream=stream)
    assert isinstance(failure, ServerFailed)
    assert "Provider disconnected" in str(failure)
    assert failure.maybe_billed, "words had come"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (GEMINI, "Resource has been exhausted"),
        (VLLM, "at most 4096 tokens"),
        (OPENROUTER, "Nebula: slow down"),
        ({"detail": [{"loc": ["body", "messages"], "msg": "Field required"}]}, "body.messages: Field required"),
        ({"errors": [{"message": "why not"}]}, "why not"),
    ],
)
async def test_the_words_of_a_status(body: Any, words: str) -> None:
    error = await failing(http(body, 418))
    assert words in str(error)
    assert "{" not in str(error), "the words, and not the JSON around them"


# --- how long to wait -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("headers", "body", "pause_s"),
    [
        ({"retry_after_ms": "1500"}, {}, 1.5),
        ({"retry_after_ms": "1500", "Retry_After": "2"}, {}, 1.5),
        ({"retry_after_ms": "soon", "Retry_After": "2"}, {}, 2),
        ({}, GEMINI, 17),
        ({"Retry_After": "3"}, GEMINI, 3),
        ({}, {"error": {"details": [{"retryDelay": "3.25s"}]}}, 3.25),
        ({}, {"error": {"details": [{"retryDelay": {"seconds": 4}}]}}, 4),
        ({}, {"error": {"details": [{"retryDelay": "for ever"}], "message": "no"}}, None),
        ({"x_ratelimit_reset_requests": "1m2s", "x_ratelimit_remaining_requests": "0"}, {}, 62),
        (
            {
                "x_ratelimit_reset_requests": "6m0s",
                "x_ratelimit_remaining_requests": "12",
                "x_ratelimit_reset_tokens": "250ms",
                "x_ratelimit_remaining_tokens": "0",
            },
            {},
            0.25,
        ),
        (
            {
                "x_ratelimit_reset_requests": "1m2s",
                "x_ratelimit_remaining_requests": "0",
                "x_ratelimit_reset_tokens": "250ms",
                "x_ratelimit_remaining_tokens": "0",
            },
            {},
            62,
        ),
        ({"x_ratelimit_reset_tokens": "0", "x_ratelimit_remaining_tokens": "-1"}, {}, None),
        ({"x_ratelimit_reset_requests": "6m0s"}, {"error": {"message": "Please try again in 20s. Visit"}}, 20),
        ({"x_ratelimit_reset": "1h" * 99}, {}, None),
        ({}, {"error": {"details": [{"retryDelay": "9" * 12 + "s"}]}}, LONGEST_S),
    ],
)
async def test_the_pause_that_is_asked_for(headers: dict[str, str], body: Any, pause_s: float | None) -> None:
    error = await failing(http(body, 429, **headers))
    assert isinstance(error, RateLimited)
    assert error.retry_after_s == pause_s


def test_a_time_of_the_clock() -> None:
    at = (time.time() + 90) * 1_000
    metadata = {"headers": {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": f"{at:.0f}"}}
    assert asked_pause_s({}, {"metadata": metadata}) == pytest.approx(90, abs=2)
    assert duration_s("1h2m3.5s") == 3723.5
    assert [duration_s(odd) for odd in (None, True, -1, "", "s", "1x", "nan", "1e9", {}, float("inf"))] == [None] * 10


# --- the bill that is stated ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("usage", "price", "cost_usd"),
    [
        ({"cost": 0.25}, Price(1, 2), 0.25),
        ({"cost": 0.25}, None, 0.25),
        ({"cost": "0.25"}, Price(1, 2), 0.25),
        ({"cost": "2.5e-1"}, None, 0.25),
        ({"cost": "a lot"}, Price(1, 2), 20e-6),
        ({"cost": "nan"}, Price(1, 2), 20e-6),
        ({"cost": {"total_cost": "0.5"}}, None, 0.5),
        ({"cost": 0}, None, 0.0),
        ({"cost": 0}, Price(1, 2), 20e-6),
        ({"cost": {"total_cost": 0.5, "input_tokens_cost": 0.1}}, Price(1, 2), 0.5),
        ({"cost": 0.01, "is_byok": True, "cost_details": {"upstream_inference_cost": 0.2}}, Price(1, 2), 0.21),
        ({"cost": 0, "is_byok": True, "cost_details": {"upstream_inference_cost": None}}, None, None),
        ({"cost": 0.01, "is_byok": True, "cost_details": {"upstream_inference_cost": "0.2"}}, None, 0.21),
        ({"cost": 0.01, "is_byok": True}, Price(1, 2), 0.01 + 20e-6),
        ({"cost": 0.01, "is_byok": True}, Price(0, 0), 0.01),
        ({"cost": 0.01, "is_byok": True, "cost_details": {"upstream_inference_cost": 0}}, Price(1, 2), 0.01 + 20e-6),
        ({"cost": 0.01, "is_byok": True}, None, None),
        ({"cost": 0.25, "is_byok": False, "cost_details": {"upstream_inference_cost": 0.2}}, None, 0.25),
        *(({"cost": odd}, Price(1, 2), 20e-6) for odd in (-1, "0,3", True, [], {"total_cost": "x"})),
        ({"cost": 1e300}, Price(1, 2), None),
        ({"cost": 10**400}, None, None),
    ],
)  # fmt: skip
async def test_the_cost_that_a_provider_states_is_the_bill(
    usage: dict[str, Any], price: Price | None, cost_usd: float | None
) -> None:
    counted = {"prompt_tokens": 10, "completion_tokens": 5, **usage}
    whole = await replying(http(completion("A", usage=counted)), price=price)
    event = {"choices": [{"delta": {"content": "A"}, "finish_reason": "stop"}], "usage": counted}
    streamed = await replying(sse(event), price=price, stream=True)
    assert whole.cost_usd == streamed.cost_usd == (cost_usd if cost_usd is None else pytest.approx(cost_usd))


async def test_a_failure_that_states_its_cost() -> None:
    body = {"error": {"code": 502, "message": "x"}, "usage": {"cost": 0.3, "prompt_tokens": 9, "completion_tokens": 1}}
    assert (await failing(http(body), price=Price(1, 2))).billed_usd == 0.3
    assert (await failing(http({**body, "usage": {"cost": 0.3}}))).billed_usd == 0.3


async def run(folder: Path, base_url: str, *, budget_usd: float | None = None, **model: Any) -> Runner:
    entry = {"provider": "endpoint", "base_url": base_url, "model": "m", "retries": {"attempts": 1}, **model}
    rows = "".join(f'{{"id": "q{n}", "text": "Which {n}?", "answer": "A"}}\n' for n in range(4))
    (folder / "questions.jsonl").write_text(rows)
    cup = {"name": "cup", "questions": {"file": "questions.jsonl"}, "models": {"tom": entry}}
    path = folder / "cup.yaml"
    path.write_text(yaml.safe_dump({**cup, **({"budget_usd": budget_usd} if budget_usd else {})}))
    plan = build(read_experiment(path))
    store = await plan.store().open()
    runner = Runner(plan, store)
    await runner.run()
    await store.close()
    return runner


def stored(folder: Path, query: str) -> list[Any]:
    connection = sqlite3.connect(folder / "cup.db")
    rows = connection.execute(query).fetchall()
    connection.close()
    return rows


@pytest.mark.parametrize(
    ("price", "calls"),
    [
        pytest.param(
            {"prompt": 1, "completion": 2}, 2, id="after the first, the next is held at as many times its most"
        ),
        pytest.param({"prompt": 0, "completion": 0}, 1, id="free, as the file says: so is one that has no list at all"),
    ],
)
async def test_the_stated_cost_is_what_the_cap_is_kept_by(tmp_path: Path, price: dict[str, float], calls: int) -> None:
    counted = {"prompt_tokens": 10, "completion_tokens": 5, "cost": 0.4}
    async with hostile(lambda body, number: http(completion(usage=counted))) as server:
        runner = await run(
            tmp_path, server.base_url, budget_usd=1, price=price, params={"max_tokens": 9}, limits={"concurrent": 1}
        )
    assert len(server.seen) == calls, "and no other that could cross it"
    assert sum(usd for (usd,) in stored(tmp_path, "SELECT cost_usd FROM calls")) == pytest.approx(0.4 * calls)
    assert runner.tally.purse is not None
    assert runner.tally.purse.spent_usd == pytest.approx(0.4 * calls)


# --- a system role that is not there --------------------------------------------------------------------------------------


async def test_the_system_is_folded_into_the_first_words_of_the_user() -> None:
    asked = Request((*PLAIN.messages, Message("assistant", "I."), Message("user", "And?")))
    async with asking(http(completion("A")), system="fold") as (model, server):
        await model.generate(asked)
        plain = EndpointModel("tom", base_url=server.base_url, model="m")
        assert call_key(model, asked) != call_key(plain, asked)
        assert model.shape(Request(())) != plain.shape(Request(())), "what a cell is kept under"
        assert model.shape(asked)["messages"] == server.seen[0]["messages"]
    assert server.seen[0]["messages"] == [
        {"role": "user", "content": "Be brief.\n\nWho?"},
        {"role": "assistant", "content": "I."},
        {"role": "user", "content": "And?"},
    ]


@pytest.mark.parametrize(
    "body",
    [
        {**VLLM, "message": "System role not supported"},
        {"error": {"message": "Unsupported value: 'messages[0].role' does not support 'system' with this model."}},
        [{"error": {"code": 400, "message": "Developer instruction is not enabled for models/gemma-3-27b-it"}}],
        {"error": {"message": "Conversation roles must alternate user/assistant/user/assistant/..."}},
    ],
)
async def test_who_has_no_system_role_is_told_what_to_write(body: Any) -> None:
    error = await failing(http(body, 400))
    assert "write system: fold" in str(error)
    assert "system: fold" not in str(await failing(http(body, 400), system="fold"))


# --- parameters that a model does not take --------------------------------------------------------------------------------

NO_MAX_TOKENS = http(
    {
        "error": {
            "message": "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
            "'max_completion_tokens' instead.",
            "type": "invalid_request_error",
            "param": "max_tokens",
            "code": "unsupported_parameter",
        }
    },
    400,
)
NO_TEMPERATURE = http(
    {
        "error": {
            "message": "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value "
            "is supported.",
            "type": "invalid_request_error",
            "param": "temperature",
            "code": "unsupported_value",
        }
    },
    400,
)
FINE = http(completion("A"))


async def test_the_other_name_of_max_tokens_is_learnt_once() -> None:
    async with asking(NO_MAX_TOKENS, FINE, params={"max_tokens": 9}) as (model, server):
        key = call_key(model, PLAIN)
        for _ in range(2):
            await model.generate(PLAIN)
        assert call_key(model, PLAIN) == key, "what a server takes is no part of what is asked"
        assert model.adapted == ("max_tokens is sent as max_completion_tokens, which the server takes in its place",)
        assert model.not_applied == ()
    assert [("max_tokens" in body, body.get("max_completion_tokens")) for body in server.seen] == [
        (True, None),
        (False, 9),
        (False, 9),
    ]


@pytest.mark.parametrize(
    "body",
    [
        {"detail": [{"loc": ["body", "max_completion_tokens"], "msg": "Extra inputs are not permitted"}]},
        {"error": {"message": "property 'max_completion_tokens' is unsupported", "type": "invalid_request_error"}},
        [{"error": {"message": 'Invalid JSON payload. Unknown name "max_completion_tokens": Cannot find field.'}}],
    ],
)  # fmt: skip
async def test_an_older_server(body: Any) -> None:
    async with asking(http(body, 422), FINE, params={"max_completion_tokens": 9}) as (model, server):
        await model.generate(PLAIN)
    assert server.seen[1]["max_tokens"] == 9


async def test_who_takes_neither_is_not_asked_for_ever() -> None:
    async with asking(NO_MAX_TOKENS, http({"error": {"message": "Unknown parameter: max_completion_tokens"}}, 400),
                      params={"max_tokens": 9}) as (model, server):  # fmt: skip
        with pytest.raises(RequestRejected, match="leave it out of params"):
            await model.generate(PLAIN)
    assert len(server.seen) == 2
    assert model.adapted == ()


async def test_a_temperature_that_nobody_named_is_left_out_and_told() -> None:
    async with asking(NO_TEMPERATURE, NO_MAX_TOKENS, FINE, params={"max_tokens": 9}) as (model, server):
        for _ in range(2):
            await model.generate(PLAIN)
        (told,) = model.not_applied
        assert told.startswith("temperature is not sent")
    assert ["temperature" in body for body in server.seen] == [True, False, False, False]


@pytest.mark.parametrize("name", ["temperature", "seed", "top_p", "logprobs"])
async def test_what_the_file_names_is_never_left_out(name: str) -> None:
    refusal = http({"error": {"message": f"Unsupported parameter: '{name}' is not supported with this model."}}, 400)
    async with asking(refusal, FINE, params={name: 1}) as (model, server):
        with pytest.raises(RequestRejected, match=r"leaves? it out"):
            await model.generate(PLAIN)
    assert len(server.seen) == 1


async def test_what_a_client_brings_teaches_nothing() -> None:
    brought = Request(PLAIN.messages, params={"max_tokens": 5, "temperature": 1})
    async with asking(NO_MAX_TOKENS, FINE) as (model, server):
        await model.generate(brought)
        assert server.seen[1]["max_completion_tokens"] == 5
        assert model.adapted == ()
    async with asking(NO_TEMPERATURE, FINE) as (model, server):
        with pytest.raises(RequestRejected):
            await model.generate(brought)


@pytest.mark.parametrize(
    "words",
    [
        "max_tokens is too large: 99999. This model supports at most 16384 completion tokens",
        "temperature must be between 0 and 1; other values are not supported",
        "model m is not supported",
    ],
)
async def test_a_value_out_of_its_bounds_is_another_matter(words: str) -> None:
    async with asking(http({"error": {"message": words}}, 400), FINE, params={"max_tokens": 9}) as (model, server):
        with pytest.raises(RequestRejected):
            await model.generate(PLAIN)
    assert len(server.seen) == 1


async def test_a_refusal_that_is_billed_is_not_asked_again() -> None:
    """Its bill would be lost: an attempt has one."""
    body = {
        "error": {"message": "Unsupported parameter: max_tokens"},
        "usage": {"prompt_tokens": 9, "completion_tokens": 1},
    }
    async with asking(http(body, 400), FINE, params={"max_tokens": 9}, price=Price(1, 1)) as (model, server):
        with pytest.raises(RequestRejected) as caught:
            await model.generate(PLAIN)
    assert len(server.seen) == 1
    assert caught.value.billed_tokens == (9, 1)


@pytest.mark.parametrize("words", ["upstream not found", "No healthy Upstream", "the downstream is gone"])
async def test_a_gateway_that_speaks_of_what_is_behind_it_refuses_no_stream(words: str) -> None:
    known = StreamWay(always=False, price=None)
    body: dict[str, Any] = {}
    asked = known.body(body, listens=True)
    known.check(asked, 404, words)
    assert (known.body({}, listens=True), known.words()) == ("counted", ())
    with pytest.raises(StreamRefused):
        known.check(asked, 400, "Streaming is not supported")


async def test_stream_options_that_a_server_does_not_know() -> None:
    """As the file wants streams, they stay; only their tokens are not counted."""
    refusal = http({"error": {"message": "Unrecognized request argument supplied: stream_options"}}, 400)
    event = {"choices": [{"delta": {"content": "A"}, "finish_reason": "stop"}]}
    async with asking(refusal, sse(event), stream=True) as (model, server):
        for _ in range(2):
            assert (await model.generate(PLAIN)).text == "A"
        assert "stream_options is not sent" in model.adapted[0]
    assert [(body["stream"], "stream_options" in body) for body in server.seen] == [
        (True, True),
        (True, False),
        (True, False),
    ]


async def test_what_was_not_applied_is_told_and_recorded(tmp_path: Path) -> None:
    """Replies at another temperature than the default of 0: the run says so, and its report does."""
    async with hostile(lambda body, number: NO_TEMPERATURE if "temperature" in body else http(completion())) as server:
        runner = await run(tmp_path, server.base_url, limits={"concurrent": 1})
    assert any("tom: temperature is not sent" in words for words in runner.warnings)
    ((facts,),) = stored(tmp_path, "SELECT facts FROM runs")
    assert list(json.loads(facts)["not_applied"]) == ["tom"]
