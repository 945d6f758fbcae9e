"""What a recorded reply cost when it was made is no part of a cap, which counts what is paid now, and is told all the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from beside import rows
from cup_commands import command

import moot
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.models.recorded import RecordedModel
from moot.models.scripted import ScriptedModel
from moot.strategies.vote import Vote
from moot.team import Player, Team

Row = dict[str, Any]
PLAYERS = ("ann", "bob")
LIVE = {"provider": "simulated", "accuracy": 0.7, "price": {"prompt": 1, "completion": 1}, "max_tokens": 200}


def written(folder: Path, name: str, live: bool = False, **keys: Any) -> Path:
    """Two recordings, each of whose 12 replies has cost a dollar; `live`: beside a model that is paid now."""
    questions = [{"id": f"q{n}", "text": f"Thing {n}?", "choices": ["a", "b"], "answer": "A"} for n in range(6)]
    (folder / "q.jsonl").write_text("\n".join(map(json.dumps, questions)))
    replies = [
        {"model": model, "question_id": f"q{n}", "answer": "AB"[(n + place) % 2], "cost_usd": 1}
        for place, model in enumerate(PLAYERS)
        for n in range(6)
    ]
    (folder / "replies.jsonl").write_text("\n".join(map(json.dumps, replies)))
    models: Row = {model: {"provider": "recorded", "file": "replies.jsonl", "model": model} for model in PLAYERS}
    models |= {"cat": LIVE} if live else {}
    spec = {"name": name, "questions": {"file": "q.jsonl"}, "models": models, "strategies": ["solo", "vote"], **keys}
    path = folder / f"{name}.yaml"
    path.write_text(json.dumps(spec))
    return path


def store_of(path: Path) -> str:
    return f"sqlite:///{path.with_suffix('.db')}"


def costs(path: Path, *words: str) -> Row:
    """By player what a question cost (None: the vote of all), and the bill."""
    figures = json.loads(command("report", path, "--json", *words))
    told = {row.get("player"): (row["cost_usd"], row["usd_per_question"]) for row in figures["accuracy"]}
    return {"rows": told, "bill": figures["bill_usd"], "here": figures.get("paid_here_usd")}


KNOWN = {"rows": {"ann": (6.0, 1.0), "bob": (6.0, 1.0), None: (12.0, 2.0)}, "bill": 12.0, "here": 0.0}


def test_a_cap_changes_no_figure_of_a_recording(tmp_path: Path) -> None:
    """Neither while it stands, nor for a later run or report of the same store without it."""
    free, capped = written(tmp_path, "free"), written(tmp_path, "capped", budget_usd=0.01)
    command("run", free, "--quiet")
    command("run", capped, "--quiet")
    assert costs(free) == costs(capped) == KNOWN
    raised = written(tmp_path, "capped")
    command("run", raised, "--quiet")
    assert costs(raised) == KNOWN


def test_nor_what_is_published_of_it(tmp_path: Path) -> None:
    path = written(tmp_path, "capped", budget_usd=0.01)
    command("run", path, "--quiet")
    command("report", path, "--publish", tmp_path / "board")
    (replies,) = (tmp_path / "board").glob("runs/*/replies.jsonl")
    assert {json.loads(line)["cost_usd"] for line in replies.read_text().splitlines()} == {1.0}


def test_what_was_paid_for_a_recording_is_taken_off_no_purse(tmp_path: Path) -> None:
    """Replies that were played back before the cap was set, and those that are played back under it."""
    command("run", written(tmp_path, "cup"), "--quiet")
    later = written(tmp_path, "cup", live=True, budget_usd=0.5)
    assert run_app(app, ["run", str(later), "--quiet"]) == 0
    told = costs(later)
    paid = told["rows"]["cat"][0]
    assert 0 < paid < 0.5
    assert (told["rows"]["ann"], told["here"]) == ((6.0, 1.0), pytest.approx(paid))
    assert told["bill"] == pytest.approx(12 + paid)
    (held,) = rows(tmp_path / "cup.db", "SELECT held_usd FROM accounts WHERE experiment = 'cup'")
    assert held == (pytest.approx(paid),)


def test_the_cap_still_stops_what_is_paid_now(tmp_path: Path) -> None:
    path = written(tmp_path, "cup", live=True, budget_usd=0.0000001)
    assert run_app(app, ["run", str(path), "--quiet"]) == 3


class Panel(moot.TeamModel):
    """Called as a file may call it."""

    name = "panel"


@pytest.mark.parametrize("live", [False, True], ids=["recordings alone", "one of them asked"])
def test_a_team_of_recordings_plays_back_as_well(live: bool, tmp_path: Path) -> None:
    """Behind the face of one model. With somebody among them who is asked, the whole of its call counts as paid."""
    written(tmp_path, "cup")
    recorded = [Player(name, RecordedModel(name, file=tmp_path / "replies.jsonl", model=name)) for name in PLAYERS]
    more = [Player("cat", ScriptedModel("cat", lambda _: '{"reasoning": "So.", "answer": "A"}'))] if live else []
    panel = Panel(Vote(), Team("two", (*recorded, *more)))
    store = f"sqlite:///{tmp_path / 'panel.db'}"
    questions = {"file": str(tmp_path / "q.jsonl")}
    keys = {"name": "cup", "models": {"panel": panel}, "questions": questions, "strategies": ["solo"], "store": store}
    results = moot.run({**keys, "budget_usd": 5.0} if not live else keys)
    assert results.state == "done"
    kept = rows(tmp_path / "panel.db", "SELECT recorded, cost_usd FROM calls")
    assert {mark is not None for mark, _ in kept} == {not live}
    if not live:
        assert results.figures["bill_usd"] == pytest.approx(12.0)
        assert results.figures["paid_here_usd"] == 0.0


def test_what_was_paid_now_is_told_beside_the_cap(tmp_path: Path) -> None:
    path = written(tmp_path, "cup", budget_usd=0.5)
    command("run", path, "--quiet")
    told = "each call once: $12.00, all of it when recorded replies were made."
    assert told in command("report", path, "--section", "runs")
    assert "$12.00 spent, all of it when recorded replies were made" in command("runs", "--store", store_of(path))
    spent = json.loads(command("watch", path, "--once", "--json"))["spent"]
    assert spent == "$0 of $0.50 spent, $12.00 with recorded replies"


def test_of_a_bill_that_is_not_known_no_more_is_said_to_be_recorded_than_is_known(tmp_path: Path) -> None:
    path = written(tmp_path, "cup")
    replies = [json.loads(line) for line in (tmp_path / "replies.jsonl").read_text().splitlines()]
    for reply in replies[:4]:
        del reply["cost_usd"]
    (tmp_path / "replies.jsonl").write_text("\n".join(map(json.dumps, replies)))
    command("run", path, "--quiet")
    words = "; $8.00 of what is known was paid when recorded replies were made"
    for said in (command("report", path, "--section", "runs"), command("runs", "--store", store_of(path))):
        assert words in said
        assert "all of it" not in said
