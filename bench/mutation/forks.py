"""A process that has the large libraries loaded, and forks for each run of pytest. `bench/mutants.py` starts it.

Most mutants are seen by the first test, and what a run costs then is the start of pytest and of NumPy, SciPy and LiteLLM:
ten seconds of a run of eleven. Nothing of moot is loaded here: each fork reads the package as it stands then, fault and all.

A line of JSON asks (`Asked`), and a line answers: the exit code of pytest, or null where it did not end in time. It runs
with the Python of the tests, and imports nothing of what makes the faults.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

LARGE = (
    "pytest",
    "_pytest.assertion.rewrite",
    "hypothesis.strategies",
    "numpy",
    "scipy.stats",
    "scipy.optimize",
    "statsmodels.stats.proportion",
    "yaml",
    "orjson",
    "jinja2",
    "httpx",
    "aiohttp",
    "typer",
    "rich",
    "pydantic",
    "uvicorn",
    "asyncpg",
    "litellm",
)
"""What takes long to import and is the same for every mutant. Where one of them is absent, its tests are skipped as ever."""
ENDING_S = 15.0
"""What pytest may take to end after it was told to."""
LOOKING_S = 0.02
BROKEN = 3
"""What pytest itself says where it has failed: a fault may break the start of a run."""


@dataclass(frozen=True, slots=True)
class Asked:
    arguments: list[str]
    """Of pytest."""
    limit_s: float
    surroundings: dict[str, str]
    """Variables of the environment, above those that this process has."""


def main() -> None:
    sys.path.append(sys.path.pop(0))  # the folder of this file, where plugins are: behind all that tests import
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # as tests/conftest.py does
    for name in LARGE:
        with suppress(ImportError):
            importlib.import_module(name)
    ours = [name for name in sys.modules if name.partition(".")[0] == "moot"]
    assert not ours, f"a fault in these would not be seen: {ours}"
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit())  # so that what runs is ended, too
    with suppress(BrokenPipeError):  # whoever asked is gone
        for line in sys.stdin:
            print(json.dumps(exit_code(Asked(**json.loads(line)))), flush=True)


def exit_code(asked: Asked) -> int | None:
    child = os.fork()
    if child == 0:
        os._exit(as_pytest(asked))
    try:
        return ended(child, asked.limit_s)
    finally:  # what a test has started and not ended goes with it
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)


def as_pytest(asked: Asked) -> int:
    """In the fork: its own group of processes, and nothing of what this process says or is told."""
    try:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)
        os.environ.update(asked.surroundings)
        return int(importlib.import_module("pytest").main(asked.arguments))
    except BaseException:  # noqa: BLE001 -- whatever it is, this process must not go on as its parent
        return BROKEN


def ended(child: int, limit_s: float) -> int | None:
    if (code := code_within(child, limit_s)) is not None:
        return code
    with suppress(ProcessLookupError):
        os.kill(child, signal.SIGINT)  # then pytest says what it has done so far
    if code_within(child, ENDING_S) is None:
        os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return None


def code_within(child: int, limit_s: float) -> int | None:
    until = time.monotonic() + limit_s
    while time.monotonic() < until:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            code: Any = os.waitstatus_to_exitcode(status)
            return int(code)
        time.sleep(LOOKING_S)
    return None


if __name__ == "__main__":
    main()
