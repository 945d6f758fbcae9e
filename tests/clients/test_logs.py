"""Logs that Inspect and lm-eval write today, each in its own environment: imported, and every figure is the tool's own.

The same scripts made the logs in tests/data/logs/fixtures. `make test-clients` names the environments.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from moot.data.logs.imported import import_logs
from moot.results import run

HERE = Path(__file__).parent
INSPECT, LM_EVAL = "MOOT_PYTHON_INSPECT", "MOOT_PYTHON_LM_EVAL"


def written(variable: str, script: str, folder: Path) -> Path:
    python = os.environ.get(variable)
    if not python:
        pytest.skip(f"{script} has an environment of its own: run make test-clients")
    made = folder / "made"
    done = subprocess.run([python, HERE / script, made], cwd=folder, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    return made


def played(folder: Path, tool: str, logs: Path, models: list[str], repeats: int = 1) -> dict[str, float]:
    """How often each is right alone, in a run with the logs named in its file."""
    file = {
        "name": "logs",
        "questions": {"file": str(logs), "format": tool},
        "models": {
            model.rpartition("/")[2]: {"provider": "recorded", "file": str(logs), "format": tool, "model": model}
            for model in models
        },
        "strategies": ["solo"],
        "repeats": repeats,
    }
    path = folder / "logs.yaml"
    path.write_text(json.dumps(file))
    figures = run(path, store=f"sqlite:///{folder / 'logs.db'}").figures
    return {row["player"]: row["value"] for row in figures["accuracy"]}


@pytest.mark.parametrize(("task", "repeats"), [("planets", 2), ("capitals", 1)])
def test_inspect(task: str, repeats: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("inspect")
    made = written(INSPECT, "inspect_logs.py", folder)
    stated = json.loads((made / "figures.txt").read_text())
    logs = import_logs("inspect", [made / task])
    for model in logs.models:
        assert model.stated == model.here == pytest.approx(stated[f"{task} {model.name}"])
    assert logs.repeats == repeats
    names = [model.name for model in logs.models]
    right = played(folder, "inspect", made / task, names, repeats)
    assert right == pytest.approx({name.rpartition("/")[2]: stated[f"{task} {name}"] for name in names})


def test_lm_eval(tmp_path: Path) -> None:
    made = written(LM_EVAL, "lm_eval_logs.py", tmp_path)
    for task, metric in (("moot_planets", "acc,none"), ("moot_capitals", "exact_match,last-word")):
        logs = import_logs("lm-eval", [made / "logs"], tasks=[task])
        for model in logs.models:
            (results,) = (made / "logs" / model.name).glob("results_*.json")
            stated = json.loads(results.read_text())["results"][task][metric]
            assert model.stated == model.here == pytest.approx(stated), (task, model)
    assert played(tmp_path, "lm-eval", made / "logs", ["ann", "bob"]) == pytest.approx({"ann": 5 / 7, "bob": 5 / 7})


def test_tasks_of_lm_eval_of_every_kind(tmp_path: Path) -> None:
    logs = written(LM_EVAL, "lm_eval_kinds.py", tmp_path) / "logs"
    results = {path.parent.name: json.loads(path.read_text())["results"] for path in logs.glob("*/results_*.json")}
    for task, references in (("moot_digits", ["A", "D"]), ("moot_blank", ["A", "B"])):
        chosen = import_logs("lm-eval", [logs], tasks=[task])
        assert [row["answer"] for row in chosen.questions] == references
        stated = {name: (each[task]["acc,none"],) * 2 for name, each in results.items()}
        assert {model.name: (model.stated, model.here) for model in chosen.models} == stated
    several = import_logs("lm-eval", [logs], tasks=["moot_several"])
    assert {model.name: model.stated for model in several.models} == {
        name: each["moot_several"]["exact_match,first"] for name, each in results.items()
    }
    first = [row.get("answer") for row in several.replies if row["model"] == "ann" and row["sample"] == 0]
    assert (first, several.repeats) == (["50", "20"], 3)
    every = import_logs("lm-eval", [logs])
    assert any(note.startswith("moot_given (ann, bob): the likelihood of a given text") for note in every.notes)
