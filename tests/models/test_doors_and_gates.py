"""Nobody is there, or the model is not: what is said after how many calls, and who waits for whom until it is known."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from virtual_time import virtual_time

from moot.errors import ConnectionFailed, EndpointUnreachable, ModelUnknown, RequestRejected, ServerFailed, TakenOver
from moot.models.first_calls import FIRST_CALLS, PATIENCE_S
from moot.models.first_heard import EndpointDoor, Knocking, LetIn, nobody_there
from moot.models.model_gate import ModelGate, ModelProven
from moot.models.scripted import ScriptedModel
from moot.types import Message, Reply, Request

ASKED = Request((Message("user", "?"),))


def unreachable(words: str = "connection refused") -> ConnectionFailed:
    error = ConnectionFailed(words)
    error.nobody_there = True
    return error


class Held(ScriptedModel):
    """Says nothing until it is released."""

    def __init__(self, name: str = "tom") -> None:
        super().__init__(name, lambda request: "fine")
        self.released = asyncio.Event()
        self.left = 0

    async def generate(self, request: Request) -> Reply:
        self.left += 1
        await self.released.wait()
        return await super().generate(request)


def calls_of(model: Any, count: int) -> list[asyncio.Task[Reply]]:
    return [asyncio.create_task(model.generate(ASKED)) for _ in range(count)]


async def ended(*tasks: asyncio.Task[Reply]) -> list[Any]:
    return await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 3_600)


@virtual_time
async def test_four_calls_are_at_the_door_until_something_is_heard() -> None:
    model, door = Held(), EndpointDoor()
    asked = LetIn(Knocking(model, door), door)
    calls = calls_of(asked, FIRST_CALLS + 3)
    await asyncio.sleep(PATIENCE_S - 0.5)
    assert (model.left, door.is_open) == (4, False)
    model.released.set()
    assert [reply.text for reply in await ended(*calls)] == ["fine"] * 7
    assert door.is_open


@virtual_time
async def test_the_others_wait_two_seconds_and_no_longer() -> None:
    """A model may think for minutes before its first word."""
    model, door = Held(), EndpointDoor()
    calls = calls_of(LetIn(Knocking(model, door), door), FIRST_CALLS + 3)
    await asyncio.sleep(PATIENCE_S + 0.5)
    assert (model.left, door.is_open) == (7, False)
    model.released.set()
    await ended(*calls)


@virtual_time
async def test_three_calls_that_met_nobody_end_it_for_all() -> None:
    door = EndpointDoor()
    script: Callable[[Request], Any] = lambda request: unreachable()  # noqa: E731
    models = [LetIn(Knocking(ScriptedModel(name, script), door), door) for name in ("ann", "bob")]
    said = [*await ended(*calls_of(models[0], 1)), *await ended(*calls_of(models[1], 1))]
    assert [type(error) for error in said] == [ConnectionFailed, ConnectionFailed]
    (third,) = await ended(*calls_of(models[0], 1))
    words = "nobody answers for models ann, bob: connection refused. Is the server running?"
    assert (type(third), str(third)) == (EndpointUnreachable, words)
    (fourth,) = await ended(*calls_of(models[1], 1))
    assert (type(fourth), str(fourth)) == (EndpointUnreachable, words), "nobody asks any more"
    assert not door.is_open


@virtual_time
async def test_where_it_is_only_told_calls_go_on_to_fail_by_themselves() -> None:
    told: list[str] = []
    door = EndpointDoor(told=told.append)
    model = LetIn(Knocking(ScriptedModel("ann", lambda request: unreachable()), door), door)
    said = [(await ended(*calls_of(model, 1)))[0] for _ in range(5)]
    assert {type(error) for error in said} == {ConnectionFailed}
    assert told == ["nobody answers for model ann: connection refused. Is the server running?"]
    assert door.is_open


@pytest.mark.parametrize(
    ("error", "is_open"),
    [
        (unreachable(), False),
        (ConnectionFailed("cut in the middle"), True),
        (ServerFailed("500", status=500), True),
        (TakenOver("another has it"), False),
    ],
    ids=["nobody", "cut", "trouble", "nothing sent"],
)
async def test_any_other_error_says_that_somebody_is_there(error: Exception, is_open: bool) -> None:
    door = EndpointDoor()
    with pytest.raises(type(error)):
        await Knocking(ScriptedModel("ann", [error]), door).generate(ASKED)
    assert door.is_open is is_open


@virtual_time
async def test_what_was_heard_once_keeps_the_door_open() -> None:
    door = EndpointDoor()
    script = iter([Reply("fine"), *[unreachable() for _ in range(5)]])
    model = LetIn(Knocking(ScriptedModel("ann", lambda request: next(script)), door), door)
    said = [(await ended(*calls_of(model, 1)))[0] for _ in range(6)]
    assert [type(each) for each in said] == [Reply] + [ConnectionFailed] * 5


@virtual_time
async def test_where_a_connection_has_failed_the_others_wait_for_what_comes_of_it() -> None:
    door = EndpointDoor()
    held = Held("ann")
    failing = LetIn(Knocking(ScriptedModel("bob", lambda request: unreachable()), door), door)
    await ended(*calls_of(failing, 1))
    calls = calls_of(LetIn(Knocking(held, door), door), FIRST_CALLS + 2)
    await asyncio.sleep(10 * PATIENCE_S)
    assert held.left == FIRST_CALLS
    held.released.set()
    await ended(*calls)
    assert held.left == FIRST_CALLS + 2


@virtual_time
async def test_who_waits_at_the_door_and_is_cancelled_takes_nobody_along() -> None:
    model, door = Held(), EndpointDoor()
    calls = calls_of(LetIn(Knocking(model, door), door), FIRST_CALLS + 2)
    await asyncio.sleep(0.1)
    calls[-1].cancel()
    await asyncio.sleep(0.1)
    model.released.set()
    *others, last = await ended(*calls)
    assert {type(each) for each in others} == {Reply}
    assert isinstance(last, asyncio.CancelledError)


def test_what_is_said_where_nobody_is_there() -> None:
    assert (
        nobody_there(["a"], unreachable("start the server first"))
        == "nobody answers for model a: start the server first."
    )
    assert nobody_there(["a", "b"], unreachable("no")) == "nobody answers for models a, b: no. Is the server running?"


# --- a model that its server does not have ----------------------------------------------------------------------------


def unknown(request: Request) -> Any:
    return RequestRejected("404: no model 'gpt-5-mimi'", status=404, no_such_model=True)


async def listed() -> Sequence[str]:
    return ["gpt-5", "gpt-5-mini"]


async def broken() -> Sequence[str]:
    raise ServerFailed("500", status=500)


async def silent() -> Sequence[str]:
    await asyncio.sleep(3_600)
    return ["gpt-5-mini"]


@pytest.mark.parametrize(
    ("listing", "hint"),
    [(listed, "; did you mean 'gpt-5-mini'?"), (None, ""), (broken, ""), (silent, "")],
    ids=["listed", "no list", "broken", "silent"],
)
@virtual_time
async def test_a_model_that_is_not_there_is_said_with_the_nearest_of_the_servers_own_list(
    listing: Any, hint: str
) -> None:
    asked = 0

    async def counted() -> Sequence[str]:
        nonlocal asked
        asked += 1
        found: Sequence[str] = await listing()
        return found

    gate = ModelGate()
    model = ModelProven(ScriptedModel("tom", unknown), gate, "gpt-5-mimi", None if listing is None else counted)
    said = await ended(*calls_of(model, FIRST_CALLS))
    words = f"nobody answers for model tom: 404: no model 'gpt-5-mimi'{hint}"
    assert [(type(error), str(error)) for error in said] == [(ModelUnknown, words)] * FIRST_CALLS
    assert asked == (0 if listing is None else 1), "one question for all that wait"


@virtual_time
async def test_a_model_that_has_answered_once_is_there() -> None:
    gate = ModelGate()
    script = iter([Reply("fine"), unknown(ASKED)])
    model = ModelProven(ScriptedModel("tom", lambda request: next(script)), gate, "tom", listed)
    (reply,) = await ended(*calls_of(model, 1))
    assert (reply.text, gate.is_open) == ("fine", True)
    (error,) = await ended(*calls_of(model, 1))
    assert type(error) is RequestRejected, "like any other trouble"


@virtual_time
async def test_another_rejection_is_no_word_on_whether_the_model_is_there() -> None:
    def wrong(request: Request) -> Any:
        return RequestRejected("401: no such key", status=401)

    model = ModelProven(ScriptedModel("tom", wrong), ModelGate(), "tom", listed)
    assert {type(error) for error in await ended(*calls_of(model, FIRST_CALLS))} == {RequestRejected}
    assert isinstance(model.shape(ASKED), Mapping)
