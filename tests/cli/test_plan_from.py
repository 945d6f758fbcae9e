"""`moot plan --from`: what a pilot tells a plan, and what it does not."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.stats.power import needed, power

Captured = pytest.CaptureFixture[str]
PRICED = {"provider": "simulated", "price": {"prompt": 1.0, "completion": 2.0}, "max_tokens": 300}


def pilot(folder: Path, cluster: int = 0, **more: Any) -> Path:
    lines: list[dict[str, Any]] = [
        {"id": f"q{n}", "text": f"Who is number {n}?", "answer": f"Person {n}"} for n in range(60)
    ]
    for n, line in enumerate(lines if cluster else ()):
        line["cluster"] = f"p{n // cluster}"
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    keys = {
        "name": "cup",
        "seed": 3,
        "questions": {"file": "questions.jsonl"},
        "models": {who: {**PRICED, "accuracy": share} for who, share in (("ann", 0.7), ("bob", 0.4), ("cat", 0.5))},
        "teams": {"three": {"players": ["ann", "bob", "cat"]}},
        "strategies": ["solo", "vote"],
        "primary": "vote",
    }
    path = folder / "cup.yaml"
    path.write_text(json.dumps({**keys, **more}), encoding="utf-8")
    return path


def moot(*arguments: object) -> int:
    return run_app(app, [str(each) for each in arguments])


def told(capsys: Captured, *arguments: object) -> Any:
    capsys.readouterr()
    assert moot(*arguments, "--json") == 0, capsys.readouterr().err
    return json.loads(capsys.readouterr().out)


def wilson_high(right: int, n: int) -> float:
    z = 1.959963984540054
    share = right / n
    middle, half = share + z * z / (2 * n), z * (share * (1 - share) / n + z * z / (4 * n * n)) ** 0.5
    return (middle + half) / (1 + z * z / n)


def test_it_is_planned_for_the_unfavourable_end(tmp_path: Path, capsys: Captured) -> None:
    path = pilot(tmp_path)
    assert moot("run", path, "--quiet") == 0
    report = told(capsys, "report", path)
    over = report["headline"]["over_best_single"]
    row = told(capsys, "plan", "--from", path, "--gain", 0.05)
    seen = row["pilot"]
    assert (seen["of"], seen["single"]) == ("vote", over["single"])
    assert [seen[key] for key in ("difference", "low", "high")] == [over[key] for key in ("difference", "low", "high")]
    pairs = told(capsys, "compare", path, "--a", "vote", "--b", f"solo@{seen['against']}")
    differ = pairs["rescues"] + pairs["regressions"]
    assert seen["discordance"] == pytest.approx(differ / 60)
    assert seen["discordance_high"] == pytest.approx(wilson_high(differ, 60), abs=1e-6)
    # One declared option against three players, each of whom may be missed in a third of the 20 %.
    accuracy = over["best_single"]["value"]
    assert row["questions"] == needed(accuracy, 0.05, seen["discordance_high"], power=1 - 0.2 / 3)
    assert row["at_pilot"]["questions"] == needed(accuracy, 0.05, seen["discordance"], power=1 - 0.2 / 3)
    assert row["questions"] > row["at_pilot"]["questions"]
    assert power(row["questions"], 0.05, seen["discordance_high"]) >= 0.8
    assert row["usd"] == pytest.approx(report["bill_usd"] / 60 * row["questions"])
    assert moot("plan", "--from", path, "--gain", 0.05) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "no size to plan for" in shown
    assert f"{row['questions']:,} questions show it in 80 of 100 runs" in shown
    assert f"as in the pilot: {row['at_pilot']['questions']:,}." in shown


def test_it_is_planned_against_whoever_may_be_the_best_and_differs_most(tmp_path: Path, capsys: Captured) -> None:
    """Three who are nearly alike: the pilot's best is hardly surer to be it than one of the others."""
    alike = {who: {**PRICED, "accuracy": share} for who, share in (("ann", 0.7), ("bob", 0.68), ("cat", 0.66))}
    path = pilot(tmp_path, seed=4, models=alike)
    assert moot("run", path, "--quiet") == 0
    seen = told(capsys, "plan", "--from", path, "--gain", 0.05)["pilot"]
    differ = {}
    for who in alike:
        best = who == seen["single"]
        if best or told(capsys, "compare", path, "--a", f"solo@{who}", "--b", f"solo@{seen['single']}")["high"] >= 0:
            pairs = told(capsys, "compare", path, "--a", "vote", "--b", f"solo@{who}")
            differ[who] = pairs["rescues"] + pairs["regressions"]
    assert len(differ) == 2, "one is behind for all to see, and one is not"
    assert differ[seen["against"]] == max(differ.values()) > differ[seen["single"]]
    assert seen["discordance"] == pytest.approx(max(differ.values()) / 60)


