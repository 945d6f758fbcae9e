"""Who a team has to beat: everybody at its table and everybody else who played alone, each once.

A player may sit at several tables, and one of them may know it on fewer questions: a team is measured on none of those that
it was chosen on, and neither are its players there. Where it is asked by the same calls it is one single, over all that is
known of it. A player who drafts in other words, in two calls or from another seat is another single there.

Whoever never answered, since every call of it failed, was wrong wherever it was asked, and yet nobody knows how good it is: to
be more than that is no more than to be there. It is none of the singles, and whoever speaks of the best of them says so.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import orjson

from moot.measures.cells import Stored, unusual_drafts
from moot.measures.draft_calls import DraftTable, made_alone, made_of
from moot.measures.episodes import Key
from moot.measures.quiz.played import Played, solos, split, values_by_question
from moot.measures.quiz.plays import alone_plays, plays_of
from moot.measures.sides import SideResults
from moot.measures.source import Source
from moot.stats.graded import Value

Draft = tuple[str | None, str]
"""Its first call, and what it said."""


Told = TypeVar("Told")


@dataclass(frozen=True, slots=True)
class Singles:
    """By a title: the player's name, and behind it how it was asked, where the team in question asks it in another way."""

    values: dict[str, dict[str, Value]] = field(default_factory=dict)
    players: dict[str, str] = field(default_factory=dict)
    tables: dict[str, DraftTable] = field(default_factory=dict)
    """Of those that know it, the one that knows most of it."""
    ways: dict[str, list[DraftTable]] = field(default_factory=dict)
    """All of them: it may be worth the same however it is asked, and then it need not be asked in the dearer way."""
    failed: dict[str, set[str]] = field(default_factory=dict)
    """The questions on which a call of it failed for good,"""
    replied: dict[str, set[str]] = field(default_factory=dict)
    """and those on which a reply came, of whatever use."""
    unrecorded: dict[str, set[str]] = field(default_factory=dict)
    """The questions to which a recording has no reply of it."""

    def may_come(self) -> dict[str, set[str]]:
        """By title: the questions on which what it says may come yet, since a call failed or a recording has no reply."""
        return {
            title: {question for question, value in own.items() if value.failed} | self.unrecorded[title]
            for title, own in self.values.items()
        }

    def never_answered(self, asked: Collection[str]) -> list[str]:
        """Of whom no reply to any of these questions came, and not only because nobody waited."""
        return [
            title
            for title in self.values
            if self.failed[title].intersection(asked) and not self.replied[title].intersection(asked)
        ]

    def renamed(self, titles: Mapping[str, str]) -> Singles:
        """In the same order: of equals the first stands."""
        return Singles(
            _by_title(self.values, titles),
            _by_title(self.players, titles),
            _by_title(self.tables, titles),
            _by_title(self.ways, titles),
            _by_title(self.failed, titles),
            _by_title(self.replied, titles),
            _by_title(self.unrecorded, titles),
        )

    def without(self, titles: Collection[str]) -> Singles:
        kept = [title for title in self.values if title not in titles]
        return Singles(
            {title: self.values[title] for title in kept},
            {title: self.players[title] for title in kept},
            {title: self.tables[title] for title in kept},
            {title: self.ways[title] for title in kept},
            {title: self.failed[title] for title in kept},
            {title: self.replied[title] for title in kept},
            {title: self.unrecorded[title] for title in kept},
        )


def _by_title(told: Mapping[str, Told], titles: Mapping[str, str]) -> dict[str, Told]:
    return {titles.get(title, title): of for title, of in told.items()}


def singles_of(source: Source, options: Sequence[SideResults]) -> Singles:
    """Everybody at the tables of these options, and whoever played alone, at whichever table: the best single model of a run
    need not sit where the team does."""
    playing = {source.draft_table(cell).name for side in options for cell in side.cells}
    teams = {table.team for table in source.draft_tables() if table.name in playing}
    singles = Singles()
    known: set[str] = set()
    for table in source.draft_tables():
        if table.name in playing or (table.team in teams and table.usual and table.alone):
            known.update(cell["id"] for cell in table.alone.values())
            for player, plays in split(solos(plays_of(source, table)), lambda play: play.player).items():
                _add(source, singles, player, table, plays)
    for cell in source.cells:
        if cell["player"] and cell["id"] not in known and (plays := alone_plays(source, cell)):
            _add(source, singles, cell["player"], _by_itself(cell), plays)
    return singles.renamed(_clearer_titles(singles, playing))


