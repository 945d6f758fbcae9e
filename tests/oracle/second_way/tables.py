"""The plays of each table: what its team answered, what its players are worth alone, and who had drafted the same.

A table is a team or a cohort of one, with native answers of one kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from second_way.meanings import Draft, Groups, Meanings
from second_way.raw import Cell, Episode, Raw
from second_way.same_calls import alike, made, speaking, usual
from second_way.shares import Failed, Grade, NeverCame, Ungraded, Value, value_of

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
    asked: bool = False
    """Of a team: whether somebody was shown the drafts."""
    own: bool | None = None
    """Whether the captain ended on its own draft; None: not known, or nobody chose."""
    novel: bool | None = None
    heard: bool = True
    calls: tuple[str, ...] = ()
    said: str | None = None
    answered: bool = True
    """Of a player alone: whether it gave an answer,"""
    failed: bool = False
    """and whether nothing came of it, not even a refusal."""
    unrecorded: bool = False
    """Whether it lacks a reply of a recording."""

    @property
    def key(self) -> Key:
        return self.question, self.repeat

    @property
    def whose(self) -> str | None:
        return self.player or self.captain


@dataclass(frozen=True)
class Table:
    name: str
    team: str
    """All tables of one team (or cohort) that drafts in one way."""
    cells: list[Cell]
    solo: dict[str, Cell]
    """By player: where it played alone by the same calls."""
    usual: bool
    """Whether its drafts are those of the team, and not some strategy's own."""
    labels: list[str]
    """Of its strategies, in the order of the file."""
    sources: dict[str, str]
    """By player: where its native answers are from."""
    talking: list[str]
    """Those in which a captain reads the drafts with their reasons, once and without names, and decides."""
    voting: list[str]
    """Those in which equal drafts are grouped, and a group's word stands."""
    known: dict[Key, Groups] = field(default_factory=dict)
    """Of sets of drafts that some play did not wait for the whole of: who said the same among all that is known."""
    whole: dict[Key, list[Draft]] = field(default_factory=dict)
    """Those drafts."""
    coming: dict[Key, set[str]] = field(default_factory=dict)
    """Who could not be reached on sets of drafts, and may say anything yet: only where plays are open for it."""
    together: list[Play] = field(default_factory=list)
    alone: list[Play] = field(default_factory=list)

    @property
    def plays(self) -> list[Play]:
        return [*self.together, *self.alone]


def tables(raw: Raw) -> list[Table]:
    """In the order of the file; worked out once."""
    if "tables by calls" not in vars(raw):
        vars(raw)["tables by calls"] = _every_table(raw)
    every: list[Table] = vars(raw)["tables by calls"]
    return every


def _every_table(raw: Raw) -> list[Table]:
    cells: dict[str, list[Cell]] = {}
    for cell in raw.cells:
        if cell.player is None:
            cells.setdefault(table_name(cell), []).append(cell)
    return [table for name, several in cells.items() for table in _tables(raw, name, several)]


def table_of(raw: Raw, cell: Cell) -> Table:
    (table,) = [table for table in tables(raw) if cell in table.cells]
    return table


def _tables(raw: Raw, name: str, cells: Sequence[Cell]) -> Iterable[Table]:
    """Those with the team's own drafts first, then as the file has them."""
    meanings = Meanings(raw)
    players = [player["name"] for player in cells[0].spec["players"]]
    solo = [cell for cell in raw.cells if cell.player in players and _kind(cell) == _kind(cells[0])]
    groups = alike(raw, cells)
    own = usual(raw, groups, solo)
    mute = [cell for cell in cells if not any(cell in group for group in groups)]
    if own is not None or mute:
        here = [cell for cell in cells if cell in mute or cell in (own or ())]
        yield _table(raw, name, name, here, players, speaking(raw, own or (), solo), meanings, usual=own is not None)
    others = [[cell for cell in cells if cell in group] for group in groups if group is not own]
    for here in sorted(others, key=lambda group: cells.index(group[0])):
        titles = set()
        for cell in here:
            split = any(other.label == cell.label for other in cells if other not in here)
            titles.add(f"{cell.label}@{cell.captain}" if split else cell.label)
        title = f"{name} (drafts of {', '.join(sorted(titles))})"
        yield _table(raw, title, name, here, players, speaking(raw, here, solo), meanings, usual=False)


def table_name(cell: Cell) -> str:
    cohort = f"/{cell.cohort}" if cell.cohort else ""
    kind = _kind(cell)
    return f"{cell.team}{cohort}" + (f" ({kind})" if kind != "single-call" else "")


def _kind(cell: Cell) -> str:
    return str(cell.traits.get("drafts") or "single-call")


