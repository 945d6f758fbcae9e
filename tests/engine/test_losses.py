"""What may be on the bill without a reply is in the books and beside the bill, with a budget and without."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from billing import MOST_USD, PRICE, Provider, priced, provider

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.experiment.spec import read_experiment
from moot.live.team import LiveTeam
from moot.report.stored_runs import size_words

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
    assert f"and {more} for calls without a reply" in ended.err, "the line of the run"
    assert more in " ".join(ended.out.split()), "and how it ends"
    assert run_app(app, ["report", str(path), "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["losses_usd"] == pytest.approx(CUT * MOST_USD)
    assert figures["bill_usd"] < billed_usd <= figures["bill_usd"] + figures["losses_usd"]
    assert run_app(app, ["report", str(path), "-o", str(tmp_path / "page.html")]) == 0
    capsys.readouterr()
    assert run_app(app, ["report", str(path), "--all"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert f"Paid: $0.080, and {more}, for calls without a reply." in said
    told = f"$0.080, {more} for calls without a reply"
    assert told in (tmp_path / "page.html").read_text(encoding="utf-8")
    spent = f"$0.080 of $5.000 spent, {more}" if budget else f"$0.080 spent, {more}"
    assert run_app(app, ["runs", str(path)]) == 0
    assert f"$0.080 spent, {more} for calls without a reply" in " ".join(capsys.readouterr().out.split())
    assert run_app(app, ["watch", str(path), "--once"]) == 0
    assert f"{spent} for calls without a reply" in " ".join(capsys.readouterr().out.split())
    assert run_app(app, ["runs", str(path), "--json"]) == 0
    ((row,),) = (held["runs"] for held in json.loads(capsys.readouterr().out))
    assert run_app(app, ["watch", str(path), "--json"]) == 0
    for tells in (row, json.loads(capsys.readouterr().out)):
        assert (tells["bill_usd"], tells["losses_usd"]) == (figures["bill_usd"], figures["losses_usd"])


def test_a_call_that_was_answered_with_an_error_was_not_cut_off(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Gateways hand on what befell them with the status 200: the body comes whole, and a reply is not in it."""
    with provider(latency_s=0.0) as server:
        server.first = {"error": {"code": 502, "message": "upstream died"}}
        path = experiment(tmp_path, server, strategies=["solo"])
        assert run_app(app, ["run", str(path)]) == 0
    ended = capsys.readouterr()
    more = f"at most ${MOST_USD:.3f} more"
    assert f"Paid: $0.080, and {more}, for calls without a reply." in " ".join(ended.out.split())
    assert run_app(app, ["runs", str(path)]) == 0
    said = ended.out + ended.err + capsys.readouterr().out
    assert "cut off" not in said


def test_where_nothing_was_lost_nothing_is_said_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with provider(latency_s=0.0) as server:
        path = experiment(tmp_path, server, strategies=["solo"])
        assert run_app(app, ["run", str(path)]) == 0
    assert "more" not in capsys.readouterr().err
    run_app(app, ["report", str(path), "--json"])
    assert json.loads(capsys.readouterr().out)["losses_usd"] == 0
    for command in (["runs"], ["watch", "--once"]):
        assert run_app(app, [*command, str(path)]) == 0
        assert "more" not in capsys.readouterr().out


async def test_a_vote_that_stopped_early_has_lost_what_it_did_not_wait_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with provider(latency_s=0.0) as server:
        server.slow = frozenset({"cat"})
        path = experiment(tmp_path, server, ("ann", "bob", "cat"), strategies=["vote"])
        async with LiveTeam(read_experiment(path, with_questions=False), serving=True) as live:
            heard: list[float] = []
            live.on_cost = lambda usd, call: heard.append(usd)
            verdict = await live.ask("Which is it?")
            server.slow = frozenset()
        assert verdict.answer == "x"
        assert heard.count(pytest.approx(MOST_USD)) == 1, (
            "what counts money beside the store hears of it without a cap too"
        )
    with closing(sqlite3.connect(tmp_path / "cup.db")) as books:
        assert books.execute("SELECT count(*) FROM calls").fetchone() == (2,)
        assert books.execute("SELECT usd FROM losses").fetchall() == [(pytest.approx(MOST_USD),)]
    more = f"at most ${MOST_USD:.3f} more"
    said = await asyncio.to_thread(told_of_served, path, capsys)
    assert f"{more.capitalize()} may be on the bill, for calls without a reply or not kept" in said["report"]
    assert f"$0.020 spent, {more} for calls without a reply or not kept" in said["runs"]
    assert f"{more} for calls without a reply or not kept" in said["page"]


