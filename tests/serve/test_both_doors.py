"""What a request may ask for is the same at each door: what cannot be done is refused, what is off passes, bounds bound."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from served import Served, serving
from test_api import chunks, noting

from moot.serve.asked_for import CANNOT_BE_DONE
from moot.serve.final_bounds import tokens_end

FUNCTION = {"name": "search", "parameters": {"type": "object"}}
EMPTY: tuple[Any, ...] = (0, "", [], {}, False)

DOORS: dict[str, dict[str, Any]] = {
    "/v1/chat/completions": {"messages": [{"role": "user", "content": "Which river?"}]},
    "/v1/responses": {"input": "Which river?"},
}


@dataclass(frozen=True)
class Key:
    on: tuple[Any, ...]
    off: tuple[Any, ...] = ()


KEYS: dict[str, Key] = {
    "n": Key((2, 0, -1, True, False, "1", [1], 1.5), (1,)),
    "logprobs": Key((True, 1, 0, 5, "false"), (False,)),
    "top_logprobs": Key((3, -1, True, False), (0,)),
    "audio": Key(({"voice": "alloy", "format": "wav"}, *EMPTY)),
    "modalities": Key((["audio"], ["text", "audio"], [], "text"), (["text"],)),
    "web_search_options": Key(({"search_context_size": "low"}, *EMPTY)),
    "function_call": Key(({"name": "search"}, "search", *EMPTY), ("none",)),
    "previous_response_id": Key(("resp_1", *EMPTY)),
    "conversation": Key(("conv_1", {"id": "conv_1"}, *EMPTY)),
    "prompt": Key(({"id": "pmpt_1"}, *EMPTY)),
    "background": Key((True, 1, 0, "false"), (False,)),
    "include": Key(
        (
            ["message.output_text.logprobs"],
            ["reasoning.encrypted_content", "message.output_text.logprobs"],
            ["reasoning.encrypted_content", {}],
            "reasoning.encrypted_content",
            {},
            False,
        ),
        ([], ["reasoning.encrypted_content"]),
    ),
}


@dataclass(frozen=True)
class Kept:
    served: Served
    sent: list[Any]


BOUNDS = ("max_tokens", "max_completion_tokens", "max_output_tokens")

OTHERS: dict[str, list[tuple[dict[str, Any], dict[str, Any]]]] = {
    "/v1/chat/completions": [
        ({"input": "Which sea?"}, {"input": None}),
        ({"instructions": "In one word."}, {"instructions": ""}),
        ({"text": {"format": {"type": "json_object"}}}, {"text": None}),
        ({"text": {"format": {}}}, {"text": None}),
    ],
    "/v1/responses": [
        ({"messages": [{"role": "user", "content": "Which sea?"}]}, {"messages": None}),
        ({"response_format": {"type": "json_object"}}, {"response_format": {"type": "text"}}),
        ({"response_format": {}}, {"response_format": None}),
    ],
}
"""By door: what belongs to the other one and says what is asked, or in which form; and the same off."""


def test_each_key_that_is_refused_is_tried() -> None:
    assert KEYS.keys() == CANNOT_BE_DONE.keys()


def test_each_is_in_the_documentation() -> None:
    docs = (Path(__file__).parents[2] / "docs" / "serve.md").read_text(encoding="utf-8")
    table = docs.partition("| refused at both | off |")[2].partition("\n\n")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:3]] for line in table.splitlines() if line.startswith("|")]
    for key, told in KEYS.items():
        (off,) = (off for keys, off in rows if f"`{key}`" in keys)
        assert bool(off) == bool(told.off), key
        assert all(f"`{json.dumps(value)}`" in off for value in told.off), key


async def asked(served: Served, door: str, **more: Any) -> tuple[int, Any]:
    return await served.post(door, {"model": "three/vote", **DOORS[door], **more})


def said(door: str, body: Any) -> str:
    if door == "/v1/responses":
        return str(body["output"][0]["content"][0]["text"])
    return str(body["choices"][0]["message"]["content"])


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def kept(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Kept]:
    """One server for all values: what is refused changes nothing of it."""
    sent, _, wrap = noting()
    async with serving(tmp_path_factory.mktemp("doors"), wrap=wrap) as served:
        yield Kept(served, sent)


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(("key", "value"), [(key, value) for key, told in KEYS.items() for value in told.on])
@pytest.mark.parametrize("door", DOORS)
async def test_what_cannot_be_done_is_refused_before_anybody_is_asked(
    kept: Kept, door: str, key: str, value: Any
) -> None:
    before = len(kept.sent)
    for stream in (False, True):
        status, body = await asked(kept.served, door, **{key: value}, stream=stream)
        assert (status, body["error"]["param"]) == (400, key), body
        assert body["error"]["message"].startswith(f"{key}: ")
        assert body["error"]["code"] in ("unsupported_parameter", "unsupported_value")
    assert len(kept.sent) == before


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(("key", "value"), [(key, value) for key, told in KEYS.items() for value in (None, *told.off)])
@pytest.mark.parametrize("door", DOORS)
async def test_what_is_off_asks_for_nothing_at_each(kept: Kept, door: str, key: str, value: Any) -> None:
    status, body = await asked(kept.served, door, **{key: value})
    assert (status, body.get("moot", {}).get("not_applied")) == (200, []), body


@pytest.mark.parametrize("door", DOORS)
async def test_what_the_other_door_takes_is_not_passed_over(tmp_path: Path, door: str) -> None:
    sent, _, wrap = noting()
    async with serving(tmp_path, wrap=wrap) as served:
        for on, _ in OTHERS[door]:
            status, body = await asked(served, door, **on)
            assert (status, body["error"]["param"]) == (400, "text.format" if "text" in on else next(iter(on))), (
                on,
                body,
            )
        assert sent == []
        for _, off in OTHERS[door]:
            status, body = await asked(served, door, **off)
            assert (status, body.get("moot", {}).get("not_applied")) == (200, []), (off, body)


@pytest.mark.parametrize("door", DOORS)
async def test_functions_of_the_older_form_are_checked(tmp_path: Path, door: str) -> None:
    wrong: list[tuple[Any, str]] = [
        ("search", "functions"),
        ({"name": "search"}, "functions"),
        ([{}], "functions.0.name"),
        ([{"name": "not a name"}], "functions.0.name"),
        ([FUNCTION, 5], "functions.1"),
    ]
    async with serving(tmp_path) as served:
        for functions, param in wrong:
            for call in ({}, {"function_call": "none"}):
                status, body = await asked(served, door, functions=functions, **call)
                assert (status, body["error"]["param"]) == (400, param), (functions, body)
        for more, named in (
            ({"functions": [FUNCTION]}, ["functions"]),
            ({"functions": [FUNCTION], "function_call": "auto"}, ["function_call", "functions"]),
            ({"functions": [FUNCTION], "function_call": "none"}, []),
            ({"functions": []}, []),
        ):
            status, body = await asked(served, door, **more)
            assert (status, body.get("moot", {}).get("not_applied")) == (200, named), (more, body)


@pytest.mark.parametrize("door", DOORS)
async def test_the_final_text_is_bounded_in_whichever_words(tmp_path: Path, door: str) -> None:
    async with serving(tmp_path) as served:
        whole = said(door, (await asked(served, door))[1])
        first = whole[: tokens_end(whole, 1)]
        assert first != whole
        for key in BOUNDS:
            status, body = await asked(served, door, **{**dict.fromkeys(BOUNDS, 1000), key: 1})
            assert (status, said(door, body)) == (200, first), key
            assert (body["moot"]["cut_by"], body["moot"]["not_applied"]) == ("max_tokens", [])
            if door == "/v1/responses":
                assert (body["status"], body["max_output_tokens"]) == ("incomplete", 1)
            for wrong in (0, -1, True, 1.5, "1"):
                status, body = await asked(served, door, **{key: wrong})
                assert (status, body["error"]["param"]) == (400, key), (wrong, body)
        middle = whole[len(whole) // 2 :]
        stops: list[Any] = [middle, ["not there", middle]]
        for stop in stops:
            status, body = await asked(served, door, stop=stop)
            assert (status, said(door, body)) == (200, whole[: whole.index(middle)])
            assert (body["moot"]["cut_by"], body["moot"]["not_applied"]) == ("stop", [])
        streamed = {"model": "three/vote", **DOORS[door], "stream": True, "stop": middle}
        async with served.session.post(served.url + door, json=streamed) as response:
            told = "".join(map(_piece, chunks(await response.text())))
        assert told == whole[: whole.index(middle)]
        unfit: list[Any] = ["", ["a"] * 17, ["a" * 1001]]
        for stop in unfit:
            status, body = await asked(served, door, stop=stop)
            assert (status, body["error"]["param"]) == (400, "stop")


@pytest.mark.parametrize("door", DOORS)
async def test_a_switch_is_true_or_false_and_no_word_for_it(tmp_path: Path, door: str) -> None:
    async with serving(tmp_path) as served:
        for wrong in ("yes", "true", "false", 1, 0):
            for key, more in {
                "stream": {"stream": wrong},
                "stream_options.include_team": {"stream_options": {"include_team": wrong}},
                "parallel_tool_calls": {"parallel_tool_calls": wrong},
            }.items():
                status, body = await asked(served, door, **more)
                assert (status, body["error"]["param"]) == (400, key), (wrong, body)
                assert "true or false" in body["error"]["message"]
        for off in (False, None):
            status, body = await asked(served, door, stream=off)
            assert status == 200, body


def _piece(event: dict[str, Any]) -> str:
    if "type" in event:
        return str(event["delta"]) if event["type"] == "response.output_text.delta" else ""
    return "".join(each["delta"].get("content") or "" for each in event["choices"])


@pytest.mark.parametrize("door", DOORS)
async def test_what_is_not_applied_is_named_at_each(tmp_path: Path, door: str) -> None:
    passed = {"temperature": 0.2, "seed": 3, "store": False, "reasoning": {"effort": "low"}, "user": "me", "zzz": 1}
    async with serving(tmp_path) as served:
        status, body = await asked(served, door, **passed)
        assert (status, body["moot"]["not_applied"]) == (200, sorted(passed))
        verbose = {"text": {"format": {"type": "text"}, "verbosity": "low"}}
        status, body = await asked(served, door, **verbose)
        assert (status, body["moot"]["not_applied"]) == (200, ["text" if "chat" in door else "text.verbosity"])
