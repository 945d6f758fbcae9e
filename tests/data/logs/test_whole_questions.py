"""Logs that lack replies: questions that every model has answered, alone, and what is said of the others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cup_commands import command, told

from moot.data.logs.imported import ImportedLogs, import_logs
from moot.errors import UsageError

MODELS = ("ant", "bee", "cat")


def log(folder: Path, model: str, lost: set[int], *, questions: int = 20, epochs: int = 1) -> None:
    """Whoever is asked is right; the log states its share of right answers of all that it holds."""
    samples = [
        {
            "id": number,
            "epoch": epoch,
            "input": f"Question {number}?",
            "choices": ["one", "two"],
            "target": "A",
            "output": {"completion": "ANSWER: A"},
            "scores": {"choice": {"value": "C", "answer": "A"}},
        }
        for number in range(questions)
        for epoch in range(1, epochs + 1)
        if epoch > 1 or number not in lost
    ]
    results = {"scores": [{"name": "choice", "metrics": {"accuracy": {"value": 1.0}}}]}
    head = {"status": "success", "eval": {"task": "exam", "model": model}, "results": results}
    (folder / f"{model}.json").write_text(json.dumps({**head, "samples": samples}))


def imported(folder: Path, *, complete: bool) -> ImportedLogs:
    return import_logs("inspect", [folder], complete=complete)


def test_only_questions_that_all_have_answered_are_left(tmp_path: Path) -> None:
    for model, lost in zip(MODELS, ({3}, {3, 7}, set[int]()), strict=True):
        log(tmp_path, model, lost)
    logs = imported(tmp_path, complete=True)
    assert {row["id"] for row in logs.questions} == {f"exam/{number}" for number in range(20) if number not in (3, 7)}
    assert len(logs.replies) == 18 * 3
    assert {(model.samples, model.missing, model.here) for model in logs.models} == {(18, 0, 1.0)}
    assert (
        "2 questions left out to which a model lacks a reply: bee (2 of 20) and ant (1 of 20); all is of the other 18"
        " questions now, which may be easier than these, or harder"
    ) in logs.notes


def test_whoever_takes_all_questions_is_told_of_it_where_nothing_will_be_claimed(tmp_path: Path) -> None:
    for model, lost in zip(MODELS, ({3}, {7}, set[int]()), strict=True):
        log(tmp_path, model, lost)
    logs = imported(tmp_path, complete=False)
    assert len(logs.questions) == 20
    warned = "on 2 of 20 questions some model has no reply: too many for a claim about a team of all of them."
    assert any(note.startswith(warned) for note in logs.notes)
    log(tmp_path, "ant", set())
    assert not any(note.startswith("on ") for note in imported(tmp_path, complete=False).notes), "one of 20 is few"


def test_every_sample_that_is_played_has_to_be_there(tmp_path: Path) -> None:
    for model, lost in zip(MODELS, ({3}, set[int](), set[int]()), strict=True):
        log(tmp_path, model, lost, epochs=2)
    logs = imported(tmp_path, complete=True)
    assert (len(logs.questions), len(logs.replies), logs.repeats) == (19, 19 * 3 * 2, 2)


def test_nothing_that_all_have_answered(tmp_path: Path) -> None:
    log(tmp_path, "ant", set(range(10)))
    log(tmp_path, "bee", set(range(10, 19)))
    log(tmp_path, "cat", set())
    failed = json.loads((tmp_path / "cat.json").read_text())
    failed["samples"][19] |= {"error": {"message": "timeout"}, "output": {}, "scores": None}
    (tmp_path / "cat.json").write_text(json.dumps(failed))
    with pytest.raises(UsageError, match="no question to which every model has a reply; ant"):
        imported(tmp_path, complete=True)


def test_what_is_left_is_claimed_of(tmp_path: Path) -> None:
    """Of all questions nothing is."""
    (tmp_path / "logs").mkdir()
    for model, lost in zip(MODELS, ({3, 4}, {7}, {11}), strict=True):
        log(tmp_path / "logs", model, lost, questions=40)
    whole: dict[str, bool] = {}
    for options in ((), ("--complete",)):
        folder = tmp_path / f"with{len(options)}"
        folder.mkdir()
        files = ("-o", folder / "r.jsonl", "--experiment", folder / "cup.yaml")
        command("import", "inspect", tmp_path / "logs", *files, *options)
        command("run", folder / "cup.yaml", "--quiet")
        figures = told(folder / "cup.yaml")
        whole[folder.name] = figures["headline"]["over_best_single"]["low"] is not None
        assert figures["questions"] == (36 if options else 40)
    assert whole == {"with0": False, "with1": True}
