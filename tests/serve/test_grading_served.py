"""What a served team answered is graded by `moot grade --served`: also of a file with questions, and by every version of it."""

from __future__ import annotations

import asyncio
import io
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from served import THREE, serving

from moot.cli.app import app
from moot.cli.exit import run_app

JIM = {"provider": "simulated", "accuracy": 1.0}
WITH_QUESTIONS = {**THREE, "strategies": ["solo", "silent"], "questions": {"file": "cup.jsonl"}}
JUDGED = {**WITH_QUESTIONS, "models": {**THREE["models"], "jim": JIM}, "judge": {"models": ["jim"]}}


async def ask(folder: Path, config: dict[str, Any], question: str, told: dict[str, Any], *models: str) -> list[str]:
    """What each of `models` answers; of the first answer something is told."""
    (folder / "cup.jsonl").write_text(json.dumps({"id": "1", "text": "Who wrote the Odyssey?", "answer": "Homer"}))
    async with serving(folder, config) as served:
        bodies = [(await served.chat(question, model))[1] for model in models]
        status, _ = await served.post("/v1/feedback", {"episode": bodies[0]["moot"]["episode"], **told})
        assert status == 200
    return [body["choices"][0]["message"]["content"] for body in bodies]


def asked(folder: Path, config: dict[str, Any], question: str) -> Path:
    """Of one answer it is told that something else is right, which nobody has said."""
    asyncio.run(ask(folder, config, question, {"answer": "what nobody has said"}, "three/silent"))
    return folder / "team.yaml"


def served_of(path: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert run_app(app, ["report", str(path), "--served", "--json"]) == 0
    served: dict[str, Any] = json.loads(capsys.readouterr().out)["served"]
    return served


def test_what_waits_for_a_grade_gets_one_by_the_command_that_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = asked(tmp_path, JUDGED, "What is one?")
    asked(tmp_path, {**JUDGED, "language": "ru"}, "What is two?")
    assert run_app(app, ["report", str(path), "--served"]) == 0
    assert "2 questions have an answer that waits for a grade (moot grade FILE --served)" in told(capsys)
    assert run_app(app, ["grade", str(path), "--served"]) == 0
    said = told(capsys)
    assert said.count("match+jim: 1 answer: 0 by match, 1 by judge") == 2, "each version of the file"
    assert f"moot report {path} --served shows the figures" in said
    assert served_of(path, capsys)["waiting"] == 0


def test_what_another_judge_says_is_shown_of_one_version_which_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    judged = {**JUDGED, "models": {**JUDGED["models"], "kim": JIM}}
    path = asked(tmp_path, judged, "What is one?")
    asked(tmp_path, {**judged, "language": "ru"}, "What is two?")
    assert run_app(app, ["grade", str(path), "--served", "--judge", "kim"]) == 0
    said = told(capsys)
    *_, last = re.findall(r"plan (\w+): match\+kim", said)
    assert f"plan {last} alone, as graded by match+kim" in said
    assert "three:served: 1 question" in said


def test_what_no_judge_has_graded_a_person_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    models = {**THREE["models"], "jim": {**JIM, "garble": 1.0}}
    path = asked(tmp_path, {**JUDGED, "models": models}, "What is one?")
    assert run_app(app, ["grade", str(path), "--served"]) == 1
    assert f"1 different answer for a person to decide, including drafts: moot grade {path} --served --settle" in told(
        capsys
    )
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    assert run_app(app, ["grade", str(path), "--served", "--settle"]) == 0
    assert "1 settled, 0 left" in told(capsys)
    assert served_of(path, capsys)["waiting"] == 0


def test_an_answer_waits_for_no_grade_because_another_was_called_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No judge and no person at `moot grade` has anything to go by: what is right has to be told."""
    everybody = ("solo@ann", "solo@bob", "solo@cat")
    first, *others = asyncio.run(ask(tmp_path, WITH_QUESTIONS, "What is it?", {"correct": False}, *everybody))
    path, left = tmp_path / "team.yaml", sum(answer != first for answer in others)
    served = served_of(path, capsys)
    assert (served["asked"], served["graded"]["n"], served["waiting"]) == (3, 3 - left, 0)
    assert left > 0
    assert run_app(app, ["report", str(path), "--served"]) == 0
    said = told(capsys)
    assert f"{left} answer{'s' * (left > 1)} without a grade, as nobody has said what is right" in said
    assert "moot grade" not in said


def told(capsys: pytest.CaptureFixture[str]) -> str:
    printed = capsys.readouterr()
    return " ".join((printed.out + printed.err).split())
