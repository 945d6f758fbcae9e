"""The endpoint over real HTTP on loopback: what is really sent, and what is made of whatever comes back."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import ssl
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock
from urllib.parse import urlsplit

import aiohttp
import pytest
from aiohttp import web

from moot.errors import (
    CallError,
    ConnectionFailed,
    FileError,
    RateLimited,
    ReplyBroken,
    RequestRejected,
    ServerFailed,
    TimedOut,
    UsageError,
)
from moot.experiment.build import build
from moot.experiment.plan import Plan
from moot.experiment.spec import read_experiment
from moot.models.address_advice import connection_advice
from moot.models.endpoint import EndpointModel, Network
from moot.simulate.server import running
from moot.types import Message, Price, Request, Usage

KEY = "sk-planted-7f3a9c"
SCHEMA = {
    "type": "object",
    "properties": {"reasoning": {"type": "string"}, "answer": {"type": "string"}},
    "required": ["reasoning", "answer"],
    "additionalProperties": False,
}
ASKED = Request((Message("system", "Be brief."), Message("user", "Кто? {x}")), schema=SCHEMA)
PLAIN = Request((Message("user", "Who?"),))


@dataclass
class Seen:
    """One request as it arrived."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any


Answering = Callable[[Seen], web.StreamResponse | Awaitable[web.StreamResponse]]


@dataclass
class Server:
    base_url: str
    seen: list[Seen] = field(default_factory=list)

    @property
    def bodies(self) -> list[Any]:
        return [each.body for each in self.seen]


def completion(content: object = "fine", *, finish: str = "stop", **more: Any) -> dict[str, Any]:
    """A whole chat completion; what is not said is as most servers say it."""
    message = {"role": "assistant", "content": content, **more.pop("message", {})}
    choice = {"index": 0, "message": message, "finish_reason": finish, **more.pop("choice", {})}
    return {"id": "1", "object": "chat.completion", "model": "m-2026", "choices": [choice], **more}


@asynccontextmanager
async def serving(answer: Answering, *, tls: ssl.SSLContext | None = None) -> AsyncIterator[Server]:
    """A server that notes what arrives and answers with a function of it."""
    server = Server("")

    async def handle(request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        seen = Seen(request.method, request.path, dict(request.headers), json.loads(raw) if raw else None)
        server.seen.append(seen)
        result = answer(seen)
        return result if isinstance(result, web.StreamResponse) else await result

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handle)
    runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls)
    await site.start()
    scheme = "https" if tls else "http"
    server.base_url = f"{scheme}://127.0.0.1:{runner.addresses[0][1]}/v1"
    try:
        yield server
    finally:
        await runner.cleanup()


@asynccontextmanager
async def endpoint(base_url: str, **options: Any) -> AsyncIterator[EndpointModel]:
    model = EndpointModel("tom", base_url=base_url, **{"model": "m", **options})
    try:
        yield model
    finally:
        await model.close()


def says(content: object = "fine", **more: Any) -> Answering:
    return lambda seen: web.json_response(completion(content, **more))


def status(code: int, words: object = "no", **headers: str) -> Answering:
    return lambda seen: web.json_response({"error": {"message": words}}, status=code, headers=headers)


# --- what is sent ----------------------------------------------------------------------------------------------------


async def test_params_and_extra_go_through_untouched() -> None:
    params = {"temperature": 0, "max_tokens": 800, "stop": ["\n\n"], "top_p": 0.95, "seed": None}
    extra = {"reasoning_effort": "high", "chat_template_kwargs": {"enable_thinking": False}, "имя": "значение"}
    async with serving(says()) as server, endpoint(server.base_url, params=params, extra=extra) as model:
        await model.generate(PLAIN)
    assert server.bodies == [
        {**params, **extra, "model": "m", "messages": [{"role": "user", "content": "Who?"}]},
    ]
    assert (server.seen[0].method, server.seen[0].path) == ("POST", "/v1/chat/completions")


async def test_params_of_the_request_go_over_those_of_the_model() -> None:
    request = Request(PLAIN.messages, {"temperature": 0.7, "reasoning_effort": "low", "n": 1})
    own = {"params": {"temperature": 0, "max_tokens": 9}, "extra": {"reasoning_effort": "high"}}
    async with serving(says()) as server, endpoint(server.base_url, **own) as model:
        await model.generate(request)
        shape = model.shape(request)
    sent = server.bodies[0]
    assert {key: sent[key] for key in ("temperature", "max_tokens", "reasoning_effort", "n")} == {
        "temperature": 0.7,
        "max_tokens": 9,
        "reasoning_effort": "low",
        "n": 1,
    }
    assert {**shape["body"], "messages": shape["messages"]} == sent, "the key is made of what is sent"


