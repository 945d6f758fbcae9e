"""A body as large as the server takes, written to keep it busy: it costs about what reading its JSON does, and what was sent does
not come back at length.
"""

from __future__ import annotations

import asyncio
import gc
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError
from pydantic_core import from_json
from served import serving

from moot.openai_form.refusal import Refused, error_json
from moot.openai_form.requests import MOST_ITEMS, MOST_PROBLEMS, read_body
from moot.serve.admission import KeyLimits
from moot.serve.app import Feedback, ServeSettings
from moot.serve.chat import ChatRequest
from moot.serve.persons_words import ConversationTitle, PreferredAnswer
from moot.serve.responses import ResponsesRequest

SIZE = 1_000_000
TIMES_JSON = 40
"""That a refusal may cost of what Python needs to read the JSON, in the same moment. To complain of every item is 300."""
TIMES_JSON_ONCE = 3
"""The same where nothing is wrong but one value, however large: it is read, and not copied for each form that it has not."""
LONGEST_REPLY = 2_000
ASKED = '"messages":[{"role":"user","content":"Which?"}]'
INPUT = '"input":"Which?"'


def many(item: str) -> str:
    return "[" + ",".join([item] * (SIZE // (len(item) + 1))) + "]"


def spread(item: str, before: str, after: str, lists: int = 40) -> str:
    """As many items, in so many lists that none of them is long."""
    inner = ",".join([item] * (SIZE // (len(item) + 1) // lists))
    return "[" + ",".join([f"{before}[{inner}]{after}"] * lists) + "]"


KEYS = "{" + ",".join(f'"k{number}":1' for number in range(SIZE // 12)) + "}"

CHAT: dict[str, tuple[str, str]] = {
    "messages": ('{"messages":' + many("0") + "}", "messages.0"),
    "empty messages": ('{"messages":' + many("{}") + "}", "messages.0.role"),
    "content": ('{"messages":[{"role":"user","content":' + many("0") + "}]}", "messages.0.content.0"),
    "parts": ('{"messages":[{"role":"user","content":' + many("{}") + "}]}", "messages.0.content"),
    "spread parts": ('{"messages":' + spread("{}", '{"role":"user","content":', "}") + "}", "messages.{}.content"),
    "calls": ('{"messages":[{"role":"user","tool_calls":' + many("{}") + "}]}", "messages.0.tool_calls"),
    "wrong calls": ('{"messages":[{"role":"user","tool_calls":' + many("0") + "}]}", "messages.0.tool_calls.0"),
    "stop": ("{" + ASKED + ',"stop":' + many("0") + "}", "stop.0"),
    "stops": ("{" + ASKED + ',"stop":' + many('"a"') + "}", "stop"),
    "functions": ("{" + ASKED + ',"functions":' + many("{}") + "}", "functions.0.name"),
    "tools": ("{" + ASKED + ',"tools":' + many("{}") + "}", "tools.0.type"),
    "right tools": ("{" + ASKED + ',"tools":' + many('{"type":"a"}') + "}", "tools"),
    "allowed": ("{" + ASKED + ',"tool_choice":{"type":"allowed_tools","tools":' + many("0") + "}}", "tool_choice.tools.0"),
    "choices": ("{" + ASKED + ',"moot":{"choices":' + many("0") + "}}", "moot.choices.0"),
    "players": ("{" + ASKED + ',"moot":{"team":{"strategy":"vote","players":' + many("0") + "}}}", "moot.team.players.0"),
    "unknown keys": ("{" + ASKED + ',"moot":' + KEYS + "}", "moot.k0"),
    "keys of a team": ("{" + ASKED + ',"moot":{"team":' + KEYS + "}}", "moot.team.players"),
}  # fmt: skip
RESPONSES: dict[str, tuple[str, str]] = {
    "input": ('{"input":' + many("0") + "}", "input.0"),
    "items": ('{"input":' + many("{}") + "}", "input"),
    "content": ('{"input":[{"role":"user","content":' + many("0") + "}]}", "input.0.content.0"),
    "output": ('{"input":[{"type":"function_call_output","output":' + many("{}") + "}]}", "input.0.output"),
    "spread parts": ('{"input":' + spread("{}", '{"role":"user","content":', "}") + "}", "input.{}.content"),
    "stop": ("{" + INPUT + ',"stop":' + many("0") + "}", "stop.0"),
    "tools": ("{" + INPUT + ',"tools":' + many("0") + "}", "tools.0"),
}
BODIES = [
    *(pytest.param(ChatRequest, *each, id=f"chat {name}") for name, each in CHAT.items()),
    *(pytest.param(ResponsesRequest, *each, id=f"responses {name}") for name, each in RESPONSES.items()),
    pytest.param(Feedback, KEYS, "episode", id="feedback"),
    pytest.param(ConversationTitle, KEYS, "{}", id="title"),
]


def refusal_of(form: type[BaseModel], raw: bytes) -> Refused:
    with pytest.raises(Refused) as refused:
        read_body(form, raw)
    return refused.value


def cpu_s(act: Callable[[], object]) -> float:
    def once() -> float:
        began = time.process_time()
        act()
        return time.process_time() - began

    gc.disable()  # it looks at all that there is, at moments of its own: of two equal acts one may take seven times as long
    try:
        return min(once() for _ in range(2))
    finally:
        gc.enable()


@pytest.mark.parametrize(("form", "body", "place"), BODIES)
def test_cost_is_that_of_its_json(form: type[BaseModel], body: str, place: str) -> None:
    raw = body.encode()
    refused = refusal_of(form, raw)
    assert refused.status == 400
    around, _, behind = place.partition("{}")
    assert (refused.param or "").startswith(around)
    assert (refused.param or "").endswith(behind)
    assert len(json.dumps(error_json(refused))) < LONGEST_REPLY
    assert cpu_s(lambda: refusal_of(form, raw)) < TIMES_JSON * cpu_s(lambda: json.loads(raw))


NESTED = "[" + ",".join(["[" * 90 + "]" * 90] * 1_000) + "]"
"""Which nobody reads, and which is dear to copy and to compare."""
NAMED_AS_TYPES = "{" + ",".join(f'"{name}":{NESTED}' for name in ("str", "ToolChoice")) + "}"
MANY_UNKNOWN = [
    pytest.param(ChatRequest, "{" + ASKED + ',"moot":' + KEYS + "}", "moot.k0", id="moot"),
    pytest.param(
        ChatRequest,
        "{" + ASKED + ',"moot":{"team":{"strategy":"vote","players":["ann"],' + KEYS[1:] + "}}",
        "moot.team.k0",
        id="team",
    ),
]


@pytest.mark.parametrize(("form", "body", "place"), MANY_UNKNOWN)
def test_unknown_keys_are_complained_of_once(form: type[BaseModel], body: str, place: str) -> None:
    """By what is held on the way: a complaint of each key is a thousand bytes and more, and is made with the others."""
    refused = refusal_of(form, body.encode())
    assert refused.param == place
    assert "unknown key" in refused.message
    with pytest.raises(ValidationError) as found:
        form.model_validate(json.loads(body))
    assert found.value.error_count() <= MOST_PROBLEMS


DEEP = [
    pytest.param(ChatRequest, body, place, id=f"chat {place}")
    for place, body in {
        "messages.0.role": '{"messages":[{"role":' + NESTED + "}]}",
        "messages.0.content.0.text": '{"messages":[{"role":"user","content":[{"type":"text","text":' + NESTED + "}]}]}",
        "tool_choice.name": "{" + ASKED + ',"tool_choice":{"type":"function","name":' + NESTED + "}}",
        "tool_choice.type": "{" + ASKED + ',"tool_choice":{"type":' + NAMED_AS_TYPES + "}}",
        "stop": "{" + ASKED + ',"stop":' + NAMED_AS_TYPES + "}",
        "model": "{" + ASKED + ',"model":' + NESTED + "}",
        "moot.context": "{" + ASKED + ',"moot":{"context":' + NESTED + "}}",
    }.items()
] + [
    pytest.param(ResponsesRequest, body, place, id=f"responses {place}")
    for place, body in {
        "tool_choice.type": "{" + INPUT + ',"tool_choice":{"type":' + NESTED + "}}",
        "input.0.output": '{"input":[{"type":"function_call_output","output":{"text":' + NESTED + "}}]}",
    }.items()
]


@pytest.mark.parametrize(("form", "body", "place"), DEEP)
def test_what_is_wrong_is_not_copied(form: type[BaseModel], body: str, place: str) -> None:
    raw = body.encode()
    refused = refusal_of(form, raw)
    assert (refused.status, refused.param) == (400, place)
    assert cpu_s(lambda: refusal_of(form, raw)) < TIMES_JSON_ONCE * cpu_s(lambda: from_json(raw))


def arrays(schema: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(schema, dict):
        if schema.get("type") == "array":
            yield place, schema
        for key, value in schema.items():
            yield from arrays(value, f"{place}.{key}")
    elif isinstance(schema, list):
        for number, value in enumerate(schema):
            yield from arrays(value, f"{place}.{number}")


@pytest.mark.parametrize("form", [ChatRequest, ResponsesRequest, Feedback, ConversationTitle, PreferredAnswer])
def test_every_list_has_a_bound(form: type[BaseModel]) -> None:
    unbounded = [place for place, each in arrays(form.model_json_schema()) if each.get("maxItems", 1e9) > MOST_ITEMS]
    assert not unbounded


def test_honest_lengths_pass() -> None:
    parts = [{"type": "text", "text": "a"}] * 20
    messages = [{"role": "user", "content": parts}] * 300
    asked = read_body(ChatRequest, json.dumps({"messages": messages}).encode())
    assert len(asked.messages) == 300
    once_more = read_body(
        ChatRequest, json.dumps({"messages": messages}).encode()
    )  # nothing is counted from one to the next
    assert once_more == asked


def test_bound_is_said() -> None:
    wrong = {"messages": [{"role": "user", "content": "a"}] * (MOST_ITEMS + 1)}
    assert (
        refusal_of(ChatRequest, json.dumps(wrong).encode()).message == "messages: expected at most 10,000, found more"
    )


@pytest.mark.parametrize("choice", [{}, {"type": 1}, {"name": "x"}, {"ToolChoice": {}}])
@pytest.mark.parametrize("form", [ChatRequest, ResponsesRequest])
def test_place_is_one_of_the_body(form: type[BaseModel], choice: dict[str, Any]) -> None:
    body = {"messages": [{"role": "user", "content": "Which?"}], "input": "Which?", "tool_choice": choice}
    refused = refusal_of(form, json.dumps(body).encode())
    assert refused.param == "tool_choice.type"
    assert refused.message.startswith("tool_choice.type: ")
    assert "literal[" not in refused.message


@pytest.mark.parametrize("key", ["content", "stop", "input"])
def test_no_branch_is_named_where_an_object_stands(key: str) -> None:
    bodies: dict[str, tuple[type[BaseModel], Any, str]] = {
        "content": (ChatRequest, {"messages": [{"role": "user", "content": {}}]}, "messages.0.content"),
        "stop": (ChatRequest, {"messages": [{"role": "user", "content": "a"}], "stop": {"str": 1}}, "stop"),
        "input": (ResponsesRequest, {"input": {}}, "input"),
    }
    form, body, place = bodies[key]
    refused = refusal_of(form, json.dumps(body).encode())
    assert (refused.param, refused.message) == (place, f"{place}: expected a text or a list, found keys and values")


LONG = "k" * 100_000
TOOL = {"type": "function", "function": {"name": "search"}}
TOOLS = [{"type": "function", "function": {"name": f"f{number:063d}"}} for number in range(5_000)]
ECHOES: list[dict[str, Any]] = [
    {"moot": {LONG: 1}},
    {"moot": {"choices": [LONG, LONG]}},
    {"moot": {"kind": LONG}},
    {"moot": {"team": {"players": [LONG], "strategy": "vote"}}},
    {"moot": {"team": {"players": ["ann"], "strategy": LONG}}},
    {"moot": {"team": {"players": ["ann"], "strategy": "vote", "captain": LONG}}},
    {"moot": {"team": {"players": ["ann"], "strategy": "vote", LONG: 1}}},
    {"model": LONG},
    {"model": f"three/{LONG}"},
    {"messages": [{"role": LONG, "content": "Which?"}]},
    {"messages": [{"role": "user", "content": [{"type": LONG, "text": "Which?"}]}]},
    {"tools": [TOOL], "tool_choice": {"type": LONG}},
    {"tools": [TOOL], "tool_choice": {"type": "function", "function": {"name": LONG}}},
    {"tools": TOOLS, "tool_choice": {"type": "function", "function": {"name": "nobody"}}},
    {"response_format": {"type": LONG}},
    {"response_format": {"type": "json_schema", "json_schema": {"schema": {"$ref": f"#/{LONG}"}}}},
    {"response_format": {"type": "json_schema", "json_schema": {"schema": {"pattern": f"({LONG}"}}}},
    {"response_format": {"type": "json_schema", "json_schema": {"schema": {"type": LONG}}}},
    {"time_limit_s": LONG},
    {"max_tokens": LONG},
]


async def test_what_was_sent_does_not_come_back_at_length(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        for more in ECHOES:
            status, body = await served.chat("Which?", **more)
            assert 400 <= status < 500, (str(more)[:100], body)
            assert len(json.dumps(body)) < LONGEST_REPLY, str(more)[:100]
        items = [{"type": LONG, "content": "Which?"}]
        status, body = await served.post("/v1/responses", {"input": items})
        assert status == 400
        assert len(json.dumps(body)) < LONGEST_REPLY
        path = "e" * 30_000
        for place in ("/v1/moot/episodes/", "/v1/models/", "/v1/moot/reports/", "/page/", "/", "/reports/"):
            status, body = await served.get(place + path)
            assert status == 404, place
            assert len(json.dumps(body)) < LONGEST_REPLY, place


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.just(LONG),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["type", "name", "role", "content", "function", LONG]), inner, max_size=4)
    ),
    max_leaves=8,
)
ANY_KEY = st.sampled_from(
    ["messages", "input", "moot", "stop", "tools", "tool_choice", "functions", "response_format", "text", "model", LONG]
)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(ANY_KEY, VALUES, min_size=1, max_size=4), st.sampled_from([ChatRequest, ResponsesRequest]))
def test_a_refusal_is_short(body: dict[str, Any], form: type[ChatRequest] | type[ResponsesRequest]) -> None:
    raw = json.dumps({"input": "Which?", **json.loads("{" + ASKED + "}"), **body}).encode()
    refused = None
    try:
        assert read_body(form, raw).asked_for
    except Refused as error:
        refused = error
    if refused is not None:
        assert len(json.dumps(error_json(refused))) < LONGEST_REPLY
        assert "literal[" not in (refused.param or "")


async def test_limits_come_before_a_large_body(tmp_path: Path) -> None:
    settings = ServeSettings(limits=KeyLimits(per_minute=1))
    async with serving(tmp_path, settings=settings) as served:
        raw = CHAT["content"][0].encode()
        headers = {"Content-Type": "application/json"}

        async def status_of(path: str) -> int:
            async with served.session.post(served.url + path, data=raw, headers=headers) as response:
                return response.status

        assert await status_of("/v1/chat/completions") == 400
        assert (await served.chat("Which river?"))[0] == 200
        assert await asyncio.gather(*map(status_of, ("/v1/chat/completions", "/v1/responses"))) == [429, 429]
