"""Rows of tables about plays of which too many went on without somebody who could not be reached: what was played, and no more.

An interval says how far off a share may be by chance. That somebody was missing is not chance: whoever runs the file again asks
them again, and then the row may lie anywhere. So such a row keeps its figure and has neither interval nor p. It goes by what a
row says of itself: the strategy, the team, the captain and the player that it names, or the two sides that it compares. What
names a team alone is of all of that team's plays.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import orjson

from moot.experiment.side_names import ClaimError, is_meant, parse_side
from moot.measures.cells import Stored, table_of
from moot.measures.claims.cut_short import none_beaten
from moot.measures.source import Source
from moot.stats.graded import FEW_WAITING

Row = dict[str, Any]

_OF_CHANCE = re.compile(r"(?:\w{1,40}_)?(?:low|high|p)(?:_holm)?")
"""The ends of an interval and what a test comes to, of a row's only figure or of a named one."""
_SIDES = ("of", "a", "b")
_NAMES = ("label", "stage", "team", "captain", "player")
_OF_A_TEAM = frozenset({"skyline", "best_single", "talk_threshold"})
"""Figures by themselves: who is the best is one of a team's players."""
_OF_JUDGES = frozenset({"judges", "measurement", "habits", "agreement", "human"})
"""What names nobody who played is about all of them, but for what is about who graded."""
_CLAIMS = frozenset({"better", "worse", "alone_better"})
_WITHHELD_ELSEWHERE = frozenset({"headline", "hypotheses", "power", "unreached"})
"""The first two weigh such plays one by one; the others have no interval."""


def too_many_without(source: Source, cells: Iterable[Stored]) -> bool:
    """Whether somebody could not be reached in more than a few of all plays of these. Nobody plays again what was asked of a
    served team."""
    plays = [] if source.served else [bool(episode.unreached) for cell in cells for episode in source.seen(cell)]
    return sum(plays) > FEW_WAITING * len(plays)


def labels_withheld(source: Source, players: Collection[str]) -> dict[str, Any]:
    """Why nothing may be claimed of what these said alone: whether the slowest is missing, and who could not be reached."""
    alone = [cell for cell in source.cells if cell["player"] in players]
    unreached = {str(cell["player"]) for cell in alone if too_many_without(source, [cell])}
    return {"cut_short": source.cut_short, "unreached": tuple(sorted(unreached))}


@dataclass(frozen=True)
class WithoutMembers:
    """The cells of a run that have too many such plays."""

    cells: Sequence[Stored]
    """Of the whole run."""
    without: Mapping[str, frozenset[str]]
    """By the id of such a cell: who could not be reached."""

    @classmethod
    def of(cls, source: Source) -> WithoutMembers:
        found = {
            cell["id"]: frozenset(name for episode in source.seen(cell) for name in episode.unreached)
            for cell in source.cells
            if too_many_without(source, [cell])
        }
        return cls(source.cells, found)

    def figures(self, figures: Row) -> Row:
        """All of a report, those rows without their intervals."""
        if not self.without:
            return figures
        kept = {
            key: value if key in _WITHHELD_ELSEWHERE else self.told(value, of=key) for key, value in figures.items()
        }
        if any(self._touches(row) for row in figures.get("frontier", ())):
            kept["frontier"] = none_beaten(kept["frontier"])
        return kept

    def told(self, value: Any, named: Mapping[str, str] | None = None, of: str = "") -> Any:
        """A row, or rows, or what stands within one. `named`: what the rows around it say of themselves; `of`: its key."""
        if isinstance(value, list):
            return [self.told(each, named, of) for each in value]
        if not isinstance(value, dict) or of == "bounds" or of in _OF_JUDGES:
            return value
        names = ("team",) if of in _OF_A_TEAM else (*_SIDES, *_NAMES)
        around = {**(named or {}), **{key: value[key] for key in names if _is_name(value.get(key))}}
        touched = self._touches(around)
        withheld = {key: None for key in value if touched and _OF_CHANCE.fullmatch(key)}
        withheld |= {key: False for key in value if touched and key in _CLAIMS}
        return {**{key: self.told(each, around, key) for key, each in value.items()}, **withheld}

    def _touches(self, row: Mapping[str, Any]) -> bool:
        names = self._played_under({key: row[key] for key in _NAMES if _is_name(row.get(key))})
        meant = [cells for key in _SIDES if _is_name(row.get(key)) and (cells := self._meant(row[key]))]
        of = [cell for cells in meant for cell in cells] if meant else self.cells
        return any(cell["id"] in self.without and self._is_of(cell, names) for cell in of)

    def _played_under(self, names: Mapping[str, str]) -> dict[str, str]:
        """The same as far as they are names of who played: a table may have a team once for each way that its drafts were
        asked for, these drafts as if they were a strategy, and others of a team where cells have their captain."""
        teams = {table_of(cell): cell["team"] for cell in self.cells} | {team: team for team in self._members}
        labels, captains = ({cell[key] for cell in self.cells} for key in ("label", "captain"))
        known = {"label": labels, "stage": labels, "captain": captains, "team": teams}
        played = {key: name for key, name in names.items() if key == "player" or name in known[key]}
        return played | ({"team": team} if (team := teams.get(played.get("team", ""))) else {})

    def _meant(self, side: str) -> list[Stored]:
        """Nobody, where a side is called by another name than that of who played it."""
        try:
            named = parse_side(side)
        except ClaimError:
            return []
        return [cell for cell in self.cells if is_meant(named, cell)]

    def _is_of(self, cell: Stored, names: Mapping[str, str]) -> bool:
        if "stage" in names:  # held against what they said alone
            others = {key: name for key, name in names.items() if key != "stage"}
            return self._is_of(cell, others) and (cell["player"] is not None or cell["label"] == names["stage"])
        if not names.keys() <= {"player", "team"}:
            own: Mapping[str, Any] = cell
            return all(own[key] in (None, name) for key, name in names.items())
        team, player = names.get("team"), names.get("player")
        if player is not None and player not in {cell["player"], *self.without[cell["id"]]}:
            return False
        members = self._members.get(team) if team is not None else None
        return members is None or cell["team"] == team or cell["player"] in members

    @cached_property
    def _members(self) -> Mapping[str, frozenset[str]]:
        """By team, as far as it has played."""
        members: dict[str, frozenset[str]] = {}
        for cell in self.cells:
            if (team := cell["team"]) is not None:
                players = orjson.loads(cell["spec"])["players"]
                members[team] = members.get(team, frozenset()) | {player["name"] for player in players}
        return members


def _is_name(value: Any) -> bool:
    return isinstance(value, str)
