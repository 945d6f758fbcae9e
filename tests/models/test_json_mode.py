"""When a lesser JSON mode is learnt: only where the server says that it does not know the better one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from hostile_server import Hostile, completion, hostile, http

from moot.errors import GenerationFailed, RequestRejected
from moot.models.endpoint import EndpointModel
from moot.models.json_mode import complaint
from moot.strategies.solo import Solo
from moot.team import Player, Team
from moot.types import Message, Question, Request

SCHEMA = {"type": "object", "properties": {"answer": {"type": "string"}}}
OTHER = {"type": "object", "properties": {"answer": {"enum": ["A", "B"]}}}
GROQ = {"message": "Failed to validate JSON. Please adjust your prompt. See 'failed_generation' for more details.",
        "type": "invalid_request_error", "code": "json_validate_failed", "failed_generation": "Well,"}  # fmt: skip


def asking(schema: Any = SCHEMA, *, ours: bool = True) -> Request:
    return Request((Message("user", "Which?"),), schema=schema, form_is_ours=ours)


@asynccontextmanager
async def endpoint(
    answer: Callable[[Any, int], bytes], path: str = "", **options: Any
) -> AsyncIterator[tuple[EndpointModel, Hostile]]:
    async with hostile(answer) as server:
        model = EndpointModel("ann", base_url=server.base_url + path, model="m", **options)
        yield model, server
        await model.close()


def refusing(error: Any, *, form: str = "json_schema", times: int = 1_000, status: int = 400) -> Any:
    """The first so many requests that ask for the form are refused."""
    left = [times]

    def answer(body: Any, _: int) -> bytes:
        if body.get("response_format", {}).get("type") == form and left[0] > 0:
            left[0] -= 1
            return http({"error": error}, status)
        return http(completion())

    return answer


async def test_a_bad_generation_is_no_lack_of_support() -> None:
    async with endpoint(refusing(GROQ, times=1)) as (model, server):
        with pytest.raises(GenerationFailed, match="Failed to validate JSON"):
            await model.generate(asking())
        await model.generate(asking())
        assert server.forms == ["json_schema", "json_schema"]
        assert model.json_support == "schema"


async def test_a_bad_generation_is_asked_for_again() -> None:
    async with endpoint(refusing(GROQ, times=2)) as (model, server):
        verdict = await Solo().play(Question("q", "Which?"), Team("t", (Player("ann", model),)).seated())
    assert (verdict.outcome, verdict.answer) == ("answered", "A")
    assert server.forms == ["json_schema"] * 3


UNKNOWN = [
    "response_format 'json_schema' is not supported",
    "response_format json_schema is not supported",
    "json_schema is not yet available for this model",
    "This model does not support response format `json_schema`. See supported models in the documentation.",
    "'response_format.type' must be one of 'text' or 'json_object', but got: json_schema",
    "This response_format type is unavailable now",
    "Unknown parameter: response_format",
    "Structured outputs are not enabled for this model",
    "Invalid value for response_format",
]


@pytest.mark.parametrize("words", UNKNOWN)
async def test_who_does_not_know_the_mode_is_asked_in_the_lesser_one_from_then_on(words: str) -> None:
    async with endpoint(refusing({"message": words})) as (model, server):
        await model.generate(asking())
        await model.generate(asking(OTHER))
        assert server.forms == ["json_schema", "json_object", "json_object"]


@pytest.mark.parametrize("status", range(400, 512))
def test_where_a_form_can_be_refused(status: int) -> None:
    """Not by a server that is busy, does not know us, or stands before another: 503, 401, 502 say nothing of the form."""
    said = complaint(status, b'{"error": {"message": "response_format json_schema is not supported"}}')
    assert said == ("mode" if status in {400, 404, 415, 422, 501} else None)


async def test_pydantics_way_to_say_it() -> None:
    """As servers made with FastAPI refuse a field that they do not have."""
    body = {"detail": [{"loc": ["body", "response_format"], "msg": "Extra inputs are not permitted"}]}

    def answer(asked: Any, _: int) -> bytes:
        return http(body, 422) if "response_format" in asked else http(completion())

    async with endpoint(answer) as (model, server):
        await model.generate(asking())
        await model.generate(asking())
        assert server.forms == ["json_schema", "json_object", "off", "off"]


DISLIKED = [
    "Invalid schema for response_format 'reply': 'additionalProperties' is required to be supplied and to be false",
    "Invalid schema for response_format 'reply': In context=('properties', 'answer'), 'enum' is not permitted",
    "The schema is too complex for structured output",
    "response_format: json_schema is not valid",
    "response_format: this JSON schema is not supported",
    "json_schema: the keyword 'enum' is not supported",
]


@pytest.mark.parametrize("words", DISLIKED)
async def test_one_schema_that_is_not_liked_is_no_word_on_others(words: str) -> None:
    def answer(body: Any, _: int) -> bytes:
        disliked = body.get("response_format", {}).get("json_schema", {}).get("schema") == OTHER
        return http({"error": {"message": words}}, 400) if disliked else http(completion())

    async with endpoint(answer) as (model, server):
        await model.generate(asking(OTHER))
        await model.generate(asking())
        await model.generate(asking(OTHER))
        assert server.forms == ["json_schema", "json_object", "json_schema", "json_object"]
        assert model.json_support == "schema"


@pytest.mark.parametrize("words", [*UNKNOWN, *DISLIKED])
async def test_nothing_is_learnt_from_a_form_that_is_not_ours(words: str) -> None:
    async with endpoint(refusing({"message": words}, times=2)) as (model, server):
        await model.generate(asking({"type": "object"}, ours=False))
        await model.generate(asking({"type": "object"}, ours=False))
        await model.generate(asking())
        assert server.forms == ["json_schema", "json_object", "json_schema", "json_object", "json_schema"]


async def test_an_address_with_json_in_it_says_nothing() -> None:
    refused = {"message": "The context is too long: this parameter is not supported"}
    async with endpoint(refusing(refused), "/json-schema-models") as (model, server):
        with pytest.raises(RequestRejected):
            await model.generate(asking())
        assert server.forms == ["json_schema"]
        assert model.json_support == "schema"


async def test_what_fails_in_every_mode_teaches_nothing() -> None:
    """A prompt that is repeated in a refusal may say anything."""
    echo = {"error": {"message": "Cannot read: 'response_format json_schema is not supported'"}}
    async with endpoint(lambda body, _: http(echo, 400)) as (model, server):
        with pytest.raises(RequestRejected) as caught:
            await model.generate(asking())
        assert type(caught.value) is RequestRejected
        assert server.forms == ["json_schema", "json_object", "off"]
        assert model.json_support == "schema"


@pytest.mark.parametrize(
    "raw", [b"", b"null", b"[1]", b'{"error": 5}', b'{"error": {"message": {"json": 1}}}', b"\xff{"]
)
def test_any_body_may_be_read_for_a_complaint(raw: bytes) -> None:
    assert complaint(400, raw) in (None, "mode", "schema", "generation")
    assert complaint(500, b"json not supported") is None