async def test_numbers_as_keys_are_sent_as_json_has_them() -> None:
    """YAML reads `logit_bias: {50256: -100}` with a number for a key."""
    async with serving(says()) as server, endpoint(server.base_url, params={"logit_bias": {50256: -100}}) as model:
        await model.generate(PLAIN)
    assert server.bodies[0]["logit_bias"] == {"50256": -100}


async def test_messages_and_headers() -> None:
    network = Network(headers={"X-Team": "blue", "User-Agent": "mine"})
    async with (
        serving(says()) as server,
        endpoint(f"{server.base_url}/", api_key=KEY, network=network, json_mode="off") as model,
    ):
        await model.generate(ASKED)
    sent = server.seen[0]
    assert sent.body["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Кто? {x}"},
    ]
    assert sent.headers["Authorization"] == f"Bearer {KEY}"
    assert (sent.headers["X-Team"], sent.headers["User-Agent"]) == ("blue", "mine")
    assert sent.headers["Content-Type"] == "application/json"


# --- structured output ------------------------------------------------------------------------------------------------


def forms_asked_for(server: Server) -> list[str]:
    return [body.get("response_format", {"type": "off"})["type"] for body in server.bodies]


def knows(*forms: str) -> Answering:
    def answer(seen: Seen) -> web.Response:
        asked = seen.body.get("response_format", {"type": "off"})["type"]
        if asked in (*forms, "off"):
            return web.json_response(completion("{}"))
        return web.json_response({"error": {"message": f"response_format {asked!r} is not supported"}}, status=400)

    return answer


@pytest.mark.parametrize(
    ("known", "first_call", "afterwards", "support"),
    [
        (("json_schema", "json_object"), ["json_schema"], "json_schema", "schema"),
        (("json_object",), ["json_schema", "json_object"], "json_object", "object"),
        ((), ["json_schema", "json_object", "off"], "off", "off"),
    ],
)
async def test_the_form_is_asked_for_as_well_as_the_server_can(
    known: tuple[str, ...], first_call: list[str], afterwards: str, support: str
) -> None:
    async with serving(knows(*known)) as server, endpoint(server.base_url) as model:
        await model.generate(ASKED)
        assert forms_asked_for(server) == first_call
        for _ in range(3):
            await model.generate(ASKED)
        assert forms_asked_for(server)[len(first_call) :] == [afterwards] * 3, "what was learned is remembered"
        assert model.json_support == support


async def test_the_schema_is_sent_whole() -> None:
    async with serving(knows("json_schema")) as server, endpoint(server.base_url) as model:
        await model.generate(ASKED)
    assert server.bodies[0]["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "reply", "schema": SCHEMA, "strict": True},
    }


@pytest.mark.parametrize(("mode", "sent"), [("schema", "json_schema"), ("object", "json_object"), ("off", "off")])
async def test_an_explicit_mode_is_sent_as_set(mode: Any, sent: str) -> None:
    async with serving(knows("json_schema", "json_object")) as server, endpoint(server.base_url, json_mode=mode) as m:
        await m.generate(ASKED)
        await m.generate(PLAIN)
    assert forms_asked_for(server) == [sent, "off"], "a request without a schema asks for no form"


@pytest.mark.parametrize("mode", ["schema", "object"])
async def test_an_explicit_mode_has_no_fall_back(mode: Any) -> None:
    async with serving(knows()) as server, endpoint(server.base_url, json_mode=mode) as model:
        with pytest.raises(RequestRejected, match="is not supported"):
            await model.generate(ASKED)
    assert len(server.seen) == 1


async def test_a_response_format_of_the_users_own_is_left_alone() -> None:
    own = {"type": "grammar", "value": "root ::= [a-z]+"}
    async with serving(says()) as server, endpoint(server.base_url, extra={"response_format": own}) as model:
        await model.generate(ASKED)
    assert server.bodies[0]["response_format"] == own


async def test_a_rejection_that_is_not_about_the_form_stays_what_it_is() -> None:
    async with serving(status(401, "bad key")) as server, endpoint(server.base_url) as model:
        with pytest.raises(RequestRejected, match="answered 401: 'bad key'") as caught:
            await model.generate(ASKED)
    assert caught.value.status == 401
    assert len(server.seen) == 1
    assert model.json_support == "schema", "nothing was learned about the form"


