"""What is left of a report where more than one play in twenty of a strategy went on without somebody: no intervals."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from second_way.options import named
from second_way.raw import Cell, Raw

Row = dict[str, Any]
ENDS = ("low", "high", "p", "low_holm", "high_holm", "p_holm")
ONE_BY_ONE = ("headline", "hypotheses", "power", "unreached")
"""Where such plays are weighed by themselves, or nothing has an interval."""
GRADERS = ("judges", "measurement", "habits", "agreement", "human")
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
    if not isinstance(value, dict) or key in ("bounds", *GRADERS):
        return value
    wanted = ("team",) if key in WHOLE_TEAM else ("of", "a", "b", "label", "stage", "team", "captain", "player")
    identity = {**above, **{name: value[name] for name in wanted if isinstance(value.get(name), str)}}
    row = {name: _walk(raw, bad, name, each, identity) for name, each in value.items()}
    if not _concerned(raw, bad, identity):
        return row
    row |= {name: None for name in row if _is_end(name)}
    return row | {name: False for name in row if name in ("better", "worse", "alone_better")}


def _is_end(name: str) -> bool:
    return any(name == end or name.endswith(f"_{end}") for end in ENDS)


def _concerned(raw: Raw, bad: list[Cell], row: Mapping[str, Any]) -> bool:
    """Whether a row is about one of these: it names it, or one of its sides does, or it is about all that its team played."""
    row = dict(row)
    labels, teams = ({getattr(cell, name) for cell in raw.cells} for name in ("label", "team"))
    if row.get("team") not in teams:  # one of its tables, by how they drafted or by cohort
        row["team"] = re.sub(r" \([a-z-]+\)$|/[^/]+$", "", re.sub(r" \([a-z-]+\)$", "", row.get("team", "")))
    known = {"label": labels, "stage": labels, "team": teams, "captain": {cell.captain for cell in raw.cells}}
    row = {name: value for name, value in row.items() if name not in known or value in known[name]}
    sides = [cell for side in ("of", "a", "b") if side in row for cell in _side(raw, row[side])]
    pool = [cell for cell in bad if cell in sides] if sides else bad
    return any(_about(raw, cell, row) for cell in pool)


def _side(raw: Raw, text: str) -> list[Cell]:
    """Nobody, where it is called by no name of who played."""
    side, _, cohort = text.rpartition(", ")
    if cohort not in {cell.cohort for cell in raw.cells}:
        side, cohort = text, ""
    try:
        return [cell for cell in named(raw, side) if cohort in ("", cell.cohort)]
    except AssertionError:
        return []


def _about(raw: Raw, cell: Cell, row: Mapping[str, Any]) -> bool:
    if "stage" in row and cell.player is None and cell.label != row["stage"]:
        return False  # what they said alone counts for every stage
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
