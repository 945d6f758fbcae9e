"""Rows of tables about plays of which too many went on without somebody who could not be reached: what was played, and no more.

An interval says how far off a share may be by chance. That somebody was missing is not chance: whoever runs the file again asks
them again, and then the row may lie anywhere. So such a row keeps its figure and has neither interval nor p. It goes by what a
row says of itself: the strategy, the team, the captain and the player that it names, or the two sides that it compares, on the
questions that it is about. What names a team alone is of all of that team's plays, and what names nobody of everybody's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import orjson

from moot.experiment.side_names import ClaimError, is_meant, parse_side
from moot.measures.cells import Stored, table_of
from moot.measures.claims.cut_short import none_beaten
from moot.measures.claims.plays_without import PlayOfQuestion, lacking, plays_of, too_many_of
from moot.measures.claims.rate_bases import parts_of_plays
from moot.measures.claims.row_questions import OF_SETS, AskedPart, RowQuestions
from moot.measures.preferences.options import ALONE_BUT_FOR_UNGRADED, BUT_FOR_UNGRADED
from moot.measures.source import Source

Row = dict[str, Any]

_OF_CHANCE = re.compile(r"(?:\w{1,40}_)?(?:low|high|p)(?:_holm)?")
"""The ends of an interval and what a test comes to, of a row's only figure or of a named one."""
_ENDS = ("low", "high", "p", "low_holm", "high_holm", "p_holm")
_COMPARED = ("a", "b")
_TITLED = ("of", "against")
_NAMES = ("label", "from", "stage", "team", "cohort", "captain", "player")
_TOWARDS = "towards"
"""The cohort whose best a row is measured by: what of theirs is missing moves it as well."""
_OF_A_TEAM = frozenset({"skyline", "best_single", "talk_threshold"})
"""Figures by themselves: who is the best is one of a team's players."""
_OF_PEOPLE = frozenset({"human_low", "human_high"})
"""How people did on the same questions: nobody of them is asked again."""
_BY_ALL_DRAFTS = frozenset({"probability", "self_preference", "position_bias"})
"""Learnt from what all of a team said alone, or told by who of them said the same, whoever a strategy itself asks."""
_FROM_BEST_TO_ALL = "gap"
"""From the best single of a team to what its players could have reached together, whoever is told to have closed it."""
_BY_ALL_PAIRS = "ratings"
"""Each is a distance, by way of everybody who is rated."""
_CLAIMS = frozenset({"better", "worse", "alone_better"})
_NEARLY_CLAIMED = frozenset({BUT_FOR_UNGRADED, ALONE_BUT_FOR_UNGRADED})
"""What would be claimed were it not for another reason: of such a row nothing would be."""
_WITHHELD_ELSEWHERE = frozenset({"headline", "hypotheses", "power", "unreached"})
"""The first two weigh such plays one by one; the others have no interval."""


@dataclass(frozen=True, slots=True)
class _About:
    """What a row is about, by what it and the rows around it say."""

    names: Mapping[str, str]
    questions: tuple[AskedPart, ...]
    """Each of these has to be whole: several where it is a mean over them."""
    counted: int | None = None
    """Of how many of these it is, as it says."""
    by_drafts: bool = False
    """Whether it rests on all drafts of the table, and on how these were grouped."""


