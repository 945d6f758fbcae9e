"""Logs of Inspect: its figure is told as what it is, and what stands beside its logs is no log."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from moot.data.logs.imported import ImportedLogs, import_logs
from moot.errors import MootError

VERDICTS = {"q1": ("C", "C", "I"), "q2": ("I", "C", "I")}
"""By question those of three epochs."""


def sample(ident: str, epoch: int, value: Any, scorer: str = "match") -> dict[str, Any]:
    said = "Paris" if value in ("C", 1, "yes") else "Rome"
    scores = {scorer: {"value": value, "answer": said}}
    return {
        "id": ident,
        "epoch": epoch,
        "input": f"Where {ident}?",
        "target": "Paris",
        "output": {"completion": said},
        "scores": scores,
    }


def result(value: float, name: str = "match", metric: str = "accuracy", **more: Any) -> dict[str, Any]:
    return {"name": name, "scorer": name, "metrics": {metric: {"value": value}}} | more


def log(path: Path, samples: Sequence[dict[str, Any]], *scores: dict[str, Any], **more: Any) -> Path:
    about = {"status": "success", "eval": {"task": "towns", "model": "acme/ann"}, "results": {"scores": list(scores)}}
    path.write_text(json.dumps(about | {"samples": list(samples)} | more))
    return path


def of_epochs() -> list[dict[str, Any]]:
    return [sample(ident, epoch + 1, each[epoch]) for ident, each in VERDICTS.items() for epoch in range(3)]


def figures(logs: ImportedLogs) -> tuple[float | None, str | None, float | None]:
    (model,) = logs.models
    return model.stated, model.metric, model.here


def test_epochs_that_are_not_reduced_to_their_mean(tmp_path: Path) -> None:
    scores = [result(1.0, reducer="at_least_1"), result(0.5, reducer="mode")]
    logs = import_logs("inspect", [log(tmp_path / "a.json", of_epochs(), *scores)])
    assert figures(logs) == (1.0, "match accuracy (at_least_1 of the epochs)", 0.5)
    said = "match accuracy (at_least_1 of the epochs) is 100.0 % in the log, the mean of its verdicts on single replies 50.0 %"
    assert f"acme/ann: {said}" in logs.notes


def test_the_headline_says_which_reduction_is_the_figure(tmp_path: Path) -> None:
    results = {
        "scores": [result(1.0, reducer="at_least_1"), result(0.5, reducer="mode")],
        "headline": {"score": "match", "metric": "accuracy", "reducer": "mode"},
    }
    logs = import_logs("inspect", [log(tmp_path / "a.json", of_epochs(), results=results)])
    assert figures(logs) == (0.5, "match accuracy (mode of the epochs)", 0.5)


def test_the_mean_needs_no_word(tmp_path: Path) -> None:
    logs = import_logs("inspect", [log(tmp_path / "a.json", of_epochs(), result(0.5, reducer="mean"))])
    assert (figures(logs), logs.notes) == ((0.5, "match accuracy", 0.5), ())


@pytest.mark.parametrize("name", ["eval-set.json", "logs.json"])
def test_lists_of_logs_beside_them_are_none(name: str, tmp_path: Path) -> None:
    log(tmp_path / "a.json", of_epochs())
    (tmp_path / name).write_text('{"a.json": {"status": "success"}}')
    assert [path.name for path in import_logs("inspect", [tmp_path]).files]
    assert len(import_logs("inspect", [tmp_path]).questions) == 2
    with pytest.raises(MootError, match="is no log of Inspect"):
        import_logs("inspect", [tmp_path / name])


def test_why_an_evaluation_failed(tmp_path: Path) -> None:
    failed = {"status": "error", "error": {"message": "AuthenticationError: no key"}}
    silent = sample("q1", 1, None) | {"output": {}, "scores": {}}
    why = r"a.json \(acme/ann\): the evaluation did not come to its end \(error: AuthenticationError: no key\)"
    for samples in ([], [silent]):
        with pytest.raises(MootError, match=why):
            import_logs("inspect", [log(tmp_path / "a.json", samples, **failed)])
    logs = import_logs("inspect", [log(tmp_path / "a.json", of_epochs(), **failed)])
    assert any("AuthenticationError: no key" in note for note in logs.notes)


def test_scores_that_are_more_than_right_are_no_verdicts(tmp_path: Path) -> None:
    samples = [sample("q1", 1, 0.5), sample("q2", 1, 7)]
    logs = import_logs("inspect", [log(tmp_path / "a.json", samples, result(3.75, metric="mean"))])
    assert figures(logs)[0] is None
    assert "a.json (acme/ann): scores outside 0 to 1 (mean 3.75) are no verdicts, and none is taken" in logs.notes


def test_a_mean_of_shares_is_the_figure(tmp_path: Path) -> None:
    samples = [sample("q1", 1, 1), sample("q2", 1, 0.5)]
    logs = import_logs("inspect", [log(tmp_path / "a.json", samples, result(0.75, metric="mean"))])
    assert figures(logs) == (0.75, "match mean", 0.5)


def test_a_scorer_of_several_values(tmp_path: Path) -> None:
    samples = [sample("q1", 1, {"right": 1, "kind": 0}, "both"), sample("q2", 1, {"right": 0, "kind": 1}, "both")]
    scores = [result(0.5, "right", scorer="both"), result(0.5, "kind", scorer="both")]
    logs = import_logs("inspect", [log(tmp_path / "a.json", samples, *scores)])
    assert logs.models[0].judged == 2
    assert "a.json (acme/ann): several scorers; the verdicts are those of right" in logs.notes


def test_verdicts_in_words(tmp_path: Path) -> None:
    logs = import_logs("inspect", [log(tmp_path / "a.json", [sample("q1", 1, "yes"), sample("q2", 1, "no")])])
    assert logs.models[0].stated == 0.5


def test_of_several_tasks_each_figure_that_is_another_is_told(tmp_path: Path) -> None:
    log(tmp_path / "a.json", of_epochs(), result(1.0, reducer="max"))
    log(tmp_path / "b.json", of_epochs(), result(0.5), eval={"task": "rivers", "model": "acme/ann"})
    logs = import_logs("inspect", [tmp_path])
    assert figures(logs) == (pytest.approx(0.5), None, pytest.approx(0.5))
    said = "match accuracy (max of the epochs) of towns is 100.0 % in the log, the mean of its verdicts on single replies 50.0 %"
    assert [note for note in logs.notes if "in the log" in note] == [f"acme/ann: {said}"]


@pytest.mark.parametrize(("target", "letter"), [("A", "A"), ("T", "D"), ("1", None)])
def test_a_target_is_a_letter_else_the_words_of_a_choice_and_no_place(
    target: str, letter: str | None, tmp_path: Path
) -> None:
    one = sample("q1", 1, "C") | {"choices": ["C", "A", "G", "T"], "target": target}
    logs = import_logs("inspect", [log(tmp_path / "a.json", [one])])
    assert [row["answer"] for row in logs.questions] == ([letter] if letter else [])
