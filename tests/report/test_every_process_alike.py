"""A report is the same to the last digit in every process: sets have another order in each."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import moot
from moot import Case, Question, Request, ScriptedModel

PLAYERS = ("ann", "bob", "cat")


def unlike_every_time(name: str) -> ScriptedModel:
    """One of several words at each repeat, so that both sides of a comparison share several of them, in parts of the value."""

    def reply(request: Request) -> Any:
        drawn = random.Random(f"{name} {request.question_id} {request.sample}")
        other = f"other {drawn.choice('abcdefg')} {request.question_id}"
        answer = f"Ref{request.question_id}" if drawn.random() < 0.4 else other
        if request.schema is None:
            return f"Final answer: {answer}"
        return {key: answer if key in ("answer", "solution") else "because" for key in request.schema["properties"]}

    return ScriptedModel(name, reply)


def half_a_judge(request: Request) -> Any:
    return "no idea" if int(request.question_id or 0) % 2 else {"grades": [{"id": 1, "is_correct": False}]}


def told(store: Path, hash_seed: int) -> str:
    command = [sys.executable, "-m", "moot", "report", "--store", f"sqlite:///{store}", "--json"]
    environment = {**os.environ, "PYTHONHASHSEED": str(hash_seed)}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


def test_bounds_of_what_is_not_graded(tmp_path: Path) -> None:
    store = tmp_path / "cup.db"
    moot.run(
        {
            "name": "cup",
            "questions": [Case(Question(str(n), f"Which one, {n}?"), f"Ref{n}") for n in range(16)],
            "models": {
                **{name: unlike_every_time(name) for name in PLAYERS},
                "judge": ScriptedModel("judge", half_a_judge),
            },
            "teams": {"three": {"players": list(PLAYERS), "captain": "each"}},
            "strategies": ["solo", "vote", "talkative"],
            "judge": {"models": ["judge"]},
            "repeats": 7,
        },
        store=store,
    )
    first, second = told(store, 1), told(store, 2)
    assert '"bounds"' in first
    assert first == second
