"""A served team that cannot keep what it answers: it says so, asks no model, loses nothing, and is well again by itself."""

from __future__ import annotations

import asyncio
import json
import resource
import sqlite3
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import yaml
from hostile_server import GOOD, completion, hostile, http
from served import serving

from moot.live import served


def team(base_url: str, **more: Any) -> dict[str, Any]:
    ann = {"provider": "endpoint", "base_url": base_url, "model": "m", "retries": {"attempts": 1}}
    if "budget_usd" in more:
        ann |= {"price": {"prompt": 1.0, "completion": 1.0}, "params": {"max_tokens": 100}}
    teams = {"one": {"players": ["ann"], "captain": "ann"}}
    return {"name": "one", "models": {"ann": ann}, "teams": teams, "strategies": ["vote"], **more}


def rows(folder: Path, sql: str) -> list[Any]:
    connection = sqlite3.connect(next(folder.glob("*.db")))
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def largest(folder: Path) -> int:
    return max(file.stat().st_size for file in folder.glob("*.db*"))


async def until(met: Callable[[], Awaitable[bool]], seconds: float = 120) -> None:
    ends_at = time.monotonic() + seconds
    while not await met():
        assert time.monotonic() < ends_at, "it did not come to pass"
        await asyncio.sleep(0.05)


# --- replies that no store can hold -----------------------------------------------------------------------------------

LONE = "\ud800"
ODD: dict[str, Any] = {
    "half a surrogate in model": completion(model=f"m{LONE}"),
    "half a surrogate in the fingerprint": completion(system_fingerprint=LONE),
    "2^63 tokens": completion(usage={"prompt_tokens": 2**63, "completion_tokens": 2**63}),
    "2^31 tokens": completion(usage={"prompt_tokens": 2**31, "completion_tokens": 1}),
    "tokens of a thousand digits": completion(usage={"prompt_tokens": 10**1000, "completion_tokens": 10**1000}),
    "tokens that are none": completion(usage={"prompt_tokens": True, "completion_tokens": -1, "x": float("nan")}),
    "no number of tokens": completion(usage={"prompt_tokens": float("inf"), "completion_tokens": float("nan")}),
    "NUL": completion(model="m\x00", id="\x00"),
    "a long name": completion(model="m" * 1_000_000),
    "names of another kind": completion(model={"a": 1}, id=[], system_fingerprint=7),
    "an answer with half a surrogate": completion(json.dumps({"reasoning": LONE, "answer": f"A{LONE}\x00"})),
    "odd log probabilities": {**completion(), "choices": [{**completion()["choices"][0], "logprobs": {LONE: [LONE, 1e400]}}]},
}  # fmt: skip
ODD["half a surrogate in finish_reason"] = completion()
ODD["half a surrogate in finish_reason"]["choices"][0]["finish_reason"] = LONE
ODD["a finish_reason of another kind"] = completion()
ODD["a finish_reason of another kind"]["choices"][0]["finish_reason"] = {"why": [LONE]}
ODD["thoughts"] = completion()
ODD["thoughts"]["choices"][0]["message"]["reasoning_content"] = f"hm{LONE}\x00"


@pytest.mark.parametrize("budget", [{}, {"budget_usd": 100_000.0}], ids=["behind", "with a budget"])
@pytest.mark.parametrize("store", ["sqlite", "postgresql"])
async def test_one_odd_reply_stops_nothing(
    tmp_path: Path, request: pytest.FixtureRequest, store: str, budget: dict[str, Any]
) -> None:
    config: dict[str, Any] = dict(budget)  # more than a bill of as many tokens as can be told
    if store == "postgresql":
        config["store"] = request.getfixturevalue("postgres").database()
    odd = iter([*ODD.values(), completion()])
    async with (
        hostile(lambda body, number: http(json.dumps(next(odd)))) as server,  # NaN and all
        serving(tmp_path, team(server.base_url, **config)) as table,
    ):
        for name in (*ODD, "an ordinary one"):
            status, said = await table.chat(f"Which, {name}?", "one/vote")
            assert (status, said.get("error")) == (200, None), name
            assert (await table.get("/healthz"))[0] == 200, name
        async with asyncio.timeout(120):
            status, listed = await table.get("/v1/moot/episodes")
        assert status == 200
        assert len(listed["episodes"]) == len(ODD) + 1, "all of them are kept"
        assert (await table.get(f"/v1/moot/episodes/{listed['episodes'][0]['episode']}"))[0] == 200


# --- a writer that dies -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["cancelled", "raises", "breaks in the store"])
async def test_a_writer_that_dies_is_said_and_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(served, "AGAIN_S", 0.5)
    async with (
        hostile(lambda body, number: http(completion())) as server,
        serving(tmp_path, team(server.base_url)) as table,
    ):
        record = table.live.record

        async def red() -> bool:
            return (await table.get("/healthz"))[0] == 503

        async def green() -> bool:
            return not await red()

        with monkeypatch.context() as patched:
            if way == "raises":
                patched.setattr(record, "_written", _dies)
            elif way == "breaks in the store":
                patched.setattr(record, "_keep", lambda *_, **__: 1 / 0)
            assert (await table.chat("Which was asked before?", "one/vote"))[0] == 200
            if way == "cancelled":
                assert record._writer is not None
                record._writer.cancel()
            await until(red)
            asked = len(server.seen)
            async with table.session.post(
                table.url + "/v1/chat/completions",
                json={"model": "one/vote", "messages": [{"role": "user", "content": "And now?"}]},
            ) as refused:
                assert refused.status == 503
                assert int(refused.headers["Retry-After"]) >= 1
            assert len(server.seen) == asked, "nobody is asked what cannot be kept"
            async with asyncio.timeout(120):
                assert (await table.get("/v1/moot/episodes"))[0] in (200, 503), "it does not hang"
        await until(green)
        assert (await table.chat("And after?", "one/vote"))[0] == 200
        async with asyncio.timeout(120):
            status, listed = await table.get("/v1/moot/episodes")
        assert status == 200
        assert len(listed["episodes"]) == 2, "what the dead one held is kept"
    assert "nothing is kept" in caplog.text


