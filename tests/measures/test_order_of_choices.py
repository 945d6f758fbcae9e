"""A question is the same with its choices in another order, and comes into the same part of the questions."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import moot
from moot import ScriptedModel
from moot.types import Request

PLAYERS = ("ann", "bob", "cat")
LEVELS = (0.6, 0.55, 0.5)
COUNT = 40
TABLES = ("frontier", "gain_by_strength", "probability", "talk_threshold", "gap_closure", "headline")
_draw = random.Random(5)
ALONE = [[_draw.random() < level for _ in range(COUNT)] for level in LEVELS]
AFTER = [[_draw.random() < (0.8 if right else 0.35) for right in own] for own in ALONE]


def questions(turned: bool) -> list[dict[str, Any]]:
    order = -1 if turned else 1
    return [
        {
            "id": f"q{n}",
            "text": f"Which is number {n}?",
            "choices": [f"Right {n}", f"Wrong {n}", f"None {n}"][::order],
            "answer": "C" if turned else "A",
        }
        for n in range(COUNT)
    ]


def played(turned: bool) -> Mapping[str, Any]:
    def model(place: int) -> ScriptedModel:
        def said(request: Request) -> dict[str, str]:
            number = int(str(request.question_id)[1:])
            draft = "You are the captain" not in request.messages[-1].content and (
                "review among equals" not in request.messages[-1].content
            )
            right = (ALONE if draft else AFTER)[place][number]
            return {"reasoning": "So it is.", "answer": ("C" if turned else "A") if right else "B"}

        return ScriptedModel(PLAYERS[place], said)

    keys = {
        "name": "cup",
        "seed": 3,
        "questions": questions(turned),
        "teams": {"three": {"players": list(PLAYERS), "captain": "each"}},
        "strategies": ["solo", "vote", "talkative", {"peer-review": {"drafts": "single-call"}}],
    }
    return moot.run(keys, models={name: model(place) for place, name in enumerate(PLAYERS)}).figures


def test_figures_that_are_taken_part_by_part_are_the_same() -> None:
    one, other = played(turned=False), played(turned=True)
    told = [table for table in TABLES if table in one]
    assert {"frontier", "gain_by_strength", "probability", "talk_threshold"} <= set(told)
    for table in told:
        assert rounded(one[table]) == rounded(other[table]), table


def rounded(value: Any) -> Any:
    """Sums are taken in the order of the questions' digests, which moves their last digits."""
    if isinstance(value, Mapping):
        return {key: rounded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return round(value, 9) if isinstance(value, float) else value
