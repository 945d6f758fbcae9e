"""Where several are equally good, the verdict and the rows below it name the same one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.report.top_row import top_row

PLAYERS = ("dora", "ann", "bob", "cat", "eve")


def test_the_best_single_of_the_verdict_is_the_row_of_those_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = [{"id": f"q{n}", "text": f"Question {n}?", "choices": ["r", "x", "y"], "answer": "A"} for n in range(20)]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, cases)))
    replies = [
        {"model": name, "question_id": f"q{n}", "answer": "B" if n % 5 == place else "A"}
        for place, name in enumerate(PLAYERS)
        for n in range(20)
    ]
    (tmp_path / "replies.jsonl").write_text("\n".join(map(json.dumps, replies)))
    models = {name: {"provider": "recorded", "file": "replies.jsonl", "model": name} for name in PLAYERS}
    teams = {"all": {"players": [*PLAYERS]}, "two": {"players": ["dora", "ann"]}}
    cup = {"name": "cup", "questions": {"file": "questions.jsonl"}, "models": models, "teams": teams}
    (tmp_path / "cup.yaml").write_text(json.dumps({**cup, "strategies": ["solo", "vote"]}))
    assert run_app(app, ["run", str(tmp_path / "cup.yaml")]) == 0
    ended = " ".join(capsys.readouterr().out.split())
    single = ended.partition("the best single model, ")[2].split()[0].rstrip(";")
    assert single in PLAYERS
    assert f"solo {single}, top of 5" in ended


def test_a_name_moves_nobody_above_a_better_one() -> None:
    rows = [
        {"player": name, "value": value, "missing": 0, "outcomes": {"answered": 10}}
        for name, value in (("ann", 0.7), ("bob", 0.8), ("cat", 0.8))
    ]
    assert top_row(rows, {"ann"}) == rows[1]
    assert top_row(rows, {"ann", "cat"}) == rows[2]
    assert top_row(rows) == rows[1]
