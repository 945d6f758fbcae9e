"""Attacks with a client's JSON Schema: costly ones, broken ones, numbers without end. Nobody else waits, nobody is paid."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from served import Served, serving
from test_api import noting

from moot.serve.admission import KeyLimits
from moot.serve.app import ServeSettings
from moot.serve.client_schema import NO_OBJECT, problem_of
from moot.serve.schema_checks import NotLookedAt, SchemaChecks


def branching(levels: int) -> dict[str, Any]:
    """Each level refers to the next twice: a tree that nobody lives to see the end of."""
    definitions = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(levels)}
    return {"$ref": "#/$defs/d0", "$defs": {**definitions, f"d{levels}": {"type": "object"}}}


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


def choices(levels: int) -> dict[str, Any]:
    """Choices between the same two things, level by level, without any reference."""
    schema: dict[str, Any] = {"type": "object", "required": ["never"]}
    for _ in range(levels):
        schema = {"oneOf": [schema, schema]}
    return schema


COSTLY: dict[str, dict[str, Any]] = {
    "branching references": branching(40),
    "a reference to itself": {"$ref": "#"},
    "two that refer to each other": {
        "$ref": "#/$defs/a",
        "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}},
    },
    "deep": nested(60),
    "choices": choices(13),
    "many words": {"type": "object", "enum": [{"a": f"{number:05}"} for number in range(20_000)]},
    "many properties": {
        "type": "object",
        "properties": {f"p{n}": {"anyOf": [{"type": "string"}] * 9} for n in range(4_000)},
    },
    "a long pattern": {"type": "object", "properties": {"a": {"pattern": "(a{1,99}){1,99}" * 900}}},
    "a large pattern": {"type": "object", "properties": {"a": {"pattern": r"(\w{1000}){1000}"}}},
}

UNFOLLOWABLE: dict[str, Any] = {
    "a text": {"type": "string"},
    "another kind": {"type": ["array", "null"]},
    "nothing": {"not": {}},
    "no object": {"type": "object", "not": {"type": ["string", "object"], "title": "all"}},
    "a value that is none": {"const": 3},
    "values that are none": {"enum": ["yes", "no"]},
    "values that do not follow the rest": {"type": "object", "enum": [{"a": 1}], "required": ["b"]},
    "a part that is none": {
        "type": "object",
        "allOf": [{"$ref": "#/$defs/word"}],
        "$defs": {"word": {"type": "string"}},
    },
    "choices that are none": {"anyOf": [{"type": "string"}, {"oneOf": [False, {"type": "null"}]}]},
    "a field that cannot be": {"properties": {"a": {"not": {}}}, "required": ["a"]},
    "a field that may not be": {"properties": {"b": {}}, "required": ["a"], "additionalProperties": False},
    "too few fields": {"required": ["a", "b"], "maxProperties": 1},
    "too many fields": {"properties": {"a": {}}, "minProperties": 2, "additionalProperties": False},
}
FOLLOWABLE: dict[str, Any] = {
    "anything": {},
    "several kinds": {"type": ["string", "object"]},
    "a value": {"const": {"a": 1}},
    "a choice": {"anyOf": [{"type": "string"}, {"type": "object"}]},
    "not this": {"not": {"required": ["a"]}},
    "by a reference": {"$ref": "#/$defs/one", "$defs": {"one": {"type": "object"}}},
    "a field that need not be": {"properties": {"a": False}},
    "no fields": {"maxProperties": 0, "additionalProperties": False},
    "itself": {"type": "object", "properties": {"next": {"$ref": "#"}}},
    "a word for it": {"properties": {"not": {}, "type": {"const": 3}, "enum": {}}},
}


@pytest.mark.parametrize("name", [*UNFOLLOWABLE, *FOLLOWABLE])
def test_whether_an_object_can_follow_it(name: str) -> None:
    assert problem_of({**UNFOLLOWABLE, **FOLLOWABLE}[name]) == (NO_OBJECT if name in UNFOLLOWABLE else None)


async def test_what_no_object_can_follow_is_refused_before_the_team_is_paid(tmp_path: Path) -> None:
    called, _, wrap = noting()
    async with serving(tmp_path, wrap=wrap) as served:
        for schema in ({"type": "string"}, {"not": {}}):
            tool = {"type": "function", "function": {"name": "f", "parameters": schema}}
            forced = {"tools": [tool], "tool_choice": {"type": "function", "function": {"name": "f"}}}
            for more in ({"response_format": form(schema)}, forced):
                status, body = await served.chat("Which?", **more)
                assert (status, body["error"]["code"]) == (400, "invalid_schema")
                assert "no object can follow it" in body["error"]["message"]
    assert called == []


def form(schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "n", "schema": schema}}


BROKEN: dict[str, dict[str, Any]] = {
    "a place that is not there": {"type": "object", "properties": {"a": {"$ref": "#/$defs/missing"}}},
    "one deep inside": {"properties": {"a": {"items": {"not": {"$ref": "#/nowhere"}}}}},
    "an anchor that is not there": {"properties": {"a": {"$ref": "#missing"}}},
    "another document": {"properties": {"a": {"$ref": "other.json"}}},
    "an address": {"properties": {"a": {"$ref": "http://127.0.0.1:1/schema.json"}}},
    "a dynamic one": {"properties": {"a": {"$dynamicRef": "#missing"}}},
    "what is no schema": {"properties": {"a": {"$ref": "#/properties/b/const"}, "b": {"const": 3}}},
    "a base of its own": {"properties": {"a": {"$id": "http://127.0.0.1:1/", "$ref": "#/x"}}},
    "a broken pattern": {"properties": {"a": {"pattern": "("}}},
    "no type": {"properties": {"a": {"type": "nonsense"}}},
}

LONG_NUMBER = "9" * 5000


def asking(schema: str, question: str = "Which city?") -> bytes:
    """As text: no library writes what an attacker may."""
    return (
        f'{{"model": "three/vote", "messages": [{{"role": "user", "content": "{question}"}}], "response_format": '
        f'{{"type": "json_schema", "json_schema": {{"name": "n", "schema": {schema}}}}}}}'
    ).encode()


async def sent(served: Served, body: bytes, path: str = "/v1/chat/completions") -> tuple[int, dict[str, Any]]:
    headers = {"Content-Type": "application/json"}
    async with served.session.post(served.url + path, data=body, headers=headers) as response:
        assert response.headers["Content-Type"].startswith("application/json"), await response.text()
        return response.status, await response.json()


async def test_while_costly_schemas_are_looked_at_others_are_answered(tmp_path: Path) -> None:
    called, _, wrap = noting()
    async with serving(tmp_path, wrap=wrap) as served:
        costly = [asyncio.create_task(sent(served, asking(json.dumps(schema)))) for schema in COSTLY.values()]
        longest_s = 0.0
        while not all(task.done() for task in costly):
            began = time.thread_time()  # the server is on this thread, and a machine under load is slow by itself
            assert (await served.get("/healthz"))[0] == 200
            longest_s = max(longest_s, time.thread_time() - began)
            await asyncio.sleep(0.05)
        for name, task in zip(COSTLY, costly, strict=True):
            status, body = await task
            assert (status, body.get("error", {}).get("param")) == (400, "response_format"), (name, body)
        assert called == [], "before the team is paid"
        assert longest_s < 5, "nobody waits for it"


@pytest.mark.parametrize("stream", [False, True])
async def test_what_is_broken_is_said_before_the_team_is_paid(tmp_path: Path, stream: bool) -> None:
    called, _, wrap = noting()
    async with serving(tmp_path, wrap=wrap) as served:
        numbers = [
            f'{{"properties": {{"a": {{"const": {LONG_NUMBER}}}}}}}',
            f'{{"properties": {{"a": {{"maximum": {"9" * 400}}}}}}}',
            '{"properties": {"a": {"const": 18446744073709551616}}}',
            '{"properties": {"a": {"const": 1e999}}}',
            '{"properties": {"a": {"multipleOf": 0}}}',
        ]
        for schema in [*map(json.dumps, BROKEN.values()), *numbers]:
            body = asking(schema)
            if stream:
                body = body[:-1] + b', "stream": true}'
            status, answer = await sent(served, body)
            assert status == 400, (schema, answer)
            assert answer["error"]["message"]
        form = {"type": "json_schema", "name": "n", "schema": BROKEN["one deep inside"]}
        asked = {"model": "three/vote", "input": "Which?", "text": {"format": form}}
        assert (await sent(served, json.dumps(asked).encode(), "/v1/responses"))[0] == 400
    assert called == []


async def test_numbers_and_depth_that_break_a_parser_get_the_error_form(tmp_path: Path) -> None:
    called, _, wrap = noting()
    async with serving(tmp_path, wrap=wrap) as served:
        bodies = [
            f'{{"model": {LONG_NUMBER}}}',
            f'{{"model": 1, "x": {LONG_NUMBER}, "messages": []}}',
            f'{{"model": "three/vote", "messages": [{{"role": "user", "content": "?"}}], "n": {LONG_NUMBER}}}',
            f'{{"model": "three/vote", "messages": [{{"role": {LONG_NUMBER}}}]}}',
            '{"model": "three/vote", "messages": ' + "[" * 5000 + "]" * 5000 + "}",
            '{"model": 1, "x": ' + '{"a":' * 5000 + "1" + "}" * 5000 + "}",
            '{"model": 1, "x": ' + '{"a":' * 150 + "1" + "}" * 150 + "}",
            '{"model": "three/vote", "messages": [{"role": "user", "content": "?"}], "time_limit_s": 1e999}',
            '{"model": "three/vote", "messages": [{"role": "user", "content": "\\ud800"}]}',
            '{"model": "\\u0000", "messages": [{"role": "user", "content": "?"}]}',
            "\ufeff{}",
            "NaN",
        ]
        for body in bodies:
            for path in ("/v1/chat/completions", "/v1/responses", "/v1/feedback"):
                status, answer = await sent(served, body.encode(), path)
                assert status in (400, 404), (body[:80], path, answer)
                assert answer["error"]["type"]
    assert called == []


async def test_whatever_breaks_inside_has_the_error_form(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(tmp_path) as served:

        async def broken(*_: Any, **__: Any) -> Any:
            raise ZeroDivisionError("the secret inside")

        monkeypatch.setattr(served.live, "play", broken)
        status, answer = await served.chat("Which river?")
        assert (status, answer["error"]["code"]) == (500, "internal_error")
        assert "secret inside" not in json.dumps(answer)
        asked = {"model": "three/vote", "messages": [{"role": "user", "content": "?"}], "stream": True}
        async with served.session.post(served.url + "/v1/chat/completions", json=asked) as response:
            text = await response.text()
        assert '"code":"internal_error"' in text
        assert text.endswith("data: [DONE]\n\n")
        monkeypatch.setattr(served.live.store, "read", broken)
        status, answer = await served.get("/v1/moot/episodes")
        assert (status, answer["error"]["code"]) == (500, "internal_error")


async def test_the_limits_of_a_key_come_before_its_schemas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[Any] = []
    real = SchemaChecks.problem_of

    async def noted(self: SchemaChecks, schema: Any, asker: str) -> str | None:
        looked_at.append(schema)
        return await real(self, schema, asker)

    monkeypatch.setattr(SchemaChecks, "problem_of", noted)
    async with serving(tmp_path, settings=ServeSettings(limits=KeyLimits(per_minute=2))) as served:
        body = asking(json.dumps(COSTLY["choices"]))
        statuses = [(await sent(served, body))[0] for _ in range(5)]
        assert statuses.count(429) == 3
        assert len(looked_at) == 2


SLEEPER = """
import sys, time
print('"ready"', flush=True)
for line in sys.stdin:
    if "slow" in line:
        time.sleep(600)
    print("null", flush=True)
