"""The simulated server over real HTTP: what a client sees of every reply and every fault."""

from __future__ import annotations

import asyncio
import email.utils
import json
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from moot.errors import FileError, UsageError
from moot.models.wire import read_completion
from moot.simulate.server import SimulatedServer, latency_s, running
from moot.simulate.server_config import LatencyConfig, load_config
from moot.simulate.simulated import SimulatedModel
from moot.simulate.visits import Visit
from moot.simulate.world import World
from moot.types import Case, Message, Question, Request

SCHEMA = {
    "type": "object",
    "properties": {"reasoning": {"type": "string"}, "answer": {"type": "string"}},
    "required": ["reasoning", "answer"],
    "additionalProperties": False,
}
CASES = [Case(Question(str(n), f"Who is «{n}»?"), f"Person {n}") for n in range(300)]


@pytest.fixture
async def http(caplog: pytest.LogCaptureFixture) -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=5)) as session:
        yield session
    assert not caplog.get_records("call"), "a fault on order is no error of the server"


def body(number: int = 1, model: str = "tom", **more: Any) -> dict[str, Any]:
    prompt = f"<question>\nWho is «{number}»?\n</question>\nReply with JSON."
    form = {"type": "json_schema", "json_schema": {"name": "reply", "schema": SCHEMA, "strict": True}}
    return {"model": model, "messages": [{"role": "user", "content": prompt}], "response_format": form, **more}


def form_of(schema: dict[str, Any]) -> dict[str, Any]:
    return body(response_format={"type": "json_schema", "json_schema": {"name": "reply", "schema": schema}})


def config(*faults: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"seed": 7, "models": {"tom": {"accuracy": 0.5}}, "faults": list(faults), **more}


async def post(
    http: aiohttp.ClientSession, server: SimulatedServer, data: Any, **headers: str
) -> tuple[aiohttp.ClientResponse, bytes]:
    raw = data if isinstance(data, bytes) else json.dumps(data).encode()
    async with http.post(f"{server.base_url}/chat/completions", data=raw, headers=headers) as response:
        return response, await response.read()


def content(raw: bytes) -> str:
    return str(json.loads(raw)["choices"][0]["message"]["content"])


async def test_replies_are_those_of_the_models_in_process(http: aiohttp.ClientSession) -> None:
    world = World(CASES, seed=7)
    captain = 'Who?\n<answer n="1">\nRome\n</answer>\n<answer n="2">\nOslo\n</answer>'
    async with running(config(), cases=CASES) as server:
        model = SimulatedModel("tom", accuracy=0.5, world=world)
        for number in range(40):
            sent = body(number, temperature=number % 2)
            if number % 3 == 0:
                sent["messages"].append({"role": "user", "content": captain})
            messages = tuple(Message(each["role"], each["content"]) for each in sent["messages"])
            asked = Request(messages, {"temperature": number % 2}, SCHEMA, question_id=str(number))
            here = model.reply(asked)
            response, raw = await post(http, server, sent)
            there = read_completion(raw, latency_s=0.0, price=None)
            assert (there.text, there.finish, there.usage) == (here.text, here.finish, here.usage)
            assert there.version == "simulated/tom simulated"
            assert response.headers["Content-Type"].startswith("application/json")


async def test_a_warm_body_asked_again_is_another_sample(http: aiohttp.ClientSession) -> None:
    model = SimulatedModel("tom", accuracy=0.5, world=World(CASES, seed=7))
    async with running(config(), cases=CASES) as server:
        sent = body(3, temperature=1.5)
        got = [content((await post(http, server, sent))[1]) for _ in range(4)]
        cold = {content((await post(http, server, body(3)))[1]) for _ in range(3)}
    messages = (Message("user", sent["messages"][0]["content"]),)
    assert got == [model.reply(Request(messages, {"temperature": 1.5}, SCHEMA, sample=n)).text for n in range(4)]
    assert len(set(got)) > 1
    assert len(cold) == 1


