"""What a team cannot do is refused, before anybody is asked; what it does not apply is named; bounds cut the final text."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from served import THREE, serving
from test_api import chunks, noting

from moot.serve.final_bounds import FinalBounds, tokens_end

ASKED = {"role": "user", "content": "Which river?"}
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
TOOL = {"type": "function", "function": {"name": "search", "parameters": {"type": "object"}}}
OTHER = {"type": "function", "function": {"name": "look"}}
FLAT = {"type": "function", "name": "search", "parameters": {"type": "object"}}

EMPTY: tuple[Any, ...] = (0, "", [], {}, False)
"""What says nothing. It is no way to switch a thing off: by `{}` OpenAI's clients switch a search on."""


def emptied(*names: str) -> list[tuple[dict[str, Any], str]]:
    return [({name: empty}, name) for name in names for empty in EMPTY]


CHAT: list[tuple[dict[str, Any], str]] = [
    *emptied("audio", "web_search_options", "function_call"),
    *(({"n": number}, "n") for number in (-1, 0, 2)),
    ({"modalities": []}, "modalities"),
    ({"modalities": ["audio"]}, "modalities"),
    ({"top_logprobs": -1}, "top_logprobs"),
    ({"function_call": "search"}, "function_call"),
    ({"logprobs": True}, "logprobs"),
    ({"top_logprobs": 3}, "top_logprobs"),
    ({"audio": {"voice": "alloy", "format": "wav"}}, "audio"),
    ({"modalities": ["text", "audio"]}, "modalities"),
    ({"web_search_options": {"search_context_size": "low"}}, "web_search_options"),
    ({"function_call": {"name": "search"}, "functions": [OTHER["function"]]}, "function_call"),
    ({"tools": [TOOL, OTHER], "tool_choice": "required"}, "tool_choice"),
    ({"tools": [{"type": "custom", "custom": {"name": "x"}}], "tool_choice": "required"}, "tool_choice"),
    ({"tools": [TOOL], "tool_choice": {"type": "function", "function": {"name": "nobody"}}}, "tool_choice"),
    ({"tools": [TOOL], "tool_choice": {"type": "custom", "custom": {"name": "x"}}}, "tool_choice"),
    ({"tool_choice": "required"}, "tool_choice"),
    *(
        ({"tools": [TOOL], "tool_choice": {"type": "allowed_tools", **given}}, "tool_choice")
        for given in (
            {},
            {"mode": "required"},
            {"tools": [TOOL]},
            {"mode": "required", "tools": []},
            {"allowed_tools": {"mode": "auto", "tools": []}},
            {"allowed_tools": {"mode": "required", "tools": [OTHER]}},
        )
    ),
    ({"tools": [{"type": "function", "function": {"name": "not a name"}}]}, "tools.0.function.name"),
    ({"max_tokens": 0}, "max_tokens"),
    ({"max_completion_tokens": -1}, "max_completion_tokens"),
    ({"stop": ""}, "stop"),
    ({"stop": ["a"] * 17}, "stop"),
    ({"moot": {"kind": "text"}}, "moot.kind"),  # a vote has nothing to count in long answers
    ({"messages": [{"role": "user", "content": [{"type": "text", "text": "What?"}, IMAGE]}]}, "messages.0.content.1"),
    (
        {"messages": [{"role": "user", "content": [{"type": "input_audio", "input_audio": {}}]}, ASKED]},
        "messages.0.content.0",
    ),
    ({"messages": [{"role": "user", "content": [{"type": "file", "file": {"file_id": "f"}}]}]}, "messages.0.content.0"),
]

RESPONSES: list[tuple[dict[str, Any], str]] = [
    *emptied("conversation", "prompt"),
    ({"previous_response_id": ""}, "previous_response_id"),
    ({"previous_response_id": "resp_1"}, "previous_response_id"),
    ({"conversation": "conv_1"}, "conversation"),
    ({"prompt": {"id": "pmpt_1"}}, "prompt"),
    ({"background": True}, "background"),
    ({"top_logprobs": 2}, "top_logprobs"),
    ({"tools": [{"type": "web_search"}], "tool_choice": "required"}, "tool_choice"),
    ({"tools": [{"type": "web_search"}], "tool_choice": {"type": "web_search"}}, "tool_choice"),
    ({"tools": [FLAT, {**FLAT, "name": "look"}], "tool_choice": "required"}, "tool_choice"),
    ({"tools": [{"type": "function"}], "tool_choice": "required"}, "tools.0.name"),
    ({"max_output_tokens": 0}, "max_output_tokens"),
    ({"input": [{"role": "user", "content": [{"type": "input_image", "image_url": "x"}]}]}, "input.0.content.0"),
    ({"input": [{"type": "item_reference", "id": "msg_1"}, ASKED]}, "input.0.type"),
    ({"input": [{"content": "Which river?"}]}, "input.0.role"),
]


