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
_NAMES = ("label", "from", "stage", "team", "cohort", "captain", "player")
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
        """The same as far as they are names of who played: a table may have a team once for each cohort and for each way that
        its drafts were asked for, these drafts as a strategy, and others of a team where cells have their captain."""
        labels, captains, cohorts = ({cell[key] for cell in self.cells} for key in ("label", "captain", "cohort"))
        tables = {table_of(cell): (cell["team"], cell["cohort"]) for cell in self.cells if cell["team"] is not None}
        tables |= {team: (team, None) for team, _ in tables.values() if team is not None}
        team, cohort = tables.get(names.get("team", ""), (None, None))
        played = {
            "label": next((name for key in ("label", "from") if (name := names.get(key)) in labels), None),
            "stage": name if (name := names.get("stage")) in labels else None,
            "captain": name if (name := names.get("captain")) in captains else None,
            "team": team,
            "cohort": name if (name := names.get("cohort")) in cohorts - {None} else cohort,
            "player": names.get("player"),
        }
        return {key: name for key, name in played.items() if name is not None}

    def _meant(self, side: str) -> list[Stored]:
        """Nobody, where a side is called by another name than that of who played it."""
        try:
            named = parse_side(side)
        except ClaimError:
            return []
        return [cell for cell in self.cells if is_meant(named, cell)]

    def _is_of(self, cell: Stored, names: Mapping[str, str]) -> bool:
        """Whether a row that names these is about plays of a cell: its own, or those of a player of the team alone."""
        own: Mapping[str, Any] = cell
        if any(names.get(key, own[key]) != own[key] for key in ("team", "cohort", "captain") if own[key] is not None):
            return False
        if names.get("label", cell["label"]) != cell["label"]:
            return False
        player = names.get("player")
        if cell["player"] is None:
            if names.get("stage", cell["label"]) != cell["label"]:
                return False
            return player is None or "label" in names or player in self.without[cell["id"]]
        if player not in (None, cell["player"]):
            return False
        seats = self._members.get((names.get("team"), names.get("cohort")))
        return "label" in names or seats is None or cell["player"] in seats

    @cached_property
    def _members(self) -> Mapping[tuple[str | None, str | None], frozenset[str]]:
        """By team, and by team and cohort, as far as they have played."""
        members: dict[tuple[str | None, str | None], frozenset[str]] = {}
        for cell in self.cells:
            if (team := cell["team"]) is not None:
                players = frozenset(player["name"] for player in orjson.loads(cell["spec"])["players"])
                for cohort in {None, cell["cohort"]}:
                    members[team, cohort] = members.get((team, cohort), frozenset()) | players
        return members


def _is_name(value: Any) -> bool:
    return isinstance(value, str)
