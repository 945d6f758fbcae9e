"""`moot export`: what is stored comes back as recorded replies, and plays the same experiment again."""

from __future__ import annotations

import ast
import json
import logging
import re
from pathlib import Path
from typing import Any

import pytest

import moot as package
from moot.cli.app import app
from moot.cli.exit import run_app

Captured = pytest.CaptureFixture[str]
MODELS = {name: {"provider": "simulated", "accuracy": a} for name, a in (("x", 0.7), ("y", 0.5), ("z", 0.3))}
PLAYERS: dict[str, Any] = {"ann": {"model": "x"}, "bob": {"model": "y"}, "cat": {"model": "z"}, "dan": {"model": "z"}}
"""Two like players: each has drafts of its own."""


SPENT = ("cost_usd", "usd_per_question", "prompt_tokens", "completion_tokens")


def moot(*arguments: object) -> int:
    return run_app(app, [str(each) for each in arguments])


def experiment(folder: Path, name: str, models: Any, players: Any) -> Path:
    rows: list[dict[str, Any]] = [{"id": f"q{n}", "text": f"Who is {n}?", "answer": f"P {n}"} for n in range(25)]
    rows += [{"id": f"c{n}", "text": f"Which {n}?", "choices": ["i", "j", "k"], "answer": "B"} for n in range(10)]
    rows += [{"id": "y1", "text": "Is it?", "kind": "yes-no", "answer": "yes"}]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    spec = {"name": name, "seed": 7, "repeats": 2, "questions": {"file": "questions.jsonl"}, "models": models}
    teams = {"all": {"players": list(players), "captain": "each"}}
    more = {"players": players, "teams": teams, "strategies": ["solo", "vote"]}
    path = folder / f"{name}.yaml"
    path.write_text(json.dumps({**spec, **more}), encoding="utf-8")
    return path


def figures(path: Path, capfd: Captured) -> list[dict[str, Any]]:
    capfd.readouterr()
    assert moot("report", path, "--json") == 0
    kept = ("strategy", "player", "captain", "value", "low", "high", "n", "outcomes", *SPENT)
    rows = json.loads(capfd.readouterr().out)["accuracy"]
    for row in rows:
        row["cost_usd"] = row["cost_usd"] and round(row["cost_usd"], 12)
        row["usd_per_question"] = row["usd_per_question"] and round(row["usd_per_question"], 12)
    return [{key: row.get(key) for key in kept} for row in rows]


def test_the_recording_plays_the_same_experiment(tmp_path: Path, capfd: Captured) -> None:
    priced = {name: {**model, "price": {"prompt": 1, "completion": 2}} for name, model in MODELS.items()}
    garbled = {**priced, "y": {**priced["y"], "garble": 0.7, "refuse": 0.2}}
    first = experiment(tmp_path, "first", garbled, PLAYERS)
    assert moot("run", first, "--quiet") == 0
    capfd.readouterr()
    assert moot("export", first, "-o", tmp_path / "replies.jsonl") == 0
    told = re.search(r"moot: (\d+) replies took (\d+) calls with those that were of no use", capfd.readouterr().err)
    assert told is not None
    assert int(told[2]) > int(told[1]) > 0
    recorded = {name: {"provider": "recorded", "file": "replies.jsonl", "model": name} for name in PLAYERS}
    again = experiment(tmp_path, "again", recorded, {name: {"model": name} for name in PLAYERS})
    assert moot("run", again, "--quiet") == 0
    before, after = figures(first, capfd), figures(again, capfd)
    assert before == after
    assert {row["strategy"] for row in after} == {"solo", "vote"}
    assert sum(row["outcomes"].get("refused", 0) for row in after if row["player"]) > 0
    assert sum(row["outcomes"].get("unanswered", 0) for row in after if row["player"]) > 0


