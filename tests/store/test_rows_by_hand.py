"""Nouns as rows and back: points of a rubric, halves of letters, what is left out, and what no moot can have written."""

from __future__ import annotations

import json
from typing import Any

import pytest

from moot.errors import StoreUnreadable
from moot.store.rows import (
    case_of,
    case_row,
    known_latency_s,
    object_of,
    options_of,
    placed_case,
    points_json,
    points_of,
    verdict_json,
    verdict_of,
)
from moot.types import Answer, Case, Question, Verdict


def test_points_and_their_reasons_come_back() -> None:
    written = points_json((1.0, 0.0, 2.5), ("fine", "", "né"))
    assert json.loads(written or "") == [[1.0, "fine"], [0.0, ""], [2.5, "né"]]
    assert points_of(written) == ((1.0, 0.0, 2.5), ("fine", "", "né"))
    assert points_json(None, ()) is None
    assert points_of(None) == (None, ())
    assert points_of("[]") == ((), ())


@pytest.mark.parametrize(
    "written", ['[[-0.5, ""]]', '[[Infinity, ""]]', '[[NaN, ""]]', "[[1]]", "7", "{", '[["x", ""]]']
)
def test_points_that_no_judge_can_have_given(written: str) -> None:
    with pytest.raises(
        StoreUnreadable, match=r"judgements\.points: the store holds points that is not as moot writes one"
    ):
        points_of(written)


@pytest.mark.parametrize(
    ("reason", "kept"), [("a\ud800b", "a\ufffdb"), ("\ud83d\ude00", "😀"), ("\\ud800", "\\ud800"), ("né 😀", "né 😀")]
)
def test_half_a_letter_is_kept_as_one_that_can_be_read(reason: str, kept: str) -> None:
    assert points_of(points_json((1.0,), (reason,))) == ((1.0,), (kept,))


def test_a_verdict_says_only_what_differs() -> None:
    plain = Verdict("Paris", "answered")
    assert verdict_json(plain) == {"answer": "Paris", "outcome": "answered", "turns": plain.turns}
    whole = Verdict(
        "Paris",
        "answered",
        reasoning="known",
        who=("ann",),
        answers=(Answer("ann", "Paris", "known"), Answer("bob", None)),
        turns=3,
        absent=("bob",),
        cause="late",
    )
    for verdict in (plain, whole):
        assert verdict_of(json.dumps(verdict_json(verdict))) == verdict
    assert sorted(verdict_json(whole)) == [
        "absent",
        "answer",
        "answers",
        "cause",
        "outcome",
        "reasoning",
        "turns",
        "who",
    ]
    for odd in ("{", "[]", '{"answers": [[]]}', '{"what": 1}'):
        with pytest.raises(StoreUnreadable, match=r"episodes\.verdict"):
            verdict_of(odd)


def test_a_case_comes_back_with_where_an_experiment_placed_it() -> None:
    case = Case(
        Question(id="q", text="?", choices=("a", "b"), kind="choice"), answer="a", accepted=("A",), lemmatize=True
    )
    row = case_row(case)
    assert sorted(json.loads(row["content"])) == ["accepted", "answer", "lemmatize", "question"]
    assert case_of(row["content"]) == case
    placed = placed_case({**row, "question_set": "s", "cluster": "c"})
    assert (placed.question_set, placed.cluster) == ("s", "c")
    for odd in ("{}", "[]", '{"question": {}}'):
        with pytest.raises(StoreUnreadable, match=r"cases\.content"):
            case_of(odd)


@pytest.mark.parametrize("written", ["[]", "7", "{", "null", ""])
def test_what_is_no_object_is_refused_with_its_place(written: Any) -> None:
    with pytest.raises(StoreUnreadable, match=r"^runs\.facts: expected a JSON object, found"):
        object_of(written, "runs.facts")


def test_options_are_those_that_were_given_and_the_defaults_of_the_rest() -> None:
    assert options_of('{"given": {"a": 1}}') == {"given": {"a": 1}}
    for odd in ('{"given": []}', '{"default": 7}'):
        with pytest.raises(StoreUnreadable, match=r"cells\.options"):
            options_of(odd)


def test_how_long_a_call_took_where_that_is_known() -> None:
    """Of what was played back nothing is known, unless it says that it took no time."""
    assert [known_latency_s(*each) for each in ((1.5, None), (0.0, None), (1.5, 1), (0.0, 1), (0.0, 2))] == [
        1.5,
        0.0,
        1.5,
        None,
        0.0,
    ]
