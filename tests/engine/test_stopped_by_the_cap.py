"""A cap that stops one question drops nothing that is paid for: calls that have left come home, are kept and are in the books."""

from __future__ import annotations

import asyncio
import gc
import json
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import pytest
from beside import rows
from billing import MOST_USD, PRICE, Provider, priced, provider

from moot import load_team
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.errors import BudgetReached, MootError

sys.path.insert(0, str(Path(__file__).parent))
from processes import MOOT, finish

CHEAP = 0.1
"""How many times as dear as others the calls of bob and cat are. So they go on where those of ann do not."""


def team_file(folder: Path, server: Provider, **keys: Any) -> Path:
    cheap = {"prompt": 0.0, "completion": CHEAP * PRICE["completion"]}
    models = {"ann": priced(server, "ann")} | {
        name: {**priced(server, name), "price": cheap} for name in ("bob", "cat")
    }
    team = {"all": {"players": list(models), "captain": "bob"}}
    described = {"name": "cup", "models": models, "teams": team, "strategies": ["vote"], "budget_usd": 0.99 * MOST_USD}
    path = folder / "cup.yaml"
    path.write_text(json.dumps({**described, **keys}))
    return path


def check_books(folder: Path, server: Provider, *, kept: bool = True) -> None:
    """Whatever was paid for is there, at what it cost; nothing is guessed at its most, and nothing is under way."""
    books = folder / "cup.db"
    assert rows(books, "SELECT count(*) FROM reservations") == [(0,)]
    paid_usd = server.requests * server.tokens * CHEAP * PRICE["completion"] / 1e6
    assert rows(books, "SELECT sum(held_usd) FROM accounts") == [(pytest.approx(paid_usd),)]
    if kept:
        assert rows(books, "SELECT count(*) FROM calls") == [(server.requests,)]
        assert rows(books, "SELECT count(*) FROM losses") == [(0,)]


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOOT_LOG", "off")


async def first_failure(path: Path, strategy: str | None, questions: int = 4) -> None:
    async with load_team(path) as team:
        await asyncio.gather(*(team.ask(f"Which is number {each}?", strategy=strategy) for each in range(questions)))


@pytest.mark.parametrize("store", [{"store": "sqlite:///cup.db"}, {}], ids=["kept", "not kept"])
@pytest.mark.parametrize("tokens", [500, 300], ids=["to the most", "less than the most"])
def test_questions_asked_at_once(tmp_path: Path, store: dict[str, str], tokens: int) -> None:
    with provider(tokens=tokens, latency_s=0.1) as server, warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with pytest.raises(BudgetReached):
            asyncio.run(first_failure(team_file(tmp_path, server, **store), None))
        gc.collect()
        check_books(tmp_path, server, kept=bool(store))
        assert server.in_flight == 0
    assert [each for each in told if issubclass(each.category, ResourceWarning) and "client" in str(each.message)] == []


@pytest.mark.parametrize("strategy", ["vote", "debate", "council", "peer-review", "discuss"])
def test_every_way_to_ask_at_once(tmp_path: Path, strategy: str) -> None:
    with provider(tokens=500, latency_s=0.03) as server:
        path = team_file(tmp_path, server, strategies=[strategy], store="sqlite:///cup.db")
        with pytest.raises(BudgetReached):
            asyncio.run(first_failure(path, None, questions=3))
        check_books(tmp_path, server)


def test_the_command_shows_what_was_paid_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with provider(tokens=500, latency_s=0.1) as server:
        path = team_file(tmp_path, server, store="sqlite:///cup.db")
        assert run_app(app, ["ask", "Which is it?", "--team", str(path)]) == 3
        assert server.requests == 2
        check_books(tmp_path, server)
    told = capsys.readouterr().err
    assert "the budget of" in told
    assert "bob" in told, "what the others said, who were paid"


def test_processes_that_ask_at_once(tmp_path: Path) -> None:
    with provider(tokens=500, latency_s=0.3) as server:
        path = team_file(tmp_path, server, store="sqlite:///cup.db")
        command = [*MOOT, "ask", "--team", str(path)]
        asked = [
            subprocess.Popen([*command, f"Number {each}?"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for each in range(2)
        ]
        ended = [finish(process) for process in asked]
        check_books(tmp_path, server)
    assert not [each for each in ended if "Unclosed" in str(each) or "Traceback" in str(each)]


async def test_a_team_that_is_closed_under_a_question_says_so(tmp_path: Path) -> None:
    with provider(tokens=100, latency_s=0.2) as server:
        path = team_file(tmp_path, server, store="sqlite:///cup.db", strategies=["council"])
        team = load_team(path)
        asked = asyncio.create_task(team.ask("Which is it?"))
        until = time.monotonic() + 5
        while server.in_flight == 0 and time.monotonic() < until:  # noqa: ASYNC110  said by another thread
            await asyncio.sleep(0.01)
        await team.close()
        with pytest.raises(MootError, match="closed"):
            await asked
        check_books(tmp_path, server)