async def test_models_are_listed_and_there_are_six_by_default(http: aiohttp.ClientSession) -> None:
    async with running() as server, http.get(f"{server.base_url}/models") as response:
        listed = await response.json()
    assert [each["id"] for each in listed["data"]] == ["ann", "bob", "cat", "dan", "eve", "fay"]


@pytest.mark.parametrize("with_usage", [True, False])
@pytest.mark.parametrize("per_token_s", [0, 0.0005])
async def test_streams_add_up_to_the_whole_reply(
    http: aiohttp.ClientSession, with_usage: bool, per_token_s: float
) -> None:
    options: dict[str, Any] = {"stream_options": {"include_usage": True}} if with_usage else {}
    async with running(config(latency={"per_token_s": per_token_s}), cases=CASES) as server:
        _, whole = await post(http, server, body())
        response, raw = await post(http, server, body(stream=True, **options))
    assert response.headers["Content-Type"].startswith("text/event-stream")
    events = [line.removeprefix("data: ") for line in raw.decode().split("\n\n") if line]
    assert events.pop() == "[DONE]"
    chunks = [json.loads(event) for event in events]
    usage = chunks.pop() if with_usage else {}
    assert usage.get("choices", []) == []
    assert usage.get("usage") == (json.loads(whole)["usage"] if with_usage else None)
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks]
    assert deltas[0]["role"] == "assistant"
    assert "".join(delta.get("content", "") for delta in deltas) == content(whole)
    assert len(deltas) > 4
    assert chunks[-1]["choices"][0]["finish_reason"] == "stop"


# --- requests that are wrong -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sent", "status", "param"),
    [
        (b"\xff{", 400, None),
        (b"[1]", 400, None),
        (b"[" * 100_000, 400, None),
        ({"messages": [{"role": "user", "content": "hi"}]}, 400, "model"),
        ({"model": "tom"}, 400, "messages"),
        ({"model": "tom", "messages": ["hi"]}, 400, "messages.0"),
        ({"model": "tom", "messages": [{"role": "user", "content": 5}]}, 400, "messages.0.content"),
        (body(temperature="hot"), 400, "temperature"),
        (body(temperature=float("nan")), 400, None),
        (body(temperature=float("inf")), 400, None),
        (body(n=2), 400, "n"),
        (body(response_format="json"), 400, "response_format"),
        (form_of({"properties": {"a": {"type": "array", "minItems": 10**9}}}), 400, "response_format"),
        (form_of({"properties": {"a": {"type": "string", "minLength": 10**12}}}), 400, "response_format"),
        (form_of({"properties": {"a": {"type": "integer", "minimum": "x"}}}), 400, "response_format"),
        (form_of({"properties": {"answer": {"anyOf": 5}}}), 400, "response_format"),
        (body(model="who"), 404, "model"),
    ],
)
async def test_bad_requests_get_openai_errors(
    http: aiohttp.ClientSession, sent: Any, status: int, param: str | None
) -> None:
    async with running(config()) as server:
        response, raw = await post(http, server, sent)
        assert response.status == status
        error = json.loads(raw)["error"]
        assert error["message"]
        assert error["param"] == param
        assert server.stats["outcomes"] == {str(status): 1}


async def test_odd_but_good_requests_pass(http: aiohttp.ClientSession) -> None:
    parts = [{"type": "text", "text": "Who \ud800?"}, {"type": "image_url"}]
    sent = {"model": "simulated/tom", "messages": [{"role": "developer"}, {"role": "user", "content": parts}]}
    async with running(config()) as server:
        response, raw = await post(http, server, sent)
        assert response.status == 200
        assert {*json.loads(content(raw))} == {"reasoning", "answer"}
        async with http.put(f"{server.url}/elsewhere") as missing:
            assert missing.status == 404
            assert (await missing.json())["error"]["code"] == "unknown_url"


