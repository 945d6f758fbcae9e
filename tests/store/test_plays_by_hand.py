"""What is asked of episodes, scores and runs, in a store that was filled row by row: so the answers are known."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

import pytest
from small_store import fill, plan, small_store
from sqlalchemy import Connection

from moot.store import graded_by, preferences, queries, schema, served_plays, unfinished
from moot.types import Case, Question


@pytest.fixture
def store() -> Iterator[Connection]:
    with small_store() as connection:
        yield connection


def plays(store: Connection, cell: str, questions: str, **row: Any) -> None:
    fill(store, schema.episodes, *({"cell": cell, "question": letter, **row} for letter in questions))


def scores(store: Connection, cell: str, cases: str, **row: Any) -> None:
    fill(store, schema.scores, *({"cell": cell, "case": letter, **row} for letter in cases))


@pytest.fixture
def cup(store: Connection) -> Connection:
    """Cells a and b on questions p, q, r; cell z and question s are of another plan. What was answered is told by its grades."""
    plan(store, "cup-1", cells="ab", questions="rqp")
    plan(store, "other-1", cells="az", questions="ps")
    plays(store, "a", "pq", created_at=10.0, answer="yes")
    plays(store, "a", "p", created_at=20.0, repeat=1, answer="no")
    plays(store, "b", "p", created_at=5.0, outcome="failed")
    plays(store, "z", "pq", created_at=30.0, answer="theirs")
    plays(store, "a", "s", created_at=1.0)
    scores(store, "a", "PQ", value=1.0)
    scores(store, "a", "P", repeat=1, value=0.25, stage="judge", detail="says kim")
    scores(store, "a", "P", grader="judge", value=None, stage="failed")
    scores(store, "a", "S", grader="alone")
    scores(store, "z", "PQ", grader="elsewhere")
    return store


def test_the_plays_of_a_cell_stand_in_the_order_of_the_plan_each_beside_its_score(cup: Connection) -> None:
    found = [
        (row["position"], row["case"], row["repeat"], row["answer"], row["value"], row["detail"])
        for row in queries.results(cup, "cup-1", "a", "match")
    ]
    assert found == [
        (1, "Q", 0, "yes", 1.0, None),
        (2, "P", 0, "yes", 1.0, None),
        (2, "P", 1, "no", 0.25, "says kim"),
    ]
    one = queries.results(cup, "cup-1", "a", "judge", question="p")
    assert [(row["repeat"], row["value"], row["stage"]) for row in one] == [(0, None, "failed"), (1, None, None)]
    assert [*queries.values_of(cup, "cup-1", "a", "match")] == [("q", "Q", 1.0), ("p", "P", 1.0), ("p", "P", 0.25)]
    assert [row["case"] for row in queries.results(cup, "other-1", "a", "match")] == ["P", "P", "S"]


def test_how_plays_ended_is_told_without_their_verdicts(cup: Connection) -> None:
    fill(cup, schema.episodes, {"cell": "b", "question": "r", "seconds": 2.5, "unreached": '["ann"]', "answer": "x"})
    assert [*map(tuple, queries.endings(cup, "cup-1", "b", "match"))] == [
        (0, "r", 0, "answered", "x", "[]", 2.5, '["ann"]', None, None),
        (2, "p", 0, "failed", None, "[]", 1.0, None, None, None),
    ]


def test_what_need_not_be_played_again(cup: Connection) -> None:
    plays(cup, "b", "q", unreached='["ann"]')
    plays(cup, "b", "r", outcome="unanswered")
    assert queries.finished(cup, ["a", "b"], ["p", "q", "r"]) == {
        ("a", "p", 0),
        ("a", "p", 1),
        ("a", "q", 0),
        ("b", "r", 0),
    }
    assert queries.finished(cup, ["a"], ["q"]) == {("a", "q", 0)}
    assert queries.graded(cup, ["a", "b"], ["P", "S"], "match") == {("a", "P", 0), ("a", "P", 1)}
    assert queries.graded(cup, ["a"], ["P"], "judge") == {("a", "P", 0)}
    assert queries.graded(cup, ["b"], ["P"], "match") == set()


def test_whether_every_play_has_failed(cup: Connection) -> None:
    assert not queries.all_failed(cup, "cup-1"), "cell a has answers"
    plan(cup, "down-1", cells="b", questions="pq")
    assert queries.all_failed(cup, "down-1")
    plan(cup, "new-1", cells="b", questions="q")
    assert not queries.all_failed(cup, "new-1"), "nothing was played yet"
    plays(cup, "b", "q", outcome="unanswered")
    assert not queries.all_failed(cup, "down-1")


def test_which_answers_a_grader_failed_on(cup: Connection) -> None:
    plays(cup, "b", "qr", answer="why")
    plays(cup, "b", "q", repeat=1)  # no answer
    for cell in "bz":
        scores(cup, cell, "Q", grader="theirs", failure="broke", value=None)
    scores(cup, "b", "Q", grader="theirs", repeat=1, failure="broke", value=None)
    scores(cup, "b", "R", grader="theirs")
    assert [*map(tuple, queries.failed_grades(cup, "cup-1", "theirs"))] == [("Q", "why", "broke")]
    assert [*queries.failed_grades(cup, "cup-1", "match")] == []


def test_whose_scores_there_are(cup: Connection) -> None:
    """Those of cells and questions of other plans are none of this one's."""
    assert graded_by.scores_by_grader(cup, "cup-1") == {"match": 3, "judge": 1}
    assert graded_by.other_graders(cup, "cup-1", "match") == ["judge"]
    assert graded_by.other_graders(cup, "cup-1", "judge") == ["match"]
    scores(cup, "b", "P", grader="judge")
    scores(cup, "b", "Q", grader="a third")
    assert graded_by.other_graders(cup, "cup-1", "match") == ["a third", "judge"]
    plan(cup, "alone-1", cells="b", questions="s")
    assert graded_by.other_graders(cup, "alone-1", "match") == []
    plan(cup, "empty-1", cells="y", questions="p")
    assert graded_by.other_graders(cup, "empty-1", "match") == []


