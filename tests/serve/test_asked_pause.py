"""A server that wants one model to be left alone for minutes: the others go on, and who is not asked says why."""

from __future__ import annotations

import asyncio
import json
import logging
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from served import serving

from moot.engine.runner import Runner
from moot.experiment.build import build
from moot.experiment.spec import read_experiment

PAUSE_S = 400


@asynccontextmanager
async def endpoint() -> AsyncIterator[tuple[str, Counter[str]]]:
    """Where `tired` is refused; its address, and who was asked how often."""
    asked: Counter[str] = Counter()

    async def complete(request: web.Request) -> web.Response:
        model = (await request.json())["model"]
        asked[model] += 1
        if model == "tired":
            return web.json_response({"error": {"message": "quota"}}, status=429, headers={"Retry-After": str(PAUSE_S)})
        choice = {"message": {"content": '{"reasoning": "", "answer": "x"}'}, "finish_reason": "stop"}
        return web.json_response({"choices": [choice], "usage": {"prompt_tokens": 1, "completion_tokens": 1}})

    app = web.Application()
    app.router.add_post("/v1/chat/completions", complete)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1", asked
    finally:
        await runner.cleanup()


def experiment(base_url: str, **more: Any) -> dict[str, Any]:
    models = {name: {"provider": "endpoint", "base_url": base_url, "model": name} for name in ("well", "tired")}
    return {"name": "cup", "models": models, "strategies": ["solo"], **more}


async def test_a_served_team_says_who_is_not_asked_and_the_others_answer(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with endpoint() as (base_url, asked), serving(tmp_path, experiment(base_url)) as served:
        told = f"{base_url.removeprefix('http://').removesuffix('/v1')} asked for a pause of {PAUSE_S} s (tired)"
        with caplog.at_level(logging.WARNING):
            first = asyncio.create_task(served.chat("Who?", "solo@tired"))
            async with asyncio.timeout(60):
                while told not in caplog.text:  # noqa: ASYNC110  said by code that knows of no event
                    await asyncio.sleep(0.01)
            first.cancel()
            status, body = await served.chat("Who?", "solo@tired", time_limit_s=0.3)
        assert status == 408
        assert "tired: no reply within 0.3 s" in body["error"]["message"]
        assert "not asked, as its server wants a pause of another" in body["error"]["message"]
        assert asked == {"tired": 1}
        assert caplog.text.count(told) == 1
        assert (await served.chat("Who?", "solo@well", time_limit_s=60))[0] == 200


async def test_a_run_that_is_told_to_end_does_not_wait_for_what_cannot_come(tmp_path: Path) -> None:
    """The patience is five minutes: an attempt that is further off is dropped, and counted so."""
    questions = [{"id": f"q{n}", "text": f"Who is number {n}?", "answer": "x"} for n in range(6)]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, questions)))
    async with endpoint() as (base_url, asked):
        path = tmp_path / "cup.json"
        path.write_text(json.dumps(experiment(base_url, questions={"file": "questions.jsonl"})))
        plan = build(read_experiment(path))
        store = await plan.store().open()
        try:
            runner = Runner(plan, store)
            playing = asyncio.create_task(runner.run())
            async with asyncio.timeout(60):
                while runner.tally.played < len(questions):  # noqa: ASYNC110  those of who is well
                    await asyncio.sleep(0.01)
                (state,) = runner.tally.endpoints.values()
                assert "tired paused for" in state
                unfinished = runner.interrupt()
                assert (unfinished.episodes, unfinished.calls) == (0, 0)
                assert 1 <= unfinished.dropped == asked["tired"]
                assert "further off than a run that ends waits" in unfinished.words
                assert await playing == "interrupted"
        finally:
            await store.close()
    with closing(sqlite3.connect(tmp_path / "cup.db")) as kept:
        ((facts,),) = kept.execute("SELECT facts FROM runs").fetchall()
        assert json.loads(facts)["dropped"] == unfinished.dropped