@dataclass(frozen=True)
class WithoutMembers:
    """The plays of a run, and which of them went on without somebody."""

    cells: Sequence[Stored]
    """Of the whole run."""
    plays: Mapping[str, Sequence[PlayOfQuestion]]
    """By cell."""
    unreached: Mapping[str, frozenset[str]]
    """By cell: who."""
    asked: RowQuestions

    @classmethod
    def of(cls, source: Source) -> WithoutMembers:
        plays = {cell["id"]: list(plays_of(source, cell)) for cell in source.cells}
        unreached = {
            cell["id"]: frozenset(name for episode in source.seen(cell) for name in episode.unreached)
            for cell in source.cells
        }
        return cls(source.cells, plays, unreached, RowQuestions(source.cases))

    def figures(self, figures: Row) -> Row:
        """All of a report, those rows without their intervals."""
        if not any(play.lacks for several in self.plays.values() for play in several):
            return figures
        whole = replace(self, asked=self.asked.grouped(figures.get("question_sets", ())))
        every = _About({}, (None,))
        kept = {
            key: value if key in _WITHHELD_ELSEWHERE else whole._told(value, every, key)
            for key, value in figures.items()
        }
        if any(whole._touches(whole._about(row, every, "frontier")) for row in figures.get("frontier", ())):
            kept["frontier"] = none_beaten(kept["frontier"])
        return kept

    def _told(self, value: Any, around: _About, of: str) -> Any:
        """A row, or rows, or what stands within one. `around`: what the rows around it are about; `of`: its key."""
        if isinstance(value, list):
            together = of == _BY_ALL_PAIRS and any(self._touches(self._about(row, around, of)) for row in value)
            return [_withheld(each) if together else self._told(each, around, of) for each in value]
        if not isinstance(value, dict) or of in ("bounds", "within_bounds"):
            return value
        about = self._about(value, around, of)
        row = {key: self._told(each, about, key) for key, each in value.items()}
        if self._touches(about):
            return _withheld(row)
        parted = replace(about, names=_of_its_team(about.names)) if of == _FROM_BEST_TO_ALL else about
        moved = [name for name, part in parts_of_plays(value, of).items() if self._touches(parted, part)]
        before = [f"{name}_" if name else "" for name in moved]
        row |= {key: None for key in row if any(key in (f"{name}{end}" for end in _ENDS) for name in before)}
        return _unclaimed(row) if "" in before else row

    def _about(self, row: Mapping[str, Any], around: _About, of: str) -> _About:
        names = ("team",) if of in _OF_A_TEAM else (*_COMPARED, *_TITLED, *_NAMES, _TOWARDS)
        named = {**around.names, **{key: row[key] for key in names if _is_name(row.get(key))}}
        counted = row["n"] if isinstance(row.get("n"), int) and of not in OF_SETS else around.counted
        by_drafts = around.by_drafts or of in _BY_ALL_DRAFTS or isinstance(row.get("d"), int)
        return _About(named, self.asked.of_row(row, of) or around.questions, counted, by_drafts)

    def _touches(self, about: _About, part: float = 1.0) -> bool:
        """`part`: the share of the plays that a figure is over, where that hangs on what came of them."""
        cells = [*self._cells(about.names), *self._of_cohort(about.names.get(_TOWARDS))]
        if about.by_drafts:
            ways = {cell["traits"].drafts for cell in cells} - {None}
            team = {key: about.names[key] for key in ("team", "cohort") if key in about.names}
            cells = [
                *cells,
                *(cell for cell in self._cells(team) if _only_drafts(cell) and cell["traits"].drafts in ways),
            ]
        shared = self._compared_on(about.names)
        return any(
            self._lacks(cell, (asked, shared), about.counted, part) for cell in cells for asked in about.questions
        )

    def _lacks(self, cell: Stored, asked: Sequence[AskedPart], counted: int | None, part: float) -> bool:
        """Whether too many of a cell's plays on questions that are in each of these went on without somebody."""
        both = [each for each in asked if each is not None]
        plays = [play for play in self.plays[cell["id"]] if all(play.question in each for each in both)]
        return lacking(plays, part) or too_many_of(plays, counted)

    def _compared_on(self, names: Mapping[str, str]) -> AskedPart:
        """The questions that both sides of a comparison have played; None where there are no two."""
        sides = [self._meant(names[key]) for key in _COMPARED if key in names]
        if len(sides) < 2 or not all(sides):
            return None
        return frozenset.intersection(
            *(frozenset(play.question for cell in side for play in self.plays[cell["id"]]) for side in sides)
        )

    def _cells(self, names: Mapping[str, str]) -> list[Stored]:
        """Who has played what a row is about: as its sides say, where these are names of who played."""
        played = self._played_under({key: names[key] for key in _NAMES if key in names})
        compared = [cell for key in _COMPARED if key in names for cell in self._meant(names[key])]
        if compared:
            return [cell for cell in compared if self._is_of(cell, played)]
        titled = [self._meant(names[key]) for key in _TITLED if key in names]
        if titled and all(titled):
            return [cell for side in titled for cell in side]
        named = [cell for cell in self.cells if self._is_of(cell, played)]
        return [*named, *(cell for side in titled for cell in side)]

    def _of_cohort(self, cohort: str | None) -> list[Stored]:
        """All plays of a cohort, and of its players alone."""
        if cohort is None:
            return []
        seats = frozenset[str]().union(*(players for (_, own), players in self._members.items() if own == cohort))
        return [cell for cell in self.cells if cell["cohort"] == cohort or cell["player"] in seats]

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
            return player is None or "label" in names or player in self.unreached[cell["id"]]
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


def _only_drafts(cell: Stored) -> bool:
    """Whether nothing is asked in it but drafts, and whoever groups them."""
    return cell["player"] is not None or cell["traits"].hears == "nothing"


def _withheld(row: Row) -> Row:
    withheld = {key: None for key in row if _OF_CHANCE.fullmatch(key) and key not in _OF_PEOPLE}
    return _unclaimed({**row, **withheld})


def _unclaimed(row: Row) -> Row:
    return {key: False if key in _CLAIMS else value for key, value in row.items() if key not in _NEARLY_CLAIMED}


def _of_its_team(names: Mapping[str, str]) -> dict[str, str]:
    return {key: names[key] for key in ("team", "cohort") if key in names}


def _is_name(value: Any) -> bool:
    return isinstance(value, str)
