"""The answer while it is written: only where one alone writes it, never to be taken back, and the same as is kept."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from served import Served, serving
from streaming_endpoint import BREAK, FILTER, WAIT, Endpoint, streaming, team_of

TEXT = {"kind": "text"}
PIECES = ["A plan: ", "first ", "this, ", "then ", "that. "]
WHOLE = "A plan: first this, then that."
NOTED = {"index": 0, "delta": {}, "content_filter_results": {"violence": {"filtered": True}}}


def by_ann_at_last(*said: Any) -> Any:
    """Everybody drafts; what ann says when she is asked again."""

    def script(body: dict[str, Any], before: int) -> list[Any]:
        if body["model"] == "ann" and before:
            return list(said[min(before - 1, len(said) - 1)])
        return [f"Draft of {body['model']}."]

    return script


async def events_of(served: Served, body: dict[str, Any], path: str = "/v1/chat/completions") -> AsyncIterator[Any]:
    async with served.session.post(served.url + path, json=body) as response:
        assert response.status == 200, await response.text()
        async for line in response.content:
            if line.startswith(b"data: ") and line.strip() != b"data: [DONE]":
                yield json.loads(line[6:])


def asking(model: str = "two/talkative", **more: Any) -> dict[str, Any]:
    return {"model": model, "messages": [{"role": "user", "content": "Plan?"}], "stream": True, "moot": TEXT, **more}


def words(event: Any) -> str:
    return "".join(choice["delta"].get("content") or "" for choice in event.get("choices", ()))


async def said_early(served: Served, endpoint: Endpoint, body: dict[str, Any]) -> tuple[str, list[Any]]:
    """What was heard before the writer had ended, and all events. Where nothing is heard the writer ends after a while."""
    early, events = "", []
    asyncio.get_running_loop().call_later(10, endpoint.go.set)
    async for event in events_of(served, body):
        events.append(event)
        if not endpoint.go.is_set():
            early += words(event)
            if "this" in early:
                endpoint.go.set()
    return early, events


@pytest.mark.parametrize("strategy", ["talkative", "council", "peer-review", {"mixture": {"repeats": 1}}])
async def test_the_answer_comes_while_it_is_written(tmp_path: Path, strategy: Any) -> None:
    script = by_ann_at_last([*PIECES[:3], WAIT, *PIECES[3:]])
    async with streaming(script) as endpoint, serving(tmp_path, team_of(endpoint, strategy)) as served:
        (model,) = (name for name in served.live.models if "@" not in name)
        async with asyncio.timeout(20):
            early, events = await said_early(served, endpoint, asking(model, stream_options={"include_usage": True}))
        assert early == "A plan: first this,"
        assert "".join(map(words, events)) == WHOLE
        report = next(event["moot"] for event in events if "moot" in event)
        _, kept = await served.get(f"/v1/moot/episodes/{report['episode']}")
        assert kept["verdict"]["answer"] == WHOLE
        assert kept["calls"][-1]["text"] == "".join(PIECES)
        assert events[-1]["usage"]["completion_tokens"] == 5 * report["calls"], "counted in the stream itself"


async def test_solo_is_given_early_once_its_model_is_known(tmp_path: Path) -> None:
    script = by_ann_at_last([*PIECES[:3], WAIT, *PIECES[3:]])
    async with streaming(script) as endpoint, serving(tmp_path, team_of(endpoint, "solo")) as served:
        events = [event async for event in events_of(served, asking("solo@ann"))]
        told = [text for event in events if (text := words(event))]
        assert told == ["Draft of ann."], "of a model that nobody knows nothing is told before its end"
        early, events = await said_early(served, endpoint, asking("solo@ann"))
        assert early == "A plan: first this,"
        assert "".join(map(words, events)) == WHOLE


async def test_thoughts_are_never_told(tmp_path: Path) -> None:
    opened = ["<th", "ink>secret ", "thoughts</think>", "\n\nA plan: ", "this.", WAIT]
    unopened = ["secret thoughts ", "and more", "</think>", " A plan: ", "this.", WAIT]
    for said in (opened, unopened):

        def script(body: dict[str, Any], before: int, said: list[Any] = said) -> list[Any]:
            return said

        async with streaming(script) as endpoint, serving(tmp_path, team_of(endpoint, "solo")) as served:
            for _ in range(2):
                endpoint.go.clear()
                early, events = await said_early(
                    served, endpoint, asking("solo@ann", stream_options={"include_team": True})
                )
                assert "".join(map(words, events)) == "A plan: this."
                assert early == "A plan: this.", "behind a closing tag nothing is a thought"
                table = [event["moot"]["event"] for event in events if "event" in event.get("moot", {})]
                told = [each["text"] for each in table if each["kind"] == "words"]
                assert "".join(told) == "A plan: this."


async def test_a_stream_that_breaks_goes_on_only_in_the_same_words(tmp_path: Path) -> None:
    broken = ["A plan: ", "first ", BREAK]
    for second, ends_well in ((PIECES, True), (["Another ", "plan."], False)):
        script = by_ann_at_last(broken, second)
        async with streaming(script) as endpoint, serving(tmp_path, team_of(endpoint)) as served:
            events = [event async for event in events_of(served, asking())]
            told = "".join(map(words, events))
            assert len(endpoint.bodies) == 4, "asked once more, as without a stream"
            if ends_well:
                assert told == WHOLE
                continue
            assert told == "A plan: first"
            assert events[-1]["error"]["code"] == "answer_written_anew"
            assert "Ask again" in events[-1]["error"]["message"]
            _, past = await served.get("/v1/moot/episodes")
            assert past["episodes"][0]["answer"] == "Another plan.", "it was paid for and is kept"


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/responses"])
@pytest.mark.parametrize(
    ("said", "code", "word"),
    [
        (["A plan: ", "first ", FILTER], "answer_filtered", "content filter"),
        (["A plan: ", "first ", {"error": {"code": "content_filter"}}], "answer_filtered", "content filter"),
        (["A plan: ", "first ", {"choices": [NOTED]}], "answer_filtered", "content filter"),
        (["A plan: ", "first ", {"error": {"code": 502, "message": "gone"}}], "answer_written_anew", "written anew"),
        (["Let me ", "think. ", "</think>", "A plan."], "answer_was_thoughts", "thoughts"),
        (["A plan: ", "first ", BREAK], "answer_written_anew", "written anew"),
    ],
)
async def test_what_stopped_an_answer_in_its_middle_is_told(
    tmp_path: Path, path: str, said: list[Any], code: str, word: str
) -> None:
    script = by_ann_at_last(said, ["Another plan."])
    async with streaming(script) as endpoint, serving(tmp_path, team_of(endpoint)) as served:
        body = asking() | {"input": "Plan?"}
        del body["messages" if path == "/v1/responses" else "input"]
        *_, last = [event async for event in events_of(served, body, path)]
        error = last["error"] if "error" in last else last["response"]["error"]
        assert error["code"] == code
        assert word in error["message"]


@pytest.mark.parametrize("unseen", ["\ufeff", "\u200b", " \u200b\ufeff\n\u2060 "])
async def test_what_nobody_sees_hides_no_thoughts(tmp_path: Path, unseen: str) -> None:
    said = [*unseen, "<thi", "nk>secret ", "thoughts</think>", unseen, "A plan: ", "this."]

    async with (
        streaming(lambda body, before: said) as endpoint,
        serving(tmp_path, team_of(endpoint, "solo")) as served,
    ):
        for _ in range(2):
            asked = asking("solo@ann", stream_options={"include_team": True})
            events = [event async for event in events_of(served, asked)]
            assert "secret" not in "".join(map(words, events))
            table = [event["moot"]["event"] for event in events if "event" in event.get("moot", {})]
            assert "secret" not in "".join(each["text"] for each in table if each["kind"] == "words")
            _, past = await served.get("/v1/moot/episodes")
            assert past["episodes"][0]["answer"].endswith("A plan: this.")
            assert "secret" not in past["episodes"][0]["answer"]


async def test_where_the_text_may_still_change_nothing_is_told_early(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"plan": {"type": "string"}}, "required": ["plan"]}
    form = {"type": "json_schema", "json_schema": {"name": "plan", "schema": schema}}
    script = by_ann_at_last(PIECES, ['{"plan": ', '"this"}'])
    for more in ({"response_format": form}, {"time_limit_s": 60}):
        async with streaming(script) as endpoint, serving(tmp_path, team_of(endpoint)) as served:
            events = [event async for event in events_of(served, asking(**more))]
            told = [text for event in events if (text := words(event))]
            assert "".join(told) == ('{"plan": "this"}' if "response_format" in more else WHOLE)
            assert not any(body.get("stream") for body in endpoint.bodies), "nobody listens"


async def test_bounds_of_the_text_hold(tmp_path: Path) -> None:
    script = by_ann_at_last([*PIECES[:3], WAIT, *PIECES[3:]])
    async with streaming(script) as endpoint, serving(tmp_path, team_of(endpoint)) as served:
        endpoint.go.set()
        for more, whole, finish in (
            ({"stop": "then"}, "A plan: first this, ", "stop"),
            ({"max_tokens": 3}, "A plan:", "length"),
        ):
            events = [event async for event in events_of(served, asking(**more))]
            assert "".join(map(words, events)) == whole
            assert [c["finish_reason"] for event in events for c in event["choices"] if c["finish_reason"]] == [finish]


async def test_the_responses_api_gives_it_too(tmp_path: Path) -> None:
    script = by_ann_at_last([*PIECES[:3], WAIT, *PIECES[3:]])
    async with streaming(script) as endpoint, serving(tmp_path, team_of(endpoint)) as served:
        body = {"model": "two/talkative", "input": "Plan?", "stream": True, "moot": TEXT}
        events, early = [], ""
        async for event in events_of(served, body, "/v1/responses"):
            events.append(event)
            if event["type"] == "response.output_text.delta" and not endpoint.go.is_set():
                early += event["delta"]
                if "this" in early:
                    endpoint.go.set()
        assert early == "A plan: first this,"
        assert [event["sequence_number"] for event in events] == list(range(len(events)))
        deltas = "".join(event["delta"] for event in events if event["type"] == "response.output_text.delta")
        assert deltas == WHOLE == events[-1]["response"]["output"][0]["content"][0]["text"]
        assert events[0]["type"] == "response.created"
        assert events[-1]["type"] == "response.completed"
        assert events[-1]["response"]["usage"]["output_tokens"] == 15


@pytest.mark.parametrize("ask", [{"stream_options": {"include_team": True}}, {"headers": {"X-Moot-Team": "true"}}])
async def test_who_asks_in_the_responses_api_sees_the_table(tmp_path: Path, ask: dict[str, Any]) -> None:
    ask = dict(ask)
    headers = ask.pop("headers", None)
    script = by_ann_at_last(PIECES)
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    tool = {"type": "function", "name": "keep", "parameters": schema}
    async with streaming(script) as endpoint, serving(tmp_path, team_of(endpoint)) as served:
        served.session.headers.update(headers or {})
        body = {"model": "two/talkative", "input": "Plan?", "stream": True, "moot": TEXT, **ask}
        events = [event async for event in events_of(served, body, "/v1/responses")]
        assert [event["sequence_number"] for event in events] == list(range(len(events)))
        kinds = [event["type"] for event in events]
        assert (kinds[0], kinds[-1], kinds.count("response.created")) == ("response.created", "response.completed", 1)
        told = [event["event"] for event in events if event["type"] == "moot.event"]
        assert (told[0]["kind"], told[-1]["kind"]) == ("seated", "verdict")
        assert {"begins", "words", "call"} <= {each["kind"] for each in told}
        assert kinds.index("moot.event") < kinds.index("response.output_item.added")
        assert "".join(event["delta"] for event in events if event["type"] == "response.output_text.delta") == WHOLE
        assert "stream_options" not in events[-1]["response"]["moot"]["not_applied"]

    async with serving(tmp_path) as served:  # a call of a function begins with another item
        served.session.headers.update(headers or {})
        forced = {"tools": [tool], "tool_choice": {"type": "function", "name": "keep"}}
        body = {"model": "three/vote", "input": "Which city?", "stream": True, **forced, **ask}
        events = [event async for event in events_of(served, body, "/v1/responses")]
        kinds = [event["type"] for event in events]
        assert kinds.count("response.created") == 1
        assert "moot.event" in kinds
        assert "response.function_call_arguments.done" in kinds


async def test_a_response_that_fails_before_all_who_watch_is_told_in_the_stream(tmp_path: Path) -> None:
    async with streaming(lambda body, before: [BREAK]) as endpoint, serving(tmp_path, team_of(endpoint)) as served:
        body = {"model": "two/talkative", "input": "Plan?", "stream": True, "moot": TEXT}
        watched = {**body, "stream_options": {"include_team": True}}
        *_, last = [event async for event in events_of(served, watched, "/v1/responses")]
        assert last["type"] == "response.failed"
        status, _ = await served.post("/v1/responses", body)
        assert status == 502, "who does not watch gets the status"


async def test_a_response_that_breaks_off_has_failed(tmp_path: Path) -> None:
    script = by_ann_at_last(["A plan: ", "first ", BREAK], ["Another."])
    async with streaming(script) as endpoint, serving(tmp_path, team_of(endpoint)) as served:
        body = {"model": "two/talkative", "input": "Plan?", "stream": True, "moot": TEXT}
        *_, last = [event async for event in events_of(served, body, "/v1/responses")]
        assert (last["type"], last["response"]["status"]) == ("response.failed", "failed")
        assert last["response"]["error"]["code"] == "answer_written_anew"


async def test_seats_hear_their_players(tmp_path: Path) -> None:
    said = ['{"reasoning": "bec', 'ause", ', '"answer": "Nile"}']
    async with streaming(lambda body, before: said) as endpoint, serving(tmp_path, team_of(endpoint, "vote")) as served:
        asked = {**asking("two/vote", stream_options={"include_team": True}), "moot": {}}
        events = [event async for event in events_of(served, asked)]
        table = [event["moot"]["event"] for event in events if "event" in event.get("moot", {})]
        for player in ("ann", "bob"):
            mine = [each for each in table if each.get("player") == player]
            assert (mine[0]["kind"], mine[-1]["kind"]) == ("begins", "call")
            assert "".join(each["text"] for each in mine if each["kind"] == "words") == "".join(said)
        assert "".join(map(words, events)) == "Nile", "an answer that is read out of a form is told when it is known"


async def test_what_a_server_refuses_is_asked_otherwise(tmp_path: Path) -> None:
    script = by_ann_at_last(PIECES)
    for refuses, streamed in ((("stream_options",), True), (("stream",), False)):
        async with streaming(script, refuses=refuses) as endpoint, serving(tmp_path, team_of(endpoint)) as served:
            events = [event async for event in events_of(served, asking(stream_options={"include_team": True}))]
            assert "".join(map(words, events)) == WHOLE
            taken = [body for body in endpoint.bodies if not any(key in body for key in refuses)]
            assert [bool(body.get("stream")) for body in taken] == [streamed] * 3
            assert len(endpoint.bodies) == 5, "each model is found out about once"


async def test_what_must_be_paid_for_and_is_not_counted_is_not_streamed_again(tmp_path: Path) -> None:
    async with streaming(by_ann_at_last(PIECES), usage=False) as endpoint:
        team = team_of(endpoint, price={"prompt": 1, "completion": 1})
        async with serving(tmp_path, team) as served:
            for _ in range(2):
                events = [event async for event in events_of(served, asking(stream_options={"include_team": True}))]
                assert "".join(map(words, events)) == WHOLE
            assert [bool(body.get("stream")) for body in endpoint.bodies] == [True, True, False, False, False, False]


async def test_a_stream_is_no_other_call(tmp_path: Path) -> None:
    """What is asked is the same to the byte but for how it is sent, and a stored reply is one for both."""
    async with (
        streaming(by_ann_at_last(PIECES)) as endpoint,
        serving(tmp_path, team_of(endpoint), reuse=True) as served,
    ):
        streamed = [event async for event in events_of(served, asking())]
        assert len(endpoint.bodies) == 3
        status, whole = await served.post("/v1/chat/completions", {**asking(), "stream": False})
        assert status == 200
        assert whole["choices"][0]["message"]["content"] == "".join(map(words, streamed)) == WHOLE
        assert len(endpoint.bodies) == 3, "all three were kept under the same keys"
    async with streaming(by_ann_at_last(PIECES)) as other, serving(tmp_path, team_of(other), reuse=True) as served:
        await served.post("/v1/chat/completions", {**asking(), "stream": False})
    plain = [{key: value for key, value in body.items() if not key.startswith("stream")} for body in endpoint.bodies]
    assert sorted(map(json.dumps, plain)) == sorted(map(json.dumps, other.bodies))


async def test_a_client_that_goes_away_ends_the_calls(tmp_path: Path) -> None:
    script = by_ann_at_last([*PIECES[:3], WAIT, *PIECES[3:]])
    async with streaming(script) as endpoint, serving(tmp_path, team_of(endpoint)) as served:
        for path, body in (
            ("/v1/chat/completions", asking()),
            ("/v1/responses", {"model": "two/talkative", "input": "Plan?", "stream": True, "moot": TEXT}),
        ):
            async with served.session.post(served.url + path, json=body) as response:
                async for line in response.content:
                    if b"first" in line:
                        break
        endpoint.go.set()
        status, _ = await served.chat("Which?", "two/talkative", moot=TEXT)
        assert status == 200
