"""The LiteLLM adapter over real HTTP: the same server, the same outcomes as the endpoint model."""

from __future__ import annotations

from collections.abc import AsyncIterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

if find_spec("litellm") is None:  # not imported here: the adapter sets it up before it does
    pytest.skip('needs the extra: pip install "moot[litellm]"', allow_module_level=True)

from moot.engine.runner import Runner
from moot.errors import CallError, ConnectionFailed, RateLimited, RequestRejected, ServerFailed, TimedOut
from moot.experiment.build import build
from moot.experiment.spec import read_experiment
from moot.models.litellm import LitellmModel
from moot.simulate.server import running
from moot.store.sqlite import SqliteStore
from moot.testing import check_model
from moot.types import Message, Price, Request

REQUEST = Request((Message("user", "<question>\nWhat is the capital of France?\n</question>"),), question_id="1")
SCHEMA = {
    "type": "object",
    "properties": {"reasoning": {"type": "string"}, "answer": {"type": "string"}},
    "required": ["reasoning", "answer"],
    "additionalProperties": False,
}


def model(base_url: str, **options: Any) -> LitellmModel:
    params = {"api_base": base_url, **options.pop("params", {})}
    return LitellmModel("ann", model="openai/ann", api_key="sk-test", params=params, **options)


@pytest.fixture
async def base_url() -> AsyncIterator[str]:
    async with running({}) as server:
        yield server.base_url


async def test_contract(base_url: str) -> None:
    await check_model(model(base_url))


async def test_a_reply_with_usage_and_cost(base_url: str) -> None:
    request = Request(REQUEST.messages, schema=SCHEMA)
    reply = await model(base_url, price=Price(1.0, 2.0)).generate(request)
    assert reply.text.startswith('{"reasoning": "[simulated]')
    assert reply.usage.prompt
    assert reply.usage.completion
    assert reply.cost_usd == pytest.approx((reply.usage.prompt + 2 * reply.usage.completion) / 1e6)


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ({"kind": "429-seconds", "retry_after": 7}, RateLimited),
        ({"kind": "500"}, ServerFailed),
        ({"kind": "503"}, ServerFailed),
        ({"kind": "hang"}, TimedOut),
    ],
    ids=lambda value: value["kind"] if isinstance(value, dict) else "",
)
async def test_faults_are_ours(fault: dict[str, Any], error: type[CallError]) -> None:
    async with running({"faults": [fault]}) as server:
        with pytest.raises(error) as caught:
            await model(server.base_url, timeout_s=0.5).generate(REQUEST)
        assert server.stats["requests"] == 1  # its own retries are off: ours keep the record
    assert "sk-test" not in str(caught.value)


async def test_nobody_there() -> None:
    with pytest.raises((ConnectionFailed, ServerFailed)):
        await model("http://127.0.0.1:9/v1").generate(REQUEST)


async def test_an_unknown_model_is_not_asked_for_again(base_url: str) -> None:
    unknown = LitellmModel("x", model="openai/nobody", api_key="k", params={"api_base": base_url})
    with pytest.raises(RequestRejected):
        await unknown.generate(REQUEST)


async def test_a_run(base_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "sk-test")
    file = tmp_path / "cup.yaml"
    file.write_text(
        "name: cup\nquestions: {builtin: general-en, sample: 5}\nmodels:\n"
        f"  ann: {{provider: litellm, model: openai/ann, api_key_env: SOME_KEY, params: {{api_base: '{base_url}'}}}}\n"
    )
    store = await SqliteStore(tmp_path / "cup.db").open()
    runner = Runner(build(read_experiment(file)), store)
    assert await runner.run() == "done"
    assert runner.tally.outcomes == {"answered": 5}
    await store.close()
    assert b"sk-test" not in (tmp_path / "cup.db").read_bytes()
