"""The plays of each table: what its team answered, what its players are worth alone, and who had drafted the same.

A table is a team or a cohort of one, with native answers of one kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from second_way.meanings import Draft, Groups, Meanings
from second_way.raw import Cell, Episode, Raw
from second_way.shares import Grade, Ungraded

Key = tuple[str, int]
"""One set of drafts: the question, and which time it was asked."""


@dataclass(frozen=True)
class Play:
    """One play and its grade; None: ungraded."""

    question: str
    repeat: int
    """Of the drafts it rests on."""
    strategy: str
    right: Grade
    captain: str | None = None
    player: str | None = None
    """Who played alone; None for a team."""
    groups: Groups = ()
    own: bool | None = None
    """Whether the captain ended on its own draft; None: not known, or nobody chose."""
    novel: bool | None = None
    heard: bool = True
    calls: tuple[str, ...] = ()
    answered: bool = True
    """Of a player alone: whether it gave an answer."""

    @property
    def key(self) -> Key:
        return self.question, self.repeat

    @property
    def whose(self) -> str | None:
        return self.player or self.captain


@dataclass(frozen=True)
class Table:
    name: str
    labels: list[str]
    """Of its strategies, in the order of the file."""
    sources: dict[str, str]
    """By player: where its native answers are from."""
    talking: list[str]
    """Those in which a captain reads the drafts with their reasons, once and without names, and decides."""
    voting: list[str]
    """Those in which equal drafts are grouped, and a group's word stands."""
    together: list[Play] = field(default_factory=list)
    alone: list[Play] = field(default_factory=list)

    @property
    def plays(self) -> list[Play]:
        return [*self.together, *self.alone]


def tables(raw: Raw) -> list[Table]:
    """In the order of the file."""
    cells: dict[str, list[Cell]] = {}
    for cell in raw.cells:
        if cell.player is None:
            cells.setdefault(table_name(cell), []).append(cell)
    meanings = Meanings(raw)
    return [_table(raw, name, several, meanings) for name, several in cells.items()]


def table_name(cell: Cell) -> str:
    cohort = f"/{cell.cohort}" if cell.cohort else ""
    kind = _kind(cell)
    return f"{cell.team}{cohort}" + (f" ({kind})" if kind != "single-call" else "")


def _kind(cell: Cell) -> str:
    return str(cell.traits.get("drafts") or "single-call")


def _table(raw: Raw, name: str, cells: Sequence[Cell], meanings: Meanings) -> Table:
    solo = {cell.player: cell for cell in raw.cells if cell.player is not None and _kind(cell) == _kind(cells[0])}
    players = [player["name"] for player in cells[0].spec["players"]]
    table = Table(
        name,
        list(dict.fromkeys(cell.label for cell in cells)),
        {player: solo[player].strategy if player in solo else "drafts" for player in players},
        list(dict.fromkeys(cell.label for cell in cells if _talks(cell.traits))),
        list(dict.fromkeys(cell.label for cell in cells if _votes(cell.traits))),
    )
    sets: dict[Key, list[list[Draft]]] = {}
    dropped: dict[Key, set[str]] = {}
    for cell in cells:
        for episode in raw.episodes(cell):
            if heard := drafts_of(cell, episode):
                sets.setdefault(_key(cell, episode), []).append(heard)
            dropped.setdefault(_key(cell, episode), set()).update(_dropped(episode))
    fullest = {key: max(several, key=_fullness) for key, several in sets.items()}
    for cell in cells:
        table.together.extend(_play(cell, episode, fullest, meanings) for episode in raw.episodes(cell))
    for player in players:
        played = _played_alone(raw, player, solo.get(player))
        table.alone.extend(played)
        title = table.sources[player] if player in solo else "drafted"
        for key in sorted(sets.keys() - {play.key for play in played}):
            texts = dict(draft for several in sets[key] for draft in several) | dict(fullest[key])
            if player in texts:
                text = texts[player]
                right = raw.draft_grades[key[0], text] if text is not None else 0.0
                table.alone.append(Play(*key, title, right, player=player, answered=text is not None))
            elif player in dropped.get(key, ()):
                table.alone.append(Play(*key, title, Ungraded.NOT_HEARD, player=player, heard=False))
    return table


def _talks(traits: Mapping[str, Any]) -> bool:
    decides = [traits.get(name) for name in ("word", "hears", "asks")] == ["captain", "reasons", "captain"]
    once = not traits.get("groups") and traits.get("repeats", 1) == 1
    return decides and once and traits.get("names") != "shown"


def _votes(traits: Mapping[str, Any]) -> bool:
    drafts = traits.get("drafts") is not None and traits.get("groups")
    return bool(drafts) and traits.get("word") == "group" and traits.get("hears") == "nothing"


def _key(cell: Cell, episode: Episode) -> Key:
    """A strategy with repeats of its own plays each set of drafts so often."""
    return episode.question, episode.repeat // int(cell.traits.get("repeats", 1))


def _dropped(episode: Episode) -> set[str]:
    return {player for trace in episode.traces if trace["kind"] == "not-needed" for player in trace["players"]}


def drafts_of(cell: Cell, episode: Episode) -> list[Draft]:
    """What players said alone, of whoever was waited for; nothing where no strategy promises such answers."""
    if cell.traits.get("drafts") is None:
        return []
    dropped = _dropped(episode)
    return [(answer[0], answer[1]) for answer in episode.verdict.get("answers", ()) if answer[0] not in dropped]


def _fullness(drafts: Sequence[Draft]) -> tuple[int, int]:
    return len(drafts), sum(text is not None for _, text in drafts)


def _played_alone(raw: Raw, player: str, cell: Cell | None) -> list[Play]:
    if cell is None:
        return []
    return [
        Play(
            episode.question,
            episode.repeat,
            cell.strategy,
            episode.right,
            player=player,
            answered=episode.outcome == "answered",
        )
        for episode in raw.episodes(cell)
    ]


def _play(cell: Cell, episode: Episode, fullest: dict[Key, list[Draft]], meanings: Meanings) -> Play:
    key = _key(cell, episode)
    drafts = drafts_of(cell, episode)
    seen = drafts or fullest.get(key, [])
    looks = [trace for trace in episode.traces if trace["kind"] == "shown" and trace.get("places") is None]
    word = looks[0].get("answer") if looks else None
    sayers = None if word is None else meanings.sayers(*key, drafts, word)
    return Play(
        *key,
        cell.label,
        episode.right,
        captain=cell.captain,
        groups=meanings.groups(*key, seen),
        own=None if sayers is None or cell.captain is None else cell.captain in sayers,
        novel=None if sayers is None else not sayers,
        calls=episode.calls,
    )


def parts(plays: Iterable[Play], by: Callable[[Play], Any]) -> dict[Any, list[Play]]:
    """In the order of their names."""
    together: dict[Any, list[Play]] = {}
    for play in plays:
        together.setdefault(by(play), []).append(play)
    return {name: together[name] for name in sorted(together, key=str)}


def grades(plays: Iterable[Play]) -> dict[str, list[Grade]]:
    by_question: dict[str, list[Grade]] = {}
    for play in plays:
        by_question.setdefault(play.question, []).append(play.right)
    return by_question
