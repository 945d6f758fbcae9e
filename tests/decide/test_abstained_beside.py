"""What is not given is no error made, beside whatever a team is held against: counted in neither better nor worse."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from beside import rows

import moot
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.store.rows import verdict_of
from moot.types import Case, Question

NAMES = ("ann", "bob", "cat")
COUNT = 60
DISCUSS = {"personas": "none", "vote_from": 1, "max_turns": 2}


async def played(folder: Path, *strategies: Any) -> Mapping[str, Any]:
    questions = [
        Case(Question(f"q{n}", f"Which letter has number {n}?", choices=tuple("wxyz"), kind="choice"), "A")
        for n in range(COUNT)
    ]
    experiment = moot.Experiment(
        name="cup",
        questions=questions,
        models={name: {"provider": "simulated", "accuracy": 0.6} for name in NAMES},
        teams={"three": {"players": list(NAMES), "captain": "ann"}},
        strategies=list(strategies),
    )
    results = await moot.arun(experiment, store=f"sqlite:///{folder / 'cup.db'}")
    assert results.state == "done"
    return results.figures


def answers(folder: Path, label: str) -> dict[str, str | None]:
    """By question; None: kept back."""
    query = f"SELECT e.question, e.verdict FROM episodes e JOIN cells c ON c.id = e.cell WHERE c.label = '{label}'"
    return {question: verdict_of(kept).answer for question, kept in rows(folder / "cup.db", query)}


def counted(one: Mapping[str, str | None], other: Mapping[str, str | None]) -> dict[str, Any]:
    """By hand: better, worse, and worse by having said nothing."""
    pairs = [(one[question], other[question]) for question in one]
    worse = [mine for mine, theirs in pairs if mine != "A" and theirs == "A"]
    return {
        "rescues": sum(mine == "A" and theirs not in ("A", None) for mine, theirs in pairs),
        "regressions": sum(mine is not None for mine in worse),
        "worse_by_abstaining": {
            "a": worse.count(None),
            "b": sum(mine == "A" and theirs is None for mine, theirs in pairs),
        },
    }


async def test_a_cascade_that_abstains_is_not_worse_where_it_says_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = await played(tmp_path, "vote", {"cascade": {"until": 0.9, "abstain": {"below": 0.75}}})
    (row,) = figures["cascade_beside"]
    expected = counted(answers(tmp_path, row["label"]), answers(tmp_path, row["against"].partition("@")[0]))
    assert expected["worse_by_abstaining"]["a"] > 0
    assert {key: row[key] for key in expected} == expected
    found = [row["rescues"], -row["regressions"], -expected["worse_by_abstaining"]["a"]]
    assert row["difference"] == pytest.approx(sum(found) / COUNT), "over all questions nothing said is not right"
    asked = ["report", "--store", f"sqlite:///{tmp_path / 'cup.db'}", "--section", "cascade-beside"]
    assert await asyncio.to_thread(run_app, app, asked) == 0
    told = f"abstained on {expected['worse_by_abstaining']['a']} that {row['against']} did better on"
    assert told in " ".join(capsys.readouterr().out.split())


async def test_nor_is_a_discussion(tmp_path: Path) -> None:
    sure = {"abstain": {"below": 0.65}}
    figures = await played(
        tmp_path,
        {"discuss": {**DISCUSS, **sure}},
        {"discuss": {**DISCUSS, **sure, "decision": "solution-counting"}},
        {"discuss": {**DISCUSS, **sure, "style": "critical"}},
        {"discuss": {**DISCUSS, **sure, "decision": "unanimity-consensus"}},
        "solo",
    )
    labels = {row["label"]: answers(tmp_path, row["label"]) for row in figures["protocols"] if row["team"]}
    usual = next(
        label for label in labels if not {"critical", "counting", "consensus"} & set(label.replace("-", " ").split())
    )
    told = 0
    for row in figures["protocol_differences"]:
        against = next((label for label in labels if row["against"] in label), usual)
        expected = counted(labels[row["label"]], labels[against])
        assert {key: row.get(key, {"a": 0, "b": 0}) for key in expected} == expected, row["label"]
        told += sum(expected["worse_by_abstaining"].values())
    assert told > 0
    assert figures["protocol_baselines"]
    for row in figures["protocol_baselines"]:
        kept = sum(answer is None for answer in labels[row["label"]].values())
        if kept:
            assert 0 < row["worse_by_abstaining"]["a"] <= kept
            assert row["regressions"] + row["worse_by_abstaining"]["a"] <= COUNT
    assert all("worse_by_abstaining" in row for row in figures["protocol_families"])
