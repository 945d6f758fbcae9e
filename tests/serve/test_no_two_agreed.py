"""A vote that decided nothing says so wherever its answer is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from served import serving

from moot.cli.app import app
from moot.cli.exit import run_app

APART: dict[str, Any] = {
    "name": "apart",
    "seed": 7,
    "models": {
        name: {"provider": "simulated", "accuracy": 0, "attraction": 0, "correlation": 0}
        for name in ("ann", "bob", "cat")
    },
    "teams": {"three": {"players": ["ann", "bob", "cat"], "captain": "ann"}},
    "strategies": ["vote"],
}
ALIKE = {**APART, "models": {name: {"provider": "simulated", "accuracy": 1} for name in ("ann", "bob", "cat")}}
WORDS = "no two agreed; the captain's stands"


CHOICES = {"choices": ["the Nile", "the Rhine", "the Elbe", "the Po"]}


@pytest.mark.parametrize(("config", "note"), [(APART, WORDS), (ALIKE, None)])
@pytest.mark.parametrize("options", [{}, CHOICES], ids=["open", "choice"])
async def test_a_served_answer_has_it_in_its_moot_field(
    tmp_path: Path, config: dict[str, Any], note: str | None, options: dict[str, Any]
) -> None:
    models = {name: {**model, "accuracy": 1 if note is None else 0} for name, model in config["models"].items()}
    async with serving(tmp_path, {**config, "models": models}) as served:
        _, body = await served.chat("Which lake is it?", moot=options)
        assert body["moot"].get("note") == note
        _, whole = await served.get(f"/v1/moot/episodes/{body['moot']['episode']}")
        kinds = [record["kind"] for record in whole["verdict"]["traces"]]
        assert ("no-two-agreed" in kinds) == (note is not None)


def test_ask_says_it_in_words_and_in_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "apart.yaml"
    file.write_text(json.dumps(APART), encoding="utf-8")
    asked = ["ask", "Which lake is it?", "--team", str(file), "--no-log"]
    assert run_app(app, asked) == 0
    told = capsys.readouterr()
    assert WORDS in told.out + told.err
    assert run_app(app, [*asked, "--json"]) == 0
    (verdict,) = json.loads(capsys.readouterr().out)["verdicts"]
    assert verdict["note"] == WORDS


def test_ask_takes_the_kind_of_the_file_and_refuses_who_cannot(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "apart.yaml"
    file.write_text(json.dumps({**APART, "strategies": ["vote", "talkative"]}), encoding="utf-8")
    asked = ["ask", "Write a plan.", "--team", str(file), "--no-log", "--json"]
    assert run_app(app, [*asked, "--kind", "text"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [verdict["title"] for verdict in told["verdicts"]] == ["talkative@ann"]
    assert "quality" in told["answer"]
    assert run_app(app, [*asked, "--kind", "text", "--strategy", "vote"]) == 2
    assert "vote cannot be played on questions of kind text" in capsys.readouterr().err
    (tmp_path / "q.jsonl").write_text('{"id": "1", "text": "Write.", "kind": "text"}')
    keys = {**APART, "strategies": ["talkative"], "questions": {"file": "q.jsonl", "kind": "text"}}
    file.write_text(json.dumps(keys), encoding="utf-8")
    assert run_app(app, asked) == 0
    assert "quality" in json.loads(capsys.readouterr().out)["answer"]


def test_a_report_says_how_many_long_answers_have_no_grade(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "q.jsonl").write_text('{"id": "1", "text": "Write.", "kind": "text"}')
    file = tmp_path / "x.yaml"
    keys = {**APART, "strategies": ["talkative", {"council": {"final": "winner"}}], "questions": {"file": "q.jsonl"}}
    file.write_text(json.dumps(keys), encoding="utf-8")
    assert run_app(app, ["run", str(file), "--quiet"]) == 0
    capsys.readouterr()
    assert run_app(app, ["report", str(file)]) == 0
    assert "2 long answers without a grade" in " ".join(capsys.readouterr().out.split())
    assert run_app(app, ["report", str(file), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["accuracy"]
    assert {(row["value"], row["ungraded"], row["long_answers"]) for row in rows} == {(None, 1, 1)}
    assert not any("unsaid" in row for row in rows)
