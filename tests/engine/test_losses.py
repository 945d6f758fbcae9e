"""What may be on the bill without a reply is in the books and beside the bill, with a budget and without."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from billing import MOST_USD, Provider, priced, provider

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.experiment.spec import read_experiment
from moot.live.team import LiveTeam

CUT = 3
QUESTIONS = 8


def experiment(folder: Path, server: Provider, names: tuple[str, ...] = ("ann",), **keys: Any) -> Path:
    rows = [{"id": f"q{number}", "text": f"Which is number {number}?", "answer": "x"} for number in range(QUESTIONS)]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)))
    models = {name: priced(server, name) for name in names}
    path = folder / "cup.yaml"
    path.write_text(json.dumps({"name": "cup", "questions": {"file": "questions.jsonl"}, "models": models, **keys}))
    return path


@pytest.mark.parametrize("budget", [{}, {"budget_usd": 5}], ids=["without a budget", "with a budget"])
def test_what_was_cut_off_stands_beside_the_bill(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], budget: dict[str, float]
) -> None:
    with provider(latency_s=0.0) as server:
        server.cut = CUT
        path = experiment(tmp_path, server, strategies=["solo"], **budget)
        assert run_app(app, ["run", str(path)]) == 0
        ended = capsys.readouterr()
        assert server.requests == QUESTIONS + CUT
        billed_usd = server.bill_usd
    more = f"at most ${CUT * MOST_USD:.2f} more"
    assert f"and {more} for calls cut off" in ended.err, "the line of the run"
    assert more in " ".join(ended.out.split()), "and how it ends"
    assert run_app(app, ["report", str(path), "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["losses_usd"] == pytest.approx(CUT * MOST_USD)
    assert figures["bill_usd"] < billed_usd <= figures["bill_usd"] + figures["losses_usd"]
    assert run_app(app, ["report", str(path), "-o", str(tmp_path / "page.html")]) == 0
    capsys.readouterr()
    assert run_app(app, ["report", str(path), "--all"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert f"Paid: $0.080, and {more}, for calls that were cut off." in said
    assert f"$0.080, {more} for calls cut off" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_where_nothing_was_lost_nothing_is_said_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with provider(latency_s=0.0) as server:
        path = experiment(tmp_path, server, strategies=["solo"])
        assert run_app(app, ["run", str(path)]) == 0
    assert "more" not in capsys.readouterr().err
    run_app(app, ["report", str(path), "--json"])
    assert json.loads(capsys.readouterr().out)["losses_usd"] == 0


async def test_a_vote_that_stopped_early_has_lost_what_it_did_not_wait_for(tmp_path: Path) -> None:
    with provider(latency_s=0.0) as server:
        server.slow = frozenset({"cat"})
        path = experiment(tmp_path, server, ("ann", "bob", "cat"), strategies=["vote"])
        async with LiveTeam(read_experiment(path, with_questions=False), serving=True) as live:
            verdict = await live.ask("Which is it?")
            server.slow = frozenset()
        assert verdict.answer == "x"
    with closing(sqlite3.connect(tmp_path / "cup.db")) as books:
        assert books.execute("SELECT count(*) FROM calls").fetchone() == (2,)
        assert books.execute("SELECT usd FROM losses").fetchall() == [(pytest.approx(MOST_USD),)]