@pytest.mark.parametrize("form", ["json_schema", "json_object"])
async def test_forms_that_are_switched_off_are_rejected(http: aiohttp.ClientSession, form: str) -> None:
    sent = body() if form == "json_schema" else body(response_format={"type": "json_object"})
    async with running(config()) as server:
        assert (await post(http, server, sent))[0].status == 200
    async with running(config(**{form: False})) as server:
        response, raw = await post(http, server, sent)
        assert response.status == 400
        assert "response_format" in json.loads(raw)["error"]["message"]
        assert (await post(http, server, body(response_format={"type": "text"})))[0].status == 200


async def test_a_key_is_asked_for(http: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIMULATED_KEY", "open sesame")
    async with running(config(api_key_env="SIMULATED_KEY")) as server:
        for wrong in ({}, {"Authorization": "Bearer open"}, {"Authorization": "open sesame"}):
            response, raw = await post(http, server, body(), **wrong)
            assert response.status == 401
            assert json.loads(raw)["error"]["code"] == "invalid_api_key"
        async with http.get(f"{server.base_url}/models") as listed:
            assert listed.status == 401
        assert (await post(http, server, body(), Authorization="Bearer open sesame"))[0].status == 200
    monkeypatch.delenv("SIMULATED_KEY")
    with pytest.raises(UsageError, match="SIMULATED_KEY"):
        async with running(config(api_key_env="SIMULATED_KEY")):
            pass


# --- faults ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "status"), [("429", 429), ("429-seconds", 429), ("429-date", 429), ("500", 500), ("503", 503)]
)
async def test_status_faults(http: aiohttp.ClientSession, kind: str, status: int) -> None:
    async with running(config({"kind": kind, "retry_after": 9})) as server:
        response, raw = await post(http, server, body())
        assert response.status == status
        assert json.loads(raw)["error"]["message"]
        header = response.headers.get("Retry-After")
        if kind == "429-seconds":
            assert header == "9"
        elif kind == "429-date":
            pause_s = email.utils.parsedate_to_datetime(str(header)).timestamp() - time.time()
            assert 6 < pause_s < 11
        else:
            assert header is None
        assert server.stats["outcomes"] == {kind: 1}


async def test_reset_is_a_reset(http: aiohttp.ClientSession) -> None:
    async with running(config({"kind": "reset"})) as server:
        with pytest.raises((ConnectionResetError, aiohttp.ClientOSError)) as caught:
            await post(http, server, body())
        assert caught.value.errno == 104
        assert server.log()[0]["status"] == 0


@pytest.mark.parametrize("stream", [False, True])
async def test_cut_ends_before_the_length_that_was_said(http: aiohttp.ClientSession, stream: bool) -> None:
    async with running(config({"kind": "cut"})) as server:
        async with http.post(f"{server.base_url}/chat/completions", json=body(stream=stream)) as response:
            assert response.status == 200
            with pytest.raises(aiohttp.ClientPayloadError):
                await response.read()
        assert server.stats["outcomes"] == {"cut": 1}


async def idle(server: SimulatedServer) -> None:
    """Wait until the server has noticed that its clients are gone."""
    for _ in range(200):
        if not server.stats["concurrent"]:
            return
        await asyncio.sleep(0.01)
    raise AssertionError("the server still works for a client that is gone")


async def test_hang_lasts_until_the_client_goes_away(http: aiohttp.ClientSession) -> None:
    async with running(config({"kind": "hang"})) as server:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(post(http, server, body()), 0.2)
        await idle(server)
        assert server.stats["outcomes"] == {"hang": 1}
    async with running(config({"kind": "hang", "hang_s": 0.1})) as server:
        with pytest.raises(aiohttp.ClientError):
            await post(http, server, body())


async def test_a_client_that_goes_away_is_counted_as_gone(http: aiohttp.ClientSession) -> None:
    async with running(config(latency=30)) as server:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(post(http, server, body()), 0.1)
        await idle(server)
        assert server.stats["outcomes"] == {"gone": 1}


async def test_invalid_json(http: aiohttp.ClientSession) -> None:
    async with running(config({"kind": "invalid-json"})) as server:
        response, raw = await post(http, server, body())
    assert response.status == 200
    with pytest.raises(json.JSONDecodeError):
        json.loads(raw)