"""


async def test_a_check_that_takes_too_long_is_really_stopped(tmp_path: Path) -> None:
    marked = f"{SLEEPER}\n# {tmp_path}"
    checks = SchemaChecks(most_wall_s=0.5, workers=1, command=(sys.executable, "-c", marked))

    def alive() -> int:
        lines = (path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline"))
        return sum(str(tmp_path).encode() in line for line in lines)

    try:
        assert await checks.problem_of({"type": "object"}, "ann") is None
        assert alive() == 1
        with pytest.raises(NotLookedAt, match=r"could not be checked within 0\.5 s"):
            await checks.problem_of({"title": "slow"}, "ann")
        async with asyncio.timeout(120):
            while alive():  # noqa: ASYNC110  processes tell nobody
                await asyncio.sleep(0.02)
        assert await checks.problem_of({"title": "again"}, "ann") is None, "another takes its place"
        leaving = asyncio.create_task(checks.problem_of({"title": "slow, and nobody waits"}, "bob"))
        await asyncio.sleep(0.1)
        leaving.cancel()
        assert await checks.problem_of({"title": "and again"}, "cat") is None
        checks._most_wall_s = 600
        with pytest.raises(NotLookedAt, match="could not"):  # it is remembered, and costs nothing
            await checks.problem_of({"title": "slow"}, "cat")
    finally:
        await checks.close()
    async with asyncio.timeout(120):
        while alive():  # noqa: ASYNC110  processes tell nobody
            await asyncio.sleep(0.02)


@pytest.mark.parametrize("command", [(sys.executable, "-c", SLEEPER), (sys.executable, "-c", ""), ("/nowhere/python",)])
@pytest.mark.parametrize("stream", [False, True])
async def test_a_machine_that_has_no_time_is_no_fault_of_the_schema(
    command: tuple[str, ...], stream: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one that starts no process any more. Nobody is asked, and the client may come again."""
    checks = SchemaChecks(most_wall_s=0.5, workers=1, command=command)
    monkeypatch.setattr("moot.serve.app.SchemaChecks", lambda: checks)
    called, _, wrap = noting()
    schema = {"type": "object", "title": "slow"}
    chat = json.loads(asking(json.dumps(schema)))
    form = {"type": "json_schema", "name": "n", "schema": schema}
    response = {"model": "three/vote", "input": "Which?", "text": {"format": form}}
    async with serving(tmp_path, wrap=wrap) as served:
        for path, body in (("/v1/chat/completions", chat), ("/v1/responses", response)):
            async with served.session.post(served.url + path, json={**body, "stream": stream}) as answer:
                error = json.loads(await answer.read())["error"]
                assert (answer.status, error["code"], error["type"]) == (503, "schema_not_checked", "server_error")
                assert answer.headers["Retry-After"] == "60"
    assert called == []


