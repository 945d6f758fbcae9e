"""A call that went out and brought no reply costs nobody knows what where its model has no price: nowhere is it told as none."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from billing import Provider, priced, provider

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.experiment.spec import read_experiment
from moot.live.team import LiveTeam

QUESTIONS = 4


def unpriced(server: Provider, name: str) -> dict[str, Any]:
    return {key: value for key, value in priced(server, name).items() if key != "price"}


def experiment(folder: Path, models: dict[str, Any], **keys: Any) -> Path:
    rows = [{"id": f"q{number}", "text": f"Which is number {number}?", "answer": "x"} for number in range(QUESTIONS)]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)))
    path = folder / "cup.yaml"
    path.write_text(json.dumps({"name": "cup", "questions": {"file": "questions.jsonl"}, "models": models, **keys}))
    return path


def told(capsys: pytest.CaptureFixture[str], *command: str | Path) -> str:
    capsys.readouterr()
    assert run_app(app, [str(word) for word in command]) == 0
    return " ".join(capsys.readouterr().out.split())


def figures_of(capsys: pytest.CaptureFixture[str], *command: str | Path) -> Any:
    capsys.readouterr()
    assert run_app(app, [*(str(word) for word in command), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_run_whose_unpriced_calls_were_all_cut_off_has_an_unknown_bill(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with provider(latency_s=0.0) as server:
        server.cut = 1000
        path = experiment(
            tmp_path, {"ann": {**unpriced(server, "ann"), "retries": {"attempts": 1}}}, strategies=["solo"]
        )
        run_app(app, ["run", str(path)])
        ended = capsys.readouterr()
    assert "unknown" in ended.err, "the line of the run"
    assert "$0" not in ended.err
    report = figures_of(capsys, "report", path)
    assert (report["bill_usd"], report["losses_usd"], report["losses_unknown"]) == (None, None, QUESTIONS)
    (row,) = report["accuracy"]
    assert row["cost_usd"] is None
    assert row["usd_per_question"] is None
    ((run,),) = (held["runs"] for held in figures_of(capsys, "runs", path))
    watched = figures_of(capsys, "watch", path)
    for tells in (run, watched):
        assert (tells["bill_usd"], tells["losses_usd"], tells["losses_unknown"]) == (None, None, QUESTIONS)
    for command in (["runs"], ["watch", "--once"], ["report", "--all"]):
        said = told(capsys, command[0], path, *command[1:])
        assert "unknown" in said or "not known" in said, command
        assert "$0" not in said, command
        assert "at most $" not in said, command
        assert "nothing spent" not in said, command
    page = tmp_path / "page.html"
    told(capsys, "report", path, "-o", page)
    assert "no cost" not in page.read_text(encoding="utf-8")


def test_what_was_paid_beside_it_is_told_and_no_bound_is_claimed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with provider(latency_s=0.0) as server:
        server.says = {"ann": {"answer": "x"}}
        models = {"ann": priced(server, "ann"), "bob": {**unpriced(server, "bob"), "retries": {"attempts": 1}}}
        server.slow = frozenset({"bob"})
        models["bob"]["timeout_s"] = 0.2
        path = experiment(
            tmp_path,
            models,
            teams={"two": {"players": ["ann", "bob"], "captain": "ann"}},
            strategies=["solo", "talkative"],
        )
        run_app(app, ["run", str(path)])
        ended = capsys.readouterr()
        server.slow = frozenset()
    assert "more that nobody knows" in ended.err
    report = figures_of(capsys, "report", path)
    assert report["bill_usd"] > 0
    assert report["losses_usd"] is None
    rows = {row.get("player") or row["label"]: row for row in report["accuracy"]}
    assert rows["ann"]["cost_usd"] > 0, "who has a price keeps its cost"
    assert rows["bob"]["cost_usd"] is None
    assert rows["talkative"]["cost_usd"] is None, "a team whose unpriced player brought no reply"
    assert rows["talkative"]["usd_per_question"] is None
    for command in (["runs"], ["watch", "--once"], ["report", "--all"]):
        said = told(capsys, command[0], path, *command[1:])
        assert "at most $" not in said, command
        assert "more that nobody knows" in said, command


async def served_late(path: Path, server: Provider, deadline_s: float | None = 0.3) -> Any:
    async with LiveTeam(read_experiment(path, with_questions=False), serving=True) as live:
        heard: list[float | None] = []
        live.on_cost = lambda usd, call: heard.append(usd)
        question = live_question(live)
        asked = await live.play(question, deadline_s=deadline_s)
        server.slow = frozenset()
    return asked, heard


def live_question(live: LiveTeam) -> Any:
    from moot.live.asked_question import question_of

    return question_of("Which is it?", (), live.experiment.spec.language)


@pytest.mark.parametrize("one_priced", [False, True], ids=["no prices", "mixed prices"])
async def test_a_served_question_whose_calls_were_cut_off(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], one_priced: bool
) -> None:
    with provider(latency_s=0.0) as server:
        server.slow = frozenset({"ann", "bob"})
        models = {"ann": (priced if one_priced else unpriced)(server, "ann"), "bob": unpriced(server, "bob")}
        path = experiment(
            tmp_path,
            models,
            teams={"two": {"players": ["ann", "bob"], "captain": "ann"}},
            strategies=["talkative"],
        )
        asked, heard = await served_late(path, server)
    assert asked.cost_usd is None
    assert heard.count(None) == 2 - one_priced, "of each such call the figures of a server hear, without a sum"
    assert len(heard) == 2
    with closing(sqlite3.connect(tmp_path / "cup.db")) as books:
        assert books.execute("SELECT sum(calls) FROM unpriced_losses").fetchone() == (2 - one_priced,)
    served = (await asyncio.to_thread(figures_of, capsys, "report", path, "--served"))["served"]
    assert served["cost"]["usd_per_1000"] is None
    assert served["losses_usd"] is None
    assert served["losses_unknown"] == 2 - one_priced
    assert served["by_day"][0]["cost"]["usd_per_1000"] is None
    said = await asyncio.to_thread(told, capsys, "report", path, "--served")
    assert "cost nothing" not in said
    assert "At most $" not in said
    assert "what it cost is not known" in said
    page = tmp_path / "served.html"
    await asyncio.to_thread(told, capsys, "report", path, "--served", "-o", page)
    assert "no cost" not in page.read_text(encoding="utf-8")
    runs = await asyncio.to_thread(told, capsys, "runs", path)
    assert "unknown" in runs
    assert "at most $" not in runs


async def test_one_unpriced_player_who_is_late_makes_the_cost_unknown(tmp_path: Path) -> None:
    with provider(latency_s=0.0) as server:
        server.slow = frozenset({"cat"})
        models = {"ann": priced(server, "ann"), "bob": priced(server, "bob"), "cat": unpriced(server, "cat")}
        path = experiment(
            tmp_path,
            models,
            teams={"three": {"players": ["ann", "bob", "cat"], "captain": "ann"}},
            strategies=["vote"],
        )
        asked, heard = await served_late(path, server, deadline_s=None)
        assert asked.verdict.answer == "x", "a settled vote waits for nobody more"
        assert asked.cost_usd is None
        assert heard.count(None) == 1


async def test_of_priced_players_the_cost_is_known_as_before(tmp_path: Path) -> None:
    with provider(latency_s=0.0) as server:
        path = experiment(
            tmp_path,
            {name: priced(server, name) for name in ("ann", "bob")},
            teams={"two": {"players": ["ann", "bob"], "captain": "ann"}},
            strategies=["talkative"],
        )
        asked, heard = await served_late(path, server, deadline_s=None)
        assert asked.cost_usd == pytest.approx(0.03)
        assert None not in heard


async def test_who_leaves_in_the_middle_leaves_an_unknown_loss(tmp_path: Path) -> None:
    with provider(latency_s=0.0) as server:
        server.slow = frozenset({"ann", "bob"})
        path = experiment(
            tmp_path,
            {name: unpriced(server, name) for name in ("ann", "bob")},
            teams={"two": {"players": ["ann", "bob"], "captain": "ann"}},
            strategies=["talkative"],
        )
        async with LiveTeam(read_experiment(path, with_questions=False), serving=True) as live:
            heard: list[float | None] = []
            live.on_cost = lambda usd, call: heard.append(usd)
            asking = asyncio.create_task(live.play(live_question(live)))
            while server.in_flight < 2:  # noqa: ASYNC110  said by another thread
                await asyncio.sleep(0.01)
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
            server.slow = frozenset()
        assert heard == [None, None]


async def test_what_never_left_costs_nothing(tmp_path: Path) -> None:
    """A connection that nobody takes is on no bill."""
    with provider(latency_s=0.0) as server:
        model = {**unpriced(server, "ann"), "base_url": "http://127.0.0.1:9/v1", "retries": {"attempts": 1}}
        path = experiment(tmp_path, {"ann": model}, strategies=["solo"])
        async with LiveTeam(read_experiment(path, with_questions=False), serving=True) as live:
            heard: list[float | None] = []
            live.on_cost = lambda usd, call: heard.append(usd)
            asked = await live.play(live_question(live))
        assert heard == []
        assert asked.cost_usd == 0.0
