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
NAMES = ("label", "from", "stage", "team", "cohort", "captain", "player")
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
    wanted = ("team",) if key in WHOLE_TEAM else ("of", "a", "b", *NAMES)
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
    labels, teams, cohorts = ({getattr(cell, name) for cell in raw.cells} for name in ("label", "team", "cohort"))
    if row.get("team") not in teams:  # one of its tables, by cohort or by how they drafted
        table = re.sub(r" \([a-z-]+\)$", "", row.get("team", ""))
        row["team"], _, cohort = (table, "", "") if table in teams else table.rpartition("/")
        row.setdefault("cohort", cohort)
    if row.get("label") not in labels and row.get("from") in labels:
        row["label"] = row["from"]
    known = {"label": labels, "stage": labels, "team": teams, "captain": {cell.captain for cell in raw.cells}}
    known |= {"cohort": cohorts, "from": set()}
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
    """One play of it is one of the row's; or it is what a member said alone."""
    for name in ("team", "cohort", "captain", "label"):
        if name in row and getattr(cell, name) not in (None, row[name]):
            return False
    if cell.player is None:
        missed = {name for episode in raw.episodes(cell) for name in episode.unreached}
        staged = row.get("stage", cell.label) == cell.label
        return staged and ("label" in row or row.get("player", "") in {"", *missed})
    if row.get("player", cell.player) != cell.player:
        return False
    seats = [
        {each["name"] for each in other.spec["players"]}
        for other in raw.cells
        if other.team is not None and other.team == row.get("team") and row.get("cohort") in (None, other.cohort)
    ]
    return "label" in row or not seats or cell.player in set().union(*seats)
