"""Two commits in turn on the same work, so that a slower one is seen: `python bench/compare.py OLD NEW [--rounds 5]`.

    python bench/compare.py HEAD~20 HEAD
    python bench/compare.py v0.1.0 .        # the tree as it lies here, committed or not

Each commit is unpacked into a folder of its own and played by this interpreter, so with the packages that are installed now.
Round by round each takes its turn, the one that begins by turns too: what else the machine does meets both. A ratio is of two
neighbours in time; shown are the median of the rounds and the least and the most of them. It is called slower or quicker only
where all rounds say so and the median is off by more than two hundredths: with five rounds and no difference that happens in one
of sixteen, so look again before you believe it.
"""

from __future__ import annotations

import argparse
import io
import os
import statistics
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from engine import CONCURRENT, write_experiment
from loopback import nginx

ROOT = Path(__file__).resolve().parent.parent
SLOWER = 0.02
FEWEST_ROUNDS = 5


@dataclass(frozen=True)
class Spent:
    """What a command took."""

    cpu_s: float
    memory_mb: float


@dataclass(frozen=True)
class Version:
    """A commit as it is played: its sources."""

    name: str
    source: Path

    def moot(self, *arguments: str) -> Spent:
        environment = {**os.environ, "PYTHONPATH": str(self.source), "PYTHONDONTWRITEBYTECODE": ""}
        command = [sys.executable, "-m", "moot", *arguments]
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        assert process.stderr is not None
        errors = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        if (code := os.waitstatus_to_exitcode(status)) != 0:
            raise SystemExit(f"{self.name}: {' '.join(command)} ended with {code}:\n{errors.decode()}")
        return Spent(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


@contextmanager
def unpacked(commit: str) -> Iterator[Version]:
    if commit == ".":
        yield Version("here", ROOT / "src")
        return
    packed = subprocess.run(["git", "-C", str(ROOT), "archive", commit, "src"], capture_output=True, check=False)
    if packed.returncode:
        raise SystemExit(f"{commit}: {packed.stderr.decode().strip()}")
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as files:
            files.extractall(folder, filter="data")
        subprocess.run([sys.executable, "-m", "compileall", "-q", folder], check=True)
        yield Version(commit, Path(folder) / "src")


Part = Callable[[Version, Path, str], dict[str, float]]


def of_a_call(players: int, calls: int) -> Part:
    """CPU of a call of `solo`, start-up apart, the memory of it, and CPU of the same run with nothing left to do."""

    def played(version: Version, folder: Path, url: str) -> dict[str, float]:
        one = write_experiment(folder, "one", url, 1, CONCURRENT)
        whole = write_experiment(folder, "whole", url, calls // players, CONCURRENT, players)
        start, run = version.moot("run", str(one), "--quiet"), version.moot("run", str(whole), "--quiet")
        shown = version.moot("report", str(whole))
        return {
            f"a call of solo, {players} at a question": (run.cpu_s - start.cpu_s) / calls,
            f"memory of that run, {calls:,} calls": run.memory_mb,
            f"report of {calls:,} episodes": shown.cpu_s,
        }

    return played


def of_a_start(version: Version, folder: Path, url: str) -> dict[str, float]:
    path = write_experiment(folder, "one", url, 1, CONCURRENT)
    return {"moot --help": version.moot("--help").cpu_s, "a run of one question": version.moot("run", str(path)).cpu_s}


def in_a_folder(part: Part, version: Version, url: str) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        return part(version, Path(folder), url)


def compare(old: Version, new: Version, rounds: int, calls: int) -> bool:
    """Whether something is slower, and a table of all ratios."""
    parts = (of_a_start, of_a_call(4, calls), of_a_call(1, calls))
    taken: dict[str, list[tuple[float, float]]] = {}
    with nginx() as url:
        for turn in range(rounds):
            for part in parts:
                first, second = (old, new) if turn % 2 == 0 else (new, old)
                spent = [in_a_folder(part, version, url) for version in (first, second)]
                before, after = spent if turn % 2 == 0 else reversed(spent)
                for figure, took in before.items():
                    taken.setdefault(figure, []).append((took, after[figure]))
            print(f"round {turn + 1} of {rounds}", file=sys.stderr, flush=True)
    slower = False
    print(f"{new.name} beside {old.name}, {rounds} rounds in turn\n")
    if rounds < FEWEST_ROUNDS:
        print(f"with fewer than {FEWEST_ROUNDS} rounds nothing is called slower: chance alone would do it too often\n")
    print("| figure | ratio, median | least to most | |\n| --- | --- | --- | --- |")
    for figure, pairs in taken.items():
        ratios = sorted(after / before for before, after in pairs)
        median = statistics.median(ratios)
        said = ""
        if rounds < FEWEST_ROUNDS:
            pass
        elif ratios[0] > 1 and median > 1 + SLOWER:
            said, slower = "**slower**", True
        elif ratios[-1] < 1 and median < 1 - SLOWER:
            said = "quicker"
        print(f"| {figure} | {median:.2f} | {ratios[0]:.2f} to {ratios[-1]:.2f} | {said} |")
    return slower


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("old", help="a commit, or . for the tree as it lies here")
    parser.add_argument("new", help="the other")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls", type=int, default=8_000)
    asked = parser.parse_args()
    with unpacked(asked.old) as old, unpacked(asked.new) as new:
        sys.exit(1 if compare(old, new, asked.rounds, asked.calls) else 0)


if __name__ == "__main__":
    main()