def test_how_many_answers_have_no_grade(cup: Connection) -> None:
    assert graded_by.count_ungraded(cup, "cup-1", "match") == 0
    assert graded_by.count_ungraded(cup, "cup-1", "judge") == 1
    scores(cup, "b", "P", grader="judge", value=None, stage="disputed")
    scores(cup, "b", "Q", grader="judge", value=None, stage="failed")
    scores(cup, "z", "Q", grader="judge", value=None, stage="failed")
    scores(cup, "b", "S", grader="judge", value=None, stage="failed")
    assert graded_by.count_ungraded(cup, "cup-1", "judge") == 2, "judges who differ gave their word"


def test_what_a_served_team_was_asked_since_and_before(cup: Connection) -> None:
    def since(at: float | None) -> list[tuple[str, int, float | None]]:
        found = served_plays.plays_since(cup, "cup-1", "a", "match", at)
        return [(row["question"], row["repeat"], row["value"]) for row in found]

    assert since(None) == [("q", 0, 1.0), ("p", 0, 1.0), ("p", 1, 0.25)]
    assert since(20.0) == [("p", 1, 0.25)]
    assert since(20.1) == []
    assert [served_plays.asked_before(cup, ["cup-1"], at) for at in (None, 5.0, 10.0, 10.1, 99.0)] == [0, 0, 1, 3, 4]
    assert served_plays.asked_before(cup, ["cup-1", "other-1"], 99.0) == 7
    assert served_plays.asked_before(cup, [], 99.0) == 0


def test_why_calls_failed_the_most_frequent_first(store: Connection) -> None:
    rows = [
        {"model": "tom", "created_at": 1.0, "message": "b"},
        {"model": "tom", "created_at": 3.0, "message": "a"},
        {"model": "ann", "created_at": 3.0, "kind": "RateLimited", "message": "slow down"},
        {"model": "ann", "created_at": 3.0, "message": "late"},
    ]
    fill(store, schema.failures, *({"experiment": "cup", **row} for row in rows), {"experiment": "other"})

    def since(at: float | None) -> list[tuple[Any, ...]]:
        found = served_plays.failures_since(store, "cup", at)
        return [(row["model"], row["kind"], row["times"], row["message"]) for row in found]

    limited, late = ("ann", "RateLimited", 1, "slow down"), ("ann", "TimedOut", 1, "late")
    assert since(None) == [("tom", "TimedOut", 2, "b"), limited, late]
    assert since(3.0) == [limited, late, ("tom", "TimedOut", 1, "a")]
    assert since(3.1) == []
    counted = {(row["model"], row["kind"]): (row["times"], row["message"]) for row in queries.failures_of(store, "cup")}
    assert counted == {
        ("tom", "TimedOut"): (2, "b"),
        ("ann", "RateLimited"): (1, "slow down"),
        ("ann", "TimedOut"): (1, "late"),
    }


