"""The cache: one call for one key, whoever asks and whenever; a key of all that shapes a reply and nothing else."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.errors import CallError, ConnectionFailed, GenerationFailed, TakenOver
from moot.models.cache import Cache, StoredCall
from moot.models.endpoint import EndpointModel, Network
from moot.models.flights import Flights
from moot.models.model import Model, call_key
from moot.models.scripted import ScriptedModel
from moot.store.calls import ExperimentCalls
from moot.store.sqlite import SqliteStore
from moot.types import Message, Price, Reply, Request

ASKED = Request((Message("user", "Who?"),))


class MemoryStore:
    """As little of a store as the cache needs."""

    def __init__(self) -> None:
        self.calls: dict[str, StoredCall] = {}
        self.failures: list[str] = []

    def want(self, key: str, sample: int | None = None) -> None:
        pass

    async def find_call(self, key: str) -> Reply | None:
        return self.calls[key].reply if key in self.calls else None

    async def begin(self, key: str) -> Reply | None:
        return None

    def drop(self, key: str) -> None:
        pass

    async def keep_call(self, call: StoredCall) -> Reply:
        await asyncio.sleep(0)
        return self.calls.setdefault(call.key, call).reply

    async def keep_failure(self, key: str, model: str, error: CallError) -> None:
        self.failures.append(type(error).__name__)


class Held(ScriptedModel):
    """Answers when it is let go."""

    def __init__(self, script: Any = lambda request: "fine") -> None:
        super().__init__("held", script)
        self.gate = asyncio.Event()

    async def generate(self, request: Request) -> Reply:
        await self.gate.wait()
        return await super().generate(request)


async def soon() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


# --- single flight -----------------------------------------------------------------------------------------------------


async def test_ten_callers_at_once_are_one_call() -> None:
    model = ScriptedModel("tom", ["fine"])
    cache = Cache(model, MemoryStore())
    replies = await asyncio.gather(*(cache.generate(ASKED) for _ in range(10)))
    assert {reply.text for reply in replies} == {"fine"}
    assert len(model.requests) == 1
    assert (await cache.generate(ASKED)).key == call_key(model, ASKED), "and later callers find it stored"
    assert len(model.requests) == 1


class Claiming(MemoryStore):
    """Says how each call ended that it was told of."""

    def __init__(self, *, others: Reply | None = None) -> None:
        super().__init__()
        self.begun: list[str] = []
        self.dropped: list[str] = []
        self.others = others
        """What another process has stored by the time we begin a second time."""

    async def begin(self, key: str) -> Reply | None:
        self.begun.append(key)
        return self.others if len(self.begun) > 1 else None

    def drop(self, key: str) -> None:
        self.dropped.append(key)


async def test_a_call_that_was_taken_over_is_no_failure() -> None:
    """Nothing was sent: it is let go and asked for again, and what the other has got by then is taken."""
    taken = TakenOver("tom: another process has taken this call over")
    alone = Claiming()
    model = ScriptedModel("tom", [taken, "fine"])
    assert (await Cache(model, alone).generate(ASKED)).text == "fine"
    key = call_key(model, ASKED)
    assert (alone.begun, alone.dropped, alone.failures, list(alone.calls)) == ([key, key], [key], [], [key])
    beside = Claiming(others=Reply("theirs"))
    model = ScriptedModel("tom", [taken, "fine"])
    assert (await Cache(model, beside).generate(ASKED)).text == "theirs"
    assert (len(model.requests), beside.dropped, beside.failures, beside.calls) == (1, [key], [], {})


@pytest.mark.parametrize(
    ("ending", "failures", "dropped"),
    [(GenerationFailed("no"), ["GenerationFailed"], 0), (asyncio.CancelledError(), [], 1), (KeyError("ours"), [], 1)],
)
async def test_a_call_that_was_begun_ends_in_one_way(ending: BaseException, failures: list[str], dropped: int) -> None:
    class Ending(ScriptedModel):
        async def generate(self, request: Request) -> Reply:
            raise ending

    store = Claiming()
    with pytest.raises(type(ending)):
        await Cache(Ending("tom", []), store).generate(ASKED)
    assert (len(store.begun), store.failures, len(store.dropped), store.calls) == (1, failures, dropped, {})


async def test_two_names_for_one_model_share_the_flight() -> None:
    model, flights, store = ScriptedModel("tom", ["fine"]), Flights(), MemoryStore()
    caches = [Cache(model, store, flights) for _ in range(2)]
    await asyncio.gather(*(cache.generate(ASKED) for cache in caches))
    assert len(model.requests) == 1


@pytest.mark.parametrize("cancelled", [1, 2, 9])
async def test_when_the_leader_is_cancelled_a_follower_takes_over(cancelled: int) -> None:
    model, store = Held(), MemoryStore()
    cache = Cache(model, store)
    tasks = [asyncio.create_task(cache.generate(ASKED)) for _ in range(10)]
    await soon()
    for task in tasks[:cancelled]:
        task.cancel()
        await soon()
    model.gate.set()
    results = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 60)
    assert [type(each) for each in results] == [asyncio.CancelledError] * cancelled + [Reply] * (10 - cancelled)
    assert len(store.calls) == 1


async def test_a_follower_that_is_cancelled_disturbs_nobody() -> None:
    model, store = Held(), MemoryStore()
    cache = Cache(model, store)
    tasks = [asyncio.create_task(cache.generate(ASKED)) for _ in range(3)]
    await soon()
    tasks[1].cancel()
    await soon()
    model.gate.set()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(each) for each in results] == [Reply, asyncio.CancelledError, Reply]


@pytest.mark.parametrize(
    "error", [ConnectionFailed("reset"), GenerationFailed("garbage"), ValueError("a bug")], ids=str
)
async def test_an_error_goes_to_all_who_wait_and_is_not_a_reply(error: Exception) -> None:
    model, store = Held([error, "fine"]), MemoryStore()
    cache = Cache(model, store)
    tasks = [asyncio.create_task(cache.generate(ASKED)) for _ in range(4)]
    await soon()
    model.gate.set()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert results == [error] * 4
    assert store.calls == {}
    assert store.failures == ([type(error).__name__] if isinstance(error, CallError) else [])
    assert (await cache.generate(ASKED)).text == "fine", "the next one may pass"


# --- what stands in a store --------------------------------------------------------------------------------------------


def cached(model: ScriptedModel, store: SqliteStore, experiment: str) -> Cache:
    return Cache(model, ExperimentCalls(store, experiment))


@pytest.mark.parametrize("finish", ["refusal", "content_filter"])
async def test_a_refusal_stands_within_its_experiment_and_no_further(tmp_path: Path, finish: str) -> None:
    store = await SqliteStore(tmp_path / "s.db").open()
    model = ScriptedModel("tom", [Reply("no", finish), "fine", "never asked"])
    try:
        for _ in range(3):
            assert (await cached(model, store, "one").generate(ASKED)).finish == finish
        assert len(model.requests) == 1
        for _ in range(3):
            assert (await cached(model, store, "two").generate(ASKED)).text == "fine"
        assert len(model.requests) == 2
        assert (await cached(model, store, "one").generate(ASKED)).finish == finish, "the record stays as it was"
        assert len(model.requests) == 2
    finally:
        await store.close()


async def test_another_experiment_finds_what_is_no_refusal(tmp_path: Path) -> None:
    model = ScriptedModel("tom", [Reply("fine", logprobs={"content": []}, thoughts="hm", cost_usd=0.5, version="v")])
    for experiment in ("one", "two"):
        store = await SqliteStore(tmp_path / "s.db").open()
        reply = await cached(model, store, experiment).generate(ASKED)
        await store.close()
        assert reply == Reply(
            "fine", logprobs={"content": []}, thoughts="hm", cost_usd=0.5, version="v", key=call_key(model, ASKED)
        )
    assert len(model.requests) == 1


# --- the key -----------------------------------------------------------------------------------------------------------

BASE: dict[str, Any] = {
    "base_url": "http://127.0.0.1:1/v1",
    "model": "m",
    "params": {"temperature": 0, "max_tokens": 10, "nested": {"a": 1, "b": [1, 2]}},
    "extra": {"reasoning_effort": "high"},
}
REQUEST = Request(
    (Message("system", "s"), Message("user", "u")), {"top_p": 1}, {"type": "object", "properties": {}}, sample=1
)


def key(request: Request = REQUEST, **changes: Any) -> str:
    return call_key(EndpointModel("tom", **{**BASE, **changes}), request)


@pytest.mark.parametrize(
    "other",
    [
        key(base_url="http://127.0.0.1:2/v1"),
        key(model="m2"),
        key(params={**BASE["params"], "temperature": 0.1}),
        key(params={**BASE["params"], "seed": None}),
        key(params={**BASE["params"], "nested": {"a": 1, "b": [2, 1]}}),
        key(params={}),
        key(extra={"reasoning_effort": "low"}),
        key(extra={}),
        key(json_mode="off"),
        key(replace(REQUEST, messages=REQUEST.messages[1:])),
        key(replace(REQUEST, messages=REQUEST.messages[::-1])),
        key(replace(REQUEST, messages=(Message("user", "s"), Message("user", "u")))),
        key(replace(REQUEST, messages=(Message("system", "s"), Message("user", "u ")))),
        key(replace(REQUEST, params={"top_p": 0.9})),
        key(replace(REQUEST, params={})),
        key(replace(REQUEST, schema=None)),
        key(replace(REQUEST, schema={"type": "object"})),
        key(replace(REQUEST, sample=2)),
        key(replace(REQUEST, attempt=1)),
        call_key(ScriptedModel("m", []), REQUEST),
    ],
)
def test_whatever_shapes_a_reply_is_in_the_key(other: str) -> None:
    assert other != key()


@pytest.mark.parametrize(
    "same",
    [
        key(api_key="sk-1"),
        key(network=Network(timeout_s=1, headers={"X": "y"}, proxy="http://127.0.0.1:3")),
        key(price=Price(1, 2)),
        key(stream=True),
        key(base_url="http://127.0.0.1:1/v1/"),
        key(params={"nested": {"b": [1, 2], "a": 1}, "max_tokens": 10, "temperature": 0}),
        key(replace(REQUEST, question_id="q1")),
        call_key(EndpointModel("another name", **BASE), REQUEST),
    ],
)
def test_whatever_does_not_is_not(same: str) -> None:
    assert same == key()


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
PARAMS = st.dictionaries(st.text(min_size=1, max_size=8), VALUES, max_size=5).filter(
    lambda params: not params.keys() & {"model", "messages"}
)


def with_params(params: dict[str, Any]) -> Model:
    return EndpointModel("tom", base_url="http://127.0.0.1:1/v1", model="m", params=params)


@given(PARAMS, st.randoms())
def test_the_order_of_keys_does_not_matter(params: dict[str, Any], rng: Any) -> None:
    items = list(params.items())
    rng.shuffle(items)
    assert call_key(with_params(dict(items)), ASKED) == call_key(with_params(params), ASKED)


@given(PARAMS, PARAMS)
def test_different_parameters_are_different_calls(one: dict[str, Any], two: dict[str, Any]) -> None:
    keys = [call_key(with_params(params), ASKED) for params in (one, two)]
    assert (keys[0] == keys[1]) == (repr(sorted(one.items())) == repr(sorted(two.items()))) or one == two


@given(
    st.lists(st.tuples(st.sampled_from(["system", "user", "assistant"]), st.text()), min_size=1, max_size=4), st.data()
)
def test_different_messages_are_different_calls(messages: list[tuple[Any, str]], data: st.DataObject) -> None:
    request = Request(tuple(Message(role, text) for role, text in messages))
    place = data.draw(st.integers(0, len(messages) - 1))
    other = data.draw(st.text().filter(lambda text: text != messages[place][1]))
    changed = list(request.messages)
    changed[place] = Message(changed[place].role, other)
    model = with_params({})
    assert call_key(model, replace(request, messages=tuple(changed))) != call_key(model, request)
