"""How many small faults do the tests see? `make mutants`, or `python bench/mutants.py --count 40 --rooms stats`.

A mutant is the package with one place changed: a comparison turned, a number one more, a loop that never runs. `mutation/draw.py`
says which are tried, `mutation/fitting.py` with which tests. The tree is copied, the copy is changed, and the tests run there
until one fails, in forks of a process that has the large libraries loaded (`mutation/trees.py`, `mutation/forks.py`): one to five
seconds for most that are seen. A mutant whose tests outlast the limit is killed, as a test that hangs is seen by whoever waits
for it; the report says how many those were, since a busy machine makes some of them. Whether a survivor is another way to write
the same thing no machine can say: all are listed with their diffs, and the share killed is out of all that were tried.

What was tried stands in a file, one line each: a run that is stopped, by Ctrl-C or by `--minutes`, reports what it has, and
the next one goes on from there.
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

from mutation.draw import HOUSE, Mutant, drawn
from mutation.fitting import Reach
from mutation.trees import Trees

ROOMS = ("stats", "measures", "ballots", "models", "store")
Z_95 = 1.959964


def wilson(killed: int, n: int) -> tuple[float, float]:
    share, width = killed / n, Z_95**2 / n
    centre = (share + width / 2) / (1 + width)
    half = math.sqrt(width * (share * (1 - share) + width / 4)) / (1 + width)
    return max(0.0, centre - half), min(1.0, centre + half)


class Record:
    """What has been tried, one a line. What was killed is dead while its file stands as it was; what has survived is
    tried again in the next run, which may have more tests."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        lines = path.read_text().splitlines() if path.exists() else ()
        rows = [json.loads(line) for line in lines]
        self._killed = {tuple(row["id"]): row for row in rows if row["outcome"].startswith("killed")}

    def killed(self, mutant: Mutant) -> dict[str, Any] | None:
        return self._killed.get(mutant.ident)

    def keep(self, row: dict[str, Any]) -> None:
        with self._path.open("a") as out:
            out.write(json.dumps(row) + "\n")


def main() -> None:
    asked = arguments()
    kept = Path(asked.out)
    record, until = Record(kept), time.monotonic() + 60 * asked.minutes
    reach = Reach(kept.parent / "reach", asked.without, asked.only, asked.seconds, asked.jobs)
    with (
        tempfile.TemporaryDirectory(prefix="mutants-") as folder,
        closing(Trees(Path(folder), asked.jobs, asked.python)) as trees,
    ):
        for room in asked.rooms:
            mutants, places = drawn(room, asked.count, asked.seed)
            reach.learn(room, trees)
            rows: list[dict[str, Any]] = []
            try:
                rows.extend(results(mutants, record, reach, trees, asked.jobs, until))
            finally:
                report(room, rows, places)


def results(
    mutants: Sequence[Mutant], record: Record, reach: Reach, trees: Trees, jobs: int, until: float
) -> Iterator[dict[str, Any]]:
    """In the order of the draw, so that what is left out when the time is over is its end."""
    with ThreadPoolExecutor(jobs) as pool:
        begun = [
            row or pool.submit(trees.tried, mutant, reach.clocked(mutant), until)
            for mutant in mutants
            for row in (record.killed(mutant),)
        ]
        try:
            for each in begun:
                if isinstance(each, dict):
                    yield each
                elif row := each.result():
                    record.keep(row)
                    print(f"{row['outcome']:15}{row['id'][0]}:{row['id'][1]}  {row['seconds']} s", flush=True)
                    yield row
                else:
                    return
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def report(room: str, rows: Sequence[dict[str, Any]], places: int) -> None:
    if not rows:
        print(f"\n{room}: none was tried of {places} places\n", flush=True)
        return
    ends = [row["outcome"] for row in rows]
    killed = sum(end.startswith("killed") for end in ends)
    low, high = wilson(killed, len(rows))
    print(
        f"\n{room}: {killed} of {len(rows)} killed ({ends.count('killed by time')} by time), drawn from {places} places: "
        f"{killed / len(rows):.3f} [{low:.3f}, {high:.3f}]"
    )
    for row in sorted(rows, key=lambda row: tuple(row["id"][:3])):
        if not row["outcome"].startswith("killed"):
            operator = row["id"][3].partition("/")[2]
            print(f"{row['outcome']} ({operator}, {row['tests']} tests)\n{row.get('diff', '')}\n")
    print(flush=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=400, help="mutants of each room")
    parser.add_argument(
        "--seed", type=int, default=1, help="which of them are drawn; a larger count goes on with the draw"
    )
    parser.add_argument("--rooms", nargs="+", default=ROOMS, choices=ROOMS)
    parser.add_argument("--python", default=str(HOUSE / ".venv/bin/python"), help="the one that runs the tests")
    parser.add_argument("--without", nargs="*", default=(), help="files of tests that take too long")
    parser.add_argument("--only", default="", help="of the tests, in the words of pytest -k: 'not postgresql'")
    parser.add_argument(
        "--seconds", type=float, default=30.0, help="that the tests of one mutant may take, as recorded"
    )
    parser.add_argument("--minutes", type=float, default=math.inf, help="after which no other mutant is begun")
    parser.add_argument("--jobs", type=int, default=1, choices=(1, 2), help="mutants at once")
    parser.add_argument("--out", default=str(HOUSE / ".mutants/outcomes.jsonl"), help="what has been tried, one a line")
    return parser.parse_args()


if __name__ == "__main__":
    main()
