"""How long a recorded reply took is known where its line says so, and a reply that a recording lacks took no time at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars
import pytest

import moot
from moot.cli.app import app
from moot.cli.exit import run_app

SIZE = 40
LACKS = 2
"""So few that something may be advised all the same."""


def cup(folder: Path, bob: list[float | None]) -> Path:
    """Ann took a second each time; bob's lines say `bob` in turn, and there is none of the last two questions."""
    rows = [{"id": f"q{number}", "text": f"Which is number {number}?", "answer": "x"} for number in range(SIZE)]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)))
    said = [{"model": "ann", "question_id": row["id"], "answer": "x", "seconds": 1.0} for row in rows]
    for number, row in enumerate(rows[: SIZE - LACKS]):
        seconds = bob[number % len(bob)]
        told = {} if seconds is None else {"seconds": seconds}
        said.append({"model": "bob", "question_id": row["id"], "answer": "y" if number % 3 else "x", **told})
    (folder / "replies.jsonl").write_text("\n".join(map(json.dumps, said)))
    models = {name: {"provider": "recorded", "file": "replies.jsonl", "model": name} for name in ("ann", "bob")}
    file = {"name": "cup", "questions": {"file": "questions.jsonl"}, "models": models, "strategies": ["solo", "vote"]}
    path = folder / "cup.yaml"
    path.write_text(json.dumps(file))
    assert run_app(app, ["run", str(path), "--quiet"]) == 0
    return path


def told(capsys: pytest.CaptureFixture[str], *command: str | Path) -> Any:
    capsys.readouterr()
    assert run_app(app, [*(str(word) for word in command), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_what_a_recording_lacks_is_no_reply_of_no_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    watched = told(capsys, "watch", cup(tmp_path, [2.0]), "--once")
    models = {row["model"]: row for row in watched["models"]}
    assert (models["ann"]["replies"], models["ann"]["median_s"]) == (SIZE, 1.0)
    assert (models["bob"]["replies"], models["bob"]["median_s"]) == (SIZE - LACKS, 2.0)


@pytest.mark.parametrize("bob", [[None], [0.1, None]], ids=["never", "half"])
def test_a_time_that_nobody_knows_is_within_no_limit(
    bob: list[float | None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    advised = told(capsys, "advise", cup(tmp_path, bob), "--max-seconds", "1.5")
    assert any("bob" in note for note in advised["notes"])
    assert all(point["seconds"] is None or point["seconds"] >= 1.0 for point in advised["frontier"])


def exported(folder: Path, path: Path, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    capsys.readouterr()
    assert run_app(app, ["export", str(path), "-o", str(folder / "out.jsonl")]) == 0
    return [json.loads(line) for line in (folder / "out.jsonl").read_text().splitlines()]


def test_a_time_that_nobody_knows_is_told_nowhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of bob's replies: one took no time, one is not known, and of the last questions there is none."""
    path = cup(tmp_path, [0.0, None])
    for question, told_s in (("q0", 0.0), ("q1", None), ("q39", None)):
        calls = {call["player"]: call for episode in told(capsys, "show", path, question) for call in episode["calls"]}
        assert (calls["ann"]["latency_s"], calls["bob"]["latency_s"]) == (1.0, told_s)
        assert run_app(app, ["show", str(path), question]) == 0
        shown = capsys.readouterr().out
        assert "(stop, 1.00 s)" in shown
        assert ("0.00 s" in shown) == (told_s == 0.0)
    rows = {(row["model"], row["question_id"]): row for row in exported(tmp_path, path, capsys)}
    assert rows["ann", "q0"]["seconds"] == 1.0
    assert rows["bob", "q0"]["seconds"] == 0.0
    assert "seconds" not in rows["bob", "q1"]
    missing = rows["bob", "q39"]
    assert missing["finish"] == "unrecorded"
    assert not {"seconds", "cost_usd", "prompt_tokens", "completion_tokens"} & set(missing)
    frame = moot.open_store(f"sqlite:///{tmp_path / 'cup.db'}").frame("calls")
    calls = frame.filter(polars.col("model") == "bob").to_dicts()
    assert {call["latency_s"] for call in calls if call["finish"] == "stop"} == {0.0, None}
    assert {call["latency_s"] for call in calls if call["finish"] == "unrecorded"} == {None}


def test_what_is_exported_of_no_reply_plays_back_as_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = cup(tmp_path, [0.5])
    exported(tmp_path, path, capsys)
    again = json.loads(path.read_text())
    for model in again["models"].values():
        model["file"] = "out.jsonl"
    (tmp_path / "again.yaml").write_text(json.dumps({**again, "name": "again"}))
    (tmp_path / "again.db").unlink(missing_ok=True)
    assert run_app(app, ["run", str(tmp_path / "again.yaml"), "--quiet"]) == 0
    watched = {row["model"]: row for row in told(capsys, "watch", tmp_path / "again.yaml", "--once")["models"]}
    assert (watched["bob"]["replies"], watched["bob"]["median_s"]) == (SIZE - LACKS, 0.5)


def test_what_took_no_time_is_known_to_have(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As what cost nothing is known to be free."""
    advised = told(capsys, "advise", cup(tmp_path, [0.0, 0.5]), "--max-seconds", "1.5")
    alone = {point["option"]: point["seconds"] for point in (*advised["frontier"], *advised["beside"])}
    assert 0 < alone["bob alone"] < 0.5
