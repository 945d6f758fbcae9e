"""What is not to change by accident: keys of the tables, records as they were first written, and the locks that are read."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from moot.store import file_locks, schema
from moot.store.before_traces import _ballot, _readers
from moot.store.file_locks import WRITING, writer_of
from moot.store.old_strategies import old_record
from moot.store.sqlite import SqliteStore

PRIMARY_KEYS: dict[str, tuple[str, ...]] = {
    "absences": ("key",),
    "accounts": ("experiment",),
    "calls": ("key",),
    "cases": ("id",),
    "cells": ("id",),
    "choices": ("cell", "question"),
    "claims": ("key",),
    "declarations": ("experiment", "kind", "text"),
    "episodes": ("cell", "question", "repeat"),
    "experiment_cells": ("experiment", "position"),
    "experiment_questions": ("experiment", "position"),
    "experiments": ("id",),
    "failures": ("id",),
    "grades": ("case", "answer", "grader"),
    "holders": ("id",),
    "judge_calls": ("case", "key"),
    "judgements": ("case", "answer", "judge"),
    "losses": ("id",),
    "matches": ("question", "repeat"),
    "migrations": ("name",),
    "overcharges": ("whose", "holder"),
    "payments": ("payer", "day"),
    "preferences": ("question", "first", "second", "judge"),
    "reservations": ("id",),
    "runs": ("id",),
    "scores": ("cell", "case", "repeat", "grader"),
    "served_calls": ("key", "experiment", "question", "repeat"),
    "settlements": ("case", "answer"),
    "titles": ("episode", "person"),
    "unpriced_losses": ("id",),
    "unscrubbed": ("experiment", "mark"),
    "votes": ("first", "second", "person"),
}

MAY_BE_EMPTY: dict[str, set[str]] = {
    "calls": {
        "prompt_tokens",
        "completion_tokens",
        "reasoning_tokens",
        "cached_tokens",
        "version",
        "cost_usd",
        "thoughts",
        "logprobs",
        "recorded",
    },
    "cells": {"team", "captain", "player", "cohort", "options", "traits"},
    "episodes": {"answer", "unreached"},
    "experiment_questions": {"question_set", "cluster", "asker"},
    "grades": {"value", "detail"},
    "judgements": {"right", "detail", "judge_name", "call_key", "tries", "points"},
    "migrations": {"applied_at"},
    "preferences": {"preferred", "reason", "call_key", "tries"},
    "reservations": {"payer"},
    "runs": {"finished_at"},
    "scores": {"value", "detail", "failure"},
    "settlements": {"turned"},
    "unscrubbed": {"asker"},
}


def test_what_a_row_may_leave_open() -> None:
    tables = schema.metadata.tables.items()
    found = {name: {column.name for column in table.columns if column.nullable} for name, table in tables}
    assert {name: columns for name, columns in found.items() if columns} == MAY_BE_EMPTY


INDEXED: dict[str, set[tuple[str, ...]]] = {
    "calls": {("experiment",)},
    "cases": {("question_id",)},
    "claims": {("holder",)},
    "episodes": {("created_at",)},
    "experiment_questions": {("experiment", "question")},
    "experiments": {("name",)},
    "failures": {("experiment",)},
    "judge_calls": {("key",)},
    "losses": {("experiment",)},
    "reservations": {("experiment",)},
    "runs": {("experiment",)},
    "unpriced_losses": {("experiment",)},
}
CLUSTERED = {
    "choices",
    "declarations",
    "experiment_cells",
    "experiment_questions",
    "grades",
    "judge_calls",
    "judgements",
    "matches",
    "overcharges",
    "preferences",
    "scores",
    "served_calls",
    "settlements",
    "titles",
    "unscrubbed",
    "votes",
}
"""Tables that SQLite keeps in the order of their keys."""


async def test_what_is_found_without_reading_a_whole_table(tmp_path: Path) -> None:
    """As it stands in a file that was made today."""
    await (await SqliteStore(tmp_path / "s.db").open()).close()
    with closing(sqlite3.connect(tmp_path / "s.db")) as file:
        tables = [name for (name,) in file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        found: dict[str, set[tuple[str, ...]]] = {name: set() for name in tables}
        for name in tables:
            for _, index, unique, origin, *_ in file.execute(f"PRAGMA index_list({name})").fetchall():
                if origin == "c":
                    assert not unique
                    found[name].add(tuple(row[2] for row in file.execute(f"PRAGMA index_info({index})")))
        clustered = {row[1] for row in file.execute("PRAGMA table_list") if row[4]}
    assert {name: indexes for name, indexes in found.items() if indexes} == INDEXED
    assert clustered & set(tables) == CLUSTERED


def test_what_makes_a_row_the_same_row() -> None:
    """A key with a column less forgets rows, one with a column more keeps a row twice; both need a migration."""
    keys = {name: tuple(table.primary_key.columns.keys()) for name, table in schema.metadata.tables.items()}
    assert keys == PRIMARY_KEYS


@pytest.mark.parametrize(
    ("kind", "left_out"),
    [
        ("grouped", {"stages": (), "fell_back": None, "turn": 1}),
        ("ballot", {"form": "choice", "order": (), "turn": 1, "role": "voter", "cause": None}),
        ("counted", {"turn": 1, "solutions": {}}),
        ("shown", {"turn": 2, "drawn": True, "answer": None, "places": None}),
        ("round", {"changed": (), "absent": (), "late": ()}),
        ("review", {"turn": 2}),
        ("remark", {"text": None, "solution": None, "agree": None, "position": None, "part": 0, "heard_by": ()}),
        ("remark", {"backs": None, "outcome": None, "cause": None}),
        ("challenge", {"shown": None, "planted": None, "facts": None, "cause": None}),
        ("objection", {"answer": None, "cause": None}),
    ],
)
def test_what_a_record_left_out_when_traces_were_first_written(kind: str, left_out: dict[str, Any]) -> None:
    assert old_record(kind, **left_out) == {"kind": kind}
    for name in left_out:
        assert old_record(kind, **{name: "other"}) == {"kind": kind, name: "other"}
    assert old_record(kind, solutions={1: "A"}) == {"kind": kind, "solutions": {"1": "A"}}


def test_what_a_debater_was_shown_when_sides_were_noted() -> None:
    """An answer stands only beside the places of its sides."""
    orders, answers = {"ann": [["bob"]], "cat": [["dan"]]}, {"ann": "A", "cat": "C"}
    shown = {"kind": "shown", "role": "debater", "turn": 3}
    ann, cat = shown | {"to": "ann", "order": (("bob",),)}, shown | {"to": "cat", "order": (("dan",),)}
    assert [*_readers(orders, {"ann": [1, 0]}, answers, 3)] == [ann | {"answer": "A", "places": (1, 0)}, cat]
    assert [*_readers(orders, None, answers, 3)] == [ann, cat]
    assert [*_readers(None, None, answers, 3)] == []


@pytest.mark.parametrize(
    ("decision", "voter", "told"),
    [
        ("judge", "judge", {"role": "judge"}),
        ("judge", "ann", {}),
        ("ranked-vote", "judge", {"form": "ranking"}),
        ("ranked-vote", "ann", {"form": "ranking"}),
    ],
)
def test_only_a_judge_who_decided_is_one(decision: str, voter: str, told: dict[str, str]) -> None:
    """A player may be called so too."""
    noted = {"player": voter, "choice": {"0": 1, "1": 2}, "order": [1, 0], "turn": 3}
    record = {"kind": "ballot", "voter": voter, "choice": {"0": 1, "1": 2}, "order": (1, 0), "turn": 3, **told}
    assert _ballot(noted, decision) == record
    assert _ballot(noted | {"choice": None, "cause": "late"}, decision) == {**record, "choice": None, "cause": "late"}


def test_who_holds_a_store_is_read_from_the_locks_of_the_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, log = tmp_path / "s.db", tmp_path / "s.db-shm"
    for file in (path, log):
        file.touch()
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "elsewhere" / "t.db"
    link.symlink_to(path)
    lines: list[str] = []

    class Locks:
        def read_text(self, **_: Any) -> str:
            return "\n".join(lines)

    monkeypatch.setattr(file_locks, "Path", lambda name: Locks() if name == "/proc/locks" else Path(name))
    pid = os.getppid()

    def locked(file: Path, first: int, last: int | str, kind: str = "WRITE", by: int | str = pid) -> int | None:
        status = file.stat()
        device = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
        lines[:] = [
            "1: -> POSIX ADVISORY WRITE 5 x 0 0 0",
            f"2: POSIX  ADVISORY  {kind} {by} {device} {first} {last}",
            "",
        ]
        found, behind_link = writer_of(path), writer_of(link)
        assert found == behind_link
        return found and found.pid

    assert locked(log, WRITING, WRITING) == pid
    assert locked(log, WRITING - 1, WRITING + 1) == pid
    assert locked(log, 0, "EOF") == pid
    assert locked(log, WRITING + 1, WRITING + 5) is None
    assert locked(log, 0, WRITING - 1) is None
    assert locked(path, 0, 0) == pid
    assert locked(tmp_path, WRITING, WRITING) is None
    assert locked(log, WRITING, WRITING, kind="READ") is None
    assert locked(log, WRITING, WRITING, by=os.getpid()) is None
    assert locked(log, WRITING, WRITING, by="-1") is None
    assert locked(log, WRITING, WRITING, by=0) is None
