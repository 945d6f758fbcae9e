"""Whose drafts are whose: by the calls that made them, since who sits at a table may be asked in more than one way.

Strategies share the calls of their drafts, so that a draft found in one tells what a player of another said alone. One
that asks in its own words, with a hint or from another seat, has other drafts: these speak for nobody else's players, nor
do others' for its own. What a player said alone by itself speaks for it where it is the same call.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from moot.grade.extract import EXTRACT
from moot.measures.cells import Stored
from moot.measures.episodes import EpisodeOutline, Key
from moot.strategies.natives import SINGLE_CALL, draft_prompts
from moot.team.team import LATE
from moot.types import Answer

Made = tuple[tuple[str, str | None, str], ...]
"""How one set of drafts was made: who, by which call at first, and what it said."""
MadeByKey = Mapping[Key, Made]


@dataclass(slots=True)
class CellDrafts:
    """What one cell tells of its drafts, beside what they say."""

    made: dict[Key, Made] = field(default_factory=dict)
    not_needed: dict[Key, set[str]] = field(default_factory=dict)
    """Players whom it did not wait for."""


def made_of(steps: Sequence[Sequence[Any]], drafts: Sequence[Answer]) -> Made:
    """Of everybody who answered and of whom no call failed: after a failure the same question may be another call. Who was
    late for a round of argument has its draft all the same."""
    first: dict[str, str | None] = {}
    failed: set[str] = set()
    for name, stage, _, key, error, _ in steps:
        first.setdefault(name, key)
        if error is not None and error != LATE:
            failed.add(name)
            if stage == EXTRACT:  # whose words could not be read is not on the record
                return ()
    return tuple(
        (draft.player, first.get(draft.player), draft.text)
        for draft in drafts
        if draft.text is not None and draft.player not in failed
    )


def made_alone(player: str, episodes: Iterable[EpisodeOutline]) -> dict[Key, Made]:
    """The same of a player by itself."""
    return {
        episode.key: ((player, episode.calls[0] if episode.calls else None, episode.said),)
        for episode in episodes
        if episode.said is not None
    }


@dataclass(frozen=True, slots=True)
class DraftTable:
    """What is measured together: cells of a team whose drafts are the same calls, and the plays alone that are too."""

    name: str
    team: str
    """All tables of one team (or cohort) that drafts in one way."""
    players: tuple[str, ...]
    cells: tuple[Stored, ...]
    """None where the team's drafts are those of its players by themselves, and no strategy shares them."""
    alone: Mapping[str, Stored]
    """By player: the cell in which it played alone, by the calls of these drafts."""
    usual: bool
    """Whether these are *the* drafts of the team, which figures about its players stand on."""


@dataclass(slots=True)
class _Alike:
    """Cells that contradict each other nowhere, and how their drafts were made."""

    cells: list[Stored] = field(default_factory=list)
    made: dict[Key, Made] = field(default_factory=dict)

    def agrees(self, made: MadeByKey) -> bool:
        return not any(_contradicts(self.made.get(key, ()), others) for key, others in made.items())

    def shares(self, made: MadeByKey) -> bool:
        """Whether there is any draft that both have, and none that differs."""
        return any(draft in self.made.get(key, ()) for key, drafts in made.items() for draft in drafts) and self.agrees(
            made
        )

    def meets(self, made: MadeByKey) -> bool:
        """Whether anybody has drafted in both, be it differently."""
        return any(
            player in {drafter for drafter, _, _ in self.made.get(key, ())}
            for key, drafts in made.items()
            for player, _, _ in drafts
        )

    def take(self, cell: Stored, made: MadeByKey) -> None:
        self.cells.append(cell)
        for key, others in made.items():
            if (known := self.made.setdefault(key, others)) != others:
                players = {player for player, _, _ in known}
                self.made[key] = (*known, *(draft for draft in others if draft[0] not in players))

    @property
    def labels(self) -> set[str]:
        return {cell["label"] for cell in self.cells}

    @property
    def in_usual_words(self) -> bool:
        """Whether all of them use the prompts that a player by itself is asked with."""
        return all(
            set(draft_prompts(cell["traits"].drafts or SINGLE_CALL))
            <= json.loads(cell["spec"]).get("prompts", {}).keys()
            for cell in self.cells
        )


