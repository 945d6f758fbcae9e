"""A soak: a hundred thousand calls against `moot simulate` with one in ten of them failing, in every way it knows.

    python bench/soak.py [CALLS]

The run must end, every episode must have an outcome, retries must stay within their bounds, memory must stay flat, and
at the end no task, thread or socket may be left. It fails loudly where one of these does not hold.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import resource
import sqlite3
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from loopback import simulator

MOOT = str(Path(sys.executable).with_name("moot"))
PLAYERS = ("ann", "bob", "cat", "dan")
ATTEMPTS = 6
TIMEOUT_S = 5.0
FAULTS = {
    **dict.fromkeys(("429", "500", "503", "reset", "cut", "hang", "invalid-json", "empty", "garbage", "drip"), 1.0),
    **dict.fromkeys(("refusal", "content-filter"), 1.0),
    # These two stop the whole endpoint for a second each time, as they ask for: the rarer, the shorter the soak.
    **dict.fromkeys(("429-seconds", "429-date"), 0.1),
}
"""Every way to fail, and how often beside the others."""
SHARE = 0.10


@dataclass
class Watch:
    """What the process holds, looked at once a second."""

    started: float = field(default_factory=time.monotonic)
    seen: list[tuple[float, int, float, int]] = field(default_factory=list)

    async def keep(self, played: object) -> None:
        while True:
            await asyncio.sleep(1)
            self.seen.append((time.monotonic() - self.started, played(), memory_mb(), descriptors()))  # type: ignore[operator]


def memory_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def sockets() -> int:
    links = []
    for each in os.listdir("/proc/self/fd"):
        try:
            links.append(os.readlink(f"/proc/self/fd/{each}"))
        except OSError:
            continue
    return sum(link.startswith("socket:") for link in links)


def config() -> str:
    one = SHARE / sum(FAULTS.values())
    faults = [{"kind": kind, "rate": one * weight, "drip_s": 0.0, "retry_after": 1} for kind, weight in FAULTS.items()]
    models = {name: {"accuracy": 0.5} for name in PLAYERS}
    return json.dumps({"seed": 7, "models": models, "faults": faults})


def experiment(folder: Path, base_url: str, questions: int) -> Path:
    with (folder / "soak.jsonl").open("w") as lines:
        for n in range(questions):
            lines.write(json.dumps({"id": f"q{n}", "text": f"Who is number {n}?", "answer": f"Person {n}"}) + "\n")
    model = {"provider": "endpoint", "base_url": base_url, "timeout_s": TIMEOUT_S, "retries": {"attempts": ATTEMPTS}}
    limits = {"limits": {"concurrent": 256}}
    models = {name: {**model, **limits, "model": name} for name in PLAYERS}
    path = folder / "soak.yaml"
    path.write_text(json.dumps({"name": "soak", "questions": {"file": "soak.jsonl"}, "models": models}))
    return path


async def soak(path: Path) -> dict[str, object]:
    from moot.engine.runner import Runner
    from moot.experiment.build import build
    from moot.experiment.spec import read_experiment

    tasks_before, threads_before, sockets_before = len(asyncio.all_tasks()), threading.active_count(), sockets()
    experiment_built = build(read_experiment(path))
    store = await experiment_built.store().open()
    runner = Runner(experiment_built, store)
    watch = Watch()
    watching = asyncio.create_task(watch.keep(lambda: runner.tally.played))
    state = await runner.run()
    took_s = time.monotonic() - watch.started
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)
    await store.close()
    await asyncio.sleep(0.5)
    gc.collect()
    return {
        "state": state,
        "took_s": took_s,
        "outcomes": dict(runner.tally.outcomes),
        "retries": dict(Counter(runner.tally.retries)),
        "seen": watch.seen,
        "tasks left": len(asyncio.all_tasks()) - tasks_before,
        "threads left": threading.active_count() - threads_before,
        "sockets left": sockets() - sockets_before,
        "total": runner.tally.total,
    }


def check(found: dict[str, object], folder: Path, requests: int, calls: int) -> list[str]:
    """What went wrong; [] if nothing."""
    with sqlite3.connect(folder / "soak.db") as connection:
        (episodes,) = connection.execute("SELECT count(*) FROM episodes WHERE outcome IS NOT NULL").fetchone()
    seen = found["seen"]
    assert isinstance(seen, list)
    wrong = []
    if episodes != found["total"]:
        wrong.append(f"{episodes} of {found['total']} episodes have an outcome")
    # A call is asked for in the form at most five times, and each of these is tried at most ATTEMPTS times.
    if requests > 1.5 * calls:
        wrong.append(f"{requests} requests for {calls} calls")
    kinds = ("tasks left", "threads left", "sockets left")
    wrong += [f"{found[kind]} {kind}" for kind in kinds if found[kind]]
    warm, late = _memory(seen)
    if late > 1.25 * warm + 10:
        wrong.append(f"memory grew from {warm:.0f} to {late:.0f} MB")
    return wrong


def _memory(seen: list[tuple[float, int, float, int]]) -> tuple[float, float]:
    """A quarter into the run, and at its end."""
    return seen[len(seen) // 4][2], max(each[2] for each in seen[-max(1, len(seen) // 10) :])


def main(calls: int) -> None:
    questions = calls // len(PLAYERS)
    with tempfile.TemporaryDirectory() as name, simulator(MOOT, config()) as url:
        folder = Path(name)
        path = experiment(folder, url, questions)
        found = asyncio.run(soak(path))
        requests, outcomes = served(url)
        cpu = resource.getrusage(resource.RUSAGE_SELF)
        seen = found.pop("seen")
        assert isinstance(seen, list)
        warm, late = _memory(seen)
        took_s = found["took_s"]
        assert isinstance(took_s, float)
        cpu_ms = 1000 * (cpu.ru_utime + cpu.ru_stime) / calls
        print(
            f"{calls:,} calls, {requests:,} requests, {100 * (1 - outcomes.get('ok', 0) / requests):.1f} % of them faulty"
        )
        print(f"  state {found['state']}, outcomes {found['outcomes']}")
        print(f"  {took_s:.0f} s, {calls / took_s:,.0f} calls a second, CPU {cpu_ms:.2f} ms a call")
        print(f"  retries {found['retries']}")
        print(f"  memory {warm:.0f} MB a quarter in, {late:.0f} MB at the end, peak {cpu.ru_maxrss / 1024:.0f} MB")
        print(f"  descriptors at most {max(each[3] for each in seen)}")
        print(
            f"  left behind: {found['tasks left']} tasks, {found['threads left']} threads, {found['sockets left']} sockets"
        )
        print(f"  faults as served: {outcomes}")
        wrong = check({**found, "seen": seen}, folder, requests, calls)
    if wrong:
        raise SystemExit("the soak failed: " + "; ".join(wrong))
    print("nothing was lost, and nothing left behind")


def served(url: str) -> tuple[int, dict[str, int]]:
    import urllib.request

    with urllib.request.urlopen(f"{url.removesuffix('/v1')}/stats", timeout=30) as response:
        stats = json.load(response)
    return stats["requests"], stats["outcomes"]


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