def _table(
    raw: Raw,
    name: str,
    team: str,
    cells: list[Cell],
    players: Sequence[str],
    solo: dict[str, Cell],
    meanings: Meanings,
    *,
    usual: bool,
) -> Table:
    table = Table(
        name,
        team,
        cells,
        solo,
        usual,
        list(dict.fromkeys(cell.label for cell in cells)),
        {player: solo[player].strategy if player in solo else "drafts" for player in players},
        list(dict.fromkeys(cell.label for cell in cells if _talks(cell.traits) and ABSTAINS not in cell.label)),
        list(dict.fromkeys(cell.label for cell in cells if _votes(cell))),
    )
    sets: dict[Key, list[list[Draft]]] = {}
    dropped: dict[Key, set[str]] = {}
    endings: dict[tuple[Key, str], set[str]] = {}
    for cell in cells:
        for episode in raw.episodes(cell):
            for answer in episode.verdict.get("answers", ()):
                endings.setdefault((_key(cell, episode), answer[0]), set()).add(answer[3])
            if heard := drafts_of(cell, episode):
                sets.setdefault(_key(cell, episode), []).append(heard)
            dropped.setdefault(_key(cell, episode), set()).update(_dropped(episode))
            if gone := {name for question, repeat, name in raw.missing if (question, repeat) == _key(cell, episode)}:
                table.coming[_key(cell, episode)] = gone
    fullest = {key: max(several, key=_fullness) for key, several in sets.items()}
    for key, missed in dropped.items():
        if missed:
            heard_somewhere = dict(draft for several in sets.get(key, []) for draft in several) | dict(
                fullest.get(key, ())
            )
            by_itself = {p: made(raw, solo[p]).get((*key, p)) for p in missed if p in solo}
            texts = {p: draft[1] for p, draft in by_itself.items() if draft is not None} | heard_somewhere
            table.whole[key] = [(p, texts[p]) for p in players if p in texts]
            table.known[key] = meanings.groups(*key, table.whole[key])
    for cell in cells:
        table.together.extend(_play(cell, episode, fullest, meanings) for episode in raw.episodes(cell))
    for player in players:
        played = _played_alone(raw, player, solo.get(player))
        for key in sorted(sets.keys() - {play.key for play in played}):
            texts = dict(draft for several in sets[key] for draft in several) | dict(fullest[key])
            if player in texts:
                text = texts[player]
                failed = text is None and endings[key, player] == {"failed"}
                nothing = raw.nothing(key[0], failed=failed)
                nothing = None if (*key, player) in raw.missing and raw.waits(key[0]) else nothing
                right = raw.draft_grades[key[0], text] if text is not None else nothing
                play = Play(*key, "drafted", right, player=player, said=text, answered=text is not None, failed=failed)
                lacks = text is None and (*key, player) in raw.without_reply
                played.append(replace(play, unrecorded=lacks))
            elif player in dropped.get(key, ()):
                played.append(Play(*key, "drafted", Ungraded.NOT_HEARD, player=player, heard=False))
        never = all(play.failed for play in played if play.heard)
        table.alone.extend(replace(play, right=_failed(play.right, never)) for play in played)
    # What all who play here were chosen on says nothing of what they could reach either.
    hidden = [q for q in raw.questions if cells and all(q in raw.chosen_on[cell.id] for cell in cells)]
    table.alone[:] = [play for play in table.alone if play.question not in hidden]
    return table


def by_itself(raw: Raw, cell: Cell) -> Table:
    """A player who was asked alone as at no table."""
    player = str(cell.player)
    table = Table(cell.label, cell.label, [], {player: cell}, False, [], {player: cell.strategy}, [], [])
    table.alone.extend(_played_alone(raw, player, cell))
    return table


def _talks(traits: Mapping[str, Any]) -> bool:
    decides = [traits.get(name) for name in ("word", "hears", "asks")] == ["captain", "reasons", "captain"]
    once = not traits.get("groups") and traits.get("repeats", 1) == 1
    return decides and once and traits.get("names") != "shown"


ABSTAINS = "abstain="
RULES = ("weighted", "learnt", "leader", "cascade")
"""By their names, and not by what they say of themselves: a vote that is none of these is plain."""


def _votes(cell: Cell) -> bool:
    traits = cell.traits
    if cell.strategy in RULES or ABSTAINS in cell.label:
        return False
    drafts = traits.get("drafts") is not None and traits.get("groups")
    return bool(drafts) and traits.get("word") == "group" and traits.get("hears") == "nothing"


def _failed(grade: Grade, never: bool) -> Grade:
    """`never`: whether nothing else ever came from whoever it is."""
    return (NeverCame if never else Failed)(grade) if isinstance(grade, Failed) else grade


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
            cell.label,
            episode.right,
            player=player,
            said=episode.answer,
            answered=episode.outcome == "answered",
            failed=episode.outcome == "failed",
            unrecorded=bool(episode.unrecorded),
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
        asked=bool(looks) and any(looks[0].get("order", ())),
        own=None if sayers is None or cell.captain is None else cell.captain in sayers,
        novel=None if sayers is None else not sayers,
        calls=episode.calls,
        said=episode.answer,
    )


def parts(plays: Iterable[Play], by: Callable[[Play], Any]) -> dict[Any, list[Play]]:
    """In the order of their names."""
    together: dict[Any, list[Play]] = {}
    for play in plays:
        together.setdefault(by(play), []).append(play)
    return {name: together[name] for name in sorted(together, key=str)}


def values_of(plays: Iterable[Play]) -> dict[str, Value]:
    by_question: dict[str, list[Play]] = {}
    for play in plays:
        by_question.setdefault(play.question, []).append(play)
    return {q: value_of([play.right for play in own], [play.said for play in own]) for q, own in by_question.items()}


def grades(plays: Iterable[Play]) -> dict[str, list[Grade]]:
    by_question: dict[str, list[Grade]] = {}
    for play in plays:
        by_question.setdefault(play.question, []).append(play.right)
    return by_question


def everybody_there(plays: Sequence[Play]) -> list[Play]:
    """Without the sets of drafts that somebody has no play of who has one of others."""
    who = {play.player or play.captain for play in plays}
    seats = {(play.player or play.captain, play.question, play.repeat) for play in plays}
    return [play for play in plays if all((name, play.question, play.repeat) in seats for name in who)]
