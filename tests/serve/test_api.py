"""The served API over real HTTP: the OpenAI forms, keys, limits, deadlines, feedback, and clients that misbehave."""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientTimeout
from served import THREE, serving
from starlette.requests import HTTPConnection

from moot.live.served import served_name
from moot.models.model import Model, Wrapper
from moot.openai_form.refusal import Refused
from moot.serve.admission import Admission, Holder, KeyLimits
from moot.serve.app import ServeSettings
from moot.serve.expected_cost import CostLesson
from moot.store import queries, store_at
from moot.store.bookkeeping import day_of
from moot.types import Reply, Request


class Noted(Wrapper):
    """Keeps what each model was sent, and may be slow."""

    sent: list[tuple[str, Request]]

    def __init__(self, inner: Model, name: str, sent: list[tuple[str, Request]], delay_s: float = 0.0) -> None:
        super().__init__(inner)
        self._called, self.sent, self._delay_s = name, sent, delay_s
        self.cancelled = 0

    async def generate(self, request: Request) -> Reply:
        self.sent.append((self._called, request))
        try:
            await asyncio.sleep(self._delay_s)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return await self.inner.generate(request)


def noting(delays: dict[str, float] | None = None) -> tuple[list[tuple[str, Request]], dict[str, Noted], Any]:
    sent: list[tuple[str, Request]] = []
    made: dict[str, Noted] = {}

    def wrap(name: str, model: Model) -> Model:
        made[name] = Noted(model, name, sent, (delays or {}).get(name, 0.0))
        return made[name]

    return sent, made, wrap


