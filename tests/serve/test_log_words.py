"""The server's log forgets nothing, so it is told no word of a question, an answer or of what an endpoint said."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
import threading
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from served import THREE, Served, serving
from sqlalchemy import JSON, bindparam, select, text
from sqlalchemy.exc import StatementError

from moot.errors import BudgetReached, FileError, MootError, StoreError, StoreFull, StoreUnreadable, UsageError
from moot.live.logged_errors import in_log
from moot.models.flights import NOTHING_ASKED
from moot.models.model import Model, Wrapper
from moot.serve.log_words import log_libraries_without_words, where_it_broke
from moot.store.columns import refusal
from moot.types import Reply, Request

ASKED = "Which zanzibar river?"
WORDS = ("zanzibar", "mombasa")
"""Of the question, and of what the endpoint says by itself."""


@asynccontextmanager
async def repeating(status: int, said: str = "mombasa of {}") -> AsyncIterator[int]:
    """An endpoint that says what it was asked; its port."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        length = head.partition(b"content-length:")[2].partition(b"\r\n")[0]
        asked = json.loads(await reader.readexactly(int(length)))["messages"][-1]["content"]
        words = said.format(asked)
        choice = {"index": 0, "message": {"role": "assistant", "content": words}, "finish_reason": "stop"}
        told: dict[str, Any] = {"choices": [choice]} if status == 200 else {"error": {"message": words}}
        body = json.dumps(told).encode()
        line = f"HTTP/1.1 {status} mombasa\r\nContent-Type: application/json\r\nConnection: close\r\n"
        writer.write(f"{line}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


def team(port: int) -> dict[str, Any]:
    model = {
        "provider": "endpoint",
        "base_url": f"http://localhost:{port}/v1",
        "model": "m",
        "api_key_env": "UPSTREAM_KEY",
        "retries": {"attempts": 1},
    }
    return {
        "name": "three",
        "models": dict.fromkeys(("ann", "bob"), model),
        "teams": {"three": {"players": ["ann", "bob"], "captain": "ann"}},
        "strategies": ["vote", "talkative", "solo"],
    }


def logged(caplog: pytest.LogCaptureFixture) -> str:
    formatter = logging.Formatter()
    return "\n".join(map(formatter.format, caplog.records))


async def ask_all(served: Served) -> list[str]:
    """Of those that got no answer, the episodes."""
    for name in ("three/vote", "three/talkative", "solo@ann"):
        await served.chat(ASKED, name)
        body = {"model": name, "messages": [{"role": "user", "content": ASKED}], "stream": True}
        async with served.session.post(f"{served.url}/v1/chat/completions", json=body) as response:
            await response.read()
        await served.post("/v1/responses", {"model": name, "input": ASKED})
    _, listed = await served.get("/v1/moot/episodes")
    return [each["episode"] for each in listed["episodes"]]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500])
