"""`time_limit_s` runs from the moment a request comes in: a wait for a place, or for money, is part of it."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from pathlib import Path
from typing import Any

import pytest
from served import THREE, Served, serving

from moot.experiment.spec import read_experiment
from moot.live.asked_question import question_of
from moot.live.team import LiveTeam
from moot.models.model import Model, Wrapper
from moot.serve.admission import KeyLimits
from moot.serve.app import ServeSettings
from moot.serve.playing import NO_PLACE, NOT_CHECKED, NOT_WRITTEN
from moot.serve.schema_checks import SchemaChecks
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


REFUSED_AT_ONCE = [
    ({"model": "nobody/knows"}, 404, "model_not_found"),
    ({"messages": [{"role": "assistant", "content": "Yes."}]}, 400, "invalid_messages"),
    ({"messages": [{"role": "user", "content": "a\x00b"}]}, 400, "invalid_messages"),
    ({"model": "three/vote", "moot": {"kind": "text"}}, 400, "invalid_request"),
]


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize(("wrong", "status", "code"), REFUSED_AT_ONCE, ids=[code for *_, code in REFUSED_AT_ONCE])
async def test_what_no_place_would_help_is_refused_without_one(
    wrong: dict[str, Any], status: int, code: str, stream: bool, tmp_path: Path
) -> None:
    """And yet it is one of the requests of a minute: else unknown names could be asked for without end."""
    settings = ServeSettings(at_once=1, limits=KeyLimits(per_minute=3))
    go, begun, asked = asyncio.Event(), asyncio.Event(), list[str]()
    async with serving(tmp_path, settings=settings, wrap=lambda _, model: Held(model, go, asked, begun)) as served:
        first = asyncio.create_task(served.chat("One?", "solo@ann"))
        await begun.wait()
        question = {"model": "solo@ann", "messages": [{"role": "user", "content": "Two?"}]}
        ask = {**question, "time_limit_s": 5, "stream": stream, **wrong}
        async with asyncio.timeout(4):
            told = [await served.post("/v1/chat/completions", ask) for _ in range(3)]
        assert [(at, error["error"]["code"]) for at, error in told[:2]] == [(status, code)] * 2
        assert (told[2][0], told[2][1]["error"]["code"]) == (429, "rate_limit_exceeded")
        go.set()
        assert (await first)[0] == 200
    assert asked == ["ann"]


async def test_an_unknown_name_waits_for_no_place_in_the_responses_form(tmp_path: Path) -> None:
    go, begun = asyncio.Event(), asyncio.Event()
    settings = ServeSettings(at_once=1)
    async with serving(tmp_path, settings=settings, wrap=lambda _, model: Held(model, go, [], begun)) as served:
        first = asyncio.create_task(served.chat("One?", "solo@ann"))
        await begun.wait()
        for stream in (False, True):
            ask = {"model": "nobody/knows", "input": "Two?", "time_limit_s": 0.5, "stream": stream}
            status, told = await served.post("/v1/responses", ask)
            assert (status, told["error"]["code"]) == (404, "model_not_found")
        go.set()
        assert (await first)[0] == 200


async def test_the_play_has_what_is_left_and_who_is_late_is_told_of_the_wait(tmp_path: Path) -> None:
    path = tmp_path / "team.json"
    path.write_text(json.dumps(THREE))
    never = asyncio.Event()
    file = read_experiment(path, with_questions=False)
    async with LiveTeam(file, serving=True, wrap=lambda _, model: Held(model, never, [], asyncio.Event())) as live:
        asked = await live.play(question_of("Why?"), "solo@ann", deadline_s=600, waited_s=599.95)
    assert list(of_kind(asked.verdict.traces, Deadline)) == [Deadline(600)]
    assert "no reply within 600 s, of which 600.0 s were the wait for a place" in (asked.verdict.cause or "")


# --- the answer in a client's form --------------------------------------------------------------------------------------

SCHEMA = {"type": "object", "properties": {"answer": {"type": "string"}, "told": {"type": "boolean"}}}


class Scribe(Wrapper):
    """Answers like ever, but for who is never heard; whoever is asked for the client's form works on it without end."""

    def __init__(self, inner: Model, never: frozenset[str], writing: list[str]) -> None:
        super().__init__(inner)
        self._never, self._writing = never, writing

    async def generate(self, request: Request) -> Reply:
        writes = "told" in str(request.schema)
        if writes:
            self._writing.append(self.name)
        if writes or self.name in self._never:
            await asyncio.Event().wait()
        return await self.inner.generate(request)