async def until(reached: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not reached():  # noqa: ASYNC110  what is waited for happens in code that knows of no event
            await asyncio.sleep(0.01)


def chunks(text: str) -> Iterator[dict[str, Any]]:
    for line in text.splitlines():
        if line.startswith("data: ") and line != "data: [DONE]":
            yield json.loads(line[6:])


async def test_models_are_teams_with_their_strategies(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        status, body = await served.get("/v1/models")
        assert status == 200
        assert [each["id"] for each in body["data"]] == [
            "three/vote",
            "three/talkative",
            "solo@ann",
            "solo@bob",
            "solo@cat",
        ]


async def test_every_captain_has_a_name_where_captains_take_turns(tmp_path: Path) -> None:
    config = {**THREE, "teams": {"three": {"players": ["ann", "bob", "cat"], "captain": "each"}}}
    async with serving(tmp_path, {**config, "strategies": ["silent"]}) as served:
        _, body = await served.get("/v1/models")
        assert [each["id"] for each in body["data"]] == [
            "three/silent",
            "three/silent@ann",
            "three/silent@bob",
            "three/silent@cat",
        ]


async def test_a_completion_holds_the_verdict_and_what_it_took(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        status, body = await served.chat("Which river is the longest?", "three/talkative")
        assert status == 200
        assert body["choices"][0]["message"]["content"]
        assert body["choices"][0]["finish_reason"] == "stop"
        assert body["moot"]["calls"] == 4
        assert body["moot"]["captain"] == "ann"
        assert 0 < body["moot"]["agreement"] <= 1
        assert 1 <= body["moot"]["diversity"] <= 3
        assert body["moot"]["absent"] == []
        assert body["moot"]["cost_usd"] == 0
        assert body["usage"]["total_tokens"] == body["usage"]["prompt_tokens"] + body["usage"]["completion_tokens"]
        _, whole = await served.get(f"/v1/moot/episodes/{body['moot']['episode']}")
        prompts = sum(len(message["content"]) // 4 for call in whole["calls"] for message in call["messages"])
        assert abs(body["usage"]["prompt_tokens"] - prompts) <= 8, "usage is summed over all calls"


async def test_the_system_prompt_and_the_conversation_reach_every_player(tmp_path: Path) -> None:
    sent, _, wrap = noting()
    async with serving(tmp_path, wrap=wrap) as served:
        messages = [
            {"role": "system", "content": "Speak like a {pirate}."},
            {"role": "user", "content": "My dog is called Rex."},
            {"role": "assistant", "content": "A fine name."},
            {"role": "user", "content": [{"type": "text", "text": "What is my dog called?"}]},
        ]
        status, _ = await served.post("/v1/chat/completions", {"model": "three/vote", "messages": messages})
        assert status == 200
    assert {name for name, _ in sent} == {"ann", "bob", "cat"}
    for _, request in sent:
        assert request.messages[0].role == "system"
        assert "Speak like a {pirate}." in request.messages[0].content
        asked = request.messages[-1].content
        assert (
            asked.index("My dog is called Rex.") < asked.index("A fine name.") < asked.index("What is my dog called?")
        )


async def test_a_stream_carries_the_answer_and_for_watchers_the_table(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        body = {
            "model": "three/talkative",
            "messages": [{"role": "user", "content": "Why is the sky blue?"}],
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        async with served.session.post(served.url + "/v1/chat/completions", json=body) as response:
            assert response.headers["Content-Type"].startswith("text/event-stream")
            text = await response.text()
        assert text.endswith("data: [DONE]\n\n")
        events = list(chunks(text))
        said = "".join(each["choices"][0]["delta"].get("content", "") for each in events if each["choices"])
        assert said
        assert events[-1]["usage"]["total_tokens"] > 0
        assert not any("event" in each.get("moot", {}) for each in events), "nobody asked for the table"

        watched = {"X-Moot-Team": "true"}
        async with served.session.post(served.url + "/v1/chat/completions", json=body, headers=watched) as response:
            every = [each["moot"]["event"] for each in chunks(await response.text()) if "event" in each.get("moot", {})]
        assert {each["player"] for each in every if each["kind"] == "words"} == {"ann", "bob", "cat"}
        told = [each for each in every if each["kind"] != "words"]
        kinds = [each["kind"] for each in told]
        assert (kinds[0], sorted(kinds[1:7]), kinds[7:]) == (
            "seated",
            ["begins"] * 3 + ["call"] * 3,
            ["begins", "call", "verdict"],
        )
        for kind in ("begins", "call"):
            drafting = {(each["player"], each["doing"]) for each in told[1:7] if each["kind"] == kind}
            assert drafting == {(name, "drafting") for name in ("ann", "bob", "cat")}
        offices = {each["player"]: each["office"] for each in told[1:7] if each["kind"] == "begins"}
        assert offices == {"ann": "captain", "bob": "player", "cat": "player"}
        begun, over = told[7:9]
        assert (begun["player"], begun["office"], begun["doing"], begun["turn"]) == ("ann", "captain", "reading", 2)
        assert (over["player"], over["doing"]) == ("ann", "reading")
        assert told[-1]["answer"] == said


async def test_a_schema_of_the_client_is_followed(tmp_path: Path) -> None:
    schema = {
        "type": "object",
        "properties": {"city": {"type": "string"}, "sure": {"type": "boolean"}},
        "required": ["city", "sure"],
        "additionalProperties": False,
    }
    wanted = {"type": "json_schema", "json_schema": {"name": "city", "schema": schema}}
    async with serving(tmp_path) as served:
        status, body = await served.chat("Which city?", response_format=wanted)
        assert status == 200
        said = json.loads(body["choices"][0]["message"]["content"])
        assert isinstance(said["city"], str)
        assert isinstance(said["sure"], bool)
        assert body["moot"]["calls"] == 4, "three drafts and the one who writes it down"

        for broken in ({"type": "nonsense"}, {"$ref": "http://127.0.0.1:1/schema.json"}, {"properties": 3}):
            wanted["json_schema"]["schema"] = broken
            status, body = await served.chat("Which city?", response_format=wanted)
            assert (status, body["error"]["param"]) == (400, "response_format"), broken


async def test_responses_in_their_basic_form(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        asked = {"model": "three/vote", "input": "Why?", "instructions": "Be brief."}
        status, body = await served.post("/v1/responses", asked)
        assert (status, body["object"], body["status"]) == (200, "response", "completed")
        said = body["output"][0]["content"][0]["text"]
        async with served.session.post(served.url + "/v1/responses", json={**asked, "stream": True}) as response:
            events = list(chunks(await response.text()))
        deltas = [each["delta"] for each in events if each["type"] == "response.output_text.delta"]
        assert "".join(deltas) == said, "a simulated team says the same twice"
        assert [each["sequence_number"] for each in events] == list(range(len(events)))


@pytest.mark.parametrize(
    ("body", "status", "param"),
    [
        ({"model": "", "messages": [{"role": "user", "content": "Why?"}]}, 400, "model"),
        ({"model": "nobody", "messages": [{"role": "user", "content": "Why?"}]}, 404, "model"),
        ({"model": "three/vote", "messages": []}, 400, "messages"),
        ({"model": "three/vote", "messages": [{"role": "user", "content": "  "}]}, 400, "messages"),
        ({"model": "three/vote", "messages": [{"role": "king", "content": "Why?"}]}, 400, "messages.0.role"),
        ({"model": "three/vote", "messages": [{"role": "assistant", "content": "Because."}]}, 400, "messages"),
        ({"model": "three/vote", "messages": [{"role": "user", "content": "Why?"}], "n": 3}, 400, "n"),
        ([1, 2], 400, None),
    ],
)
async def test_bad_requests_get_the_openai_error_form(
    tmp_path: Path, body: Any, status: int, param: str | None
) -> None:
    async with serving(tmp_path) as served:
        for stream in (False, True):
            sent = {**body, "stream": stream} if isinstance(body, dict) else body
            found, said = await served.post("/v1/chat/completions", sent)
            assert found == status
            assert said["error"]["message"]
            assert said["error"]["param"] == param


async def test_garbage_and_unknown_paths(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        for raw in (b"", b"{", b"\xff\xfe", b"[" * 100_000, b'{"model": 1e999}'):
            headers = {"Content-Type": "application/json"}
            async with served.session.post(served.url + "/v1/chat/completions", data=raw, headers=headers) as response:
                assert response.status == 400
                assert "error" in await response.json()
        status, body = await served.get("/v1/nothing")
        assert (status, body["error"]["code"]) == (404, "unknown_url")
        assert (await served.chat("Still there?"))[0] == 200


async def test_keys_are_needed_where_they_are_set(tmp_path: Path) -> None:
    settings = ServeSettings(keys={"TEAM_KEY": "sesame", "OTHER_KEY": "open"})
    async with serving(tmp_path, settings=settings) as served:
        for headers in (
            {},
            {"Authorization": "Bearer wrong"},
            {"Authorization": "sesame"},
            {"Authorization": "Bearer "},
        ):
            for path in ("/v1/models", "/v1/moot/episodes", "/v1/moot/teams"):
                status, body = await served.get(path, headers=headers)
                assert (status, body["error"]["code"]) == (401, "invalid_api_key")
        for key in ("sesame", "open"):
            assert (await served.get("/v1/models", headers={"Authorization": f"Bearer {key}"}))[0] == 200
        assert (await served.get("/healthz"))[0] == 200


def test_limits_of_a_key() -> None:
    now = [0.0]
    limits = KeyLimits(per_minute=2, usd_per_day=1.0, concurrent=1)
    holder = Holder("k", limits, clock=lambda: now[0], now=lambda: now[0])
    holder.enter()
    with pytest.raises(Refused, match="at once"):
        holder.enter()
    holder.leave()
    holder.charge("1970-01-01", 0.4)
    holder.enter()
    holder.leave()
    holder.charge("1970-01-01", 0.7)
    with pytest.raises(Refused, match="2 requests a minute") as refused:
        holder.enter()
    assert refused.value.retry_after_s == 60
    now[0] = 61.0
    with pytest.raises(Refused, match="1 USD a day") as refused:
        holder.enter()
    assert refused.value.retry_after_s == 86_400 - 61
    now[0] = 86_401.0
    holder.enter()


def test_a_minute_after_a_request_there_is_room_for_another() -> None:
    """Who comes back at the very second that it was told is let in."""
    now = [0.0]
    holder = Holder("k", KeyLimits(per_minute=1), clock=lambda: now[0])
    for minute in range(3):
        now[0] = 60.0 * minute
        holder.enter()
        holder.leave()
        now[0] += 59.5
        with pytest.raises(Refused) as refused:
            holder.enter()
        assert refused.value.retry_after_s == 1


def test_a_day_has_room_for_questions_up_to_its_last_cent() -> None:
    holder = Holder("k", KeyLimits(usd_per_day=1.0), now=lambda: 0.0)
    holder.charge("1970-01-01", 0.25)
    assert [holder.hold(0.25), holder.hold(0.5), holder.hold(2**-20)] == [True, True, False]


async def test_a_full_queue_is_told_when_to_come_back() -> None:
    gate = Admission({}, at_once=1, waiting=1)
    holder = gate.holder(HTTPConnection({"type": "http", "headers": []}))
    entered, leave = asyncio.Event(), asyncio.Event()

    async def stay() -> None:
        async with gate.admitted(holder, "three/vote", 20):
            entered.set()
            await leave.wait()

    first = asyncio.create_task(stay())
    await entered.wait()
    second = asyncio.create_task(stay())
    await asyncio.sleep(0)
    with pytest.raises(Refused) as refused:
        async with gate.admitted(holder, "three/vote", 20):
            pass
    assert (refused.value.status, refused.value.code) == (429, "queue_full")
    second.cancel()
    await asyncio.gather(second, return_exceptions=True)
    assert gate.waiting == 0
    leave.set()
    await first
    async with gate.admitted(holder, "three/vote", 20):
        assert gate.under_way == 1
    assert (gate.under_way, holder.open) == (0, 0)


async def test_who_waits_for_a_place_is_held_at_what_was_billed_meanwhile() -> None:
    """Ten have room at what the first has cost; they go one after the other, and each of them costs ten times as much."""
    gate = Admission({}, at_once=1, limits=KeyLimits(usd_per_day=1.0))
    holder = gate.named("anyone")
    gate.expected.take(CostLesson("three/vote", 20, 0.05, billed=True))

    async def ask() -> None:
        async with gate.admitted(holder, "three/vote", 20):
            await asyncio.sleep(0)
            gate.expected.take(CostLesson("three/vote", 20, 0.5, billed=True))
            gate.charge("anyone", day_of(time.time()), 0.5)

    ended = await asyncio.gather(*(ask() for _ in range(10)), return_exceptions=True)
    assert [each for each in ended if each is not None and not isinstance(each, Refused)] == []
    assert holder.spent_usd() == 1.0
    assert (gate.waiting, gate.under_way, holder.open) == (0, 0, 0)


async def test_429_over_http_has_retry_after_also_for_streams(tmp_path: Path) -> None:
    async with serving(tmp_path, settings=ServeSettings(limits=KeyLimits(per_minute=1))) as served:
        assert (await served.chat("One?"))[0] == 200
        body = {"model": "three/vote", "messages": [{"role": "user", "content": "Two?"}], "stream": True}
        async with served.session.post(served.url + "/v1/chat/completions", json=body) as response:
            assert response.status == 429
            assert int(response.headers["Retry-After"]) > 50


async def test_a_large_body_is_refused_and_the_server_lives_on(tmp_path: Path) -> None:
    async with serving(tmp_path, settings=ServeSettings(body_bytes=10_000)) as served:
        status, body = await served.chat("x" * 20_000)
        assert (status, body["error"]["code"]) == (413, "body_too_large")

        async def endless() -> Any:
            for _ in range(100):
                yield b" " * 1_000

        headers = {"Content-Type": "application/json"}
        address = served.url + "/v1/chat/completions"
        async with served.session.post(address, data=endless(), headers=headers) as response:
            assert response.status == 413
        assert (await served.chat("Small?"))[0] == 200


async def test_a_client_that_goes_away_stops_its_calls(tmp_path: Path) -> None:
    sent, made, wrap = noting({"ann": 30.0, "bob": 30.0, "cat": 30.0})
    async with serving(tmp_path, wrap=wrap) as served:
        for stream in (False, True):
            sent.clear()
            body = {"model": "three/vote", "messages": [{"role": "user", "content": "Why?"}], "stream": stream}
            asking = asyncio.create_task(
                served.session.post(
                    served.url + "/v1/chat/completions", json=body, timeout=ClientTimeout(total=60)
                ).__aenter__()
            )
            await until(lambda: len(sent) == 3)
            before = sum(each.cancelled for each in made.values())
            if stream:
                (await asking).close()
            else:
                asking.cancel()
            await until(lambda before=before: sum(each.cancelled for each in made.values()) == before + 3)
        assert (await served.get("/healthz"))[0] == 200


async def test_past_the_time_limit_those_who_replied_decide(tmp_path: Path) -> None:
    _, made, wrap = noting({"cat": 30.0})
    config = {**THREE, "strategies": ["talkative"]}
    async with serving(tmp_path, config, wrap=wrap) as served:
        status, body = await served.chat("Why?", "three/talkative", time_limit_s=0.5)
        assert status == 200
        assert body["moot"]["outcome"] == "undecided"
        assert body["moot"]["absent"] == ["cat"]
        assert body["moot"]["deadline_s"] == 0.5
        assert made["cat"].cancelled == 1


async def test_when_nobody_replies_in_time_there_is_no_answer(tmp_path: Path) -> None:
    _, _, wrap = noting({"ann": 30.0, "bob": 30.0, "cat": 30.0})
    async with serving(tmp_path, wrap=wrap) as served:
        status, body = await served.chat("Why?", time_limit_s=0.3)
        assert (status, body["error"]["code"]) == (408, "team_unanswered")


async def test_a_settled_vote_drops_the_calls_that_are_still_out(tmp_path: Path) -> None:
    models = {name: {"provider": "simulated", "accuracy": 1.0} for name in ("ann", "bob", "cat")}
    _, made, wrap = noting({"cat": 30.0})
    async with serving(tmp_path, {**THREE, "models": models}, wrap=wrap) as served:
        status, body = await served.chat("Why?")
        assert status == 200
        assert body["moot"]["outcome"] == "answered"
        assert body["moot"]["not_needed"] == ["cat"]
        assert body["moot"]["absent"] == []
        assert made["cat"].cancelled == 1


async def test_the_last_word_on_an_answer_counts_and_one_that_cannot_is_refused(tmp_path: Path) -> None:
    """What is told of an episode and its grade are the same after whatever was said in whatever order."""
    words: dict[str, dict[str, Any]] = {"same": {}, "other": {"answer": "Elsewhere"}, "yes": {"correct": True}}
    words["no"] = {"correct": False}
    async with serving(tmp_path) as served:
        for number, (first, second) in enumerate(itertools.permutations(words, 2)):
            _, body = await served.chat(f"Which river has number {number}?")
            episode = body["moot"]["episode"]
            words["same"] = {"answer": body["choices"][0]["message"]["content"]}
            await served.post("/v1/feedback", {"episode": episode, **words[first]})
            status, said = await served.post("/v1/feedback", {"episode": episode, **words[second]})
            right = second in ("same", "yes")
            if (first, second) == ("same", "no"):
                assert (status, said["error"]["code"], said["error"]["param"]) == (409, "said_otherwise", "correct")
                assert "send the right one as 'answer'" in said["error"]["message"]
                right = True
            else:
                assert (status, said["correct"]) == (200, right), (first, second)
            kept = (await served.get(f"/v1/moot/episodes/{episode}"))[1]
            assert kept["feedback"]["correct"] is right, (first, second)


async def test_feedback_grades_what_was_served(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        _, first = await served.chat("Which river?")
        _, second = await served.chat("Which lake?")
        _, third = await served.chat("Which hill?")
        said = first["choices"][0]["message"]["content"]
        episodes = [each["moot"]["episode"] for each in (first, second, third)]
        assert (await served.post("/v1/feedback", {"episode": episodes[0], "answer": said}))[1]["correct"] is True
        assert (await served.post("/v1/feedback", {"episode": episodes[1], "correct": False}))[1]["correct"] is False
        for wrong in ({}, {"answer": "x", "correct": True}):
            assert (await served.post("/v1/feedback", {"episode": episodes[2], **wrong}))[0] == 400
        missing = "ep_" + "0" * 40
        assert (await served.post("/v1/feedback", {"episode": missing, "correct": True}))[0] == 404

    store = store_at("sqlite:///three.db", beside=tmp_path)
    await store.open()
    try:
        experiment = await store.run(lambda connection: queries.latest_experiment(connection, served_name("three")))
        assert experiment is not None
        assert experiment["size"] == 3
        cells = await store.run(lambda connection: queries.cells_of(connection, experiment["id"]))
        vote = next(cell for cell in cells if cell["strategy"] == "vote")
        rows = await store.run(
            lambda connection: [
                (row["value"], row["stage"])
                for row in queries.results(connection, experiment["id"], vote["id"], "match")
            ]
        )
        assert rows == [(1.0, "match"), (0.0, "person"), (None, "ungraded")]
    finally:
        await store.close()


async def test_history_shows_what_was_asked_with_every_prompt(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        _, body = await served.chat("Which river?", "three/talkative")
        _, listed = await served.get("/v1/moot/episodes")
        assert [each["question"] for each in listed["episodes"]] == ["Which river?"]
        assert listed["episodes"][0]["model"] == "three/talkative"
        _, whole = await served.get(f"/v1/moot/episodes/{body['moot']['episode']}")
        assert len(whole["calls"]) == 4
        assert all("Which river?" in call["messages"][-1]["content"] for call in whole["calls"])
        assert (await served.get("/v1/moot/episodes/ep_zz"))[0] == 404


async def test_metrics_count_what_happened(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        await served.chat("Which river?")
        await served.chat("Which river?", "nobody")
        async with served.session.get(served.url + "/metrics") as response:
            text = await response.text()
        assert 'moot_episodes_total{model="three/vote",outcome="answered"} 1.0' in text
        assert 'moot_requests_total{path="/v1/chat/completions",status="404"} 1.0' in text


async def test_a_question_asked_twice_is_played_twice(tmp_path: Path) -> None:
    sent, _, wrap = noting()
    async with serving(tmp_path, wrap=wrap) as served:
        await served.chat("Which river?")
        await served.chat("Which river?")
        _, listed = await served.get("/v1/moot/episodes")
        assert len(listed["episodes"]) == 2
    assert len({request.sample for _, request in sent}) == 2


async def test_spans_follow_the_genai_conventions(tmp_path: Path) -> None:
    sdk = pytest.importorskip("opentelemetry.sdk.trace", reason="needs the extra opentelemetry")
    from opentelemetry import trace
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    from moot.serve.tracing import traced

    exporter = InMemorySpanExporter()
    provider = sdk.TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    async with serving(tmp_path, wrap=traced) as served:
        await served.chat("Which river?")
    spans = {span.name: span for span in exporter.get_finished_spans()}
    team = spans["chat three/vote"]
    assert team.attributes["gen_ai.operation.name"] == "chat"
    for name in ("ann", "bob"):
        span = spans[f"chat {name}"]
        assert span.attributes["gen_ai.request.model"] == name
        assert span.attributes["gen_ai.usage.input_tokens"] > 0
        assert span.parent.span_id == team.context.span_id


async def test_half_open_connections_are_in_nobodys_way(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        host, port = served.url.removeprefix("http://").split(":")
        opened = []
        for sent in (
            b"",
            b"POST /v1/chat/comple",
            b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: 999\r\n\r\n{",
        ) * 20:
            _, writer = await asyncio.open_connection(host, int(port))
            writer.write(sent)
            opened.append(writer)
        assert (await served.chat("Which river?"))[0] == 200
        for writer in opened:
            writer.transport.abort()
        assert (await served.chat("Which lake?"))[0] == 200
        assert (await served.get("/healthz"))[0] == 200


async def test_long_answers_have_no_agreement_and_it_is_said_why(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        _, body = await served.chat("Write a toast.", "three/talkative", moot={"kind": "text"})
        told = body["moot"]
        assert (told["agreement"], told["diversity"]) == (None, None)
        assert told["agreement_why"] == "long answers differ in words however much they agree"
        _, body = await served.chat("Which river?", "three/talkative")
        assert body["moot"]["agreement"] > 0
        assert "agreement_why" not in body["moot"]
