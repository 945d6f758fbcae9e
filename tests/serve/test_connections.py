"""Attacks on the connections of a served team: half-open, idle, endless, unread. Others are answered meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import yaml
from served import THREE, Served, serving

from moot.openai_form.listening import Listening
from moot.serve.connections import Connections, Patience
from moot.serve.team_server import TeamServer

QUICK = Patience(headers_s=0.4, body_s=0.4, idle_s=0.4, unread_s=0.4)
PATIENT = Patience(headers_s=60, body_s=60, idle_s=60, unread_s=60)
BEGINNINGS = (
    b"",
    b"POST /v1/chat/comple",
    b"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",
    b"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{",
)


def place(served: Served) -> tuple[str, int]:
    host, port = served.url.removeprefix("http://").split(":")
    return host, int(port)


@contextlib.asynccontextmanager
async def half_open(served: Served, count: int, source: str = "127.0.0.1") -> AsyncIterator[list[asyncio.StreamReader]]:
    readers, writers = [], []
    for number in range(count):
        reader, writer = await asyncio.open_connection(*place(served), local_addr=(source, 0))
        writer.write(BEGINNINGS[number % len(BEGINNINGS)])
        readers.append(reader)
        writers.append(writer)
    try:
        yield readers
    finally:
        for writer in writers:
            writer.transport.abort()


async def fresh(served: Served, source: str = "127.0.0.1") -> int:
    """Asked on a connection of its own, from this address."""
    connector = aiohttp.TCPConnector(local_addr=(source, 0), force_close=True)
    async with aiohttp.ClientSession(connector=connector, timeout=aiohttp.ClientTimeout(20)) as session:
        body = {"model": "three/vote", "messages": [{"role": "user", "content": "Which river?"}]}
        async with session.post(f"{served.url}/v1/chat/completions", json=body) as response:
            await response.read()
            return response.status


async def ended(readers: list[asyncio.StreamReader]) -> int:
    """How many the server has closed."""

    async def over(reader: asyncio.StreamReader) -> bool:
        with contextlib.suppress(TimeoutError, ConnectionError):
            async with asyncio.timeout(0.01):
                await reader.read()
            return True
        return reader.at_eof() or reader.exception() is not None

    return sum(await asyncio.gather(*map(over, readers)))


async def test_hundreds_of_half_open_connections_shut_nobody_out(tmp_path: Path) -> None:
    """Long before their time is out: the oldest of an address make room for the newest."""
    async with serving(tmp_path, connections=Connections(most=80, per_address=40, patience=PATIENT)) as served:
        async with half_open(served, 300) as readers:
            assert await fresh(served) == 200, "from the attacker's own address"
            assert await fresh(served, "127.0.0.2") == 200
            assert await ended(readers) >= 300 - 40
        assert await fresh(served) == 200


async def test_many_addresses_together_shut_nobody_out(tmp_path: Path) -> None:
    limits = Connections(most=60, per_address=40, patience=PATIENT)
    async with (
        serving(tmp_path, connections=limits) as served,
        half_open(served, 40, "127.0.0.3"),
        half_open(served, 40, "127.0.0.4"),
        half_open(served, 40),
    ):
        assert await fresh(served, "127.0.0.2") == 200


@pytest.mark.parametrize("beginning", BEGINNINGS)
async def test_who_says_nothing_is_let_go(tmp_path: Path, beginning: bytes) -> None:
    async with serving(tmp_path, connections=Connections(patience=QUICK)) as served:
        reader, writer = await asyncio.open_connection(*place(served))
        writer.write(beginning)
        async with asyncio.timeout(120):
            answer = await reader.read()
        writer.close()
        if answer:
            head, _, body = answer.partition(b"\r\n\r\n")
            assert b" 408 " in head.splitlines()[0]
            assert json.loads(body)["error"]["code"] == "request_timeout"


async def test_a_header_a_letter_at_a_time_wins_no_time(tmp_path: Path) -> None:
    async with serving(tmp_path, connections=Connections(patience=QUICK)) as served:
        reader, writer = await asyncio.open_connection(*place(served))
        writer.write(b"GET /healthz HTTP/1.1\r\n")

        async def dribble() -> None:
            with contextlib.suppress(ConnectionError):
                while True:
                    writer.write(b"X-A: b\r\n")
                    await writer.drain()
                    await asyncio.sleep(0.02)

        dribbling = asyncio.create_task(dribble())
        async with asyncio.timeout(120):
            await reader.read()
        dribbling.cancel()
        writer.close()


async def test_a_kept_connection_that_is_idle_ends_and_one_in_use_does_not(tmp_path: Path) -> None:
    async with serving(tmp_path, connections=Connections(patience=QUICK)) as served:
        reader, writer = await asyncio.open_connection(*place(served))
        request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        for _ in range(3):
            writer.write(request)
            async with asyncio.timeout(120):
                await reader.readuntil(b'"error":null}')
        async with asyncio.timeout(120):
            assert await reader.read() == b""
        writer.close()


async def test_headers_without_end_are_not_kept(tmp_path: Path) -> None:
    async with serving(tmp_path, connections=Connections(patience=PATIENT)) as served:
        reader, writer = await asyncio.open_connection(*place(served))
        writer.write(b"GET /healthz HTTP/1.1\r\n")
        with contextlib.suppress(ConnectionError):
            for _ in range(200):
                writer.write(b"X-Long: " + b"a" * 1000 + b"\r\n")
                await writer.drain()
        async with asyncio.timeout(120):
            with contextlib.suppress(ConnectionError):
                answer = await reader.read()
                assert b" 431 " in answer.splitlines()[0], answer
        writer.close()


async def test_a_question_under_way_is_never_let_go_for_a_newcomer(tmp_path: Path) -> None:
    from test_api import noting

    _, _, wrap = noting({"ann": 1.0, "bob": 1.0, "cat": 1.0})
    limits = Connections(most=8, per_address=4, patience=PATIENT)
    async with serving(tmp_path, connections=limits, wrap=wrap) as served:
        asking = [asyncio.create_task(fresh(served)) for _ in range(3)]
        await asyncio.sleep(0.3)
        async with half_open(served, 30):
            assert await asyncio.gather(*asking) == [200, 200, 200]


async def test_past_the_bound_a_client_is_told(tmp_path: Path) -> None:
    from test_api import noting

    _, _, wrap = noting({"ann": 2.0, "bob": 2.0, "cat": 2.0})
    limits = Connections(most=8, per_address=2, patience=PATIENT)
    async with serving(tmp_path, connections=limits, wrap=wrap) as served:
        asking = [asyncio.create_task(fresh(served)) for _ in range(2)]
        await asyncio.sleep(0.5)
        assert await fresh(served) == 429
        assert await asyncio.gather(*asking) == [200, 200]


async def test_what_is_no_http_gets_the_error_form(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        for sent in (b"\x16\x03\x01\x02\x00\x01", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"A" * 100 + b"\r\n\r\n"):
            reader, writer = await asyncio.open_connection(*place(served))
            writer.write(sent)
            async with asyncio.timeout(120):
                head, _, body = (await reader.read()).partition(b"\r\n\r\n")
            assert b" 400 " in head.splitlines()[0]
            assert json.loads(body)["error"]["code"] == "invalid_http"
            writer.close()


async def test_who_never_reads_its_stream_gives_its_place_up(tmp_path: Path) -> None:
    """A place at the table is held while a stream is sent: one that nobody reads must not hold it for ever."""
    from moot.models.model import Wrapper
    from moot.types import Reply, Request

    class Long(Wrapper):
        async def generate(self, request: Request) -> Reply:
            return Reply(json.dumps({"reasoning": "r", "answer": "long " * 200_000}), cost_usd=0.0)

    async with serving(
        tmp_path, connections=Connections(patience=QUICK), wrap=lambda name, model: Long(model)
    ) as served:
        body = {"model": "three/vote", "messages": [{"role": "user", "content": "?"}], "stream": True}
        data = json.dumps(body).encode()
        _, writer = await asyncio.open_connection(*place(served), limit=1024)
        writer.transport.pause_reading()  # type: ignore[attr-defined]
        head = "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        head += f"Content-Length: {len(data)}\r\n\r\n"
        writer.write(head.encode() + data)

        async def under_way() -> float:
            async with served.session.get(f"{served.url}/metrics") as response:
                (line,) = re.findall(r"^moot_under_way (.*)$", await response.text(), re.MULTILINE)
                return float(line)

        async with asyncio.timeout(120):
            while await under_way() < 1:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
            while await under_way() > 0:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        writer.transport.abort()


def test_limits_on_files_are_raised_and_said(tmp_path: Path) -> None:
    team: dict[str, Any] = {**THREE, "strategies": ["vote"]}
    (tmp_path / "team.yaml").write_text(yaml.safe_dump(team), encoding="utf-8")
    command = f"ulimit -Sn 128; exec {sys.executable} -m moot serve team.yaml --port 0 --per-address 50"
    server = subprocess.Popen(
        ["bash", "-c", command], stdout=subprocess.PIPE, text=True, cwd=tmp_path, env={**os.environ}
    )
    try:
        assert server.stdout is not None
        lines = [server.stdout.readline() for _ in range(4)]
        (told,) = [line for line in lines if line.startswith("connections:")]
        match = re.match(r"connections: at most (\d+), 50 from one address; files: (\d+)", told)
        assert match, told
        limits = Path(f"/proc/{server.pid}/limits").read_text(encoding="ascii")
        soft = int(re.findall(r"Max open files\s+(\d+)", limits)[0])
        assert soft == int(match[2]) > 128
        assert int(match[1]) < soft
    finally:
        server.terminate()
        server.wait(30)


LONG_ANSWER = 16 * 2**20


async def long_answer(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for _ in range(LONG_ANSWER // 16_384):
            await send({"type": "http.response.body", "body": bytes(16_384), "more_body": True})
        await send({"type": "http.response.body", "body": b""})


@pytest.mark.parametrize(
    ("patience", "pause_s", "whole"),
    [(Patience(unread_s=0.4, read_bytes_s=1e12), 0.01, False), (Patience(unread_s=30), 0.0, True)],
    ids=["a little now and then", "at a fair rate"],
)
async def test_pauses_in_reading_count_together(patience: Patience, pause_s: float, whole: bool) -> None:
    """Each is far shorter than the time there is: so a reader could hold its place for hours."""
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 32_768)  # what the machine holds by itself is not counted
    listening.bind(("127.0.0.1", 0))
    server = TeamServer(long_answer, Connections(patience=patience), stop_s=1)
    running = asyncio.create_task(server.serve(sockets=[listening]))
    while not server.started:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 32_768)
    client.connect(listening.getsockname())
    reader, writer = await asyncio.open_connection(sock=client)
    writer.write(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
    received = 0
    with contextlib.suppress(ConnectionError):
        while piece := await reader.read(50_000):
            received += len(piece)
            await asyncio.sleep(pause_s)
    assert (received >= LONG_ANSWER) == whole
    writer.transport.abort()
    server.should_exit = True
    await running


async def patient_app(scope: Any, receive: Any, send: Any) -> None:
    """Says which headers there were, when the whole request is here; at /early before that."""
    if scope["type"] != "http":
        return
    while scope["path"] != "/early" and (await receive()).get("more_body"):
        pass
    told = json.dumps([name.decode() for name, _ in scope["headers"]]).encode()
    length = (b"content-length", str(len(told)).encode())
    await send({"type": "http.response.start", "status": 200, "headers": [length]})
    await send({"type": "http.response.body", "body": told})


@contextlib.asynccontextmanager
async def server_of_teams() -> AsyncIterator[tuple[str, int]]:
    """As `moot serve`, its workers and `moot watch` have it."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    server = TeamServer(patient_app, Connections(patience=PATIENT), stop_s=1)
    running = asyncio.create_task(server.serve(sockets=[listening]))
    while not server.started:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    try:
        yield listening.getsockname()
    finally:
        server.should_exit = True
        await running


