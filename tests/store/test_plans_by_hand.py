"""What is asked of plans and cells, in a store that was filled row by row: what was declared, run, chosen, and is one option."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from small_store import fill, plan, small_store
from sqlalchemy import Connection

from moot.models.model import OF_THE_QUESTIONS
from moot.store import attendance, queries, schema, statements
from moot.store.declarations import declare, declared, foreseen_declarations
from moot.store.same_options import line_up, same_options, staff_of, without_recordings, without_surroundings
from moot.store.undertakings import (
    answers_on,
    cases_in_order,
    cells_beside,
    file_questions,
    plans_beside,
    plans_named,
    questions_were_run,
    was_run,
)


@pytest.fixture
def store() -> Iterator[Connection]:
    with small_store() as connection:
        yield connection


# --- declarations -----------------------------------------------------------------------------------------------------

FILE = {"hypotheses": ["a beats b", "c is best", "a beats b"], "primary": "accuracy"}


def told(store: Connection, name: str = "cup") -> dict[tuple[str, str], bool]:
    return {(word.kind, word.text): word.frozen for word in declared(store, name)}


def test_what_is_declared_before_the_first_call_is_frozen_and_what_comes_later_is_not(store: Connection) -> None:
    declare(store, "cup", {}, ["a"])
    assert declared(store, "cup") == []
    declare(store, "cup", FILE, ["a"])
    first = declared(store, "cup")
    before = {("hypothesis", "a beats b"): True, ("hypothesis", "c is best"): True, ("primary", "accuracy"): True}
    assert told(store) == before
    fill(store, schema.calls, {"key": "k", "experiment": "cup"})
    declare(store, "cup", {"hypotheses": ["a beats b", "b is worst"], "primary": "calls"}, ["a"])
    assert told(store) == before | {("hypothesis", "b is worst"): False, ("primary", "calls"): False}
    assert declared(store, "cup")[:3] == first, "what stood keeps its time"
    assert told(store, "other") == {}
    declare(store, "other", {"hypotheses": ["d"]}, ["a"])
    assert told(store, "other") == {("hypothesis", "d"): True}, "calls under another name are none of its own"


@pytest.mark.parametrize(
    ("questions", "frozen"), [(["p", "q"], False), (["q"], True), ([], True), (None, False)], ids=str
)
def test_answers_under_another_name_to_its_questions_count_as_begun(
    store: Connection, questions: list[str] | None, frozen: bool
) -> None:
    fill(store, schema.cells, {"id": "a"})
    fill(store, schema.episodes, {"cell": "a", "question": "p"})
    declare(store, "cup", {"primary": "accuracy"}, ["b", "a"], questions)
    assert told(store) == {("primary", "accuracy"): frozen}
    declare(store, "new", {"primary": "accuracy"}, ["b"], questions)
    assert told(store, "new") == {("primary", "accuracy"): True}, "none of its cells has played"


def test_what_would_stand_were_a_file_run_now(store: Connection) -> None:
    declare(store, "cup", {"primary": "accuracy"}, [])
    stood = declared(store, "cup")
    fill(store, schema.calls, {"key": "k", "experiment": "cup"})
    assert foreseen_declarations(store, "cup", {"primary": "accuracy"}, [], None) == stood
    foreseen = foreseen_declarations(store, "cup", FILE, [], None)
    assert foreseen[:1] == stood
    assert [(word.text, word.frozen) for word in foreseen[1:]] == [("a beats b", False), ("c is best", False)]
    assert [word.frozen for word in foreseen_declarations(store, "new", FILE, [], None)] == [True] * 3
    assert declared(store, "cup") == stood, "nothing was written"


# --- which cells are one option ---------------------------------------------------------------------------------------


def spec(*models: Any, **more: Any) -> str:
    return json.dumps({"players": [{"name": f"p{n}", "model": model} for n, model in enumerate(models)], **more})


SPACE = dict.fromkeys(OF_THE_QUESTIONS, "of questions")
TOM, TOM_OF_QUESTIONS = {"provider": "simulated", "seed": 1}, {"provider": "simulated", "seed": 1, **SPACE}


def test_lessons_questions_and_names_around_it_make_no_other_option(store: Connection) -> None:
    cells: dict[str, dict[str, Any]] = {
        "a": {"label": "solo", "spec": spec(TOM_OF_QUESTIONS, team="x")},
        "other names": {
            "label": "solo",
            "spec": spec({**TOM, **dict.fromkeys(SPACE, "others")}, team="y", masked=["kim"]),
        },
        "another model": {"label": "solo", "spec": spec({**TOM_OF_QUESTIONS, "seed": 2}, team="x")},
        "another label": {"label": "vote", "spec": spec(TOM_OF_QUESTIONS, team="x")},
    }
    fill(store, schema.cells, *({"id": ident, **row} for ident, row in cells.items()))
    assert same_options(store, ["a"]) == {"a", "other names"}
    assert same_options(store, ["other names"]) == {"a", "other names"}
    assert same_options(store, ["another model", "nowhere"]) == {"another model", "nowhere"}
    assert same_options(store, ["a", "another label"]) == {"a", "other names", "another label"}
    assert same_options(store, []) == set()


def test_what_follows_from_the_questions_is_left_out_of_every_model() -> None:
    written = spec(
        TOM_OF_QUESTIONS,
        "a name",
        team="x",
        officers={"judge": TOM_OF_QUESTIONS},
        extract=[TOM_OF_QUESTIONS],
        grouping=[TOM_OF_QUESTIONS, "by meaning"],
    )
    assert json.loads(without_surroundings(written)) == {
        "players": [{"name": "p0", "model": TOM}, {"name": "p1", "model": "a name"}],
        "officers": {"judge": TOM},
        "extract": [TOM],
        "grouping": [TOM, "by meaning"],
    }
    in_part = dict.fromkeys([*SPACE][:1], "of questions")
    kept = json.loads(without_surroundings(spec({**TOM, **in_part})))
    assert kept["players"][0]["model"] == {**TOM, **in_part}, "a key of its own that is only called so"


def test_a_recorded_model_may_speak_from_another_file() -> None:
    recorded = {"provider": "recorded", "name": "tom", "sha256": "0a"}
    another = {"provider": "endpoint", "sha256": "0a"}
    kept = json.loads(without_recordings(spec(recorded, another, officers=[recorded])))
    assert [player["model"] for player in kept["players"]] == [{"provider": "recorded", "name": "tom"}, another]
    assert kept["officers"] == [{"provider": "recorded", "name": "tom"}]
    plain = spec(TOM)
    assert without_recordings(plain) is plain


def test_a_line_up_is_who_plays_in_whichever_order() -> None:
    one = {"players": [{"name": "b"}, {"name": "a"}], "captain": "a", "team": "x"}
    other = {"players": [{"name": "a"}, {"name": "b"}], "captain": "b", "team": "y"}
    assert line_up(json.dumps(one), alone=True) == line_up(json.dumps(other), alone=True)
    assert line_up(json.dumps(one), alone=False) != line_up(json.dumps(other), alone=False)
    assert json.loads(line_up(json.dumps(one), alone=False))["captain"] == "a"
    assert json.loads(line_up('{"players": "all"}', alone=False)) == {"players": "all"}


def test_who_is_asked_beside_the_players() -> None:
    assert staff_of({}) == []
    assert staff_of({"officers": {"judge": "kim"}, "extract": ["ann"], "grouping": ["bob", "by meaning"]}) == [
        "kim",
        "ann",
        "bob",
    ]
    assert staff_of({"officers": None, "extract": {"model": "ann"}, "grouping": [None, "by words"]}) == ["ann"]


# --- what else was planned --------------------------------------------------------------------------------------------


@pytest.fixture
def plans(store: Connection) -> Connection:
    fill(store, schema.cells, *({"id": cell, "label": cell} for cell in "abcd"))
    plan(store, "cup-1", cells="ab", created_at=1.0)
    plan(store, "cup-2", cells="cb", created_at=3.0)
    plan(store, "copy-1", cells="ad", created_at=2.0)
    plan(store, "far-1", cells="d", created_at=0.0)
    plan(store, "served-1", cells="ba", config={"served": True})
    return store


def test_plans_beside_are_all_of_every_name_that_holds_the_option(plans: Connection) -> None:
    def beside(ident: str, chosen: str, *named: str) -> list[tuple[str, str]]:
        found = plans_beside(plans, ident, list(chosen), named)
        return [(one.experiment, "".join(cell["id"] for cell in one.cells)) for one in found]

    assert beside("cup-1", "a") == [("copy", "ad"), ("cup", "cb")]
    assert beside("cup-1", "b") == [("cup", "cb")], "what was served was planned by nobody"
    assert beside("cup-1", "b", "far") == [("far", "d"), ("cup", "cb")]
    assert beside("none", "c") == [("cup", "ab"), ("cup", "cb")]
    assert beside("none", "") == []
    cells = cells_beside(plans_beside(plans, "cup-1", ["a"]))
    assert [(found.experiment, found.cell["id"]) for found in cells] == [
        ("copy", "a"),
        ("copy", "d"),
        ("cup", "c"),
        ("cup", "b"),
    ]


def test_plans_of_a_name_the_oldest_first(plans: Connection) -> None:
    plan(plans, "cup-0", created_at=3.0)
    assert [row["id"] for row in plans_named(plans, ["cup", "copy"], "cup-1")] == ["copy-1", "cup-0", "cup-2"]
    assert [row["id"] for row in plans_named(plans, ["cup"])] == ["cup-1", "cup-0", "cup-2"]
    assert plans_named(plans, ["served", "nobody"]) == []
    assert [row["id"] for row in queries.experiments_named(plans, "cup")] == ["cup-1", "cup-0", "cup-2"]
    assert queries.experiment_of(plans, "cup-2")["created_at"] == 3.0


def test_what_was_used_last(plans: Connection) -> None:
    """A run counts from its start, and of what is served the last question."""
    assert (queries.latest_experiment(plans) or {})["id"] == "cup-2"
    fill(plans, schema.runs, {"experiment": "cup-1", "started_at": 8.0}, {"experiment": "far-1", "started_at": 9.0})
    fill(plans, schema.runs, {"experiment": "cup-1", "started_at": 7.0})
    assert (queries.latest_experiment(plans) or {})["id"] == "far-1"
    assert (queries.latest_experiment(plans, "cup") or {})["id"] == "cup-1"
    assert (queries.latest_experiment(plans, among=["copy-1", "cup-2"]) or {})["id"] == "cup-2"
    assert queries.latest_experiment(plans, "nobody") is None
    plan(plans, "served-2", questions="q", config={"served": True}, created_at=1.0)
    fill(plans, schema.episodes, {"cell": "b", "question": "q", "created_at": 8.5})
    fill(plans, schema.episodes, {"cell": "b", "question": "p", "created_at": 99.0})
    assert [(row["id"], row["used_at"]) for row in queries.experiments_by_age(plans)] == [
        ("far-1", 9.0),
        ("served-2", 8.5),
        ("cup-1", 8.0),
        ("cup-2", 3.0),
        ("copy-1", 2.0),
        ("served-1", 0.0),
    ]


def test_whether_a_plan_or_its_questions_were_run(store: Connection) -> None:
    assert not was_run(store, "cup-1")
    for marks in ({"file_questions": "m1"}, {}, {"file_questions": "m2"}, {"seed": 1}):
        fill(store, schema.runs, {"experiment": "cup-1", "state": "failed", "facts": json.dumps(marks)})
    fill(store, schema.runs, {"experiment": "cup-2", "facts": '{"seed": "m3"}'})
    assert was_run(store, "cup-1")
    assert not was_run(store, "cup-3")
    assert file_questions(store, "cup-1") == "m2", "the last that says it"
    assert file_questions(store, "cup-2") is None
    asked = {mark: questions_were_run(store, mark) for mark in ("m1", "m2", "m3", "m", "%")}
    assert asked == {"m1": True, "m2": True, "m3": False, "m": False, "%": False}


def test_answers_and_cases_stand_in_the_order_of_the_plan(store: Connection) -> None:
    plan(store, "cup-1", cells="a", questions="qp")
    fill(store, schema.episodes, *({"cell": "a", "question": letter, "answer": letter * 2} for letter in "pqr"))
    fill(store, schema.scores, {"cell": "a", "case": "P", "value": 0.5, "stage": "judge"})
    found = [
        (row["question"], row["answer"], row["value"], row["stage"]) for row in answers_on(store, "cup-1", "a", "match")
    ]
    assert found == [("q", "qq", None, None), ("p", "pp", 0.5, "judge")]
    assert cases_in_order(store, "cup-1") == ["Q", "P"]
    assert queries.places_of(store, "cup-1") == {"q": [(0, "Q")], "p": [(1, "P")]}


# --- how a plan is written down ---------------------------------------------------------------------------------------


def cell(ident: str, *, given: Mapping[str, Any] = {}, default: Mapping[str, Any] = {}, **row: Any) -> dict[str, Any]:
    written = {"strategy": "solo", "label": ident, "team": None, "captain": None, "player": None, "spec": "{}"}
    options = json.dumps({"given": given, "default": default})
    return {"id": ident, **written, "cohort": None, "options": options, "traits": "{}", **row}


def planned(ident: str, size: int, config: str = "{}") -> dict[str, Any]:
    return {"id": ident, "name": "cup", "config": config, "size": size, "created_at": 1.0}


def test_a_plan_is_there_as_a_whole_once_its_questions_are(store: Connection) -> None:
    one, two = planned("cup-1", 2), [cell("a"), cell("b")]
    assert not queries.declare_experiment(store, one, two)
    places = [
        {"experiment": "cup-1", "position": n, "question": str(n), "case": str(n), "cluster": None} for n in range(2)
    ]
    queries.declare_questions(store, places[:1], [])
    assert not queries.declare_experiment(store, one, two)
    queries.declare_questions(store, places[1:], [])
    assert queries.declare_experiment(store, {**one, "config": '{"budget_usd": 2}'}, two)
    assert queries.experiment_of(store, "cup-1")["config"] == '{"budget_usd": 2}', "reports go by what stands there now"
    assert [row["id"] for row in queries.cells_of(store, "cup-1")] == ["a", "b"]
    assert [row["position"] for row in queries.placed_questions(store, "cup-1", 1, 5)] == [1]
    assert [row["position"] for row in queries.placed_questions(store, "cup-1", 0, 1)] == [0]


def test_a_strategy_of_today_tells_what_it_is_and_a_played_cell_keeps_its_options(store: Connection) -> None:
    first = cell("a", given={"rounds": 3}, default={"order": "random"})
    queries.declare_experiment(store, planned("cup-1", 0), [first])
    now = cell("a", given={}, default={"rounds": 2, "order": "fixed", "new": True}, traits='{"calls": 2}')
    queries.declare_experiment(store, planned("cup-2", 0), [now])
    (row,) = queries.cells_of(store, "cup-1")
    assert json.loads(row["options"]) == {"given": {"rounds": 3}, "default": {"order": "random", "new": True}}
    assert row["traits"] == '{"calls": 2}'


def test_on_which_questions_something_was_chosen(store: Connection) -> None:
    queries.declare_experiment(store, planned("cup-1", 0), [cell("a"), cell("b")], {"a": ["q", "p", "q"]})
    queries.put_choice(store, "b", ["q"])
    queries.put_choice(store, "b", ["q", "r"])
    assert queries.choices_of(store, ["a", "b", "c"]) == {"a": {"p", "q"}, "b": {"q", "r"}}


def test_a_captain_who_does_nothing_is_none_but_tells_line_ups_apart(store: Connection) -> None:
    leads = '{"captain": "breaks ties"}'
    rows = [
        cell("a", label="vote", captain="ann", traits=leads),
        cell("b", label="silent", captain="ann"),
        cell("c", label="silent", captain="bob"),
        cell("d", label="solo", captain="ann"),
    ]
    queries.declare_experiment(store, planned("cup-1", 0), rows)
    assert [(row["label"], row["captain"]) for row in queries.cells_of(store, "cup-1")] == [
        ("vote", "ann"),
        ("silent[ann]", None),
        ("silent[bob]", None),
        ("solo", None),
    ]


def test_the_first_word_on_who_was_late_stands(store: Connection) -> None:
    assert attendance.find_absence(store, "round 1") is None
    assert attendance.keep_absence(store, "round 1", ["ann", "bob"]) == ["ann", "bob"]
    assert attendance.keep_absence(store, "round 1", []) == ["ann", "bob"]
    assert attendance.keep_absence(store, "round 2", []) == []
    assert attendance.find_absence(store, "round 2") == [], "nobody, and that is on record"


def test_very_many_keys_are_asked_for_in_parts(store: Connection) -> None:
    assert [len(part) for part in statements.chunks(list(range(1001)))] == [500, 500, 1]
    assert [*statements.chunks([])] == []
    names = [str(number) for number in range(1001)]
    fill(store, schema.cells, *({"id": name, "label": "solo", "spec": "{}"} for name in names[::250]))
    assert same_options(store, names) == set(names)
    plan(store, "cup-1")
    assert [row["id"] for row in plans_named(store, [*names, "cup"])] == ["cup-1"]
