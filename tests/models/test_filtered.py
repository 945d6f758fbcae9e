"""A filter's refusal in every shape that providers have for it, over real HTTP; and what only looks like one."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web

from moot.errors import CallError, RateLimited, ReplyBroken, RequestRejected, ServerFailed
from moot.models.budget import told_usd
from moot.models.endpoint import EndpointModel
from moot.models.filtered import FILTERED
from moot.models.stream_way import StreamWay
from moot.models.wire import read_completion
from moot.strategies.solo import Solo
from moot.team import Player, Team
from moot.types import Message, Price, Question, Reply, Request

PLAIN = Request((Message("user", "Who?"),))
SCHEMA = {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}
HATE = {"hate": {"filtered": True}}
AZURE = "The response was filtered due to the prompt triggering the content management policy."
XAI_CODE = "The caller does not have permission to execute the specified operation"
XAI = "Content violates usage guidelines. Team: 1f2e, API key ID: 9c0b, Model: grok-4, Failed check: SAFETY_CHECK_TYPE_BIO"
FLAGGED = "Invalid prompt: your prompt was flagged as potentially violating our usage policy."


@asynccontextmanager
async def endpoint(status: int, body: object, **options: Any) -> AsyncIterator[EndpointModel]:
    """An endpoint that always answers this."""

    async def handle(request: web.Request) -> web.Response:
        raw = body if isinstance(body, str) else json.dumps(body)
        kind = "text/event-stream" if raw.startswith("data:") else "application/json"
        return web.Response(text=raw, status=status, content_type=kind)

    app = web.Application()
    app.router.add_post("/v1/chat/completions", handle)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    model = EndpointModel("tom", base_url=f"http://127.0.0.1:{runner.addresses[0][1]}/v1", model="m", **options)
    try:
        yield model
    finally:
        await model.close()
        await runner.cleanup()


def error(message: str, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, **more}}


INNER = {"code": "ResponsibleAIPolicyViolation", "content_filter_result": {"violence": {"filtered": True}}}
REFUSED: list[tuple[str, int, object]] = [
    ("azure", 400, error(AZURE, type=None, param="prompt", code="content_filter", status=400, innererror=INNER)),
    ("azure, the inner code alone", 400, error("Bad request", code=None, innererror=INNER)),
    ("openai", 400, error(FLAGGED, type="invalid_request_error", param=None, code="invalid_prompt")),
    ("openai, of a subject", 400, error("Invalid prompt: limited access to this content for safety reasons.")),
    ("openai, images", 400, error("no", code="moderation_blocked")),
    ("a proxy of litellm", 400, error("no", code="400", provider_specific_fields={"innererror": INNER})),
    ("openrouter", 403, error("Your input was flagged", code=403, metadata={"reasons": ["hate"], "flagged_input": "…"})),
    ("openrouter, by type", 403, error("no", code=403, metadata={"error_type": "content_policy_violation"})),
    ("openrouter, a guard", 403, error("Request blocked: prompt injection patterns detected", code=403)),
    ("403 safety", 403, error("Content blocked for safety reasons")),
    ("403 safety, a code", 403, error("no", code="safety")),
    ("dashscope", 400, error("Input data may contain inappropriate content.", code="data_inspection_failed")),
    ("dashscope, dotted", 400, {"code": "InternalError.Algo.DataInspectionFailed", "message": "…"}),
    ("volcano", 400, error("The output text may contain sensitive information", code="OutputTextSensitiveContentDetected")),
    ("deepseek", 400, error("Content Exists Risk", type="invalid_request_error", code="invalid_request_error")),
    ("deepseek, under detail", 400, {"detail": "Content Exists Risk"}),
    ("deepseek, a list under detail", 422, {"detail": [{"msg": "Content Exists Risk"}]}),
    ("xai", 403, {"code": XAI_CODE, "error": XAI}),
    ("xai, by code", 403, {"code": "permission-denied", "error": "Content violates usage guidelines. "}),
    ("xai, under message", 403, error(XAI, code="permission_denied")),
    ("xai, in no JSON", 403, XAI),
    ("xai, by the check alone", 403, {"code": XAI_CODE, "error": "Failed check: SAFETY_CHECK_TYPE_CSAM. API key ID: 1"}),
    ("zhipu", 400, error("…", code="1301")),
    ("a list of errors", 400, [error(AZURE, code="content_filter")]),
    ("a list within", 400, {"error": [{"message": AZURE, "code": "content_filter"}]}),
    ("words alone", 400, {"error": "The prompt was blocked by the content filter"}),
    ("no JSON", 403, "Request blocked: the prompt violates our content policy"),
    ("with a server's status", 500, error("no", code="content_filter")),
    ("a success with an error in it", 200, {"error": {"code": 403, "message": "no", "metadata": {"reasons": ["x"]}}}),
    ("an error in the choice", 200, {"choices": [{"error": {"code": "content_filter", "message": AZURE}}]}),
    ("no choice, a reason", 200, {"choices": [], "prompt_feedback": {"block_reason": "PROHIBITED_CONTENT"}}),
    ("no choices, a reason", 200, {"promptFeedback": {"blockReason": "SAFETY"}}),
    ("no choice, filtered", 200, {"choices": [], "prompt_filter_results": [{"content_filter_results": HATE}]}),
    ("the choice filtered", 200, {"choices": [{"message": {"content": None}, "content_filter_results": HATE}]}),
    ("gemini's finish", 200, {"choices": [{"message": {"content": ""}, "finish_reason": "SAFETY"}]}),
    ("another's finish", 200, {"choices": [{"message": {"content": ""}, "finish_reason": "sensitive"}]}),
    ("finish behind a proxy", 200, {"choices": [{"message": {}, "native_finish_reason": "PROHIBITED_CONTENT"}]}),
]  # fmt: skip


@pytest.mark.parametrize(("status", "body"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
async def test_a_filter_has_refused(status: int, body: object) -> None:
    async with endpoint(status, body, price=Price(1.0, 1.0)) as model:
        for request in (PLAIN, Request(PLAIN.messages, schema=SCHEMA)):
            reply = await model.generate(request)
            assert (reply.finish, reply.refused) == (FILTERED, True)
            assert status < 400 or reply.cost_usd == 0.0, "an error is on nobody's bill"


FAILED: list[tuple[str, int, object, type[CallError]]] = [
    ("a wrong key", 401, error("Incorrect API key provided: content policy"), RequestRejected),
    ("a closed account", 403, error("Your account was flagged for violating our usage policies"), RequestRejected),
    ("no permission", 403, error("You have no permission for this content", code="permission_denied"), RequestRejected),
    ("xai, no permission", 403, {"code": XAI_CODE, "error": "Access to the chat endpoint is denied"}, RequestRejected),
    ("xai, with a wrong key", 401, {"code": XAI_CODE, "error": XAI}, RequestRejected),
    ("a region", 403, error("The request is not available in your region for safety reasons"), RequestRejected),
    ("a parameter", 400, error("Invalid value: 'content_filter' must be a boolean", code="invalid_value"), RequestRejected),
    ("too long", 400, error("The maximum length is 8192 tokens", code="context_length_exceeded"), RequestRejected),
    ("no model", 404, error("The model was moved by moderation of content"), RequestRejected),
    ("too many", 429, error("Rate limit of the content filter", code="content_filter"), RateLimited),
    ("broken", 500, error("The content filter could not be reached"), ServerFailed),
    ("a success without anything", 200, {"error": {"message": "overloaded", "code": 502}}, ServerFailed),
]  # fmt: skip


@pytest.mark.parametrize(("status", "body", "kind"), [case[1:] for case in FAILED], ids=[case[0] for case in FAILED])
async def test_what_only_looks_like_one_has_failed(status: int, body: object, kind: type[CallError]) -> None:
    async with endpoint(status, body) as model:
        with pytest.raises(kind):
            await model.generate(PLAIN)


async def test_no_choice_without_a_reason_is_no_reply() -> None:
    async with endpoint(200, {"choices": [], "prompt_filter_results": [{"content_filter_results": {}}]}) as model:
        with pytest.raises(ReplyBroken):
            await model.generate(PLAIN)


async def test_words_that_came_stand_whatever_the_prompt_was_found_to_be() -> None:
    results = [{"content_filter_results": HATE}]
    body = {"choices": [{"message": {"content": "Fine."}, "finish_reason": "stop"}], "prompt_filter_results": results}
    async with endpoint(200, body) as model:
        assert (await model.generate(PLAIN)).refused is False


@pytest.mark.parametrize(
    "stream",
    [
        'data: {"error": {"code": "content_filter", "message": "filtered"}}\n\n',
        'data: {"choices": [], "prompt_feedback": {"block_reason": "SAFETY"}}\n\ndata: [DONE]\n\n',
        'data: {"choices": [{"delta": {}, "finish_reason": "SAFETY"}]}\n\ndata: [DONE]\n\n',
    ],
)
async def test_in_a_stream(stream: str) -> None:
    async with endpoint(200, stream, stream=True) as model:
        reply = await model.generate(PLAIN)
    assert (reply.finish, reply.refused) == (FILTERED, True)


FILTER_ERROR = {"code": "content_filter", "message": "The response was filtered due to content management policy"}
VIOLENT = {"violence": {"filtered": True, "severity": "high"}}
BROKEN_OFF: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "an error beside the choices": ({}, {"error": FILTER_ERROR}),
    "an error that is a list": ({}, {"errors": [FILTER_ERROR]}),
    "an error in the choice": ({"error": FILTER_ERROR}, {}),
    "an error in the choice, which ended with one": ({"error": FILTER_ERROR, "finish_reason": "error"}, {}),
    "a note in the choice": ({"content_filter_results": VIOLENT}, {}),
    "a note in the choice, which ended well": ({"content_filter_results": VIOLENT, "finish_reason": "stop"}, {}),
    "the provider's own reason": ({"native_finish_reason": "SAFETY", "finish_reason": "stop"}, {}),
    "the reason": ({"finish_reason": "content_filter"}, {}),
}
"""What is said after some words: in the choice, and beside the choices."""


def streamed(*events: object, done: bool) -> str:
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events) + ("data: [DONE]\n\n" if done else "")


@pytest.mark.parametrize("way", ["whole", "stream", "stream without its end"])
@pytest.mark.parametrize(("choice", "beside"), BROKEN_OFF.values(), ids=BROKEN_OFF)
async def test_a_filter_that_breaks_words_off_has_refused(
    choice: dict[str, Any], beside: dict[str, Any], way: str
) -> None:
    words = "To build it you first"
    body: object = {"choices": [{"index": 0, "message": {"content": words}, **choice}], **beside}
    if way != "whole":
        begun = {"choices": [{"index": 0, "delta": {"content": words}, "finish_reason": None}]}
        last = {"choices": [{"index": 0, "delta": {}, **choice}] if not beside else [], **beside}
        body = streamed(begun, last, done=way == "stream")
    async with endpoint(200, body, stream=way != "whole", price=Price(1.0, 1.0)) as model:
        reply = await model.generate(PLAIN)
    assert (reply.finish, reply.refused, reply.text) == (FILTERED, True, words)
    assert told_usd(reply, model.price) is None, "nobody says what the words cost: they count at their most"


@pytest.mark.parametrize("stream", [False, True])
async def test_words_before_a_filter_that_nobody_counted_count_at_their_most(stream: bool) -> None:
    beside = {"error": FILTER_ERROR, "usage": {"prompt_tokens": 7, "completion_tokens": 0}}
    body: object = {"choices": [{"message": {"content": "To build it"}}], **beside}
    if stream:
        body = streamed({"choices": [{"delta": {"content": "To build it"}}]}, {"choices": [], **beside}, done=True)
    async with endpoint(200, body, stream=stream, price=Price(1.0, 1.0)) as model:
        assert told_usd(await model.generate(PLAIN), model.price) is None


@pytest.mark.parametrize("stream", [False, True])
async def test_a_failure_of_the_filter_itself_is_the_endpoints(stream: bool) -> None:
    failed = {"error": {"code": 503, "message": "The content filter is not available"}}
    body: object = {"choices": [{"message": {"content": "Well"}, "finish_reason": "stop"}], **failed}
    if stream:
        body = streamed({"choices": [{"delta": {"content": "Well"}}]}, failed, done=True)
    async with endpoint(200, body, stream=stream) as model:
        with pytest.raises(ServerFailed):
            await model.generate(PLAIN)


async def test_what_becomes_of_a_choice_that_nobody_asked_for_is_no_matter() -> None:
    def chunk(index: int, word: str = "", **more: Any) -> dict[str, Any]:
        return {"choices": [{"index": index, "delta": {"content": word}, **more}]}

    second = chunk(1, error=FILTER_ERROR, finish_reason="content_filter", content_filter_results=VIOLENT)
    body = streamed(chunk(1, "B"), chunk(0, "A"), second, chunk(0, finish_reason="stop"), done=True)
    async with endpoint(200, body, stream=True) as model:
        reply = await model.generate(PLAIN)
    assert (reply.text, reply.finish) == ("A", "stop")


def test_a_stream_that_a_filter_broke_off_says_nothing_of_what_is_counted() -> None:
    for finish, way in ((FILTERED, "counted"), ("stop", "whole")):
        known = StreamWay(always=False, price=Price(1.0, 1.0))
        known.learn("counted", Reply("To build it", finish))
        assert known.body({}, listens=True) == way


async def test_a_player_whose_prompt_is_filtered_is_refused_and_asked_once() -> None:
    async with endpoint(400, error(AZURE, code="content_filter")) as model:
        team = Team("t", (Player("tom", model),)).seated()
        verdict = await Solo().play(Question("q", "Who?"), team)
    assert (verdict.outcome, verdict.answer) == ("refused", None)
    assert AZURE in (verdict.cause or "")
    assert len(team.journal) == 1
    assert isinstance(team.journal[0].reply, Reply), "it is on the record like any reply"


# --- the temperature --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("params", "sent"),
    [(None, 0), ({}, 0), ({"max_tokens": 9}, 0), ({"temperature": 0.7}, 0.7), ({"temperature": None}, "nothing")],
)
def test_the_temperature_is_0_unless_said(params: dict[str, Any] | None, sent: object) -> None:
    model = EndpointModel("tom", base_url="http://127.0.0.1:1/v1", model="m", params=params)
    assert model.body(PLAIN, "off").get("temperature", "nothing") == sent
    assert model.shape(PLAIN)["body"].get("temperature", "nothing") == sent, "the key is made of what is sent"
    said = EndpointModel(
        "tom", base_url="http://127.0.0.1:1/v1", model="m", params={**(params or {}), "temperature": 0}
    )
    assert (model.shape(PLAIN) == said.shape(PLAIN)) == (sent == 0)


def test_where_extra_names_it_that_counts() -> None:
    model = EndpointModel("tom", base_url="http://127.0.0.1:1/v1", model="m", extra={"temperature": None})
    assert "temperature" not in model.body(PLAIN, "off")
    warm = Request(PLAIN.messages, {"temperature": 0.7})
    assert model.body(warm, "off")["temperature"] == 0.7


async def test_who_takes_no_temperature_says_so_and_the_complaint_says_what_to_do() -> None:
    body = error("Unsupported value: 'temperature' does not support 0 with this model.", code="unsupported_value")
    async with endpoint(400, body) as model:
        with pytest.raises(RequestRejected, match="temperature: null leaves it out"):
            await model.generate(PLAIN)


@pytest.mark.parametrize("text", ["Half of it", None])
def test_words_before_a_filter_that_took_no_token_were_not_counted(text: str | None) -> None:
    """Gateways write 0 where they do not know; where there are no words of the model's, nothing was generated."""
    usage = {"prompt_tokens": 0, "completion_tokens": 0}
    body = {"choices": [{"message": {"content": text}, "finish_reason": "content_filter"}], "usage": usage}
    reply = read_completion(json.dumps(body), latency_s=0.1, price=Price(1.0, 1.0))
    assert reply.finish == FILTERED
    assert (reply.usage.completion, reply.cost_usd) == ((None, None) if text else (0, 0.0))