def test_what_a_question_costs_is_told_of_all_that_the_file_plays_on_it(tmp_path: Path, capsys: Captured) -> None:
    """Also where some answers are still missing: they will be paid for too."""
    path = pilot(tmp_path)
    assert moot("run", path, "--quiet") == 0
    bill = told(capsys, "report", path)["bill_usd"]
    changed(
        tmp_path,
        "DELETE FROM episodes WHERE question IN (SELECT question FROM experiment_questions WHERE position < 5)",
    )
    row = told(capsys, "plan", "--from", path, "--gain", 0.05)
    assert row["usd"] == pytest.approx(bill / 55 * row["questions"], rel=1e-6)


def test_who_is_to_be_beaten_is_told_by_players_and_ways_to_draft(tmp_path: Path, capsys: Captured) -> None:
    path = pilot(tmp_path, strategies=["solo", {"solo": {"drafts": "double-call"}}, "vote"])
    assert moot("run", path, "--quiet") == 0
    row = told(capsys, "plan", "--from", path, "--gain", 0.05)
    assert (row["family"], row["players"]) == ("headline", 6)
    assert moot("plan", "--from", path, "--gain", 0.05) == 0
    assert "more than each of 6 (3 players, 2 ways to draft)." in " ".join(capsys.readouterr().out.split())


def test_without_a_gain_a_table_of_some(tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    path = pilot(tmp_path)
    assert moot("run", path, "--quiet") == 0
    rows = told(capsys, "plan", "--from", path)["gains"]
    assert [row["gain"] for row in rows] == [0.01, 0.02, 0.03, 0.05, 0.1]
    one = told(capsys, "plan", "--from", path, "--gain", 0.03)
    assert {key: rows[2][key] for key in ("questions", "usd", "family")} == {
        key: one[key] for key in ("questions", "usd", "family")
    }
    monkeypatch.setenv("COLUMNS", "80")
    assert moot("plan", "--from", path) == 0
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    assert f"{rows[2]['questions']:,}" in shown
    assert "$0.0000" not in shown


def test_clusters_and_repeats_of_the_pilot_are_planned_for(tmp_path: Path, capsys: Captured) -> None:
    """The interval is over clusters, and it takes as many clusters as it would take questions."""
    path = pilot(tmp_path, cluster=5, repeats=2)
    assert moot("run", path, "--quiet") == 0
    row = told(capsys, "plan", "--from", path, "--gain", 0.1)
    seen = row["pilot"]
    assert row["clusters"] == needed(seen["accuracy"], 0.1, seen["discordance_high"], power=1 - 0.2 / 3)
    assert row["questions"] == 5 * row["clusters"]
    assert seen["discordance_high"] > wilson_high(round(60 * seen["discordance"]), 60), "12 clusters tell less than 60"


def changed(folder: Path, *statements: str) -> None:
    with closing(sqlite3.connect(folder / "cup.db")) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def test_what_is_no_pilot_is_refused(tmp_path: Path, capsys: Captured) -> None:
    path = pilot(tmp_path)
    assert moot("plan", "--from", path) == 2
    assert "there is no store" in capsys.readouterr().err
    assert moot("run", path, "--quiet") == 0
    last = "DELETE FROM episodes WHERE question IN (SELECT question FROM experiment_questions WHERE position > 50)"
    changed(tmp_path, last, """UPDATE runs SET state = 'interrupted', facts = '{"dropped": 2}'""")
    assert moot("plan", "--from", path) == 2
    assert "its slowest answers are missing" in capsys.readouterr().err
    changed(tmp_path, "UPDATE runs SET facts = '{}'", "UPDATE episodes SET outcome = 'failed', answer = NULL")
    assert moot("plan", "--from", path) == 2
    assert "is no pilot yet: nothing has been played" in capsys.readouterr().err


def test_what_goes_together(tmp_path: Path, capsys: Captured) -> None:
    path = pilot(tmp_path, strategies=["solo"], primary=None, teams={})
    assert moot("run", path, "--quiet") == 0
    assert moot("plan", "--from", path) == 2
    assert "no team has been played beside players alone" in capsys.readouterr().err
    assert moot("plan", "--from", path, "--accuracy", 0.4, "--discordance", 0.1) == 2
    assert "--accuracy, --discordance: --from reads it" in capsys.readouterr().err
    assert moot("plan", "--accuracy", 0.4) == 2
    assert "expected --accuracy and --gain, or --from" in capsys.readouterr().err
    assert moot("plan", "--accuracy", 0.4, "--gain", 0.1, "--store", "sqlite:///x.db") == 2
