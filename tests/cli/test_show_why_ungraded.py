"""`moot show` says of an answer without a grade why it has none, in words and in JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from moot.cli.app import app
from moot.cli.exit import run_app

FILE = """
name: cup
questions: {file: questions.jsonl}
models:
  ann: {provider: recorded, file: replies.jsonl, model: ann}
  judy: {provider: simulated, accuracy: 0.9, garble: 1.0}
players: {ann: {model: ann}}
strategies: [solo]
"""
ANSWERS = {"matches": "Paris", "judged": "the capital of France", "long": "P" + "aris" * 3_000}


def shown(folder: Path, capsys: pytest.CaptureFixture[str], judge: str = "") -> dict[str, tuple[str, str | None]]:
    """By question: what `moot show` prints of the grade, and what stands beside it in JSON."""
    questions = [{"id": name, "text": f"Which city is it ({name})?", "answer": "Paris"} for name in ANSWERS]
    replies = [{"model": "ann", "question_id": name, "answer": answer} for name, answer in ANSWERS.items()]
    for name, rows in (("questions", questions), ("replies", replies)):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    file = folder / "cup.yaml"
    file.write_text(FILE + judge)
    run_app(app, ["run", str(file), "--quiet"])
    grades = {}
    for name in ANSWERS:
        capsys.readouterr()
        assert run_app(app, ["show", str(file), name]) == 0
        words = " ".join(capsys.readouterr().out.rpartition("grade\n")[2].split())
        assert run_app(app, ["show", str(file), name, "--json"]) == 0
        (transcript,) = json.loads(capsys.readouterr().out)
        grades[name] = words, transcript["detail"]
    return grades


def test_why_an_answer_is_ungraded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    grades = shown(tmp_path, capsys, "judge: {models: [judy]}")
    assert grades["matches"] == ("1 (by match); the reference is 'Paris'", None)
    words, detail = grades["judged"]
    assert words.startswith("ungraded: judy: no word (")
    assert detail is not None
    assert detail.startswith("judy: no word")
    assert "by ungraded" not in words


def test_too_long_to_be_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words, detail = shown(tmp_path, capsys)["long"]
    assert detail is not None
    assert "characters" in detail
    assert detail.split(",")[0] in words