MORTAL = """
import os, sys
print('"ready"', flush=True)
for line in sys.stdin:
    with open(sys.argv[1], "a") as asked:
        asked.write("x")
    if "deadly" in line or ("unlucky" in line and os.path.getsize(sys.argv[1]) == 1):
        os._exit(1)
    print("null", flush=True)
"""


async def test_a_process_that_ends_says_nothing_of_the_schema(tmp_path: Path) -> None:
    """It is asked of another; and where that ends too, it is asked again after a while, but not at once."""
    asked = tmp_path / "asked"
    command = (sys.executable, "-c", MORTAL, str(asked))
    checks = SchemaChecks(workers=2, command=command)
    try:
        assert await checks.problem_of({"title": "unlucky"}, "ann") is None
        assert asked.read_text() == "xx"
        words = {await checks.problem_of({"title": "deadly"}, "ann") for _ in range(5)}
        assert words == {"the process that checks it ends without a word"}
        assert asked.read_text() == "xx" + "xx"
        checks.forgotten_s = 0.0
        asked.write_text("")
        for _ in range(2):
            assert await checks.problem_of({"title": "deadly too"}, "ann")
        assert asked.read_text() == "xx" * 2
        assert not await checks.fits({"title": "deadly"}, {}, "ann")
    finally:
        await checks.close()


