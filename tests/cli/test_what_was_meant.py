"""Small slips in what is typed, and what is told of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from moot.cli.app import app
from moot.cli.exit import run_app

ANN = {"ann": {"provider": "simulated", "accuracy": 0.5}}


def written(folder: Path, **keys: object) -> Path:
    file = folder / "faelle.yaml"
    file.write_text(json.dumps({"name": "faelle", "models": ANN, **keys}), encoding="utf-8")
    return file


def test_a_file_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path)
    assert run_app(app, ["run", str(tmp_path / "faele.yaml")]) == 2
    assert f"faele.yaml: no such file; did you mean {file.name!r}?" in capsys.readouterr().err


def test_a_question_by_its_plain_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"id": name, "text": f"Which {name}?", "answer": "x"} for name in ("T-045", "T-005")]
    (tmp_path / "asked.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    file = written(tmp_path, questions={"file": "asked.jsonl"})
    assert run_app(app, ["run", str(file), "--quiet"]) == 0
    assert run_app(app, ["show", str(file), "T-5"]) == 2
    assert "did you mean 'T-005'?" in capsys.readouterr().err


def test_a_cause_that_models_share_is_told_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gone = {"provider": "endpoint", "base_url": "http://127.0.0.1:9/v1", "timeout_s": 2}
    models = {name: {**gone, "model": name} for name in ("ann", "bob", "cat")}
    file = written(tmp_path, models=models, questions={"builtin": "general-en", "sample": 2})
    assert run_app(app, ["doctor", str(file)]) == 1
    told = capsys.readouterr().out
    assert told.count("nothing listens there") == 1
    assert "✗ ann, bob, cat: http://127.0.0.1:9/v1" in told
