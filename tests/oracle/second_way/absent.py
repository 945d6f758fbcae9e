"""What is left of a report where more than one play in twenty of a strategy went on without somebody: no intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from second_way.options import named
from second_way.raw import Cell, Raw

Row = dict[str, Any]
ENDS = ("low", "high", "p", "low_holm", "high_holm", "p_holm")
ONE_BY_ONE = ("headline", "hypotheses", "power", "unreached")
"""Where such plays are weighed by themselves, or nothing has an interval."""
WHOLE_TEAM = ("skyline", "best_single", "talk_threshold")


def lacking(raw: Raw, cells: Iterable[Cell]) -> bool:
    plays = [episode.unreached for cell in cells for episode in raw.episodes(cell)]
    return 20 * sum(map(bool, plays)) > len(plays)


def without_intervals(raw: Raw, figures: Mapping[str, Any]) -> Row:
    bad = [cell for cell in raw.cells if lacking(raw, [cell])]
    if not bad:
        return dict(figures)
    told = {key: each if key in ONE_BY_ONE else _walk(raw, bad, key, each, {}) for key, each in figures.items()}
    if any(_concerned(raw, bad, {"of": row["of"], "label": row["label"]}) for row in figures.get("frontier", ())):
        nobody = ("within_low", "within_high", "beaten_by")
        told["frontier"] = [{**row, **dict.fromkeys(nobody)} for row in told["frontier"]]
    return told


def _walk(raw: Raw, bad: list[Cell], key: str, value: Any, above: Mapping[str, Any]) -> Any:
    if isinstance(value, list):
        return [_walk(raw, bad, key, each, above) for each in value]
    if not isinstance(value, dict) or key == "bounds":
        return value
    identity = {**above, "whole": True} if key in WHOLE_TEAM else dict(above)
    wanted = ("team",) if key in WHOLE_TEAM else ("of", "a", "b", "label", "team", "captain", "player")
    identity |= {name: value[name] for name in wanted if isinstance(value.get(name), str)}
    drop = bool(identity) and _concerned(raw, bad, identity)
    return {
        name: None if drop and _is_end(name) else _walk(raw, bad, name, each, identity) for name, each in value.items()
    }


def _is_end(name: str) -> bool:
    return any(name == end or name.endswith(f"_{end}") for end in ENDS)


def _concerned(raw: Raw, bad: list[Cell], row: Mapping[str, Any]) -> bool:
    """Whether a row is about one of these: it names it, or one of its sides does, or it is about all that its team played."""
    row = dict(row)
    if "(" in row.get("team", "") and row["team"] not in {cell.team for cell in raw.cells}:
        row["team"] = row["team"].rpartition(" (")[0]
    for name in ("captain", "label"):
        if row.get(name) not in {getattr(cell, name) for cell in raw.cells}:
            row.pop(name, None)
    sides = [cell for side in ("of", "a", "b") if side in row for cell in _side(raw, row[side])]
    pool = [cell for cell in bad if cell in sides] if sides else bad
    return any(_about(raw, cell, row) for cell in pool)


def _side(raw: Raw, text: str) -> list[Cell]:
    bare = text.partition(", ")[0] if ")" not in text.rpartition(", ")[2] else text
    return [*named(raw, text)] or [*named(raw, bare)]


def _about(raw: Raw, cell: Cell, row: Mapping[str, Any]) -> bool:
    if "label" in row or "captain" in row:
        pairs = [(getattr(cell, name), row[name]) for name in ("label", "team", "captain", "player") if name in row]
        return all(own is None or own == wanted for own, wanted in pairs)
    if (player := row.get("player")) is not None:
        missed = {name for episode in raw.episodes(cell) for name in episode.unreached}
        if player != cell.player and player not in missed:
            return False
    if (team := row.get("team")) is None or cell.team == team:
        return True
    seats = [{each["name"] for each in other.spec["players"]} for other in raw.cells if other.team == team]
    return not seats or cell.player in set().union(*seats)
