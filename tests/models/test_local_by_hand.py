"""A model in this process without weights: a stand-in for llama.cpp is started, asked and let go of as the real one is."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import pytest

from moot.errors import RequestRejected, UsageError
from moot.models import local
from moot.models.local import LocalModel
from moot.types import Message, Price, Request

SCHEMA = {"type": "object", "properties": {"answer": {"type": "string"}}}


def event(words: str, finish: str | None = None) -> str:
    return json.dumps({"choices": [{"delta": {"content": words}, "finish_reason": finish}]})


USAGE = json.dumps({"usage": {"prompt_tokens": 4, "completion_tokens": 2}})


class Server:
    """Says these events, or raises."""

    said: ClassVar[list[str] | Exception] = [event("Pa"), event("ris", "stop"), USAGE]
    started: ClassVar[list[Any]] = []
    asked: ClassVar[list[dict[str, Any]]] = []

    def __init__(self, params: Any) -> None:
        if params.model.path.endswith("broken.gguf"):
            raise RuntimeError("no GGUF")
        self.started.append(params)

    def handle_chat_completions(self, body: str, hear: Callable[[str], bool]) -> None:
        self.asked.append(json.loads(body))
        if isinstance(self.said, Exception):
            raise self.said
        for each in self.said:
            if hear(each):
                return


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> type[Server]:
    class Ours(Server):
        started: ClassVar[list[Any]] = []
        asked: ClassVar[list[dict[str, Any]]] = []

    def params() -> Any:
        threads = SimpleNamespace
        return SimpleNamespace(model=SimpleNamespace(), cpuparams=threads(), cpuparams_batch=threads())

    module = ModuleType("xllamacpp")
    vars(module).update(
        __version__="1.0",
        Server=Ours,
        CommonParams=params,
        llama_flash_attn_type=SimpleNamespace(LLAMA_FLASH_ATTN_TYPE_ENABLED="on"),
        json_schema_to_grammar=json.dumps,
    )
    monkeypatch.setitem(sys.modules, "xllamacpp", module)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    monkeypatch.setattr(local, "_shared", {})
    return Ours


def weights(folder: Path, name: str = "a.gguf") -> str:
    (folder / name).write_bytes(b"GGUF")
    return str(folder / name)


ASKED = Request((Message("user", "?"),))


async def test_a_reply_is_put_together_and_the_weights_are_loaded_once(server: type[Server], tmp_path: Path) -> None:
    models = [
        LocalModel(name, weights(tmp_path), price=Price(1e6, 1e6), threads=3, context=512, slots=2) for name in "ab"
    ]
    assert not models[0].is_loading
    replies = [await model.generate(ASKED) for model in models]
    assert [(reply.text, reply.finish, reply.cost_usd) for reply in replies] == [("Paris", "stop", 6.0)] * 2
    assert replies[0].version is not None
    assert replies[0].version.startswith("a sha256:")
    assert replies[0].version.endswith(" xllamacpp 1.0")
    (params,) = server.started
    assert (params.n_parallel, params.n_ctx) == (2, 1024), "each slot has the whole context"
    assert (params.cpuparams.n_threads, params.cpuparams_batch.n_threads) == (3, 3)
    assert not models[0].is_loading
    await models[0].close()
    assert len(local._shared) == 1, "another still uses them"
    await models[1].close()
    assert local._shared == {}
    assert (await models[0].generate(ASKED)).text == "Paris"
    assert len(server.started) == 2
    await models[0].close()
    await models[0].close()


async def test_a_sample_is_another_draw_and_an_attempt_too(server: type[Server], tmp_path: Path) -> None:
    model = LocalModel("ann", weights(tmp_path), params={"top_k": 5})
    for sample, attempt, params in ((0, 0, {}), (2, 0, {}), (2, 3, {}), (1, 0, {"seed": 7, "temperature": 0.5})):
        await model.generate(Request(ASKED.messages, sample=sample, attempt=attempt, params=params))
    await model.close()
    assert [asked["seed"] for asked in server.asked] == [0, 2018, 2021, 7]
    assert [asked["temperature"] for asked in server.asked] == [0, 0, 0, 0.5]
    first = server.asked[0]
    assert (first["top_k"], first["stream"], first["stream_options"]) == (5, True, {"include_usage": True})
    assert first["messages"] == [{"role": "user", "content": "?"}]
    assert "grammar" not in first


async def test_a_form_is_held_by_a_grammar_or_by_one_that_was_given(
    server: type[Server], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = LocalModel("ann", weights(tmp_path))
    with pytest.raises(RequestRejected, match="cannot hold a reply to this schema"):
        await model.generate(Request(ASKED.messages, schema=SCHEMA))
    layout = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}
    bounded = {"answer": {"type": "string", "maxLength": local.STRING_CHARS}}
    assert json.loads(server.asked[-1]["grammar"]) == {
        "type": "object",
        "properties": bounded,
        "x-guidance": {**layout, "lenient": True},
    }
    monkeypatch.setattr(server, "said", [event('{"answer": "Paris"}', "stop")])
    assert (await model.generate(Request(ASKED.messages, schema=SCHEMA))).text == '{"answer": "Paris"}'
    monkeypatch.setattr(server, "said", [event("Par", "length")])
    assert (await model.generate(Request(ASKED.messages, schema=SCHEMA))).finish == "length", "it was cut, and held"
    monkeypatch.setattr(server, "said", [event("Paris", "stop")])
    own = Request(ASKED.messages, schema=SCHEMA, params={"grammar": "mine"})
    assert (await model.generate(own)).text == "Paris"
    assert server.asked[-1]["grammar"] == "mine"
    await model.close()


@pytest.mark.parametrize("error", [ValueError("odd"), RuntimeError("odd")], ids=["value", "runtime"])
async def test_what_llama_cpp_refuses_is_a_rejection(
    error: Exception, server: type[Server], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "said", error)
    model = LocalModel("ann", weights(tmp_path))
    with pytest.raises(RequestRejected, match=r"llama\.cpp refused the request: 'odd'") as raised:
        await model.generate(ASKED)
    assert raised.value.status == 400
    await model.close()


@pytest.mark.usefixtures("server")
async def test_a_file_that_is_no_model_says_what_may_be_wrong(tmp_path: Path) -> None:
    model = LocalModel("ann", weights(tmp_path, "broken.gguf"), slots=2, context=512)
    with pytest.raises(UsageError, match=r"cannot load .*broken\.gguf with 2 × 512 tokens of context: .*\(no GGUF"):
        await model.generate(ASKED)
    assert model.is_loading, "it is not there yet"
    await model.close()


async def test_a_reply_is_told_as_it_is_written_until_it_is_stopped(server: type[Server], tmp_path: Path) -> None:
    told: list[str] = []
    held = local._hold(local.Settings(Path(weights(tmp_path)), 1, 512, 1))
    job = local.Job({"messages": []}, None, tell=told.append)
    assert held.chat(job)["text"] == "Paris"
    assert told == ["Pa", "ris"]

    def stop(words: str) -> None:
        told.append(words)
        job.stopped.set()

    stopped = local.Job({"messages": []}, None, job.stopped, stop)
    with pytest.raises(Exception, match="stopped in the middle"):
        held.chat(stopped)
    assert told == ["Pa", "ris", "Pa"]
    assert local._release(held)
    held.unload()