def _clearer_titles(singles: Singles, playing: Collection[str]) -> dict[str, str]:
    """Of a name that stands for several the plain one is the team's own player, as it drafts there. Whoever was asked alone
    otherwise has behind its name how: else a team would seem to be held against its own drafts."""
    clearer: dict[str, str] = {}
    for title, player in singles.players.items():
        table = singles.tables[title]
        if title != player or player not in table.alone or table.name in playing:
            continue
        others = [other for other, name in singles.players.items() if name == player and other != title]
        if own := next((other for other in others if singles.tables[other].name in playing), None):
            clearer |= {title: f"{player} ({table.alone[player]['label']})", own: player}
    return clearer


def _by_itself(cell: Stored) -> DraftTable:
    """Of a player whom no table asks as it was asked alone."""
    name, player = cell["label"], str(cell["player"])
    return DraftTable(name, name, (player,), (), {player: cell}, usual=False)


def _add(source: Source, singles: Singles, player: str, table: DraftTable, plays: Sequence[Played]) -> None:
    values = values_by_question(plays)
    failed = {play.question for play in plays if play.outcome == "failed"}
    replied = {play.question for play in plays if play.outcome != "failed" and play.heard}
    unrecorded = {play.question for play in plays if play.unrecorded}
    for title, name in singles.players.items():
        if name != player:
            continue
        before, known = singles.tables[title], singles.values[title]
        if _alike(known, values) or _asked_alike(source, player, before, table):
            if len(values) > len(known):
                singles.tables[title] = table
            singles.ways[title].append(table)
            singles.values[title] = {**values, **known}
            singles.failed[title] |= failed
            singles.replied[title] |= replied
            singles.unrecorded[title] |= unrecorded
            return
    title = player if player not in singles.players else f"{player} ({table.name})"
    singles.values[title], singles.players[title], singles.tables[title] = values, player, table
    singles.failed[title], singles.replied[title], singles.ways[title] = failed, replied, [table]
    singles.unrecorded[title] = unrecorded


def _alike(one: Mapping[str, Value], other: Mapping[str, Value]) -> bool:
    """Whether they are worth the same, however they came by their grades: then they are one player to beat."""
    return one.keys() == other.keys() and all(value[:3] == other[question][:3] for question, value in one.items())


def _asked_alike(source: Source, player: str, one: DraftTable, other: DraftTable) -> bool:
    """Whether two tables know a player by the same calls.

    Where they share no question no call can tell: then it is one player if both have the team's usual drafts, of one kind.
    """
    alone, also = one.alone.get(player), other.alone.get(player)
    if alone is not None and also is not None and alone["id"] == also["id"]:
        return True
    first, second = (_drafts(source, player, table) for table in (one, other))
    both = first.keys() & second.keys()
    if both:
        return all(first[key] == second[key] for key in both)
    return one.usual and other.usual and _kind(one) == _kind(other)


def _drafts(source: Source, player: str, table: DraftTable) -> dict[Key, Draft]:
    """By set of drafts: how a player's own was made, of those on the way to which nothing failed."""
    made: dict[Key, Draft] = {}
    for cell in table.cells:
        wanted = {episode.key: episode.drafts for episode in source.seen(cell) if episode.drafts}
        for row in source.results(cell) if wanted else ():
            key = row["question"], cell["traits"].drafts_repeat(row["repeat"])
            for name, call, said in made_of(orjson.loads(row["transcript"]), wanted.get(key, ())):
                if name == player:
                    made.setdefault(key, (call, said))
    if (alone := table.alone.get(player)) is not None:
        for key, ((_, call, said),) in made_alone(player, source.seen(alone)).items():
            made[key] = (call, said)
    return made


def _kind(table: DraftTable) -> str | None:
    """How native answers are asked for there, where it is not in the usual way."""
    return next((unusual_drafts(cell) for cell in (*table.cells, *table.alone.values())), None)
