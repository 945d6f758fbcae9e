"""A chaos run: two processes on one store, one of them killed again and again, an endpoint that fails in every way, a cap.

    python bench/chaos.py [--calls 50000] [--kill-every-s 20] [--kill-every-requests 500]

The same experiment is first played calmly: one process, no kill, no cap, the same endpoint. Then by two at once, of which
one or the other gets a SIGKILL every so often and is started again: under a cap that is too small, until both say that it is
reached; and under one that is large enough, until both have ended. It must end; no reply that was seen in the store is asked
for again; the bill, as the endpoint writes it, never exceeds the cap, nor what the store has in its books; and the figures
are those of the calm run. Traffic stays on loopback.

A kill comes when so many seconds have gone by *and* so many requests have come: on a busy machine, where a process needs long
to start, seconds alone would kill it before it has done anything. And it is given up when nothing more is stored for long, not
when the whole takes long.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chaos_provider import FAILS_AT_MOST, HANGS_S, MAX_TOKENS, PRICE, call_name

MOOT = [sys.executable, "-c", "from moot.cli import main; main()"]
PLAYERS = ("ann", "bob", "cat", "dan")
CALLS_A_QUESTION = len(PLAYERS) + 1
"""Each alone, the vote among these, and a captain who has heard them."""
DONE, BUDGET = 0, 3
FAULTY = 0.1
"""Of the attempts, beside those that are only badly answered."""


@dataclass
class Chaos:
    calls: int
    kill_every_s: float
    kill_every_requests: int
    concurrent: int
    patience_s: float
    rng: random.Random = field(default_factory=lambda: random.Random(5))


@dataclass
class Watched:
    """When each call was first seen in the store; by how much the bill was ever over the cap; how many were killed."""

    stored_at: dict[str, float] = field(default_factory=dict)
    went_on_at: float = field(default_factory=time.monotonic)
    last_row: int = 0
    kills: int = 0
    over_usd: float = 0.0
    in_flight_at_kills: list[int] = field(default_factory=list)

    def look(self, store: Path) -> None:
        for row, shape in rows(store, "SELECT rowid, shape FROM calls WHERE rowid > ?", self.last_row):
            told = json.loads(shape)[0]
            self.last_row = max(self.last_row, row)
            name = call_name(told["body"]["model"], told["messages"])
            if name in self.stored_at:
                raise SystemExit(
                    f"chaos: two stored calls ask the same of {told['body']['model']}: they cannot be told apart"
                )
            self.stored_at[name] = time.time()
            self.went_on_at = time.monotonic()

    def give_up_after(self, patience_s: float) -> None:
        if time.monotonic() - self.went_on_at > patience_s:
            raise SystemExit(f"chaos: nothing more is stored for {patience_s:.0f} s; {len(self.stored_at)} calls are")


def rows(store: Path, sql: str, *values: Any) -> list[tuple[Any, ...]]:
    """[] where there is no such table yet."""
    with closing(sqlite3.connect(store, timeout=60)) as connection:
        try:
            return connection.execute(sql, values).fetchall()
        except sqlite3.OperationalError as error:
            if "no such table" in str(error):
                return []
            raise


@contextmanager
def provider(latency_s: float = 0.05) -> Iterator[str]:
    script = Path(__file__).with_name("chaos_provider.py")
    command = [sys.executable, str(script), str(FAULTY), str(latency_s)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def books(url: str, *, whole: bool = False) -> dict[str, Any]:
    with urllib.request.urlopen(f"{url}/books{'?all' if whole else ''}", timeout=120) as response:
        return json.load(response)


def written(folder: Path, url: str, chaos: Chaos, budget_usd: float | None = None) -> Path:
    questions = chaos.calls // CALLS_A_QUESTION
    lines = [{"id": f"q{n}", "text": f"Who is number {n}?", "answer": f"Person {n}"} for n in range(questions)]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)))
    model = {
        "provider": "endpoint",
        "base_url": f"{url}/v1",
        "price": PRICE,
        "timeout_s": HANGS_S / 2,
        "params": {"max_tokens": MAX_TOKENS},
        "limits": {"concurrent": chaos.concurrent},
        "retries": {"attempts": 2 * FAILS_AT_MOST},
    }
    spec: dict[str, Any] = {
        "name": "chaos",
        "questions": {"file": "questions.jsonl"},
        "models": {name: {**model, "model": name} for name in PLAYERS},
        "players": {name: {"model": name} for name in PLAYERS},
        "teams": {"four": {"players": list(PLAYERS), "captain": PLAYERS[0]}},
        "strategies": ["solo", "vote", "silent"],
    }
    path = folder / "chaos.yaml"
    path.write_text(json.dumps(spec | ({"budget_usd": budget_usd} if budget_usd else {})))
    return path


def start(path: Path) -> subprocess.Popen[bytes]:
    with path.with_suffix(".log").open("ab") as log:
        return subprocess.Popen([*MOOT, "run", str(path), "--quiet"], stdout=log, stderr=log)


def two_at_once(path: Path, url: str, chaos: Chaos, watched: Watched, cap_usd: float) -> list[int]:
    """The two exit codes, when both have ended by themselves."""
    store = path.with_suffix(".db")
    watched.went_on_at = time.monotonic()
    processes = [start(path), start(path)]
    killed_at, requests_then = time.monotonic(), books(url)["requests"]
    try:
        while any(process.poll() is None for process in processes):
            time.sleep(0.1)
            watched.look(store)
            told = books(url)
            watched.over_usd = max(watched.over_usd, told["bill_usd"] - cap_usd)
            watched.give_up_after(chaos.patience_s)
            due = time.monotonic() - killed_at >= chaos.kill_every_s
            if due and told["requests"] - requests_then >= chaos.kill_every_requests:
                alive = [place for place, process in enumerate(processes) if process.poll() is None]
                place = chaos.rng.choice(alive) if alive else None
                if place is not None and kill(processes[place], watched, told["in_flight"]):
                    processes[place] = start(path)
                killed_at, requests_then = time.monotonic(), told["requests"]
        return [process.returncode for process in processes]
    finally:
        for process in processes:
            if process.poll() is None:
                process.kill()
            process.wait()


def kill(process: subprocess.Popen[bytes], watched: Watched, in_flight: int) -> bool:
    """False: it had ended by itself."""
    process.kill()
    if process.wait() != -signal.SIGKILL:
        return False
    watched.kills += 1
    watched.in_flight_at_kills.append(in_flight)
    return True


def figures(path: Path) -> Any:
    """The table of accuracies, without what it took in time."""
    shown = subprocess.run([*MOOT, "report", str(path), "--json"], capture_output=True, check=True).stdout
    table = [{name: value for name, value in row.items() if name != "seconds"} for row in json.loads(shown)["accuracy"]]
    return json.loads(json.dumps(table), parse_float=lambda number: float(f"{float(number):.9g}"))


EPISODES = "SELECT label, player, question, repeat, outcome, answer FROM episodes JOIN cells ON cells.id = cell"


def booked_usd(store: Path) -> float:
    tables = ("SELECT sum(cost_usd) FROM calls", "SELECT sum(usd) FROM losses", "SELECT sum(usd) FROM reservations")
    return sum((rows(store, sql) or [(0.0,)])[0][0] or 0.0 for sql in tables)


def asked_again(asked: dict[str, list[float]], stored_at: dict[str, float]) -> int:
    """Calls that the endpoint was asked for when their reply had been seen in the store."""
    return sum(max(asked[call]) > at for call, at in stored_at.items())


def calm_run(folder: Path, chaos: Chaos) -> tuple[Path, dict[str, Any]]:
    folder.mkdir()
    with provider() as url:
        path = written(folder, url, chaos)
        process, watched = start(path), Watched()
        try:
            while (code := process.poll()) is None:
                time.sleep(0.5)
                watched.look(path.with_suffix(".db"))
                watched.give_up_after(chaos.patience_s)
        finally:
            process.kill()
            process.wait()
        if code != DONE:
            raise SystemExit(f"chaos: the calm run ended with {code}: {path.with_suffix('.log').read_text()[-2000:]}")
        return path, books(url)


def checks(calm: Path, path: Path, told: dict[str, Any], watched: Watched) -> Iterator[tuple[str, bool]]:
    store = path.with_suffix(".db")
    yield "at no moment was the bill above the cap", watched.over_usd <= 1e-9
    yield "nothing on the bill is missing in the books", told["bill_usd"] <= booked_usd(store) + 1e-6
    yield "nothing was asked for again once it was stored", asked_again(told["asked"], watched.stored_at) == 0
    yield (
        "every episode is as in the calm run",
        sorted(rows(store, EPISODES), key=repr) == sorted(rows(calm.with_suffix(".db"), EPISODES), key=repr),
    )
    yield "the figures are those of the calm run", figures(path) == figures(calm)
    yield "nobody is left holding a call", not rows(store, "SELECT 1 FROM claims")
    yield "the store is whole", rows(store, "PRAGMA integrity_check") == [("ok",)]


def run(folder: Path, chaos: Chaos, say: Callable[[str], None]) -> list[tuple[str, bool]]:
    """Every promise, and whether it held."""
    began = time.monotonic()
    calm, calm_books = calm_run(folder / "calm", chaos)
    say(f"calm: {calm_books['requests']:,} requests, ${calm_books['bill_usd']:.2f}, {time.monotonic() - began:.0f} s")
    (folder / "chaos").mkdir()
    watched, began, promises = Watched(), time.monotonic(), []
    with provider() as url:
        for cap_usd, expected in ((0.6 * calm_books["bill_usd"], BUDGET), (50 * calm_books["bill_usd"], DONE)):
            path = written(folder / "chaos", url, chaos, cap_usd)
            codes = two_at_once(path, url, chaos, watched, cap_usd)
            bill_usd, kills = books(url)["bill_usd"], watched.kills
            say(f"cap ${cap_usd:.2f}: exit codes {codes}, bill ${bill_usd:.2f}, {kills} kills so far")
            promises.append(
                (f"both ended with {expected} under a cap of ${cap_usd:.2f}", codes == [expected, expected])
            )
        told = books(url, whole=True)
        took_s = time.monotonic() - began
        failed = {kind: count for kind, count in told["faults"].items() if kind != "none"}
        say(
            f"chaos: {told['requests']:,} requests for {len(told['asked']):,} calls, {took_s:.0f} s, {watched.kills} kills with"
        )
        say(
            f"  {sum(watched.in_flight_at_kills):,} requests in flight, {sum(failed.values()):,} failures of {len(failed)} kinds"
        )
        say(f"  bill ${told['bill_usd']:.4f}, in the books ${booked_usd(path.with_suffix('.db')):.4f}")
        promises += checks(calm, path, told, watched)
    promises.append(("the run was killed at least three times while it worked", watched.kills >= 3))
    for name, holds in promises:
        say(f"  {'held  ' if holds else 'BROKEN'} {name}")
    return promises


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--calls", type=int, default=50_000)
    options.add_argument("--kill-every-s", type=float, default=20.0)
    options.add_argument("--kill-every-requests", type=int, default=500, help="and not before so many more have come")
    options.add_argument(
        "--concurrent", type=int, default=16, help="calls at once to each of four models, by each process"
    )
    options.add_argument("--patience-s", type=float, default=600.0, help="while nothing more is stored")
    options.add_argument("--folder", type=Path, help="keep everything here")
    given = options.parse_args()
    chaos = Chaos(given.calls, given.kill_every_s, given.kill_every_requests, given.concurrent, given.patience_s)
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        folder.mkdir(exist_ok=True)
        promises = run(folder, chaos, lambda line: print(line, flush=True))
    if broken := [name for name, holds in promises if not holds]:
        raise SystemExit("chaos: BROKEN: " + "; ".join(broken))
    print("chaos: it ended, and everything held")


if __name__ == "__main__":
    main()
