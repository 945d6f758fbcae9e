"""`moot simulate --like NAME`: doctor and a run pass against the ways of each known server, over real HTTP."""

from __future__ import annotations

import json
import re
import sqlite3
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from beside import in_a_thread

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.cli.simulate import LIKE
from moot.models import price_table
from moot.simulate.likeness import LIKENESSES, LikeName
from moot.simulate.server import SimulatedServer, running

Captured = pytest.CaptureFixture[str]
KEY = "sk-planted-5e1f0d77"
MODELS = {"ann": {"accuracy": 0.7}, "bob": {"accuracy": 0.5}}


@pytest.fixture(autouse=True)
def somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("SIMULATED_KEY", KEY)
    return tmp_path


def moot(*arguments: object) -> int:
    return run_app(app, [str(each) for each in arguments])


@contextmanager
def simulated(like: str | None, **config: Any) -> Iterator[SimulatedServer]:
    with in_a_thread(running({"models": MODELS, "like": like, **config})) as server:
        yield server


def entry(server: SimulatedServer, model: str = "ann", **more: Any) -> dict[str, Any]:
    return {"provider": "endpoint", "base_url": server.base_url, "model": model, "params": {"max_tokens": 300}, **more}


def cup(ann: dict[str, Any], **more: Any) -> str:
    file = {"name": "cup", "questions": {"builtin": "facts-en", "sample": 2}, "strategies": ["solo"], **more}
    Path("cup.yaml").write_text(yaml.safe_dump({**file, "models": {"ann": ann}}))
    return "cup.yaml"


def flat(words: str) -> str:
    return re.sub(r"\s+", " ", words)


TOLD = {"ann": {"model": "ann", "instruction": "break-down"}}
"""A player that is told something, which stands in a system message."""
AZURE = {"query": {"api-version": "2024-10-21"}, "headers_env": {"api-key": "SIMULATED_KEY"}}


@pytest.mark.parametrize(
    ("like", "more", "said", "by"),
    [
        ("openrouter", {"api_key_env": "SIMULATED_KEY", "model": "simulated/ann:free"}, "'simulated/ann'", "schema"),
        ("azure", AZURE, "max_tokens is sent as max_completion_tokens", "schema"),
        ("ollama", {"api_key_env": "SIMULATED_KEY"}, "listed there as 'ann:latest'", "schema"),
        ("vllm", {"api_key_env": "SIMULATED_KEY", "system": "fold"}, "", "schema"),
        ("gemini", {"api_key_env": "SIMULATED_KEY"}, "listed there as 'models/ann'", "schema"),
        ("deepseek", {"api_key_env": "SIMULATED_KEY"}, "", "object"),
    ],
)
def test_doctor_and_a_run(like: str, more: dict[str, Any], said: str, by: str, capfd: Captured) -> None:
    with simulated(like, api_key_env="SIMULATED_KEY") as server:
        file = cup({**entry(server), **more}, players=TOLD)
        assert moot("doctor", file) == 0
        told = flat(capfd.readouterr().out)
        assert said in told
        assert re.search(rf"✓ .*\b{by}\b", told)
        assert moot("run", file, "--quiet") == 0
        assert server.stats["outcomes"]["ok"] == 3
    assert KEY not in Path("cup.db").read_bytes().decode("utf-8", "replace")


def test_the_command_and_the_server_know_the_same() -> None:
    assert LIKE == get_args(LikeName) == tuple(LIKENESSES)
    assert moot("simulate", "--port", 0, "--like", "openroute") == 2


def stored(query: str) -> list[Any]:
    connection = sqlite3.connect("cup.db")
    rows = connection.execute(query).fetchall()
    connection.close()
    return rows


def test_openrouter_states_its_bill_and_fails_inside_a_success(capfd: Captured) -> None:
    faults = [{"kind": "503", "times": 1}, {"kind": "429-seconds", "times": 1, "retry_after": 0}]
    with simulated("openrouter", faults=faults) as server:
        file = cup(entry(server, price={"prompt": 1000, "completion": 1000}))
        assert moot("run", file, "--quiet") == 0
        assert server.stats["outcomes"] == {"503": 1, "429-seconds": 1, "ok": 2}
    for prompt, completion, cost_usd in stored("SELECT prompt_tokens, completion_tokens, cost_usd FROM calls"):
        assert cost_usd == pytest.approx((prompt + completion) / 1e6), "as it states it, whatever the list says"


@pytest.mark.parametrize(
    ("missing", "words"),
    [("query", "Resource not found"), ("headers_env", "401")],
)
def test_azure_wants_its_version_and_its_key(missing: str, words: str, capfd: Captured) -> None:
    with simulated("azure", api_key_env="SIMULATED_KEY") as server:
        assert server.base_url.endswith("/openai/deployments/ann")
        file = cup(entry(server, **{key: value for key, value in AZURE.items() if key != missing}))
        assert moot("doctor", file) == 1
    assert words in flat(capfd.readouterr().out)