async def _dies(*_: Any) -> None:
    raise SystemError("a bug")


# --- a file that is gone ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("budget", [{}, {"budget_usd": 100_000.0}], ids=["behind", "with a budget"])
@pytest.mark.parametrize("way", ["moved away", "replaced"])
async def test_a_file_that_is_gone_is_said_and_keeps_all_when_it_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, budget: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    """Writes to a file that was removed do not fail: they are lost when it is closed."""
    monkeypatch.setattr(served, "AGAIN_S", 0.2)
    async with (
        hostile(lambda body, number: http(completion())) as server,
        serving(tmp_path, team(server.base_url, **budget)) as table,
    ):

        async def red() -> bool:
            return (await table.get("/healthz"))[0] == 503

        async def green() -> bool:
            return not await red()

        assert (await table.chat("Which was asked before?", "one/vote"))[0] == 200
        await table.live.record.flush()
        file = next(tmp_path.glob("*.db"))  # noqa: ASYNC240
        aside = file.with_name("aside")
        file.rename(aside)
        if way == "replaced":
            file.write_bytes(aside.read_bytes())
        status, _ = await table.chat("And now?", "one/vote")
        assert status == (503 if budget else 200), "what is written behind the reply is written a moment later"
        await until(red)
        asked = len(server.seen)
        assert (await table.chat("And then?", "one/vote"))[0] == 503
        assert len(server.seen) == asked, "nobody is asked what cannot be kept"
        assert f"the file was {'replaced by another' if way == 'replaced' else 'removed or moved away'}" in caplog.text
        aside.rename(file)
        await until(green)
        assert (await table.chat("And after?", "one/vote"))[0] == 200
    (calls,) = rows(tmp_path, "SELECT count(*) FROM calls")[0]
    assert calls == len(server.seen), "what was paid for is kept"


# --- a full disk ------------------------------------------------------------------------------------------------------


class Process:
    """`moot serve` in a process of its own, whose files may grow only so far."""

    def __init__(self, process: asyncio.subprocess.Process, url: str, session: aiohttp.ClientSession) -> None:
        self.process, self.url, self.session = process, url, session

    def let_files_grow(self, most: int) -> None:
        resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))

    async def ask(self, text: str) -> tuple[int, Any]:
        body = {"model": "one/vote", "messages": [{"role": "user", "content": text}]}
        async with self.session.post(f"{self.url}/v1/chat/completions", json=body) as response:
            await response.read()
            return response.status, response.headers.get("Retry-After")

    async def healthy(self) -> bool:
        async with self.session.get(f"{self.url}/healthz") as response:
            return response.status == 200


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="this system cannot bound the files of a process")
@pytest.mark.parametrize("budget", [{}, {"budget_usd": 100_000.0}], ids=["behind", "with a budget"])
async def test_a_full_disk_asks_no_model_and_is_left_by_itself(tmp_path: Path, budget: dict[str, Any]) -> None:
    long = completion(json.dumps({**json.loads(GOOD), "reasoning": "word " * 20_000}))
    async with hostile(lambda body, number: http(long)) as server, aiohttp.ClientSession() as session:
        (tmp_path / "team.yaml").write_text(yaml.safe_dump(team(server.base_url, **budget)))
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "moot", "serve", "team.yaml", "--port", "0"),
            cwd=tmp_path,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            assert process.stdout is not None
            await process.stdout.readline()
            url = (await process.stdout.readline()).split()[2].decode().rstrip("/")
            table = Process(process, url, session)

            async def full() -> bool:
                status, _ = await table.ask("Which?")
                return status == 503

            await until(lambda: _true(table.healthy()))
            table.let_files_grow(largest(tmp_path) + 400_000)
            await until(full)
            await until(lambda: _not(table.healthy()))
            asked = len(server.seen)
            for number in range(10):
                status, pause = await table.ask(f"Which, {number}?")
                assert status == 503
                assert 2 <= int(pause) <= 70, "not at once, and not for ever"
            assert len(server.seen) == asked, "a question that is refused is not paid for"
            table.let_files_grow(resource.RLIM_INFINITY)
            await until(lambda: _true(table.healthy()))
            assert len(server.seen) == asked, "it was tried by a write, and not by a question"
            assert (await table.ask("And now?"))[0] == 200
        finally:
            process.terminate()
            await process.wait()
    (calls,) = rows(tmp_path, "SELECT count(*) FROM calls")[0]
    assert calls == len(server.seen), "what was paid for is kept, whenever it was"
    tables = [name for (name,) in rows(tmp_path, "SELECT name FROM sqlite_master WHERE name LIKE '%probe%'")]
    assert tables == []


async def _true(state: Awaitable[bool]) -> bool:
    return await state


async def _not(state: Awaitable[bool]) -> bool:
    return not await state
