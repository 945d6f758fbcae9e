"""How many small faults do the tests see? `make mutants`, or `python bench/mutants.py --count 40 --rooms stats`.

A mutant is the package with one place changed: a comparison turned, a number one more, a loop that never runs. The changes
are cosmic-ray's, used as a library: neither its command nor mutmut draws a sample of so many by seed, or runs for each
mutant the tests that reach its line. What is drawn is a place and a kind of change, and then one of the kind's changes:
cosmic-ray has eleven for every `+`, and a draw over all of them would be a draw of plus signs. Type hints and the bare
star of a signature are no behaviour and are left out.

The tests that fit are those of the room's own folders that run the changed line, as one run with coverage.py has shown;
a line that only an import runs is tried with all that run anything of its file, or with all there are; and with those that
read the source. Slow tests, and the slowest of very many, are left out. The tree is copied, the copy is changed, and
the tests run there until one fails. A mutant whose tests outlast the limit is killed, as a test that hangs is seen by
whoever waits for it; the report says how many those were, since a busy machine makes some of them. Whether a survivor is
another way to write the same thing no machine can say: all are listed with their diffs, and the share killed is out of all
that were tried.

What was tried stands in a file, one line each: a run that is stopped, by Ctrl-C or by `--minutes`, reports what it has, and
the next one goes on from there.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import hashlib
import itertools
import json
import math
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import parso  # first: cosmic-ray imports a part of it that cannot be imported alone
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

HOUSE = Path(__file__).resolve().parents[1]
PLUGINS = HOUSE / "bench" / "mutation"
ROOMS = ("stats", "measures", "ballots", "models", "store")
BESIDE = {
    "stats": tuple(f"tests/measures/test_{name}.py" for name in ("fidelity", "pairs", "paper_numbers", "played")),
    "ballots": ("tests/strategies/test_vote.py", "tests/strategies/discuss/test_votes.py"),
    "store": ("tests/engine/test_run_state.py",),
}
"""Tests of a room that do not stand in its own folder."""
OF_SOURCES = ("tests/test_values.py",)
"""Tests that read the source and run none of it: they fit every line."""
STARTING_S = 40.0
"""What pytest may take to start on a busy machine, above what its tests took."""
PATIENCE = 4.0
"""So many times what its tests took by the clock is a mutant waited for."""
SLOW_S = 4.0
"""A test that took more of the processor is left out, and so is one that mostly waits, and takes `WAITING` times as long."""
WAITING = 5.0
RECORDING_S = 240.0
"""What a file of tests may take while it is recorded which lines it runs."""
ENDING_S = 15.0
"""What pytest may take to end after it was told to."""
NO_TESTS: dict[str, Any] = {"seconds": {}, "waited": {}, "failed": [], "lines": {}}
Z_95 = 1.959964


@dataclass(frozen=True, slots=True)
class Mutant:
    file: str
    line: int
    column: int
    operator: str
    occurrence: int

    @property
    def ident(self) -> tuple[str | int, ...]:
        """With what its file held: a file that has changed has other mutants."""
        return self.file, self.line, self.column, self.operator, self.occurrence, digest(HOUSE / self.file)

    @property
    def place(self) -> tuple[str, int, int, str]:
        """Where, and what kind of change: `ReplaceBinaryOperator_Add_Sub` is one of eleven of a kind."""
        return self.file, self.line, self.column, self.operator.partition("_")[0]


def mutants_of(file: Path) -> Iterator[Mutant]:
    nodes = list(ast_nodes(get_ast(file.read_text())))
    for name in operator_names():
        operator_class = get_operator(name)
        if operator_class.arguments():
            continue
        operator = operator_class()
        changes = ((node, start) for node in nodes for start, _ in operator.mutation_positions(node))
        for occurrence, (node, (line, column)) in enumerate(changes):
            if not is_type_hint(node):
                yield Mutant(str(file.relative_to(HOUSE)), line, column, name, occurrence)


def is_type_hint(node: Any) -> bool:
    inside = node
    while (above := inside.parent) is not None:
        if above.type == "annassign" and inside is above.children[1]:
            return True
        if above.type == "tfpdef" and inside is above.children[2]:
            return True
        if above.type == "funcdef" and inside is above.annotation:
            return True
        inside = above
    return False


def drawn(room: str, count: int, seed: int) -> tuple[list[Mutant], int]:
    """So many places of a room, one change each; and how many places there are."""
    places: dict[tuple[str, int, int, str], list[Mutant]] = defaultdict(list)
    for file in sorted((HOUSE / "src" / "moot" / room).rglob("*.py")):
        for mutant in mutants_of(file):
            places[mutant.place].append(mutant)
    generator = random.Random(f"{seed} {room}")
    order = sorted(places)
    generator.shuffle(order)
    compiling = (made for place in order if (made := one_that_compiles(places[place], generator)))
    return list(itertools.islice(compiling, count)), len(places)


def one_that_compiles(mutants: list[Mutant], generator: random.Random) -> Mutant | None:
    """A `**` before keywords is no power: what no longer compiles is no fault that a test would have to see."""
    for mutant in generator.sample(mutants, len(mutants)):
        try:
            compile(changed(mutant), mutant.file, "exec")
        except (SyntaxError, AttributeError):  # cosmic-ray stumbles over `except a.b`
            continue
        return None if is_bare_star(mutant) else mutant
    return None


def is_bare_star(mutant: Mutant) -> bool:
    """`def f(a, *, b)`: the star says how it is called, and cosmic-ray makes a slash of it."""
    leaf = get_ast((HOUSE / mutant.file).read_text()).get_leaf_for_position((mutant.line, mutant.column))
    return leaf.value == "*" and leaf.parent.type in ("parameters", "lambdef", "param")


def changed(mutant: Mutant) -> str:
    text: str = mutate_code((HOUSE / mutant.file).read_text(), get_operator(mutant.operator)(), mutant.occurrence)
    return text


# --- which tests reach a line -----------------------------------------------------------------------------------------


class Reach:
    """The tests that run a line, by test file; a file is recorded anew when it, or the package, has changed."""

    def __init__(
        self, folder: Path, python: str, without: Sequence[str], only: str, longest_s: float, jobs: int = 1
    ) -> None:
        self.folder, self.python, self.without, self.only, self.longest_s = folder, python, without, only, longest_s
        self.jobs = jobs
        folder.mkdir(parents=True, exist_ok=True)
        package = sorted((HOUSE / "src").rglob("*.py")) + sorted((HOUSE / "tests" / "shared").rglob("*.py"))
        self.package = digest(*package)
        self.records: dict[str, dict[str, Any]] = {}

    def learn(self, room: str) -> None:
        files = sorted((HOUSE / "tests" / room).rglob("test_*.py")) + [
            HOUSE / path for path in (*BESIDE.get(room, ()), *OF_SOURCES)
        ]
        names = [name for file in files if (name := str(file.relative_to(HOUSE))) not in self.without]
        chosen = hashlib.sha256(self.only.encode()).hexdigest()[:8] if self.only else ""
        kept = {name: self.folder / f"{digest(HOUSE / name)}-{self.package}{chosen}.json" for name in names}
        if missing := [name for name in names if not kept[name].exists()]:
            print(f"{room}: which test runs which line of the package, {len(missing)} files ...", flush=True)
            with ThreadPoolExecutor(self.jobs) as pool:
                list(pool.map(lambda name: kept[name].write_text(json.dumps(self._record(name))), missing))
        self.records = {name: json.loads(path.read_text()) for name, path in kept.items() if path.exists()}
        if failed := [test for record in self.records.values() for test in record["failed"]]:
            print(f"{room}: left out, since they fail as it is: {', '.join(failed)}", flush=True)

    def _record(self, name: str) -> dict[str, Any]:
        with tempfile.NamedTemporaryFile(suffix=".json") as out:
            packages = next(path for path in sys.path if path.endswith("site-packages"))
            surroundings = environment(HOUSE) | {"MUTANTS_PACKAGES": packages, "MUTANTS_RECORD": out.name}
            code = pytest_code(HOUSE, ["-p", "reach", "-k", self.only, name], self.python, RECORDING_S, surroundings)
            if code is None:
                print(f"only what is done in {RECORDING_S:g} s of it: {name}", flush=True)
            written = Path(out.name).read_text()
            record: dict[str, Any] = json.loads(written).get(name, NO_TESTS) if written else NO_TESTS
            return record

    def tests_for(self, file: str, line: int) -> dict[str, float]:
        """Their names and seconds of the processor, the quickest files first; the slowest go where all take too long together."""
        tests = self._reaching({f"{file}:{line}"}) if runs_when_called(HOUSE / file, line) else {}
        tests = tests or self._reaching({key for record in self.records.values() for key in record["lines"]}, file)
        tests = tests or self._all()  # nothing of the file runs but by an import: any test may go by what stands there
        tests |= {test: seconds for test, seconds in self._all().items() if test.split("::")[0] in OF_SOURCES}
        tests = {
            test: seconds
            for test, seconds in tests.items()
            if seconds <= SLOW_S and self.waited(test) <= WAITING * SLOW_S
        }
        quickest = sorted(tests, key=tests.__getitem__)
        together = itertools.accumulate(tests[test] for test in quickest)
        kept = {test for test, seconds in zip(quickest, together, strict=True) if seconds <= self.longest_s}
        return {test: seconds for test, seconds in tests.items() if test in kept}

    def clocked(self, mutant: Mutant) -> dict[str, float]:
        """What fits it, with what each takes by the clock."""
        return {test: self.waited(test) for test in self.tests_for(mutant.file, mutant.line)}

    def waited(self, test: str) -> float:
        waited: float = self.records[test.split("::")[0]]["waited"][test]
        return waited

    def _all(self) -> dict[str, float]:
        seconds = {test: time for record in self.records.values() for test, time in record["seconds"].items()}
        failed = {test for record in self.records.values() for test in record["failed"]}
        return {test: time for test, time in seconds.items() if test not in failed}

    def _reaching(self, lines: set[str], file: str | None = None) -> dict[str, float]:
        by_file: list[dict[str, float]] = []
        for name, record in self.records.items():
            keys = [key for key in lines if key in record["lines"] and (file is None or key.startswith(f"{file}:"))]
            reaching = {test for key in keys for test in record["lines"][key]}
            by_file.append(
                {
                    test: seconds
                    for test, seconds in record["seconds"].items()
                    if test not in record["failed"] and ("" in reaching or test.removeprefix(f"{name}::") in reaching)
                }
            )
        by_file.sort(key=lambda tests: sum(tests.values()))
        return {test: seconds for tests in by_file for test, seconds in tests.items()}


def runs_when_called(file: Path, line: int) -> bool:
    """Whether it stands within a function. Else an import runs it, in whichever test comes first."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    found = [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, functions)]
    return any(each.body[0].lineno <= line <= (each.end_lineno or line) for each in found)


