"""What serving a team costs: CPU of a served request, latency of a six-player vote, and 200 clients for a minute.

`python bench/serve.py [--seconds 60]`. Everything is on loopback; the endpoint is a process of its own that answers
after a fixed time.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp

from loopback import _wait_for, free_port

HERE = Path(__file__).parent
MOOT = Path(sys.executable).parent / "moot"
FILL = 20_000
"""Requests before the minute: by then what is bounded (the store's cache of pages) is full, and what still grows leaks."""
TICKS = os.sysconf("SC_CLK_TCK")

TEAM = """
name: served
models:
{models}
teams: {{six: {{players: [{names}]}}}}
strategies: [vote, solo]
grouping: {{match: only}}
"""
MODEL = '  {name}: {{provider: endpoint, base_url: "{url}", model: fixed, limits: {{concurrent: 1000}}}}'


@contextlib.contextmanager
def endpoint(delay_s: float) -> Iterator[str]:
    port = free_port()
    server = subprocess.Popen([sys.executable, str(HERE / "delayed.py"), str(port), str(delay_s)])
    try:
        _wait_for(port)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.kill()
        server.wait()


@contextlib.contextmanager
def served(url: str) -> Iterator[tuple[str, int]]:
    """The address of a served team, and the process that serves it."""
    names = [f"p{number}" for number in range(6)]
    with tempfile.TemporaryDirectory() as folder:
        team = Path(folder) / "team.yaml"
        models = "\n".join(MODEL.format(name=name, url=url) for name in names)
        team.write_text(TEAM.format(models=models, names=", ".join(names)))
        port = free_port()
        options = ["--port", str(port), "--at-once", "1000", "--waiting", "1000"]
        server = subprocess.Popen([str(MOOT), "serve", str(team), *options], stdout=subprocess.DEVNULL)
        try:
            _wait_for(port)
            yield f"http://127.0.0.1:{port}/v1", server.pid
        finally:
            server.terminate()
            server.wait(20)


def cpu_s(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def memory_mb(process: int) -> float:
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


async def ask(session: aiohttp.ClientSession, url: str, model: str, number: int) -> float:
    body = {"model": model, "messages": [{"role": "user", "content": f"Which city is number {number}?"}]}
    started = time.perf_counter()
    async with session.post(f"{url}/chat/completions", json=body) as response:
        text = await response.read()
        assert response.status == 200, text
    return time.perf_counter() - started


async def many(url: str, model: str, count: int, at_once: int) -> list[float]:
    numbers = iter(range(count))
    taken: list[float] = []
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def one() -> None:
            for number in numbers:
                taken.append(await ask(session, url, model, number))  # noqa: PERF401  the numbers are shared

        await asyncio.gather(*(one() for _ in range(at_once)))
    return taken


@dataclass
class Minute:
    """What 200 clients saw of a server, and what it took of the machine."""

    taken: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)
    load: float = 0.0
    """Share of a core that the server used."""
    stolen: float = 0.0
    """Share of the machine that the host kept for others: it stops everybody, whoever is measured."""

    @property
    def p50(self) -> float:
        return quantile(self.taken, 0.5)

    @property
    def p99(self) -> float:
        return quantile(self.taken, 0.99)

    @property
    def words(self) -> str:
        return (
            f"p50 {self.p50 * 1e3:.1f} ms, p99 {self.p99 * 1e3:.1f} ms: {self.p99 / self.p50:.2f} x; "
            f"server's core {self.load:.0%}, stolen by the host {self.stolen:.0%}"
        )


async def clients(url: str, model: str, process: int, rate: float, seconds: float) -> Minute:
    """200 clients that together ask so often a second. Each has asked once before the clock starts: it is connected."""
    minute = Minute()
    pause_s = 200 / rate
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        begins_at = time.perf_counter() + 2 * pause_s
        ends_at = begins_at + seconds

        async def client(number: int) -> None:
            next_at = begins_at + pause_s * (number / 200 - 2)
            while next_at < ends_at:
                await asyncio.sleep(max(0.0, next_at - time.perf_counter()))
                took = await ask(session, url, model, len(minute.taken))
                if next_at >= begins_at:
                    minute.taken.append(took)
                next_at += pause_s

        async def watch() -> None:
            await asyncio.sleep(begins_at - time.perf_counter())
            used, (stolen, ticks) = cpu_s(process), machine()
            while time.perf_counter() < ends_at:
                minute.memory.append(memory_mb(process))
                await asyncio.sleep(1.0)
            minute.load = (cpu_s(process) - used) / (time.perf_counter() - begins_at)
            stolen_then, ticks_then = machine()
            minute.stolen = (stolen_then - stolen) / (ticks_then - ticks)

        await asyncio.gather(watch(), *(client(number) for number in range(200)))
    return minute


def yardstick(seconds: float) -> str:
    """How evenly the machine works: the same millisecond of arithmetic again and again, on a core that is half idle."""

    def work() -> None:
        sum(number * number for number in range(10_000))

    taken: list[float] = []
    ends_at = time.perf_counter() + seconds
    while (started := time.perf_counter()) < ends_at:
        work()
        taken.append(time.perf_counter() - started)
        time.sleep(taken[-1])
    p50, p99 = quantile(taken, 0.5), quantile(taken, 0.99)
    return f"a piece of work takes {p50 * 1e3:.2f} ms, one in a hundred {p99 * 1e3:.2f} ms or more: {p99 / p50:.1f} x"


def machine() -> tuple[int, int]:
    """Ticks of all cores that the host took away, and all ticks."""
    ticks = [int(each) for each in Path("/proc/stat").read_text().splitlines()[0].split()[1:]]
    return ticks[7], sum(ticks[:8])


def quantile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    seconds = parser.parse_args().seconds
    with endpoint(0.0) as direct, served(direct) as (url, process):
        asyncio.run(many(url, "solo@p0", 200, 8))
        before = cpu_s(process)
        asyncio.run(many(url, "solo@p0", 2_000, 8))
        each_s = (cpu_s(process) - before) / 2_000
        print(f"served solo, CPU of the server a request: {each_s * 1e3:.2f} ms (bound 2)")
    with endpoint(0.05) as slow, served(slow) as (url, process):
        asyncio.run(many(url, "six/vote", 20, 1))
        took = asyncio.run(many(url, "six/vote", 200, 1))
        alone = asyncio.run(many(slow, "fixed", 200, 1))
        print(
            f"six-player vote on 50 ms endpoints, idle: median {statistics.median(took) * 1e3:.1f} ms "
            f"(bound 70; the endpoint alone {statistics.median(alone) * 1e3:.1f})"
        )
    print(f"the machine itself: {yardstick(seconds / 6)}")
    with endpoint(0.05) as slow, served(slow) as (url, process):
        asyncio.run(many(url, "solo@p0", FILL, 50))
        for rate, share in ((200, 1.0), (300, 1 / 3)):
            before = asyncio.run(clients(slow, "fixed", process, rate, seconds / 6))
            minute = asyncio.run(clients(url, "solo@p0", process, rate, seconds * share))
            print(f"200 clients for {seconds * share:.0f} s, {rate} requests/s: {len(minute.taken)} answers, no error")
            print(f"  {minute.words} (bound 2 x)")
            print(f"  the endpoint alone, just before: {before.words}")
            half, memory = len(minute.memory) // 2, minute.memory
            print(
                f"  memory: {memory[0]:.1f} MB at the start, {statistics.mean(memory[:half]):.1f} in the first half, "
                f"{statistics.mean(memory[half:]):.1f} in the second, {memory[-1]:.1f} at the end"
            )


if __name__ == "__main__":
    main()