async def test_simulated_servers_without_json_modes_get_one_request_more() -> None:
    config = {"models": {"m": {"accuracy": 0.5}}, "json_schema": False}
    async with running(config) as server, endpoint(server.base_url) as model:
        for n in range(5):
            reply = await model.generate(Request((Message("user", f"Who is {n}? Reply with JSON."),), schema=SCHEMA))
            assert "[simulated]" in reply.text
        assert server.stats["outcomes"] == {"400": 1, "ok": 5}


# --- what comes back --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "text", "finish", "refused"),
    [
        (completion("fine"), "fine", "stop", False),
        (completion("fin", finish="length"), "fin", "length", False),
        (completion(None, message={"refusal": "I can't."}), "I can't.", "refusal", True),
        (completion("", finish="content_filter"), "", "content_filter", True),
        (
            completion([{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}]),
            "ab",
            "stop",
            0,
        ),
        (completion(None), "", "stop", False),
        (completion("a\x00b"), "a\ufffdb", "stop", False),
    ],
)
async def test_replies_are_read(body: dict[str, Any], text: str, finish: str, refused: bool) -> None:
    async with serving(lambda seen: web.json_response(body)) as server, endpoint(server.base_url) as model:
        reply = await model.generate(PLAIN)
    assert (reply.text, reply.finish, reply.refused) == (text, finish, bool(refused))
    assert reply.latency_s > 0


async def test_lone_surrogates_are_made_storable() -> None:
    raw = json.dumps(completion("broken \ud83d emoji"))
    async with serving(lambda seen: web.Response(text=raw)) as server, endpoint(server.base_url) as model:
        assert (await model.generate(PLAIN)).text == "broken \ufffd emoji"


async def test_thoughts_logprobs_and_version_are_kept() -> None:
    logprobs = {"content": [{"token": "f", "logprob": -0.1, "top_logprobs": []}]}
    body = completion(
        "fine", message={"reasoning_content": "hm"}, choice={"logprobs": logprobs}, system_fingerprint="fp_1"
    )
    async with serving(lambda seen: web.json_response(body)) as server, endpoint(server.base_url) as model:
        reply = await model.generate(PLAIN)
    assert (reply.thoughts, reply.logprobs, reply.version) == ("hm", logprobs, "m-2026 fp_1")


USAGE = {
    "prompt_tokens": 1000,
    "completion_tokens": 200,
    "prompt_tokens_details": {"cached_tokens": 400},
    "completion_tokens_details": {"reasoning_tokens": 150},
}


@pytest.mark.parametrize(
    ("usage", "price", "cost"),
    [
        (USAGE, Price(1.0, 10.0), 0.003),
        (USAGE, Price(1.0, 10.0, cached=0.5), 0.0028),
        (USAGE, Price(1.0, 10.0, cached=0.0), 0.0026),
        (USAGE, Price(0.0, 0.0), 0.0),
        (USAGE, None, None),
        (None, Price(1.0, 10.0), None),
        ({"prompt_tokens": 5}, Price(1.0, 10.0), None),
        ({"prompt_tokens": -1, "completion_tokens": "2"}, Price(1.0, 10.0), None),
    ],
)
async def test_usage_and_cost(usage: Any, price: Price | None, cost: float | None) -> None:
    answer = says(usage=usage) if usage else says()
    async with serving(answer) as server, endpoint(server.base_url, price=price) as model:
        reply = await model.generate(PLAIN)
    assert reply.cost_usd == (None if cost is None else pytest.approx(cost))
    if usage is USAGE:
        assert reply.usage == Usage(prompt=1000, completion=200, reasoning=150, cached=400)