async def test_empty_comes_in_both_ways(http: aiohttp.ClientSession) -> None:
    async with running(config({"kind": "empty"})) as server:
        replies = [json.loads((await post(http, server, body(number)))[1]) for number in range(30)]
    nothing = [reply["choices"] == [] or reply["choices"][0]["message"]["content"] == "" for reply in replies]
    assert all(nothing)
    assert {len(reply["choices"]) for reply in replies} == {0, 1}


async def test_refusal_content_filter_and_garbage(http: aiohttp.ClientSession) -> None:
    kinds = ("refusal", "content-filter", "garbage")
    async with running(config(*({"kind": kind, "times": 1} for kind in kinds))) as server:
        refusal, filtered, garbage = [json.loads((await post(http, server, body()))[1])["choices"][0] for _ in kinds]
        assert server.stats["outcomes"] == dict.fromkeys(kinds, 1)
    assert refusal["message"]["content"] is None
    assert "can't help" in refusal["message"]["refusal"]
    assert filtered["finish_reason"] == "content_filter"
    assert garbage["finish_reason"] == "stop"
    with pytest.raises(json.JSONDecodeError):
        json.loads(garbage["message"]["content"])


async def test_a_model_that_refuses_does_so_over_http(http: aiohttp.ClientSession) -> None:
    shy = {"models": {"tom": {"accuracy": 0.5, "refuse": 1.0}}}
    async with running(shy) as server:
        _, raw = await post(http, server, body())
        _, stream = await post(http, server, body(stream=True))
    assert read_completion(raw, latency_s=0, price=None).refused
    assert b'"refusal":"[simulated]' in stream


async def test_drip_gives_a_good_body_a_byte_at_a_time(http: aiohttp.ClientSession) -> None:
    async with running(config({"kind": "drip", "drip_s": 0.0002}), cases=CASES) as server:
        async with http.post(f"{server.base_url}/chat/completions", json=body()) as response:
            parts = [part async for part in response.content.iter_any()]
        assert len(parts) > 50
        assert json.loads(content(b"".join(parts)))["answer"]


async def test_faults_hit_by_rate_and_a_retry_may_pass(http: aiohttp.ClientSession) -> None:
    async def hit(server: SimulatedServer) -> list[int]:
        return [(await post(http, server, body(number)))[0].status for number in range(200)]

    async with running(config({"kind": "500", "rate": 0.3})) as server:
        first, second = await hit(server), await hit(server)
    assert 35 < first.count(500) < 85
    assert any(one == 500 and two == 200 for one, two in zip(first, second, strict=True))
    async with running(config({"kind": "500", "rate": 0.3})) as server:
        assert await hit(server) == first
    async with running(config({"kind": "500", "rate": 0.3}, seed=8)) as server:
        assert await hit(server) != first


async def test_faults_can_be_for_one_model_for_some_times_and_from_a_request_on(http: aiohttp.ClientSession) -> None:
    models = {"tom": {"accuracy": 0.5}, "tim": {"accuracy": 0.5}}
    faults = [{"kind": 503, "model": "tim"}, {"kind": 500, "times": 2, "after": 3}]
    async with running({"models": models, "faults": faults}) as server:
        statuses = [(await post(http, server, body()))[0].status for _ in range(6)]
        assert statuses == [200, 200, 500, 500, 200, 200]
        assert (await post(http, server, body(model="tim")))[0].status == 503
        server.reset()
        assert [(await post(http, server, body()))[0].status for _ in range(5)] == [200, 200, 500, 500, 200]


# --- limits, latency, counts -----------------------------------------------------------------------------------------


async def test_the_rate_limit_says_when_to_come_back(http: aiohttp.ClientSession) -> None:
    async with running(config(rpm=5)) as server:
        answered = [(await post(http, server, body(number)))[0] for number in range(7)]
    assert [response.status for response in answered] == [200] * 5 + [429] * 2
    assert 10 <= int(answered[-1].headers["Retry-After"]) <= 12


