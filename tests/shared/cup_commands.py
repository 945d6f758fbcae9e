"""A small cup of simulated players, and moot's commands on its files: what each prints, and how it ends."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from moot.cli.app import app
from moot.cli.exit import run_app

Row = dict[str, Any]


def write(folder: Path, rows: Sequence[Row], **keys: Any) -> Path:
    (folder / "q.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    file = {
        "name": "cup",
        "seed": 1,
        "questions": {"file": "q.jsonl"},
        "models": {name: {"provider": "simulated", "accuracy": 0.6} for name in ("ann", "bob", "cat")},
        "teams": {"three": {"players": ["ann", "bob", "cat"]}},
        "strategies": ["solo", "vote"],
    }
    path = folder / "cup.yaml"
    path.write_text(json.dumps(file | keys), encoding="utf-8")
    return path


def questions(count: int) -> list[Row]:
    return [
        {"id": f"q{n}", "text": f"Thing {n}?", "choices": ["a", "b", "c"], "answer": "abc"[n % 3]} for n in range(count)
    ]


def command(*words: object) -> str:
    """What it prints, with single spaces."""
    status, said = ended(*words)
    assert status == 0, said
    return said


def ended(*words: object) -> tuple[int, str]:
    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        status = run_app(app, list(map(str, words)))
    return status, " ".join(said.getvalue().split())


def run(path: Path, *more: object) -> None:
    command("run", path, "--quiet", *more)


def told(path: Path, *more: object) -> Row:
    figures: Row = json.loads(command("report", path, "--json", *more))
    return figures
