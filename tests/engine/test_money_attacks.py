"""Attacks on the cap and on "a call is made once": kills with calls in flight, two runs at once, a provider that overcharges."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from beside import rows

from moot.store.earlier_bills import LOOK_S, PriceList
from moot.store.ledger import Ledger
from moot.store.sqlite import SqliteStore
from moot.types import Price

sys.path.insert(0, str(Path(__file__).parent))
from billing import MAX_TOKENS, MOST_USD, Provider, priced, provider
from processes import MOOT, finish, write_questions

CAP_USD = 1.0
AT_ONCE = 16


def experiment(
    folder: Path, server: Provider, *, concurrent: int = AT_ONCE, models: tuple[str, ...] = ("ann",), **keys: Any
) -> Path:
    described = {
        "name": "cup",
        "questions": {"file": "questions.jsonl"},
        "models": {name: {**priced(server, name), "limits": {"concurrent": concurrent}} for name in models},
        **keys,
    }
    path = folder / "cup.yaml"
    path.write_text(json.dumps(described))
    return path


def start(path: Path, *options: str) -> subprocess.Popen[str]:
    command = [*MOOT, "run", str(path), "--quiet", *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def kill_with_calls_in_flight(process: subprocess.Popen[str], server: Provider) -> None:
    """As soon as the provider is at work on many; or it has ended by itself, because the cap is reached."""
    while process.poll() is None and server.in_flight < AT_ONCE // 2:
        time.sleep(0.01)
    process.kill()
    finish(process)
    while server.in_flight:
        time.sleep(0.01)


def booked_usd(path: Path) -> float:
    """What the store says was spent, or may have been."""
    tables = ("SELECT sum(cost_usd) FROM calls", "SELECT sum(usd) FROM losses", "SELECT sum(usd) FROM reservations")
    return sum(rows(path.with_suffix(".db"), sql)[0][0] or 0.0 for sql in tables)


def test_killed_again_and_again_with_calls_in_flight(tmp_path: Path) -> None:
    write_questions(tmp_path, 200)
    with provider(tokens=MAX_TOKENS, latency_s=0.6) as server:
        path = experiment(tmp_path, server, budget_usd=CAP_USD)
        for _ in range(3):
            kill_with_calls_in_flight(start(path), server)
        code, error = finish(start(path))
        assert server.requests >= AT_ONCE, "the kills came while there was something to lose"
        assert server.bill_usd <= CAP_USD + 1e-9
        assert server.bill_usd <= booked_usd(path) + 1e-9, "nothing on the bill is missing in the books"
        assert code == 3
        assert re.search(r"the budget of \$1\.00* is reached", error)


def test_two_runs_on_one_store_share_the_cap(tmp_path: Path) -> None:
    write_questions(tmp_path, 200)
    with provider(tokens=MAX_TOKENS, latency_s=0.2) as server:
        path = experiment(tmp_path, server, budget_usd=CAP_USD)
        both = [start(path), start(path)]
        codes = [finish(process)[0] for process in both]
        assert server.bill_usd <= CAP_USD + 1e-9
        assert server.bill_usd == pytest.approx(booked_usd(path)), "each one's spending is on record"
        assert server.bill_usd > 0.9 * CAP_USD, "and the cap is used"
        assert codes == [3, 3]


def test_a_provider_that_bills_more_than_it_was_allowed_is_believed_and_stops_the_run(tmp_path: Path) -> None:
    write_questions(tmp_path, 200)
    with provider(tokens=14 * MAX_TOKENS) as server:
        path = experiment(tmp_path, server, budget_usd=CAP_USD)
        code, error = finish(start(path))
        assert server.requests == 1, "the next could cross the cap, as the first has shown"
        assert server.bill_usd == pytest.approx(14 * MOST_USD)
        assert booked_usd(path) == pytest.approx(server.bill_usd)
        assert code == 3
        assert "ann" in error
        assert "billed $0.700 for a call that could cost $0.05" in error
        assert rows(path.with_suffix(".db"), "SELECT state FROM runs") == [("budget",)]
        shown = subprocess.run(
            [*MOOT, "report", str(path), "--json"], capture_output=True, text=True, check=True
        ).stdout
        (facts,) = json.loads(shown)["runs"]
        assert facts["overbilled"]["ann"]["calls"] == 1


@pytest.mark.parametrize("processes", [1, 2])
def test_who_waits_for_room_is_held_by_what_was_billed_meanwhile(tmp_path: Path, processes: int) -> None:
    """The first bill is right and the second five times what a call could cost, while many wait for room under the cap."""
    write_questions(tmp_path, 200)
    with provider(tokens=1) as server:
        server.dearer = 5 * MAX_TOKENS
        path = experiment(tmp_path, server, concurrent=100, budget_usd=CAP_USD)
        ended = [finish(each) for each in [start(path) for _ in range(processes)]]
        assert server.bill_usd <= CAP_USD
        assert server.requests > 20, "those that had room at what was known"
        assert [code for code, _ in ended] == [3] * processes
        assert any("the next call could cost $0.25" in error for _, error in ended)


@pytest.mark.parametrize("how", ["by its tokens", "by a statement", "in a failure"])
def test_what_was_billed_too_much_is_remembered_by_the_next_process(tmp_path: Path, how: str) -> None:
    write_questions(tmp_path, 20)
    with provider(tokens=1 if how == "by a statement" else 4 * MAX_TOKENS) as server:
        server.stated_usd = 4 * MOST_USD if how == "by a statement" else None
        server.fails_as = {"choices": [FAILED_CHOICE]} if how == "in a failure" else None
        path = experiment(tmp_path, server, budget_usd=6 * MOST_USD)
        for _ in range(3):
            code, error = finish(start(path))
            assert code == 3
            assert server.requests == 1, "the next could cross the cap, whoever makes it"
            assert "the next call could cost $0.2" in error
        path = experiment(tmp_path, server, budget_usd=9 * MOST_USD)
        finish(start(path))
        assert server.requests == 2, "and goes where there is room for it"


@pytest.mark.parametrize("party", [None, "ours"])
async def test_what_another_process_was_billed_meanwhile_is_believed(tmp_path: Path, party: str | None) -> None:
    """Of the same model at the same address and price; of another nothing is known."""
    listed = PriceList(Price(0.0, 100.0), "http://here/v1")
    elsewhere, dearer = replace(listed, address="http://elsewhere/v1"), replace(listed, price=Price(0.0, 200.0))
    async with opened(tmp_path) as other_store, opened(tmp_path) as store:
        for joined in (other_store, store):
            await joined.join(party)
        other = await Ledger.opened(other_store, "cup", 1.0, lists={"ann": listed, "bob": elsewhere, "cat": dearer})
        ledger = await Ledger.opened(store, "cup", 1.0, lists={"ann": listed, "bob": listed, "cat": listed})
        assert dict(ledger.billed_before) == {}
        for model, times in (("ann", 3.0), ("ann", 2.0), ("bob", 4.0), ("cat", 5.0)):
            other.overcharged(model, 0.1, 0.1 * times, times)
        async with asyncio.timeout(20):
            while not ledger.billed_before:
                await asyncio.sleep(LOOK_S)
                await ledger.look_around()
        assert dict(ledger.billed_before) == {"ann": pytest.approx(3.0)}


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[SqliteStore]:
    store = SqliteStore(folder / "cup.db")
    await store.open()
    try:
        yield store
    finally:
        await store.close()


def test_the_bill_of_one_model_says_nothing_of_another_at_the_same_address(tmp_path: Path) -> None:
    """An aggregator with one model that ignores max_tokens: the honest one's bill, which comes first, does not vouch for it."""
    write_questions(tmp_path, 25)
    with provider(tokens=MAX_TOKENS // 50, latency_s=0.2) as server:
        server.overbilling = {"bob": 14 * MAX_TOKENS}
        path = experiment(tmp_path, server, models=("ann", "bob"), budget_usd=CAP_USD)
        code, error = finish(start(path))
        assert code == 3
        assert "bob billed $0.700 for a call that could cost $0.05" in error
        assert server.asked_of["bob"] == 1, "the first goes alone, whatever others have billed"
        assert server.bill_usd <= CAP_USD


def test_a_call_that_failed_is_no_bill(tmp_path: Path) -> None:
    """A model that is loaded when it is first asked for: the next call is as much the first as this one was."""
    write_questions(tmp_path, 30)
    with provider(tokens=14 * MAX_TOKENS, latency_s=0.2) as server:
        server.loading = 1
        path = experiment(tmp_path, server, budget_usd=CAP_USD)
        code, _ = finish(start(path))
        assert code == 3
        assert server.asked_of["ann"] == 1
        assert server.bill_usd == pytest.approx(booked_usd(path)) == pytest.approx(14 * MOST_USD)


FAILED_CHOICE = {"message": {"content": None}, "finish_reason": "error"}


def test_a_bill_in_a_reply_that_failed_is_believed_and_stops_the_run(tmp_path: Path) -> None:
    write_questions(tmp_path, 30)
    with provider(tokens=14 * MAX_TOKENS, latency_s=0.1) as server:
        server.fails_as = {"choices": [FAILED_CHOICE]}
        path = experiment(tmp_path, server, budget_usd=CAP_USD)
        code, error = finish(start(path))
        assert code == 3
        assert server.requests == 1, "the next could cross the cap, as the first has shown"
        assert "billed $0.700 for a call that could cost $0.05" in error
        assert rows(path.with_suffix(".db"), "SELECT sum(usd) FROM losses") == [(pytest.approx(14 * MOST_USD),)]


@pytest.mark.parametrize("status", [400, 429])
def test_refusals_inside_a_success_that_are_billed_are_in_the_books(tmp_path: Path, status: int) -> None:
    """An honest endpoint: what it worked on before it refused is as little as it says, and counts under the cap."""
    write_questions(tmp_path, 12)
    with provider(tokens=MAX_TOKENS // 2, latency_s=0.0) as server:
        server.fails_as = {"error": {"code": status, "message": "no"}, "choices": [FAILED_CHOICE]}
        path = experiment(tmp_path, server, budget_usd=4 * MOST_USD)
        code, _ = finish(start(path))
        assert code == 3
        assert server.bill_usd == pytest.approx(booked_usd(path))
        assert 2 * MOST_USD < server.bill_usd <= 4 * MOST_USD + 1e-9


@pytest.mark.parametrize("budget_usd", [None, 100.0], ids=["no cap", "a cap far away"])
def test_two_runs_at_once_ask_everything_once(tmp_path: Path, budget_usd: float | None) -> None:
    write_questions(tmp_path, 120)
    with provider(latency_s=0.2) as server:
        path = experiment(tmp_path, server, concurrent=8, **({"budget_usd": budget_usd} if budget_usd else {}))
        first = start(path)
        while server.requests < 10:
            time.sleep(0.01)
        second = start(path)
        assert finish(first) == finish(second) == (0, "")
        assert server.requests == len(server.asked) == 120
        assert len(rows(path.with_suffix(".db"), "SELECT 1 FROM episodes")) == 120
        assert booked_usd(path) == pytest.approx(server.bill_usd)
        assert not rows(path.with_suffix(".db"), "SELECT 1 FROM claims UNION ALL SELECT 1 FROM reservations")


def test_what_a_killed_run_was_asking_is_taken_over_by_the_other(tmp_path: Path) -> None:
    write_questions(tmp_path, 150)
    with provider() as server:
        server.held = True  # the first has calls under way, however long the second takes to begin
        path = experiment(tmp_path, server, concurrent=8)
        first = start(path)
        while server.requests < 8:
            time.sleep(0.01)
        second = start(path)
        while len(rows(path.with_suffix(".db"), "SELECT 1 FROM holders WHERE claiming = 1")) < 2:
            time.sleep(0.05)
        first.send_signal(signal.SIGKILL)
        finish(first)
        server.held = False
        assert finish(second) == (0, "")
        again = sum(times - 1 for times in server.asked.values())
        assert again <= 2 * 8, "only what was under way is asked again"
        assert len(rows(path.with_suffix(".db"), "SELECT 1 FROM episodes WHERE outcome <> 'failed'")) == 150
