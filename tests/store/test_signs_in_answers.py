"""A store of the time when answers were compared without their signs: graded as today, and nothing is paid twice."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine

import moot
from moot.grade.normalise import normalise
from moot.models.scripted import ScriptedModel
from moot.store.signs_in_answers import tell_signs, without_signs
from moot.store.sqlite import SqliteStore
from moot.types import Case, Question, Request

SAID = {
    "q0": ("2.5", "2/5", "2.5"),  # the first of these was right by its words
    "q1": ("7", "1/2", "1.2"),  # a judge was asked about one of them, for both
    "q2": ("8", "3/4 cup", "3/4 Cup"),
    "q3": ("Paris", "Rome", "Paris"),
}
CASES = [Case(Question(ident, f"What is {ident}?"), reference) for ident, (reference, *_) in SAID.items()]


def place(request: Request) -> str:
    prompt = request.messages[-1].content
    return next(ident for ident in SAID if f"What is {ident}?" in prompt)


def player(number: int) -> Callable[[Request], Any]:
    return lambda request: {"reasoning": "", "answer": SAID[place(request)][number]}


def experiment(judge: ScriptedModel | None) -> dict[str, Any]:
    models = {"ann": ScriptedModel("ann", player(1)), "bob": ScriptedModel("bob", player(2))}
    players = {"players": {name: {"model": name} for name in models}}
    judging = {"judge": {"models": ["eve"]}} if judge is not None else {}
    everybody = {**models, "eve": judge} if judge is not None else models
    return {"name": "signs", "questions": CASES, "models": everybody, **players, **judging, "strategies": ["solo"]}


def strict_judge() -> ScriptedModel:
    return ScriptedModel("eve", lambda request: {"grades": [{"id": 1, "is_correct": False}]})


def rows(store: Path, query: str) -> list[Any]:
    with closing(sqlite3.connect(store)) as connection:
        return connection.execute(query).fetchall()


async def opened(store: Path) -> None:
    await (await SqliteStore(store).open()).close()


def backdate(store: Path, *, settled: bool = False) -> None:
    """As the version before would have left it."""
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("DELETE FROM migrations WHERE name = '0013-signs-in-answers'")
        connection.execute(
            "UPDATE scores SET value = 1, stage = 'match', detail = NULL WHERE (cell, repeat) IN "
            "(SELECT cell, repeat FROM episodes WHERE answer = '2/5') AND \"case\" = ?",
            (CASES[0].digest,),
        )
        judged = connection.execute('SELECT "case", answer, call_key FROM judgements').fetchall()
        for case, answer, key in judged:
            if answer in ("2/5", "1.2"):
                connection.execute('DELETE FROM judgements WHERE "case" = ? AND answer = ?', (case, answer))
                connection.execute("DELETE FROM calls WHERE key = ?", (key,))
            else:
                named = (without_signs(answer), case, answer)
                connection.execute('UPDATE judgements SET answer = ? WHERE "case" = ? AND answer = ?', named)
        if settled:
            for case, answer in ((CASES[1], "1 2"), (CASES[2], "3 4 cup")):
                word = (case.digest, answer, 1, 0.0)
                connection.execute("INSERT INTO settlements VALUES (?, ?, ?, ?, NULL)", word)


SCORES = (
    'SELECT question_id, player, value, stage FROM scores JOIN cells ON cells.id = cell JOIN cases ON cases.id = "case" '
    "ORDER BY question_id, player"
)


def test_with_a_judge(tmp_path: Path) -> None:
    store = tmp_path / "signs.db"
    moot.run(experiment(strict_judge()), store=store)
    now = rows(store, SCORES)
    backdate(store)
    assert rows(store, "SELECT DISTINCT answer FROM judgements ORDER BY 1") == [("1 2",), ("3 4 cup",), ("rome",)]
    asyncio.run(opened(store))
    assert {(ident, name): (value, stage) for ident, name, value, stage in rows(store, SCORES)} == {
        ("q0", "ann"): (None, "ungraded"),
        ("q0", "bob"): (1.0, "match"),
        ("q1", "ann"): (None, "ungraded"),
        ("q1", "bob"): (None, "ungraded"),
        ("q2", "ann"): (0.0, "judge"),
        ("q2", "bob"): (0.0, "judge"),
        ("q3", "ann"): (0.0, "judge"),
        ("q3", "bob"): (1.0, "match"),
    }
    judge = strict_judge()
    moot.run(experiment(judge), store=store)
    assert rows(store, SCORES) == now
    assert len(judge.requests) == 2, "about what no judge had seen; the rest is in the calls"


def test_without_a_judge_and_with_a_persons_words(tmp_path: Path) -> None:
    store = tmp_path / "signs.db"
    moot.run(experiment(None), store=store)
    now = rows(store, SCORES)
    backdate(store, settled=True)
    assert rows(store, SCORES) != now
    asyncio.run(opened(store))
    assert rows(store, SCORES) == now
    assert rows(store, "SELECT answer FROM settlements") == [(normalise("3/4 cup"),)]


def test_texts_that_were_one_for_their_words_are_asked_about_again(tmp_path: Path) -> None:
    store = tmp_path / "signs.db"
    moot.run(experiment(None), store=store)
    backdate(store)
    joined = {"by": "x", "drafts": ["x < 3", "3 > x"], "groups": [["x < 3", "3 > x"]], "calls": []}
    said = {"by": "x", "drafts": ["1/2", "7"], "word": "1.2", "same": ["1/2"], "calls": []}
    apart = {"by": "x", "drafts": ["1/2", "half"], "groups": [["1/2", "half"]], "calls": []}
    with closing(sqlite3.connect(store)) as connection, connection:
        content = json.dumps([joined, said, apart])
        connection.execute("INSERT INTO matches VALUES (?, 0, ?)", (CASES[1].question.digest, content))
    asyncio.run(opened(store))
    ((kept,),) = rows(store, "SELECT content FROM matches")
    assert json.loads(kept) == [apart]


@pytest.mark.parametrize("text", ["2/5", "x < 3", "10⁶ m", "The Seine.", "−5", "C++", "Ёлка", "a + b", "?!"])
def test_the_rule_of_then_is_the_words_alone(text: str) -> None:
    assert without_signs(normalise(text)) == without_signs(text)


def steps_to_bring_up_to_date(store: Path, questions: int) -> int:
    """Steps of SQLite's own machine, which no other load on this one changes."""
    cases = [Case(Question(f"n{number}", f"What is {number}?"), f"{number}/2") for number in range(questions)]
    tom = ScriptedModel("tom", lambda request: {"reasoning": "", "answer": "3/2"})
    asked = {"name": "many", "questions": cases, "models": {"tom": tom}, "players": {"tom": {"model": "tom"}}}
    moot.run({**asked, "strategies": ["solo"]}, store=f"sqlite:///{store}")
    counted = 0

    def count() -> None:
        nonlocal counted
        counted += 1

    engine = create_engine(f"sqlite:///{store}")
    with engine.begin() as connection:
        connection.connection.dbapi_connection.set_progress_handler(count, 100)  # type: ignore[union-attr]
        tell_signs(connection)
    engine.dispose()
    assert not [name for (name,) in rows(store, "SELECT name FROM sqlite_master") if name.startswith("ix_signs")]
    return counted


def test_a_store_four_times_as_large_takes_four_times_as_long(tmp_path: Path) -> None:
    small, large = (steps_to_bring_up_to_date(tmp_path / f"{n}.db", n) for n in (100, 400))
    assert large < 6 * small


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The C++ cat 😀 is -5 – 6 a", "c++ cat is -5 6 a"),
        ("A#, b+c, d_e", "a# b c d e"),
        ("2-3", "2 3"),
        ("−7", "-7"),
        ("Ёж, café, й", "еж cafe й"),
        ("an  answer", "answer"),
        ("the", "the"),
        ("?!", "?!"),
        ("x" * 10_001 + " !", "x" * 10_001 + " !"),
    ],
    ids=lambda text: text[:20],
)
def test_an_answer_as_it_was_normalised_then(text: str, words: str) -> None:
    assert without_signs(text) == words
