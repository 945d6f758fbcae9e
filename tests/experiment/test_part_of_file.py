"""Commands that take a part of a file, on one that has every key there is: what the others say is not held against them."""

from __future__ import annotations

import io
import json
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from moot import load_team
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.cli.schema import experiment_schema

KEYS: dict[str, Any] = {
    "name": "whole",
    "seed": 3,
    "questions": [{"file": "q.jsonl", "name": "first"}],
    "models": {
        **{name: {"provider": "recorded", "file": "players.jsonl", "model": name} for name in ("ann", "bob")},
        **{
            name: {"provider": "simulated", "accuracy": 0.8, "max_tokens": 200, "price": {"prompt": 1, "completion": 1}}
            for name in ("tom", "kim", "sue", "rex", "roy", "gus", "solveig")
        },
    },
    "players": {"first": {"model": "ann"}, "second": {"model": "bob"}},
    "teams": {
        "both": {
            "players": ["first", "second"],
            "captain": "first",
            "cohorts": {"one": ["first", "second"]},
            "selection": "team.json",
        }
    },
    "strategies": ["solo", "vote", {"mixture": {"summariser": "sue", "repeats": 1}}],
    "language": "en",
    "grouping": {"model": "gus", "reference": "shown"},
    "grader": "match",
    "judge": {"models": ["tom"], "batch": 2, "pairwise": False, "players": None},
    "rubric": [],  # of long answers alone: tests/grade/test_rubric.py has files with one
    "baseline": None,  # as well: tests/measures/test_preferences.py
    "extract": {"models": ["rex", "roy"]},
    "kind": "production",
    "vendors": {"ann": {"name": "A", "accuracy": {"first": 0.5}}, "bob": {"name": "B", "accuracy": 0.5}},
    "primary": "vote@first",
    "hypotheses": ["accuracy(vote) > 0.5", "accuracy(vote, one) - accuracy(solo) > 0"],
    "prompts": "own",
    "repeats": 2,
    "budget_usd": 5.0,
    "replies_in_flight_mb": 64.0,
    "store": "sqlite:///whole.db",
}


@pytest.fixture
def whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Path:
    """Played; from then on no player can be built."""
    monkeypatch.chdir(tmp_path)
    questions = [{"id": f"q{n}", "text": f"Which is {n}?", "choices": ["x", "y"], "answer": "A"} for n in range(4)]
    questions += [{"id": f"o{n}", "text": f"Who is {n}?", "answer": f"Person {n}"} for n in range(4)]
    said = [
        {"model": name, "question_id": row["id"], "answer": "A" if "choices" in row else f"somebody of {name}"}
        for row in questions
        for name in ("ann", "bob")
    ]
    Path("own").mkdir()
    ours = resources.files("moot.prompts") / "en" / "judge.j2"
    Path("own/judge.j2").write_text(ours.read_text(encoding="utf-8") + "\nBe fair.", encoding="utf-8")
    Path("q.jsonl").write_text("\n".join(map(json.dumps, questions)), encoding="utf-8")
    Path("players.jsonl").write_text("\n".join(map(json.dumps, said)), encoding="utf-8")
    chosen = {"team": ["first", "second"], "accuracies": {}, "chosen_on_ids": ["another"]}
    Path("team.json").write_text(json.dumps([chosen]), encoding="utf-8")
    path = Path("whole.yaml")
    path.write_text(json.dumps(KEYS), encoding="utf-8")
    assert moot("run", path, "--quiet") == 0, capfd.readouterr().err
    capfd.readouterr()
    return path


def moot(*arguments: object) -> int:
    return run_app(app, [str(each) for each in arguments])


def test_it_has_every_key_of_the_schema() -> None:
    """A new key is decided upon here: whether it is about who plays."""
    schema = experiment_schema()
    assert KEYS.keys() == schema["properties"].keys()
    parts = {
        "PlayerSpec": ("model",),
        "TeamSpec": (*KEYS["teams"]["both"], "rule"),  # which goes with those who play, and is held against them
        "JudgeSpec": KEYS["judge"],
        "ExtractSpec": KEYS["extract"],
        "VendorSpec": KEYS["vendors"]["ann"],
        "GroupingSpec": (*KEYS["grouping"], "embedding", "match"),  # of these one at a time, and none names a player
    }
    for part, used in parts.items():
        assert set(used) | ({"instruction", "persona", "examples"} if part == "PlayerSpec" else set()) == (
            schema["$defs"][part]["properties"].keys()
        ), part


def test_grade(whole: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    Path("players.jsonl").unlink()
    Path("team.json").unlink()  # it is about who plays, too
    two = ("--judge", "tom", "--judge", "kim", "--settle")
    for more in ((), ("--judge", "kim"), two, ("--batch", "1")):
        monkeypatch.setattr("sys.stdin", io.StringIO("q\n"))
        assert moot("grade", whole, *more) == 0, capfd.readouterr().err
        assert "answers:" in capfd.readouterr().out, more


def test_select(whole: Path, capfd: pytest.CaptureFixture[str]) -> None:
    Path("players.jsonl").unlink()
    Path("team.json").unlink()  # it is about who plays, too
    assert moot("select", whole, "--k", 1, "--method", "greedy", "--json") == 0, capfd.readouterr().err
    (row,) = json.loads(capfd.readouterr().out)
    assert "that of sue" in row["oracle"]


def test_another_strategy_for_one_question(whole: Path, capfd: pytest.CaptureFixture[str]) -> None:
    keys = {**KEYS, "models": {**KEYS["models"], "ann": KEYS["models"]["tom"], "bob": KEYS["models"]["kim"]}}
    whole.write_text(json.dumps(keys), encoding="utf-8")
    assert moot("ask", "Who?", "--team", whole, "--strategy", "solo", "--json") == 0, capfd.readouterr().err


def test_a_served_team_has_no_sets_that_vendors_could_speak_of(whole: Path) -> None:
    assert load_team(whole, keep=False).models
