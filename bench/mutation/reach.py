"""A plugin of pytest: which test runs which line of the package, and what each takes. `bench/mutants.py` loads it.

The environment that the tests run in has no coverage.py, and is not to get it: it stands last on the path, so that
nothing else of the other environment is found before what the tests are meant to run with.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.append(os.environ["MUTANTS_PACKAGES"])

import coverage

PACKAGE = Path.cwd() / "src" / "moot"
recorder = coverage.Coverage(data_file=None, source=[str(PACKAGE)], messages=False)
seconds: dict[str, float] = {}
"""Of the processor, with what it started: on a busy machine a quick test is none the slower."""
waited: dict[str, float] = {}
"""By the clock."""
failed: set[str] = set()
recorder.start()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    started, used = time.monotonic(), processor_seconds()
    recorder.switch_context(item.nodeid)
    try:
        return (yield)
    finally:
        recorder.switch_context("")
        seconds[item.nodeid] = processor_seconds() - used
        waited[item.nodeid] = time.monotonic() - started


def processor_seconds() -> float:
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: Any, request: Any) -> Iterator[Any]:
    """What a whole file shares is made in the first test that asks for it, and reached by all of the file."""
    if fixturedef.scope == "function":
        return (yield)
    recorder.switch_context(request.node.nodeid.split("::")[0])
    try:
        return (yield)
    finally:
        recorder.switch_context(os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0])


def pytest_runtest_logreport(report: Any) -> None:
    if report.outcome == "failed":
        failed.add(report.nodeid)


def pytest_sessionfinish() -> None:
    """By test file: its tests, and for each line of the package the tests of the file that run it, `""` for all of them."""
    recorder.stop()
    reached: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    data = recorder.get_data()
    for source in data.measured_files():
        place = Path(source).relative_to(PACKAGE.parent.parent)
        for line, tests in data.contexts_by_lineno(source).items():
            for test in tests:
                if test:
                    file, _, name = test.partition("::")
                    reached[file][f"{place}:{line}"].append(name)
    record: dict[str, Any] = {
        file: {
            "seconds": {test: round(time, 3) for test, time in seconds.items() if test.split("::")[0] == file},
            "waited": {test: round(time, 3) for test, time in waited.items() if test.split("::")[0] == file},
            "failed": sorted(test for test in failed if test.split("::")[0] == file),
            "lines": reached[file],
        }
        for file in sorted({test.split("::")[0] for test in seconds})
    }
    Path(os.environ["MUTANTS_RECORD"]).write_text(json.dumps(record))