@pytest.mark.parametrize(
    "raw",
    [b"", b"not json", b"[]", b"null", b'{"choices": null}', b'{"error": "x"}', b"\xff\xfe", b"[" * 100_000],
)
async def test_a_success_that_is_no_reply_is_a_broken_one(raw: bytes) -> None:
    async with serving(lambda seen: web.Response(body=raw)) as server, endpoint(server.base_url) as model:
        with pytest.raises(ReplyBroken) as caught:
            await model.generate(PLAIN)
    assert caught.value.maybe_billed
    assert len(str(caught.value)) < 700, "an error message is no dump"


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (status(429, "slow down", **{"Retry-After": "7"}), RateLimited, "429: 'slow down'"),
        (status(500), ServerFailed, "500"),
        (status(503, **{"Retry-After": "3"}), ServerFailed, "503"),
        (status(400, "context too long"), RequestRejected, "400: 'context too long'"),
        (status(404), RequestRejected, "404"),
        (lambda seen: web.Response(status=418, text="<html>teapot</html>"), RequestRejected, "teapot"),
        (lambda seen: web.Response(status=502), ServerFailed, "no words"),
    ],
)
async def test_statuses_become_errors_with_the_servers_words(answer: Answering, kind: type, words: str) -> None:
    async with serving(answer) as server, endpoint(server.base_url) as model:
        with pytest.raises(kind) as caught:
            await model.generate(PLAIN)
    assert words in str(caught.value)
    assert server.base_url in str(caught.value)
    pauses = {429: 7.0, 503: 3.0}
    asked = getattr(caught.value, "retry_after_s", None)
    assert asked == pauses.get(429 if kind is RateLimited else getattr(caught.value, "status", 0))


async def test_a_late_reply_is_a_timeout_and_may_be_on_the_bill() -> None:
    async def late(seen: Seen) -> web.Response:
        await asyncio.sleep(30)
        return web.Response()

    async with serving(late) as server, endpoint(server.base_url, network=Network(timeout_s=0.2)) as model:
        with pytest.raises(TimedOut, match=r"within 0\.2 s") as caught:
            await model.generate(PLAIN)
    assert caught.value.maybe_billed


async def test_nobody_there_is_no_expense() -> None:
    async with endpoint("http://127.0.0.1:9/v1") as model:
        with pytest.raises(ConnectionFailed, match=r"127\.0\.0\.1:9") as caught:
            await model.generate(PLAIN)
    assert not caught.value.maybe_billed


async def test_what_to_do_about_an_address_is_said_with_the_error(certificates: Certificates) -> None:
    """In one clause: the server was not started, it speaks no TLS, nobody vouches for it, its path is another."""
    advised = {"http://127.0.0.1:9/v1": "nothing listens there: start the server"}
    async with (
        serving(says()) as plain,
        serving(says(), tls=server_context(certificates)) as secret,
        serving(status(404, "no such page")) as lost,
    ):
        advised[plain.base_url.replace("http:", "https:")] = "write http:// in base_url"
        advised[secret.base_url] = "name that of whoever vouches for it as ca_file"
        advised[lost.base_url] = "there is no /v1/chat/completions: correct the path in base_url"
        for base_url, advice in advised.items():
            async with endpoint(base_url) as model:
                with pytest.raises(CallError, match=re.escape(advice)):
                    await model.generate(PLAIN)


@pytest.mark.parametrize("lack", ["CA cert does not include key usage extension", "Missing Authority Key Identifier"])
def test_what_a_stricter_python_misses_in_a_certificate_is_told_from_a_stranger(lack: str) -> None:
    error = ssl.SSLCertVerificationError(1, f"[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: {lack}")
    told = connection_advice(aiohttp.ClientConnectorCertificateError(mock.Mock(ssl=True), error))
    assert told is not None
    assert "issued anew" in told
    assert "ca_file" not in told


def test_a_name_that_nobody_knows_is_told_from_a_server_that_is_down() -> None:
    unknown = aiohttp.ClientConnectorDNSError(mock.Mock(ssl=True), OSError(-2, "Name or service not known"))
    assert "nobody knows a host of this name" in (connection_advice(unknown) or "")


async def test_a_model_that_is_not_there_is_not_taken_for_a_wrong_path() -> None:
    async with serving(status(404, "The model 'm' does not exist")) as server, endpoint(server.base_url) as model:
        with pytest.raises(RequestRejected) as caught:
            await model.generate(PLAIN)
    assert "base_url" not in str(caught.value)


@pytest.mark.parametrize("fault", ["reset", "cut"])
async def test_a_reply_that_was_lost_on_the_way_may_be_on_the_bill(fault: str) -> None:
    """The request was sent and worked on; where the connection broke after that says nothing about the bill."""
    config = {"models": {"m": {"accuracy": 0.5}}, "faults": [{"kind": fault}]}
    async with running(config) as server, endpoint(server.base_url) as model:
        with pytest.raises(ConnectionFailed) as caught:
            await model.generate(PLAIN)
    assert caught.value.maybe_billed


