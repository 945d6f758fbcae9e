"""Runs whose judge has a word on some questions only: what matches is graded, and the rest of it waits."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import moot
from moot import Case, Question, ScriptedModel
from moot.types import Request

PLAYERS = ("ann", "bob", "cat")
SIZE = 40

Says = Callable[[str, int], str]
Settles = Callable[[int], bool]
"""Whether the judge has a usable word on what was said to this question."""


def said(way: str, number: int, player: str = "all") -> str:
    """Word for word; right in other words, which only a judge can tell; or wrong."""
    return {"match": f"Ref{number}", "right": f"meant {number} of {player}", "wrong": f"not {number} of {player}"}[way]


def half(player: str, number: int) -> str:
    """Half of them match; of the others every second one is right in other words."""
    return said("match" if number % 2 else "right" if number % 4 else "wrong", number)


def run(strategies: Sequence[Any], says: Says = half, settles: Settles = lambda _: False, **keys: Any) -> Any:
    def player(name: str) -> ScriptedModel:
        def reply(request: Request) -> Any:
            answer = says(name, int(request.question_id or 0))
            if request.schema is None:
                return f"Thinking.\n\nFinal answer: {answer}"
            return {key: answer if key in ("answer", "solution") else "because" for key in request.schema["properties"]}

        return ScriptedModel(name, reply)

    def judge(request: Request) -> Any:
        number = int(request.question_id or 0)
        if not settles(number):
            return "no idea"
        text = request.messages[-1].content
        return {"grades": [{"id": 1, "is_correct": bool(re.search(rf"\bmeant {number} of", text))}]}

    names = keys.pop("players", PLAYERS)
    return moot.run(
        {
            "name": "cup",
            "questions": [Case(Question(str(n), f"Which one, {n}?"), f"Ref{n}") for n in range(SIZE)],
            "models": {**{name: player(name) for name in names}, "judge": ScriptedModel("judge", judge)},
            "teams": {"three": {"players": list(names), "captain": keys.pop("captain", "ann")}},
            "strategies": list(strategies),
            "judge": {"models": ["judge"]},
            **keys,
        }
    )
