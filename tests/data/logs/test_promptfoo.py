"""Promptfoo's own verdict is the log's, however it came about; and a part that an answer must have is no right answer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from moot.data.logs.imported import ImportedLogs, import_logs

TOWNS = ("Paris", "Rome")
RUBRIC = {"type": "llm-rubric", "value": "is polite"}


def result(
    number: int,
    said: str | None,
    assertions: Sequence[dict[str, Any]],
    passes: Sequence[bool],
    success: bool,
    **more: Any,
) -> dict[str, Any]:
    """One row as promptfoo writes it; `passes`: of each assertion."""
    components = [
        {"pass": passed, "score": float(passed), "assertion": each}
        for each, passed in zip(assertions, passes, strict=True)
    ]
    case = {"vars": {"question": f"Capital {number}?"}, "assert": list(assertions), **more.pop("case", {})}
    return {
        "gradingResult": {"pass": success, "score": 0.5, "componentResults": components} if assertions else None,
        "prompt": {"raw": f"Q: Capital {number}?", "label": "Q: {{question}}"},
        "promptIdx": 0,
        "provider": {"id": "acme:ann", "label": ""},
        "success": success,
        "testCase": case,
        "testIdx": number,
        "vars": case["vars"],
        "response": {"output": said} if said is not None else {"error": "429"},
    } | more


def imported(folder: Path, rows: Sequence[dict[str, Any]]) -> ImportedLogs:
    (folder / "out.json").write_text(json.dumps({"results": {"version": 3, "results": list(rows)}}))
    return import_logs("promptfoo", [folder / "out.json"])


def stated(logs: ImportedLogs) -> list[float | None]:
    return [model.stated for model in logs.models]


def test_a_threshold_decides_over_the_single_assertions(tmp_path: Path) -> None:
    rows = [
        result(n, f"It is {town}", [{"type": "icontains", "value": town}, RUBRIC], [True, False], True)
        for n, town in enumerate(TOWNS)
    ]
    logs = imported(tmp_path, [{**row, "testCase": {**row["testCase"], "threshold": 0.5}} for row in rows])
    assert (stated(logs), logs.models[0].here) == ([1.0], 1.0)


def test_a_test_that_fails_by_its_threshold_although_all_pass(tmp_path: Path) -> None:
    row = result(0, "Paris", [{"type": "similar", "value": "Paris"}], [True], False, case={"threshold": 0.9})
    assert stated(imported(tmp_path, [row])) == [0.0]


def test_a_set_of_which_a_part_is_enough(tmp_path: Path) -> None:
    parts = [{"type": "icontains", "value": "Paris"}, {"type": "icontains", "value": "City of Light"}]
    row = result(0, "Paris", [{"type": "assert-set", "threshold": 0.5, "assert": parts}], [True], True)
    row["gradingResult"]["componentResults"] += [
        {"pass": passed, "assertion": each} for each, passed in zip(parts, (True, False), strict=True)
    ]
    logs = imported(tmp_path, [row])
    assert stated(logs) == [1.0]
    assert logs.questions == (), "which of the parts is a right answer cannot be told"


def test_a_function_of_ones_own_decides(tmp_path: Path) -> None:
    row = result(0, "Paris", [{"type": "equals", "value": "Paris"}, RUBRIC], [True, False], True)
    assert stated(imported(tmp_path, [row])) == [1.0]


def test_what_is_asserted_of_cost_counts_where_the_score_decides_and_this_is_said(tmp_path: Path) -> None:
    both = [{"type": "equals", "value": "Paris"}, {"type": "latency", "threshold": 10}]
    row = result(0, "Paris", both, [True, False], False, case={"threshold": 0.9})
    logs = imported(tmp_path, [row])
    assert stated(logs) == [0.0]
    assert (
        "out.json: verdicts of tests with a threshold count what was asserted of cost, time or form too" in logs.notes
    )
    assert not any("leave out" in note for note in logs.notes)


def test_two_parts_that_are_both_needed_are_no_alternatives(tmp_path: Path) -> None:
    parts = [{"type": "contains", "value": "Paris"}, {"type": "contains", "value": "Rome"}]
    rows = [result(0, "Paris and Rome", parts, [True, True], True), result(1, "Paris", parts, [True, False], False)]
    logs = imported(tmp_path, rows)
    assert (stated(logs), logs.questions, logs.unreferenced) == ([0.5], (), 2)
    said = (
        "out.json: 2 tests assert several parts of one answer, none of which is right by itself: no reference is taken"
    )
    assert said in logs.notes


def test_a_whole_answer_beside_parts_of_it_is_the_reference(tmp_path: Path) -> None:
    asserted = [
        {"type": "contains", "value": "Par"},
        {"type": "equals", "value": "Paris"},
        {"type": "contains", "value": "is"},
    ]
    (question,) = imported(tmp_path, [result(0, "Lyon", asserted, [False] * 3, False)]).questions
    assert (question["answer"], question.get("accepted")) == ("Paris", None)
    any_of = [{"type": "contains-any", "value": ["Paris", "Lutetia"]}, {"type": "not-contains", "value": "Rome"}]
    (question,) = imported(tmp_path, [result(0, "Lyon", any_of, [False] * 2, False)]).questions
    assert (question["answer"], question["accepted"]) == ("Paris", ["Lutetia"])


def test_without_assertions_an_error_is_no_verdict(tmp_path: Path) -> None:
    logs = imported(tmp_path, [result(0, "Paris", [], [], True), result(1, None, [], [], False)])
    assert stated(logs) == [None]


@pytest.mark.parametrize(
    ("label", "said"),
    [
        ("Q: {{question}}", "acme:ann is there with several settings; the second is called acme:ann#2"),
        ("Say: {{question}}", "acme:ann has several prompts; with the second it is called acme:ann#2"),
    ],
)
def test_one_provider_twice(label: str, said: str, tmp_path: Path) -> None:
    equals = [{"type": "equals", "value": "Paris"}]
    again = result(0, "Bonn", equals, [False], False, promptIdx=1, prompt={"raw": "…", "label": label})
    logs = imported(tmp_path, [result(0, "Paris", equals, [True], True), again])
    assert [model.name for model in logs.models] == ["acme:ann", "acme:ann#2"]
    assert f"out.json: {said}" in logs.notes


def test_an_answer_that_is_the_reference_and_was_called_wrong(tmp_path: Path) -> None:
    row = result(0, "Paris", [{"type": "equals", "value": "Paris"}, RUBRIC], [True, False], False)
    logs = imported(tmp_path, [row])
    assert "acme:ann: 1 verdict differs from the log's: 1 wrong there, and the same as a reference here" in logs.notes


@pytest.mark.parametrize(("answer", "letter"), [("B", None), ("T", "D"), ("G", "C"), ("2", None)])
def test_a_reference_to_choices_that_may_mean_two_is_none_of_them(
    answer: str, letter: str | None, tmp_path: Path
) -> None:
    """Of the choices B, A, G, T the answer B is the first by its words and the second by its letter."""
    given = {"question": "Which?", "options": ["B", "A", "G", "T"], "answer": answer}
    row = result(0, "D", [{"type": "javascript", "value": "…"}], [True], True, vars=given, case={"vars": given})
    (question,) = imported(tmp_path, [row]).questions
    assert (question["answer"], "choices" in question) == (letter or answer, letter is not None)
