"""The engine beside a bare aiohttp loop: CPU per call, wall time against its lower bound, memory, second run, start-up.

`profile` says where the CPU of a call goes, layer by layer (`layers`).

Every figure is a ratio within one run of this file on one machine; see bench/README.md.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from loopback import nginx, simulator

HERE = Path(__file__).parent
PYTHON = sys.executable
MOOT = str(Path(PYTHON).with_name("moot"))
CONCURRENT = 64


@dataclass(frozen=True)
class Cost:
    """What a process took."""

    cpu_s: float
    wall_s: float
    memory_mb: float

    def over(self, other: Cost) -> float:
        return self.cpu_s - other.cpu_s


def measure(*command: str, expect: tuple[int, ...] = (0,)) -> Cost:
    """Run a command and see what it took, itself and its threads."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall_s = time.perf_counter() - started
    code = os.waitstatus_to_exitcode(status)
    if code not in expect:
        raise SystemExit(f"{' '.join(command)} ended with {code}:\n{errors.decode()}")
    return Cost(usage.ru_utime + usage.ru_stime, wall_s, usage.ru_maxrss / 1024)


def write_questions(path: Path, count: int) -> None:
    with path.open("w") as lines:
        for n in range(count):
            text = f"Question {n}: which city on the Seine has been the capital of France for most of its history?"
            lines.write(json.dumps({"id": f"q{n}", "text": text, "answer": "Paris"}) + "\n")


def write_experiment(
    folder: Path, name: str, base_url: str, count: int, concurrent: int, players: int = 1, more: str = ""
) -> Path:
    """`more`: lines at the end of the file; without any, every player plays alone."""
    write_questions(folder / f"{name}.jsonl", count)
    seats = "".join(f"  p{n}: {{model: ann}}\n" for n in range(players))
    model = f"{{provider: endpoint, base_url: '{base_url}', model: fixed, params: {{temperature: 0, max_tokens: 200}}"
    path = folder / f"{name}.yaml"
    path.write_text(
        f"name: {name}\nquestions: {{file: {name}.jsonl}}\n"
        f"models:\n  ann: {model}, limits: {{concurrent: {concurrent}}}}}\nplayers:\n{seats}{more}"
    )
    return path


def write_bodies(experiment: Path, target: Path) -> None:
    """The bodies that the experiment will post, byte for byte."""
    from moot.experiment.build import build
    from moot.experiment.spec import read_experiment
    from moot.models.scripted import ScriptedModel

    built = build(read_experiment(experiment))
    endpoint = built.models["ann"].model
    seen = ScriptedModel("ann", lambda _: {"reasoning": "", "answer": "Paris"})
    cells = built.with_models({"ann": seen}).cells

    async def play_all() -> None:
        for case in built.dataset or ():
            for cell in cells:
                await cell.strategy.play(case.question, cell.team.seated())

    asyncio.run(play_all())
    asked = {
        (request.messages, request.sample): request for request in seen.requests
    }  # a draft is shared, and asked once
    with target.open("wb") as lines:
        for request in asked.values():
            body = endpoint.body(request, "schema")  # type: ignore[attr-defined]
            lines.write(json.dumps(body, separators=(",", ":")).encode() + b"\n")


@dataclass(frozen=True)
class Played:
    """What is played in a row of figures."""

    what: str
    players: int
    calls_a_question: int
    bound: float
    more: str = ""


PLAYED = (
    Played("solo, 4 players", 4, 4, 2.0),
    Played("solo, 1 player, so that each call carries a whole question", 1, 1, 2.5),
    Played(
        "a vote of six, grouped by match, and a talkative captain",
        *(6, 7, 2.2),
        more="strategies: [vote, talkative: {captain: p0}]\ngrouping: {match: only}\n",
    ),
)