async def test_a_closed_model_may_be_used_again() -> None:
    async with serving(says()) as server, endpoint(server.base_url) as model:
        await model.generate(PLAIN)
        await model.close()
        assert (await model.generate(PLAIN)).text == "fine"


# --- streams ----------------------------------------------------------------------------------------------------------


def event(delta: Mapping[str, Any] | None = None, **more: Any) -> bytes:
    choice = {"index": 0, "delta": delta or {}, "finish_reason": more.pop("finish", None), **more.pop("choice", {})}
    body = {"model": "m-2026", "choices": [choice] if delta is not None else [], **more}
    return b"data: " + json.dumps(body, ensure_ascii=False).encode() + b"\n\n"


def token(text: str) -> dict[str, Any]:
    return {"logprobs": {"content": [{"token": text, "logprob": -0.5}]}}


DONE = b"data: [DONE]\n\n"
STREAM = b"".join(
    [
        b": a comment\n\nevent: chunk\n",
        event({"role": "assistant", "content": ""}, system_fingerprint="fp_1"),
        event({"reasoning_content": "hm "}),
        event({"reasoning_content": "well"}),
        event({"content": "Пари"}, choice=token("Пари")),
        event({"content": "ж"}, choice=token("ж")),
        event({}, finish="stop"),
        event(None, usage=USAGE),
        DONE,
    ]
)


def streams(raw: bytes, piece: int = 1 << 20) -> Answering:
    def respond(seen: Seen) -> web.StreamResponse:
        async def body() -> AsyncIterator[bytes]:
            for start in range(0, len(raw), piece):
                yield raw[start : start + piece]
                await asyncio.sleep(0)

        return web.Response(body=body(), content_type="text/event-stream")

    return respond


@pytest.mark.parametrize("piece", [1, 7, 1 << 20])
@pytest.mark.parametrize("raw", [STREAM, STREAM.replace(b"\n", b"\r\n")], ids=["lf", "crlf"])
async def test_a_stream_is_put_together(raw: bytes, piece: int) -> None:
    price = Price(1.0, 10.0)
    async with serving(streams(raw, piece)) as server, endpoint(server.base_url, stream=True, price=price) as model:
        reply = await model.generate(PLAIN)
    assert server.bodies[0]["stream"] is True
    assert server.bodies[0]["stream_options"] == {"include_usage": True}
    assert (reply.text, reply.thoughts, reply.finish) == ("Париж", "hm well", "stop")
    assert reply.usage == Usage(prompt=1000, completion=200, reasoning=150, cached=400)
    assert reply.cost_usd == pytest.approx(0.003)
    assert [each["token"] for each in reply.logprobs["content"]] == ["Пари", "ж"]
    assert reply.version == "m-2026 fp_1"


async def test_a_stream_says_the_same_as_a_whole_reply() -> None:
    async with (
        running({"models": {"m": {"accuracy": 0.5}}}) as server,
        endpoint(server.base_url) as whole,
        endpoint(server.base_url, stream=True) as streamed,
    ):
        one, two = await whole.generate(ASKED), await streamed.generate(ASKED)
    assert (one.text, one.usage, one.version) == (two.text, two.usage, two.version)


@pytest.mark.parametrize(
    ("raw", "text", "finish"),
    [
        (
            event({"refusal": "I "}) + event({"refusal": "can't"}) + event({}, finish="stop") + DONE,
            "I can't",
            "refusal",
        ),
        (event({"content": "a"}) + event({}, finish="content_filter") + DONE, "a", "content_filter"),
        (event({"content": "no finish"}) + DONE, "no finish", "stop"),
        (event({"content": "no done"}) + event({}, finish="stop"), "no done", "stop"),
        (event({"content": "x" * 300_000}) + event({}, finish="stop").rstrip(), "x" * 300_000, "stop"),
        (json.dumps(completion("whole")).encode(), "whole", "stop"),
        (json.dumps(completion("over lines"), indent=2).encode(), "over lines", "stop"),
    ],
    ids=["refusal", "filter", "no finish reason", "no end mark", "long line", "whole", "whole indented"],
)
async def test_streams_differ(raw: bytes, text: str, finish: str) -> None:
    async with serving(streams(raw, 5_000)) as server, endpoint(server.base_url, stream=True) as model:
        reply = await model.generate(PLAIN)
    assert (reply.text, reply.finish) == (text, finish)


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        (event({"content": "a"}), ConnectionFailed),
        (b"", ConnectionFailed),
        (DONE, ReplyBroken),
        (b"data: {broken\n\n", ReplyBroken),
        (b"data: [1]\n\n", ReplyBroken),
        (event({"content": "a"}) + b'data: {"error": {"message": "overloaded"}}\n\n', ReplyBroken),
        (b'{"error": {"message": "overloaded"}}', ReplyBroken),
        (b"data: " + b"[" * 100_000 + b"\n\n", ReplyBroken),
    ],
)
async def test_streams_that_break(raw: bytes, kind: type[CallError]) -> None:
    async with serving(streams(raw)) as server, endpoint(server.base_url, stream=True) as model:
        with pytest.raises(kind) as caught:
            await model.generate(PLAIN)
    assert caught.value.maybe_billed


