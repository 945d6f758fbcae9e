"""A terminal that is closed while a command is at work: it ends as by SIGTERM, and with `nohup` it goes on."""

from __future__ import annotations

import json
import os
import pty
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.request
from contextlib import closing
from pathlib import Path

import pytest
import yaml
from billing import MAX_TOKENS, PRICE, provider

MOOT = [sys.executable, "-m", "moot"]


def rows(store: Path, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(store, timeout=60)) as connection:
        return connection.execute(sql).fetchall()


@pytest.mark.parametrize("ignored", [False, True], ids=["heard", "nohup"])
def test_a_run_whose_terminal_is_closed_ends_in_order(tmp_path: Path, ignored: bool) -> None:
    questions = [{"id": f"q{n}", "text": f"Who is number {n}?", "answer": "A"} for n in range(40)]
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, questions)))
    with provider(tokens=MAX_TOKENS, latency_s=0.05) as server:
        model = {"provider": "endpoint", "base_url": server.base_url, "model": "ann", "price": PRICE}
        model |= {"params": {"max_tokens": MAX_TOKENS}, "limits": {"concurrent": 4}}
        spec = {"name": "cup", "budget_usd": 50, "questions": {"file": "q.jsonl"}, "models": {"ann": model}}
        (tmp_path / "cup.yaml").write_text(json.dumps(spec))
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            [*MOOT, "run", "cup.yaml"],
            cwd=tmp_path,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN if ignored else signal.SIG_DFL),
        )
        os.close(theirs)
        while server.requests < 8 and process.poll() is None:
            time.sleep(0.01)
        if ignored:
            process.send_signal(signal.SIGHUP)
            with open(ours, "rb", buffering=0, closefd=False) as terminal:
                try:
                    while terminal.read(4096):
                        pass
                except OSError:
                    pass  # the other end is closed: it is over
        else:
            os.close(ours)
            process.send_signal(signal.SIGHUP)
        code = process.wait(timeout=120)
        if ignored:
            os.close(ours)
        while server.in_flight:
            time.sleep(0.01)
        bill_usd = server.bill_usd
    states = rows(tmp_path / "cup.db", "SELECT state FROM runs")
    assert (code, states) == ((0, [("done",)]) if ignored else (130, [("interrupted",)]))
    booked = [rows(tmp_path / "cup.db", sql)[0][0] or 0.0 for sql in (
        "SELECT sum(cost_usd) FROM calls", "SELECT sum(usd) FROM losses", "SELECT sum(usd) FROM reservations",
    )]  # fmt: skip
    assert booked[2] == 0.0, "nothing is left open"
    assert sum(map(float, booked)) >= bill_usd - 1e-9, "what may be on the bill is in the books"


def test_a_server_whose_terminal_is_closed_keeps_what_it_answered(tmp_path: Path) -> None:
    ann = {"provider": "simulated", "accuracy": 0.5}
    team = {"name": "one", "models": {"ann": ann}, "teams": {"one": {"players": ["ann"]}}, "strategies": ["vote"]}
    (tmp_path / "team.yaml").write_text(yaml.safe_dump(team))
    command = [*MOOT, "serve", "team.yaml", "--port", "0"]
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),  # whatever these tests were started with
    ) as process:
        assert process.stdout is not None
        url = next(line for line in process.stdout if line.startswith("the table: ")).split()[2].rstrip("/")
        body = json.dumps({"model": "one/vote", "messages": [{"role": "user", "content": "Which?"}]}).encode()
        request = urllib.request.Request(f"{url}/v1/chat/completions", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=120) as answered:
            assert answered.status == 200
        process.send_signal(signal.SIGHUP)
        assert process.wait(timeout=120) in (0, -signal.SIGHUP)
    assert rows(tmp_path / "one.db", "SELECT count(*) FROM episodes") == [(1,)]
    assert not (tmp_path / "one.db-wal").exists(), "the store was closed, and not left"
