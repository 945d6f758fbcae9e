"""What a second worker of a server brings, and what it costs: requests a second and CPU a request, beside one worker.

`python bench/serve_workers.py [--rounds 5] [--requests 3000]`. The same served `solo`, the same endpoint in a process of its
own, one worker and two in turn; everything is on loopback, and all of it shares the cores.

CPU a request is that of all processes of the server, from the end of a warm-up to the last answer: it hardly depends on how many
cores there are. It does depend on how many requests come a second, since what is written is gathered by time: both are asked by
as many clients at once. Requests a second are bounded by the cores that clients and endpoint leave; with two cores that is about
one and a half. On a machine that works for others at the same time they say nothing: the share of its time that went to others
stands beside each round, and where it is more than a tenth in any of them the ratio is not given.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from loopback import _wait_for, free_port
from serve import MODEL, MOOT, TEAM, TICKS, cpu_s, endpoint, many

CLIENTS = 32
MOST_FOR_OTHERS = 0.1


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
    """Of a process and all that it has started, and those in turn."""
    by_thread = Path(f"/proc/{process}/task").glob("*/children")  # each thread has those that it has started
    children = [int(child) for listed in by_thread for child in listed.read_text().split()]
    return cpu_s(process) + sum(map(family_cpu_s, children))


@dataclass(frozen=True, slots=True)
class CoreTime:
    """Of all cores, since the machine was started: all of it, and what was worked, be it for others on the same host."""

    all_s: float
    worked_s: float

    @classmethod
    def so_far(cls) -> CoreTime:
        ticks = [int(each) for each in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
        idle = ticks[3] + ticks[4]
        return cls(sum(ticks) / TICKS, (sum(ticks) - idle) / TICKS)


@dataclass(frozen=True, slots=True)
class WorkersRound:
    """What one server did in one round."""

    per_s: float
    cpu_s: float
    """A request, of all processes of the server."""
    for_others: float
    """The share of the machine's time that went to nobody of this benchmark."""

    @property
    def words(self) -> str:
        return f"{self.per_s:,.0f}/s at {self.cpu_s * 1e3:.2f} ms CPU ({self.for_others:.0%} of the machine for others)"


def measured(url: str, workers: int, requests: int) -> WorkersRound:
    with served(url, workers) as (address, process):
        asyncio.run(many(address, "solo@p0", requests // 4, CLIENTS))
        used_s, ours_s, cores = family_cpu_s(process), family_cpu_s(os.getpid()), CoreTime.so_far()
        started = time.perf_counter()
        asyncio.run(many(address, "solo@p0", requests, CLIENTS))
        taken_s = time.perf_counter() - started
        used_s, ours_s = family_cpu_s(process) - used_s, family_cpu_s(os.getpid()) - ours_s
        now = CoreTime.so_far()
        others_s = now.worked_s - cores.worked_s - ours_s
        return WorkersRound(requests / taken_s, used_s / requests, max(0.0, others_s) / (now.all_s - cores.all_s))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--requests", type=int, default=3_000)
    options = parser.parse_args()
    quicker: list[float] = []
    dearer: list[float] = []
    busy = 0.0
    with endpoint(0.0) as url:
        for number in range(options.rounds):
            order = (1, 2) if number % 2 == 0 else (2, 1)
            found = {workers: measured(url, workers, options.requests) for workers in order}
            quicker.append(found[2].per_s / found[1].per_s)
            dearer.append(found[2].cpu_s / found[1].cpu_s)
            busy = max(busy, *(each.for_others for each in found.values()))
            figures = ", ".join(f"{workers} worker{'s' * (workers > 1)} {found[workers].words}" for workers in (1, 2))
            print(f"round {number + 1}: {figures}", file=sys.stderr)
    print(f"CPU a request with two workers: {_spread(dearer)} x one (bound: at most 1.1)")
    if busy > MOST_FOR_OTHERS:
        print(f"throughput of two workers: not told, {busy:.0%} of the machine's time went to others")
    else:
        print(f"throughput of two workers: {_spread(quicker)} x one (bound: at least 1.35)")


def _spread(values: list[float]) -> str:
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


if __name__ == "__main__":
    main()
