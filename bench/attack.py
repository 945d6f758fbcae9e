"""`make attack`: every test that attacks, then the chaos run, and at the end one line: so many tried, so many held.

    python bench/attack.py [--calls 3000] TEST...

An attack is a test (each of its parameters is one of its own) or a promise of the chaos run. One that could not be tried
here, for want of a browser or a database, is said, and is not counted as held.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

import chaos

ROOT = Path(__file__).parent.parent
CALLS = 3_000
EXAMPLES = 150
"""Of everything that hypothesis thinks up, where a test asks for this number."""


def tests(names: list[str]) -> tuple[int, Counter[str]]:
    """How pytest ended, and how many tests ended how."""
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "told.xml"
        workers = ["-n", "3", "--dist", "worksteal"]
        command = [sys.executable, "-m", "pytest", "-q", "-rs", *workers, f"--junitxml={told}", *names]
        environment = {**os.environ, "MOOT_EXAMPLES": str(EXAMPLES)}
        code = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
        if not told.exists():
            return code, Counter()
        return code, Counter(ended(case) for case in ElementTree.parse(told).iter("testcase"))


def ended(case: ElementTree.Element) -> str:
    for way in ("failure", "error", "skipped"):
        if case.find(way) is not None:
            return way
    return "passed"


def chaos_run(calls: int) -> Counter[str]:
    """The small one: kills come by progress, so that a slow machine gets anywhere at all."""
    small = chaos.Chaos(calls, kill_every_s=1.0, kill_every_requests=calls // 8, concurrent=16, patience_s=1200)
    with tempfile.TemporaryDirectory() as folder:
        try:
            promises = chaos.run(Path(folder), small, lambda line: print(line, flush=True))
        except SystemExit as error:
            print(error, flush=True)
            return Counter(failure=1)
    return Counter("passed" if holds else "failure" for _, holds in promises)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--calls", type=int, default=CALLS, help="of the chaos run")
    options.add_argument("tests", nargs="+")
    given = options.parse_args()
    began = time.monotonic()
    code, ways = tests(given.tests)
    tested_s = time.monotonic() - began
    ways += chaos_run(given.calls)
    minutes = (time.monotonic() - began) / 60
    tried = sum(ways.values()) - ways["skipped"]
    untried = f"; NOT TRIED: {ways['skipped']}, see above" if ways["skipped"] else ""
    took = f"{minutes:.1f} minutes, {(60 * minutes - tested_s) / 60:.1f} of them chaos"
    print(f"attacks: {tried:,} tried, {ways['passed']:,} held{untried} ({took})")
    if code or not tried or ways["passed"] != tried:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