def test_how_calls_finished(store: Connection) -> None:
    fill(store, schema.calls, *({"key": way, "finish": way} for way in ("stop", "length", "refusal")))
    assert queries.finished_otherwise(store, ["length", "refusal"]) == {"length": "length", "refusal": "refusal"}
    assert sorted(queries.find_calls(store, ["stop", "length", "no such"])) == ["length", "stop"]


# --- runs -------------------------------------------------------------------------------------------------------------


OURS = {"host": "elsewhere", "pid": 1, "run": "x"}


def test_how_a_run_ended_and_what_was_found_out(store: Connection) -> None:
    first = queries.start_run(store, "cup-1", {"model": "tom"})
    second = queries.start_run(store, "cup-1", {})
    queries.start_run(store, "other-1", {})
    queries.finish_run(store, first, "budget", "the cap", {"dropped": 3, "nothing": 0})
    queries.finish_run(store, second, "done")
    ended = queries.runs_of(store, "cup-1")
    assert [(run["id"], run["state"], json.loads(run["facts"])) for run in ended] == [
        (first, "budget", {"model": "tom", "cause": "the cap", "dropped": 3}),
        (second, "done", {}),
    ]
    assert all(run["finished_at"] >= run["started_at"] for run in ended)


def test_a_run_whose_process_is_gone_has_failed() -> None:
    def told(state: str, **process: Any) -> tuple[str, dict[str, Any]]:
        mine = {**unfinished_process(), **process}
        row = {"state": state, "facts": json.dumps({"process": mine, "seed": 1})}
        run = queries.with_its_end(row)
        return run["state"], json.loads(run["facts"])

    gone = {"seed": 1, "cause": "its process ended without a word: killed, or unable to write", "dropped": 1}
    assert told("running") == ("failed", gone)
    assert told("running", host="elsewhere") == ("running", {"seed": 1}), "from here nobody sees that"
    assert told("done") == ("done", {"seed": 1})


def unfinished_process() -> dict[str, Any]:
    """Of this process, and of a run that it does not carry on."""
    from moot.store import processes

    begun = processes.begun()
    processes.over(begun)
    assert begun["pid"] == os.getpid()
    return begun


def test_which_plans_runs_have_left_unfinished(store: Connection) -> None:
    facts = {"dropped-1": {"dropped": 2}, "whole-1": {"dropped": 0}, "done-1": {"told": "dropped"}}
    fill(store, schema.runs, *({"experiment": name, "facts": json.dumps(told)} for name, told in facts.items()))
    fill(store, schema.runs, {"experiment": "at-work-1", "state": "running", "facts": json.dumps({"process": OURS})})
    killed = {"experiment": "killed-1", "state": "running", "facts": json.dumps({"process": unfinished_process()})}
    fill(store, schema.runs, killed)
    assert unfinished.left_by(store) == {"dropped-1", "at-work-1", "killed-1"}


def test_which_cells_plans_share_and_what_a_plan_asks(cup: Connection) -> None:
    assert unfinished.cells_shared(cup, ["cup-1", "other-1", "no such"], ["a", "b"]) == {
        "cup-1": {"a", "b"},
        "other-1": {"a"},
    }
    assert unfinished.cells_shared(cup, ["other-1"], ["b"]) == {}
    plan(cup, "told-1", questions="xy", config={"seed": 7})
    begun = unfinished.plan_of(cup, "told-1")
    assert (begun.config, begun.questions) == ({"seed": 7}, {"x", "y"})


# --- what judges and persons said -------------------------------------------------------------------------------------


