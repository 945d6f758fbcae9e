"""Of which kind a question is that somebody asks a team: as its file's questions are, or as the file says that has none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from moot.cli.app import app
from moot.cli.exit import run_app

Captured = pytest.CaptureFixture[str]
TEXT = "[simulated] A text of quality"
PLAYERS = {name: {"provider": "simulated", "accuracy": 0.9, "words": 20} for name in ("ann", "bob", "cat")}
ROWS: dict[str, dict[str, Any]] = {
    "text": {"kind": "text"},
    "yes-no": {"kind": "yes-no", "answer": "no"},
    "choice": {"choices": ["one", "two"], "answer": "A"},
    "open": {"answer": "one"},
}


def team(folder: Path, questions: Any, rows: list[dict[str, Any]]) -> Path:
    lines = [json.dumps({"id": str(n), "text": f"What of number {n}?", **row}) for n, row in enumerate(rows)]
    (folder / "q.jsonl").write_text("\n".join(lines), encoding="utf-8")
    teams = {"three": {"players": list(PLAYERS), "captain": "ann"}}
    file = {"name": "desk", "models": PLAYERS, "teams": teams, "strategies": ["talkative"], "questions": questions}
    path = folder / "desk.yaml"
    path.write_text(json.dumps(file), encoding="utf-8")
    return path


def asked(path: Path, capfd: Captured, *options: str) -> tuple[str, str]:
    capfd.readouterr()
    assert run_app(app, ["ask", "Is snow black?", "--team", str(path), "--no-log", *options]) == 0
    said = capfd.readouterr()
    return said.out.strip(), said.err


def kind_of(answer: str) -> str:
    return "text" if answer.startswith(TEXT) else "yes-no" if answer in ("yes", "no") else "open"


@pytest.mark.parametrize(
    ("kinds", "kind"),
    [
        (["text", "text"], "text"),
        (["yes-no"], "yes-no"),
        (["choice"], "open"),
        (["open"], "open"),
        (["text", "open"], "open"),
    ],
    ids=str,
)
def test_a_question_is_of_the_kind_of_those_in_the_file(
    tmp_path: Path, capfd: Captured, kinds: list[str], kind: str
) -> None:
    path = team(tmp_path, {"file": "q.jsonl"}, [ROWS[each] for each in kinds])
    assert kind_of(asked(path, capfd)[0]) == kind
    assert kind_of(asked(path, capfd, "--kind", "text")[0]) == "text"


@pytest.mark.parametrize(("said", "kind"), [({}, "open"), ({"kind": "text"}, "text")], ids=["nothing", "text"])
def test_where_the_questions_are_not_the_file_says_it(
    tmp_path: Path, capfd: Captured, said: dict[str, str], kind: str
) -> None:
    path = team(tmp_path, {"file": "gone.jsonl", **said}, [])
    answer, beside = asked(path, capfd)
    assert kind_of(answer) == kind
    assert f"cannot be read here, so those that are asked are taken as {kind}: " in beside


def test_a_kind_alone_is_that_of_what_is_asked(tmp_path: Path, capfd: Captured) -> None:
    path = team(tmp_path, {"kind": "text"}, [])
    assert kind_of(asked(path, capfd)[0]) == "text"
    assert run_app(app, ["run", str(path)]) == 2
    assert "questions: Field required; expected {file: ...}" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("questions", "problem"),
    [
        ({"kind": None}, "expected one of file, hub and builtin"),
        ({"kind": "letter"}, "questions.kind"),
        ({"kind": "text", "sample": 3}, "expected one of file, hub and builtin"),
        ([{"kind": "text"}], "questions.0: expected one of file, hub and builtin"),
        ({}, "expected one of file, hub and builtin"),
    ],
    ids=str,
)
def test_what_is_no_kind_alone(tmp_path: Path, capfd: Captured, questions: Any, problem: str) -> None:
    path = team(tmp_path, questions, [])
    assert run_app(app, ["ask", "Is snow black?", "--team", str(path), "--no-log"]) == 2
    assert problem in capfd.readouterr().err
