"""Logs of other tools: what each holds comes along, and every figure is the tool's own."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from moot.data.logs.formats import BUILT_IN, log_format
from moot.data.logs.imported import ImportedLogs, import_logs
from moot.testing import check_log_format

HERE = Path(__file__).parent / "fixtures"
LOGS = {
    "inspect": "inspect/planets",
    "inspect-json": "inspect/capitals",
    "lm-eval": "lm-eval",
    "promptfoo": "promptfoo/output.json",
    "helm": "helm",
    "openai-batch": "openai-batch",
    "csv": "csv/wide.csv",
}


def imported(name: str, *paths: str, **options: Any) -> ImportedLogs:
    return import_logs(name, [HERE / path for path in paths], **options)


def right(logs: ImportedLogs) -> dict[str, tuple[float | None, float | None]]:
    """By model as its log says, and as we grade it."""
    return {model.name: (model.stated, model.here) for model in logs.models}


def answers(logs: ImportedLogs, model: str, sample: int = 0) -> str:
    rows = [row for row in logs.replies if row["model"] == model and row["sample"] == sample]
    return " ".join(row.get("answer", "–") for row in rows)


@pytest.mark.parametrize("name", LOGS)
def test_contract(name: str) -> None:
    check_log_format(log_format(name.removesuffix("-json")), [HERE / LOGS[name]])


def test_every_format_of_ours_has_a_log_here() -> None:
    assert {name.removesuffix("-json") for name in LOGS} == set(BUILT_IN)


def test_inspect_with_epochs_and_costs() -> None:
    logs = imported("inspect", "inspect/planets")
    assert right(logs) == {"mockllm/ann": (0.875, 0.875), "mockllm/bob": (0.625, 0.625)}
    assert logs.models[0].metric == "choice accuracy"
    assert [answers(logs, "mockllm/ann", sample) for sample in (0, 1)] == ["B C A D", "B A A D"]
    assert logs.repeats == 2
    assert (logs.notes, logs.absent) == ((), ())
    assert logs.questions[0] == {
        "id": "planets/q1",
        "text": "Which planet is the largest?",
        "choices": ["Mars", "Jupiter", "Venus", "Earth"],
        "answer": "B",
        "category": "astronomy",
    }
    spent = {key: logs.replies[0][key] for key in ("cost_usd", "prompt_tokens", "completion_tokens")}
    assert spent == {"cost_usd": 0.0002, "prompt_tokens": 50, "completion_tokens": 9}
    assert logs.replies[0]["text"] == "Let me think.\n\nANSWER: B"


def test_inspect_says_of_open_answers_which_are_right() -> None:
    """By Inspect "It is Paris" ends with the answer; by match alone it would be wrong."""
    logs = imported("inspect", "inspect/capitals")
    assert right(logs) == {"mockllm/ann": (2 / 3, 2 / 3), "mockllm/bob": (2 / 3, 2 / 3)}
    by_id = {row["id"]: row for row in logs.questions}
    assert (by_id["capitals/c1"]["answer"], by_id["capitals/c1"]["accepted"]) == ("Paris", ["It is Paris"])
    assert by_id["capitals/c3"]["accepted"] == ["NBO"], "of several targets the first is the answer"


def test_lm_eval_likelihoods_and_generated() -> None:
    results = {
        path.parent.name: json.loads(path.read_text())["results"]
        for path in (HERE / "lm-eval").glob("*/results_*.json")
    }
    for task, metric in (("moot_planets", "acc,none"), ("moot_capitals", "exact_match,last-word")):
        logs = imported("lm-eval", "lm-eval", tasks=[task])
        assert right(logs) == {name: (results[name][task][metric],) * 2 for name in ("ann", "bob")}
    planets = imported("lm-eval", "lm-eval", tasks=["moot_planets"])
    assert (answers(planets, "ann"), answers(planets, "bob")) == ("B C A A", "B B A D")
    assert planets.questions[1]["choices"] == ["Iron", "Gold", "Mercury", "Tin"]
    assert planets.questions[1]["category"] == "chemistry"
    capitals = imported("lm-eval", "lm-eval", tasks=["moot_capitals"])
    assert answers(capitals, "bob") == "Paris Lima Mombasa"
    assert "moot_capitals: answers as the filter last-word found them, of last-word, whole" in capitals.notes
    assert "no costs in these logs" in capitals.absent


def test_both_tasks_of_lm_eval_are_one_set() -> None:
    logs = imported("lm-eval", "lm-eval")
    assert [row["id"] for row in logs.questions[::4]] == ["moot_capitals/0", "moot_planets/1"]
    assert right(logs) == {"ann": (5 / 7, 5 / 7), "bob": (5 / 7, 5 / 7)}


@pytest.mark.parametrize("file", ["output.json", "output.jsonl"])
def test_promptfoo(file: str) -> None:
    logs = imported("promptfoo", f"promptfoo/{file}")
    assert right(logs) == {"acme:ann": (2 / 3, 2 / 3), "Bob": (2 / 3, 2 / 3)}, "a label is the name, else the id"
    assert logs.questions[0] == {
        "id": "0",
        "text": "What is the capital of France?",
        "answer": "Paris",
        "accepted": ["It is Paris"],
    }
    assert [round(model.cost_usd or 0, 6) for model in logs.models] == [0.0003, 0.0006]
    assert logs.replies[0]["seconds"] == 0.4
    assert f"{file}: verdicts leave out what was asserted of cost, time or form" in logs.notes


def test_promptfoo_in_yaml_and_repeats_are_samples(tmp_path: Path) -> None:
    written = json.loads((HERE / "promptfoo/output.json").read_text())
    results = written["results"]["results"]
    again = [{**each, "testIdx": each["testIdx"] + 3, "response": {"output": "Rome"}} for each in results]
    written["results"]["results"] = results + again
    (tmp_path / "output.yaml").write_text(json.dumps(written))
    logs = import_logs("promptfoo", [tmp_path / "output.yaml"])
    assert (len(logs.questions), logs.repeats) == (3, 2)
    assert answers(logs, "Bob", 1) == "Rome Rome Rome"


def test_helm() -> None:
    logs = imported("helm", "helm")
    stats = {
        path.parent.name: [each["stats"][0]["mean"] for each in json.loads(path.read_text()) if each["stats"]]
        for path in (HERE / "helm").glob("*/per_instance_stats.json")
    }
    assert right(logs) == {f"acme/{name}": (sum(each) / 4,) * 2 for name, each in stats.items()}
    assert answers(logs, "acme/bob") == "B – A D", "a reply that is no letter is none to HELM"
    assert (logs.questions[0]["id"], logs.questions[0]["answer"]) == ("planets:subject=all/id0", "B")
    assert "acme/bob: no answer could be read from 1 of 4 replies" in logs.notes
    assert any("perturbations" in note for note in logs.notes)
    assert (logs.replies[0]["prompt_tokens"], logs.replies[0]["seconds"]) == (41, 0.25)


def test_openai_batch_is_joined_by_custom_id_and_has_no_references() -> None:
    logs = imported("openai-batch", "openai-batch")
    assert [(model.name, model.questions, model.missing) for model in logs.models] == [("ann-1", 3, 0), ("bob-1", 2, 1)]
    assert logs.questions == ()
    assert logs.unreferenced == 3
    assert [row["text"] for row in logs.replies if row["model"] == "bob-1"] == ["Paris", "Lima"]
    assert not any("answer" in row for row in logs.replies), "they are read as what they answer is asked"
    assert "bob-1: 1 of 3 samples have no reply (The server had an error)" in logs.notes
    assert any(note.startswith("no reference could be taken from these logs") for note in logs.notes)


def test_csv_a_column_for_each_model() -> None:
    logs = imported("csv", "csv/wide.csv")
    assert right(logs) == {"ann": (None, 0.75), "bob": (None, 0.75)}
    assert answers(logs, "bob") == "B B A D", "read from “The answer is (B).”"
    assert [round(model.cost_usd or 0, 6) for model in logs.models] == [0.004, 0.008]
    assert "wide.csv: each column is a model's replies: ann, bob" in logs.notes


def test_csv_a_row_for_each_reply() -> None:
    logs = imported("csv", "csv/long.csv")
    assert right(logs) == {"ann": (2 / 3, 2 / 3), "bob": (2 / 3, 2 / 3)}
    assert [row["id"] for row in logs.questions] == ["1", "3", "5"], "by the words, where there are no ids"
    assert logs.replies[0]["seconds"] == 0.25


def test_csv_without_a_model_is_called_as_its_file_or_as_one_says(tmp_path: Path) -> None:
    table = tmp_path / "gpt.csv"
    table.write_text("question,answer,response\nWho?,Ann,Ann\n")
    assert [model.name for model in import_logs("csv", [table]).models] == ["gpt"]
    assert [model.name for model in import_logs("csv", [table], model="gpt-4o").models] == ["gpt-4o"]


def test_promptfoo_calls_late_answers_right_all_the_same(tmp_path: Path) -> None:
    written = json.loads((HERE / "promptfoo/output.json").read_text())
    for result in written["results"]["results"]:
        result.update(success=False)
        result["gradingResult"]["componentResults"][0].update({"pass": False})
    (tmp_path / "output.json").write_text(json.dumps(written))
    assert right(import_logs("promptfoo", [tmp_path])) == {"acme:ann": (2 / 3, 2 / 3), "Bob": (2 / 3, 2 / 3)}


@pytest.mark.parametrize("name", ["inspect", "csv", "promptfoo"])
def test_a_cost_of_nothing_is_unknown_in_every_format_that_has_costs(name: str, tmp_path: Path) -> None:
    path = HERE / {"inspect": "inspect/capitals/ann.json", "csv": "csv/wide.csv"}.get(name, "promptfoo/output.jsonl")
    words = path.read_text().replace('"total_cost": 0.0002', '"total_cost": 0')
    words = re.sub(r'"cost": ?0\.000\d', '"cost": 0', words)
    words = re.sub(r"0\.00\d\b", "0", words) if name == "csv" else words
    (tmp_path / path.name).write_text(words)
    assert any(model.cost_usd for model in import_logs(name, [path]).models)
    logs = import_logs(name, [tmp_path / path.name])
    assert {model.cost_usd for model in logs.models} == {None}
    assert any(note.startswith("a cost of 0 in ") for note in logs.notes)
    assert "no costs in these logs" in logs.absent
