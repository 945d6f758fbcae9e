"""Copies of the tree, each with a process that runs pytest there: a fault is planted in the copy, and taken out again."""

from __future__ import annotations

import difflib
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mutation.draw import HOUSE, Mutant, changed

FORKS = HOUSE / "bench" / "mutation" / "forks.py"
PYTEST = ("-q", "--no-header", "-p", "no:cacheprovider", "-p", "no:schemathesis", "-p", "no:xdist")
STARTING_S = 40.0
"""What pytest may take to start on a busy machine, above what its tests took."""
PATIENCE = 4.0
"""So many times what its tests took by the clock is a mutant waited for."""
QUICKEST = 3
NO_SUCH_TEST = 4


class Tree:
    def __init__(self, folder: Path, python: str) -> None:
        self.folder = copied(folder, python)
        self._forks = subprocess.Popen(
            [python, str(FORKS)],
            cwd=self.folder,
            env=environment(self.folder),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def pytest(
        self, arguments: Sequence[str], limit_s: float, surroundings: dict[str, str] | None = None
    ) -> int | None:
        """How it ended; None: it did not, in this time."""
        assert self._forks.stdin
        assert self._forks.stdout
        asked = {"arguments": [*PYTEST, *arguments], "limit_s": limit_s, "surroundings": surroundings or {}}
        self._forks.stdin.write(json.dumps(asked) + "\n")
        self._forks.stdin.flush()
        code: int | None = json.loads(self._forks.stdout.readline())
        return code

    def close(self) -> None:
        self._forks.terminate()
        self._forks.wait()

    def outcome(self, mutant: Mutant, tests: dict[str, float]) -> dict[str, str]:
        """What became of it, and its diff. The tests come with what each takes by the clock."""
        file = self.folder / mutant.file
        source, mutated = file.read_text(), changed(mutant)
        diff = difference(mutant.file, source, mutated)
        if not tests:
            return {"outcome": "not reached", "diff": diff}
        file.write_text(mutated)
        try:
            ends = (self._end(step) for step in in_steps(tests))
            code = next((code for code in ends if code != 0), 0)
        finally:
            file.write_text(source)
        return {"outcome": "killed by time" if code is None else "killed" if code else "survived", "diff": diff}

    def _end(self, tests: dict[str, float]) -> int | None:
        limit_s = STARTING_S + PATIENCE * sum(tests.values())
        code = self.pytest(["-x", *tests], limit_s)
        if code == NO_SUCH_TEST:  # the fault has given a test another name, which nobody has seen yet
            code = self.pytest(["-x", *sorted({test.split("::")[0] for test in tests})], limit_s)
        return code


class Trees:
    """One for each of those who work at once."""

    def __init__(self, folder: Path, count: int, python: str) -> None:
        self._all = [Tree(folder / str(number), python) for number in range(count)]
        self._free = list(self._all)

    def close(self) -> None:
        for tree in self._all:
            tree.close()

    @contextmanager
    def one(self) -> Iterator[Tree]:
        tree = self._free.pop()
        try:
            yield tree
        finally:
            self._free.append(tree)

    def tried(self, mutant: Mutant, tests: dict[str, float], until: float) -> dict[str, Any] | None:
        """None: the time was over before it."""
        if time.monotonic() > until:
            return None
        started = time.monotonic()
        with self.one() as tree:
            end = tree.outcome(mutant, tests)
        took_s = round(time.monotonic() - started, 1)
        return {"id": mutant.ident, **end, "tests": len(tests), "seconds": took_s}


def environment(tree: Path) -> dict[str, str]:
    """`CI`: hypothesis then tries the same examples each time and has no time limit, so a slow machine kills nothing. What pytest
    has compiled of the tests, which never change here, is kept."""
    return {**os.environ, "PYTHONPATH": str(tree / "src"), "PYTHONDONTWRITEBYTECODE": "", "CI": "true"}


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


def in_steps(tests: dict[str, float]) -> Iterator[dict[str, float]]:
    """The quickest files, then all others: pytest imports every file it is given before it runs a test, and most faults are
    seen by the first."""
    files = list(dict.fromkeys(test.split("::")[0] for test in tests))
    for step in (files[:QUICKEST], files[QUICKEST:]):
        if asked := {test: waited for test, waited in tests.items() if test.split("::")[0] in step}:
            yield asked


def difference(file: str, before: str, after: str) -> str:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), file, file, n=1, lineterm="")
    return "\n".join(lines)
