"""Which cells of a team have drafts that are the very same calls: only these tell what each other's players said alone."""

from __future__ import annotations

import json
from collections.abc import Sequence

from second_way.raw import Cell, Raw

Made = dict[tuple[str, int, str], tuple[str | None, str]]
"""By question, set of drafts and player: its first call, and what it then said."""


def made(raw: Raw, cell: Cell) -> Made:
    """Of answers on the way to which nothing failed: what is tried again after a failure may be another call."""
    if cell.traits.get("drafts") is None:
        return {}
    kept: dict[str, Made] = vars(raw).setdefault("drafts by calls", {})
    if cell.id not in kept:
        kept[cell.id] = _made(raw, cell)
    return kept[cell.id]


def _made(raw: Raw, cell: Cell) -> Made:
    drafts: Made = {}
    for row in raw.tables["verdicts"]:
        if row["cell"] != cell.id or row["question_id"] in raw.chosen_on[cell.id]:
            continue
        steps, verdict = json.loads(row["transcript"]), json.loads(row["verdict"])
        failed = [step for step in steps if step[4] is not None]
        if any(step[1] == "extract" for step in failed) or (failed and cell.player is not None):
            continue
        dropped = [
            name for trace in verdict.get("traces", ()) if trace["kind"] == "not-needed" for name in trace["players"]
        ]
        for player, text, *_ in verdict.get("answers", ()):
            if text is not None and player not in dropped and player not in [step[0] for step in failed]:
                place = row["question_id"], row["repeat"] // int(cell.traits.get("repeats", 1)), player
                asked = [step[3] for step in steps if step[0] == player]
                drafts.setdefault(place, (asked[0] if asked else None, text))
    return drafts


def differ(one: Made, other: Made) -> bool:
    return any(other[place] != draft for place, draft in one.items() if place in other)


def alike(raw: Raw, cells: Sequence[Cell]) -> list[list[Cell]]:
    """Cells no two of which differ, those with most drafts first; without those that have none."""
    known = {cell.id: made(raw, cell) for cell in cells}
    groups: list[list[Cell]] = []
    for cell in sorted(cells, key=lambda cell: (-len({p[:2] for p in known[cell.id]}), cell.label, cell.captain or "")):
        if known[cell.id]:
            fitting = [g for g in groups if not any(differ(known[cell.id], known[other.id]) for other in g)]
            if fitting:
                fitting[0].append(cell)
            else:
                groups.append([cell])
    return groups


def usual(raw: Raw, groups: Sequence[Sequence[Cell]], solo: Sequence[Cell]) -> Sequence[Cell] | None:
    """The cells whose drafts are the team's: none of them (an empty list) where only its players alone are; None: open."""
    if not groups:
        return []
    drafts = [{place: draft for cell in group for place, draft in made(raw, cell).items()} for group in groups]
    alone: dict[str, Made] = {}
    for cell in solo:
        alone.setdefault(cell.label, {}).update(made(raw, cell))
    together = [[(own, those) for own in alone.values() if own.keys() & those.keys()] for those in drafts]
    same = [g for g, pairs in zip(groups, together, strict=True) if any(not differ(*pair) for pair in pairs)]
    if not same and any(together):
        return []
    best: list[Sequence[Cell]] = []
    for group in same or groups:
        if not best or _rank(group) > _rank(best[0]):
            best = [group]
        elif _rank(group) == _rank(best[0]):
            best.append(group)
    return best[0] if len(best) == 1 else None


def _rank(group: Sequence[Cell]) -> tuple[int, bool]:
    """By how many strategies, then by whether they ask as a single player is asked."""
    words = {None: {"draft"}, "single-call": {"draft"}, "double-call": {"verdict", "rationale"}}
    asks = [words[cell.traits.get("drafts")] <= set(cell.spec.get("prompts", {})) for cell in group]
    return len({cell.label for cell in group}), all(asks)


def speaking(raw: Raw, group: Sequence[Cell], solo: Sequence[Cell]) -> dict[str, Cell]:
    """By player: where it played alone, by the calls of these drafts."""
    found: dict[str, Cell] = {}
    for sure in (False, True):
        for cell in solo:
            own = made(raw, cell)
            drafts = [made(raw, other) for other in group]
            met = any(own.keys() & those.keys() for those in drafts)
            if not any(differ(own, those) for those in drafts) and (met or not sure):
                found[cell.player or ""] = cell
    return found
