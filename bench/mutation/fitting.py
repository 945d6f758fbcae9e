"""Which tests fit a mutant: those of the room's own folders that run its line, as one run with coverage.py has shown.

A line that only an import runs is tried with all that run anything of its file, or with all there are; and every line with those
tests that read the source. Slow tests, and the slowest of very many, are left out.
"""

from __future__ import annotations

import ast
import hashlib
import itertools
import json
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from mutation.draw import HOUSE, Mutant, digest
from mutation.trees import Trees

BESIDE = {
    "stats": tuple(f"tests/measures/test_{name}.py" for name in ("fidelity", "pairs", "paper_numbers", "played")),
    "ballots": ("tests/strategies/test_vote.py", "tests/strategies/discuss/test_votes.py"),
    "store": ("tests/engine/test_run_state.py",),
}
"""Tests of a room that do not stand in its own folder."""
OF_SOURCES = ("tests/test_values.py",)
"""Tests that read the source and run none of it: they fit every line."""
SLOW_S = 4.0
"""A test that took more of the processor is left out, and so is one that mostly waits, and takes `WAITING` times as long."""
WAITING = 5.0
RECORDING_S = 240.0
"""What a file of tests may take while it is recorded which lines it runs."""
NO_TESTS: dict[str, Any] = {"seconds": {}, "waited": {}, "failed": [], "lines": {}}


class Reach:
    """The tests that run a line, by test file; a file is recorded anew when it, or the package, has changed."""

    def __init__(self, folder: Path, without: Sequence[str], only: str, longest_s: float, jobs: int = 1) -> None:
        self.folder, self.without, self.only, self.longest_s = folder, without, only, longest_s
        self.jobs = jobs
        folder.mkdir(parents=True, exist_ok=True)
        package = sorted((HOUSE / "src").rglob("*.py")) + sorted((HOUSE / "tests" / "shared").rglob("*.py"))
        self.package = digest(*package)
        self.records: dict[str, dict[str, Any]] = {}

    def learn(self, room: str, trees: Trees) -> None:
        files = sorted((HOUSE / "tests" / room).rglob("test_*.py")) + [
            HOUSE / path for path in (*BESIDE.get(room, ()), *OF_SOURCES)
        ]
        names = [name for file in files if (name := str(file.relative_to(HOUSE))) not in self.without]
        chosen = hashlib.sha256(self.only.encode()).hexdigest()[:8] if self.only else ""
        kept = {name: self.folder / f"{digest(HOUSE / name)}-{self.package}{chosen}.json" for name in names}
        if missing := [name for name in names if not kept[name].exists()]:
            print(f"{room}: which test runs which line of the package, {len(missing)} files ...", flush=True)
            with ThreadPoolExecutor(self.jobs) as pool:
                list(pool.map(lambda name: kept[name].write_text(json.dumps(self._record(name, trees))), missing))
        self.records = {name: json.loads(path.read_text()) for name, path in kept.items() if path.exists()}
        if failed := [test for record in self.records.values() for test in record["failed"]]:
            print(f"{room}: left out, since they fail as it is: {', '.join(failed)}", flush=True)

    def _record(self, name: str, trees: Trees) -> dict[str, Any]:
        with tempfile.NamedTemporaryFile(suffix=".json") as out, trees.one() as tree:
            packages = next(path for path in sys.path if path.endswith("site-packages"))
            surroundings = {"MUTANTS_PACKAGES": packages, "MUTANTS_RECORD": out.name}
            if tree.pytest(["-p", "reach", "-m", "not long", "-k", self.only, name], RECORDING_S, surroundings) is None:
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
