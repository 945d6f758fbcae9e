"""A file with a cap that names no store: whatever spends under it counts in the store of its runs, however briefly it lives."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from beside import rows

from moot import load_team
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.errors import BudgetReached, StoreFull
from moot.store.sqlite import SqliteStore

sys.path.insert(0, str(Path(__file__).parent))
from billing import MAX_TOKENS, MOST_USD, Provider, priced, provider
from processes import MOOT, finish, write_questions

CAP_USD = 4 * MOST_USD
SECRET = "whom nobody else may hear of"


@pytest.fixture(autouse=True)
def no_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOOT_LOG", "off")


def team_file(folder: Path, server: Provider, **keys: Any) -> Path:
    write_questions(folder, 20)
    questions = {"file": "questions.jsonl"}
    described = {"name": "cup", "questions": questions, "models": {"ann": priced(server, "ann")}, "budget_usd": CAP_USD}
    path = folder / "cup.yaml"
    path.write_text(json.dumps({**described, **keys}))
    return path


def moot(*arguments: object) -> int:
    return run_app(app, [str(each) for each in arguments])


def asks(path: Path) -> int:
    return moot("ask", f"Who is it {SECRET}, number {time.perf_counter_ns()}?", "--team", path)


def plays(path: Path) -> int:
    return moot("play", path.with_name("questions.jsonl"), "--team", path, "--strategy", "vote", "--limit", 1)


def python_asks(path: Path) -> int:
    team = load_team(path)
    try:
        return 0 if team.ask_sync(f"Who is it {SECRET}?", strategy="solo@ann").outcome == "answered" else 1
    except BudgetReached:
        return 3
    finally:
        team.close_sync()


SPENDERS = [asks, plays, python_asks]


@pytest.mark.parametrize("spends", SPENDERS)
def test_each_time_what_was_spent_before_counts(tmp_path: Path, spends: Callable[[Path], int]) -> None:
    with provider(tokens=MAX_TOKENS, latency_s=0) as server:
        path = team_file(tmp_path, server)
        codes = [spends(path) for _ in range(5)]
        assert (codes, server.requests) == ([0, 0, 0, 0, 3], 4)
        assert server.bill_usd <= CAP_USD + 1e-9
        held = rows(tmp_path / "cup.db", "SELECT sum(held_usd) FROM accounts")
        assert held == [(pytest.approx(server.bill_usd),)], "all of it is in the books"


@pytest.mark.parametrize("spends", [asks, plays])
def test_a_run_and_what_is_asked_beside_it_share_the_cap(tmp_path: Path, spends: Callable[[Path], int]) -> None:
    with provider(tokens=MAX_TOKENS, latency_s=0) as server:
        path = team_file(tmp_path, server)
        assert (spends(path), moot("run", path, "--quiet")) == (0, 3)
        assert server.requests == 4, "one of the four was spent before the run"
        assert spends(path) == 3
        assert server.requests == 4


def test_a_play_and_a_run_at_the_same_time_share_the_cap(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with provider(tokens=MAX_TOKENS, latency_s=0.05) as server:
        path = team_file(tmp_path, server, budget_usd=6 * MOST_USD, strategies=["solo"])
        server.held = True
        questions = str(path.with_name("questions.jsonl"))
        command = [*MOOT, "play", questions, "--team", str(path), "--strategy", "vote", "--limit", "10"]
        play = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

        def let_go() -> None:
            while server.in_flight < 2 and play.poll() is None:
                time.sleep(0.01)
            server.held = False

        while play.poll() is None and not server.in_flight:
            time.sleep(0.01)
        opener = threading.Thread(target=let_go)
        opener.start()
        codes = (moot("run", path, "--quiet"), finish(play)[0])
        opener.join()
        assert codes == (3, 3)
        assert server.bill_usd == pytest.approx(6 * MOST_USD), "all of it, and no more"
        assert "of it by moot ask or moot play" in capfd.readouterr().err


def test_books_of_a_full_disk_recover_once_there_is_space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the record of a served team does; meanwhile nothing is asked."""
    monkeypatch.setattr("moot.store.ledger.AGAIN_S", 0.0)
    with provider(tokens=MAX_TOKENS, latency_s=0) as server:
        team = load_team(team_file(tmp_path, server, budget_usd=100 * MOST_USD))
        try:
            assert team.ask_sync("Who is first?", strategy="solo@ann").outcome == "answered"
            begin, full = SqliteStore._begin, threading.Event()

            def begin_unless_full(store: SqliteStore) -> None:
                if full.is_set() and store.path.name == "cup.db":
                    raise StoreFull("no space left")
                begin(store)

            monkeypatch.setattr(SqliteStore, "_begin", begin_unless_full)
            full.set()
            for number in range(2):
                with pytest.raises(StoreFull):
                    team.ask_sync(f"Who is next, {number}?", strategy="solo@ann")
            assert server.requests == 1
            full.clear()
            assert team.ask_sync("Who is last?", strategy="solo@ann").outcome == "answered"
        finally:
            team.close_sync()
        held = rows(tmp_path / "cup.db", "SELECT sum(held_usd) FROM accounts")
        assert held == [(pytest.approx(server.bill_usd),)]


