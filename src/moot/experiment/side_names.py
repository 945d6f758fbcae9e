"""Who is meant: one way to name a side, wherever somebody names one and whoever tells of one.

    three/adaptive(talk_from=3)@ann, open        team / strategy and its options @ captain, cohort

Only the strategy is always there. Without a captain all captains of a team are meant; without a team the only one that plays
it. What several teams play is never one side: each has players of its own, and the mean over teams is nobody's figure.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from moot.models.closest import closest
from moot.strategies import list_told

NamedRow = Mapping[str, Any]
"""A cell, or a row about one, with its strategy, label, team, captain, player and cohort."""


class ClaimError(ValueError):
    """A side, hypothesis or primary that cannot be read, in words."""


class SeveralTeams(ClaimError):
    """A side that several teams play."""


@dataclass(frozen=True, slots=True)
class SideName:
    """Who is meant: ``three/adaptive(talk_from=3)@ann``. Without `who`: every captain, question by question."""

    strategy: str
    who: str | None = None
    cohort: str | None = None
    team: str | None = None

    def __str__(self) -> str:
        named = f"{self.team}/{self.strategy}" if self.team else self.strategy
        named = f"{named}@{self.who}" if self.who else named
        return f"{named}, {self.cohort}" if self.cohort else named


def side_of_row(row: NamedRow, *, team: bool) -> SideName:
    """How a cell is called; with its team where a file has several. A player alone is of no team."""
    who = row.get("player") or row.get("captain")
    return SideName(row["label"], who, row.get("cohort"), row.get("team") if team else None)


def seat_of_row(row: NamedRow, *, team: bool) -> SideName:
    """The same for one play: whoever has a seat is of one cohort, so its name is enough."""
    side = side_of_row(row, team=team)
    return replace(side, cohort=None) if side.who else side


def every_name(row: NamedRow) -> list[SideName]:
    """All that the side of a cell may be called, with and without its team, its captain and its cohort.

    Whoever meets a name in a figure finds it among these: a label may hold any sign, and is not read back.
    """
    whole = side_of_row(row, team=True)
    return [
        SideName(whole.strategy, who, cohort, team)
        for team in dict.fromkeys((None, whole.team))
        for who in dict.fromkeys((None, whole.who))
        for cohort in dict.fromkeys((None, whole.cohort))
    ]


def several_teams(rows: Iterable[NamedRow], declared: Collection[str] = ()) -> bool:
    """Whether a name must say of which team it is. `declared`: those of the file, where not all have a row."""
    return len(declared) > 1 or len({row["team"] for row in rows if row.get("team")}) > 1


def parse_side(text: str) -> SideName:
    """``three/talkative@ann``, or ``adaptive(talk_from=3)``. A label's brackets may hold anything but unequal brackets."""
    named, *cohorts = _apart(text)
    if len(cohorts) > 1:
        raise ClaimError(f"{text.strip()!r}: expected a strategy and, at most, a cohort")
    if cohorts and not cohorts[0].strip():
        raise ClaimError(f"{text.strip()!r}: expected a cohort after the comma")
    before, slash, rest = named.partition("/")
    of_team = bool(slash) and "(" not in before
    team, label = (before.strip(), rest) if of_team else ("", named)
    at = "@" in label[label.rfind(")") + 1 :]
    label, who = label.rsplit("@", 1) if at else (label, "")
    if not label.strip() or (at and not who.strip()) or (of_team and not team):
        expected = "expected a strategy such as talkative, talkative@ann or six/talkative"
        raise ClaimError(f"{expected}, found {text.strip()!r}")
    cohort = cohorts[0].strip() if cohorts else None
    return SideName(spaced(label), who.strip() or None, cohort, team or None)


def _apart(text: str) -> list[str]:
    """At commas outside of brackets."""
    parts, start, depth = [], 0, 0
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth == 0:
            parts.append(text[start:place])
            start = place + 1
    return [*parts, text[start:]]


_QUOTE = r"""(?:'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+")"""
_QUOTED = re.compile(_QUOTE, re.DOTALL)
_ITEM = rf"(?:{_QUOTE}|-?[\d.]++)"
_TUPLE = re.compile(rf"(=\s*)(\({_ITEM}(?:\s*+,\s*+{_ITEM})*+\s*+(?:,\s*+)?\))", re.DOTALL)


def spaced(label: str) -> str:
    """Options are separated as in labels: one space after a comma, none elsewhere. What stands in quotes is a value.

    A list is ``ann+bob``, as a report has it, also where a label keeps it as ``('ann', 'bob')``.
    """
    text = _TUPLE.sub(_listed, label)
    parts, start = [], 0
    for quoted in _quoted_in(text):
        parts += [_spaced_outside(text[start : quoted.start()]), quoted.group()]
        start = quoted.end()
    return "".join((*parts, _spaced_outside(text[start:]))).strip()