def digest(*files: Path) -> str:
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


# --- a copy of the tree with a fault in it ----------------------------------------------------------------------------

PYTEST = ("-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider", "-p", "no:schemathesis", "-p", "no:xdist")


def environment(tree: Path) -> dict[str, str]:
    """`CI`: hypothesis then tries the same examples each time and has no time limit, so a slow machine kills nothing."""
    paths = f"{tree / 'src'}{os.pathsep}{PLUGINS}"
    return {**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1", "CI": "true"}


def copied(folder: Path, python: str) -> Path:
    tree = folder / "tree"
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=HOUSE, check=True, capture_output=True, text=True).stdout
    for name in filter(None, names.split("\0")):
        if (HOUSE / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(HOUSE / name, tree / name)
    if (HOUSE.parent / "shared").exists():
        (folder / "shared").symlink_to((HOUSE.parent / "shared").resolve())
    # Compiled once, known by what the source holds: a changed file is compiled anew, also within the second.
    compiled = [python, "-m", "compileall", "-q", "--invalidation-mode", "checked-hash", str(tree / "src")]
    subprocess.run(compiled, check=False)
    return tree


def outcome(mutant: Mutant, tree: Path, tests: dict[str, float], python: str) -> tuple[str, str]:
    """What became of it, and its diff. The tests come with what each takes by the clock."""
    source, mutated = (HOUSE / mutant.file).read_text(), changed(mutant)
    diff = difference(mutant.file, source, mutated)
    if not tests:
        return "not reached", diff
    (tree / mutant.file).write_text(mutated)
    try:
        ends = (pytest_end(tree, step, python) for step in in_steps(tests))
        code = next((code for code in ends if code != 0), 0)
    finally:
        (tree / mutant.file).write_text(source)
    return ("killed by time" if code is None else "killed" if code else "survived"), diff


def in_steps(tests: dict[str, float]) -> Iterator[dict[str, float]]:
    """The quickest files, then all others: pytest imports every file it is given before it runs a test, and most faults are
    seen by the first."""
    files = list(dict.fromkeys(test.split("::")[0] for test in tests))
    for step in (files[:QUICKEST], files[QUICKEST:]):
        if asked := {test: waited for test, waited in tests.items() if test.split("::")[0] in step}:
            yield asked


def pytest_end(tree: Path, tests: dict[str, float], python: str) -> int | None:
    limit_s = STARTING_S + PATIENCE * sum(tests.values())
    code = pytest_code(tree, ["-x", *tests], python, limit_s)
    if code == NO_SUCH_TEST:  # the fault has given a test another name, which nobody has seen yet
        code = pytest_code(tree, ["-x", *sorted({test.split("::")[0] for test in tests})], python, limit_s)
    return code


QUICKEST = 3
NO_SUCH_TEST = 4


def pytest_code(
    tree: Path, asked: Sequence[str], python: str, limit_s: float, surroundings: dict[str, str] | None = None
) -> int | None:
    """How it ended; None: it did not, in this time."""
    process = subprocess.Popen(
        [python, *PYTEST, *asked],
        cwd=tree,
        env=surroundings or environment(tree),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return process.wait(limit_s)
    except subprocess.TimeoutExpired:
        os.kill(process.pid, signal.SIGINT)  # then pytest says what it has done so far
        with suppress(subprocess.TimeoutExpired):
            process.wait(ENDING_S)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return None


def difference(file: str, before: str, after: str) -> str:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), file, file, n=1, lineterm="")
    return "\n".join(lines)


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