def told_of_served(path: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    said = {}
    for name, command in (("runs", ["runs", str(path)]), ("report", ["report", str(path), "--served"])):
        assert run_app(app, command) == 0
        said[name] = " ".join(capsys.readouterr().out.split())
    page = path.with_name("served.html")
    assert run_app(app, ["report", str(path), "--served", "-o", str(page)]) == 0
    capsys.readouterr()
    return {**said, "page": page.read_text(encoding="utf-8")}


STATED_USD = 0.02
PRICES: dict[str, Any] = {"no price": None, "free by the file": {"prompt": 0, "completion": 0}, "a price": PRICE}


def stated_bill(
    folder: Path, server: Provider, capsys: pytest.CaptureFixture[str], *, cap_usd: float | None = None, **model: Any
) -> float:
    """What a run of one question states of its bill, where all that comes is failures with a bill."""
    path = experiment(folder, server, strategies=["solo"], **({} if cap_usd is None else {"budget_usd": cap_usd}))
    file = json.loads(path.read_text())
    file["models"]["ann"] = {key: value for key, value in (file["models"]["ann"] | model).items() if value is not None}
    path.write_text(json.dumps(file))
    run_app(app, ["run", str(path), "--limit", "1", "--quiet"])
    capsys.readouterr()
    assert run_app(app, ["report", str(path), "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    return float(figures["losses_usd"] + (figures["bill_usd"] or 0.0))


@pytest.mark.parametrize("price", PRICES.values(), ids=PRICES)
@pytest.mark.parametrize(
    ("kind", "attempts", "counts"),
    [("500", 1, {"prompt_tokens": 10, "completion_tokens": 100}), ("error", 2, {"prompt_tokens": 10}), ("429", 2, {})],
    ids=["tokens", "half of the tokens", "money alone"],
)
def test_a_bill_that_a_failure_states_counts_with_a_price_and_without(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str, attempts: int, price: Any, counts: dict[str, int]
) -> None:
    with provider(latency_s=0.0) as server:
        server.fails_by, server.usage, server.stated_usd = kind, counts, STATED_USD
        stated_usd = stated_bill(tmp_path, server, capsys, price=price, retries={"attempts": attempts, "total_s": 20})
        assert server.requests == attempts
    assert stated_usd == pytest.approx(attempts * STATED_USD)


@pytest.mark.parametrize("price", [None, PRICE], ids=["no price", "a price"])
@pytest.mark.parametrize(
    "words",
    [
        "Unsupported parameter: 'temperature' is not supported with this model.",
        "response_format of type json_schema is not supported",
        "The prompt was filtered due to the content policy",
    ],
)
def test_so_does_that_of_a_refusal(tmp_path: Path, capsys: pytest.CaptureFixture[str], words: str, price: Any) -> None:
    """Whatever would be asked again in a lesser way within one attempt, or is a reply of a filter."""
    with provider(latency_s=0.0) as server:
        server.fails_by, server.fails_saying, server.usage, server.stated_usd = "400", words, {}, STATED_USD
        assert stated_bill(tmp_path, server, capsys, price=price) == pytest.approx(server.bill_usd)
        assert server.requests >= 1


@pytest.mark.parametrize("price", [PRICES["free by the file"], PRICE], ids=["free by the file", "a price"])
def test_and_the_cap_holds_with_it(tmp_path: Path, capsys: pytest.CaptureFixture[str], price: Any) -> None:
    with provider(latency_s=0.0) as server:
        server.fails_by, server.usage, server.stated_usd = "500", {"prompt_tokens": 10}, STATED_USD
        patient = {"attempts": 9, "total_s": 20}
        stated_usd = stated_bill(tmp_path, server, capsys, cap_usd=3.5 * STATED_USD, price=price, retries=patient)
        assert stated_usd == pytest.approx(server.bill_usd)
        assert 1 <= server.requests <= 3


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"state": "done", "bill_usd": 0.0}, "nothing spent, at most $1.25 more for calls without a reply"),
        (
            {"state": "done", "bill_usd": None},
            "cost unknown, at most $1.25 more for calls without a reply or not counted",
        ),
        (
            {"state": "running", "bill_usd": 0.5},
            "$0.50 spent, at most $1.25 more for calls under way or without a reply",
        ),
        ({"state": "asked", "bill_usd": 0.5}, "$0.50 spent, at most $1.25 more for calls without a reply or not kept"),
    ],
)
def test_whose_losses_they_are_is_said(row: dict[str, Any], words: str) -> None:
    counted = {"questions": 9, "episodes": 9, "failed": 0, "missing": 0, "simulated": False, "losses_usd": 1.25}
    assert size_words({**counted, **row}) == f"9 questions, 9 episodes, {words}"
