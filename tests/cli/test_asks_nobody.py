"""Commands that ask no model need nothing that only a call needs: no key, no certificate, no proxy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from moot.cli.app import app
from moot.cli.exit import run_app

PLAYERS = ("ann", "bob", "eve")


def write(folder: Path, model: dict[str, Any]) -> str:
    path = folder / "cup.yaml"
    keys = {
        "name": "cup",
        "questions": {"builtin": "general-en"},
        "models": {name: {**model, "model": name} if model["provider"] == "endpoint" else model for name in PLAYERS},
        "teams": {"three": {"players": list(PLAYERS), "captain": "ann"}},
        "strategies": ["solo", "vote"],
    }
    path.write_text(json.dumps(keys), encoding="utf-8")
    return str(path)


ENDPOINT = {
    "provider": "endpoint",
    "base_url": "https://127.0.0.1:1/v1",
    "api_key_env": "MOOT_NO_SUCH_KEY",
    "ca_file": "nowhere.pem",
    "price": {"prompt": 1.0, "completion": 2.0},
    "params": {"max_tokens": 100},
}


@pytest.fixture
def cup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Played by others under the same name; now the file names endpoints whose key is nowhere."""
    monkeypatch.delenv("MOOT_NO_SUCH_KEY", raising=False)
    path = write(tmp_path, {"provider": "simulated", "accuracy": 0.6})
    assert run_app(app, ["run", path, "--limit", "12", "--quiet"]) == 0
    return write(tmp_path, ENDPOINT)


@pytest.mark.parametrize(
    "command",
    [
        "plan FILE --accuracy 0.5 --gain 0.1 --json",
        "run FILE --limit 12 --estimate",
        "report FILE --json",
        "report FILE --format csv -o FOLDER/tables",
        "compare FILE --a vote --b solo@ann --json",
        "select FILE --k 2 --m 6 --method top-accuracy --json",
    ],
)
def test_no_key_is_needed(command: str, cup: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = [word.replace("FILE", cup).replace("FOLDER", str(Path(cup).parent)) for word in command.split()]
    assert run_app(app, words) == 0, capsys.readouterr().err


def test_whoever_asks_needs_it(cup: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(app, ["run", cup, "--limit", "12", "--quiet"]) == 2
    assert "MOOT_NO_SUCH_KEY is not set" in capsys.readouterr().err