class Trees:
    """Copies of the tree, one for each of those who work at once."""

    def __init__(self, folder: Path, count: int, python: str) -> None:
        self._python = python
        self._free = [copied(folder / str(number), python) for number in range(count)]

    def tried(self, mutant: Mutant, tests: dict[str, float], until: float) -> dict[str, Any] | None:
        """None: the time was over before it."""
        if time.monotonic() > until:
            return None
        started, tree = time.monotonic(), self._free.pop()
        try:
            end, diff = outcome(mutant, tree, tests, self._python)
        finally:
            self._free.append(tree)
        took_s = round(time.monotonic() - started, 1)
        return {"id": mutant.ident, "outcome": end, "diff": diff, "tests": len(tests), "seconds": took_s}


def main() -> None:
    asked = arguments()
    kept = Path(asked.out)
    record, until = Record(kept), time.monotonic() + 60 * asked.minutes
    reach = Reach(kept.parent / "reach", asked.python, asked.without, asked.only, asked.seconds, asked.jobs)
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        trees = Trees(Path(folder), asked.jobs, asked.python)
        for room in asked.rooms:
            mutants, places = drawn(room, asked.count, asked.seed)
            reach.learn(room)
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
    for row in sorted(rows, key=lambda row: row["id"][:3]):
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
    assert parso
    main()
