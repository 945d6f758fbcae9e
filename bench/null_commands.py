"""Experiments in which no team is better than the best single player, through the commands:
python bench/null_worlds.py [WORLDS].

Recorded players: a strong one and, for each team, two weak ones who now and then agree: on the truth where the strong one
is wrong, and as often on an error where it is right. So every vote is as good as the strong player in truth, by questions
of its own, and the best of many votes is better than it by luck. `moot run`, then `moot report --json`.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from moot.cli.app import app
from moot.cli.exit import run_app

STRONG, MOVED = 0.6, 0.12
"""How often the strong player is right; on how many questions a vote is right where it is wrong, and as many the other
way round."""


def write(folder: Path, seed: int, *, teams: int = 12, questions: int = 60, gain: float = 0.0, **more: Any) -> Path:
    """An experiment file with its questions and replies; `gain`: how much better each vote is in truth."""
    generator = np.random.default_rng(seed)
    lines, asked = [], []
    for number in range(questions):
        question = f"q{number}"
        asked.append({"id": question, "text": f"Who is number {number}?", "answer": f"Person {number}"})
        right = bool(generator.random() < STRONG)
        replies = {"strong": f"Person {number}" if right else f"Somebody {number}"}
        for team in range(teams):
            chance = MOVED / STRONG if right else (MOVED + gain) / (1 - STRONG)
            agreed = f"Nobody {number} {team}" if right else f"Person {number}"
            moved = bool(generator.random() < chance)
            replies |= {f"{name}{team}": agreed if moved else f"{name} {number} {team}" for name in ("left", "right")}
        lines += [{"model": model, "question_id": question, "answer": answer} for model, answer in replies.items()]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, asked)), encoding="utf-8")
    (folder / "replies.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    players = ["strong", *(f"{name}{team}" for team in range(teams) for name in ("left", "right"))]
    spec = {
        "name": f"null{seed}",
        "seed": seed,
        "questions": {"file": "questions.jsonl"},
        "models": {name: {"provider": "recorded", "file": "replies.jsonl", "model": name} for name in players},
        "teams": {
            f"team{team}": {"players": ["strong", f"left{team}", f"right{team}"], "captain": "strong"}
            for team in range(teams)
        },
        "strategies": ["solo", "vote"],
        **more,
    }
    path = folder / "null.yaml"
    path.write_text(json.dumps(spec), encoding="utf-8")
    return path


def reported(path: Path) -> Mapping[str, Any]:
    """What the two commands give."""
    written = io.StringIO()
    with contextlib.redirect_stdout(written), contextlib.redirect_stderr(io.StringIO()):
        assert run_app(app, ["run", str(path), "--quiet"]) == 0
        written.truncate(0)
        written.seek(0)
        assert run_app(app, ["report", str(path), "--json"]) == 0
    figures: Mapping[str, Any] = json.loads(written.getvalue())
    return figures


def main(worlds: int) -> None:
    said = dict.fromkeys(("no primary", "primary", "no primary, better by 25", "primary, better by 25"), 0)
    for seed in range(worlds):
        for name in said:
            declared = {} if name.startswith("no") else {"primary": "vote@strong"}
            teams = 1 if declared else 12
            with tempfile.TemporaryDirectory() as folder:
                gain = 0.25 if "better" in name else 0.0
                head = reported(write(Path(folder), seed, teams=teams, gain=gain, **declared))["headline"]
            said[name] += "points more than the best single model" in head["sentence"]
    for name, times in said.items():
        print(f"{name:28} said 'more' in {times} of {worlds} worlds")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 60)
