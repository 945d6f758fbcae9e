"""A served team whose store holds what moot did not write: it is said as that, and nothing else stops."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml
from hostile_server import completion, hostile, http
from served import THREE, serving

import moot.live.team
from moot.live import served
from moot.serve.admission import KeyLimits
from moot.serve.app import ServeSettings

ODD: dict[str, Any] = {
    "episodes.outcome": "x",
    "episodes.seconds": -1.0,
    "episodes.transcript": "{",
    "episodes.answer": b"\xff\xfe",
    "cases.content": '{"question": 5}',
    "calls.text": b"\xff\xfe",
    "calls.shape": "[",
    "calls.cost_usd": -1.0,
}


def change(store: Path, sql: str, *values: Any) -> None:
    with closing(sqlite3.connect(store, timeout=60)) as connection:
        connection.execute(sql, values)
        connection.commit()


def team(base_url: str, **more: Any) -> dict[str, Any]:
    ann = {"provider": "endpoint", "base_url": base_url, "model": "m", "retries": {"attempts": 1}}
    ann |= {"price": {"prompt": 1.0, "completion": 1.0}, "params": {"max_tokens": 100}}
    teams = {"one": {"players": ["ann"], "captain": "ann"}}
    return {"name": "one", "models": {"ann": ann}, "teams": teams, "strategies": ["vote"], **more}


async def test_what_moot_did_not_write_is_told_as_that(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    async with hostile(lambda *_: http(completion())) as server, serving(tmp_path, team(server.base_url)) as table:
        status, answered = await table.chat("Which river?", "one/vote")
        assert status == 200
        ident = answered["moot"]["episode"]
        await table.live.record.flush()
        store = next(tmp_path.glob("*.db"))  # noqa: ASYNC240
        for place, value in ODD.items():
            table_name, column = place.split(".")
            with closing(sqlite3.connect(store)) as connection:
                before = connection.execute(f"SELECT rowid, {column} FROM {table_name}").fetchall()
            change(store, f"UPDATE {table_name} SET {column} = ?", value)
            caplog.clear()
            asked = [
                await table.get("/v1/moot/episodes"),
                await table.get(f"/v1/moot/episodes/{ident}"),
                await table.post("/v1/feedback", {"episode": ident, "correct": True}),
            ]
            for status, said in asked:
                assert status in (200, 500), (place, said)
                if status == 500:
                    assert said["error"]["code"] == "store_unreadable", (place, said)
                    assert "holds something that moot did not write" in said["error"]["message"]
            assert 500 in [status for status, _ in asked], place
            assert place in caplog.text
            assert "Traceback" not in caplog.text
            assert (await table.get("/healthz"))[0] == 200
            for rowid, kept in before:
                change(store, f"UPDATE {table_name} SET {column} = ? WHERE rowid = ?", kept, rowid)
        assert (await table.chat("And now?", "one/vote"))[0] == 200


async def test_odd_money_at_the_start_is_one_message(tmp_path: Path) -> None:
    (tmp_path / "team.yaml").write_text(yaml.safe_dump(team("http://127.0.0.1:9/v1")))
    async with serving(tmp_path, team("http://127.0.0.1:9/v1")):
        pass
    change(next(tmp_path.glob("*.db")), "INSERT INTO payments VALUES ('one:served#anyone', '2026-11-15', 'x')")  # noqa: ASYNC240
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "moot", "serve", "team.yaml", "--port", "0", "--usd-per-day", "1"),
        cwd=tmp_path,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    _, said = await process.communicate()
    assert process.returncode == 2, said
    assert said.decode().splitlines() == [said.decode().strip()], "one line"
    assert "payments.usd: expected dollars, from 0 on, found 'x'" in said.decode()


async def test_a_log_that_is_removed_under_a_server_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Nobody is asked what would be lost, and what was kept before is in the file."""
    monkeypatch.setattr(served, "AGAIN_S", 0.2)
    async with serving(tmp_path, {**THREE, "budget_usd": 10.0}) as table:
        assert (await table.chat("Which river?"))[0] == 200
        await table.live.record.flush()
        store = next(tmp_path.glob("*.db"))  # noqa: ASYNC240
        store.with_name(f"{store.name}-wal").unlink()
        await table.chat("And now?")
        async with asyncio.timeout(60):
            while (await table.get("/healthz"))[0] != 503:  # noqa: ASYNC110  nobody tells
                await asyncio.sleep(0.02)
        assert (await table.chat("And then?"))[0] == 503
        alone = tmp_path / "alone"
        alone.write_bytes(store.read_bytes())
        with closing(sqlite3.connect(alone)) as connection:
            assert connection.execute("SELECT count(*) FROM episodes").fetchone()[0] >= 1
    assert "the log of the store was removed or replaced" in caplog.text
    assert "what stood in it is saved" in caplog.text


async def test_a_store_that_does_not_reply_is_not_waited_for_by_questions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run waits a minute for a database to come back. Whoever asks is told at once, and health says so."""
    monkeypatch.setattr(moot.live.team, "BOOKS_S", 0.2)
    settings = ServeSettings(limits=KeyLimits(usd_per_day=5.0))
    async with (
        hostile(lambda *_: http(completion())) as server,
        serving(tmp_path, team(server.base_url), settings=settings) as table,
    ):
        assert (await table.chat("Which river?", "one/vote"))[0] == 200
        await table.live.record.flush()
        back = asyncio.Event()
        run = table.live.store.run

        async def away(work: Any) -> Any:
            await back.wait()
            return await run(work)

        monkeypatch.setattr(table.live.store, "run", away)
        calls = len(server.seen)
        for number in range(3):
            status, said = await asyncio.wait_for(table.chat(f"And lake {number}?", "one/vote"), 30)
            assert (status, said["error"]["code"]) == (503, "store_error")
            assert (await table.get("/healthz"))[0] == 503
        assert len(server.seen) == calls, "nobody was asked"
        back.set()
        for _ in range(600):
            if (await table.get("/healthz"))[0] == 200:
                break
            await asyncio.sleep(0.1)
        assert (await table.chat("And the sea?", "one/vote"))[0] == 200
