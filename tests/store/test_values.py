"""What is not to change by accident: keys of the tables, records as they were first written, and the locks that are read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from moot.store import file_locks, schema
from moot.store.before_traces import _readers
from moot.store.file_locks import WRITING, writer_of
from moot.store.old_strategies import old_record

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
    "payments": ("payer", "day"),
    "reservations": ("id",),
    "runs": ("id",),
    "scores": ("cell", "case", "repeat", "grader"),
    "settlements": ("case", "answer"),
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
    },
    "cells": {"team", "captain", "player", "cohort", "options", "traits"},
    "episodes": {"answer"},
    "experiment_questions": {"question_set", "cluster", "asker"},
    "grades": {"value", "detail"},
    "judgements": {"right", "detail", "judge_name", "call_key", "tries"},
    "migrations": {"applied_at"},
    "reservations": {"payer"},
    "runs": {"finished_at"},
    "scores": {"value", "detail"},
}


def test_what_a_row_may_leave_open() -> None:
    tables = schema.metadata.tables.items()
    found = {name: {column.name for column in table.columns if column.nullable} for name, table in tables}
    assert {name: columns for name, columns in found.items() if columns} == MAY_BE_EMPTY


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
