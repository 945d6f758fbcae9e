"""A small experiment that every version of moot can play, from the first store on; `make_step_stores.py` has had it played.

The words of the file are those of the first version: keys that came later would be refused by it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

STEPS = {
    "0001-first-tables": "ea4baf0",
    "0004-absences": "9e07933",
    "0005-served-at-length": "5f0f462",
    "0007-traces": "a8e1b18",
    "0008-judgements-in-fields": "5b8bf56",
    "0009-grades": "e70f8bc",
    "0010-askers": "cffbd2c",
    "0011-ledger": "e6e3b1a",
    "0012-judge-calls": "3aa2f56",
    "0013-signs-in-answers": "dc3dadcc",
    "0014-failures-of-graders": "e8253411",
    "0018-served-calls": "b29ef07d",
    "0019-overcharges": "38b47308",
    "0020-unreached": "18940ce9",
    "0021-unscrubbed": "cea72d0d",
    "0022-turned-words": "e99fbd7c",
    "0023-unpriced-losses": "4f094a10",
}
"""The last step of a store, and the last commit that wrote such stores. 0.1.0 ends at 0005. The steps between came together."""

QUESTIONS: tuple[dict[str, Any], ...] = tuple(
    {"id": f"s{n}", "text": text, "answer": answer}
    for n, (text, answer) in enumerate(
        (
            ("Which city has the tower of Eiffel?", "Paris"),
            ("Which river flows through Vienna?", "Danube"),
            ("Who wrote Faust, the tragedy?", "Goethe"),
            ("Which metal is liquid in a warm room?", "mercury"),
            ("Which planet is the largest?", "Jupiter"),
        )
    )
)
PRICE = {"prompt": 1, "completion": 2}


def written(folder: Path, step: str) -> Path:
    """The experiment's file, with its questions beside it. Simulated models had no prices at first."""
    players = {"ann": 0.7, "bob": 0.5, "cat": 0.4}
    priced = {} if step < "0005" else {"price": PRICE}
    models = {name: {"provider": "simulated", "accuracy": share, **priced} for name, share in players.items()}
    spec = {
        "name": "step",
        "seed": 4,
        "questions": {"file": "questions.jsonl"},
        "models": models,
        "players": {name: {"model": name} for name in players},
        "teams": {"trio": {"players": list(players), "captain": "ann"}},
        "strategies": ["solo", "vote", "silent"],
    }
    lines = "\n".join(json.dumps(question) for question in QUESTIONS)
    (folder / "questions.jsonl").write_text(lines, encoding="utf-8")
    path = folder / "step.yaml"
    path.write_text(json.dumps(spec), encoding="utf-8")
    return path
