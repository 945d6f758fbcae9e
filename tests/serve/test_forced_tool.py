"""A tool that a client forces is how many programs ask for an answer in a form: it is written down as the tool's arguments."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from served import serving
from test_api import chunks, noting

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "sure": {"type": "boolean"}},
    "required": ["city", "sure"],
    "additionalProperties": False,
}
CITY = {"type": "function", "function": {"name": "City", "description": "One town.", "parameters": SCHEMA}}
OTHER = {"type": "function", "function": {"name": "other"}}
NAMED = {"type": "function", "function": {"name": "City"}}
FLAT = {"type": "function", "name": "City", "parameters": SCHEMA, "strict": True}
ASKED = {"role": "user", "content": "Which city?"}


def fits(arguments: str) -> bool:
    said = json.loads(arguments)
    return set(said) == {"city", "sure"} and isinstance(said["city"], str) and isinstance(said["sure"], bool)


@pytest.mark.parametrize(
    ("tools", "choice", "finish"),
    [
        ([CITY], NAMED, "stop"),
        ([OTHER, CITY], NAMED, "stop"),
        ([CITY], "required", "tool_calls"),
        (
            [OTHER, CITY],
            {"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": [NAMED]}},
            "tool_calls",
        ),
    ],
    ids=["named", "named among several", "required", "the only one that is allowed"],
)
async def test_the_answer_is_the_arguments_of_a_forced_tool(
    tmp_path: Path, tools: list[Any], choice: Any, finish: str
) -> None:
    async with serving(tmp_path) as served:
        asked = {"tools": tools, "tool_choice": choice, "parallel_tool_calls": False}
        status, body = await served.chat("Which city?", **asked)
        assert status == 200, body
        message = body["choices"][0]["message"]
        assert (message["content"], body["choices"][0]["finish_reason"]) == (None, finish)
        (call,) = message["tool_calls"]
        assert (call["type"], call["function"]["name"]) == ("function", "City")
        assert call["id"].startswith("call_")
        assert fits(call["function"]["arguments"])
        assert body["moot"]["not_applied"] == []
        assert body["moot"]["calls"] == 4, "three drafts and the one who writes it down"

        whole = {"model": "three/vote", "messages": [ASKED], "stream": True, **asked}
        async with served.session.post(served.url + "/v1/chat/completions", json=whole) as response:
            events = [each["choices"][0] for each in chunks(await response.text()) if each["choices"]]
        calls = [each["delta"]["tool_calls"][0] for each in events if "tool_calls" in each["delta"]]
        assert (calls[0]["function"]["name"], calls[0]["type"], calls[0]["index"]) == ("City", "function", 0)
        assert fits("".join(each["function"]["arguments"] for each in calls))
        assert events[-1]["finish_reason"] == finish


async def test_in_the_responses_api(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        asked = {"model": "three/vote", "input": "Which city?", "tools": [FLAT]}
        for choice in ({"type": "function", "name": "City"}, "required"):
            status, body = await served.post("/v1/responses", {**asked, "tool_choice": choice})
            assert status == 200, body
            (item,) = body["output"]
            assert (item["type"], item["name"], item["status"]) == ("function_call", "City", "completed")
            assert fits(item["arguments"])
            assert body["tool_choice"] == choice
            assert body["tools"][0]["name"] == "City"
        streamed = {**asked, "tool_choice": "required", "stream": True}
        async with served.session.post(served.url + "/v1/responses", json=streamed) as response:
            events = list(chunks(await response.text()))
        deltas = [each["delta"] for each in events if each["type"] == "response.function_call_arguments.delta"]
        (done,) = [each for each in events if each["type"] == "response.function_call_arguments.done"]
        assert "".join(deltas) == done["arguments"]
        assert fits(done["arguments"])
        assert events[-1]["response"]["output"][0]["arguments"] == done["arguments"]


@pytest.mark.parametrize("door", ["/v1/chat/completions", "/v1/responses"])
async def test_no_stop_cuts_what_is_to_be_read_as_json(tmp_path: Path, door: str) -> None:
    """Under a reason to finish that says it is whole. What bounds its length says that it was cut."""
    chat = door == "/v1/chat/completions"
    asked: dict[str, Any] = {"messages": [ASKED]} if chat else {"input": "Which city?"}
    schema = {"name": "City", "schema": SCHEMA}
    form = {"type": "json_schema", "json_schema": schema} if chat else {"type": "json_schema", **schema}
    wanted: list[dict[str, Any]] = [
        {"tools": [CITY if chat else FLAT], "tool_choice": "required"},
        {"response_format": form} if chat else {"text": {"format": form}},
    ]
    async with serving(tmp_path) as served:
        for more in wanted:
            whole = {"model": "three/vote", **asked, **more}
            status, body = await served.post(door, {**whole, "stop": ["city", "}"]})
            assert status == 200, body
            assert fits(arguments_of(body)), body
            assert body["moot"]["not_applied"] == ["stop"]
            assert "cut_by" not in body["moot"]
            status, body = await served.post(door, {**whole, "stop": []})
            assert (status, body["moot"]["not_applied"]) == (200, [])
            status, body = await served.post(door, {**whole, "max_tokens": 1})
            ended = body["choices"][0]["finish_reason"] if chat else body["status"]
            assert (ended, body["moot"]["cut_by"]) == ("length" if chat else "incomplete", "max_tokens")


def arguments_of(body: dict[str, Any]) -> str:
    if "output" in body:
        (item,) = body["output"]
        return str(item["arguments"] if item["type"] == "function_call" else item["content"][0]["text"])
    message = body["choices"][0]["message"]
    return str(message["content"] or message["tool_calls"][0]["function"]["arguments"])


async def test_whoever_writes_it_down_sees_the_clients_system_prompt(tmp_path: Path) -> None:
    """In a form and as a tool; the question, its choices and what the tool is for as well."""
    form = {"type": "json_schema", "json_schema": {"name": "City", "schema": SCHEMA}}
    sent, _, wrap = noting()
    async with serving(tmp_path, wrap=wrap) as served:
        messages = [{"role": "system", "content": "Towns are written in Latin."}, ASKED]
        for more in ({"response_format": form}, {"tools": [CITY], "tool_choice": NAMED}):
            sent.clear()
            asked = {"model": "three/vote", "messages": messages, "moot": {"choices": ["Rome", "Paris"]}, **more}
            status, body = await served.post("/v1/chat/completions", asked)
            assert status == 200, body
            _, written = sent[-1]
            system, prompt = written.messages[0], written.messages[-1].content
            assert system.role == "system"
            assert "Towns are written in Latin." in system.content
            assert 'your "answer" alone' not in system.content, "it is an object that is wanted here"
            assert "A. Rome\nB. Paris" in prompt
            assert body["moot"]["choice"] in prompt.partition("<answer>")[2]
        assert "One town." in prompt


async def test_a_tool_that_was_wrongly_called_is_called_again(tmp_path: Path) -> None:
    """As programs do that check the arguments: the last message is then the tool's."""
    sent, _, wrap = noting()
    call = {"id": "call_1", "type": "function", "function": {"name": "City", "arguments": '{"city": 3}'}}
    async with serving(tmp_path, wrap=wrap) as served:
        messages = [
            ASKED,
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call_1", "content": "city: expected a string"},
        ]
        asked = {"model": "three/vote", "messages": messages, "tools": [CITY], "tool_choice": NAMED}
        status, body = await served.post("/v1/chat/completions", asked)
        assert status == 200, body
        assert fits(body["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"])
        for _, request in sent:
            prompt = request.messages[-1].content
            assert 'City({"city": 3})' in prompt
            assert "city: expected a string" in prompt
            assert prompt.index("city: expected a string") < prompt.rindex("Which city?")
        items = [
            ASKED,
            {"type": "reasoning", "id": "rs_1", "summary": []},
            {"type": "function_call", "call_id": "call_1", "name": "City", "arguments": '{"city": 3}'},
            {"type": "function_call_output", "call_id": "call_1", "output": "city: expected a string"},
        ]
        before = {request.messages[-1].content for _, request in sent}
        sent.clear()
        asked = {"model": "three/vote", "input": items, "tools": [FLAT], "tool_choice": "required"}
        assert (await served.post("/v1/responses", asked))[0] == 200
        drafts = {request.messages[-1].content for _, request in sent[:3]}
        assert drafts <= before, "the same conversation, in whichever form it comes"
        for odd in ([messages[1], messages[2]], [ASKED, messages[1]], [messages[2]]):
            status, body = await served.post("/v1/chat/completions", {"model": "three/vote", "messages": odd})
            assert (status, body["error"]["param"]) == (400, "messages")


