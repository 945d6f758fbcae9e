"""A run of a million calls beside one of 20,000: does a call, a row, a resumed run or a report cost more when there are many?

    python bench/million.py                    # 250,000 questions for four simulated players, in this process: about half an hour
    python bench/million.py --questions 50000

Simulated players answer in the process of the run, so no server is measured with it. Start-up, measured with one question, is
subtracted. Resumed is the whole run with one question more: how long until its first call is made, and all of it in CPU.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from engine import MOOT, Cost, measure

PLAYERS = ("ann", "bob", "cat", "dan")
FEW = 5_000
ANSWERS = 997


def write(folder: Path, name: str, questions: int) -> Path:
    with (folder / f"{name}.jsonl").open("w") as lines:
        for n in range(questions):
            text = f"Question {n}: which city on the Seine has been the capital of France for most of its history?"
            lines.write(json.dumps({"id": f"q{n}", "text": text, "answer": f"Paris {n % ANSWERS}"}) + "\n")
    models = "".join(f"  {player}: {{provider: simulated, accuracy: 0.7}}\n" for player in PLAYERS)
    path = folder / f"{name}.yaml"
    path.write_text(f"name: {name}\nquestions: {{file: {name}.jsonl}}\nmodels:\n{models}")
    return path


def run(path: Path) -> Cost:
    return measure(MOOT, "run", str(path), "--quiet")


def until_a_call(path: Path) -> float:
    """Seconds until the first call of a run that goes on is in the store."""
    store = sqlite3.connect(path.with_suffix(".db"), timeout=60)
    before = store.execute("SELECT max(rowid) FROM calls").fetchone()[0]
    started = time.perf_counter()
    process = subprocess.Popen([MOOT, "run", str(path), "--quiet"], stdout=subprocess.DEVNULL)
    took_s = 0.0
    while process.poll() is None and not took_s:
        if store.execute("SELECT max(rowid) FROM calls").fetchone()[0] > before:
            took_s = time.perf_counter() - started
        time.sleep(0.02)
    process.wait()
    return took_s


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--questions", type=int, default=250_000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        start = run(write(folder, "one", 1))
        told = {}
        for label, questions in (("few", FEW), ("many", asked.questions)):
            path = write(folder, label, questions)
            cost, calls = run(path), questions * len(PLAYERS)
            shown = measure(MOOT, "report", str(path))
            told[label] = (cost.cpu_s - start.cpu_s) / calls, (shown.cpu_s - start.cpu_s) / calls
            size = path.with_suffix(".db").stat().st_size
            print(f"{calls:,} calls:", flush=True)
            print(f"  CPU a call            {1000 * told[label][0]:.3f} ms (start-up {start.cpu_s:.2f} s apart)")
            print(f"  peak memory           {cost.memory_mb:.0f} MB")
            print(f"  store                 {size / calls:,.0f} bytes a call, with its episode, grade and question")
            print(
                f"  report, CPU           {1e6 * told[label][1]:.0f} µs an episode, {shown.memory_mb:.0f} MB",
                flush=True,
            )
        with path.with_suffix(".jsonl").open("a") as lines:
            lines.write(
                json.dumps({"id": "more", "text": "And which one is on the Thames?", "answer": "London"}) + "\n"
            )
        print(f"resumed with one question more: its first call is stored after {until_a_call(path):.1f} s (bound 10)")
        few, many = told["few"], told["many"]
        print(
            f"many beside few: a call {many[0] / few[0]:.2f} × (bound 1.1), a report's episode {many[1] / few[1]:.2f} ×"
        )


if __name__ == "__main__":
    sys.exit(main())
