"""What it takes to tell drafts apart by their calls: the figures of a run with and without, in turn.

    python bench/draft_calls.py            840 questions, 6 players, 4 strategies, 6 captains: 20,160 episodes
    python bench/draft_calls.py OLD        also beside the package of another tree, such as that of an earlier commit

The run is a real one of simulated models; its store is kept in the folder of MOOT_BENCH (else a temporary one). CPU of the
process, every measurement in a process of its own, in turn; the least of three, since whatever else the machine does only adds.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from unittest import mock

from report_page import PLAYERS, questions, run

QUESTIONS = 840
ROUNDS = 3


def file_in(folder: Path) -> Path:
    path = folder / "calls.yaml"
    lines = (json.dumps(row) + "\n" for row in questions(QUESTIONS))
    (folder / "calls.jsonl").write_text("".join(lines), encoding="utf-8")
    content = {
        "name": "calls",
        "questions": {"file": "calls.jsonl"},
        "models": {name: {"provider": "simulated", "accuracy": accuracy} for name, accuracy in PLAYERS.items()},
        "teams": {"six": {"players": list(PLAYERS), "captain": "each"}},
        "strategies": ["solo", "vote", "silent", "talkative"],
        "store": "sqlite:///calls.db",
    }
    path.write_text(json.dumps(content), encoding="utf-8")  # YAML holds JSON
    return path


async def cpu_s(store_path: Path) -> float:
    """Of reading all figures."""
    from moot.report.figures import figures, find_experiment
    from moot.store import store_at

    store = await store_at(f"sqlite:///{store_path}").open()

    def read(connection: Any) -> float:
        experiment = find_experiment(connection)
        start = time.process_time()
        figures(connection, experiment)
        return time.process_time() - start

    try:
        return await store.run(read)
    finally:
        await store.close()


def measured(how: str, store_path: Path) -> float:
    if how != "without":
        return asyncio.run(cpu_s(store_path))
    # Plain functions: a mock that is called so often takes longer than what it stands for.
    with (
        mock.patch("moot.measures.outlines.made_of", _nothing_made),
        mock.patch("moot.measures.source.made_alone", _nothing_made_alone),
    ):
        return asyncio.run(cpu_s(store_path))


def _nothing_made(steps: Any, drafts: Any) -> tuple[()]:
    return ()


def _nothing_made_alone(player: str, episodes: Any) -> dict[Any, Any]:
    return {}


def apart(how: str, store_path: Path, tree: Path | None) -> float:
    """In a process of its own, perhaps with the package of another tree."""
    surroundings = {**os.environ, "PYTHONPATH": str(tree / "src")} if tree else dict(os.environ)
    command = [sys.executable, __file__, "measure", how, str(store_path)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True, env=surroundings).stdout)


def main(folder: Path, old: Path | None) -> None:
    made = file_in(folder.absolute())
    run(made)
    ways = {"without": None, "with": None, **({"old": old} if old else {})}
    taken: dict[str, list[float]] = {how: [] for how in ways}
    for _ in range(ROUNDS):
        for how, tree in ways.items():
            taken[how].append(apart(how, made.with_suffix(".db"), tree))
            print(f"{how:8}{taken[how][-1]:.2f} s", flush=True)
    least = {how: min(times) for how, times in taken.items()}
    for how, seconds in least.items():
        print(f"{how:8}{seconds:.2f} s of CPU, {least['with'] / seconds:.3f} × of it with")


if __name__ == "__main__":
    if sys.argv[1:2] == ["measure"]:
        print(measured(sys.argv[2], Path(sys.argv[3])))
    elif kept := os.environ.get("MOOT_BENCH"):
        main(Path(kept), Path(sys.argv[1]) if sys.argv[1:] else None)
    else:
        with tempfile.TemporaryDirectory() as folder:
            main(Path(folder), Path(sys.argv[1]) if sys.argv[1:] else None)
