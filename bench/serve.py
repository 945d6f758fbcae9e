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
from pathlib import Path

import aiohttp

from loopback import _wait_for, free_port

HERE = Path(__file__).parent
MOOT = Path(sys.executable).parent / "moot"
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


async def clients(url: str, process: int, rate: float, seconds: float) -> tuple[list[float], list[float], float]:
    """200 clients that together ask so often a second; latencies, memory every second, share of a core used."""
    taken: list[float] = []
    memory: list[float] = []
    ends_at = time.perf_counter() + seconds
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def client(number: int) -> None:
            pause_s = 200 / rate
            next_at = time.perf_counter() + pause_s * number / 200
            while next_at < ends_at:
                await asyncio.sleep(max(0.0, next_at - time.perf_counter()))
                taken.append(await ask(session, url, "solo@p0", len(taken)))
                next_at += pause_s

        async def watch() -> None:
            while time.perf_counter() < ends_at:
                memory.append(memory_mb(process))
                await asyncio.sleep(1.0)

        before, started = cpu_s(process), time.perf_counter()
        await asyncio.gather(watch(), *(client(number) for number in range(200)))
        load = (cpu_s(process) - before) / (time.perf_counter() - started)
    return taken, memory, load


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
    with endpoint(0.05) as slow, served(slow) as (url, process):
        asyncio.run(many(url, "solo@p0", 500, 50))
        rate = 0.45 / each_s  # many connections cost more than eight: this is about 60 % of a core
        taken, memory, load = asyncio.run(clients(url, process, rate, seconds))
        p50, p99 = quantile(taken, 0.5), quantile(taken, 0.99)
        half = len(memory) // 2
        print(f"200 clients for {seconds:.0f} s at {rate:.0f} requests/s: {len(taken)} answers, no error")
        print(
            f"  p50 {p50 * 1e3:.1f} ms, p99 {p99 * 1e3:.1f} ms: {p99 / p50:.2f} x (bound 2); server's core {load:.0%}"
        )
        print(
            f"  memory: {memory[0]:.0f} MB at the start, {statistics.mean(memory[:half]):.0f} in the first half, "
            f"{statistics.mean(memory[half:]):.0f} in the second, {memory[-1]:.0f} at the end"
        )


if __name__ == "__main__":
    main()
