"""Where a recording has no reply no call took place: it is counted nowhere, and what lacks it is no measure of costs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import moot
from moot.cli.app import app
from moot.cli.exit import run_app

PLAYERS = ("ann", "bob", "cat")
QUESTIONS = 12
UNHEARD = 4
"""Questions of which the recording has nothing of cat's, who is the best of all elsewhere."""


def experiment(folder: Path) -> Path:
    rows = [{"id": f"q{n}", "text": f"Which name is number {n}?", "answer": "firth"} for n in range(QUESTIONS)]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    replies = [
        {"model": name, "question_id": f"q{n}", "answer": "firth" if name == "cat" or n < UNHEARD else "river"}
        for name in PLAYERS
        for n in range(QUESTIONS)
        if name != "cat" or n >= UNHEARD
    ]
    (folder / "replies.jsonl").write_text("\n".join(map(json.dumps, replies)), encoding="utf-8")
    content = {
        "name": "cup",
        "questions": {"file": "questions.jsonl"},
        "models": {name: {"provider": "recorded", "file": "replies.jsonl", "model": name} for name in PLAYERS},
        "teams": {"t": {"players": list(PLAYERS)}},
        "strategies": ["solo", "vote"],
        "primary": "vote",
    }
    (folder / "cup.yaml").write_text(json.dumps(content), encoding="utf-8")
    return folder / "cup.yaml"


@pytest.fixture
def path(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Path:
    path = experiment(tmp_path)
    assert run_app(app, ["run", str(path)]) == 0
    said = capfd.readouterr()
    assert f"{3 * QUESTIONS - UNHEARD} calls" in said.out + said.err
    assert f"{3 * QUESTIONS} calls" not in said.out + said.err
    return path


def figures(path: Path, capfd: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert run_app(app, ["report", str(path), "--json"]) == 0
    told: dict[str, Any] = json.loads(capfd.readouterr().out)
    return told


def test_they_are_in_no_count(path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    told = figures(path, capfd)
    made = {row.get("player", row["label"]): (row["calls"], row["calls_per_question"]) for row in told["accuracy"]}
    assert made["cat"] == (QUESTIONS - UNHEARD, 1.0), "over the questions on which none is missing"
    assert made["vote"] == (3 * QUESTIONS - UNHEARD, 3.0)
    (cat,) = [row for row in told["attendance"] if row["player"] == "cat"]
    assert cat["calls"] == QUESTIONS - UNHEARD
    assert cat["failed_calls"] == 0
    assert cat["unanswered"] == 2 * UNHEARD, "alone and in the team: it was asked, and there is no answer"


def test_what_lacks_them_is_no_measure_of_what_a_question_takes(path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    headline = figures(path, capfd)["headline"]
    assert headline["over_best_single"]["single"] == "cat"
    assert (headline["cost_unit"], headline["cost_ratio"]) == ("calls", pytest.approx(3.0))
    assert headline["cost_n"] == QUESTIONS - UNHEARD


def test_nor_is_a_team_that_lacks_them(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Its calls are the cheaper for one that a recording has no reply to, and the best player alone lacks none. A cascade
    takes now two and now three, so that of it nobody knows what it takes, and a vote is beside nothing."""
    path = experiment(tmp_path)
    content = json.loads(path.read_text(encoding="utf-8"))
    replies = [json.loads(line) for line in (tmp_path / "replies.jsonl").read_text(encoding="utf-8").splitlines()]
    best = [{**row, "answer": "firth" if row["model"] == "ann" else row["answer"]} for row in replies]
    (tmp_path / "replies.jsonl").write_text("\n".join(map(json.dumps, best)), encoding="utf-8")
    content["strategies"] = ["solo", "vote", {"cascade": {"order": ["ann", "cat", "bob"]}}]
    path.write_text(json.dumps(content), encoding="utf-8")
    assert run_app(app, ["run", str(path)]) == 0
    capfd.readouterr()
    told = figures(path, capfd)
    headline = told["headline"]
    assert headline["over_best_single"]["single"] == "ann"
    assert (headline["cost_ratio"], headline["cost_n"]) == (pytest.approx(3.0), QUESTIONS - UNHEARD)
    (beside,), (cascade,) = told["cascade_beside"], told["cascade"]
    assert (cascade["calls_per_question"], cascade["cost_n"]) == (None, 0)
    assert [beside[key] for key in ("calls_per_question", "calls_against", "cost_n")] == [None, None, 0]


def test_nor_are_they_in_the_frames(path: Path) -> None:
    episodes = moot.open_store(f"sqlite:///{path.with_suffix('.db')}").frame("episodes")
    calls = [row["calls"] for row in episodes.to_dicts() if row["label"] == "vote"]
    assert sorted(calls) == [2] * UNHEARD + [3] * (QUESTIONS - UNHEARD)