async def test_what_an_endpoint_says_of_a_question(
    status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("UPSTREAM_KEY", "a-key-of-a-good-length")
    caplog.set_level(logging.INFO)
    async with repeating(status) as port, serving(tmp_path, team(port)) as served:
        episodes = await ask_all(served)
        (first, *_) = episodes
        _, record = await served.get(f"/v1/moot/episodes/{first}")
        assert "mombasa" in json.dumps(record), "the words are in the store, until they are forgotten there"
    told = logged(caplog)
    for word in WORDS:
        assert word not in told
    assert f"http://localhost:{port}/v1 answered {status}" in told, "whoever keeps the server has to know"
    assert all(episode in told for episode in episodes)


async def test_what_a_model_says_of_a_question(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    class Unreadable(Wrapper):
        async def generate(self, request: Request) -> Reply:
            return Reply(f'{{"mombasa": {json.dumps(request.messages[-1].content)}}}')

    def unreadable(name: str, model: Model) -> Model:
        return Unreadable(model)

    caplog.set_level(logging.INFO)
    async with serving(tmp_path, wrap=unreadable) as served:
        await ask_all(served)
    told = logged(caplog)
    assert "a reply that is no use" in told
    for word in WORDS:
        assert word not in told


@pytest.mark.parametrize("stream", [False, True])
async def test_what_breaks_within(
    stream: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Where it broke is logged, and what the error says is not."""
    caplog.set_level(logging.INFO)
    async with serving(tmp_path) as served:

        async def broken_play(question: Any, *given: Any, **options: Any) -> None:
            try:
                raise KeyError(question.text)
            except KeyError as error:
                raise ValueError("mombasa") from error

        monkeypatch.setattr(served.live, "play", broken_play)
        body = {"model": "three/vote", "messages": [{"role": "user", "content": ASKED}], "stream": stream}
        async with served.session.post(f"{served.url}/v1/chat/completions", json=body) as response:
            assert '"code":"internal_error"' in await response.text()
    told = logged(caplog)
    assert "in broken_play" in told
    assert "KeyError, whose words" in told
    assert "ValueError, whose words" in told
    for word in WORDS:
        assert word not in told.replace('ValueError("mombasa")', ""), "a line of the program is no word of a question"


def test_a_group_of_errors_and_one_that_leads_back_to_itself() -> None:
    first, second = ValueError("zanzibar"), KeyError("mombasa")
    first.__cause__, second.__cause__ = second, first
    told = where_it_broke(ExceptionGroup("zanzibar", [first, TypeError("mombasa")]))
    assert [line.split(",")[0] for line in told.splitlines()] == [
        "builtins.KeyError",
        "builtins.ValueError",
        "builtins.TypeError",
        "builtins.ExceptionGroup",
    ]


async def test_an_error_of_the_store_holds_no_parameters(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        await served.chat(ASKED)

        def write(connection: Any) -> None:
            connection.execute(text("INSERT INTO nowhere VALUES (:words)"), {"words": ASKED})

        def unfit(connection: Any) -> None:
            connection.execute(select(bindparam("words", type_=JSON)), {"words": [ASKED, object()]})

        for work in (write, unfit):
            with pytest.raises((StoreError, StatementError)) as raised:
                await served.live.store.run(work)
            assert "zanzibar" not in str(raised.value)


def test_a_warning_and_a_record_of_a_library_are_told_without_their_words(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place, name in ((logging.Handler, "handle"), (threading, "excepthook"), (sys, "unraisablehook")):
        monkeypatch.setattr(place, name, getattr(place, name))  # what is put there is taken away afterwards
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        log_libraries_without_words()
        warnings.warn("input_value='the zanzibar answer'", UserWarning, stacklevel=1)
        logging.getLogger("somebodys").error("the zanzibar\nanswer")
        logging.getLogger("moot.serve").error("a word of our own")
    assert "UserWarning at " in caplog.text
    assert "ERROR of somebodys at " in caplog.text
    assert "a word of our own" in caplog.text
    assert "zanzibar" not in caplog.text


@pytest.mark.parametrize("stream", [False, True])
async def test_what_a_template_of_the_teams_own_says(
    stream: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It is checked with an example before it is served, and may quote what it is given all the same."""
    (tmp_path / "words").mkdir()
    asks = "{% if question.startswith('Which z') %}{{ choices[question] }}{% endif %}{{ question }}"
    (tmp_path / "words" / "draft.j2").write_text(asks)
    caplog.set_level(logging.INFO)
    config = {**team(9), "models": {name: {"provider": "simulated", "accuracy": 0.5} for name in ("ann", "bob")}}
    async with serving(tmp_path, {**config, "prompts": str(tmp_path / "words")}) as served:
        asked = {"model": "solo@ann", "messages": [{"role": "user", "content": ASKED}], "stream": stream}
        async with served.session.post(f"{served.url}/v1/chat/completions", json=asked) as response:
            said = await response.text()
    assert "cannot be filled in" in said
    assert str(tmp_path) not in said
    told = logged(caplog)
    assert "draft.j2:1: FileError, whose words are not logged" in told, "whoever keeps the server has to know where"
    for word in WORDS:
        assert word not in told


KEEPS_QUIET = [
    MootError("mombasa of zanzibar"),
    UsageError("mombasa of zanzibar"),
    FileError("mombasa of zanzibar", file="t.yaml", line=3, key="zanzibar"),
    refusal("episodes.outcome", "an outcome", "mombasa of zanzibar"),
    StoreUnreadable("s.db: Could not decode to UTF-8 column 'text' with text 'mombasa of zanzibar'"),
    StoreError('s.db: invalid input syntax for type json DETAIL: Token "mombasa" is invalid: zanzibar'),
    StoreError('s.db: invalid input syntax for x-"mombasa"'),
    StoreError("s.db: malformed JSON <'mombasa'"),
    StoreError("/srv/o'brien/s.db: syntaxe d’entrée invalide : « mombasa »"),
    StoreError("s.db: Token »mombasa« ist ungültig"),
    StoreError("s.db: недопустимый элемент “mombasa”"),
    StoreError("s.db: Token„mombasa“ ist ungültig"),
    StoreError("s.db: no such column: `mombasa`"),
    StoreError("s.db: 「mombasa」は無効です"),
    ValueError("mombasa of zanzibar"),
    ExceptionGroup("mombasa", [ValueError("zanzibar")]),
]


@pytest.mark.parametrize("error", KEEPS_QUIET, ids=lambda error: type(error).__name__)
def test_an_error_that_may_quote_anything_is_told_by_its_kind(error: Exception) -> None:
    told = in_log(error)
    assert told
    for word in WORDS:
        assert word not in told
    if isinstance(error, StoreError):
        assert told.startswith(("episodes.outcome: expected an outcome", "s.db: ", "/srv/o'brien/s.db: "))
    else:
        assert type(error).__name__ in told


def test_what_is_known_to_quote_nothing_is_told_in_its_words() -> None:
    for error in (
        MootError(NOTHING_ASKED),
        BudgetReached("the budget of $1.00 is reached: $1.00 spent"),
        StoreFull("s.db: no space left on the device; everything stored so far is kept"),
        StoreError("s.db: waited 5 s for the lock: another process is writing to it"),
        StoreError("/srv/o'brien/s.db: disk I/O error"),
    ):
        assert in_log(error) == str(error)


async def test_what_the_store_says_of_what_it_was_to_keep(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)

    def keep(*given: Any, **options: Any) -> None:
        raise ValueError(f"mombasa of {ASKED}")

    async with serving(tmp_path) as served:
        served.live.record._keep = keep
        await served.chat(ASKED)
        async with asyncio.timeout(30):
            while "nothing is kept" not in caplog.text:  # noqa: ASYNC110  said by a task of the server
                await asyncio.sleep(0.02)
        del served.live.record._keep
    told = logged(caplog)
    assert "nothing is kept, and so nothing answered: ValueError, whose words are not logged" in told
    for word in WORDS:
        assert word not in told


@pytest.mark.parametrize("store", ["sqlite", "postgresql"])
async def test_what_the_store_refuses_is_told_with_its_cause(
    store: str, tmp_path: Path, request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    config = {**THREE}
    if store == "postgresql":
        postgres = request.getfixturevalue("postgres")
        config["store"] = url = postgres.database()
    async with serving(tmp_path, config) as served:
        if store == "postgresql":
            no_calls = "ALTER TABLE calls ADD CONSTRAINT mombasa CHECK (length(model) > 1000) NOT VALID"
            await asyncio.to_thread(postgres.sql, url, no_calls)
        else:
            no_calls = """CREATE TRIGGER no BEFORE INSERT ON calls BEGIN SELECT RAISE(ABORT, 'no "mombasa"'); END"""
            await served.live.store.run(lambda connection: connection.exec_driver_sql(no_calls))
        await served.chat(ASKED, "solo@ann")
        async with asyncio.timeout(30):
            while "nothing is kept" not in caplog.text:  # noqa: ASYNC110  said by a task of the server
                await asyncio.sleep(0.02)
    told = logged(caplog)
    assert {"postgresql": "CheckViolationError; ", "sqlite": "SQLITE_CONSTRAINT_TRIGGER; "}[store] in told
    for word in WORDS:
        assert word not in told
