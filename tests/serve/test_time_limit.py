"""`time_limit_s` runs from the moment a request comes in: a wait for a place, or for money, is part of it."""

from __future__ import annotations

import asyncio
import json
import logging
from pathlib import Path
from typing import Any

import pytest
from served import THREE, Served, serving

from moot.experiment.spec import read_experiment
from moot.live.team import LiveTeam, question_of
from moot.models.model import Model, Wrapper
from moot.serve.admission import KeyLimits
from moot.serve.app import ServeSettings
from moot.serve.playing import NO_PLACE
from moot.traces import Deadline, of_kind
from moot.types import Reply, Request


class Held(Wrapper):
    """Answers nobody until it is let go."""

    def __init__(self, inner: Model, go: asyncio.Event, asked: list[str], begun: asyncio.Event) -> None:
        super().__init__(inner)
        self._go, self._asked, self._begun = go, asked, begun

    async def generate(self, request: Request) -> Reply:
        self._asked.append(self.name)
        self._begun.set()
        await self._go.wait()
        return await self.inner.generate(request)


async def late(served: Served, form: str) -> tuple[int, str, str]:
    ask: dict[str, Any] = {"model": "solo@ann", "time_limit_s": 0.2}
    if form == "responses":
        path, body = "/v1/responses", {**ask, "input": "Two?"}
    else:
        path = "/v1/chat/completions"
        body = {**ask, "messages": [{"role": "user", "content": "Two?"}], "stream": form == "stream"}
    status, told = await served.post(path, body)
    return status, told["error"]["code"], told["error"]["message"]


@pytest.mark.parametrize(
    "settings",
    [ServeSettings(at_once=1), ServeSettings(limits=KeyLimits(usd_per_day=5.0))],
    ids=["a place", "money, of a team that has answered nothing"],
)
async def test_who_gets_no_place_in_time_is_told_so_and_nobody_is_asked(
    settings: ServeSettings, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    go, begun, asked = asyncio.Event(), asyncio.Event(), list[str]()
    async with serving(tmp_path, settings=settings, wrap=lambda _, model: Held(model, go, asked, begun)) as served:
        first = asyncio.create_task(served.chat("One?", "solo@ann"))
        await begun.wait()
        with caplog.at_level(logging.WARNING):
            told = await asyncio.gather(*(late(served, form) for form in ("chat", "stream", "responses")))
        assert list(told) == [(408, NO_PLACE, "No place within 0.2 s; nobody was asked.")] * 3
        assert asked == ["ann"]
        assert "solo@ann: no place within 0.2 s; nobody was asked" in caplog.text
        go.set()
        assert (await first)[0] == 200
        assert (await served.chat("Three?", "solo@ann", time_limit_s=60))[0] == 200, "no place is lost"
    assert asked == ["ann", "ann"]


async def test_the_play_has_what_is_left_and_who_is_late_is_told_of_the_wait(tmp_path: Path) -> None:
    path = tmp_path / "team.json"
    path.write_text(json.dumps(THREE))
    never = asyncio.Event()
    file = read_experiment(path, with_questions=False)
    async with LiveTeam(file, serving=True, wrap=lambda _, model: Held(model, never, [], asyncio.Event())) as live:
        asked = await live.play(question_of("Why?"), "solo@ann", deadline_s=600, waited_s=599.95)
    assert list(of_kind(asked.verdict.traces, Deadline)) == [Deadline(600)]
    assert "no reply within 600 s, of which 600.0 s were the wait for a place" in (asked.verdict.cause or "")