async def took_s(http: aiohttp.ClientSession, server: SimulatedServer, count: int = 1) -> float:
    started = time.perf_counter()
    await asyncio.gather(*(post(http, server, body(number)) for number in range(count)))
    return time.perf_counter() - started


async def test_latency_and_capacity(http: aiohttp.ClientSession) -> None:
    """Only lower bounds of time: a busy machine is slower than any server."""
    async with running(config(latency={"fixed_s": 0.1})) as server:
        assert await took_s(http, server, 8) >= 0.1
        assert server.stats["max_concurrent"] == 8
    async with running(config(latency=0.05, capacity=2)) as server:
        assert await took_s(http, server, 8) >= 0.2
    async with running(config(latency={"per_token_s": 0.004})) as server:
        assert await took_s(http, server) > 0.06
    async with running(config(latency={"median_s": 0.05, "sigma": 0.0})) as server:
        assert await took_s(http, server) >= 0.05


def test_lognormal_latency_is_spread_about_its_median() -> None:
    law = LatencyConfig(median_s=0.2, sigma=0.5)
    times = sorted(latency_s(law, 7, Visit(n, f"body {n}", seen=0)) for n in range(2_000))
    assert times[1_000] == pytest.approx(0.2, rel=0.05)
    assert times[1_683] / times[1_000] == pytest.approx(math.exp(0.5), rel=0.08)  # one deviation up
    assert latency_s(law, 7, Visit(1, "body 1", seen=0)) != latency_s(law, 7, Visit(1, "body 1", seen=1))


async def test_stats_log_and_reset(http: aiohttp.ClientSession) -> None:
    async with running(config({"kind": "503", "times": 1})) as server:
        for number in (1, 1, 1, 2):
            await post(http, server, body(number))
        async with http.get(f"{server.url}/stats") as response:
            stats = await response.json()
        assert stats == {**server.stats, "open_connections": stats["open_connections"]}
        assert stats["open_connections"] >= 1
        assert (stats["requests"], stats["bodies"], stats["repeated"]) == (4, 2, 1)
        assert stats["outcomes"] == {"503": 1, "ok": 3}
        assert stats["bodies_by_times_seen"] == {"1": 1, "3": 1}
        async with http.get(f"{server.url}/log?since=1") as response:
            log = await response.json()
        assert [(each["n"], each["model"], each["status"]) for each in log] == [(n, "tom", 200) for n in (2, 3, 4)]
        assert log[0]["body_sha256"] == log[1]["body_sha256"] != log[2]["body_sha256"]
        async with http.get(f"{server.url}/log?since=x") as response:
            assert response.status == 400
        async with http.post(f"{server.url}/reset") as response:
            assert response.status == 200
        assert server.stats["requests"] == 0
        assert server.log() == []


async def test_speed(http: aiohttp.ClientSession) -> None:
    """Printed, not asserted; the client in the same process costs as much as the server."""
    async with running(config(), cases=CASES) as server:
        started = time.perf_counter()
        for _ in range(10):
            await asyncio.gather(*(post(http, server, body(number)) for number in range(100)))
        print(f"{1000 / (time.perf_counter() - started):,.0f} requests a second, client included")


