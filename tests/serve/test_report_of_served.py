"""What the report of a served team calls things: a player who was never asked alone, and a strategy as it is served."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from served import THREE, reworded, serving

from moot.cli.app import app
from moot.cli.exit import run_app


@pytest.fixture
async def reported(tmp_path: Path) -> Path:
    """A vote was asked six questions, of which cat was asked one alone too."""
    async with serving(tmp_path) as served:
        for number in range(6):
            status, body = await served.chat(f"What is {number}?")
            assert status == 200
            said = {"episode": body["moot"]["episode"], "answer": body["choices"][0]["message"]["content"]}
            assert (await served.post("/v1/feedback", said))[0] == 200
        await served.chat("What is 0?", "solo@cat")
    return tmp_path / "team.yaml"


def test_whoever_was_not_asked_alone_is_known_from_its_drafts(
    reported: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_app(app, ["report", str(reported), "--json"]) == 0
    figures: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert {row["player"]: row["from"] for row in figures["players"]} == {
        "ann": "drafts",
        "bob": "drafts",
        "cat": "solo and drafts",
    }


def test_a_served_strategy_has_one_name(reported: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """That under which it is asked; what serving turns on is said once."""
    assert run_app(app, ["report", str(reported), "--json"]) == 0
    figures: dict[str, Any] = json.loads(capsys.readouterr().out)
    (row,) = [row for row in figures["accuracy"] if row["strategy"] == "vote"]
    assert (row["label"], row["options"]) == ("vote", {"early_stop": True})
    assert run_app(app, ["report", str(reported), "--all"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert figures["headline"]["sentence"].split(" team")[0] in said
    assert "vote(early_stop" not in said
    assert "vote was played with early_stop=True." in said


PRICED = {
    **THREE,
    "models": {name: {**model, "price": {"prompt": 1, "completion": 1}} for name, model in THREE["models"].items()},
}


async def served_report(folder: Path, capsys: pytest.CaptureFixture[str], *since: str) -> dict[str, Any]:
    capsys.readouterr()
    command = ["report", str(folder / "team.yaml"), "--served", "--json", *since]
    assert await asyncio.to_thread(run_app, app, command) == 0
    figures: dict[str, Any] = json.loads(capsys.readouterr().out)["served"]
    return figures


@pytest.mark.parametrize("reuse", [True, False])
async def test_each_answer_counts_and_each_call_is_paid_for_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], reuse: bool
) -> None:
    """Also out of the store, and in a store where servers with and without --reuse have answered."""
    cost_usd = 0.0
    for stored in (False, reuse):
        async with serving(tmp_path, PRICED, reuse=stored) as served:
            for question, before in (("What is one?", False), ("What is one?", True), ("What is two?", False)):
                _, body = await served.chat(question)
                cost_usd += 0.0 if stored and before else body["moot"]["cost_usd"]
    figures = await served_report(tmp_path, capsys)
    assert (figures["asked"], figures["questions"]) == (6, 2)
    assert figures["cost"]["usd_per_1000"] == pytest.approx(1_000 * cost_usd / 6)


@pytest.mark.parametrize(
    ("paid", "since"),
    [
        ("UPDATE {} SET created_at = created_at - 432000", ["--since", "2d"]),
        ("UPDATE calls SET experiment = 'three', created_at = created_at - 60", []),
    ],
    ids=["earlier than is looked at", "by a run"],
)
async def test_what_was_paid_for_elsewhere_costs_nothing_here(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], paid: str, since: list[str]
) -> None:
    async with serving(tmp_path, PRICED, reuse=True) as served:
        await served.chat("What is one?")
    with closing(sqlite3.connect(tmp_path / "three.db")) as store, store:
        for table in ("calls", "episodes"):
            store.execute(paid.format(table))
    async with serving(tmp_path, PRICED, reuse=True) as served:
        await served.chat("What is one?")
        await served.live.record.flush()
        assert (await served_report(tmp_path, capsys, *since))["cost"] == {"usd_per_1000": 0.0}
        _, body = await served.chat("What is two?")
    figures = await served_report(tmp_path, capsys, *since)
    assert figures["cost"]["usd_per_1000"] == pytest.approx(1_000 * body["moot"]["cost_usd"] / figures["asked"])


@pytest.mark.parametrize(
    ("changes", "since"),
    [
        (
            (
                "UPDATE served_calls SET created_at = created_at - 300000",
                "UPDATE calls SET created_at = created_at - 260000",
            ),
            True,
        ),
        (("UPDATE calls SET experiment = 'another name that is served'",), False),
    ],
    ids=["begun before what is looked at", "in the name of another"],
)
async def test_what_was_made_while_a_question_was_answered_is_paid_by_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], changes: tuple[str, ...], since: bool
) -> None:
    async with serving(tmp_path, PRICED) as served:
        _, body = await served.chat("What is one?")
    with closing(sqlite3.connect(tmp_path / "three.db")) as store, store:
        for change in changes:
            store.execute(change)
    figures = await served_report(tmp_path, capsys, *(["--since", "2d"] if since else []))
    assert figures["cost"]["usd_per_1000"] == pytest.approx(1_000 * body["moot"]["cost_usd"])


async def test_a_team_of_a_visitor_pays_for_no_call_that_was_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with serving(tmp_path, PRICED, reuse=True) as served:
        await served.chat("What is one?")
        two = {"strategy": "vote", "players": ["ann", "bob"], "captain": "ann"}
        assert (await served.chat("What is one?", moot={"team": two}))[0] == 200
    figures = await served_report(tmp_path, capsys)
    assert [row["cost"] for row in figures["visitors_teams"]] == [{"usd_per_1000": 0.0}]


async def test_a_word_on_an_answer_out_of_the_store_is_not_on_another_teams(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with serving(tmp_path, reuse=True) as served:
        said = [(await served.chat("Which river?", name))[1]["moot"]["episode"] for name in ("three/vote", "solo@cat")]
        await reworded(served, tmp_path, dict(zip(said, ("the Nile", "the Rhine"), strict=True)))
        await served.post("/v1/feedback", {"episode": said[0], "correct": False})
        better = {"first": said[0], "second": said[1], "preferred": "second"}
        assert (await served.post("/v1/moot/preferences", better))[0] == 200
    figures = await served_report(tmp_path, capsys)
    assert {row["name"]: row["graded"]["n"] for row in figures["by_team"]} == {"three/vote": 1, "solo@cat": 0}
    assert figures["preferences"]["votes"] == 1


@pytest.fixture(params=[None, "jim"], ids=["no judge", "a judge"])
async def half_told(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str | None]:
    """Of four questions two were told what is right: something that nobody has answered."""
    judge: str | None = request.param
    models = {**THREE["models"], "jim": {"provider": "simulated", "accuracy": 1.0}}
    judged = {**THREE, "models": models, "judge": {"models": ["jim"]}}
    async with serving(tmp_path, THREE if judge is None else judged) as served:
        for number in range(4):
            _, body = await served.chat(f"What is {number}?")
            if number < 2:
                said = {"episode": body["moot"]["episode"], "answer": f"number {number}"}
                assert (await served.post("/v1/feedback", said))[0] == 200
    return tmp_path / "team.yaml", judge


def test_what_no_command_can_grade_is_told_with_what_can(
    half_told: tuple[Path, str | None], capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither a judge nor a person at `moot grade` can say what is right of the other two."""
    path, judge = half_told

    def told(command: str) -> str:
        run_app(app, [command, str(path)])
        printed = capsys.readouterr()
        return " ".join((printed.out + printed.err).split())

    feedback = "2 answers without a grade, as nobody has said what is right (POST /v1/feedback, docs/serve.md)"
    graded = told("grade")
    assert feedback in graded
    to_settle = f"for a person to decide, including drafts: moot grade {path} --settle"
    assert (to_settle in graded) is (judge is None)
    report = told("report")
    assert feedback in report
    assert "answers without a grade: moot grade" not in report