def cpu_per_call(calls: int = 20_000, rounds: int = 5) -> None:
    """Rounds of bare and moot in turn: whatever else the machine does only adds, so the least of each is told beside the rest."""
    for played in PLAYED:
        count = calls // played.calls_a_question
        made = count * played.calls_a_question
        with tempfile.TemporaryDirectory() as name, nginx() as url:
            folder = Path(name)
            one = write_experiment(folder, "one", url, 1, CONCURRENT)
            bodies = folder / "bodies"
            bare_ms, moot_ms, rates = [], [], []
            for n in range(rounds):
                whole = write_experiment(folder, f"whole{n}", url, count, CONCURRENT, played.players, played.more)
                if n == 0:
                    write_bodies(whole, bodies)
                    assert len(bodies.read_bytes().splitlines()) == made, "as many calls as are counted"
                bare = [PYTHON, str(HERE / "bare.py"), url, str(bodies), str(CONCURRENT)]
                base_start, base = measure(*bare, "1"), measure(*bare, str(made))
                start, run = measure(MOOT, "run", str(one), "--quiet"), measure(MOOT, "run", str(whole), "--quiet")
                bare_ms.append(1000 * base.over(base_start) / made)
                moot_ms.append(1000 * run.over(start) / made)
                again = measure(MOOT, "run", str(whole), "--quiet")
                rates.append(count / (again.wall_s - start.wall_s))
        print(f"client CPU per call, {made:,} calls, {count:,} questions: {played.what};")
        print(f"{CONCURRENT} at once, fixed replies from nginx, uvloop on both sides, {rounds} rounds in turn:")
        print(f"  bare aiohttp loop   {spread(bare_ms)} ms   (start-up {base_start.cpu_s:.2f} s apart)")
        print(f"  moot run            {spread(moot_ms)} ms   (start-up {start.cpu_s:.2f} s apart)")
        ratios = [ours / theirs for ours, theirs in zip(moot_ms, bare_ms, strict=True)]
        print(f"  ratio by round      {spread(ratios, 2)}")
        print(f"  ratio of the least  {min(moot_ms) / min(bare_ms):.2f}   (bound {played.bound:g})")
        print(f"second run of the same file: {max(rates):,.0f} questions a second, start-up apart", flush=True)


def spread(values: list[float], places: int = 3) -> str:
    """Least, median, most."""
    return ", ".join(f"{value:.{places}f}" for value in (min(values), statistics.median(values), max(values)))


def profile() -> None:
    from layers import profile as by_layer

    by_layer()


def wall_time(calls: int = 12_800, concurrent: int = 128, reply_s: float = 0.2) -> None:
    config = f"latency: {{fixed_s: {reply_s}}}\nmodels: {{fixed: {{accuracy: 0.5}}}}\n"
    with tempfile.TemporaryDirectory() as name, simulator(MOOT, config) as url:
        folder = Path(name)
        whole = write_experiment(folder, "whole", url, calls, concurrent)
        one = write_experiment(folder, "one", url, 1, concurrent)
        start, run = measure(MOOT, "run", str(one), "--quiet"), measure(MOOT, "run", str(whole), "--quiet")
        bound_s = calls * reply_s / concurrent
        took_s = run.wall_s - (start.wall_s - reply_s)
        print(f"wall time, {calls:,} calls, {1000 * reply_s:.0f} ms replies, limit {concurrent}:")
        print(f"  {took_s:.2f} s beside a lower bound of {bound_s:.2f} s: ratio {took_s / bound_s:.3f}   (bound 1.1)")


def memory(small: int = 5_000, large: int = 50_000) -> None:
    with tempfile.TemporaryDirectory() as name, nginx() as url:
        folder = Path(name)
        costs = []
        for count in (small, large):
            path = write_experiment(folder, f"q{count}", url, count, CONCURRENT)
            costs.append(measure(MOOT, "run", str(path), "--quiet").memory_mb)
        print(f"peak memory: {costs[0]:.0f} MB at {small:,} questions, {costs[1]:.0f} MB at {large:,}:", end=" ")
        print(f"ratio {costs[1] / costs[0]:.2f}   (bound 1.5)")


def start_up() -> None:
    plain = min(measure(PYTHON, "-c", "pass").cpu_s for _ in range(5))
    shown = min(measure(MOOT, "--help").cpu_s for _ in range(5))
    print(f"moot --help: {shown:.3f} s of CPU; python -c pass: {plain:.3f} s; bound {3 * plain + 0.2:.3f} s")


if __name__ == "__main__":
    parts = {"cpu": cpu_per_call, "profile": profile, "wall": wall_time, "memory": memory, "start": start_up}
    for part in sys.argv[1:] or parts:
        parts[part]()
