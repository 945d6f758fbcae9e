"""`--usd-per-day` under attack: clients that hang up, and servers that are killed and started again."""

from __future__ import annotations

import http.client
import json
import os
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from billing import MAX_TOKENS, MOST_USD, PRICE, Provider, provider

MOOT = [sys.executable, "-c", "from moot.cli import main; main()"]
KEY = "a-key-for-the-test-of-the-day"
ADMIN = "an-admin-key-for-the-test-of-the-day"
DAY_USD = 2.5 * MOST_USD


def team(folder: Path, server: Provider, store: str | None = None, through: str = "endpoint") -> Path:
    model = {
        "provider": through,
        "base_url": server.base_url,
        "model": "openai/ann" if through == "litellm" else "ann",
        "price": PRICE,
        "params": {"max_tokens": MAX_TOKENS},
    }
    path = folder / "team.yaml"
    kept = {} if store is None else {"store": store}
    path.write_text(json.dumps({"name": "one", "models": {"ann": model}, "strategies": ["solo"], **kept}))
    return path


@contextmanager
def served(path: Path, day_usd: float = DAY_USD, *more: str) -> Iterator[str]:
    """The address of a server that is killed in the end, without a chance to write anything down."""
    command = [
        *MOOT,
        "serve",
        str(path),
        "--port",
        "0",
        "--key-env",
        "MOOT_DAY_KEY",
        "--usd-per-day",
        str(day_usd),
        *more,
    ]
    environment = {**os.environ, "MOOT_DAY_KEY": KEY, "MOOT_DAY_ADMIN": ADMIN}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    try:
        yield next(line for line in process.stdout if line.startswith("the table: ")).split()[2].rstrip("/")
    finally:
        process.kill()
        process.wait(10)
        process.stdout.close()


def ask(url: str, text: str, timeout_s: float = 60.0, model: str = "solo@ann", **more: object) -> int:
    """The status; 0 where this client did not wait for it."""
    body = {"model": model, "messages": [{"role": "user", "content": text}], **more}
    headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{url}/v1/chat/completions", json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=timeout_s) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        return error.code
    except (OSError, http.client.HTTPException):
        return 0


def hang_up_on(url: str, text: str, server: Provider) -> None:
    """As soon as the provider is at work on it."""
    before = server.requests
    timeout_s = 0.3
    while server.requests == before:
        assert ask(url, text, timeout_s) == 0
        timeout_s += 0.3
    while server.in_flight:
        time.sleep(0.02)


def test_who_hangs_up_pays_and_a_restart_remembers(tmp_path: Path) -> None:
    with provider(tokens=MAX_TOKENS, latency_s=2.0) as server:
        path = team(tmp_path, server)
        with served(path) as url:
            for number in range(3):
                hang_up_on(url, f"Who is number {number}?", server)
            server.latency_s = 0.0
            assert ask(url, "Who else?") == 429
            billed = server.bill_usd
        with served(path) as url:
            assert ask(url, "Who else?") == 429
        assert server.bill_usd == billed


@pytest.mark.parametrize("fails", [False, True])
def test_a_bill_that_says_a_part_alone_is_believed(tmp_path: Path, fails: bool) -> None:
    with provider(latency_s=0.0) as server:
        server.usage, server.fails_by = {"cost": 5.0, "is_byok": True}, "400" if fails else None
        path = team(tmp_path, server)
        for number in range(2):
            with served(path) as url:
                assert ask(url, f"Who is number {number}?") == (429 if number else 502 if fails else 200)
        assert server.requests == 1


def test_what_was_under_way_when_the_server_was_killed_is_charged(tmp_path: Path) -> None:
    with provider(tokens=MAX_TOKENS, latency_s=0.0) as server:
        path = team(tmp_path, server)
        with served(path) as url:
            assert ask(url, "Who is the first?") == 200
            server.held = True
            client = threading.Thread(target=ask, args=(url, "Who is the second?"))
            client.start()
            while server.in_flight < 1:
                time.sleep(0.02)
        client.join(30)
        server.held = False
        with served(path) as url:
            assert [ask(url, f"Who is number {number}?") for number in (3, 4)] == [200, 429]


def test_of_many_that_come_at_one_moment_no_more_are_played_than_the_day_has_room_for(tmp_path: Path) -> None:
    """What is left is held for a question before its first call is made; the last may go past by what it costs alone."""
    with provider(tokens=MAX_TOKENS, latency_s=0.1) as server, served(team(tmp_path, server)) as url:
        assert ask_at_once(url, 16) == [200] * 3 + [429] * 13
        assert server.bill_usd <= DAY_USD + MOST_USD


