"""Promptfoo's own verdict is the log's, however it came about; and a part that an answer must have is no right answer."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

from moot.data.logs.imported import ImportedLogs, import_logs
from moot.errors import MootError

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


BY_A_FILTER = {"code": "content_filter", "message": "The response was filtered"}
REFUSALS: dict[str, tuple[dict[str, Any], str, str]] = {
    "marked": ({"output": "I cannot help.", "isRefusal": True}, "refusal", "I cannot help."),
    "a reason": ({"output": "", "finishReason": "content_filter"}, "content_filter", ""),
    "a reason to others": ({"output": "So", "finishReason": "SAFETY"}, "content_filter", "So"),
    "an error object": ({"error": BY_A_FILTER}, "content_filter", ""),
    "an error in words": ({"error": f"API error: 400 Bad Request\n{json.dumps({'error': BY_A_FILTER})}"}, "content_filter", ""),
    "words of a filter": (
        {"error": "API error: 400: your prompt triggered the content management policy"}, "content_filter", ""
    ),
    "a guardrail": ({"guardrails": {"flagged": True}, "error": "blocked"}, "content_filter", ""),
}  # fmt: skip
FAILURES: dict[str, dict[str, Any]] = {
    "busy": {"error": "API error: 429 Too Many Requests: content filter is busy"},
    "a wrong key": {"error": "API error: 403: your account is flagged, contact billing"},
    "no word": {"error": "fetch failed"},
}


@pytest.mark.parametrize("name", REFUSALS)
def test_a_refusal_is_a_reply(name: str, tmp_path: Path) -> None:
    response, finish, said = REFUSALS[name]
    equals = [{"type": "equals", "value": "Paris"}]
    rows = [result(1, None, equals, [False], False, response=response), result(2, "Paris", equals, [True], True)]
    logs = imported(tmp_path, rows)
    (row,) = [each for each in logs.replies if each["question_id"] == "1"]
    assert (row["finish"], row["text"]) == (finish, said)
    assert "answer" not in row
    assert "acme:ann: 1 of 2 replies refused to answer" in logs.notes


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_is_none(name: str, tmp_path: Path) -> None:
    equals = [{"type": "equals", "value": "Paris"}]
    failed = result(1, None, equals, [False], False, response=FAILURES[name])
    logs = imported(tmp_path, [failed, result(2, "Paris", equals, [True], True)])
    assert [row["question_id"] for row in logs.replies] == ["2"]
    assert not any("refused" in note for note in logs.notes)


def test_an_assertion_about_filters_that_failed_is_no_refusal(tmp_path: Path) -> None:
    equals = [{"type": "equals", "value": "Paris"}]
    wrong = result(
        1, "A 400 of a content filter", equals, [False], False, error="Expected output to be content filtered, 400"
    )
    logs = imported(tmp_path, [wrong, result(2, "Paris", equals, [True], True)])
    assert not any("refused" in note for note in logs.notes)


def test_what_was_paid_for_no_reply_is_told_beside_the_sum(tmp_path: Path) -> None:
    equals = [{"type": "equals", "value": "Paris"}]
    rows = [result(1, None, equals, [False], False, cost=0.02), result(2, "Paris", equals, [True], True, cost=0.03)]
    logs = imported(tmp_path, rows)
    assert [model.cost_usd for model in logs.models] == [pytest.approx(0.05)]
    assert sum(row["cost_usd"] for row in logs.replies) == pytest.approx(0.03)
    assert "acme:ann: $0.020 was for samples without a reply: it is in its USD, and in no recorded reply" in logs.notes


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


class TestYaml:
    def rows(self, padding: str = "") -> list[dict[str, Any]]:
        equals = [{"type": "equals", "value": "Paris"}]
        return [result(0, "Paris", equals, [True], True, padding=padding)]

    def written(self, folder: Path, rows: Sequence[dict[str, Any]]) -> Path:
        path = folder / "out.yaml"
        path.write_text(yaml.safe_dump({"results": {"results": list(rows)}}))  # shared objects as anchors
        return path

    def test_is_read_as_long_as_a_log_is(self, tmp_path: Path) -> None:
        rows = self.rows("x" * 600_000)
        logs = import_logs("promptfoo", [self.written(tmp_path, rows)])
        assert (logs.questions, logs.replies) == (imported(tmp_path, rows).questions, imported(tmp_path, rows).replies)

    def test_longer_it_is_refused_with_the_way_out(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("moot.config.foreign_yaml.MOST_YAML", 1000)
        with pytest.raises(MootError, match=r"longer than 1,000 bytes.*expected the same as JSON: promptfoo eval -o"):
            import_logs("promptfoo", [self.written(tmp_path, self.rows("x" * 1000))])

    @pytest.mark.parametrize(
        ("words", "problem"),
        [
            ("[" * 100_000, "nested deeper than 200 levels"),
            ("- " * 100_000, "nested deeper than 200 levels"),
            ("a: &a [*a]", "an alias stands within what it is an alias of"),
            ("a: b: c", "out.yaml:1: is no YAML"),
            ("a: !!python/name:os.system x", "could not determine a constructor"),
            ("- 1", "expected a list results.results"),
            ("", "expected a list results.results"),
        ],
    )
    def test_what_is_no_log_is_told(self, words: str, problem: str, tmp_path: Path) -> None:
        (tmp_path / "out.yaml").write_text(words)
        with pytest.raises(MootError, match=re.escape(problem)):
            import_logs("promptfoo", [tmp_path / "out.yaml"])

    def test_a_few_lines_that_stand_for_a_billion(self, tmp_path: Path) -> None:
        names = "abcdefghij"
        more = [f"{b}: &{b} [{', '.join([f'*{a}'] * 10)}]" for a, b in pairwise(names)]
        (tmp_path / "out.yaml").write_text("\n".join(["a: &a [x, x, x, x]", *more]))
        with pytest.raises(MootError, match="with its aliases written out it is longer"):
            import_logs("promptfoo", [tmp_path / "out.yaml"])


PLACEHOLDER = (
    "a cost of 0 in 2 replies is what tools write where they know no price, and taken as unknown: give prices with price:"
    " {prompt: USD, completion: USD} of a million tokens under their models in the experiment file, 0 and 0 where they are free"
)


def priced(costs: Sequence[float], *, provider: str = "acme:ann") -> list[dict[str, Any]]:
    rows = [result(n, town, [{"type": "equals", "value": town}], [True], True) for n, town in enumerate(TOWNS)]
    return [
        {**row, "cost": cost, "provider": {"id": provider, "label": ""}} for row, cost in zip(rows, costs, strict=True)
    ]


def test_its_cost_of_nothing_is_a_placeholder(tmp_path: Path) -> None:
    logs = imported(tmp_path, [*priced([0, 0]), *priced([0.01, 0.03], provider="acme:bob")])
    assert [(model.name, model.cost_usd) for model in logs.models] == [("acme:ann", None), ("acme:bob", 0.04)]
    assert ["cost_usd" in row for row in logs.replies] == [False, False, True, True]
    assert PLACEHOLDER in logs.notes
    assert "no costs for 2 of 4 replies" in logs.absent


def test_its_cost_of_nothing_stands_where_its_settings_state_a_price_of_nothing(tmp_path: Path) -> None:
    document = {
        "config": {"providers": ["acme:bob", {"id": "acme:ann", "config": {"cost": 0}}]},
        "results": {"version": 3, "results": [*priced([0, 0]), *priced([0, 0], provider="acme:bob")]},
    }
    (tmp_path / "out.json").write_text(json.dumps(document))
    logs = import_logs("promptfoo", [tmp_path / "out.json"])
    assert [(model.name, model.cost_usd) for model in logs.models] == [("acme:ann", 0), ("acme:bob", None)]
    assert PLACEHOLDER in logs.notes
