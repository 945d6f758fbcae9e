"""What a second worker of a server brings, and what it costs: requests a second and CPU a request, beside one worker.

`python bench/serve_workers.py [--rounds 5] [--requests 3000]`. The same served `solo`, the same endpoint in a process of its
own, one worker and two in turn; everything is on loopback. CPU is that of all processes of the server.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from loopback import _wait_for, free_port
from serve import MODEL, MOOT, TEAM, cpu_s, endpoint, many

CLIENTS = 32


@contextmanager
def served(url: str, workers: int) -> Iterator[tuple[str, int]]:
    """The address, and the process that was started."""
    with tempfile.TemporaryDirectory() as folder:
        team = Path(folder) / "team.yaml"
        team.write_text(TEAM.format(models=MODEL.format(name="p0", url=url), names="p0"))
        port = free_port()
        options = ["--port", str(port), "--at-once", "1000", "--waiting", "1000", "--workers", str(workers)]
        server = subprocess.Popen([str(MOOT), "serve", str(team), *options], stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        try:
            server.stdout.readline()  # it says so when all its workers can be asked
            _wait_for(port)
            yield f"http://127.0.0.1:{port}/v1", server.pid
        finally:
            server.terminate()
            server.wait(30)
            server.stdout.close()


def family_cpu_s(process: int) -> float:
    by_thread = Path(f"/proc/{process}/task").glob("*/children")  # each thread has those that it has started
    children = [int(child) for listed in by_thread for child in listed.read_text().split()]
    return cpu_s(process) + sum(map(cpu_s, children))


def measured(url: str, workers: int, requests: int) -> tuple[float, float]:
    """Requests a second, and CPU seconds a request."""
    with served(url, workers) as (address, process):
        asyncio.run(many(address, "solo@p0", requests // 4, CLIENTS))
        used, started = family_cpu_s(process), time.perf_counter()
        asyncio.run(many(address, "solo@p0", requests, CLIENTS))
        taken = time.perf_counter() - started
        return requests / taken, (family_cpu_s(process) - used) / requests


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--requests", type=int, default=3_000)
    options = parser.parse_args()
    quicker: list[float] = []
    dearer: list[float] = []
    with endpoint(0.0) as url:
        for number in range(options.rounds):
            order = (1, 2) if number % 2 == 0 else (2, 1)
            found = {workers: measured(url, workers, options.requests) for workers in order}
            quicker.append(found[2][0] / found[1][0])
            dearer.append(found[2][1] / found[1][1])
            figures = ", ".join(
                f"{workers} worker{'s' * (workers > 1)} {found[workers][0]:,.0f}/s at {found[workers][1] * 1e3:.2f} ms CPU"
                for workers in (1, 2)
            )
            print(f"round {number + 1}: {figures}", file=sys.stderr)
    print(f"throughput of two workers: {_spread(quicker)} x one (bound: at least 1.35)")
    print(f"CPU a request with two workers: {_spread(dearer)} x one (bound: at most 1.1)")


def _spread(values: list[float]) -> str:
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


if __name__ == "__main__":
    main()