# --- config and command ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("seed: 7\nmodles: {}\n", "sim.yaml:2: modles: unknown key; expected one of seed, questions, models"),
        ("models:\n  tom:\n    accuracy: 0.3\n    acuracy: 2\n", "sim.yaml:4: models.tom.acuracy: unknown key"),
        ("models: {tom: {accuracy: 1.5}}\n", "sim.yaml:1: models.tom.accuracy: .* found 1.5"),
        ("models: {tom: {}}\n", "models.tom.accuracy: Field required"),
        ("latency: {median: 3}\n", "latency.median: unknown key; expected one of fixed_s, median_s"),
        ("faults:\n- kind: 500\n- kind: boom\n", "sim.yaml:3: faults.1.kind: .*429-seconds.* found 'boom'"),
        ("faults: [{kind: 500, model: who}]\n", "a fault is for 'who'; expected one of ann"),
        ("models: {tom: {accuracy: 0.2, family: f, correlation: 1}}\n", "family_correlation must not add up"),
        ("questions: {fiel: a.csv}\n", "questions.*fiel: unknown key"),
        ("questions: {builtin: facts-en, columns: {text: a}}\n", "columns goes with a file that is a table"),
        ("seed: [\n", "sim.yaml:2: not valid YAML"),
        ("- 1\n", "expected keys and values"),
    ],
)
def test_mistakes_in_the_config_are_named_with_their_place(tmp_path: Path, text: str, expected: str) -> None:
    path = tmp_path / "sim.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileError, match=expected) as caught:
        load_config(path)
    assert str(path) in str(caught.value)


async def test_questions_of_the_config_are_found_beside_it(http: aiohttp.ClientSession, tmp_path: Path) -> None:
    lines = [{"id": "a", "text": "Who is «1»?", "answer": "Ada"}, {"id": "b", "text": "Who is «2»?", "answer": "Bo"}]
    (tmp_path / "cup.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    (tmp_path / "sim.yaml").write_text("questions: cup.jsonl\nmodels: {tom: {accuracy: 1}}\n", encoding="utf-8")
    async with running(load_config(tmp_path / "sim.yaml")) as server:
        replies = [json.loads(content((await post(http, server, body(number)))[1])) for number in (1, 2)]
    assert [reply["answer"] for reply in replies] == ["Ada", "Bo"]


async def test_questions_of_the_config_are_named_as_in_an_experiment(
    http: aiohttp.ClientSession, tmp_path: Path
) -> None:
    """With columns of one's own; and two files whose rows are numbered alike are two sets of questions."""
    (tmp_path / "own.csv").write_text("Frage,Falsch,Gut\nWho is «1»?,No,Ada\n", encoding="utf-8")
    (tmp_path / "more.csv").write_text("question,answer\nWho is «2»?,Bo\n", encoding="utf-8")
    (tmp_path / "sim.yaml").write_text(
        "questions: [{file: own.csv, columns: {text: Frage, answer: Gut}}, more.csv, {builtin: facts-en}]\n"
        "models: {tom: {accuracy: 1}}\n"
    )
    async with running(load_config(tmp_path / "sim.yaml")) as server:
        assert len(server.world) == 42
        replies = [json.loads(content((await post(http, server, body(number)))[1])) for number in (1, 2)]
    assert [reply["answer"] for reply in replies] == ["Ada", "Bo"]


async def test_a_port_that_is_taken_is_said_so() -> None:
    async with running() as server:
        port = int(server.url.rsplit(":", 1)[1])
        with pytest.raises(UsageError, match=f"cannot listen on 127.0.0.1:{port}"):
            async with running(port=port):
                pass


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_the_command_says_where_it_is_and_stops_cleanly(how: signal.Signals, tmp_path: Path) -> None:
    (tmp_path / "own.csv").write_text("Question,Correct\nWho?,Ada\n", encoding="utf-8")
    (tmp_path / "sim.yaml").write_text("questions: own.csv\n", encoding="utf-8")
    code = "import typer; from moot.cli.simulate import simulate; typer.run(simulate)"
    named = ["--config", str(tmp_path / "sim.yaml")] if how == signal.SIGINT else [str(tmp_path / "sim.yaml")]
    command = [sys.executable, "-c", code, "--port", "0", *named]
    source = Path(__file__).parents[2] / "src"
    env = {**os.environ, "PYTHONPATH": str(source)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        process.send_signal(how)
        out, err = process.communicate(timeout=60)
    assert line.startswith("simulating 6 models at http://127.0.0.1:")
    assert line.endswith("/v1\n")
    assert (process.returncode, out) == (0, "")
    (said,) = err.splitlines()  # how the file was read, and nothing else
    assert said.startswith("moot: own.csv: by their names, columns: {text: Question, answer: Correct}")