def said(question: str, first: str, second: str, judge: str, at: float) -> dict[str, Any]:
    names = ("question", "first", "second", "judge", "said_at")
    return dict(zip(names, (question, first, second, judge, at), strict=True))


def test_preferences_are_read_by_question_the_earliest_first(store: Connection) -> None:
    rows = [
        said("q", "t", "u", "kim", 3.0),
        said("q", "u", "t", "kim", 1.0),
        said("q", "t", "v", "kim", 3.0),
        said("p", "t", "u", "kim", 9.0),
        said("q", "t", "u", "ann", 3.0),
        said("r", "t", "u", "kim", 0.0),
    ]
    fill(store, schema.preferences, *rows)

    def place(row: Any) -> tuple[str, ...]:
        return row["question"], row["judge"], row["first"], row["second"]

    assert [*map(place, preferences.preferences_on(store, ["q", "p"]))] == [
        ("p", "kim", "t", "u"),
        ("q", "kim", "u", "t"),
        ("q", "ann", "t", "u"),
        ("q", "kim", "t", "u"),
        ("q", "kim", "t", "v"),
    ]
    assert preferences.forget_preferences(store, "q", {"t", "u"}) == 1
    assert [place(row) for row in preferences.preferences_on(store, ["q"]) if "v" in place(row)] == []
    assert preferences.forget_preferences(store, "q", {"t"}) == 3
    assert preferences.preferences_on(store, ["q"]) == []
    assert len(preferences.preferences_on(store, ["p", "r"])) == 2, "of other questions nothing is forgotten"


def test_who_answered_what_of_some_questions(cup: Connection) -> None:
    fill(cup, schema.cells, *({"id": letter} for letter in "zba"))
    assert [row["id"] for row in preferences.cells_on(cup, ["p"])] == ["a", "b", "z"]
    assert [row["id"] for row in preferences.cells_on(cup, ["s"])] == ["a"]
    answers = preferences.answers_on(cup, ["z", "a"], ["q", "p"])
    assert [tuple(row.values()) for row in answers] == [
        ("a", "p", 0, "yes"),
        ("a", "p", 1, "no"),
        ("z", "p", 0, "theirs"),
        ("a", "q", 0, "yes"),
        ("z", "q", 0, "theirs"),
    ]


def test_questions_are_found_by_their_digests(store: Connection) -> None:
    from moot.store.rows import case_row

    cases = [Case(Question(id=name, text=f"What is {name}?"), answer="x") for name in ("one", "two")]
    fill(store, schema.cases, *(case_row(case) for case in cases))
    for number, case in enumerate(cases):
        place = {"experiment": "cup-1", "position": number, "question": case.question.digest, "case": case.digest}
        fill(store, schema.experiment_questions, place)
    wanted = cases[1].question
    assert preferences.questions_stored(store, [wanted.digest, "no such"]) == {wanted.digest: wanted}


def test_words_of_judges_persons_and_graders_are_found_by_case(store: Connection) -> None:
    fill(store, schema.judgements, *({"case": case, "answer": "x", "judge": "kim"} for case in "PQ"))
    fill(store, schema.grades, *({"case": case, "answer": "x", "grader": by} for case in "PQ" for by in ("g", "h")))
    fill(
        store,
        schema.settlements,
        {"case": "P", "answer": "x", "right": 1, "settled_at": 0.0},
        {"case": "P", "answer": "y", "right": 0, "settled_at": 0.0, "turned": 1},
        {"case": "Q", "answer": "y", "right": 1, "settled_at": 0.0, "turned": 1},
    )
    fill(store, schema.matches, {"question": "p", "repeat": 0, "content": "[]"})
    assert [row["case"] for row in queries.judgements_on(store, ["P", "R"])] == ["P"]
    assert [(row["case"], row["grader"]) for row in queries.grades_on(store, ["Q"], "h")] == [("Q", "h")]
    assert queries.settlements_on(store, ["P"]) == {("P", "x"): True, ("P", "y"): False}
    assert queries.turned_words(store, ["P"]) == {("P", "y")}
    assert [row["question"] for row in queries.matches_on(store, ["p", "q"])] == ["p"]
    assert queries.matches_on(store, ["q"]) == []
