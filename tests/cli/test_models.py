"""`moot models`, through the command line's own parser."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from moot.cli.models import app
from moot.errors import UsageError
from moot.models import packaged
from moot.models.packaged import PackagedModel, WheelPart

CONTENT = b"GGUF and so on"
runner = CliRunner()


@pytest.fixture
def weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MOOT_CACHE", str(tmp_path / "cache"))
    sha256 = hashlib.sha256(CONTENT).hexdigest()
    tiny = PackagedModel("tiny", "MIT", len(CONTENT), len(CONTENT), sha256, (WheelPart("tiny", "1", "tiny/tiny.gguf"),))
    monkeypatch.setattr(packaged, "CATALOGUE", {"tiny": tiny})
    (tmp_path / "tiny.gguf").write_bytes(CONTENT)
    return tmp_path / "tiny.gguf"


def test_list_says_what_is_here(weights: Path) -> None:
    before = runner.invoke(app, ["list"])
    assert before.exit_code == 0
    assert before.stdout.splitlines()[1].split() == ["tiny", "0", "MB", "MIT", "moot", "models", "add", "tiny"]
    packaged.add("tiny", weights)
    assert runner.invoke(app, ["list"]).stdout.splitlines()[1].split()[-1] == str(packaged.path("tiny"))


def test_add_then_path(weights: Path) -> None:
    added = runner.invoke(app, ["add", "tiny", "--from", str(weights)])
    assert added.exit_code == 0
    assert added.stdout.startswith("tiny: added, 0 MB, MIT: ")
    assert "unpacking tiny" in added.stderr
    assert runner.invoke(app, ["add", "tiny"]).stdout.startswith("tiny: already here")
    assert runner.invoke(app, ["path", "tiny"]).stdout == f"{packaged.path('tiny')}\n"


def test_mistakes_are_usage_errors(weights: Path) -> None:
    for arguments in (["path", "tiny"], ["path", "gpt-9"], ["add", "gpt-9"], ["add", "tiny", "--from", "absent.gguf"]):
        result = runner.invoke(app, arguments)
        assert isinstance(result.exception, UsageError)
        assert result.stdout == ""
