"""With what long answers are compared: every player of a team alone, or one side that the file declares as `baseline`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

from moot.experiment.side_names import ClaimError, NamedRow, cells_named, seat_of_row

AnyCell = TypeVar("AnyCell", bound=NamedRow)


@dataclass(frozen=True, slots=True)
class Matchup(Generic[AnyCell]):
    """A team's cell, and one whose texts its own are compared with."""

    side: AnyCell
    opponent: AnyCell


def matchups(cells: Sequence[AnyCell], baseline: str | None) -> list[Matchup[AnyCell]]:
    """Every team against each of its players alone, or against the baseline only."""
    return list(_matchups(cells, baseline))


def _matchups(cells: Sequence[AnyCell], baseline: str | None) -> Iterator[Matchup[AnyCell]]:
    alone: dict[str, AnyCell] = {}
    for cell in cells:
        if cell["player"]:
            alone.setdefault(cell["player"], cell)
    one = None if baseline is None else baseline_cell(baseline, cells)
    for cell in cells:
        if cell["player"] or cell is one:
            continue
        members = [player["name"] for player in json.loads(cell["spec"])["players"]]
        against = [alone[name] for name in members if name in alone] if one is None else [one]
        yield from (Matchup(cell, opponent) for opponent in against)


def baseline_cell(text: str, cells: Sequence[AnyCell]) -> AnyCell:
    """The one cell that is meant: a player by its name, or a side as `primary` names one. Else a `ClaimError` that says why."""
    alone = [cell for cell in cells if cell["player"] == text.strip()]
    meant = [cast(AnyCell, row) for row in cells_named(text, cells)] if not alone else alone[:1]
    if len(meant) > 1:
        several = ", ".join(str(seat_of_row(row, team=False)) for row in meant)
        raise ClaimError(f"{text!r} means several; expected one of {several}")
    return meant[0]


def plays_alone(text: str, players: Sequence[str]) -> bool:
    """Whether a baseline is one of the players alone, by its name or as a side."""
    named = text.strip()
    return named in players or named.partition("@")[0] == "solo"
