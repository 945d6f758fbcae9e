"""An outage on the very questions that a rate is over: few of all plays, and many of those that it counts."""

from __future__ import annotations

import csv
from collections.abc import Collection
from pathlib import Path
from typing import Any

from cup_commands import Row, command, ended, told, write
from outages import asked, gone

PLAYERS = ("ann", "bob", "cat")


def cup(folder: Path, strategies: list[Any], accuracy: float, questions: int = 100, **keys: Any) -> Path:
    folder.mkdir()
    rows = [{"id": f"q{n}", "text": f"Who is number {n}?", "answer": f"Person {n}"} for n in range(questions)]
    models = {name: {"provider": "simulated", "accuracy": accuracy, "power": 0.95} for name in PLAYERS}
    teams = {"three": {"players": list(PLAYERS), "captain": "ann"}}
    return write(folder, rows, models=models, teams=teams, strategies=strategies, **keys)


def wrong_alone(path: Path) -> list[int]:
    """The numbers of the questions that ann gets wrong alone."""
    command("report", path, "--format", "csv", "-o", path.parent / "tables")
    with (path.parent / "tables" / "episodes.csv").open(encoding="utf-8") as file:
        alone = [row for row in csv.DictReader(file) if (row["strategy"], row["player"]) == ("solo", "ann")]
    return [int(row["question_id"].removeprefix("q")) for row in alone if row["value"] == "0.0"]


def gone_on(path: Path, questions: Collection[int]) -> Row:
    """The report while the others of the team are away there."""
    with asked(gone("bob", "cat", questions=lambda n: n in questions)):
        assert ended("run", path, "--quiet")[0] == 1
    return told(path)


def whole(path: Path) -> Row:
    with asked():
        assert ended("run", path, "--quiet")[0] == 0
    return told(path)


def test_rescues_go_by_what_was_wrong_alone(tmp_path: Path) -> None:
    strategies, texts = ["solo", "peer-review"], ["safety_multiple(peer-review) > 0.1", "accuracy(peer-review) > 0.5"]
    path = cup(tmp_path / "fresh", strategies, 0.9)
    (before,) = whole(path)["safety"]
    hard = wrong_alone(path)
    assert before["rescue_rate_n"] == len(hard) == 8
    assert before["regression_rate_n"] == 92

    path = cup(tmp_path / "outage", strategies, 0.9, hypotheses=texts)
    during = gone_on(path, hard[:4])
    (row,) = during["safety"]
    assert (row["n"], row["rescue_rate"]) == (100, 0.5), "4 of 100 plays, and half of what could be rescued"
    assert (row["rescue_rate_low"], row["rescue_rate_high"]) == (None, None)
    assert (row["low"], row["high"], row["with_recovered_low"]) == (None, None, None)
    assert before["rescue_rate"] == 1.0, "above any interval around a half of eight"
    assert None not in (row["regression_rate_low"], row["net_share_low"]), "4 of 92 that could be spoilt, of 100 pairs"
    few, many = during["hypotheses"]
    assert (few["verdict"], few["low"]) == ("open", None)
    assert "in 4 of 100 plays of peer-review a model could not be reached (bob, cat)" in few["note"]
    assert many["verdict"] == "confirmed"
    assert during["gap"][0]["low"] is None


def test_agreement_goes_by_what_was_debated(tmp_path: Path) -> None:
    strategies = ["solo", {"debate": {"max_rounds": 2}}]
    path = cup(tmp_path / "fresh", strategies, 0.97)
    (before,) = whole(path)["consensus"]
    debated = sum(before["endings"].values())
    assert (debated + before["unanimous_before"], before["low"] is None) == (100, False)
    assert debated < 20

    path = cup(tmp_path / "outage", strategies, 0.97)
    (row,) = gone_on(path, wrong_alone(tmp_path / "fresh" / "cup.yaml")[:2])["consensus"]
    assert (row["low"], row["high"]) == (None, None), "2 of 100 plays, more than one in twenty of the debates"
