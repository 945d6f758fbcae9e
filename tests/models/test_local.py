"""Local models: that they run, keep to the form and repeat themselves. Never what they answer."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from moot.errors import ReplyBroken, RequestRejected, ServerFailed, UsageError
from moot.models import local
from moot.models.local import LocalModel, Longest
from moot.models.model import Model, call_key
from moot.models.overheard import overhearing
from moot.models.packaged import CATALOGUE
from moot.types import FREE, Message, Request

SMALL = "smollm2-135m"
SCHEMA = {
    "type": "object",
    "properties": {"reasoning": {"type": "string"}, "answer": {"type": "string"}},
    "required": ["reasoning", "answer"],
    "additionalProperties": False,
}
INSTRUCTIONS = (
    "Answer at once.",
    "Check every fact.",
    "You are a quiz champion.",
    "Teach a child.",
    "Recall.",
    "Think.",
)

needs_weights = [
    pytest.mark.local,
    pytest.mark.skipif(not CATALOGUE[SMALL].there, reason=f"no weights here: moot models add {SMALL}"),
    pytest.mark.skipif(importlib.util.find_spec("xllamacpp") is None, reason='no llama.cpp: pip install "moot[local]"'),
]


def request(text: str = "What is the capital of France?", system: str = "Answer briefly.", **more: Any) -> Request:
    return Request((Message("system", system), Message("user", text)), **more)


@asynccontextmanager
async def opened(*models: LocalModel) -> AsyncIterator[None]:
    async with AsyncExitStack() as stack:
        for model in models:
            stack.push_async_callback(model.close)
        yield


# Without weights


def test_open_strings_and_arrays_are_bounded() -> None:
    rank = {"type": "array", "items": {"type": "string"}}
    properties = {
        "reasoning": {"type": "string"},
        "answer": {"type": "string"},
        "letter": {"type": "string", "enum": ["A", "B"]},
        "short": {"type": "string", "maxLength": 5},
        "rank": rank,
        "either": {"anyOf": [{"type": ["string", "null"]}, {"type": "integer"}]},
    }
    schema = {"type": "object", "properties": properties}
    bounded = Longest(80, 40).bound(schema)
    assert list(bounded["properties"]) == list(properties)
    assert bounded["properties"]["reasoning"]["maxLength"] == 80
    assert bounded["properties"]["answer"]["maxLength"] == 40
    assert bounded["properties"]["letter"] == properties["letter"]
    assert bounded["properties"]["short"] == properties["short"]
    assert bounded["properties"]["rank"] == {**rank, "items": {"type": "string", "maxLength": 40}, "maxItems": 32}
    assert bounded["properties"]["either"]["anyOf"][0]["maxLength"] == 40
    assert bounded["x-guidance"]["whitespace_flexible"] is False
    assert schema == {"type": "object", "properties": properties}, "the caller's schema is not touched"


def test_a_missing_file_is_said_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOOT_CACHE", str(tmp_path))
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: object())
    with pytest.raises(UsageError, match=f"moot models add {SMALL}"):
        LocalModel("ann", SMALL)
    with pytest.raises(UsageError, match=r"absent\.gguf"):
        LocalModel("ann", str(tmp_path / "absent.gguf"))


def test_a_missing_library_is_said_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(UsageError, match=r"moot\[local\]"):
        LocalModel("ann", SMALL)


def test_a_key_names_the_weights_and_the_context(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOOT_CACHE", str(tmp_path))
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: object())
    for name in ("a", "b"):
        (tmp_path / f"{name}.gguf").write_bytes(name.encode())
    path = str(tmp_path / "a.gguf")
    model = LocalModel("ann", path)
    key = call_key(model, request())
    assert call_key(LocalModel("bob", path, slots=2, threads=1), request()) == key
    others = [
        LocalModel("ann", str(tmp_path / "b.gguf")),
        LocalModel("ann", path, context=512),
        LocalModel("ann", path, params={"temperature": 0.8}),
    ]
    asked = [request(schema=SCHEMA), request("Another?"), request(params={"max_tokens": 9}), request(sample=1)]
    keys = {call_key(other, request()) for other in others} | {call_key(model, each) for each in asked}
    assert len(keys | {key}) == len(others) + len(asked) + 1


@pytest.mark.parametrize(
    ("error", "kind", "status", "said"),
    [
        ({"code": 500, "message": "broken"}, ServerFailed, 500, "failed: 'broken'"),
        ({"code": 503, "message": "broken"}, ServerFailed, 503, "failed: 'broken'"),
        ({"code": 499, "message": "no"}, RequestRejected, 400, "refused the request: 'no'"),
        ({"message": "no"}, RequestRejected, 400, "refused the request: 'no'"),
        (
            {"code": 500, "type": "exceed_context_size_error", "n_prompt_tokens": 9, "n_ctx": 8},
            *(RequestRejected, 400, "the prompt has 9 tokens, the model's context 8"),
        ),
    ],
)
def test_an_error_among_the_events(
    error: dict[str, Any], kind: type[RequestRejected | ServerFailed], status: int, said: str
) -> None:
    with pytest.raises(kind, match=said) as caught:
        local._joined([json.dumps({"choices": []}), json.dumps({"error": error})])
    assert caught.value.status == status


def test_events_are_joined_to_one_reply() -> None:
    def event(finish: str | None = None, *, logprob: float | None = None, **delta: str) -> str:
        choice: dict[str, Any] = {"delta": delta, "finish_reason": finish}
        if logprob is not None:
            choice["logprobs"] = {"content": [logprob]}
        return json.dumps({"choices": [choice, {"delta": {"content": "another"}}]})

    events = [
        event(reasoning_content="h"),
        event(reasoning_content="m", logprob=-1.0),
        event(content="P", logprob=-2.0),
    ]
    events += [
        event("stop", content="aris"),
        json.dumps({"choices": [], "usage": {"n": 1}}),
        json.dumps({"usage": None}),
    ]
    assert local._joined(events) == {
        "text": "Paris",
        "refusal": None,
        "finish": "stop",
        "thoughts": "hm",
        "usage": {"n": 1},
        "logprobs": {"content": [-1.0, -2.0]},
    }
    assert local._joined([event("length")])["logprobs"] is None
    with pytest.raises(ReplyBroken, match="in the middle"):
        local._joined(events[:3])


def test_weights_are_shared_until_their_last_user_leaves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "_shared", {})
    settings = local.Settings(tmp_path / "a.gguf", 1, 512, 1)
    weights = local._hold(settings)
    assert local._hold(settings) is weights
    assert local._hold(local.Settings(tmp_path / "b.gguf", 1, 512, 1)) is not weights
    assert (weights.users, local._release(weights)) == (2, False)
    assert local._shared[settings] is weights
    assert local._release(weights)
    assert settings not in local._shared
    newer = local._hold(settings)
    weights.users = 1
    assert not local._release(weights), "what has another in its place is not the one that is shared"
    assert local._shared[settings] is newer


@pytest.mark.parametrize(("mine", "all_of_them", "expected"), [({0, 2}, 8, 2), (None, 8, 8), (None, None, 1)])
def test_as_many_threads_as_there_are_processors_for_us(
    mine: set[int] | None, all_of_them: int | None, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not every system says which are ours, and some not even how many there are."""
    monkeypatch.setattr(os, "cpu_count", lambda: all_of_them)
    if mine is None:
        monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    else:
        monkeypatch.setattr(os, "sched_getaffinity", lambda _: mine, raising=False)
    assert local._cpus() == expected


