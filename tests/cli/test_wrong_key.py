"""A wrong key as a user of the commands meets it: one message, an exit code, and the way on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from beside import in_a_thread

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.models.key_gate import FIRST_CALLS
from moot.simulate.server import running

CONFIG = {"models": {"ann": {"accuracy": 0.5}, "bob": {"accuracy": 0.5}}, "api_key_env": "RIGHT_KEY"}


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RIGHT_KEY", "the-right-key")
    monkeypatch.setenv("QWEN_KEY", "the-wrong-key")
    monkeypatch.setattr("moot.models.key_gate.PATIENCE_S", 600.0)


def written(folder: Path, models: dict[str, Any], **more: Any) -> Path:
    path = folder / "cup.yaml"
    path.write_text(json.dumps({"name": "cup", "questions": {"builtin": "facts-en"}, "models": models, **more}))
    return path


def endpoint(base_url: str, **more: Any) -> dict[str, Any]:
    return {"provider": "endpoint", "base_url": base_url, "model": "ann", **more}


def test_run_says_it_once_and_goes_on_with_the_right_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with in_a_thread(running(CONFIG)) as server:
        path = written(tmp_path, {"qwen": endpoint(server.base_url, api_key_env="QWEN_KEY")})
        assert run_app(app, ["run", str(path)]) == 1
        asked = server.stats["requests"]
        assert 1 <= asked <= FIRST_CALLS
        told = capsys.readouterr()
        assert told.out == ""
        assert told.err.count("moot: ") == 1
        *_, wrong, following = told.err.splitlines()
        assert wrong.startswith(f"moot: the key of model qwen is refused: {server.base_url} answered 401: ")
        assert wrong.endswith(
            "The key comes from the environment variable QWEN_KEY (api_key_env): expected a key of this endpoint."
        )
        assert following.endswith(f"Next: moot doctor {path}, then moot run {path} to go on.")
        monkeypatch.setenv("QWEN_KEY", "the-right-key")
        assert run_app(app, ["run", str(path), "--quiet"]) == 0
        outcomes = server.stats["outcomes"]
        assert outcomes == {"401": asked, "ok": 40}, "each question once"


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_ask_says_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str], form: list[str]) -> None:
    with in_a_thread(running(CONFIG)) as server:
        models = {"ann": endpoint(server.base_url), "tom": {"provider": "simulated", "accuracy": 1}}
        path = written(tmp_path, models)
        assert run_app(app, ["ask", "Why?", "--team", str(path), *form]) == 1
        assert server.stats["requests"] == 1
    told = capsys.readouterr()
    assert "moot: the key of model ann is refused: " in told.err
    assert "The file sets no key for it" in told.err


def test_the_doctor_fits_eighty_columns_and_says_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with in_a_thread(running(CONFIG)) as server:
        models = {
            "a-model-with-a-name-that-is-very-long": endpoint(server.base_url, api_key_env="QWEN_KEY"),
            "no-path": endpoint(server.url, api_key_env="RIGHT_KEY"),
            "dead": endpoint("http://127.0.0.1:9/v1"),
            "tls": endpoint(server.base_url.replace("http:", "https:"), api_key_env="RIGHT_KEY"),
            "well": endpoint(server.base_url, api_key_env="RIGHT_KEY"),
        }
        assert run_app(app, ["doctor", str(written(tmp_path, models))]) == 1
        told = capsys.readouterr().out
        assert "episodes, estimated from" in told, "one of them answers"
        assert run_app(app, ["doctor", str(written(tmp_path, {"dead": models["dead"]}))]) == 1
        assert "episodes, estimated from" not in capsys.readouterr().out, "what nobody answers costs nothing"
    *lines, command = told.splitlines()
    assert max(len(line.rstrip()) for line in lines) <= 80
    assert command.startswith("  moot doctor "), "which is not broken, however long"
    told = " ".join(" ".join(lines).split())
    assert "environment variable QWEN_KEY (api_key_env)" in told
    assert f"write base_url: {server.base_url})" in told
    assert "nothing listens there: start the server" in told
    assert "write http:// in base_url" in told
