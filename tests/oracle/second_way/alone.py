"""The seats of a table by themselves, counted again: every one of them, each as its own player, or nothing.

Two ways to have been asked: in the one sentence by which the product itself asks for steps, and any other. Who sits at the
table was asked as it is there, whichever that is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
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


def voice_of(player: Any) -> str:
    """All that shapes what it says by itself."""
    told = [player["instruction"], player["persona"] or "", player.get("examples", [])]
    return json.dumps([player["model"], told], sort_keys=True)


Found = dict[str, list[Cell]]
"""By seat of a table, in order: whoever is it alone."""


def told_alone(table: Cell, members: Sequence[Cell]) -> Found:
    """Its own player; for a seat whose player has not played alone, others of its model who were told the very same."""
    found: Found = {}
    for seat in table.spec["players"]:
        alike = [one for one in members if _voices(one) == {voice_of(seat)}]
        found[seat["name"]] = _own(seat, table, alike) or alike
    return found


def _own(seat: Any, table: Cell, alike: Sequence[Cell]) -> list[Cell]:
    """Ann:2 is ann again, where ann sits there."""
    names = [seat["name"], *(name for name in _names(table) if re.fullmatch(re.escape(name) + r":\d+", seat["name"]))]
    return next((own for name in names if (own := [one for one in alike if one.player == name])), [])


def stepping_alone(table: Cell, members: Sequence[Cell]) -> Found:
    """Those asked for steps: a seat's own player, then who sits there before all others of its model."""
    found: Found = {}
    for seat in table.spec["players"]:
        of_model = [one for one in members if way(one) and _only_model(one) == model_of(seat)]
        own = _own(seat, table, [one for one in of_model if _voices(one) == {voice_of(seat)}])
        found[seat["name"]] = own or [one for one in of_model if one.player in _names(table)] or of_model
    return found


def agent_alone(table: Cell, agent: Cell) -> Found:
    return {seat["name"]: [agent] if _voices(agent) == {voice_of(seat)} else [] for seat in table.spec["players"]}


def by_way(table: Cell, members: Sequence[Cell]) -> list[tuple[str, Found]]:
    """As told and by steps. One of the two where they are the same people; and steps of some that are all as they were told
    are no other way."""
    told, stepping = told_alone(table, members), stepping_alone(table, members)
    same = all({one.id for one in told[seat]} == {one.id for one in stepping[seat]} for seat in told)
    if same:
        return [("step by step", stepping)]
    who_told = {one.id for one in everybody(told)}
    nothing_new = not all(stepping.values()) and all(one.id in who_told for one in everybody(stepping))
    return [("", told)] if nothing_new else [("", told), ("step by step", stepping)]


def everybody(found: Found) -> list[Cell]:
    return list({member.id: member for own in found.values() for member in own}.values())


def _names(table: Cell) -> list[str]:
    return [seat["name"] for seat in table.spec["players"]]


def _voices(cell: Cell) -> set[str]:
    return {voice_of(player) for player in cell.spec["players"]}


def _only_model(cell: Cell) -> str | None:
    models = {model_of(player) for player in cell.spec["players"]}
    return models.pop() if len(models) == 1 else None


def not_there(found: Found) -> list[str]:
    """Who sits there and is none of these."""
    return [name for name, own in found.items() if not own]


def models_there(table: Cell, found: Found) -> list[tuple[str, bool]]:
    """Each model of the table, and whether somebody is a seat of it."""
    models = dict.fromkeys((model_of(seat) for seat in table.spec["players"]), False)
    for seat in table.spec["players"]:
        models[model_of(seat)] |= bool(found[seat["name"]])
    return list(models.items())


def seats_by(table: Cell, of: Callable[[Any], str]) -> dict[str, float]:
    each = [of(seat) for seat in table.spec["players"]]
    return {one: round(each.count(one) / len(each), 9) for one in each}