async def test_a_schema_that_is_none_is_told_of_the_tools(tmp_path: Path) -> None:
    broken = {"type": "function", "function": {"name": "City", "parameters": {"type": "nonsense"}}}
    async with serving(tmp_path) as served:
        status, body = await served.chat("Which city?", tools=[broken], tool_choice="required")
        assert (status, body["error"]["param"], body["error"]["code"]) == (400, "tools", "invalid_schema")


class City(BaseModel):
    """One town."""

    city: str
    sure: bool


async def test_with_the_openai_sdk(tmp_path: Path) -> None:
    openai = pytest.importorskip("openai")
    async with serving(tmp_path) as served:

        def plainly() -> None:
            client = openai.OpenAI(base_url=f"{served.url}/v1", api_key="none", max_retries=0)
            tool = openai.pydantic_function_tool(City)
            asked = {"model": "three/vote", "messages": [ASKED], "tools": [tool], "tool_choice": NAMED}
            parsed = client.chat.completions.parse(**asked)
            assert isinstance(parsed.choices[0].message.tool_calls[0].function.parsed_arguments, City)
            with client.chat.completions.stream(**asked) as stream:
                final = stream.get_final_completion()
            assert isinstance(final.choices[0].message.tool_calls[0].function.parsed_arguments, City)
            flat = {"type": "function", **tool["function"]}
            response = client.responses.parse(
                model="three/vote", input="Which city?", tools=[flat], tool_choice={"type": "function", "name": "City"}
            )
            assert City.model_validate_json(response.output[0].arguments)
            assert client.models.retrieve("three/vote").id == "three/vote"
            with pytest.raises(openai.NotFoundError):
                client.models.retrieve("three/nobody")
            with pytest.raises(openai.BadRequestError) as refused:
                client.responses.create(model="three/vote", input="And?", previous_response_id="resp_1")
            assert refused.value.param == "previous_response_id"
            reply = client.chat.completions.create(
                model="three/vote", messages=[ASKED], temperature=0, extra_body={"moot": {"choices": ["Rome", "Paris"]}}
            )
            assert reply.moot["choice"] in ("Rome", "Paris")
            assert reply.moot["not_applied"] == ["temperature"]

        await asyncio.to_thread(plainly)
