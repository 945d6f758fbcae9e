"""`moot select` as it is typed: label matrices, experiments, what is printed, and what is refused."""

from __future__ import annotations

import csv
import json
import random
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from beside import in_a_thread

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.select import registered
from moot.simulate.server import running
from moot.simulate.simulated import SimulatedModel
from moot.types import Reply, Usage

MODELS = {"alpha": 0.75, "beta": 0.6, "gamma": 0.55, "delta": 0.3}
KEYS = {"method", "k", "size", "team", "selection_accuracy", "test_accuracy", "low", "high", "calls"}


def written(
    path: Path, *, prompts: tuple[str, ...] = ("",), questions: int = 60, classes: str = "ABCD", **more: Any
) -> Path:
    draw = random.Random(4)
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["question_id", "model", "prompt", "pred", "answer"])
        for question in range(questions):
            answer = draw.choice(classes)
            hard = draw.random() < 0.3
            for model, accuracy in MODELS.items():
                for prompt in prompts:
                    knows = draw.random() < (accuracy - 0.25 if hard else accuracy)
                    said = answer if knows else draw.choice(classes)
                    if more.get("gaps") and (draw.random() < 0.2 or question == 3):
                        said = ""
                    if more.get("mixed_case") and draw.random() < 0.5:
                        said = f" {said.lower()} "
                    if more.get("identical"):
                        said = answer if question % 3 else classes[0]
                    table.writerow([question, model, prompt, said, answer])
    return path


def selected(capsys: pytest.CaptureFixture[str], *arguments: object) -> list[dict[str, Any]]:
    assert run_app(app, ["select", *map(str, arguments), "--json"]) == 0
    out = capsys.readouterr().out
    assert "NaN" not in out
    assert "Infinity" not in out
    rows: list[dict[str, Any]] = json.loads(out)
    return rows


