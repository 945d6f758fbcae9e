"""moot beside others on the same work: a bare aiohttp loop, the openai SDK, LiteLLM, Inspect; and beside its lower bound.

    python bench/peers.py [--calls N] [--inspect-python PYTHON] [--litellm-python PYTHON] [--openai-python PYTHON]

Each peer may need an interpreter of its own, because they do not agree on a version of `openai`. One that cannot be
imported is said so and left out.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
CONCURRENT = 64
QUESTIONS = 572
PLAYERS = 6
REPLY_S = 0.2
FAULTS = ("429", "500", "503", "reset", "cut")


# --- what runs in a peer's own interpreter -----------------------------------------------------------------------------


async def all_of(bodies: list[dict[str, Any]], ask: Callable[[dict[str, Any]], Awaitable[Any]]) -> None:
    left = iter(bodies)

    async def worker() -> None:
        for body in left:
            await ask(body)

    await asyncio.gather(*(worker() for _ in range(CONCURRENT)))


async def with_openai(url: str, bodies: list[dict[str, Any]]) -> None:
    from openai import AsyncOpenAI

    client = AsyncOpenAI(base_url=url, api_key="none", max_retries=0)

    async def ask(body: dict[str, Any]) -> Any:
        reply = await client.chat.completions.create(**body)
        return reply.choices[0].message.content

    await all_of(bodies, ask)


async def with_litellm(url: str, bodies: list[dict[str, Any]]) -> None:
    import litellm

    litellm.telemetry = False
    litellm.suppress_debug_info = True

    async def ask(body: dict[str, Any]) -> Any:
        own = {**body, "model": f"openai/{body['model']}"}
        reply = await litellm.acompletion(**own, api_base=url, api_key="none", num_retries=0)
        return reply.choices[0].message.content

    await all_of(bodies, ask)


async def with_inspect(url: str, bodies: list[dict[str, Any]]) -> None:
    from inspect_ai.model import ChatMessageUser, GenerateConfig, get_model

    config = GenerateConfig(max_connections=CONCURRENT, max_retries=0, temperature=0, max_tokens=200)
    model = get_model("openai/fixed", base_url=url, api_key="none", config=config, responses_api=False)

    async def ask(body: dict[str, Any]) -> Any:
        return (await model.generate([ChatMessageUser(content=body["messages"][-1]["content"])])).completion

    await all_of(bodies, ask)


WORKERS = {"openai": with_openai, "litellm": with_litellm, "inspect": with_inspect}


def work(peer: str, url: str, file: str, count: int) -> None:
    lines = Path(file).read_bytes().splitlines()[:count]
    asyncio.run(WORKERS[peer](url, [json.loads(line) for line in lines]))


# --- the table ---------------------------------------------------------------------------------------------------------


def importable(python: str, module: str) -> bool:
    return subprocess.run([python, "-c", f"import {module}"], capture_output=True, check=False).returncode == 0


def table(calls: int, pythons: dict[str, str], rounds: int = 2) -> None:
    from engine import MOOT, PYTHON, measure, write_bodies, write_experiment
    from loopback import nginx

    modules = {"openai": "openai", "litellm": "litellm", "inspect": "inspect_ai"}
    print(
        f"{calls:,} calls, {CONCURRENT} at once, fixed replies from nginx; start-up apart; the least of {rounds} rounds"
    )
    print("| client | CPU a call | calls a second | peak memory |\n| --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as name, nginx() as url:
        folder = Path(name)
        bodies = folder / "bodies"
        write_bodies(write_experiment(folder, "bodies", url, calls // 4, CONCURRENT, 4), bodies)
        commands: dict[str, tuple[list[str], list[str]]] = {
            "bare aiohttp loop": (
                [PYTHON, str(HERE / "bare.py"), url, str(bodies), str(CONCURRENT), "1"],
                [PYTHON, str(HERE / "bare.py"), url, str(bodies), str(CONCURRENT), str(calls)],
            )
        }
        for peer, module in modules.items():
            python = pythons[peer]
            if not importable(python, module):
                print(f"{peer}: {python} cannot import {module}; left out", file=sys.stderr)
                continue
            worker = [python, str(HERE / "peers.py"), "--worker", peer, url, str(bodies)]
            commands[peer] = ([*worker, "1"], [*worker, str(calls)])
        for client in ("bare aiohttp loop", "moot run", *modules):
            cpu_ms, rate, memory = [], [], []
            for number in range(rounds):
                if client == "moot run":
                    one = write_experiment(folder, f"one{number}", url, 1, CONCURRENT)
                    whole = write_experiment(folder, f"whole{number}", url, calls // 4, CONCURRENT, 4)
                    pair = ([MOOT, "run", str(one), "--quiet"], [MOOT, "run", str(whole), "--quiet"])
                elif client in commands:
                    pair = commands[client]
                else:
                    break
                start, run = measure(*pair[0]), measure(*pair[1])
                cpu_ms.append(1000 * run.over(start) / calls)
                rate.append(calls / max(1e-9, run.wall_s - start.wall_s))
                memory.append(run.memory_mb)
            if cpu_ms:
                print(f"| {client} | {min(cpu_ms):.2f} ms | {max(rate):,.0f} | {min(memory):.0f} MB |", flush=True)


# --- a whole experiment beside its lower bound -------------------------------------------------------------------------


def whole_experiment(fault_share: float) -> None:
    from engine import MOOT, measure
    from loopback import simulator

    names = [f"p{number}" for number in range(PLAYERS)]
    faults = [{"kind": kind, "rate": fault_share / len(FAULTS)} for kind in FAULTS] if fault_share else []
    config = {"latency": {"fixed_s": REPLY_S}, "models": {each: {"accuracy": 0.5} for each in names}, "faults": faults}
    with tempfile.TemporaryDirectory() as folder_name, simulator(MOOT, json.dumps(config)) as url:
        folder = Path(folder_name)
        one, whole = (_six(folder, url, names, count) for count in (1, QUESTIONS))
        start = measure(MOOT, "run", str(one), "--quiet", expect=(0, 1))
        run = measure(MOOT, "run", str(whole), "--quiet", expect=(0, 1))
    calls = QUESTIONS * (PLAYERS + 1)
    took_s = run.wall_s - (start.wall_s - 2 * REPLY_S)
    bound_s = max(2 * REPLY_S, calls * REPLY_S / CONCURRENT)
    print(
        f"vote and talkative, {PLAYERS} players, {QUESTIONS} questions, {calls:,} calls of {1000 * REPLY_S:.0f} ms, "
        f"limit {CONCURRENT}, {100 * fault_share:.0f} % faults: {took_s:.2f} s beside {bound_s:.2f} s "
        f"(critical path {2 * REPLY_S:.1f} s): ratio {took_s / bound_s:.2f}; CPU {run.over(start):.1f} s",
        flush=True,
    )


def _six(folder: Path, url: str, names: list[str], count: int) -> Path:
    from engine import write_questions

    write_questions(folder / f"q{count}.jsonl", count)
    model = {"provider": "endpoint", "base_url": url, "limits": {"concurrent": CONCURRENT}}
    described = {
        "name": f"six{count}",
        "questions": {"file": f"q{count}.jsonl"},
        "models": {name: {**model, "model": name} for name in names},
        "teams": {"six": {"players": names, "captain": names[0]}},
        "strategies": ["vote", "talkative"],
    }
    path = folder / f"six{count}.yaml"
    path.write_text(json.dumps(described))
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=4000)
    for peer in WORKERS:
        parser.add_argument(f"--{peer}-python", default=sys.executable)
    parser.add_argument("--only", choices=("table", "bound"))
    given = parser.parse_args()
    sys.path.insert(0, str(HERE))
    if given.only != "bound":
        table(given.calls, {peer: getattr(given, f"{peer}_python") for peer in WORKERS})
    if given.only != "table":
        whole_experiment(0.0)
        whole_experiment(0.05)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        work(sys.argv[2], sys.argv[3], sys.argv[4], int(sys.argv[5]))
    else:
        main()