def test_at_the_end_all_weights_are_unloaded(monkeypatch: pytest.MonkeyPatch) -> None:
    unloaded = []

    class Loaded:
        def unload(self) -> None:
            unloaded.append(self)

    held = {name: Loaded() for name in ("one", "two")}
    monkeypatch.setattr(local, "_shared", dict(held))
    local._unload_all()
    assert sorted(map(id, unloaded)) == sorted(map(id, held.values()))
    assert local._shared == {}
    local._unload_all()
    assert len(unloaded) == 2


@pytest.mark.skipif(importlib.util.find_spec("xllamacpp") is None, reason='no llama.cpp: pip install "moot[local]"')
async def test_a_file_that_is_no_model(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.gguf").write_bytes(b"GGUF no model" * 100)
    model = LocalModel("ann", str(tmp_path / "bad.gguf"))
    async with opened(model):
        with pytest.raises(UsageError, match=r"cannot load .*bad\.gguf"):
            await model.generate(request())
    assert capfd.readouterr().err == ""


# With weights


@pytest.mark.long
class TestReal:
    pytestmark = needs_weights

    async def test_who_listens_hears_it_as_it_is_written(self) -> None:
        model = LocalModel("ann", SMALL, params={"max_tokens": 12})
        heard: list[str] = []
        pieces_before_the_end = []

        class Listening:
            is_bound = False

            def voice(self) -> Any:
                return heard.append

        async def look() -> None:
            while not pieces_before_the_end:
                await asyncio.sleep(0.001)
                pieces_before_the_end.extend(heard)

        async with opened(model):
            looking = asyncio.create_task(look())
            with overhearing(Listening()):
                reply = await model.generate(request())
            await asyncio.wait_for(looking, 10)
            assert "".join(heard) == reply.text
            assert len(pieces_before_the_end) < len(heard), "the first words came before the last"
            with overhearing(Listening()):
                held = await model.generate(request(schema=SCHEMA, params={"max_tokens": 60}))
            assert "".join(heard) == reply.text + held.text
            alone = await model.generate(request())
            assert alone.text == reply.text
            assert "".join(heard) == reply.text + held.text, "nobody listened to the last"

    async def test_a_reply_with_everything_counted(self, capfd: pytest.CaptureFixture[str]) -> None:
        model = LocalModel("ann", SMALL, params={"max_tokens": 12})
        assert isinstance(model, Model)
        async with opened(model):
            reply = await model.generate(request(params={"logprobs": True}))
        assert reply.text
        assert reply.finish in ("stop", "length")
        assert reply.usage.prompt
        assert reply.usage.completion
        assert reply.usage.completion <= 12
        assert reply.logprobs["content"]
        assert reply.cost_usd == 0
        assert reply.latency_s > 0
        assert CATALOGUE[SMALL].sha256[:12] in str(reply.version)
        assert model.price == FREE
        assert capfd.readouterr().err == "", "llama.cpp's log would spoil the progress bars"

    async def test_three_players_share_one_loading(self) -> None:
        models = [LocalModel(name, SMALL, params={"max_tokens": 4}) for name in ("ann", "bob", "cid")]
        async with opened(*models):
            await asyncio.gather(*(model.generate(request()) for model in models))
            (weights,) = local._shared.values()
            assert (weights.loads, weights.users) == (1, 3)
            await models[0].close()
            assert await models[1].generate(request()), "closing one leaves the others theirs"
            assert await models[0].generate(request()), "a closed model may be used again"
            assert (weights.loads, weights.users) == (1, 3)
        assert not local._shared

    async def test_six_at_once_keep_to_the_form_and_repeat_themselves(self) -> None:
        model = LocalModel("ann", SMALL, reasoning_chars=24, string_chars=12)
        asked = [request(system=instruction, schema=SCHEMA) for instruction in INSTRUCTIONS]
        async with opened(model):
            together = await asyncio.gather(*map(model.generate, asked))
            alone = [await model.generate(each) for each in asked[:3]]
        for reply in together:
            answer = json.loads(reply.text)
            assert list(answer) == ["reasoning", "answer"]
            assert len(answer["reasoning"]) <= 24
            assert len(answer["answer"]) <= 12
            assert "\n" not in reply.text
        assert [reply.text for reply in together[:3]] == [reply.text for reply in alone]

    async def test_samples_differ_and_repeat_themselves(self) -> None:
        params = {"temperature": 1.5, "max_tokens": 8}
        model = LocalModel("ann", SMALL, params=params)
        async with opened(model):
            first = [(await model.generate(request("Tell a story.", sample=n))).text for n in range(3)]
            again = [(await model.generate(request("Tell a story.", sample=n))).text for n in range(3)]
        assert first == again
        assert len(set(first)) > 1

    async def test_a_prompt_longer_than_the_context(self) -> None:
        model = LocalModel("ann", SMALL, context=256, slots=1, params={"max_tokens": 4})
        async with opened(model):
            with pytest.raises(RequestRejected, match=r"prompt has \d+ tokens, the model's context 256") as raised:
                await model.generate(request("word " * 1000))
            assert raised.value.status == 400
            assert await model.generate(request())

    async def test_refused_parameters(self) -> None:
        model = LocalModel("ann", SMALL, context=256, slots=1)
        async with opened(model):
            with pytest.raises(RequestRejected, match="max_tokens"):
                await model.generate(request(params={"max_tokens": "many"}))
            with pytest.raises(RequestRejected, match="schema"):
                await model.generate(request(schema={"type": "nonsense"}))

    async def test_cancelling_frees_the_slot(self) -> None:
        model = LocalModel("ann", SMALL, slots=1, params={"max_tokens": 1500, "ignore_eos": True})
        async with opened(model):
            started = time.process_time()  # of this process alone, in which the model runs
            await model.generate(request(params={"max_tokens": 100}))
            part_s = time.process_time() - started
            tasks = [asyncio.create_task(model.generate(request("Tell a long story."))) for _ in range(3)]
            await asyncio.sleep(0.5)  # one at work, two waiting
            for task in tasks:
                task.cancel()
            outcomes = await asyncio.gather(*tasks, return_exceptions=True)
            assert all(isinstance(outcome, asyncio.CancelledError) for outcome in outcomes)
            started = time.process_time()
            assert await model.generate(request(params={"max_tokens": 2}))
            assert time.process_time() - started < 9 * part_s, "the cancelled ones would take forty-five times as long"

    def test_the_process_ends_without_close(self) -> None:
        script = f"""
import asyncio
from moot.models.local import LocalModel
from moot.types import Message, Request

async def main():
    model = LocalModel("ann", {SMALL!r}, params={{"max_tokens": 1500, "ignore_eos": True}})
    await asyncio.wait_for(model.generate(Request((Message("user", "Tell a long story."),))), 3)

asyncio.run(main())
"""
        ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
        assert ended.returncode == 1
        assert ended.stderr.rstrip().endswith("TimeoutError")