def test_what_azure_does_not_take_is_told_with_the_run(capfd: Captured) -> None:
    with simulated("azure") as server:
        file = cup(entry(server, query=AZURE["query"], stream=True))
        assert moot("doctor", file) == 0
        told = flat(capfd.readouterr().out)
        assert "stream_options is not sent" in told
        assert "temperature is not sent" in told
        assert moot("run", file, "--quiet") == 0
    assert "moot: ann: temperature is not sent" in capfd.readouterr().err
    assert moot("report", file, "--json") == 0
    assert "not_applied" in json.loads(capfd.readouterr().out)["runs"][0]


def test_streams_that_azure_does_not_count_are_told_with_the_bill(capfd: Captured) -> None:
    with simulated("azure") as server:
        price = {"prompt": 1, "completion": 1}
        file = cup(entry(server, query=AZURE["query"], stream=True, price=price))
        assert moot("run", file) == 0
    ended = capfd.readouterr()
    assert "moot: ann: stream_options is not sent" in flat(ended.err)
    assert "more for calls without a reply or not counted" in flat(ended.err)
    said = flat(ended.out)
    assert "Paid: not known: of ann its server does not count the tokens of streams, and at most" in said
    assert "price is missing" not in said


def test_doctor_finds_that_there_is_no_system_role(capfd: Captured) -> None:
    with simulated("vllm") as server:
        assert moot("doctor", cup(entry(server), players=TOLD)) == 1
        assert server.stats["requests"] == 3, "refused, answered when folded, and refused once more"
    told = flat(capfd.readouterr().out)
    assert "System role not supported" in told
    assert "write system: fold" in told
    assert "With system: fold it answers" in told


def test_gemini_does_not_know_a_seed(capfd: Captured) -> None:
    with simulated("gemini") as server:
        assert moot("doctor", cup(entry(server, extra={"seed": 7}))) == 1
        assert server.stats["requests"] == 1, "the form is not to blame: it is asked for once"
    assert "it does not take seed with this model" in flat(capfd.readouterr().out)


def post(url: str, body: Any) -> tuple[int, Any, Any]:
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return response.status, json.loads(response.read()), response.headers
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read()), error.headers


ASKED = {"model": "ann", "messages": [{"role": "user", "content": "Who?"}]}


def test_the_forms_themselves() -> None:
    """As they are on the wire, seen by somebody who knows nothing of moot."""
    limited = {"faults": [{"kind": "429-seconds", "retry_after": 17, "times": 1}]}
    with simulated("gemini", **limited) as server:
        status, body, headers = post(f"{server.base_url}/chat/completions", ASKED)
        assert (status, body[0]["error"]["status"]) == (429, "RESOURCE_EXHAUSTED")
        assert body[0]["error"]["details"][0]["retryDelay"] == "17s"
        assert "Retry-After" not in headers
    with simulated("azure", **limited) as server:
        address = f"{server.base_url}/chat/completions?api-version=1"
        assert post(address, ASKED)[2]["retry-after-ms"] == "17000"
        assert post(address, {**ASKED, "max_tokens": 9})[1]["error"]["code"] == "unsupported_parameter"
        assert post(address, ASKED)[1]["choices"][0]["content_filter_results"]
    with simulated("vllm") as server:
        status, body, _ = post(f"{server.base_url}/chat/completions", {**ASKED, "model": "zoe"})
        assert (status, body["object"], body["code"], body["type"]) == (404, "error", 404, "NotFoundError")
    with simulated("deepseek", faults=[{"kind": "503", "times": 1}]) as server:
        address = f"{server.url}/chat/completions"
        assert post(address, ASKED)[1]["choices"][0]["finish_reason"] == "insufficient_system_resource"
        assert post(address, ASKED)[1]["choices"][0]["message"]["reasoning_content"]
    with simulated("openrouter", **limited) as server:
        status, body, _ = post(f"{server.url}/api/v1/chat/completions", ASKED)
        assert (status, body["error"]["code"], body["error"]["metadata"]["provider_name"]) == (429, 429, "Simulated")
        assert post(f"{server.url}/api/v1/chat/completions", ASKED)[1]["usage"]["cost"] > 0


# --- what the file says of it ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"headers_env": {"api-key": "NOT_SET_AT_ALL"}}, "the environment variable NOT_SET_AT_ALL is not set"),
        ({"headers_env": {"api-key": KEY}}, "expected the name of an environment variable"),
        ({"query": {"api-key": "x"}}, "api-key is named for a secret; expected a header for it: headers_env"),
        ({"base_url": "http://127.0.0.1:9/v1?api-version=1"}, "what stands behind the ? is the key query"),
        ({"system": "folded"}, "send"),
        ({"price": "list"}, "expected {prompt: ..., completion: ...} or table"),
        ({"price": {"input": 1}}, "prompt"),
    ],
)
def test_mistakes_of_the_file(more: dict[str, Any], words: str, capfd: Captured) -> None:
    base = {"provider": "endpoint", "base_url": "http://127.0.0.1:9/v1", "model": "ann"}
    assert moot("doctor", cup({**base, **more})) == 2
    said = capfd.readouterr().err
    assert words in said
    assert KEY not in said


