"""What a run knows of its own calls, and of the processes that other runs belong to."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy import Table

from moot.errors import GenerationFailed
from moot.models.cache import StoredCall
from moot.store import processes
from moot.store.bookkeeping import CallClaim, Settlement
from moot.store.calls import ExperimentCalls
from moot.store.statements import Row
from moot.types import Reply, digest


class Shelf:
    """Calls by their keys, of whichever experiment."""

    presence = None

    def __init__(self) -> None:
        self.rows: dict[str, Row] = {}
        self.failures: list[Row] = []
        self.wanted: list[str] = []

    def want(self, key: str, sample: int | None = None) -> None:
        self.wanted.append(key)

    async def find_call(self, key: str) -> Row | None:
        return self.rows.get(key)

    async def keep_call(self, row: Row, settlement: Settlement | None = None, claim: CallClaim | None = None) -> Row:
        return self.rows.setdefault(row["key"], row)

    def put_later(self, rows: Sequence[tuple[Table, Row]]) -> None:
        self.failures += [row for _, row in rows]


def call(key: str, cost_usd: float | None, **held: Any) -> StoredCall:
    return StoredCall(key, "tom", "{}", Reply("fine", cost_usd=cost_usd, **held).keyed(key), None)


async def test_a_run_counts_what_it_made_and_found_and_what_that_cost() -> None:
    """One cost that nobody knows makes the sum unknown, and it stays so."""
    calls = ExperimentCalls(Shelf(), "cup")
    assert (calls.made, calls.found, calls.cost_usd) == (0, 0, 0.0)
    assert await calls.find_call("a") is None
    await calls.keep_call(call("a", 0.25))
    await calls.keep_call(call("b", 0.5))
    assert (calls.made, calls.found, calls.cost_usd) == (2, 0, 0.75)
    assert (await calls.find_call("a") or Reply("")).text == "fine"
    assert (calls.made, calls.found, calls.cost_usd) == (2, 1, 0.75)
    await calls.keep_call(call("c", None))
    await calls.keep_call(call("d", 1.0))
    assert (calls.made, calls.found, calls.cost_usd) == (4, 1, None)
    await calls.keep_failure("e", "tom", GenerationFailed("no"))
    assert (calls.made, calls.found) == (4, 1)


async def test_a_refusal_that_another_met_is_asked_for_again_and_kept_apart() -> None:
    shelf = Shelf()
    theirs, ours = ExperimentCalls(shelf, "theirs"), ExperimentCalls(shelf, "ours")
    await theirs.keep_call(call("a", 0.0, finish="refusal"))
    assert (await theirs.find_call("a") or Reply("")).refused
    assert await ours.find_call("a") is None
    assert shelf.wanted == [digest(["a", "ours"])], "what is wanted from now on"
    await ours.keep_failure("a", "tom", GenerationFailed("no"))
    assert shelf.failures[-1]["key"] == shelf.wanted[-1]
    assert (theirs.found, ours.found) == (1, 0)
    await ours.keep_call(call("a", 0.0))
    found = await ours.find_call("a")
    assert found is not None
    assert not found.refused
    assert len(shelf.rows) == 2
    assert (await theirs.find_call("a") or Reply("")).refused, "the first one's record stays as it was"


def test_whether_anybody_carries_a_run_on() -> None:
    ours = processes.begun()
    assert not processes.is_gone(ours)
    assert not processes.is_gone(None)
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    gone = ours | {"pid": ended.pid}
    assert processes.is_gone(gone)
    assert processes.is_gone({key: value for key, value in gone.items() if key != "numbers"}), (
        "as older versions wrote it"
    )
    assert not processes.is_gone(gone | {"pid": os.getppid()})
    assert not processes.is_gone(gone | {"host": "elsewhere"}), "nobody can see that from here"
    assert not processes.is_gone(gone | {"numbers": "a container's"})
    processes.over(ours)
    assert processes.is_gone(ours)


@pytest.mark.parametrize(
    ("error", "gone"), [(None, False), (PermissionError(), False), (ProcessLookupError(), True), (OSError(), False)]
)
def test_whose_process_it_is_does_not_matter(
    error: OSError | None, gone: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def kill(pid: int, signal: int) -> None:
        assert signal == 0, "it asks, and sends nothing"
        if error is not None:
            raise error

    ours = processes.begun()
    processes.over(ours)
    monkeypatch.setattr(os, "kill", kill)
    assert processes.is_gone(ours | {"pid": os.getpid() + 1}) is gone