def test_a_question_that_failed_for_nothing_tells_nobody_what_the_next_will_cost(tmp_path: Path) -> None:
    with provider(tokens=MAX_TOKENS, latency_s=0.1) as server, served(team(tmp_path, server)) as url:
        server.down = frozenset({"ann"})
        assert ask(url, "Who is number zero?") >= 400
        server.down = frozenset()
        assert ask_at_once(url, 16) == [200] * 3 + [429] * 13
        assert server.bill_usd <= DAY_USD + MOST_USD


def test_a_player_who_was_down_is_expected_to_cost_the_most_that_a_call_can(tmp_path: Path) -> None:
    """The question was answered by the one who is free: it cost nothing, and says nothing of the other's price."""
    with provider(tokens=MAX_TOKENS, latency_s=0.1) as server:
        path = team(tmp_path, server)
        experiment = json.loads(path.read_text())
        free = {**experiment["models"]["ann"], "model": "bob", "price": {"prompt": 0.0, "completion": 0.0}}
        models, teams = {**experiment["models"], "bob": free}, {"two": {"players": ["ann", "bob"]}}
        experiment |= {"models": models, "teams": teams, "strategies": ["vote"]}
        path.write_text(json.dumps(experiment))
        with served(path) as url:
            server.down = frozenset({"ann"})
            assert ask(url, "Who is number zero?", model="two/vote") == 200
            server.down = frozenset()
            assert ask_at_once(url, 16, model="two/vote") == [200] * 3 + [429] * 13


def test_a_member_who_is_always_late_does_not_keep_the_team_at_one_question_at_a_time_nor_lift_the_limit(
    tmp_path: Path,
) -> None:
    """The late one is charged at its most each time. Twelve at one moment: as many together as the day has room for."""
    with provider(tokens=MAX_TOKENS, latency_s=0.0) as server:
        path = team(tmp_path, server)
        experiment = json.loads(path.read_text())
        ann = experiment["models"]["ann"]
        names = ("ann", "bob", "cid")
        experiment |= {"models": {name: {**ann, "model": name} for name in names}, "strategies": ["vote"]}
        experiment |= {"teams": {"all": {"players": list(names)}}}
        path.write_text(json.dumps(experiment))
        server.slow = frozenset({"cid"})
        server.says = {name: {"answer": name} for name in names}  # nobody agrees: the vote waits for the last
        question_usd = len(names) * MOST_USD
        day_usd = (1 + 6) * question_usd
        with served(path, day_usd) as url:
            # What a busy machine does not get done in this time is charged too, and leaves less room for the others.
            assert ask(url, "Who is number zero?", model="all/vote", time_limit_s=5.0) in (200, 408)
            assert server.asked_of["cid"]
            statuses: list[int] = []
            asking = threading.Thread(
                target=lambda: statuses.extend(ask_at_once(url, 12, model="all/vote", time_limit_s=60.0))
            )
            asking.start()
            while server.in_flight < 6:  # six late calls: six questions under way together
                assert asking.is_alive()
                time.sleep(0.02)
            server.slow = frozenset()
            asking.join(60)
        assert sorted(set(statuses)) == [200, 429]
        assert server.bill_usd < day_usd + 1.01 * question_usd, "at most by the last question, which is alone"


SAID = {"agree": True, "vote": 1, "choice": 1}


@pytest.mark.parametrize(
    ("office", "model"),
    [
        (
            {"strategies": [{"discuss": {"decision": "judge", "judge": "ann"}}]},
            "two/discuss(decision=judge, judge=ann)",
        ),
        ({"strategies": ["vote"], "grouping": {"model": "ann"}}, "two/vote"),
    ],
    ids=["judge", "grouping"],
)
def test_an_officer_who_was_down_is_expected_to_cost_the_most_that_a_call_can(
    office: dict[str, Any], model: str, tmp_path: Path
) -> None:
    """Those who play are free and answered: only who judges them, or groups their answers, has a price."""
    with provider(tokens=MAX_TOKENS, latency_s=0.1) as server:
        path = team(tmp_path, server)
        experiment = json.loads(path.read_text())
        ann = experiment["models"]["ann"]
        free = {name: {**ann, "model": name, "price": {"prompt": 0.0, "completion": 0.0}} for name in ("bob", "cid")}
        server.says = {name: {**SAID, "answer": name, "solution": name} for name in free}
        server.says |= {"ann": {"choice": 1, "groups": [[1], [2]]}}
        experiment |= {"models": {"ann": ann, **free}, "players": {name: {"model": name} for name in free}}
        experiment |= {"teams": {"two": {"players": list(free)}}, **office}
        path.write_text(json.dumps(experiment))
        with served(path) as url:
            server.down = frozenset({"ann"})
            assert ask(url, "Who is number zero?", model=model) == 200
            server.down = frozenset()
            assert ask_at_once(url, 16, model=model) == [200] * 3 + [429] * 13


