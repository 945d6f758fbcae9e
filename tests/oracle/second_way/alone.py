"""The models of a table by themselves, counted again: every one of them, seat by seat, or nothing.

Two ways to have been asked: in the one sentence by which the product itself asks for steps, and any other. Who sits at the
table was asked as it is there, whichever that is.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from second_way.raw import Cell

ASKS_FOR_STEPS = {"think step by step", "think step by step.", "рассуждай шаг за шагом", "рассуждай шаг за шагом."}


def way(cell: Cell) -> str:
    """Empty: as it was told."""
    return "step by step" if cell.options.get("step_by_step") else way_of_player(cell.spec["players"][0])


def way_of_player(player: Any) -> str:
    return "step by step" if " ".join(player["instruction"].split()).lower() in ASKS_FOR_STEPS else ""


def in_words(cell: Cell) -> Any:
    """For the row of one player."""
    player = cell.spec["players"][0]
    return way(cell) or ("instructed" if player["instruction"] or player["persona"] else None)


def thinking(members: Sequence[Cell], asked: str) -> str:
    first = [member.spec["players"][0] for member in members]
    told = any(player["instruction"] or player["persona"] for player in first)
    return asked or ("as each was told" if told else "plain")


def model_of(player: Any) -> str:
    return json.dumps(player["model"], sort_keys=True)


Found = dict[str, list[Cell]]
"""By model of a table, in the order of its seats: whoever is it alone."""


def told_alone(table: Cell, members: Sequence[Cell]) -> Found:
    """Whoever sits there; for a model of which nobody does, others who were asked in the way of one of its seats."""
    found: Found = {model_of(seat): [] for seat in table.spec["players"]}
    for model, own in found.items():
        seats = [seat for seat in table.spec["players"] if model_of(seat) == model]
        with_it = [member for member in members if _only_model(member) == model]
        own += [member for member in with_it if member.player in [seat["name"] for seat in seats]]
        if not own:
            own += [member for member in with_it if any(way(member) == way_of_player(seat) for seat in seats)]
    return found


def stepping_alone(table: Cell, members: Sequence[Cell]) -> Found:
    """Those asked for steps: who sits there before all others."""
    names = {seat["name"] for seat in table.spec["players"]}
    found: Found = {}
    for seat in table.spec["players"]:
        own = [one for one in members if way(one) and _only_model(one) == model_of(seat)]
        found[model_of(seat)] = [one for one in own if one.player in names] or own
    return found


def agent_alone(table: Cell, agent: Cell) -> Found:
    return {model_of(seat): [agent] if _only_model(agent) == model_of(seat) else [] for seat in table.spec["players"]}


def by_way(table: Cell, members: Sequence[Cell]) -> list[tuple[str, Found]]:
    """As told and by steps. One of the two where they are the same people; and steps of some that are all as they were told
    are no other way."""
    told, stepping = told_alone(table, members), stepping_alone(table, members)
    same = all({one.id for one in told[model]} == {one.id for one in stepping[model]} for model in told)
    if same:
        return [("step by step", stepping)]
    who_told = {one.id for one in everybody(told)}
    nothing_new = not all(stepping.values()) and all(one.id in who_told for one in everybody(stepping))
    return [("", told)] if nothing_new else [("", told), ("step by step", stepping)]


def everybody(found: Found) -> list[Cell]:
    return [member for own in found.values() for member in own]


def _only_model(cell: Cell) -> str | None:
    models = {model_of(player) for player in cell.spec["players"]}
    return models.pop() if len(models) == 1 else None


def not_there(table: Cell, found: Found) -> list[str]:
    """Who sits there with a model that none of these has."""
    return [seat["name"] for seat in table.spec["players"] if not found[model_of(seat)]]


def seats_by_model(table: Cell) -> dict[str, float]:
    models = [model_of(seat) for seat in table.spec["players"]]
    return {model: round(models.count(model) / len(models), 9) for model in models}
