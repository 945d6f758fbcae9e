"""A store of the time when only words told that a grader had failed: what can be told is, and nothing is made up."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import moot
from moot import Case, Question, Score, ScriptedModel, Verdict
from moot.engine.settling import settle
from moot.store import store_at

CASES = [Case(Question(str(n), f"What is number {n}?"), "gold") for n in range(5)]
AS_IT_WAS = (
    "ALTER TABLE scores DROP COLUMN failure",
    "DELETE FROM migrations WHERE name >= '0014'",
)
FAILURES = "SELECT failure, count(*) FROM scores GROUP BY failure ORDER BY failure"


class Versioned:
    """One whose scores are kept under its name and version."""

    name, version = "exact", "2"

    async def grade(self, case: Case, verdict: Verdict) -> Score:
        raise KeyError("oops")


class Exact:
    """Fails on the first question and the last; of all others it speaks under its own name, with and without a grade."""

    name = "exact"

    async def grade(self, case: Case, verdict: Verdict) -> Score:
        if case.question.id in ("0", "4"):
            raise KeyError("oops")
        if case.question.id == "1":
            return Score(None, "ungraded", "exact: look at this")
        return Score(None if case.question.id == "2" else 1.0, "word", "exact: the same word")


def played(store: str, judged: bool) -> moot.Results:
    """One judge has the grader's name; so its words begin like a failure."""
    judge = ScriptedModel("exact", lambda request: {"grades": [{"id": 1, "is_correct": True}]})
    ann = ScriptedModel("ann", lambda request: {"reasoning": "", "answer": "Tin"})
    models = {"ann": ann, **({"exact": judge} if judged else {})}
    keys = {"name": "cup", "questions": CASES, "models": models, "players": {"ann": {"model": "ann"}}}
    judging = {"judge": {"models": ["exact"]}} if judged else {}
    with pytest.warns(UserWarning, match="failed on 2 answers"):
        return moot.run({**keys, **judging, "strategies": ["solo"], "grader": Exact()}, store=store)


async def opened(url: str) -> None:
    await (await store_at(url).open()).close()


@pytest.mark.parametrize("judged", [False, True])
def test_what_failed_is_told_and_what_only_sounds_so_is_not(judged: bool, tmp_path: Path) -> None:
    path = tmp_path / "cup.db"
    played(f"sqlite:///{path}", judged)
    with closing(sqlite3.connect(path)) as connection, connection:
        before = connection.execute(FAILURES).fetchall()
        for statement in AS_IT_WAS:
            connection.execute(statement)
        connection.execute(
            "INSERT INTO scores SELECT cell, \"case\", repeat, 'Exact', value, stage, detail FROM scores"
        )
    asyncio.run(opened(f"sqlite:///{path}"))
    with closing(sqlite3.connect(path)) as connection:
        of_exact = FAILURES.replace("GROUP", "WHERE grader != 'Exact' GROUP")
        assert connection.execute(of_exact).fetchall() == before == [(None, 3), ("KeyError: 'oops'", 2)]
        another = connection.execute("SELECT DISTINCT failure FROM scores WHERE grader = 'Exact'").fetchall()
    assert another == [(None,)], "words under the name of another grader, but for a capital letter"


def test_postgresql_too(postgres: Any) -> None:
    url = postgres.database()
    played(url, judged=True)
    before = postgres.sql(url, FAILURES)
    for statement in AS_IT_WAS:
        postgres.sql(url, statement)
    asyncio.run(opened(url))
    assert postgres.sql(url, FAILURES) == before
    assert dict(before) == {None: 3, "KeyError: 'oops'": 2}


def test_a_failure_that_was_mended_for_somebody_else_cannot_be_told(tmp_path: Path) -> None:
    path = tmp_path / "cup.db"
    played(f"sqlite:///{path}", judged=False)
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in AS_IT_WAS:
            connection.execute(statement)
        mended = (CASES[0].digest, "tin", "exact", 1.0, "word")
        connection.execute('INSERT INTO grades ("case", answer, grader, value, stage) VALUES (?, ?, ?, ?, ?)', mended)
    asyncio.run(opened(f"sqlite:///{path}"))
    with closing(sqlite3.connect(path)) as connection:
        failed = connection.execute('SELECT "case" FROM scores WHERE failure IS NOT NULL').fetchall()
    assert failed == [(CASES[4].digest,)]


def test_a_grader_of_a_version_has_failed_under_its_name_alone(tmp_path: Path) -> None:
    path = tmp_path / "cup.db"
    ann = ScriptedModel("ann", lambda request: {"reasoning": "", "answer": "Tin"})
    with pytest.warns(UserWarning, match="failed on 5 answers"):
        moot.run({"name": "cup", "questions": CASES, "models": {"ann": ann}, "grader": Versioned()}, store=path)
    with closing(sqlite3.connect(path)) as connection, connection:
        before = connection.execute(FAILURES).fetchall()
        for statement in AS_IT_WAS:
            connection.execute(statement)
    asyncio.run(opened(f"sqlite:///{path}"))
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute(FAILURES).fetchall() == before == [("KeyError: 'oops'", 5)]


def test_a_persons_word_takes_no_failure_away(tmp_path: Path) -> None:
    path = tmp_path / "cup.db"
    played(f"sqlite:///{path}", judged=False)

    async def settled() -> int:
        store = await store_at(f"sqlite:///{path}").open()
        try:
            return await store.run(lambda connection: settle(connection, CASES[0], "tin", right=True))
        finally:
            await store.close()

    assert asyncio.run(settled()) == 1
    with closing(sqlite3.connect(path)) as connection:
        query = 'SELECT value, stage, failure FROM scores WHERE "case" = ?'
        assert connection.execute(query, [CASES[0].digest]).fetchall() == [(1.0, "person", "KeyError: 'oops'")]