@contextlib.asynccontextmanager
async def server_of_simulated_models() -> AsyncIterator[tuple[str, int]]:
    listening = Listening(patient_app)
    url = await listening.start("127.0.0.1", 0)
    try:
        yield "127.0.0.1", int(url.rpartition(":")[2])
    finally:
        await listening.stop()


CHUNKED = b"POST /%s HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"
FAR_TOO_MUCH = 48 * 2**20
"""Bytes; what two sockets hold by themselves is a few millions."""
ENDLESS = {
    "trailers": (CHUNKED % b"" + b"0\r\n", b"X: aaaaaaa\r\n" * 3_000, b"431"),
    "one trailer": (CHUNKED % b"" + b"0\r\nX: ", b"a" * 30_000, b"431"),
    "the name of a trailer": (CHUNKED % b"" + b"0\r\n", b"a" * 30_000, b"431"),
    "words beside a chunk": (CHUNKED % b"" + b"1;a=", b"a" * 30_000, b"431"),
    "headers": (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n", b"X: aaaaaaa\r\n" * 3_000, b"431"),
    "one header": (b"GET / HTTP/1.1\r\nX: ", b"a" * 30_000, b"431"),
    "a body behind its answer": (CHUNKED % b"early", b"7530\r\n" + b"a" * 30_000 + b"\r\n", b"200"),
    "trailers behind the answer": (CHUNKED % b"early" + b"0\r\n", b"X: aaaaaaa\r\n" * 3_000, b"200"),
    "requests": (b"", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 1_000, b""),
}


@pytest.mark.parametrize("served_by", [server_of_teams, server_of_simulated_models])
@pytest.mark.parametrize("name", ENDLESS)
async def test_nothing_without_an_end_is_read_on(name: str, served_by: Any) -> None:
    beginning, more, status = ENDLESS[name]
    async with served_by() as place:
        reader, writer = await asyncio.open_connection(*place, limit=2**20)
        answer = b""

        async def read() -> None:
            nonlocal answer
            with contextlib.suppress(ConnectionError):
                while piece := await reader.read(65_536):
                    answer += piece

        reading = asyncio.create_task(read())
        writer.write(beginning)
        await asyncio.sleep(0.05)  # what was answered early is answered
        sent = 0
        with contextlib.suppress(ConnectionError):
            while not reading.done() and sent < FAR_TOO_MUCH:
                writer.write(more)
                sent += len(more)
                async with asyncio.timeout(60):
                    await writer.drain()
                await asyncio.sleep(0)
        assert sent < FAR_TOO_MUCH, "it is not held, nor read on"
        async with asyncio.timeout(60):
            await reading
        assert answer.startswith(b"HTTP/1.1 " + status)
        if status:
            assert answer.count(b"HTTP/1.1 ") == 1, "and one request has one answer"
        writer.transport.abort()


def bytes_sent(place: tuple[str, int], beginning: bytes, more: bytes) -> int:
    """How much a client is rid of that sends as fast as it can, until it is let go."""
    sent = 0
    with socket.create_connection(place, timeout=30) as client:
        client.sendall(beginning)
        time.sleep(0.2)  # what was answered early is answered
        with contextlib.suppress(ConnectionError):
            while sent < 8 * FAR_TOO_MUCH:
                sent += client.send(more)
    return sent


@pytest.mark.parametrize("served_by", [server_of_teams, server_of_simulated_models])
@pytest.mark.parametrize("name", ["trailers", "one header", "a body behind its answer"])
async def test_whoever_is_refused_is_not_read_as_fast_as_it_sends(name: str, served_by: Any) -> None:
    """It has a moment to read why, in which a quick one could send hundreds of millions of bytes."""
    beginning, more, _ = ENDLESS[name]
    async with served_by() as place:
        assert await asyncio.to_thread(bytes_sent, place, beginning, more * 30) < FAR_TOO_MUCH


async def test_a_team_lets_nobody_send_on_behind_its_refusal(tmp_path: Path) -> None:
    head = b"POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    long, chunked = b"Content-Length: 99999999999\r\n\r\n", b"Transfer-Encoding: chunked\r\n\r\n"
    chunk = b"100000\r\n" + b"a" * 2**20 + b"\r\n"
    async with serving(tmp_path, connections=Connections(patience=PATIENT)) as served:
        for path in (b"/v1/chat/completions", b"/v1/none"):
            for told, more in ((long, chunk), (chunked, chunk)):
                sent = await asyncio.to_thread(bytes_sent, place(served), head % path + told, more)
                assert sent < FAR_TOO_MUCH, (path, told)


@pytest.mark.parametrize("served_by", [server_of_teams, server_of_simulated_models])
async def test_a_trailer_is_no_header(served_by: Any) -> None:
    """It would come behind the door: who has looked at the headers has not seen it."""
    async with served_by() as place:
        reader, writer = await asyncio.open_connection(*place)
        asked = CHUNKED % b"" + b"0\r\nAuthorization: Bearer stranger\r\nHost: elsewhere\r\n\r\n"
        for _ in range(2):
            writer.write(asked)
            async with asyncio.timeout(60):
                head = await reader.readuntil(b"\r\n\r\n")
                assert head.startswith(b"HTTP/1.1 200")
                assert json.loads(await reader.readuntil(b"]")) == ["host", "transfer-encoding"]
        writer.transport.abort()


@pytest.mark.parametrize("served_by", [server_of_teams, server_of_simulated_models])
async def test_a_few_requests_in_line_are_answered_each(served_by: Any) -> None:
    """Also the chunks of a body that are a byte each, and a body that is long behind its answer."""
    small = CHUNKED % b"" + b"1\r\na\r\n" * 20_000 + b"0\r\n\r\n"
    early = CHUNKED % b"early" + b"7530\r\n%b\r\n" % (b"a" * 30_000) * 30 + b"0\r\n\r\n"
    asked = [b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"] * 10 + [small, early, small]
    async with served_by() as place:
        reader, writer = await asyncio.open_connection(*place, limit=2**20)
        writer.write(b"".join(asked))
        for _ in asked:
            async with asyncio.timeout(60):
                assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")
                await reader.readuntil(b"]")
        writer.transport.abort()
