"""Runs of HELM: right is what HELM's own tables call right, and the letter at the end of thoughts is the answer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from moot.data.logs.imported import ImportedLogs, import_logs

COLOURS = ("red", "green", "blue", "grey")
ALOUD = "multiple_choice_joint_chain_of_thought"


def written(
    folder: Path,
    scenario: str,
    said: Sequence[str],
    stats: Sequence[Mapping[str, float]],
    *,
    model: str = "acme/ann",
    method: str = "generation",
    references: Sequence[str] = COLOURS,
    splits: Sequence[str | None] = (None,),
    totals: Sequence[Mapping[str, Any]] | None = None,
    **more: Any,
) -> None:
    """A run whose n-th question has the n-th reference as the right one."""
    place = folder / f"{scenario},model={model.replace('/', '_')}"
    place.mkdir()
    shown = {"output_mapping": dict(zip("ABCD", references, strict=False))} if "choice" in method else {}
    states = []
    for number, text in enumerate(said):
        tagged = [
            {"output": {"text": each}, "tags": ["correct"] if place_of == number else []}
            for place_of, each in enumerate(references)
            if shown or place_of == number
        ]
        split = splits[number % len(splits)]
        states.append(
            {
                "instance": ({"split": split} if split else {})
                | {"id": f"id{number}", "input": {"text": f"Q{number}?"}, "references": tagged},
                "train_trial_index": 0,
                "result": {"success": True, "completions": [{"text": text, "logprob": 0}]},
                **shown,
            }
        )
    adapter = {"method": method, "model": model}
    (place / "scenario_state.json").write_text(json.dumps({"adapter_spec": adapter, "request_states": states}))
    (place / "run_spec.json").write_text(json.dumps({"name": f"{scenario},model={model}", **more}))
    of_instances = [
        {"instance_id": f"id{n}", "stats": [{"name": {"name": name}, "mean": value} for name, value in each.items()]}
        for n, each in enumerate(stats)
    ]
    (place / "per_instance_stats.json").write_text(json.dumps(of_instances))
    if totals is not None:
        (place / "stats.json").write_text(json.dumps(totals))


def right(logs: ImportedLogs) -> list[tuple[float | None, float | None]]:
    return [(model.stated, model.here) for model in logs.models]


def test_the_letter_at_the_end_of_thoughts_is_the_answer(tmp_path: Path) -> None:
    said = [
        "Think. B is wrong.\nThe correct answer is (A).",
        "the answer is C",
        "The correct answer is Known: the correct answer is in brackets (C)",
        "who knows",
    ]
    stats = [{"chain_of_thought_correctness": value, "num_output_tokens": 9.0} for value in (1.0, 0.0, 1.0, 0.0)]
    written(tmp_path, "mmlu_pro:subset=all", said, stats, method=ALOUD)
    logs = import_logs("helm", [tmp_path])
    assert [row.get("answer") for row in logs.replies] == ["A", "C", "C", None]
    assert right(logs) == [(0.5, 0.5)]
    assert not any("no verdicts" in line for line in logs.absent)


def test_thoughts_without_that_metric_are_read_here(tmp_path: Path) -> None:
    written(tmp_path, "gpqa:subset=all", ["So:\nANSWER: A"], [{"exact_match": 0.0}], method=ALOUD)
    assert [row.get("answer") for row in import_logs("helm", [tmp_path]).replies] == ["A"]


@pytest.mark.parametrize(
    ("scenario", "groups"), [("legalbench:subset=abercrombie", []), ("own_name:subset=x", ["core", "legalbench"])]
)
def test_of_several_metrics_the_one_of_helms_own_tables(scenario: str, groups: list[str], tmp_path: Path) -> None:
    stats = [{"exact_match": 0.0, "quasi_exact_match": value, "f1_score": 0.5} for value in (1.0, 0.0)]
    written(tmp_path, scenario, ["Red.", "blue"], stats, groups=groups)
    logs = import_logs("helm", [tmp_path])
    assert right(logs) == [(0.5, 0.5)]
    assert f"{scenario}: verdicts by quasi_exact_match, of exact_match, quasi_exact_match, f1_score" in logs.notes


def test_a_metric_that_nobody_knows_is_taken_by_its_name_or_named(tmp_path: Path) -> None:
    stats = [{"my_accuracy": 1.0, "toxicity": 0.2, "num_prompt_tokens": 30.0}]
    written(tmp_path, "mine:a=b", ["red"], stats)
    logs = import_logs("helm", [tmp_path])
    assert right(logs) == [(1.0, 1.0)]
    written(tmp_path, "other:a=b", ["red"], [{"bleu_4": 0.3, "toxicity": 0.2, "num_prompt_tokens": 30.0}])
    logs = import_logs("helm", [tmp_path], tasks=["other:a=b"])
    assert "other:a=b: none of its metrics is a verdict on a reply: bleu_4, toxicity" in logs.notes


def test_models_that_are_judged_by_different_metrics(tmp_path: Path) -> None:
    written(tmp_path, "med_qa:a=b", ["red"], [{"quasi_exact_match": 1.0}])
    written(tmp_path, "med_qa:a=b", ["red"], [{"exact_match": 1.0}], model="acme/bob")
    said = (
        "med_qa:a=b: not all models are judged by the same metric: quasi_exact_match (acme/ann); exact_match (acme/bob)"
    )
    assert said in import_logs("helm", [tmp_path]).notes


def test_a_right_choice_is_known_by_its_words_also_where_they_are_a_letter(tmp_path: Path) -> None:
    stats = [{"exact_match": 1.0}] * 2
    bases = ("C", "A", "G", "T")
    written(tmp_path, "bases:a=b", ["A", "B"], stats, method="multiple_choice_joint", references=bases)
    logs = import_logs("helm", [tmp_path])
    assert [row["answer"] for row in logs.questions] == ["A", "B"]
    assert right(logs) == [(1.0, 1.0)]


def test_a_failed_request_among_trials_of_several_completions(tmp_path: Path) -> None:
    """It has no completions, and the samples of its trial begin where those of all others do."""
    written(tmp_path, "natural_qa", ["red", "green"], [{"num_prompt_tokens": 9}] * 2)
    (state,) = tmp_path.glob("*/scenario_state.json")
    content = json.loads(state.read_text())
    several = [{"text": "red", "logprob": -1}, {"text": "grey", "logprob": -2}]
    fine = {"success": True, "completions": several, "request_time": 3.0}
    failed = {"success": False, "completions": [], "error": "Boom"}
    content["request_states"] = [
        each | {"train_trial_index": trial, "result": failed if (trial, place) == (1, 1) else fine}
        for trial in (0, 1)
        for place, each in enumerate(content["request_states"])
    ]
    state.write_text(json.dumps(content))
    logs = import_logs("helm", [tmp_path])
    assert [sum(row["question_id"].endswith(f"id{n}") for row in logs.replies) for n in (0, 1)] == [4, 2]
    assert not any("seconds" in row or "prompt_tokens" in row for row in logs.replies), "they are of both together"
    own, together = "of their own for", "of 6 replies: the logs have them of all replies to one request together"
    assert {f"no times {own} 6 {together}", f"no counts of tokens {own} 4 {together}"} <= {*logs.absent}
    assert any("2 of 8 samples have no reply (Boom)" in note for note in logs.notes), "a failed request lacks both"


@pytest.mark.parametrize("name", ["incorrect", "mismatch_rate", "not_correct", "format_match"])
def test_a_metric_that_only_sounds_like_right_is_none(name: str, tmp_path: Path) -> None:
    written(tmp_path, "mine:a=b", ["grey", "green"], [{name: 1.0}, {name: 0.0}])
    logs = import_logs("helm", [tmp_path])
    assert (right(logs), logs.questions[0].get("accepted")) == ([(None, 0.5)], None)
    assert f"mine:a=b: none of its metrics is a verdict on a reply: {name}" in logs.notes


def test_a_metric_that_is_known_by_its_name_alone_is_told_and_several_are_not_chosen_between(tmp_path: Path) -> None:
    written(tmp_path, "mine:a=b", ["red", "grey"], [{"my_accuracy": 1.0}, {"my_accuracy": 0.0}])
    assert "mine:a=b: verdicts by my_accuracy, of my_accuracy" in import_logs("helm", [tmp_path]).notes
    stats = [{"my_accuracy": 1.0, "my_match": 1.0}, {"my_accuracy": 0.0, "my_match": 1.0}]
    written(tmp_path, "two:a=b", ["red", "grey"], stats)
    logs = import_logs("helm", [tmp_path], tasks=["two:a=b"])
    assert (right(logs), logs.questions[1].get("accepted")) == ([(None, 0.5)], None)
    assert any("my_accuracy, my_match disagree" in note and "--metric" in note for note in logs.notes)
    assert right(import_logs("helm", [tmp_path], tasks=["two:a=b"], metric="my_accuracy")) == [(0.5, 0.5)]


def test_an_instance_without_words_is_left_out(tmp_path: Path) -> None:
    written(tmp_path, "mine:a=b", ["red", "green"], [{"exact_match": 1.0}] * 2)
    (state,) = tmp_path.glob("*/scenario_state.json")
    content = json.loads(state.read_text())
    content["request_states"][0]["instance"]["input"] = {"text": ""}
    state.write_text(json.dumps(content))
    logs = import_logs("helm", [tmp_path])
    assert [row["id"] for row in logs.questions] == ["mine:a=b/id1"]
    assert "mine:a=b: 1 question that nobody can be asked here (no words to ask), left out" in logs.notes


class TestSplits:
    """HELM asks the questions for choosing a model as well, and its tables show those for testing it."""

    SAID = ("red", "grey", "blue", "grey")

    def logged(self, folder: Path, splits: Sequence[str | None], totals: Any = None) -> ImportedLogs:
        stats = [{"exact_match": value} for value in (1.0, 0.0, 1.0, 1.0)]
        written(folder, "mmlu:subject=law", self.SAID, stats, splits=splits, totals=totals)
        return import_logs("helm", [folder])

    def total(self, split: str, mean: float, **more: Any) -> dict[str, Any]:
        return {"name": {"name": "exact_match", "split": split, **more}, "count": 1, "mean": mean}

    def test_the_figures_are_of_the_test(self, tmp_path: Path) -> None:
        logs = self.logged(tmp_path, ("valid", "test"), [self.total("valid", 1.0), self.total("test", 0.5)])
        assert right(logs) == [(0.5, 0.5)]
        assert [row["id"] for row in logs.questions] == ["mmlu:subject=law/id1", "mmlu:subject=law/id3"]
        left_out = "2 requests of the split valid left out; the figures are of the split test"
        assert f"mmlu:subject=law,model=acme_ann: {left_out}" in logs.notes

    @pytest.mark.parametrize("splits", [("valid",), ("test",), (None,), ("own",)])
    def test_one_alone_is_taken_whole(self, splits: Sequence[str | None], tmp_path: Path) -> None:
        logs = self.logged(tmp_path, splits)
        assert right(logs) == [(0.75, 0.75)]
        assert not any("split" in note for note in logs.notes)

    def test_another_figure_of_helms_own_is_told(self, tmp_path: Path) -> None:
        changed = self.total("test", 0.1, perturbation={"name": "typos"})
        logs = self.logged(tmp_path, ("test",), [changed, self.total("test", 0.5)])
        assert logs.models[0].stated == 0.5
        said = (
            "exact_match is 50.0 % in the log, the mean over questions of their mean verdict on single replies 75.0 %"
        )
        assert f"acme/ann: {said}" in logs.notes
