"""Who was asked in which office, in how many plays it had something usable to say in the end, and its calls."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from second_way.raw import Cell, Raw, taught_without, unreached_in

COUNTED = ("answered", "failed", "refused", "unanswered")


def attendance(raw: Raw) -> Mapping[str, Any]:
    cells = {cell.id: cell for cell in raw.cells}
    finishes = {call["key"]: call["finish"] for call in raw.tables["calls"]}
    seen: dict[tuple[str, str], list[tuple[str, str, list[Any]]]] = {}
    for row in raw.tables["verdicts"]:
        cell, steps = cells[row["cell"]], json.loads(row["transcript"])
        members = {player["name"] for player in cell.spec["players"]} if cell.player is None else {cell.player}
        traces = json.loads(row["verdict"]).get("traces", ())
        shown = {(t["to"], t.get("turn", 2)): t["role"] for t in traces if t["kind"] == "shown" and cell.player is None}
        found = {(t["player"], t["turn"]) for t in traces if t["kind"] == "extraction" and t.get("answer") is not None}
        grouper = (raw.config.get("grouping") or {}).get("model")
        offices = [_place(s, members, cell, grouper, shown) for s in steps]
        dropped = {(name, "player") for t in traces if t["kind"] == "not-needed" for name in t["players"]}
        for place in dropped:
            own = [step for step, office in zip(steps, offices, strict=True) if office == place]
            seen.setdefault(place, []).append((row["question_id"], "not_heard", own))
        for place in dict.fromkeys(office for office in offices if office not in dropped):
            own = [step for step, office in zip(steps, offices, strict=True) if office == place]
            ending = _ending(own[-1], finishes, found)
            if place == (cell.player, "player"):
                ending = row["outcome"] if row["outcome"] in COUNTED else "unanswered"
            seen.setdefault(place, []).append((row["question_id"], ending, own))
    without = [row for cell in raw.cells for row in _without(raw, cell)]
    rows = [_row(*place, plays, raw.never_made) for place, plays in sorted(seen.items())]
    return {"attendance": rows, **({"unreached": without} if without else {})}


def _without(raw: Raw, cell: Cell) -> list[dict[str, Any]]:
    """Of one cell: the plays in which some call failed, or too many of what taught how to decide."""
    plays = [
        unreached_in(json.loads(row["transcript"]))
        | taught_without(json.loads(row["verdict"]).get("traces", ()))
        | raw.unrecorded(json.loads(row["transcript"]))
        for row in raw.tables["verdicts"]
        if row["cell"] == cell.id
    ]
    if not any(plays):
        return []
    named = {key: getattr(cell, key) for key in ("strategy", "label", "team", "captain", "player")}
    who = sorted(frozenset().union(*plays))
    steps = [json.loads(row["transcript"]) for row in raw.tables["verdicts"] if row["cell"] == cell.id]
    recorded = sorted(frozenset().union(*map(raw.unrecorded, steps)))
    row = {**named, "plays": len(plays), "unreached": sum(map(bool, plays)), "who": who}
    return [{**row, "unrecorded": recorded} if recorded else row]


def _place(
    step: list[Any], members: set[str], cell: Cell, grouper: str | None, shown: Mapping[Any, str]
) -> tuple[str, str]:
    """Who, and as what: an officer by its office, a reader as one, and everybody else as it was shown what it read."""
    name, stage, turn = step[:3]
    staff = cell.traits.get("offices", {}) if cell.player is None else {}
    if name in staff:
        return (name, f"player or {name}") if name in members else (staff[name], name)
    if name == "grouping" and grouper and (stage == name or name not in members):
        return grouper, name
    if stage == "extract":
        return name, stage
    return name, shown.get((name, turn), "player" if name in members else stage)


def _ending(last: list[Any], finishes: Mapping[str, str], found: set[tuple[str, int]]) -> str:
    name, _, turn, key, error, problem = last
    if error:
        return "not_heard" if error.startswith("late:") else "failed"
    if finishes.get(key) in ("refusal", "content_filter"):
        return "refused"
    useless = finishes.get(key) == "unrecorded" or (problem not in (None, "repaired") and (name, turn) not in found)
    return "unanswered" if useless else "answered"


def _row(player: str, office: str, plays: list[tuple[str, str, list[Any]]], never_made: set[str]) -> dict[str, Any]:
    endings = [ending for _, ending, _ in plays]
    dropped = {"not_heard": endings.count("not_heard")} if "not_heard" in endings else {}
    steps = [step for _, _, own in plays for step in own]
    broken = [step for step in steps if not step[3] and not (step[4] or "").startswith("late:")]
    return {
        "player": player,
        "office": office,
        "questions": len({question for question, _, _ in plays}),
        "asked": len(plays),
        "absent": len(plays) - endings.count("answered") - endings.count("not_heard"),
        **dropped,
        **{ending: endings.count(ending) for ending in COUNTED},
        "calls": len({step[3] for step in steps if step[3]} - never_made) + len(broken),
        "failed_calls": len(broken),
    }
