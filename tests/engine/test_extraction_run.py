"""Extraction models through whole runs: what they are is part of a cell, what they cost is on the bill and foreseen."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from moot import load_team
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.engine.runner import Runner
from moot.estimate.estimate import estimate
from moot.experiment.build import build
from moot.experiment.plan import Cell, Plan
from moot.experiment.spec import read_experiment
from moot.grade.extract import StagedReader
from moot.models.scripted import Script, ScriptedModel
from moot.store.sqlite import SqliteStore
from moot.team import Player
from moot.types import Reply, Request, Usage

PLAYERS = ("ann", "bob", "cat")
READERS = ("ray", "roy")
QUESTIONS = 8
RAMBLING = "Much speaks for the second of them, on the whole. Let us leave it there."
STRATEGIES: list[Any] = [
    "solo",
    {"solo": {"drafts": "double-call"}},
    "vote",
    "silent",
    "talkative",
    "adaptive",
    {"peer-review": {"drafts": "single-call"}},
    "debate",
    {"discuss": {"decision": "simple-voting"}},
    {"mixture": {"summariser": "sue", "repeats": 1}},
]

Captured = pytest.CaptureFixture[str]


def written(folder: Path, **more: Any) -> Path:
    lines = [
        {"id": f"q{n}", "text": f"Which one is number {n}?", "choices": ["x", "y", "z"], "answer": "B"}
        for n in range(QUESTIONS)
    ]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    models = {name: {"provider": "simulated", "accuracy": 0.6} for name in (*PLAYERS, "sue", *READERS, "rex")}
    spec = {
        "name": "net",
        "questions": {"file": "questions.jsonl"},
        "models": models,
        "players": {name: {"model": name} for name in PLAYERS},
        "teams": {"three": {"players": list(PLAYERS), "captain": "ann"}},
        "strategies": STRATEGIES,
        **more,
    }
    path = folder / "net.yaml"
    path.write_text(json.dumps(spec), encoding="utf-8")
    return path


def moot(*arguments: object) -> int:
    return run_app(app, [str(each) for each in arguments])


def calls_by(store: Path, *models: str) -> int:
    with sqlite3.connect(store) as connection:
        found = connection.execute("SELECT model, count(*) FROM calls GROUP BY model").fetchall()
    return sum(count for model, count in found if model in models)


# --- identity ---------------------------------------------------------------------------------------------------------


def cells(folder: Path, readers: list[str] | None) -> Mapping[str, Cell]:
    more = {} if readers is None else {"extract": {"models": readers}}
    return {cell.title: cell for cell in build(read_experiment(written(folder, **more))).cells}


def test_who_reads_is_part_of_every_cell(tmp_path: Path) -> None:
    """Whatever the strategy, other readers may find other answers."""
    plain, read, others = (cells(tmp_path, readers) for readers in (None, ["ray", "roy"], ["ray", "rex"]))
    assert len(plain) == len(read) == len(others) >= len(STRATEGIES)
    for title, cell in plain.items():
        assert len({cell.id, read[title].id, others[title].id}) == 3, title
        assert "extract_prompt" not in json.loads(cell.spec), "without them it is what it was"
        assert "extract" not in json.loads(cell.spec) or "double-call" in cell.spec


def test_another_wording_of_their_prompt_is_another_experiment(tmp_path: Path) -> None:
    before = cells(tmp_path, ["ray", "roy"])
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "extract.j2").write_text("{{ question | block }} {{ response | block }}", encoding="utf-8")
    path = written(tmp_path, extract={"models": ["ray", "roy"]}, prompts="mine")
    after = {cell.title: cell for cell in build(read_experiment(path)).cells}
    assert not {cell.id for cell in before.values()} & {cell.id for cell in after.values()}


# --- the bill ---------------------------------------------------------------------------------------------------------


def rambling(name: str) -> ScriptedModel:
    """In form on even questions, in free words on odd ones."""

    def say(request: Request) -> Script:
        if int((request.question_id or "q0")[1:]) % 2:
            return Reply(RAMBLING, cost_usd=0.5)
        return Reply(json.dumps({"reasoning": "So it is.", "answer": "B"}), cost_usd=0.5)

    return ScriptedModel(name, say)


def reading(name: str) -> ScriptedModel:
    return ScriptedModel(name, lambda request: Reply('{"answer": "B"}', usage=Usage(90, 5), cost_usd=0.01))


def scripted(path: Path, models: Mapping[str, ScriptedModel], limit: int | None = None) -> Plan:
    built = build(read_experiment(path), limit=limit)
    used = {name: replace(each, model=models[name]) for name, each in built.models.items() if name in models}
    return replace(built, models={**built.models, **used})


def cast() -> dict[str, ScriptedModel]:
    return {name: rambling(name) for name in PLAYERS} | {name: reading(name) for name in READERS}


async def _played(path: Path, store: Path) -> dict[str, ScriptedModel]:
    models = cast()
    opened = await SqliteStore(store).open()
    try:
        assert await Runner(scripted(path, models), opened).run() == "done"
    finally:
        await opened.close()
    return models


def played(path: Path, store: Path) -> dict[str, ScriptedModel]:
    return asyncio.run(_played(path, store))


def test_what_they_cost_is_on_the_bill(tmp_path: Path, capsys: Captured) -> None:
    path = written(tmp_path, extract={"models": list(READERS)}, strategies=["solo", "vote", "silent"])
    models = played(path, tmp_path / "net.db")
    odd = QUESTIONS // 2
    assert [len(models[name].requests) for name in READERS] == [odd, odd]
    assert calls_by(tmp_path / "net.db", *READERS) == 2 * odd
    assert moot("report", path, "--json") == 0
    rows = {row["label"]: row for row in json.loads(capsys.readouterr().out)["accuracy"] if row.get("player") != "bob"}
    solo = rows["solo"]
    assert solo["outcomes"] == {"answered": QUESTIONS}
    assert solo["calls"] == QUESTIONS + 2 * odd
    assert solo["cost_usd"] == pytest.approx(0.5 * QUESTIONS + 0.01 * 2 * odd)
    assert rows["vote"]["calls"] == 3 * QUESTIONS + 2 * odd, "the same words are read once, whoever said them"
    again = played(path, tmp_path / "net.db")
    assert not any(model.requests for model in again.values()), "nor is anything paid for twice"


def test_a_draft_that_was_read_so_is_exported_with_its_answer(tmp_path: Path) -> None:
    path = written(tmp_path, extract={"models": list(READERS)}, strategies=["vote"])
    played(path, tmp_path / "net.db")
    assert moot("export", path, "-o", tmp_path / "replies.jsonl") == 0
    lines = (tmp_path / "replies.jsonl").read_text(encoding="utf-8").splitlines()
    found = {(line["model"], line["question_id"]): line for line in map(json.loads, lines)}
    assert len(found) == len(PLAYERS) * QUESTIONS
    assert (found["bob", "q1"]["answer"], found["bob", "q1"]["text"]) == ("B", RAMBLING)
    recorded = {name: {"provider": "recorded", "file": "replies.jsonl", "model": name} for name in PLAYERS}
    again = written(tmp_path, models=recorded, strategies=["vote"], store="sqlite:///again.db")
    assert moot("run", again, "--quiet") == 0, "and is played again without anybody to read it"
    with sqlite3.connect(tmp_path / "again.db") as connection:
        answers = connection.execute("SELECT answer, outcome FROM episodes").fetchall()
    assert answers == [("B", "answered")] * QUESTIONS


# --- before a run -----------------------------------------------------------------------------------------------------


def test_an_estimate_foresees_them(tmp_path: Path) -> None:
    models: dict[str, Any] = {name: {"provider": "simulated", "accuracy": 0.6, "garble": 0.5} for name in PLAYERS}
    price = {"prompt": 1.0, "completion": 1.0}
    models |= {name: {"provider": "simulated", "accuracy": 0.6, "price": price} for name in READERS}
    path = written(tmp_path, models=models, extract={"models": list(READERS)}, strategies=["solo", "vote", "talkative"])
    made = asyncio.run(estimate(build(read_experiment(path)), None))
    assert moot("run", path, "--quiet") in (0, 1)
    for reader in READERS:
        assert made.models[reader].calls == calls_by(tmp_path / "net.db", reader) > 0
        assert (made.models[reader].cost_usd or 0) > 0


async def test_after_a_first_run_an_estimate_knows_how_often_they_are_needed(tmp_path: Path) -> None:
    path = written(tmp_path, extract={"models": list(READERS)}, strategies=["solo", "vote"])
    opened = await SqliteStore(tmp_path / "net.db").open()
    try:
        assert await Runner(scripted(path, cast(), limit=4), opened).run() == "done"
        made = await estimate(scripted(path, models := cast()), opened)
    finally:
        await opened.close()
    assert not any(model.requests for model in models.values()), "nobody is asked"
    left = QUESTIONS - 4
    assert [made.models[name].calls for name in PLAYERS] == [left] * 3
    for reader in READERS:
        assert 0 < made.models[reader].calls <= left, "on half of the stored questions they were"


# --- elsewhere --------------------------------------------------------------------------------------------------------


def test_they_read_for_a_selection_too(tmp_path: Path, capsys: Captured) -> None:
    """The summariser's word is read there as it is in a run of the mixture."""
    models: dict[str, Any] = {name: {"provider": "simulated", "accuracy": 0.6} for name in (*PLAYERS, *READERS)}
    models["sue"] = {"provider": "simulated", "accuracy": 0.6, "garble": 0.9}
    path = written(tmp_path, models=models, extract={"models": list(READERS)}, strategies=["solo"])
    assert moot("run", path, "--quiet") == 0
    assert calls_by(tmp_path / "net.db", *READERS) == 0
    more = ("--k", 2, "--m", 4, "--splits", 2, "--method", "greedy", "--summariser", "sue", "--json")
    capsys.readouterr()
    assert moot("select", path, *more) == 0
    assert calls_by(tmp_path / "net.db", *READERS) > 0


async def test_what_a_reader_with_a_seat_finds_is_not_its_own_vote(tmp_path: Path) -> None:
    """The time runs out while ann and bob, who have read cat's reply, are still at their own."""
    path = written(tmp_path, extract={"models": ["ann", "bob"]}, strategies=["talkative"])

    class Model(ScriptedModel):
        async def generate(self, request: Request) -> Reply:
            drafting = "reasoning" in (request.schema or {})["properties"]
            if drafting and self.name != "cat":
                await asyncio.sleep(30)
            return Reply(RAMBLING if drafting else '{"answer": "B"}', cost_usd=0.0)

    async with load_team(path) as team:
        ((title, cell),) = team.cells.items()
        seats = tuple(Player(name, Model(name, [])) for name in PLAYERS)
        seated = replace(cell.team, players=seats, reader=StagedReader(seats[:2]))
        team.cells[title] = replace(cell, team=seated)
        verdict = await team.ask("Which?", choices=["x", "y", "z"], strategy=title, deadline_s=0.3)
    assert (verdict.answer, verdict.outcome) == (None, "unanswered")