def _quoted_in(text: str) -> Iterator[re.Match[str]]:
    """A quote that nothing closes is a sign like others; then nothing closes a later one of its kind, which is not looked for."""
    place, kinds = 0, "'\""
    while found := re.compile(f"[{kinds}]").search(text, place) if kinds else None:
        if quoted := _QUOTED.match(text, found.start()):
            yield quoted
            place = quoted.end()
        else:
            place, kinds = found.end(), kinds.replace(found.group(), "")


def _listed(found: re.Match[str]) -> str:
    try:
        values = ast.literal_eval(found[2])
    except (SyntaxError, ValueError):
        return found[0]
    return f"{found[1]}{list_told(values)}" if isinstance(values, tuple) else found[0]


def _spaced_outside(part: str) -> str:
    single = re.sub(r"\s+", " ", part)  # first, so that many spaces are not looked at again from each of them
    return re.sub(r" ?([=(,)]) ?", r"\1", single).replace(",", ", ")


def cells_named(text: str, cells: Iterable[NamedRow]) -> list[NamedRow]:
    """The cells that a text speaks of; of a cohort, those of its own table. Raises a `ClaimError` that says what there is."""
    side, rows = parse_side(text), list(cells)
    meant = cells_meant(side, rows)
    if side.cohort is not None and not any(row.get("cohort") == side.cohort for row in meant):
        cohorts = ", ".join(dict.fromkeys(row["cohort"] for row in rows if row.get("cohort"))) or "no cohort"
        raise ClaimError(f"no table of {side.strategy!r} is of cohort {side.cohort!r}; expected {cohorts}")
    return meant


def cells_meant(side: SideName, cells: Iterable[NamedRow]) -> list[NamedRow]:
    """The cells (as rows) that a side speaks of; a name without options stands for all labels of that strategy.

    Those of one team, or players alone. A cohort means its own tables, where it has some; whoever knows its members finds
    them among those who play alone. Raises a `ClaimError` that says what there is instead.
    """
    rows = list(cells)
    matching = _of_strategy(side, _of_team(side, rows))
    if side.cohort is not None:
        matching = [row for row in matching if row.get("cohort") == side.cohort] or matching
    if side.who is not None:
        led = [row for row in matching if _whose(row) == side.who]
        if not led:
            whose = dict.fromkeys(map(_whose, matching))
            expected = ", ".join(leader for leader in whose if leader) or "no captain"
            raise ClaimError(f"{side.who!r} leads no play of {side.strategy!r}; expected {expected}")
        matching = led
    if several_teams(matching):
        teams = dict.fromkeys(row["team"] for row in matching if row.get("team"))
        expected = ", ".join(str(replace(side, team=team)) for team in teams)
        raise SeveralTeams(f"{str(side)!r} is played by several teams; expected one of {expected}")
    return matching


def is_meant(side: SideName, row: NamedRow) -> bool:
    """Whether a cell is one of those that a side speaks of, be they of several teams."""
    return (
        side.strategy in (row["strategy"], spaced(row["label"]))
        and side.team in (None, row.get("team"))
        and side.who in (None, _whose(row))
        and side.cohort in (None, row.get("cohort"))
    )


def _whose(row: NamedRow) -> str | None:
    """Who tells line-ups of one team apart: a player or captain, else a cohort."""
    return row["player"] or row["captain"] or row.get("cohort")


def _of_team(side: SideName, rows: Sequence[NamedRow]) -> Sequence[NamedRow]:
    if side.team is None:
        return rows
    teams = list(dict.fromkeys(row["team"] for row in rows if row.get("team")))
    if side.team not in teams:
        expected = f"{', '.join(teams)}{closest(side.team, teams)}" if teams else "no team: all play alone here"
        raise ClaimError(f"{str(side)!r}: there is no team {side.team!r}; expected {expected}")
    own = [row for row in rows if row.get("team") == side.team]
    without = replace(side, team=None)
    if any(row["player"] and side.strategy in (row["strategy"], spaced(row["label"])) for row in rows):
        raise ClaimError(f"{str(side)!r}: {side.strategy} is played alone, and by no team; expected {str(without)!r}")
    return own


def _of_strategy(side: SideName, rows: Sequence[NamedRow]) -> list[NamedRow]:
    matching = [row for row in rows if spaced(row["label"]) == side.strategy]
    if not matching:
        named = list(dict.fromkeys(row["label"] for row in rows if row["strategy"] == side.strategy))
        if len(named) > 1:
            raise ClaimError(f"{side.strategy!r} may be any of {', '.join(named)}; expected one of them")
        matching = [row for row in rows if row["label"] in named]
    if not matching:
        labels = list(dict.fromkeys(row["label"] for row in rows))
        expected = f"{', '.join(labels)}{closest(side.strategy, labels)}"
        raise ClaimError(f"strategy {side.strategy!r} is not played here; expected one of {expected}")
    return matching
