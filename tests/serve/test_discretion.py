"""What a client never learns: where the models are, and with which keys they are asked. The server's log does say where."""

from __future__ import annotations

import asyncio
import json
import logging
from pathlib import Path
from typing import Any

import pytest
from hostile_server import completion, hostile, http
from served import serving

from moot.serve.discretion import public_words

KEY = "k3y-9"


async def answering(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """An endpoint that fails, and says more than it should."""
    await reader.readuntil(b"\r\n\r\n")
    host = "upstream-7.internal.example"
    words = f"no worker at http://{host}:9000/v1 (10.1.2.3:9000, [fd00::7]:80) for key {KEY}"
    body = json.dumps({"error": {"message": words}}).encode()
    head = (
        f"HTTP/1.1 400 No\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    writer.write(head.encode() + body)
    await writer.drain()
    writer.close()


def told_nothing(text: str, port: int) -> None:
    for secret in ("127.0.0.1", f":{port}", "localhost", "upstream-7", "internal.example", "10.1.2.3", "fd00::7", KEY):
        assert secret not in text, (secret, text)


@pytest.mark.parametrize("gone", [False, True])
async def test_no_address_and_no_key_reaches_a_client(
    tmp_path: Path, gone: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("UPSTREAM_KEY", KEY)
    server = await asyncio.start_server(answering, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    if gone:
        server.close()
        await server.wait_closed()
    model = {
        "provider": "endpoint",
        "base_url": f"http://localhost:{port}/v1",
        "model": "m",
        "api_key_env": "UPSTREAM_KEY",
        "retries": {"attempts": 1},
    }
    config: dict[str, Any] = {
        "name": "three",
        "models": dict.fromkeys(("ann", "bob"), model),
        "teams": {"three": {"players": ["ann", "bob"], "captain": "ann"}},
        "strategies": ["vote", "talkative", "solo"],
    }
    caplog.set_level(logging.WARNING)
    async with serving(tmp_path, config) as served:
        for name in ("three/vote", "three/talkative", "solo@ann"):
            status, body = await served.chat("Which river?", name)
            assert status == 502, body
            told_nothing(json.dumps(body), port)
            asked = {"model": name, "messages": [{"role": "user", "content": "Which?"}], "stream": True}
            watched = {"X-Moot-Team": "true"}
            async with served.session.post(
                served.url + "/v1/chat/completions", json=asked, headers=watched
            ) as response:
                text = await response.text()
            assert '"error"' in text
            told_nothing(text, port)
        status, body = await served.post("/v1/responses", {"model": "three/vote", "input": "Which?"})
        told_nothing(json.dumps(body), port)
        _, listed = await served.get("/v1/moot/episodes")
        told_nothing(json.dumps(listed), port)
        for each in listed["episodes"]:
            told_nothing(json.dumps((await served.get(f"/v1/moot/episodes/{each['episode']}"))[1]), port)
    assert f"localhost:{port}" in caplog.text, "whoever keeps the server has to know"
    assert KEY not in caplog.text
    if not gone:
        server.close()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            "no: Traceback (most recent call last):\n  File \"/opt/my app/x.py\", line 3\n    y()\nKeyError: 'z'",
            "no: Traceback",
        ),
        ('no: Traceback (most recent call last): File "/opt/x.py", line 3, in f y() KeyError', "no: Traceback"),
        (
            "ModelBroke: [Errno 2] No such file or directory: '/srv/our models/x.gguf'",
            "No such file or directory: '(path)'",
        ),
        ("/srv/team/words/draft.j2:12: cannot be filled in", "(path): cannot be filled in"),
        (r"C:\Users\ann\team.yaml:3: expected", "(path): expected"),
        (r"no '\\files\our team\x'", "no '(path)'"),
        ("lost unix:///var/run/model.sock", "lost (address)"),
        ("~/models/x.bin is gone", "(path) is gone"),
        ("1/2 and 3/4 of the drafts and/or votes/ballots", "1/2 and 3/4 of the drafts and/or votes/ballots"),
    ],
)
def test_no_file_and_no_line_of_code_reaches_a_client(words: str, told: str) -> None:
    public = public_words(words)
    assert told in public
    for secret in ("opt", "srv", "Users", "our", "team", "run", "models", "line", "y()", ".py"):
        assert secret not in public or secret in told, public


async def test_a_reply_that_a_library_cannot_read_names_no_file_of_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("litellm")
    monkeypatch.setenv("UPSTREAM_KEY", KEY)
    odd = completion()
    odd["choices"][0]["message"]["role"] = "somebody"
    async with hostile(lambda asked, number: http(odd)) as server:
        model = {
            "provider": "litellm",
            "base_url": server.base_url,
            "model": "openai/m",
            "api_key_env": "UPSTREAM_KEY",
            "retries": {"attempts": 1},
        }
        config = {"name": "three", "models": dict.fromkeys(("ann", "bob"), model), "strategies": ["solo"]}
        async with serving(tmp_path, config) as served:
            status, body = await served.chat("Which river?", "solo@ann")
            _, listed = await served.get("/v1/moot/episodes")
            _, record = await served.get(f"/v1/moot/episodes/{listed['episodes'][0]['episode']}")
    assert status == 502
    for told in (body["error"]["message"], json.dumps(record)):
        assert "role" in told
        for secret in ("Traceback", "site-packages", ".py", "line 1", str(Path.home())):
            assert secret not in told
