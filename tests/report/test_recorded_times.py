"""How long a recorded reply took is known where its line says so, and a reply that a recording lacks took no time at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from moot.cli.app import app
from moot.cli.exit import run_app

SIZE = 40


def cup(folder: Path, bob: list[float | None]) -> Path:
    """Ann took a second each time; bob's lines say `bob` in turn, and there is none of the last ten questions."""
    rows = [{"id": f"q{number}", "text": f"Which is number {number}?", "answer": "x"} for number in range(SIZE)]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)))
    said = [{"model": "ann", "question_id": row["id"], "answer": "x", "seconds": 1.0} for row in rows]
    for number, row in enumerate(rows[: SIZE - 10]):
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
    assert (models["bob"]["replies"], models["bob"]["median_s"]) == (SIZE - 10, 2.0)


@pytest.mark.parametrize("bob", [[None], [0.1, None]], ids=["never", "half"])
def test_a_time_that_nobody_knows_is_within_no_limit(
    bob: list[float | None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    advised = told(capsys, "advise", cup(tmp_path, bob), "--max-seconds", "1.5")
    assert any("bob" in note for note in advised["notes"])
    assert all(point["seconds"] is None or point["seconds"] >= 1.0 for point in advised["frontier"])