def _contradicts(one: Made, other: Made) -> bool:
    if all(draft in one for draft in other):
        return False
    known = {draft[0]: draft for draft in one}
    return any(known.get(draft[0], draft) != draft for draft in other)


def draft_tables(
    name: str, players: Sequence[str], cells: Sequence[Stored], alone: Sequence[Stored], made: Mapping[str, MadeByKey]
) -> list[DraftTable]:
    """Cells of a team that draft in one way, told apart by the calls of their drafts. `made`: by cell.

    The usual drafts of a team are those of its players by themselves, where the file has these; else those that most
    strategies share; of equally many, those asked for in the words that single players are asked in. Where that does not
    decide either, none are usual. The order of the file decides nothing.
    """
    alikes = _alikes(cells, made)
    usual = _usual(alikes, alone, made)
    tables = [
        DraftTable(
            _titled(name, alike, cells),
            name,
            tuple(players),
            tuple(cell for cell in cells if cell in alike.cells),
            _speaking(alike, alone, made),
            usual=False,
        )
        for alike in alikes
        if alike is not usual
    ]
    tables.sort(key=lambda table: cells.index(table.cells[0]))
    mute = [cell for cell in cells if not made.get(cell["id"])]
    if usual is None and not mute:
        return tables
    chosen = usual if usual is not None else _Alike()
    together = tuple(cell for cell in cells if cell in chosen.cells or cell in mute)
    speaking = _speaking(chosen, alone, made)
    return [DraftTable(name, name, tuple(players), together, speaking, usual=usual is not None), *tables]


def _alikes(cells: Sequence[Stored], made: Mapping[str, MadeByKey]) -> list[_Alike]:
    """The fullest cells first, so that what is known least of finds its place last."""
    drafting = [cell for cell in cells if made.get(cell["id"])]
    alikes: list[_Alike] = []
    for cell in sorted(drafting, key=lambda cell: (-len(made[cell["id"]]), cell["label"], cell["captain"] or "")):
        own = made[cell["id"]]
        alike = next((alike for alike in alikes if alike.agrees(own)), None)
        if alike is None:
            alikes.append(alike := _Alike())
        alike.take(cell, own)
    return alikes


def _usual(alikes: Sequence[_Alike], alone: Sequence[Stored], made: Mapping[str, MadeByKey]) -> _Alike | None:
    """Whose drafts figures about the team's players stand on. No cell's: those of the players by themselves. None: open."""
    if not alikes:
        return _Alike()
    single: dict[str, _Alike] = {}
    for cell in alone:
        single.setdefault(cell["label"], _Alike()).take(cell, made.get(cell["id"], {}))
    candidates = [alike for alike in alikes if any(alike.shares(others.made) for others in single.values())]
    if not candidates and any(alike.meets(others.made) for alike in alikes for others in single.values()):
        return _Alike()
    ranks = [(len(alike.labels), alike.in_usual_words) for alike in candidates or alikes]
    return (candidates or alikes)[ranks.index(max(ranks))] if ranks.count(max(ranks)) == 1 else None


def _speaking(alike: _Alike, alone: Sequence[Stored], made: Mapping[str, MadeByKey]) -> dict[str, Stored]:
    """Whoever was played alone by the same calls; where two ways of playing alone may be it, the one that surely is."""
    agreeing = [cell for cell in alone if alike.agrees(made.get(cell["id"], {}))]
    names = [cell["player"] or "" for cell in agreeing]
    speaking = dict(zip(names, agreeing, strict=True))
    if len(speaking) < len(agreeing):
        surely = [cell for cell in agreeing if alike.shares(made.get(cell["id"], {}))]
        speaking |= {cell["player"] or "": cell for cell in surely}
    return speaking


def _titled(name: str, alike: _Alike, cells: Sequence[Stored]) -> str:
    """By its strategies; where one drafts in a way of its own under each captain, by these too."""
    titles: dict[str, None] = {}
    for cell in alike.cells:
        whole = all(other in alike.cells for other in cells if other["label"] == cell["label"])
        titles[cell["label"] if whole else f"{cell['label']}@{cell['captain']}"] = None
    return f"{name} (drafts of {', '.join(sorted(titles))})"