TAKES_SECONDS = {
    "type": "object",
    "properties": {f"p{number}": {"pattern": f"((a{{1,200}}){{1,{100 + number}}})"} for number in range(200)},
}


async def test_what_counts_is_the_time_of_its_own_work(tmp_path: Path) -> None:
    checks = SchemaChecks(most_s=0.3, most_wall_s=600, workers=1)
    try:
        assert await checks.problem_of({"type": "object"}, "ann") is None
        (process,) = checks._running
        process.send_signal(signal.SIGSTOP)  # as a machine stands still
        checking = asyncio.create_task(checks.problem_of({"title": "good"}, "ann"))
        await asyncio.sleep(0.7)
        process.send_signal(signal.SIGCONT)
        assert await checking is None
        words = str(await checks.problem_of(TAKES_SECONDS, "ann"))
        assert words == "it takes longer than 0.3 s to check"
    finally:
        await checks.close()


async def test_a_costly_schema_that_comes_again_at_the_same_moment_is_looked_at_once(tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    checks = SchemaChecks(workers=2, command=(sys.executable, "-c", MORTAL, str(asked)))
    try:
        assert set(await asyncio.gather(*(checks.problem_of({"title": "a"}, "ann") for _ in range(5)))) == {None}
        assert asked.read_text() == "x"
    finally:
        await checks.close()


@pytest.mark.parametrize("name", ["a reference to itself", "two that refer to each other"])
def test_a_schema_that_leads_back_to_itself_is_called_that(name: str) -> None:
    assert problem_of(COSTLY[name]) == "its references lead back to themselves, or too far"


async def test_the_process_knows_no_key_and_imports_nothing_from_where_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("UPSTREAM_KEY", "a-secret-of-mine")
    (tmp_path / "jsonschema.py").write_text(f"open({str(tmp_path / 'sprung')!r}, 'w').close()", encoding="utf-8")
    checks = SchemaChecks(workers=1)
    try:
        assert await checks.problem_of({"type": "object"}, "ann") is None
        assert await checks.fits({"required": ["a"]}, {"a": 1}, "ann")
        assert not await checks.fits({"required": ["a"]}, {"b": 1}, "ann")
        (process,) = checks._running
        environment = await asyncio.to_thread(Path(f"/proc/{process.pid}/environ").read_bytes)
        assert b"a-secret-of-mine" not in environment
    finally:
        await checks.close()
    assert not (tmp_path / "sprung").exists()


async def test_a_reply_that_is_costly_to_check_is_checked_elsewhere(tmp_path: Path) -> None:
    """The schema is harmless by itself; what a model writes under it is not."""
    from moot.models.model import Wrapper
    from moot.types import Reply, Request

    class Wide(Wrapper):
        async def generate(self, request: Request) -> Reply:
            if request.schema is not None and "list" in request.schema.get("properties", {}):
                return Reply(json.dumps({"list": [[number, "x"] for number in range(4_000)]}), cost_usd=0.0)
            return await self.inner.generate(request)

    schema = {
        "type": "object",
        "properties": {"list": {"type": "array", "uniqueItems": True, "items": {"oneOf": [{"type": "array"}] * 9}}},
        "required": ["list"],
    }
    async with serving(tmp_path, wrap=lambda name, model: Wide(model)) as served:
        costly = asyncio.create_task(sent(served, asking(json.dumps(schema))))
        longest_s = 0.0
        while not costly.done():
            began = time.thread_time()  # the server is on this thread, and a machine under load is slow by itself
            assert (await served.get("/healthz"))[0] == 200
            longest_s = max(longest_s, time.thread_time() - began)
            await asyncio.sleep(0.02)
        status, body = await costly
        assert (status, body["error"]["code"]) == (502, "schema_not_followed")
        assert longest_s < 5


async def test_a_number_that_no_json_holds_does_not_fit(tmp_path: Path) -> None:
    from moot.models.model import Wrapper
    from moot.types import Reply, Request

    class Endless(Wrapper):
        async def generate(self, request: Request) -> Reply:
            if request.schema is not None and "far" in request.schema.get("properties", {}):
                return Reply(
                    '{"far": 1e999}' if "far" not in str(request.messages[-1]) else f'{{"far": {LONG_NUMBER}}}'
                )
            return await self.inner.generate(request)

    schema = {"type": "object", "properties": {"far": {"type": "number"}}, "required": ["far"]}
    async with serving(tmp_path, wrap=lambda name, model: Endless(model)) as served:
        status, body = await sent(served, asking(json.dumps(schema)))
        assert (status, body["error"]["code"]) == (502, "schema_not_followed")
