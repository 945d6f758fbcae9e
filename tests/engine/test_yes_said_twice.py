"""To a question of yes or no, "Yes, it is." is a yes: it is taken at once, and graded."""

from __future__ import annotations

from typing import Any

import moot
from moot import ScriptedModel

CASES = [
    {"id": "0", "text": "Is Paris in France?", "answer": "yes", "kind": "yes-no"},
    {"id": "1", "text": "Is Paris in Spain?", "answer": "no", "kind": "yes-no"},
    {"id": "2", "text": "Is Rome in Italy?", "answer": "yes", "kind": "yes-no"},
]
SAID = {"0": "Yes, it is.", "1": "No, it isn't.", "2": "No, it is not."}


def test_yes_with_the_same_again_is_taken_at_once() -> None:
    asked: list[str] = []

    def reply(request: Any) -> dict[str, str]:
        asked.append(request.question_id)
        return {"reasoning": "So.", "answer": SAID[request.question_id]}

    run = moot.run({"name": "cup", "seed": 1, "questions": CASES, "models": {"ann": ScriptedModel("ann", reply)}})
    row = next(row for row in run.figures["accuracy"] if row["player"] == "ann")
    assert (row["value"], row["n"]) == (2 / 3, 3)
    assert sorted(asked) == ["0", "1", "2"]
