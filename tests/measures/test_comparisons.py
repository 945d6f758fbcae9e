"""Each strategy against each that stands before it in the file, whoever leads it."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from worlds import World, in_form, number_of, row

import moot
from moot.cli.app import app
from moot.cli.exit import run_app

SUE = {"summariser": "sue", "repeats": 1}
MIXTURES = ("mixture: {summariser: sue, repeats: 1}", "mixture: {summariser: sue, repeats: 1, temperature: 0.5}")
CUP = """
name: cup
questions: {file: q.jsonl}
models:
  ann: {provider: simulated, accuracy: 0.6}
  bob: {provider: simulated, accuracy: 0.6}
  sue: {provider: simulated, accuracy: 0.6}
players: {ann: {model: ann}, bob: {model: bob}}
teams: {pair: {players: [ann, bob]LED}}
strategies: [solo, STRATEGIES]
"""


def world(count: int = 40) -> World:
    """A vote of three has every question but each sixth; whoever sums up, all but each fifth."""
    return World(
        lambda name, n, _: "Paris" if n % 6 else f"{name} {n}",
        count=count,
        offices={"sue": lambda request: in_form(request, "Paris" if number_of(request) % 5 else "Rome")},
    )


def of_rows(rows: list[dict[str, Any]]) -> dict[tuple[str, str], tuple[float, int]]:
    return {(row["a"], row["b"]): (round(row["difference"], 6), row["n"]) for row in rows}


def test_strategies_without_a_captain_are_compared() -> None:
    played = world()
    keys = played.keys(["solo", "vote", {"mixture": SUE}])
    keys["teams"] = {"team": {"players": list(played.players)}}
    figures = moot.run(keys).figures
    mixture = next(row["label"] for row in figures["accuracy"] if row["strategy"] == "mixture")
    # 7 of 40 questions are each sixth, 8 each fifth.
    assert of_rows(figures["comparisons"]) == {(mixture, "vote"): (-0.025, 40)}
    (only,) = figures["comparisons"]
    assert (only["captain"], only["test"], only["family"]) == (None, "mcnemar", 1)
    assert row(figures["power"], a=mixture, b="vote")["discordant"] == only["rescues"] + only["regressions"]


def test_one_without_a_captain_is_a_row_beside_all_captains_of_the_other() -> None:
    figures = world().play(["solo", "vote", {"mixture": SUE}]).figures
    (only,) = figures["comparisons"]
    assert (only["b"], only["captain"], only["n"], only["test"]) == ("vote", None, 40, "score")
    assert only["difference"] == pytest.approx(-0.025)


def test_a_single_captain_is_named() -> None:
    played = world()
    keys = played.keys(["solo", "vote", {"mixture": SUE}])
    keys["teams"] = {"team": {"players": list(played.players), "captain": "bob"}}
    (only,) = moot.run(keys).figures["comparisons"]
    assert (only["b"], only["captain"], only["test"]) == ("vote@bob", None, "mcnemar")


def cup(path: Path, captain: str | None, strategies: str, count: int) -> None:
    """A file with simulated models, played."""
    led = f", captain: {captain}" if captain else ""
    lines = [{"id": str(n), "text": f"What is {n}?", "answer": str(n)} for n in range(count)]
    (path / "q.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    written = CUP.replace("LED", led).replace("STRATEGIES", strategies)
    (path / "cup.yaml").write_text(written, encoding="utf-8")
    assert run_app(app, ["run", "cup.yaml", "--quiet"]) == 0


def reported(capsys: pytest.CaptureFixture[str]) -> Any:
    capsys.readouterr()
    assert run_app(app, ["report", "cup.yaml", "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_captains_of_whom_one_has_not_played_are_not_averaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Bob has led ten questions of forty: a mean of whoever has played would be of other captains on the rest."""
    monkeypatch.chdir(tmp_path)
    cup(tmp_path, "each", f"talkative, {MIXTURES[0]}", 40)
    assert [row["n"] for row in reported(capsys)["comparisons"]] == [40]
    with sqlite3.connect("cup.db") as connection:
        (bobs,) = connection.execute("SELECT id FROM cells WHERE captain = 'bob'").fetchone()
        most = "SELECT question FROM episodes WHERE cell = ? LIMIT 30"
        connection.execute(f"DELETE FROM episodes WHERE cell = ? AND question IN ({most})", (bobs, bobs))
    assert [row["n"] for row in reported(capsys)["comparisons"]] == [10]


@pytest.mark.parametrize(
    ("captain", "strategies", "count"),
    # Two led by both: each captain and both of them. All other pairs have one row.
    [("each", ("vote", "talkative"), 3 + 5), ("ann", ("vote", "talkative"), 6), (None, ("vote",), 3)],
)
def test_as_many_are_planned_for(
    captain: str | None,
    strategies: tuple[str, ...],
    count: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    cup(tmp_path, captain, ", ".join((*strategies, *MIXTURES)), 8)
    capsys.readouterr()
    asked = ["plan", "cup.yaml", "--accuracy", "0.4", "--gain", "0.1", "--discordance", "0.2", "--json"]
    assert run_app(app, asked) == 0
    planned = {row["family"]: row["comparisons"] for row in json.loads(capsys.readouterr().out)["families"]}
    rows = reported(capsys)["comparisons"]
    assert len(rows) == planned["comparisons"] == rows[0]["family"] == count
