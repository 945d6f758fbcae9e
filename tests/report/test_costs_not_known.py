"""What nobody knows the cost of is never beside others at 0: recordings that say nothing of it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from billing import priced, provider
from cup_commands import command
from jsonschema import Draft202012Validator

from moot.report.publish.board import ROW

Row = dict[str, Any]
PLAYERS = ("ann", "bob")


def recorded(folder: Path, name: str, spent: Row, **keys: Any) -> Path:
    """A run of two recordings, each of whose replies took this."""
    questions = [{"id": f"q{n}", "text": f"Thing {n}?", "choices": ["a", "b"], "answer": "A"} for n in range(6)]
    (folder / "q.jsonl").write_text("\n".join(map(json.dumps, questions)))
    replies = [
        {"model": model, "question_id": f"q{n}", "answer": "AB"[(n + place) % 2], **spent}
        for place, model in enumerate(PLAYERS)
        for n in range(6)
    ]
    (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, replies)))
    models = {model: {"provider": "recorded", "file": f"{name}.jsonl", "model": model} for model in PLAYERS}
    spec = {"name": name, "questions": {"file": "q.jsonl"}, "models": models, "strategies": ["solo", "vote"], **keys}
    path = folder / f"{name}.yaml"
    path.write_text(json.dumps(spec))
    command("run", path, "--quiet")
    return path


def published(folder: Path, *paths: Path) -> dict[str, list[float | None]]:
    """By run what its rows say of their costs."""
    command("report", *paths, "--publish", folder / "board")
    rows = json.loads((folder / "board" / "leaderboard.json").read_text())["rows"]
    found: dict[str, list[float | None]] = {}
    for row in rows:
        Draft202012Validator(ROW).validate(row)
        cost = row["usd_per_1000"]
        found.setdefault(row["experiment"], []).append(cost and round(cost, 9))
    return found


def test_on_a_leaderboard(tmp_path: Path) -> None:
    """0 is told of what says 0, and of nothing else."""
    paths = (
        recorded(tmp_path, "silent", {"prompt_tokens": 9, "completion_tokens": 1}),
        recorded(tmp_path, "free", {"cost_usd": 0}),
        recorded(tmp_path, "paid", {"cost_usd": 0.001}),
        recorded(tmp_path, "paid-under-a-cap", {"cost_usd": 0.001}, budget_usd=1),
    )
    assert published(tmp_path, *paths) == {
        "silent": [None, None, None],
        "free": [0.0, 0.0, 0.0],
        "paid": [1.0, 1.0, 2.0],
        "paid-under-a-cap": [1.0, 1.0, 2.0],
    }
    page = (tmp_path / "board" / "index.html").read_text()
    assert page.count('<td class="figure-cell" data-key=""><span class="why">not known</span></td>') == 3


def test_of_no_call_is_told_as_of_some(tmp_path: Path) -> None:
    """A table without a column of costs may be of what is free."""
    unknown = "Paid: not known: a price or token count is missing"
    assert f"{unknown}; whatever it was, it was paid when recorded" in command(
        "report", recorded(tmp_path, "silent", {"prompt_tokens": 9})
    )
    assert "Paid: " not in command("report", recorded(tmp_path, "free", {"cost_usd": 0}))
    with provider(latency_s=0.0) as server:
        models = {name: priced(server, name) for name in PLAYERS}
        unpriced = {name: {key: model[key] for key in model if key != "price"} for name, model in models.items()}
        for name, own in (("unpriced", unpriced), ("priced", models)):
            spec = {"name": name, "questions": {"file": "q.jsonl"}, "strategies": ["solo"], "models": own}
            (tmp_path / f"{name}.yaml").write_text(json.dumps(spec))
            told = command("run", tmp_path / f"{name}.yaml")
            assert (f"{unknown}." in told) == (own is unpriced), told


def test_known_of_half_of_the_calls_is_not_known_and_how_many_is_said_alike(tmp_path: Path) -> None:
    """One rule in the report, its page, `moot runs`, `moot watch`, the leaderboard."""
    path = recorded(tmp_path, "half", {"cost_usd": 0.25})
    replies = [json.loads(line) for line in (tmp_path / "half.jsonl").read_text().splitlines()]
    for place, row in enumerate(replies):
        row["cost_usd"] = None if row["model"] == "ann" and place % 2 else row["cost_usd"]
    (tmp_path / "half.jsonl").write_text("\n".join(map(json.dumps, replies)))
    store = f"sqlite:///{tmp_path / 'again.db'}"
    command("run", path, "--quiet", "--store", store)
    figures = json.loads(command("report", path, "--store", store, "--json"))
    in_all = {"calls": 12, "known": 9, "at_least_usd": 2.25}
    assert (figures["bill_usd"], figures["costs_known"]) == (None, in_all)
    rows = {row.get("player"): (row["cost_usd"], row.get("costs_known"), row["calls"]) for row in figures["accuracy"]}
    assert rows == {"ann": (None, 3, 6), "bob": (1.5, None, 6), None: (None, 9, 12)}
    words = "at least $2.25: known for 9 of 12 calls"
    screen = command("report", path, "--store", store)
    assert f"Paid: not known ({words})" in screen
    assert "–: not known of every call" in screen
    (row,) = runs_of(store)
    assert (row["bill_usd"], row["costs_known"]) == (None, in_all)
    assert f"18 episodes, cost unknown ({words})" in command("runs", "--store", store)
    command("report", path, "--store", store, "-o", tmp_path / "half.html")
    assert f"cost unknown ({words})" in (tmp_path / "half.html").read_text()
    others = [tmp_path / f"{name}.yaml" for name in ("one", "two")]
    for other in others:
        other.write_text(json.dumps({**json.loads(path.read_text()), "name": other.stem}))
        command("run", other, "--quiet")
    assert words in command("report", *others)
    command("report", path, "--store", store, "--publish", tmp_path / "board")
    board = json.loads((tmp_path / "board" / "leaderboard.json").read_text())["rows"]
    for row in board:
        Draft202012Validator(ROW).validate(row)
    known = {row["played"]["player"]: (row["usd_per_1000"], row.get("costs_known")) for row in board}
    assert known["ann"] == (None, {"known": 3, "calls": 6})
    assert known["bob"] == (250.0, None)
    assert "not known</span> (of 3 of 6 calls)" in (tmp_path / "board" / "index.html").read_text()


def runs_of(store: str) -> list[Row]:
    (there,) = json.loads(command("runs", "--json", "--store", store))
    rows: list[Row] = there["runs"]
    return rows


def test_in_every_view_of_several_runs(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'all.db'}"
    unknown = recorded(tmp_path, "old", {}, store=store)
    known = recorded(tmp_path, "new", {"cost_usd": 0.002}, store=store)
    runs = command("runs", "--store", store)
    assert "18 episodes, cost unknown" in runs
    by_run = {row["experiment"]: row["bill_usd"] for row in runs_of(store)}
    assert by_run == {"old": None, "new": pytest.approx(0.024)}
    for words in (command("report", unknown), command("report", unknown, "--all"), command("report", unknown, known)):
        assert not re.search(r"\$0(\.0+)?(?![.\d])", words), "nothing is told to cost nothing"
    figures = json.loads(command("report", unknown, "--json"))
    assert {row["usd_per_question"] for row in figures["accuracy"]} == {None}
    assert {row["unit"] for row in figures["frontier"]} == {"calls"}