async def test_what_cannot_be_done_is_a_400_and_nobody_is_asked(tmp_path: Path) -> None:
    sent, _, wrap = noting()
    async with serving(tmp_path, wrap=wrap) as served:
        for more, param in CHAT:
            for stream in (False, True):
                asked = {"model": "three/vote", "messages": [ASKED], "stream": stream, **more}
                status, body = await served.post("/v1/chat/completions", asked)
                assert (status, body["error"]["param"], body["error"]["type"]) == (400, param, "invalid_request_error")
                assert body["error"]["code"] in ("unsupported_parameter", "unsupported_value", "invalid_request")
                assert param.split(".")[0] in body["error"]["message"]
        for more, param in RESPONSES:
            status, body = await served.post("/v1/responses", {"model": "three/vote", "input": "Which river?", **more})
            assert (status, body["error"]["param"]) == (400, param), body
    assert sent == []


OFF: list[dict[str, Any]] = [
    {"n": 1, "logprobs": False, "top_logprobs": 0, "audio": None, "modalities": ["text"], "stop": None, "tools": []},
    {"n": None, "logprobs": None, "top_logprobs": None, "modalities": None, "web_search_options": None, "tools": None},
    {"tool_choice": "auto", "temperature": None, "functions": None, "function_call": None},
    {"tool_choice": "none", "tools": [TOOL], "parallel_tool_calls": True},
    {"function_call": "none", "functions": [TOOL["function"]]},
    {"functions": [], "function_call": "none", "tool_choice": None},
]
IDLE: list[dict[str, Any]] = [
    {"previous_response_id": None, "background": False, "conversation": None, "prompt": None, "top_logprobs": 0},
    {"tools": None, "tool_choice": "none", "background": None, "top_logprobs": None},
    {"tools": [FLAT], "tool_choice": "none", "parallel_tool_calls": True},
]