def ask_at_once(url: str, questions: int, model: str = "solo@ann", **more: object) -> list[int]:
    statuses: list[int] = []
    clients = [
        threading.Thread(
            target=lambda number=number: statuses.append(ask(url, f"Who is number {number}?", model=model, **more))
        )
        for number in range(questions)
    ]
    for client in clients:
        client.start()
    for client in clients:
        client.join(60)
    return sorted(statuses)


def test_a_reply_that_was_paid_for_is_charged_at_its_price(tmp_path: Path) -> None:
    with provider(tokens=MAX_TOKENS // 2, latency_s=0.0) as server, served(team(tmp_path, server)) as url:
        statuses = [ask(url, f"Who is number {number}?") for number in range(7)]
    assert statuses == [200] * 5 + [429] * 2


def test_two_servers_of_one_store_have_one_day(tmp_path: Path) -> None:
    one_day_of_two_servers(tmp_path, None)


def test_two_servers_of_one_postgresql_have_one_day(tmp_path: Path, postgres: Any) -> None:
    one_day_of_two_servers(tmp_path, postgres.database())


def one_day_of_two_servers(folder: Path, store: str | None) -> None:
    with provider(tokens=MAX_TOKENS // 2, latency_s=0.0) as server:
        path = team(folder, server, store)
        with served(path) as one, served(path) as other:
            statuses = [ask((one, other)[number % 2], f"Who is number {number}?") for number in range(8)]
        assert statuses == [200] * 5 + [429] * 3
        assert server.bill_usd <= DAY_USD


def test_what_another_server_has_under_way_counts(tmp_path: Path) -> None:
    with provider(tokens=MAX_TOKENS, latency_s=0.0) as server:
        path = team(tmp_path, server)
        with served(path) as one, served(path) as other:
            assert [ask(one, f"Who is number {number}?") for number in (1, 2)] == [200, 200]
            server.held = True
            client = threading.Thread(target=ask, args=(one, "Who is the third?"))
            client.start()
            while server.in_flight < 1:
                time.sleep(0.02)
            assert ask(other, "Who else?") == 429
            server.held = False
            client.join(30)


@pytest.mark.parametrize("through", ["endpoint", "litellm"])
def test_a_bill_in_a_reply_that_failed_is_of_the_day(tmp_path: Path, through: str) -> None:
    with provider(tokens=3 * MAX_TOKENS, latency_s=0.0) as server:
        server.fails_as = {"error": {"code": 400, "message": "no"}}
        with served(team(tmp_path, server, through=through)) as url:
            assert ask(url, "Who?") not in (200, 429)
            assert server.bill_usd == pytest.approx(3 * MOST_USD)
            assert ask(url, "Who else?") == 429
        assert server.requests == 1


@pytest.mark.parametrize("workers", [1, 2])
def test_the_figure_of_what_calls_cost_is_what_was_paid(tmp_path: Path, workers: int) -> None:
    """Players of one model and one prompt share a call, who asks again reuses one, and one that was billed is lost on the way."""
    with provider(tokens=MAX_TOKENS, latency_s=0.0) as server:
        path = team(tmp_path, server)
        experiment = json.loads(path.read_text())
        names = ["ann", "bea", "cid"]
        experiment |= {"models": dict.fromkeys(names, experiment["models"]["ann"]), "strategies": ["vote"]}
        experiment |= {"teams": {"three": {"players": names}}}
        path.write_text(json.dumps(experiment))
        options = ("--admin-key-env", "MOOT_DAY_ADMIN", "--reuse", "--workers", str(workers))
        with served(path, 100 * MOST_USD, *options) as url:
            for number in range(3):
                server.cut = number == 2
                assert [ask(url, f"Who is number {number}?", model="three/vote") for _ in range(2)] == [200, 200]
            told = urllib.request.Request(f"{url}/metrics", headers={"Authorization": f"Bearer {ADMIN}"})
            with urllib.request.urlopen(told, timeout=60) as response:
                lines = dict(line.rsplit(" ", 1) for line in response.read().decode().splitlines())
        with closing(sqlite3.connect(tmp_path / "one.db")) as store:
            (booked_usd,) = store.execute("SELECT sum(usd) FROM payments").fetchone()
        assert server.requests == 4, "one for each question, and one once more"
        assert float(lines["moot_cost_usd_total"]) == pytest.approx(server.bill_usd)
        assert booked_usd == pytest.approx(server.bill_usd)
        made = sum(float(value) for name, value in lines.items() if name.startswith("moot_calls_made_total"))
        assert (made, float(lines["moot_calls_unanswered_total"])) == (3, 1), "the calls that the money is of"
        assert float(lines['moot_tokens_made_total{direction="completion"}']) == 3 * MAX_TOKENS
        used = sum(float(value) for name, value in lines.items() if name.startswith("moot_calls_total"))
        assert used == 3 * 6, "three players in each verdict, whoever paid for it"