@pytest.mark.parametrize("odd", [b'{"choices": [null, 5, {"delta": 3}]}', b'{"choices": 7, "usage": [], "model": {}}'])
async def test_odd_events_do_no_harm(odd: bytes) -> None:
    raw = b"data: " + odd + b"\n\n" + event({"content": "ok"}) + event({}, finish="stop") + DONE
    async with serving(streams(raw)) as server, endpoint(server.base_url, stream=True) as model:
        assert (await model.generate(PLAIN)).text == "ok"


# --- proxy, TLS, redirects, secrets ------------------------------------------------------------------------------------


async def test_the_proxy_is_used_and_its_password_not_told() -> None:
    """A forward proxy gets the whole address in its request line; this one answers instead of asking further."""
    lines: list[bytes] = []

    async def proxy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        lines.append(head)
        body = b"go away" if head.startswith(b"CONNECT") else json.dumps(completion("by proxy")).encode()
        code = b"407 Proxy Authentication Required" if head.startswith(b"CONNECT") else b"200 OK"
        writer.write(b"HTTP/1.1 %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (code, len(body), body))
        await writer.drain()
        writer.close()

    listener = await asyncio.start_server(proxy, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    network = Network(proxy=f"http://me:{KEY}@127.0.0.1:{port}")
    async with listener:
        async with endpoint("http://api.invalid/v1", network=network) as model:
            assert (await model.generate(PLAIN)).text == "by proxy"
        assert lines[0].startswith(b"POST http://api.invalid/v1/chat/completions HTTP/1.1\r\n")
        async with endpoint("https://api.invalid/v1", network=network) as model:
            with pytest.raises(CallError) as caught:
                await model.generate(PLAIN)
        assert lines[1].startswith(b"CONNECT api.invalid:443")
    assert KEY not in f"{caught.value!s} {caught.value!r} {model.shape(PLAIN)}"


@dataclass(frozen=True)
class Certificates:
    ca: Path
    server: Path
    client: Path


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    if shutil.which("openssl") is None:
        pytest.skip("certificates are made with the openssl command, which is not here")
    folder = tmp_path_factory.mktemp("tls")

    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    new_key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    # Python 3.13 and later ask of a certificate all that the standard does.
    of_a_ca = ("-addext", "keyUsage=critical,keyCertSign,cRLSign")
    openssl(
        "req", "-x509", *new_key, *of_a_ca, "-days", "2", "-subj", "/CN=test CA", "-keyout", "ca.key", "-out", "ca.pem"
    )
    (folder / "names").write_text("subjectAltName=IP:127.0.0.1\nauthorityKeyIdentifier=keyid\n")
    for name in ("server", "client"):
        openssl("req", *new_key, "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.csr")
        signed = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "names", "-out", f"{name}.crt")
        openssl("x509", "-req", "-days", "2", "-in", f"{name}.csr", *signed)
        both = (folder / f"{name}.crt").read_text() + (folder / f"{name}.key").read_text()
        (folder / f"{name}.pem").write_text(both)
    return Certificates(folder / "ca.pem", folder / "server.pem", folder / "client.pem")


def server_context(certificates: Certificates, *, client_needed: bool = False) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates.server)
    if client_needed:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(certificates.ca)
    return context


async def test_a_ca_of_ones_own_and_a_client_certificate(certificates: Certificates) -> None:
    tls = server_context(certificates, client_needed=True)
    async with serving(says("secret"), tls=tls) as server:
        trusted = Network(ca_file=certificates.ca, client_cert=certificates.client)
        async with endpoint(server.base_url, network=trusted) as model:
            assert (await model.generate(PLAIN)).text == "secret"
        async with endpoint(server.base_url, network=Network(ca_file=certificates.ca)) as model:
            with pytest.raises(ConnectionFailed):
                await model.generate(PLAIN)
    assert len(server.seen) == 1


