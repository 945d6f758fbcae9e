"""The models of a table by themselves, counted again: every one of them, each once, or nothing.

Two ways to have been asked: in the one sentence by which the product itself asks for steps, and any other.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from second_way.raw import Cell

ASKS_FOR_STEPS = {"think step by step", "think step by step.", "рассуждай шаг за шагом", "рассуждай шаг за шагом."}


def way(cell: Cell) -> str:
    """Empty: as it was told."""
    words = " ".join(cell.spec["players"][0]["instruction"].split())
    return "step by step" if words.lower() in ASKS_FOR_STEPS or cell.options.get("step_by_step") else ""


def in_words(cell: Cell) -> Any:
    """For the row of one player."""
    player = cell.spec["players"][0]
    return way(cell) or ("instructed" if player["instruction"] or player["persona"] else None)


def thinking(members: Sequence[Cell]) -> str:
    first = [member.spec["players"][0] for member in members]
    told = any(player["instruction"] or player["persona"] for player in first)
    return way(members[0]) or ("as each was told" if told else "plain")


def model_of(player: Any) -> str:
    return json.dumps(player["model"], sort_keys=True)


def stand_ins(table: Cell, members: Sequence[Cell]) -> dict[str, list[Cell]]:
    """By model of the table, in the order of its seats: whoever of these has it, those who sit there before all others."""
    seats = table.spec["players"]
    found: dict[str, list[Cell]] = {}
    for seat in seats:
        own = [member for member in members if {*map(model_of, member.spec["players"])} == {model_of(seat)}]
        at_table = [member for member in own if member.player in {other["name"] for other in seats}]
        found[model_of(seat)] = at_table or own
    return found


def not_there(table: Cell, members: Sequence[Cell]) -> list[str]:
    """Who sits there with a model that none of these has."""
    found = stand_ins(table, members)
    return [seat["name"] for seat in table.spec["players"] if not found[model_of(seat)]]


def seats_by_model(table: Cell) -> dict[str, float]:
    models = [model_of(seat) for seat in table.spec["players"]]
    return {model: round(models.count(model) / len(models), 9) for model in models}