def test_a_header_from_the_environment_is_as_secret_as_a_key(capfd: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTHER_KEY", f"Bearer {KEY}")
    headers = {"X-Plain-Name": "OTHER_KEY", "api-key": "SIMULATED_KEY"}
    with simulated("azure", api_key_env="SIMULATED_KEY", models={KEY: {"accuracy": 0.5}}) as server:
        # The server says which models there are, and one is called like the key.
        elsewhere = f"{server.url}/openai/deployments/zoe"
        entered = {**entry(server, query=AZURE["query"], headers_env=headers), "base_url": elsewhere}
        assert moot("doctor", cup(entered)) == 1
    said = "".join(capfd.readouterr())
    assert "does not exist" in said
    assert KEY not in said


# --- prices ---------------------------------------------------------------------------------------------------------------


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> price_table.PriceTable:
    rows = {
        "sample_spec": {"mode": "chat", "input_cost_per_token": 0, "output_cost_per_token": 0},
        "gpt-4o": {"mode": "chat", "input_cost_per_token": 2.5e-6, "output_cost_per_token": 1e-5},
        "openrouter/x/y": {"mode": "chat", "input_cost_per_token": 1e-6, "output_cost_per_token": 3e-6,
                           "cache_read_input_token_cost": 1e-7},
        "embedding": {"mode": "embedding", "input_cost_per_token": 1e-6, "output_cost_per_token": 0},
        "odd": {"mode": "chat", "input_cost_per_token": "1", "output_cost_per_token": -1},
        "dear": {"mode": "chat", "input_cost_per_token": 1e300, "output_cost_per_token": 1},
    }  # fmt: skip
    table = price_table.PriceTable(price_table.prices_of(rows), "LiteLLM 9.9.9")
    monkeypatch.setattr(price_table, "installed_table", lambda: table)
    monkeypatch.setattr("moot.live.doctor.installed_table", lambda: table)
    return table


def test_prices_of_the_table(table: price_table.PriceTable, capfd: Captured) -> None:
    assert set(table.prices) == {"gpt-4o", "openrouter/x/y"}
    assert table.named("x/y", "https://openrouter.ai/api/v1") == "openrouter/x/y"
    assert table.named("gpt-4o", "https://api.openai.com/v1") == "gpt-4o"
    assert table.named("gpt-4o", "https://openrouter.ai/api/v1") is None
    assert moot("models", "prices", "x/y") == 0
    said = capfd.readouterr().out
    assert "LiteLLM 9.9.9" in said
    assert "price: {prompt: 1, completion: 3, cached: 0.1}" in said
    assert moot("models", "prices", "gpt-4") == 0
    assert "openrouter" not in capfd.readouterr().out
    assert moot("models", "prices", "nobody") == 2
    assert "no model called 'nobody' in the table of LiteLLM 9.9.9" in capfd.readouterr().err


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch, capfd: Captured) -> None:
    monkeypatch.setattr(price_table, "installed_table", lambda: None)
    assert moot("models", "prices") == 2
    assert 'pip install "moot[litellm]"' in capfd.readouterr().err


def test_the_price_of_a_model_from_the_table(table: price_table.PriceTable, capfd: Captured) -> None:
    with simulated(None, models={"gpt-4o": {"accuracy": 0.5}, "zoe": {"accuracy": 0.5}}) as server:
        assert moot("run", cup(entry(server, "gpt-4o", price="table"), budget_usd=1), "--quiet") == 0
        for prompt, completion, cost_usd in stored("SELECT prompt_tokens, completion_tokens, cost_usd FROM calls"):
            assert cost_usd == pytest.approx((2.5 * prompt + 10 * completion) / 1e6)
        assert moot("run", cup(entry(server, "zoe", price="table"))) == 2
    assert "cup.yaml:" in (said := capfd.readouterr().err)
    assert "'zoe' is not in the table of LiteLLM 9.9.9" in said


def test_doctor_proposes_a_price(
    table: price_table.PriceTable, monkeypatch: pytest.MonkeyPatch, capfd: Captured
) -> None:
    monkeypatch.setitem(price_table._PREFIXES, "127.0.0.1", "openrouter/")  # type: ignore[index, arg-type]
    with simulated(None, models={"x/y": {"accuracy": 0.5}}) as server:
        assert moot("doctor", cup(entry(server, "x/y"))) == 0
    said = flat(capfd.readouterr().out)
    assert "ann: it has no price; LiteLLM 9.9.9 lists price: {prompt: 1, completion: 3, cached: 0.1}" in said