async def test_a_certificate_that_nobody_vouches_for_is_not_trusted(certificates: Certificates) -> None:
    async with serving(says(), tls=server_context(certificates)) as server:
        for network in (Network(), Network(client_cert=certificates.client)):
            async with endpoint(server.base_url, api_key=KEY, network=network) as model:
                with pytest.raises(ConnectionFailed, match=r"(?i)certificate") as caught:
                    await model.generate(PLAIN)
            assert not caught.value.maybe_billed
    assert server.seen == []


def test_certificates_that_cannot_be_read_are_said_beforehand(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("no certificate")
    for network in (Network(ca_file=tmp_path / "ca.pem"), Network(client_cert=tmp_path / "absent.pem")):
        with pytest.raises(UsageError, match=r"cannot load the certificate .*\.pem"):
            network.ssl_context()


@dataclass
class Proxy:
    """A small forward proxy: it tunnels what is asked for with CONNECT, and passes anything else on."""

    address: str
    heads: list[bytes] = field(default_factory=list)
    """All that it could read."""


@asynccontextmanager
async def proxying() -> AsyncIterator[Proxy]:
    proxy = Proxy("")

    async def pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
        writer.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        proxy.heads.append(head)
        target = head.split()[1].decode()
        place = target if head.startswith(b"CONNECT") else urlsplit(target).netloc
        host, _, port = place.rpartition(":")
        further, back = await asyncio.open_connection(host, int(port))
        if head.startswith(b"CONNECT"):
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        else:
            back.write(head)
        await asyncio.gather(pipe(reader, back), pipe(further, writer), return_exceptions=True)

    listener = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with listener:
        proxy.address = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
        yield proxy


@pytest.fixture
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setenv("PLANTED", KEY)
    return monkeypatch


def from_file(folder: Path, base_url: str, **keys: Any) -> Plan:
    """As a file says it, so that the environment is read where a run would read it."""
    entry = {"provider": "endpoint", "base_url": base_url, "model": "m", **keys}
    file = folder / "proxied.yaml"
    file.write_text(json.dumps({"name": "proxied", "models": {"tom": entry}}))
    return build(read_experiment(file, with_questions=False))


async def spoken(experiment: Plan) -> str:
    model = experiment.models["tom"].model
    try:
        return (await model.generate(PLAIN)).text
    finally:
        await model.close()


@pytest.mark.parametrize("named", ["in the environment", "in the file"])
async def test_a_proxy_tunnels_and_never_sees_the_key(
    named: str, certificates: Certificates, tmp_path: Path, no_proxies: pytest.MonkeyPatch
) -> None:
    async with serving(says("through"), tls=server_context(certificates)) as server, proxying() as proxy:
        no_proxies.setenv("HTTPS_PROXY", proxy.address.replace("http://", ""))  # curl takes it without a scheme too
        given = "env" if named == "in the environment" else proxy.address
        secret = {"api_key_env": "PLANTED", "headers": {"X-Team": f"team {KEY}"}}
        experiment = from_file(tmp_path, server.base_url, proxy=given, ca_file=f"{certificates.ca}", **secret)
        assert await spoken(experiment) == "through"
    (head,) = proxy.heads
    assert head.startswith(b"CONNECT 127.0.0.1:")
    assert KEY.encode() not in head
    assert server.seen[0].headers["Authorization"] == f"Bearer {KEY}"
    assert server.seen[0].headers["X-Team"] == f"team {KEY}"
    assert experiment.public_config["models"]["tom"]["proxy"] == given


async def test_an_open_address_passes_the_environments_proxy_without_a_key_only(
    tmp_path: Path, no_proxies: pytest.MonkeyPatch
) -> None:
    async with serving(says("open")) as server, proxying() as proxy:
        no_proxies.setenv("http_proxy", proxy.address)
        assert await spoken(from_file(tmp_path, server.base_url, proxy="env")) == "open"
        assert proxy.heads[0].startswith(f"POST {server.base_url}/chat/completions ".encode())
        for secret in ({"api_key_env": "PLANTED"}, {"headers": {"X-Key": KEY}}):
            with pytest.raises(FileError, match=r"models\.tom\.proxy: the key or headers would pass .* in the clear"):
                from_file(tmp_path, server.base_url, proxy="env", **secret)
        meant = from_file(tmp_path, server.base_url, proxy=proxy.address, api_key_env="PLANTED")
        assert await spoken(meant) == "open"
        assert KEY.encode() in proxy.heads[-1]


async def test_without_env_and_for_hosts_in_no_proxy_it_is_passed_by(
    tmp_path: Path, no_proxies: pytest.MonkeyPatch
) -> None:
    async with serving(says("direct")) as server, proxying() as proxy:
        no_proxies.setenv("ALL_PROXY", proxy.address)
        assert await spoken(from_file(tmp_path, server.base_url)) == "direct"
        no_proxies.setenv("NO_PROXY", "127.0.0.1")
        assert await spoken(from_file(tmp_path, server.base_url, proxy="env", api_key_env="PLANTED")) == "direct"
    assert proxy.heads == []


async def test_a_connection_that_fails_beside_a_proxy_says_so(tmp_path: Path, no_proxies: pytest.MonkeyPatch) -> None:
    dead = from_file(tmp_path, "http://127.0.0.1:9/v1")
    with pytest.raises(ConnectionFailed) as plain:
        await spoken(dead)
    no_proxies.setenv("HTTP_PROXY", f"http://me:{KEY}@127.0.0.1:9")
    with pytest.raises(ConnectionFailed, match="with proxy: env it is used") as hinted:
        await spoken(dead)
    assert "proxy: env" not in str(plain.value)
    assert KEY not in str(hinted.value)


@pytest.mark.parametrize("odd", [f"socks5://me:{KEY}@127.0.0.1:9", f"http://{KEY}:port", "http://"])
def test_a_variable_that_names_no_http_proxy_is_said_and_not_shown(
    odd: str, tmp_path: Path, no_proxies: pytest.MonkeyPatch
) -> None:
    no_proxies.setenv("HTTPS_PROXY", odd)
    with pytest.raises(FileError, match=r"models\.tom\.proxy: the environment's HTTPS_PROXY: expected") as caught:
        from_file(tmp_path, "https://127.0.0.1:9/v1", proxy="env")
    assert KEY not in str(caught.value)


async def test_redirects_are_not_followed_and_the_key_goes_nowhere_else() -> None:
    async with serving(says()) as other:
        moved = status(307, Location=f"{other.base_url}/chat/completions")
        async with serving(moved) as server, endpoint(server.base_url, api_key=KEY) as model:
            with pytest.raises(RequestRejected, match=f"redirects to {other.base_url}"):
                await model.generate(PLAIN)
            assert len(server.seen) == 1
    assert other.seen == []


@pytest.mark.parametrize("code", [400, 401, 429, 500])
async def test_a_key_that_the_server_repeats_is_not_passed_on(code: int) -> None:
    echo = status(code, f"Incorrect API key provided: {KEY} (header: Bearer {KEY})")
    async with serving(echo) as server, endpoint(server.base_url, api_key=KEY) as model:
        with pytest.raises(CallError) as caught:
            await model.generate(PLAIN)
        assert server.seen[0].headers["Authorization"] == f"Bearer {KEY}"
    assert KEY not in f"{caught.value} {caught.value!r}"


async def test_the_key_is_in_no_shape_and_no_repr() -> None:
    network = Network(headers={"X-Api-Key": KEY})
    async with endpoint("http://127.0.0.1:9/v1", api_key=KEY, network=network) as model:
        with pytest.raises(ConnectionFailed) as caught:
            await model.generate(PLAIN)
        told = [
            model.shape(ASKED),
            repr(model),
            str(model),
            repr(caught.value),
            str(caught.value),
            str(caught.traceback),
        ]
    assert KEY not in "".join(map(str, told))


async def test_the_list_of_models() -> None:
    config = {"models": {"ann": {"accuracy": 0.5}, "bob": {"accuracy": 0.5}}}
    async with running(config) as server, endpoint(server.base_url) as model:
        assert await model.versions() == ["ann", "bob"]
    async with endpoint(server.base_url) as model:
        with pytest.raises(ConnectionFailed):
            await model.versions()


@pytest.mark.parametrize("raw", ["[]", "{}", "no", '{"data": null}', '{"data": [1]}'])
async def test_a_list_that_is_none_is_empty(raw: str) -> None:
    async with serving(lambda seen: web.Response(text=raw)) as server, endpoint(server.base_url) as model:
        assert await model.versions() == []