@pytest.mark.parametrize("calls", [10, 20, 30])
def test_a_cap_of_so_many_calls_is_enough_for_them(tmp_path: Path, calls: int) -> None:
    """Sums of fractions may be a last digit more."""
    with provider(tokens=MAX_TOKENS, latency_s=0) as server:
        path = team_file(tmp_path, server, budget_usd=calls * MOST_USD, strategies=["solo"])
        write_questions(tmp_path, calls)
        assert moot("run", path, "--quiet") == 0
        assert server.requests == calls


@pytest.mark.parametrize("spends", [asks, plays])
def test_what_a_game_paid_is_not_told_as_calls_of_the_run_that_were_cut_off(
    tmp_path: Path, spends: Callable[[Path], int], capsys: pytest.CaptureFixture[str]
) -> None:
    with provider(tokens=MAX_TOKENS, latency_s=0) as server:
        path = team_file(tmp_path, server, budget_usd=100 * MOST_USD)
        assert (spends(path), moot("run", path, "--quiet")) == (0, 0)
        capsys.readouterr()
        assert moot("report", path, "--json") == 0
    assert json.loads(capsys.readouterr().out)["losses_usd"] == 0


@pytest.mark.parametrize("spends", SPENDERS)
def test_of_what_is_asked_not_a_word_stays(tmp_path: Path, spends: Callable[[Path], int]) -> None:
    with provider(tokens=1, latency_s=0) as server:
        assert spends(team_file(tmp_path, server)) == 0
    (books,) = tmp_path.glob("cup.db*")
    assert rows(books, "SELECT count(*) FROM calls") == [(0,)]
    assert SECRET.encode() not in books.read_bytes()


@pytest.mark.parametrize("spends", SPENDERS)
def test_who_billed_too_much_is_remembered(tmp_path: Path, spends: Callable[[Path], int]) -> None:
    with provider(tokens=2 * MAX_TOKENS, latency_s=0) as server:
        path = team_file(tmp_path, server, budget_usd=3 * MOST_USD)
        assert [spends(path) for _ in range(3)] == [0, 3, 3]
        assert server.requests == 1, "by its most there was room for another; by what it bills there is not"


def test_what_a_killed_question_had_under_way_counts_at_its_most(tmp_path: Path) -> None:
    with provider(tokens=1, latency_s=0) as server:
        path = team_file(tmp_path, server, budget_usd=1.5 * MOST_USD)
        server.held = True
        command = [*MOOT, "ask", "Who?", "--team", str(path)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while process.poll() is None and not server.in_flight:
            time.sleep(0.01)
        process.kill()
        finish(process)
        server.held = False
        assert asks(path) == 3, "the dead one may have cost it all"


def test_where_nothing_has_a_price_no_store_is_made(tmp_path: Path) -> None:
    write_questions(tmp_path, 2)
    described = {"name": "cup", "models": {"ann": {"provider": "simulated", "accuracy": 0.7}}, "budget_usd": 1.0}
    path = tmp_path / "cup.yaml"
    path.write_text(json.dumps(described))
    assert [spends(path) for spends in SPENDERS] == [0, 0, 0]
    assert not list(tmp_path.glob("*.db*"))
