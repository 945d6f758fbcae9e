"""A server that is not running, as a user of `moot run` meets it: said after a few calls, and what goes away later is not."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from virtual_time import virtual_time

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.errors import ConnectionFailed, EndpointUnreachable, TransportError
from moot.models.first_heard import FIRST_CALLS, LOST_CALLS, PATIENCE_S, EndpointDoor, Knocking, LetIn
from moot.models.retry import Retry, RetryPatience
from moot.models.scripted import ScriptedModel
from moot.types import Reply, Request

DEAD = "http://127.0.0.1:9/v1"
NOBODY = ConnectionFailed("nothing listens", nobody_there=True)


def test_a_run_ends_after_a_few_calls_and_names_the_address(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dead: dict[str, Any] = {"provider": "endpoint", "base_url": DEAD, "model": "x", "retries": {"attempts": 2}}
    models = {"ann": {"provider": "simulated", "accuracy": 0.5}, "dead": dead}
    path = tmp_path / "cup.yaml"
    path.write_text(json.dumps({"name": "cup", "questions": {"builtin": "facts-en"}, "models": models}))
    assert run_app(app, ["run", str(path)]) == 1
    told = capsys.readouterr()
    assert told.out == ""
    *_, wrong, following = told.err.splitlines()
    assert wrong.startswith(f"moot: nobody answers for model dead: {DEAD}: ")
    assert "nothing listens there: start the server, or correct host and port in base_url." in wrong
    assert wrong.endswith("(cup.yaml:1: models.dead)"), "and which line of the file it is"
    assert following.endswith(f"Next: moot doctor {path}, then moot run {path} to go on.")


class Server:
    """What each call meets, the last for ever."""

    def __init__(self, *met: TransportError | Reply, door: EndpointDoor | None = None, attempts: int = 2) -> None:
        self.met, self.asked = list(met), 0
        self.door = door or EndpointDoor()
        retry = Retry(Knocking(ScriptedModel("ann", self.meet), self.door), RetryPatience(attempts=attempts))
        self.model = LetIn(retry, self.door)

    def meet(self, _: Request) -> Reply:
        self.asked += 1
        met = self.met.pop(0) if len(self.met) > 1 else self.met[0]
        if isinstance(met, Reply):
            return met
        raise met

    async def ask(self, calls: int) -> list[Reply | BaseException]:
        every = (self.model.generate(Request(())) for _ in range(calls))
        return await asyncio.gather(*every, return_exceptions=True)


@virtual_time
async def test_nobody_is_there() -> None:
    server = Server(NOBODY)
    ended = await server.ask(1_000)
    assert sum(isinstance(each, EndpointUnreachable) for each in ended) >= 1_000 - FIRST_CALLS - LOST_CALLS
    assert server.asked <= 2 * (FIRST_CALLS + LOST_CALLS)


@virtual_time
@pytest.mark.parametrize(
    "met",
    [
        (NOBODY, Reply("x")),
        (NOBODY, NOBODY, NOBODY, NOBODY, Reply("x")),
        (Reply("x"), NOBODY),
        (ConnectionFailed("cut", sent=True), NOBODY),
    ],
    ids=["a blip", "a server that starts", "one that goes away", "one that cuts"],
)
async def test_whoever_was_heard_of_ends_nothing(met: tuple[TransportError | Reply, ...]) -> None:
    ended = await Server(*met).ask(100)
    assert not any(isinstance(each, EndpointUnreachable) for each in ended)


@virtual_time
async def test_a_few_calls_are_too_few_to_say() -> None:
    ended = await Server(NOBODY).ask(LOST_CALLS - 1)
    assert all(isinstance(each, ConnectionFailed) for each in ended)


@virtual_time
async def test_where_nothing_must_end_it_is_told_once() -> None:
    told: list[str] = []
    ended = await Server(NOBODY, door=EndpointDoor(told=told.append)).ask(50)
    assert all(isinstance(each, ConnectionFailed) for each in ended)
    assert len(told) == 1


class Tarrying(ScriptedModel):
    """Each try takes a while before it meets nobody."""

    def __init__(self, seconds: float) -> None:
        super().__init__("ann", lambda request: "fine")
        self._seconds = seconds
        self.asked = 0

    async def generate(self, request: Request) -> Reply:
        self.asked += 1
        await asyncio.sleep(self._seconds)
        raise NOBODY


@virtual_time
async def test_where_a_connection_has_failed_nobody_else_is_let_in_however_long_it_takes() -> None:
    door, slow = EndpointDoor(), Tarrying(0.5)
    model = LetIn(Retry(Knocking(slow, door), RetryPatience(attempts=20)), door)
    calls = [asyncio.create_task(model.generate(Request(()))) for _ in range(50)]
    await asyncio.sleep(PATIENCE_S + 1)
    asked = slow.asked
    for call in calls:
        call.cancel()
    await asyncio.gather(*calls, return_exceptions=True)
    assert asked <= FIRST_CALLS * (PATIENCE_S + 1) / 0.5, "the first few alone, each with its tries"


@virtual_time
async def test_a_call_that_is_given_up_makes_room_at_once() -> None:
    door, slow = EndpointDoor(), Tarrying(0.9 * PATIENCE_S)
    model = LetIn(Knocking(slow, door), door)
    calls = [asyncio.create_task(model.generate(Request(()))) for _ in range(FIRST_CALLS + 1)]
    await asyncio.sleep(0.1)
    assert slow.asked == FIRST_CALLS
    calls[0].cancel()
    await asyncio.sleep(0.1)
    assert slow.asked == FIRST_CALLS + 1
    await asyncio.gather(*calls, return_exceptions=True)