def test_all_methods_on_a_label_matrix(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labels = written(tmp_path / "labels.csv", prompts=("one", "two"))
    rows = selected(capsys, labels, "--k", 3, "--method", "all", "--m", 30, "--splits", 3)
    chosen = {row["method"]: row for row in rows if row["kind"] == "selector"}
    assert list(chosen) == list(registered())
    for row in chosen.values():
        assert row.keys() >= KEYS
        assert row["k"] == 3
        assert len(row["team"]) == len(set(row["team"])) > 0
        assert row["low"] <= row["test_accuracy"] <= row["high"]
        assert row["calls"] == 0
        assert row["deviation"] is not None
        assert len(row["teams"]) == 3
        assert "0 calls" in row["oracle"]
        assert sum(each["n"] for each in row["right_labels"]) == 3 * 30
    assert len(chosen["oracle-surrogate"]["g"]) == len(chosen["exact"]["g"]) == 4
    assert chosen["greedy"]["g"] is None
    assert chosen["input-all"]["size"] == 8
    assert chosen["per-model-top"]["size"] == 4
    assert chosen["best-model"]["size"] == 2
    assert chosen["exact"]["distance"] == pytest.approx(0, abs=1e-9)
    assert chosen["top-accuracy"]["distance"] >= 0
    assert chosen["input-all"]["distance"] is None
    assert chosen["per-model-top"]["counts"] == dict.fromkeys(sorted(MODELS), 1.0)
    beside = [row["method"] for row in rows if row["kind"] == "aggregator"]
    assert not any(row.get("same_as") for row in rows if row["kind"] == "aggregator")
    assert {"majority", "majority-weighted", "majority-best-prompt", "majority-best-model", "decision-tree"} <= set(
        beside
    )
    assert len([row for row in rows if row["kind"] == "single"]) == 8


def test_the_same_seed_gives_the_same_and_the_order_of_rows_is_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    labels = written(tmp_path / "labels.csv")
    first = selected(capsys, labels, "--k", 2, "--seed", 5, "--method", "truth-prediction,greedy")
    head, *lines = labels.read_text().splitlines()
    labels.write_text("\n".join([head, *reversed(lines)]))
    assert selected(capsys, labels, "--k", 2, "--seed", 5, "--method", "truth-prediction,greedy") == first
    assert [row["method"] for row in first] == ["truth-prediction", "greedy"]


def test_the_table_says_what_is_equal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labels = written(tmp_path / "labels.csv")
    assert run_app(app, ["select", str(labels), "--k", "2,3", "--splits", "2", "--all"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "per-model-top chose the same teams as input-all on every split: with one prompt a model" in said
    assert "model-first chose the same teams as greedy on every split" in said
    assert "weighted vote of the team's labels, 0 calls" in said
    assert "60 questions, 48 to choose on, 2 random splits" in said
    assert "Accuracy against the size of the team" in said
    assert "nan" not in said.lower().split()


def test_methods_that_chose_the_same_are_one_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labels = written(tmp_path / "labels.csv")
    proposers = len(selected(capsys, labels, "--k", 1, "--method", "input-all")[0]["team"])
    assert run_app(app, ["select", str(labels), "--k", str(proposers)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0] for line in lines if "%" in line and "(" in line][1:] == [
        "input-all, 9 others",
        "best-model",
    ]
    assert run_app(app, ["select", str(labels), "--k", "2", "--all", "--json"]) == 2
    assert "expected it without --all" in capsys.readouterr().err


def test_options_and_filters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labels = written(tmp_path / "labels.csv")
    method = ("--method", "conditioned-diversity", "--k", 2)
    (row,) = selected(capsys, labels, *method, "--option", "tau=0.99", "--where", "model!=alpha")
    assert "alpha" not in row["team"]
    assert any("reach tau" in note for note in row["notes"])


@pytest.mark.parametrize(
    ("kind", "arguments", "remark"),
    [
        ({"gaps": True}, [], "labels are missing"),
        ({"gaps": True}, [], "answered by nobody"),
        ({"mixed_case": True}, [], ""),
        ({"identical": True}, [], "no choice of a team makes a difference"),
        ({"classes": "A"}, [], "same right answer"),
        ({}, ["--m", "1"], ""),
        ({"questions": 2}, [], ""),
    ],
)
def test_poor_labels_give_sensible_figures(
    kind: dict[str, Any], arguments: list[str], remark: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    labels = written(tmp_path / "labels.csv", **kind)
    assert run_app(app, ["select", str(labels), "--k", "2", "--splits", "2", "--json", *arguments]) == 0
    out, err = capsys.readouterr()
    assert remark in err
    assert "NaN" not in out
    rows = json.loads(out)
    assert all(0 <= row["test_accuracy"] <= 1 for row in rows)


def test_mixed_case_is_no_difference(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labels = written(tmp_path / "labels.csv")
    usual = selected(capsys, labels, "--k", 2, "--method", "greedy")
    head, *lines = labels.read_text().splitlines()
    odd = [line.lower() if number % 2 else line for number, line in enumerate(lines)]
    labels.write_text("\n".join([head, *odd]))
    assert selected(capsys, labels, "--k", 2, "--method", "greedy") == usual


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--k", "0"], "whole number"),
        (["--k", "two"], "whole number"),
        (["--k", "2", "--m", "60"], "from 1 to 59"),
        (["--k", "2", "--method", "gready"], "greedy"),
        (["--k", "2", "--where", "modle=x"], "model"),
        (["--k", "2", "--where", "model=x"], "leaves none"),
        (["--k", "2", "--option", "tau=1"], "METHOD.NAME=VALUE"),
        (["--k", "2", "--option", "exact.objective=truths", "--method", "exact"], "counts or truth"),
        (["--k", "2", "--option", "exact.samples=1", "--method", "greedy"], "none of the methods"),
        (["--k", "2", "--option", "tau", "--method", "greedy"], "NAME=VALUE"),
        (["--k", "2", "--summariser", "alpha"], "experiment file"),
    ],
)
def test_what_is_refused(arguments: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labels = written(tmp_path / "labels.csv")
    assert run_app(app, ["select", str(labels), *arguments]) == 2
    out, err = capsys.readouterr()
    assert words in err
    assert out == ""


EXPERIMENT = """
name: chosen
seed: 3
questions: {file: questions.jsonl}
models:
  a: {provider: simulated, accuracy: 0.6}
  b: {provider: simulated, accuracy: 0.5}
  s: {provider: simulated, accuracy: 0.4, power: 0.6}
players:
  a-break: {model: a, instruction: break-down}
  a-opposite: {model: a, instruction: opposite}
  b-break: {model: b, instruction: break-down}
  b-opposite: {model: b, instruction: opposite}
strategies:
  - solo
  - mixture: {summariser: s, repeats: 2}
"""


def experiment(tmp_path: Path, text: str = EXPERIMENT) -> Path:
    draw = random.Random(1)
    lines = [
        json.dumps(
            {"id": f"q{n}", "text": f"Question {n}?", "choices": ["w", "x", "y", "z"], "answer": draw.choice("ABCD")}
        )
        for n in range(30)
    ]
    (tmp_path / "questions.jsonl").write_text("\n".join(lines))
    file = tmp_path / "chosen.yaml"
    file.write_text(text)
    return file


def calls_in(store: Path) -> int:
    with sqlite3.connect(store) as connection:
        return int(connection.execute("select count(*) from calls").fetchone()[0])


def test_on_an_experiment_the_summariser_is_the_oracle_and_is_asked_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = experiment(tmp_path)
    assert run_app(app, ["select", str(file), "--k", "2"]) == 2
    assert "run the experiment first" in capsys.readouterr().err
    assert run_app(app, ["run", str(file), "--quiet"]) == 0
    capsys.readouterr()
    before = calls_in(tmp_path / "chosen.db")
    arguments = (file, "--k", 2, "--m", 20, "--method", "greedy,model-first,top-accuracy")
    rows = {row["method"]: row for row in selected(capsys, *arguments)}
    assert "that of s" in rows["greedy"]["oracle"]
    assert "asked 2 times about a test question" in rows["greedy"]["oracle"], "so a share may be half a question"
    assert all(20 * row["test_accuracy"] == pytest.approx(round(20 * row["test_accuracy"])) for row in rows.values())
    assert rows["greedy"]["calls"] == (4 + 3) * 20
    assert rows["model-first"]["calls"] == 2 * 20 * 2
    assert rows["top-accuracy"]["calls"] == 0
    assert set(rows["greedy"]["team"]) <= {"a-break", "a-opposite", "b-break", "b-opposite"}
    after = calls_in(tmp_path / "chosen.db")
    assert after > before
    again = {row["method"]: row for row in selected(capsys, *arguments)}
    assert again == rows
    assert calls_in(tmp_path / "chosen.db") == after, "nothing is asked twice"


def test_what_was_selected_can_be_played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = experiment(tmp_path)
    assert run_app(app, ["run", str(file), "--quiet"]) == 0
    capsys.readouterr()
    rows = selected(capsys, file, "--k", 2, "--method", "oracle-surrogate", "--calls", 30)
    assert rows[0]["calls"] <= 30
    (tmp_path / "team.json").write_text(json.dumps(rows))
    file.write_text(EXPERIMENT.replace("repeats: 2", "repeats: 2, shown_accuracies: team.json, order: descending"))
    assert run_app(app, ["run", str(file), "--quiet"]) == 0
    capsys.readouterr()
    assert run_app(app, ["show", str(file), "q1", "--strategy", "mixture"]) == 0
    said = capsys.readouterr().out
    best = max(rows[0]["accuracies"].values())
    assert f'accuracy="{100 * best:.1f} %"' in said


def test_without_a_summariser_or_without_solo(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = experiment(tmp_path, EXPERIMENT.replace("  - mixture: {summariser: s, repeats: 2}\n", ""))
    assert run_app(app, ["run", str(file), "--quiet"]) == 0
    capsys.readouterr()
    rows = selected(capsys, file, "--k", 2, "--method", "greedy")
    assert "weighted vote" in rows[0]["oracle"]
    named = selected(capsys, file, "--k", 2, "--m", 5, "--method", "greedy", "--summariser", "s")
    assert named[0]["calls"] == (4 + 3) * 5
    assert run_app(app, ["select", str(file), "--k", "2", "--summariser", "zoe"]) == 2
    assert "no model of" in capsys.readouterr().err
    assert run_app(app, ["select", str(file), "--k", "2", "--where", "x"]) == 2
    file.write_text(EXPERIMENT.replace("  - solo\n", "").replace("name: chosen", "name: other"))
    assert run_app(app, ["run", str(file), "--quiet", "--limit", "2"]) == 0
    capsys.readouterr()
    assert run_app(app, ["select", str(file), "--k", "2"]) == 2
    assert "no solo episodes" in capsys.readouterr().err


def test_free_answers_leave_out_nothing_but_what_needs_classes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "open.yaml"
    file.write_text(
        "name: open\nquestions: {builtin: facts-en, sample: 20}\nmodels:\n"
        + "".join(f"  m{n}: {{provider: simulated, accuracy: 0.{n + 3}}}\n" for n in range(4))
    )
    assert run_app(app, ["run", str(file), "--quiet"]) == 0
    capsys.readouterr()
    assert run_app(app, ["select", str(file), "--k", "2", "--json"]) == 0
    shown = capsys.readouterr()
    methods = {row["method"] for row in json.loads(shown.out)}
    assert {"truth-prediction", "greedy", "oracle-surrogate", "exact", "naive-bayes", "one-coin-dawid-skene"} <= methods
    assert not {"decision-tree", "dawid-skene", "learnt"} & methods
    assert "learnt is left out: 16 questions or clusters to choose on, where 20 are needed" in " ".join(
        shown.err.split()
    )


JUDGED = """
name: judged
questions: {file: questions.jsonl}
models:
  a: {provider: simulated, accuracy: 0.5}
  b: {provider: simulated, accuracy: 0.4}
  s: {provider: simulated, accuracy: 0.5}
  j: {provider: simulated, accuracy: 0.9}
players: {a: {model: a}, b: {model: b}}
strategies:
  - solo
  - mixture: {summariser: s, repeats: 1}
judge: {models: [j]}
"""


def test_open_answers_are_graded_by_the_judge_of_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A judge to whom everything is right: so every team is, whatever the match says."""

    async def kind(self: Any, request: Any) -> Reply:
        grades = request.schema["properties"]["grades"]["items"]["properties"]["id"]["maximum"]
        asked.append(grades)
        every = [{"id": number, "is_correct": True} for number in range(1, grades + 1)]
        return Reply(json.dumps({"grades": every}), usage=Usage(1, 1))

    usual = SimulatedModel.generate

    async def generate(self: Any, request: Any) -> Reply:
        judging = "grades" in (request.schema or {}).get("properties", {})
        return await (kind if judging else usual)(self, request)

    asked: list[int] = []
    monkeypatch.setattr(SimulatedModel, "generate", generate)
    questions = [{"id": f"q{n}", "text": f"Which city is number {n}?", "answer": "Paris"} for n in range(12)]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, questions)))
    file = tmp_path / "judged.yaml"
    file.write_text(JUDGED)
    assert run_app(app, ["run", str(file), "--quiet"]) == 0
    capsys.readouterr()
    arguments = (file, "--k", 1, "--m", 6, "--method", "greedy")
    (row,) = selected(capsys, *arguments)
    assert (row["selection_accuracy"], row["test_accuracy"]) == (1.0, 1.0)
    judged = len(asked)
    selected(capsys, *arguments)
    assert len(asked) == judged, "a judge's word is kept"


@contextmanager
def served(models: dict[str, Any]) -> Iterator[str]:
    """Simulated models behind HTTP, in a thread of their own."""
    with in_a_thread(running({"models": models}, port=0)) as server:
        yield server.base_url


def test_over_http_the_budget_of_the_file_holds_and_failures_are_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with served({"ann": {"accuracy": 0.6}, "bob": {"accuracy": 0.5}, "sue": {"accuracy": 0.4}}) as base_url:
        common = {"provider": "endpoint", "base_url": base_url, "price": {"prompt": 1, "completion": 1}}
        spec = {
            "name": "paid",
            "questions": {"file": "questions.jsonl"},
            "budget_usd": 1,
            "models": {
                name: {**common, "model": name, "params": {"max_tokens": 300}} for name in ("ann", "bob", "sue")
            },
            "strategies": ["solo", {"mixture": {"summariser": "sue", "repeats": 1}}],
        }
        file = experiment(tmp_path, yaml.safe_dump(spec))
        assert run_app(app, ["run", str(file), "--quiet", "--limit", "8"]) == 0
        paid = sum_of_costs(tmp_path / "paid.db")
        file.write_text(yaml.safe_dump({**spec, "budget_usd": paid + 0.002}))
        assert run_app(app, ["select", str(file), "--k", "1", "--m", "5", "--method", "greedy"]) == 3
        assert "budget" in capsys.readouterr().err
        file.write_text(yaml.safe_dump(spec))
        (row,) = selected(capsys, file, "--k", 1, "--m", 5, "--method", "greedy")
        assert row["calls"] == 2 * 5
        spec["models"]["sue"]["model"] = "nobody"
        file.write_text(yaml.safe_dump(spec))
        assert run_app(app, ["select", str(file), "--k", "1", "--m", "5", "--method", "greedy"]) == 1
        assert (
            "nobody answers for model sue" in capsys.readouterr().err
        )  # its server does not know it: the next would fail too


def sum_of_costs(store: Path) -> float:
    with sqlite3.connect(store) as connection:
        return float(connection.execute("select sum(cost_usd) from calls").fetchone()[0])


def test_methods_are_compared_on_the_same_questions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labels = written(tmp_path / "labels.csv", questions=120)
    arguments = (labels, "--k", 2, "--method", "top-accuracy,greedy,best-model", "--splits", 3)
    rows = {row["method"]: row for row in selected(capsys, *arguments)}
    assert rows["top-accuracy"]["over"] is None
    over = rows["best-model"]["over"]
    assert over["method"] == "top-accuracy"
    assert over["low"] <= over["difference"] <= over["high"]
    assert over["p"] <= over["p_holm"] <= 1
    assert over["test"] == "splits", "several splits are no more sure than one"
    assert over["n"] <= 120
    tested = [row for row in rows.values() if row["over"]]
    assert {row["over"]["family"] for row in tested} == {len([row for row in tested if not row["same_as"]])}
    beside = {row["method"]: row for row in selected(capsys, *arguments, "--against", "best-model")}
    assert beside["best-model"]["over"] is None
    assert beside["top-accuracy"]["over"]["difference"] == pytest.approx(-over["difference"])
    assert run_app(app, ["select", *map(str, arguments)]) == 0
    assert "Differences between methods" not in capsys.readouterr().out
    assert run_app(app, ["select", *map(str, arguments), "--all"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "Differences between methods" in told
    assert "May be the best, allowing for all comparisons:" in told
    assert run_app(app, ["select", *map(str, arguments), "--against", "exact"]) == 2


def test_a_method_that_is_clearly_worse_is_beaten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "labels.csv"
    draw = random.Random(2)
    lines = ["question_id,model,prompt,pred,answer"]
    for question in range(400):
        answer = draw.choice("ABCD")
        for model, accuracy, prompts in (("one", 0.62, "pq"), ("two", 0.6, "p"), ("three", 0.6, "p")):
            said = answer if draw.random() < accuracy else draw.choice("ABCD")
            lines += [f"{question},{model},{prompt},{said},{answer}" for prompt in prompts]
    path.write_text("\n".join(lines))
    rows = {row["method"]: row for row in selected(capsys, path, "--k", 3, "--m", 100, "--method", "best-model,greedy")}
    assert rows["best-model"]["beaten_by"] == "greedy", "two prompts that say the same are one voice"
    assert rows["greedy"]["beaten_by"] is None
    assert rows["greedy"]["over"]["low"] > 0
    assert rows["greedy"]["over"]["p_holm"] < 0.05


def test_a_part_of_an_experiment(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = experiment(tmp_path, EXPERIMENT.replace("  s: {", "  a2: {provider: simulated, accuracy: 0.9}\n  s: {"))
    lines = [json.loads(line) for line in (tmp_path / "questions.jsonl").read_text().splitlines()]
    for number, line in enumerate(lines):
        line["category"] = "law" if number % 3 else "art"
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert run_app(app, ["run", str(file), "--quiet"]) == 0
    arguments = (file, "--k", 2, "--m", 5, "--method", "top-accuracy")
    (row,) = selected(capsys, *arguments, "--where", "category=law", "--where", "model!=b")
    assert row["pool"] == 2
    assert row["n"] == 20 - 5
    assert run_app(app, ["select", *map(str, arguments), "--where", "categorie=law"]) == 2
    assert "category" in capsys.readouterr().err
    assert run_app(app, ["select", *map(str, arguments), "--where", "category=none"]) == 2
    assert "leaves no questions" in capsys.readouterr().err
    assert run_app(app, ["select", *map(str, arguments), "--labels", "free"]) == 2


def test_the_summarisers_own_model_can_be_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = experiment(tmp_path, EXPERIMENT.replace("summariser: s,", "summariser: a,"))
    assert run_app(app, ["run", str(file), "--quiet"]) == 0
    arguments = (file, "--k", 2, "--m", 20, "--method", "top-accuracy")
    assert selected(capsys, *arguments)[0]["pool"] == 4
    (row,) = selected(capsys, *arguments, "--without-own-model")
    assert row["pool"] == 2
    assert set(row["team"]) == {"b-break", "b-opposite"}


def test_what_is_cut_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = experiment(tmp_path, EXPERIMENT.replace("repeats: 2", "repeats: 1, context_tokens: 400"))
    assert run_app(app, ["run", str(file), "--quiet"]) == 0
    rows = {
        row["method"]: row for row in selected(capsys, file, "--k", 1, "--m", 20, "--method", "input-all,top-accuracy")
    }
    (note,) = rows["input-all"]["notes"]
    assert "cut to what the summariser can read on" in note
    assert "of 10 test questions" in note


UNGRADED = """
name: waiting
questions: {file: questions.jsonl}
models:
  a: {provider: simulated, accuracy: 0.5}
  b: {provider: simulated, accuracy: 0.4}
players: {a: {model: a}, b: {model: b}}
strategies: [solo]
judge: {models: [a]}
"""


def test_an_answer_that_nobody_has_graded_is_not_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = SimulatedModel.generate

    async def generate(self: Any, request: Any) -> Reply:
        if "grades" in (request.schema or {}).get("properties", {}):
            return Reply("I would rather not say.", usage=Usage(1, 1))
        return await usual(self, request)

    monkeypatch.setattr(SimulatedModel, "generate", generate)
    questions = [{"id": f"q{n}", "text": f"Which city is number {n}?", "answer": f"City {n}"} for n in range(20)]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, questions)))
    file = tmp_path / "waiting.yaml"
    file.write_text(UNGRADED)
    run_app(app, ["run", str(file), "--quiet"])
    capsys.readouterr()
    assert run_app(app, ["select", str(file), "--k", "1", "--m", "5", "--json"]) == 0
    out, err = capsys.readouterr()
    assert "ungraded: in no figure" in err
    rows = json.loads(out)
    single = next(row for row in rows if row["method"] == "single:a")
    assert (single["n"], single["test_accuracy"]) == (0, None), "what is graded is right: the match said so"
    assert f"{single['ungraded']} of 20" in single["why"]
    assert single["bounds"]["low"] < single["bounds"]["high"]
    for row in rows:
        if row.get("ungraded"):
            assert row["bounds"]["low"] < row["bounds"]["high"]
            assert row["test_accuracy"] is not None or row["why"]
    chosen = [row for row in rows if row["kind"] == "selector"]
    cells = [cell for row in chosen for cell in row["right_labels"]]
    assert {(cell["n"], cell["share"], cell["accuracy"]) for cell in cells} == {(0, None, None)}, "all would be right"
    assert all("have an ungraded answer" in cell["why"] for cell in cells)
    learnt = [row for row in chosen if row["method"] in ("oracle-surrogate", "exact")]
    assert [(row["g"], row["distance"], bool(row["why_no_g"])) for row in learnt] == [(None, None, True)] * 2
    run_app(app, ["select", str(file), "--k", "1", "--m", "5", "--all"])
    shown = capsys.readouterr().out
    table = shown[shown.index("Right labels in the team") :]
    assert re.search(r"ensemble right then +1 +– +–", table)


def test_few_clusters_leave_little_choice_and_that_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = ["question_id,model,pred,answer,cluster"]
    for number in range(40):
        for model in ("a", "b", "c"):
            answer = "x" if (number + len(model) * ord(model)) % 3 else "y"
            lines.append(f"q{number},{model},{answer},x,{'large' if number else 'small'}")
    file = tmp_path / "labels.csv"
    file.write_text("\n".join(lines))
    arguments = ["select", str(file), "--k", "2", "--m", "20", "--splits", "3", "--method", "top-accuracy", "--json"]
    assert run_app(app, arguments) == 0
    said = capsys.readouterr().err
    assert "clusters are not divided" in said
    assert "where 20 were asked for" in said
    assert "3 splits of 2 clusters" in said


def test_a_player_who_answered_alone_in_two_ways_is_one_of_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "ways.yaml"
    players = "models: {a: {provider: simulated, accuracy: 0.7}, b: {provider: simulated, accuracy: 0.4}}"
    file.write_text(
        f"name: ways\nseed: 3\nquestions: {{builtin: general-en, sample: 50}}\n{players}\nstrategies: [solo]\n"
    )
    assert run_app(app, ["run", str(file), "--quiet"]) == 0
    capsys.readouterr()
    arguments = ("--k", "1", "--m", "30", "--method", "top-accuracy,greedy,best-model")
    once = selected(capsys, file, *arguments)
    file.write_text(file.read_text().replace("[solo]", "[solo, {solo: {drafts: double-call}}]"))
    assert run_app(app, ["run", str(file), "--quiet"]) == 0
    capsys.readouterr()
    assert run_app(app, ["select", str(file), *arguments, "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out) == once
    assert "The labels come from solo, as a summariser reads them, not from solo(drafts=double-call)" in err


SUMMARISED = """
name: summarised
questions: {file: questions.jsonl}
models:
  a: {provider: simulated, accuracy: 0.5}
  b: {provider: simulated, accuracy: 0.4}
  s: {provider: simulated, accuracy: 0.5}
  j: {provider: simulated, accuracy: 0.9}
players: {a: {model: a}, b: {model: b}}
strategies: [solo, {mixture: {summariser: s, repeats: 3}}]
judge: {models: [j]}
"""


def test_repeats_of_a_summariser_that_wait_for_a_grade_are_not_passed_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of three words to each question one is right, and matches; the others wait for a judge who does not speak."""
    usual = SimulatedModel.generate
    asked: Counter[str] = Counter()

    async def generate(self: Any, request: Any) -> Reply:
        if "grades" in (request.schema or {}).get("properties", {}):
            return Reply("I would rather not say.", usage=Usage(1, 1))
        reply = await usual(self, request)
        if self.name != "s":
            return reply
        (number,) = set(re.findall(r"Which city is number (\d+)\?", str(request.messages)))
        asked[number] += 1
        return Reply(json.dumps({"reasoning": "", "answer": f"{'Town' if asked[number] % 3 else 'City'} {number}"}))

    monkeypatch.setattr(SimulatedModel, "generate", generate)
    questions = [{"id": f"q{n}", "text": f"Which city is number {n}?", "answer": f"City {n}"} for n in range(8)]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, questions)))
    file = tmp_path / "summarised.yaml"
    file.write_text(SUMMARISED.replace("[solo, {mixture: {summariser: s, repeats: 3}}]", "[solo]"))
    run_app(app, ["run", str(file), "--quiet"])
    file.write_text(SUMMARISED)
    capsys.readouterr()
    run_app(app, ["select", str(file), "--k", "2", "--m", "2", "--method", "input-all", "--json"])
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["test_accuracy"], row["n"], row["ungraded"]) == (None, 0, 6), "over what is graded all would be right"
    assert row["bounds"] == {"low": 0, "high": 1}
