"""Real servers that moot asks: llama.cpp's own, and LiteLLM's proxy before another. docs/endpoints.md says what was seen.

`make test-clients` sets the proxy's environment up and names it in MOOT_PYTHON_PROXY.
"""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "shared")]
from beside import in_a_thread  # noqa: E402
from local_team import SMALL, needs_weights  # noqa: E402

from moot.cli.app import app  # noqa: E402
from moot.cli.exit import run_app  # noqa: E402
from moot.models.packaged import CATALOGUE  # noqa: E402
from moot.simulate.server import running  # noqa: E402

PROXY = os.environ.get("MOOT_PYTHON_PROXY", "")
KEY = "sk-planted-90ce44d1"
STARTS_WITHIN_S = 420
Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("PROXY_KEY", KEY)


def moot(*arguments: object) -> int:
    return run_app(app, [str(each) for each in arguments])


def cup(name: str, base_url: str, model: str, sample: int = 3, **more: Any) -> str:
    entry = {"provider": "endpoint", "base_url": base_url, "model": model, "params": {"max_tokens": 60}, **more}
    file = {
        "name": name,
        "prompts": "small",
        "questions": {"builtin": "facts-en", "sample": sample},
        "models": {"ann": entry},
        "players": {"ann": {"model": "ann", "instruction": "Answer at once."}},
        "strategies": ["solo"],
    }
    Path(f"{name}.yaml").write_text(yaml.safe_dump(file))
    return f"{name}.yaml"


def stored(name: str, query: str) -> list[Any]:
    with closing(sqlite3.connect(f"{name}.db")) as connection:
        return connection.execute(query).fetchall()


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


# --- llama.cpp ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("local", [pytest.param(True, marks=needs_weights)])
def test_the_server_of_llama_cpp(local: bool, capfd: Captured) -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(CATALOGUE[SMALL].file)
    params.n_ctx, params.n_parallel, params.cpuparams.n_threads = 4096, 1, 2
    params.hostnames, params.port, params.verbosity = ["127.0.0.1"], free_port(), -1
    server = xllamacpp.Server(params)
    base_url = f"{server.listening_address}/v1"
    for name, more in {
        "streamed": {"stream": True},
        "other": {"system": "fold", "params": {"max_completion_tokens": 60, "seed": 7, "temperature": 0.5}},
    }.items():
        file = cup(name, base_url, SMALL, **{"sample": 1, "price": {"prompt": 1, "completion": 1}, **more})
        assert moot("doctor", file) == 0, name
        assert "schema" in capfd.readouterr().out, "a grammar holds it to the form"
        assert moot("run", file, "--quiet") == 0, name
        calls = stored(name, "SELECT completion_tokens, cost_usd FROM calls")
        assert len(calls) >= 1
        assert all(0 < tokens <= 60 and cost_usd > 0 for tokens, cost_usd in calls), "counted, and cut where it is said"
    file = cup("wrong", f"{server.listening_address}/v2", SMALL)
    assert moot("doctor", file) == 1
    assert "correct the path in base_url" in capfd.readouterr().out.replace("\n", " ")


# --- LiteLLM's proxy ------------------------------------------------------------------------------------------------------


@contextmanager
def proxy(upstream: str, folder: Path) -> Iterator[str]:
    """Its address, with every model of `upstream` under a name of its own."""
    reached = {"api_base": upstream, "api_key": "none", "num_retries": 0}
    listed = [{"model_name": f"team/{name}", "litellm_params": {"model": f"openai/{name}", **reached}} for name in "ab"]
    priced = {"input_cost_per_token": 1e-6, "output_cost_per_token": 2e-6}
    listed[1]["litellm_params"] |= priced  # type: ignore[operator]
    settings = {"litellm_settings": {"telemetry": False, "num_retries": 0}, "general_settings": {"master_key": KEY}}
    (folder / "proxy.yaml").write_text(yaml.safe_dump({"model_list": listed, **settings}))
    port = free_port()
    command = [
        str(Path(PROXY).parent / "litellm"),
        "--config",
        "proxy.yaml",
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
    ]
    quiet = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_TELEMETRY": "False"}
    with (folder / "proxy.log").open("w") as log:
        process = subprocess.Popen(command, cwd=folder, env=quiet, stdout=log, stderr=log)
        try:
            _wait_for(f"http://127.0.0.1:{port}/health/liveliness", process)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()
            process.wait(30)


def _wait_for(address: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + STARTS_WITHIN_S
    while time.monotonic() < until:
        assert process.poll() is None, Path("proxy.log").read_text()[-2_000:]
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.5)
    raise AssertionError("the proxy did not start")


@pytest.mark.skipif(not PROXY, reason="LiteLLM's proxy has an environment of its own: run make test-clients")
def test_the_proxy_of_litellm(tmp_path: Path, capfd: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    models = {"a": {"accuracy": 0.7}, "b": {"accuracy": 0.5}}
    with in_a_thread(running({"models": models})) as upstream, proxy(upstream.base_url, tmp_path) as base_url:
        common = {"api_key_env": "PROXY_KEY", "price": {"prompt": 1, "completion": 1}}
        for name, more in {"whole": {}, "streamed": {"stream": True}}.items():
            file = cup(name, base_url, "team/a", **common, **more)
            assert moot("doctor", file) == 0, name
            assert "schema" in capfd.readouterr().out
            assert moot("run", file, "--quiet") == 0, name
            calls = stored(name, "SELECT prompt_tokens, completion_tokens, cost_usd FROM calls")
            assert len(calls) == 3
            assert all(cost_usd == pytest.approx((prompt + said) / 1e6) for prompt, said, cost_usd in calls)
        assert moot("doctor", cup("unknown", base_url, "team/zoe", **common)) == 1
        told = " ".join(capfd.readouterr().out.split())
        assert "team/zoe" in told
        assert "team/a" in told, "what the proxy lists"
        monkeypatch.setenv("PROXY_KEY", "sk-another-key-0000")
        assert moot("doctor", cup("wrong", base_url, "team/a", **common)) == 1
        told = " ".join(capfd.readouterr().out.split())
        assert "No connected db" in told, "its word for a key that is not its own, where it has no database of others"
        assert "sk-another-key-0000" not in told
    assert KEY not in json.dumps([str(row) for row in stored("whole", "SELECT * FROM calls")])


@pytest.mark.skipif(not PROXY, reason="LiteLLM's proxy has an environment of its own: run make test-clients")
def test_a_failing_server_behind_the_proxy(tmp_path: Path) -> None:
    """What passes is tried again through it, with the pause that the server asked for."""
    faults = [{"kind": "429-seconds", "times": 1}, {"kind": "503", "times": 1}]
    config = {"models": {"a": {"accuracy": 0.7}, "b": {"accuracy": 0.5}}, "faults": faults}
    with in_a_thread(running(config)) as upstream, proxy(upstream.base_url, tmp_path) as base_url:
        file = cup("failing", base_url, "team/b", api_key_env="PROXY_KEY", limits={"concurrent": 1})
        assert moot("run", file, "--quiet") == 0
        assert upstream.stats["outcomes"]["ok"] == 3
    assert stored("failing", "SELECT DISTINCT outcome FROM episodes") == [("answered",)]