async def in_form(served: Served, form: str, time_limit_s: float) -> tuple[int, dict[str, Any]]:
    """The status, and the error that the client is told, in whichever way."""
    ask: dict[str, Any] = {"model": "three/vote", "time_limit_s": time_limit_s, "stream": "stream" in form}
    if form.startswith("responses"):
        text = {"format": {"type": "json_schema", "name": "a", "schema": SCHEMA}}
        path, body = "/v1/responses", {**ask, "input": "Two?", "text": text}
    else:
        wanted = {"type": "json_schema", "json_schema": {"name": "a", "schema": SCHEMA}}
        messages = [{"role": "user", "content": "Two?"}]
        path, body = "/v1/chat/completions", {**ask, "messages": messages, "response_format": wanted}
    async with served.session.post(served.url + path, json=body) as response:
        told = await response.text()
        if not response.headers["Content-Type"].startswith("text/event-stream"):
            return response.status, json.loads(told)["error"]
    *_, last, done = [line.removeprefix("data: ") for line in told.splitlines() if line.startswith("data: ")]
    assert done == "[DONE]"
    return response.status, json.loads(last)["error"]


FORMS = ("chat", "chat stream", "responses", "responses stream")


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check of the schema takes none of the time."""

    async def at_once(*_: object) -> str | None:
        return None

    monkeypatch.setattr(SchemaChecks, "problem_of", at_once)


@pytest.mark.usefixtures("checked")
@pytest.mark.parametrize("form", FORMS)
async def test_the_call_that_writes_the_answer_in_a_form_is_within_the_limit(form: str, tmp_path: Path) -> None:
    writing = list[str]()
    async with serving(tmp_path, wrap=lambda _, model: Scribe(model, frozenset(), writing)) as served:
        for limit_s in (0.5, 2.0, 8.0, 30.0):  # on a busy machine the team itself may take a while
            status, error = await asyncio.wait_for(in_form(served, form, limit_s), 60)
            if writing:
                break
        assert status == (200 if form == "chat stream" else 408)
        assert error["code"] == NOT_WRITTEN
        assert error.get("status") == (408 if form == "chat stream" else None), (
            "a stream has its own, so it stands there"
        )
        assert f"within {limit_s:g} s" in error["message"]
        assert re.match(r"The team's answer is '.+', but", error["message"]), "what was found is told in words"
        assert len(writing) == 1
        assert (await served.chat("Three?", "solo@ann"))[0] == 200, "no place is lost"


@pytest.mark.usefixtures("checked")
@pytest.mark.parametrize("form", FORMS)
async def test_when_the_time_is_over_nobody_is_asked_to_write(form: str, tmp_path: Path) -> None:
    """One of three replied in time: that is the answer, and no new call begins."""
    writing = list[str]()
    never = frozenset({"bob", "cat"})
    async with serving(tmp_path, wrap=lambda _, model: Scribe(model, never, writing)) as served:
        status, error = await asyncio.wait_for(in_form(served, form, 0.5), 60)
        assert (status, error["code"]) == (200 if form == "chat stream" else 408, NOT_WRITTEN)
        assert writing == []


async def test_a_check_of_a_schema_is_within_the_limit_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def endless(*_: object) -> str | None:
        await asyncio.Event().wait()
        return None

    monkeypatch.setattr(SchemaChecks, "problem_of", endless)
    asked = list[str]()
    go = asyncio.Event()
    go.set()
    async with serving(tmp_path, wrap=lambda _, model: Held(model, go, asked, asyncio.Event())) as served:
        for form in FORMS:
            status, error = await asyncio.wait_for(in_form(served, form, 0.3), 60)
            assert (status, error["code"]) == (408, NOT_CHECKED)
            assert error["message"] == "Your schema could not be checked within 0.3 s; nobody was asked."
        assert asked == []


@pytest.mark.usefixtures("checked")
async def test_a_team_whose_answers_are_never_written_in_time_is_not_asked_one_by_one(tmp_path: Path) -> None:
    """What such a question has cost is known, and the next ones need not wait for each other."""
    config = {
        **THREE,
        "models": {
            name: {**model, "price": {"prompt": 1.0, "completion": 10.0}} for name, model in THREE["models"].items()
        },
    }
    settings = ServeSettings(limits=KeyLimits(usd_per_day=50.0))
    async with serving(
        tmp_path, config, settings=settings, wrap=lambda _, model: Scribe(model, frozenset(), [])
    ) as served:
        assert (await in_form(served, "chat", 1.0))[1]["code"] == NOT_WRITTEN
        both = await asyncio.gather(*(in_form(served, "chat", 1.0) for _ in range(2)))
        assert [error["code"] for _, error in both] == [NOT_WRITTEN] * 2, "neither has waited for the other"