async def test_what_is_off_asks_for_nothing(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        for off in OFF:
            status, body = await served.chat("Which river?", **off)
            assert (status, body.get("moot", {}).get("not_applied")) == (200, []), (off, body)
        for idle in IDLE:
            status, body = await served.post("/v1/responses", {"model": "three/vote", "input": "Which river?", **idle})
            assert (status, body.get("moot", {}).get("not_applied")) == (200, []), (idle, body)


async def test_what_is_not_applied_is_named(tmp_path: Path) -> None:
    passed = {"temperature": 0.2, "top_p": 0.9, "seed": 3, "frequency_penalty": 1, "logit_bias": {"5": 1}, "user": "me"}
    passed |= {"store": False, "tools": [TOOL, OTHER], "tool_choice": "auto", "reasoning_effort": "low", "zzz": 1}
    async with serving(tmp_path) as served:
        _, plain = await served.chat("Which river?")
        status, body = await served.chat("Which river?", **passed)
        assert status == 200
        assert body["moot"]["not_applied"] == sorted(passed.keys() - {"tool_choice"})
        assert body["choices"] == plain["choices"], "the team is served as it was measured"
        for old in ({}, {"function_call": "auto"}):
            _, body = await served.chat("Which river?", functions=[TOOL["function"]], **old)
            assert body["moot"]["not_applied"] == sorted({"functions", *old})
        asked = {"model": "three/vote", "input": "Which river?", "temperature": 1, "text": {"verbosity": "low"}}
        _, body = await served.post("/v1/responses", {**asked, "tools": [{"type": "web_search"}]})
        assert body["moot"]["not_applied"] == ["temperature", "text.verbosity", "tools"]
        assert body["tools"] == [{"type": "web_search"}]
        many = {f"key{number}": 1 for number in range(200)} | {"x" * 1000: 1}
        _, body = await served.chat("Which river?", **many)
        assert len(body["moot"]["not_applied"]) == 50
        streamed = {"model": "three/vote", "messages": [ASKED], "stream": True, "temperature": 1}
        async with served.session.post(served.url + "/v1/chat/completions", json=streamed) as response:
            last = list(chunks(await response.text()))[-1]
        assert last["moot"]["not_applied"] == ["temperature"]
        streamed["stream_options"] = {"include_obfuscation": True}
        async with served.session.post(served.url + "/v1/chat/completions", json=streamed) as response:
            last = list(chunks(await response.text()))[-1]
        assert last["moot"]["not_applied"] == ["stream_options", "temperature"]


@pytest.mark.parametrize(
    ("text", "most", "left"),
    [
        ("The Nile is long.", 2, "The Nile"),
        ("The Nile is long.", 5, "The Nile is long."),
        ("The Nile is long.", 50, "The Nile is long."),
        ("constitution", 2, "constitu"),
        ("Волга, Ока", 3, "Волга"),
        ("河流很长", 3, "河流很"),
        ("1234567", 2, "123456"),
        (" \n ", 1, " \n "),
        ("a\n\n\nb", 1, "a"),
    ],
)
def test_tokens_are_counted_by_the_text_alone(text: str, most: int, left: str) -> None:
    assert text[: tokens_end(text, most)] == left
    assert FinalBounds(most).cut(text).cut_by == (None if left == text else "max_tokens")


@pytest.mark.parametrize("space", [" ", "\n", "\u2028", "\t \r"])
def test_white_space_is_passed_over_once(space: str) -> None:
    text = f"a{space * 20_000}"
    begun_s = time.thread_time()
    assert FinalBounds(3, stops=("END",)).cut(f"{text}END").text == text
    assert tokens_end(f"{text}b{space * 20_000}c", 2) == len(text) + 1
    assert time.thread_time() - begun_s < 2.0, (
        "a thousand times what it takes; a look ahead from every place takes half a minute"
    )


def test_the_first_of_the_stops_ends_a_text() -> None:
    bounds = FinalBounds(stops=("\n\n", "Nile"))
    assert bounds.cut("The Nile.\n\nYes").text == "The "
    assert bounds.cut("The Don").cut_by is None
    both = FinalBounds(1, ("Nile",)).cut("The long Nile")
    assert (both.text, both.cut_by) == ("The", "max_tokens")
    assert FinalBounds(9, ("Nile",)).cut("The long Nile").cut_by == "stop"


async def test_the_final_text_is_bounded_and_the_team_is_not(tmp_path: Path) -> None:
    sent, _, wrap = noting()
    async with serving(tmp_path, wrap=wrap) as served:
        _, plain = await served.chat("Which river?")
        said = plain["choices"][0]["message"]["content"]
        alone = [request for _, request in sent]
        sent.clear()
        status, body = await served.chat("Which river?", max_tokens=1, max_completion_tokens=3)
        choice = body["choices"][0]
        assert (status, choice["finish_reason"], body["moot"]["cut_by"]) == (200, "length", "max_tokens")
        assert choice["message"]["content"] == said[: tokens_end(said, 1)] != said
        assert [request.params for _, request in sent] == [request.params for request in alone]
        middle = said[len(said) // 2 :]
        _, body = await served.chat("Which river?", stop=[middle, "not there"])
        choice = body["choices"][0]
        assert (choice["finish_reason"], choice["message"]["content"]) == ("stop", said[: said.index(middle)])
        assert body["moot"]["cut_by"] == "stop"
        _, body = await served.chat("Which river?", max_tokens=1000, stop="not there")
        assert (body["choices"][0]["message"]["content"], body["moot"].get("cut_by")) == (said, None)
        streamed = {"model": "three/vote", "messages": [ASKED], "stream": True, "max_tokens": 1}
        async with served.session.post(served.url + "/v1/chat/completions", json=streamed) as response:
            events = list(chunks(await response.text()))
        assert "".join(_said(events)) == said[: tokens_end(said, 1)]
        assert events[-1]["choices"][0]["finish_reason"] == "length"
        asked = {"model": "three/vote", "input": "Which river?", "max_output_tokens": 1}
        _, body = await served.post("/v1/responses", asked)
        assert (body["status"], body["incomplete_details"]) == ("incomplete", {"reason": "max_output_tokens"})
        assert body["output"][0]["content"][0]["text"] == said[: tokens_end(said, 1)]
        async with served.session.post(served.url + "/v1/responses", json={**asked, "stream": True}) as response:
            events = list(chunks(await response.text()))
        assert events[-1]["type"] == "response.incomplete"


def _said(events: list[dict[str, Any]]) -> Iterator[str]:
    return (each["choices"][0]["delta"].get("content") or "" for each in events if each["choices"])


async def test_one_model_is_found_by_any_of_its_names(tmp_path: Path) -> None:
    config = {**THREE, "strategies": ["vote", {"adaptive": {"talk_from": 2}}, "silent", "solo"]}
    async with serving(tmp_path, config) as served:
        _, listed = await served.get("/v1/models")
        for model in listed["data"]:
            assert await served.get(f"/v1/models/{model['id']}") == (200, model)
        for name in ("three/silent@ann", "silent@ann", "adaptive", "three%2Fvote", "solo%40ann", "three"):
            status, body = await served.get(f"/v1/models/{name}")
            assert (status, body["object"]) == (200, "model"), name
        for name in ("nobody", "three/nobody", "three/silent@bob", "vote/three", "%00"):
            status, body = await served.get(f"/v1/models/{name}")
            assert (status, body["error"]["code"], body["error"]["param"]) == (404, "model_not_found", "model")
        paths = (await served.get("/openapi.json"))[1]["paths"]
        assert paths["/v1/models/{model}"]["get"]["parameters"][0]["name"] == "model"
        assert "\n" not in json.dumps(paths)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
async def test_what_python_writes_for_no_number_is_no_json(number: str, tmp_path: Path) -> None:
    bodies = {
        "/v1/chat/completions": f'{{"model": "three", "messages": [{json.dumps(ASKED)}], "temperature": {number}}}',
        "/v1/responses": f'{{"model": "three", "input": "Which river?", "top_p": {number}}}',
        "/v1/feedback": f'{{"episode": "1", "answer": "A", "more": {number}}}',
        "/v1/moot/preferences": f'{{"preferred": {number}}}',
    }
    async with serving(tmp_path) as served:
        for path, body in bodies.items():
            headers = {"Content-Type": "application/json"}
            async with served.session.post(served.url + path, data=body, headers=headers) as response:
                assert response.status == 400, path
                assert "Invalid JSON" in (await response.json())["error"]["message"]
