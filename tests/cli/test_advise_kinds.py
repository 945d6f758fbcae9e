"""`moot advise` on questions of several kinds: the team that it writes costs what was promised, question by question."""

from __future__ import annotations

import io
import json
import random
import sqlite3
from contextlib import closing, redirect_stdout
from pathlib import Path
from typing import Any

import pytest
import yaml
from cup_commands import command, ended

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.experiment.build import build
from moot.experiment.spec import read_experiment

PLAYERS = {"ann": 0.72, "bob": 0.7, "cat": 0.7, "dan": 0.7}
COUNTS = {"choice": 150, "open": 150, "yes-no": 8}
USD, SECONDS = 0.00025, 2.0
MOST = 3.0
"""Calls a question, in money and in time."""
Row = dict[str, Any]


def question(kind: str, number: int) -> Row:
    row: Row = {"id": f"{kind}-{number}", "text": f"What is {kind} {number}?", "kind": kind}
    if kind == "choice":
        return {**row, "choices": ["r", "x", "y", "z"], "answer": "A"}
    return {**row, "answer": "yes" if kind == "yes-no" else "gold"}


def answer(kind: str, able: float, draw: random.Random) -> str:
    """Wrong answers to what is open never agree, so two who do are right; of letters they may."""
    right = draw.random() < able
    if kind == "open":
        return "gold" if right else f"lead {draw.random()}"
    wrong = draw.choice("BCD") if kind == "choice" else "no"
    return {"choice": "A", "yes-no": "yes"}[kind] if right else wrong


def rows_of(name: str) -> list[Row]:
    return [
        {**question(kind, number), "id": f"{name}-{kind}-{number}", "text": f"What is {kind} {number} of {name}?"}
        for kind, count in COUNTS.items()
        for number in range(count)
    ]


def written(folder: Path, name: str, questions: str, strategies: list[Any], **keys: Any) -> Path:
    models = {player: {"provider": "recorded", "file": "replies.jsonl", "model": player} for player in PLAYERS}
    spec = {
        "name": name,
        "questions": {"file": f"{questions}.jsonl"},
        "models": models,
        "strategies": strategies,
        **keys,
    }
    path = folder / f"{name}.yaml"
    path.write_text(yaml.safe_dump({"store": f"sqlite:///{name}.db", **spec}))
    return path


def asked(store: Path) -> dict[str, list[int]]:
    """By kind how many a cascade has asked of each question; and of those kept apart."""
    with closing(sqlite3.connect(store)) as opened:
        rows = opened.execute(
            "SELECT content, verdict FROM episodes JOIN experiment_questions AS q ON q.question = episodes.question"
            ' JOIN cases ON cases.id = q."case"'
        ).fetchall()
    found: dict[str, list[int]] = {}
    for case, verdict in rows:
        text = json.loads(case)["question"]["text"]
        for trace in json.loads(verdict)["traces"]:
            if trace["kind"] == "cascaded":
                found.setdefault(text, []).append(sum(map(len, trace["asked"])))
    return found


@pytest.fixture(scope="module")
def advised(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Row]:
    """The folder, and the advice under limits that asking all four breaks."""
    folder, draw = tmp_path_factory.mktemp("kinds"), random.Random(1)
    replies = []
    for name in ("mix", "new"):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows_of(name))))
        replies += [
            {
                "model": player,
                "question_id": row["id"],
                "answer": answer(row["kind"], able, draw),
                "cost_usd": USD,
                "seconds": SECONDS,
            }
            for row in rows_of(name)
            for player, able in PLAYERS.items()
        ]
    (folder / "replies.jsonl").write_text("\n".join(map(json.dumps, replies)))
    path = written(folder, "mix", "mix", ["solo"])
    command("run", path, "--quiet")
    limits = ("--budget-usd-per-1000", 1000 * USD * MOST, "--max-seconds", SECONDS * MOST)
    told, told_as_json = folder / "adv.yaml", io.StringIO()
    with redirect_stdout(told_as_json):
        assert run_app(app, ["advise", str(path), *map(str, limits), "-o", str(told), "--json"]) == 0
    return folder, json.loads(told_as_json.getvalue())


def played(folder: Path, name: str, questions: str) -> dict[str, int]:
    """The team that was advised on these questions: how many it asks of each."""
    team = yaml.safe_load((folder / "adv.yaml").read_text())
    seated = {"advised": {"players": team["teams"]["advised"]["players"]}}
    path = written(folder, name, questions, team["strategies"], teams=seated)
    status, said = ended("run", path, "--quiet")
    assert status == 0, said
    found = asked(folder / f"{name}.db")
    assert len(found) == sum(COUNTS.values())
    return {text: count for text, (count,) in found.items()}


def test_the_rule_is_written_for_each_kind_that_taught_enough(advised: tuple[Path, Row]) -> None:
    folder, told = advised
    assert told["recommended"]["rule"] == "cascade", told["recommended"]
    assert "p ≥" in told["recommended"]["option"]
    rule = json.loads((folder / "adv.rule.json").read_text())
    assert (rule["form"], sorted(rule["by_kind"]), rule["kinds"]) == (2, ["choice", "open"], sorted(COUNTS))
    searched = {kind: part["learnt_from"]["questions"] for kind, part in rule["by_kind"].items()}
    assert sum(searched.values()) < told["searched_on"], "of the other kind there are too few"
    assert [note for note in told["notes"] if "of kind yes-no too little is learnt from" in note]
    assert rule["by_kind"]["choice"]["probability"] != rule["by_kind"]["open"]["probability"]


def test_what_is_written_asks_as_many_as_were_replayed(advised: tuple[Path, Row]) -> None:
    folder, told = advised
    calls = played(folder, "again", "mix")
    few = {count for text, count in calls.items() if "yes-no" in text}
    assert few == {len(told["recommended"]["players"])}, "of a kind that nothing is told of everybody is asked"
    learnt_on = set(json.loads((folder / "adv.rule.json").read_text())["chosen_on"])
    cases = build(read_experiment(folder / "mix.yaml"), asked=False).dataset
    apart = [calls[case.question.text] for case in cases if case.question.wording not in learnt_on]
    assert len(apart) == told["claimed_on"]
    assert sum(apart) / len(apart) == pytest.approx(told["recommended"]["calls"], abs=1e-3)


def test_new_questions_of_the_same_kinds_cost_and_take_what_was_promised(advised: tuple[Path, Row]) -> None:
    folder, told = advised
    calls = played(folder, "fresh", "new").values()
    mean = sum(calls) / len(calls)
    assert mean == pytest.approx(told["recommended"]["calls"], abs=0.25)
    assert mean <= MOST