def test_every_line_is_a_recorded_reply(tmp_path: Path, capfd: Captured) -> None:
    path = experiment(tmp_path, "first", MODELS, PLAYERS)
    assert moot("run", path, "--quiet") == 0
    capfd.readouterr()
    assert moot("export", path, "-o", "-") == 0
    said = capfd.readouterr()
    rows = [json.loads(line) for line in said.out.splitlines()]
    assert len(rows) == 36 * 4 * 2
    assert "288 replies" in said.err
    assert "calls" not in said.err
    spent = ["cost_usd", "prompt_tokens", "completion_tokens", "seconds"]
    assert all(list(row) == ["model", "question_id", "answer", "reasoning", "text", *spent, "sample"] for row in rows)
    assert {row["sample"] for row in rows} == {0, 1}
    assert {row["model"] for row in rows} == set(PLAYERS)
    assert json.loads(rows[0]["text"])["answer"] == rows[0]["answer"]


def test_no_table_is_written(tmp_path: Path, capfd: Captured) -> None:
    """What is not written as its name says is found out only by whoever opens it."""
    assert moot("export", tmp_path / "cup.yaml", "-o", tmp_path / "replies.csv") == 2
    assert "expected a name that ends in .jsonl" in " ".join(capfd.readouterr().err.split())


def test_nothing_is_left_behind_where_it_cannot_be_written(tmp_path: Path, capfd: Captured) -> None:
    path = experiment(tmp_path, "first", MODELS, PLAYERS)
    assert moot("export", path, "-o", tmp_path / "replies.jsonl") == 2
    assert "run the experiment first" in capfd.readouterr().err
    assert moot("run", path, "--quiet", "--limit", 2) == 0
    assert moot("export", path, "-o", tmp_path / "no" / "replies.jsonl") == 2
    assert "cannot be written" in capfd.readouterr().err
    assert not list(tmp_path.glob("**/*.part"))


OBEYED = ("\x1b", "\x07", "\x7f", "\x9b", "\u202e", "\u2066")
HOSTILE = "\x1b]0;owned\x07\x9b2J\x7f\u202eevil\u2066"


def test_a_terminal_obeys_nothing_of_what_is_exported(tmp_path: Path, capfd: Captured) -> None:
    """And nothing of it is lost: what is escaped as JSON is read again as it was."""
    answer = {"model": "m", "question_id": "1", "text": json.dumps({"reasoning": HOSTILE, "answer": HOSTILE})}
    (tmp_path / "replies.jsonl").write_text(json.dumps(answer), encoding="utf-8")
    (tmp_path / "q.jsonl").write_text(json.dumps({"id": "1", "text": HOSTILE, "answer": "x"}), encoding="utf-8")
    models = {"m": {"provider": "recorded", "file": "replies.jsonl", "model": "m"}}
    path = tmp_path / "cup.yaml"
    spec = {"name": "cup", "questions": {"file": "q.jsonl"}, "models": models, "strategies": ["solo"]}
    path.write_text(json.dumps(spec), encoding="utf-8")
    assert moot("run", path) == 0
    for command in (("export", path, "-o", "-"), ("show", path, "1"), ("report", path), ("report", path, "--json")):
        moot(*command)
    said = capfd.readouterr()
    assert not [mark for mark in OBEYED if mark in said.out + said.err]
    assert moot("export", path, "-o", tmp_path / "again.jsonl") == 0
    again = (tmp_path / "again.jsonl").read_text(encoding="utf-8")
    assert not [mark for mark in OBEYED if mark in again]
    assert json.loads(again)["answer"] == HOSTILE


def test_commands_print_by_one_way_which_tames() -> None:
    bare = {
        path.name
        for path in Path(package.__file__).parent.glob("cli/*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    }
    assert bare <= {"safe_text.py", "exit.py", "schema.py"}


def test_what_is_logged_is_tamed(capfd: Captured) -> None:
    assert moot("doctor", "there-is-none.yaml") == 2
    assert logging.lastResort is not None
    record = logging.LogRecord("moot", logging.WARNING, __file__, 1, "the server said %s", (HOSTILE,), None)
    assert not [mark for mark in OBEYED if mark in logging.lastResort.format(record)]
