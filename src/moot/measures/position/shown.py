"""What a store tells of those who were shown something in an order: records, and looks made of them.

A look is found for every episode, so that nothing is lost from the count: who was shown nothing, said nothing usable or
something new is told apart by the reason.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from moot.measures.cells import Stored
from moot.measures.episodes import EpisodeOutline
from moot.measures.position.bias import ALIKE, Look
from moot.measures.source import Source, chosen_by, groups_of
from moot.measures.team_drafts import TeamDrafts
from moot.traces import Ballot, Resolution, Round, Shown, of_kind, trace_of

_KINDS = {"shown", "ballot", "round", "resolution"}
_NAMED = tuple(f'"{kind}"' for kind in sorted(_KINDS))


@dataclass(frozen=True, slots=True)
class ShownPlay:
    """One play, as far as anybody was shown anything in an order."""

    seen: EpisodeOutline
    looks: tuple[Shown, ...] = ()
    ballots: tuple[Ballot, ...] = ()
    """Those with an order: the others were filled in for nobody's eyes."""
    turns: tuple[int, ...] = ()
    """Rounds that were held, whether or not it is on record what they showed."""
    players: tuple[str, ...] = ()


@dataclass(slots=True)
class Readers:
    """The looks of one role at one table, by who looked."""

    looks: dict[str, list[Look]] = field(default_factory=lambda: defaultdict(list))
    known: set[tuple[Any, ...]] = field(default_factory=set)
    """Line-ups that share a call share the look: whichever of them has played tells of it, once."""

    def add(self, reader: str, look: Look, *mark: Any) -> None:
        if (place := (look.question, reader, *mark)) not in self.known:
            self.known.add(place)
            self.looks[reader].append(look)


def episodes_of(source: Source, cell: Stored) -> list[ShownPlay]:
    """Every episode of a cell with its records; of what left none, only that it was played."""
    seen = {(episode.key[0], episode.repeat): episode for episode in source.seen(cell)}
    return [_episode(seen[row["question"], row["repeat"]], row["verdict"]) for row in source.results(cell)]


def _episode(seen: EpisodeOutline, written: str) -> ShownPlay:
    if not any(name in written for name in _NAMED):
        return ShownPlay(seen, players=tuple(draft.player for draft in seen.drafts))
    verdict = orjson.loads(written)
    records = [trace_of(record) for record in verdict.get("traces", ()) if record["kind"] in _KINDS]
    held = [record.turn for record in records if isinstance(record, Round | Resolution)]
    return ShownPlay(
        seen,
        tuple(of_kind(records, Shown)),
        tuple(ballot for ballot in of_kind(records, Ballot) if ballot.order),
        tuple(held),
        tuple(player for player, *_ in verdict.get("answers", ())),
    )


def roles_of(episodes: Iterable[ShownPlay]) -> list[str]:
    return list(dict.fromkeys(record.role for episode in episodes for record in episode.looks))


def add_looks(source: Source, cell: Stored, role: str, episodes: Sequence[ShownPlay], readers: Readers) -> None:
    """All looks of one role in one cell."""
    role_records = [record for episode in episodes for record in episode.looks if record.role == role]
    expected = _expected(cell, {record.to for record in role_records}, episodes)
    fixed = not any(record.drawn for record in role_records)
    table = source.drafts(source.draft_table(cell))
    for episode in episodes:
        records = [record for record in episode.looks if record.role == role]
        question, repeat = episode.seen.key[0], episode.seen.repeat
        for record in records:
            readers.add(record.to, _look(source, episode.seen, table, record), repeat, record.turn, record.order)
        recorded = {record.turn for record in episode.looks}
        unrecorded = [turn for turn in episode.turns if turn not in recorded]
        for reader in expected if expected is not None else episode.players:
            for turn in unrecorded:
                readers.add(reader, Look(question, apart="unknown"), repeat, turn)
            if not records and not unrecorded:
                readers.add(reader, Look(question, apart="not_drawn" if fixed else "not_shown"), repeat)


def _expected(cell: Stored, readers: set[str], episodes: Sequence[ShownPlay]) -> list[str] | None:
    """Who would have been shown something in an episode that shows nobody anything. None: every player of it."""
    if readers == {cell["captain"]}:
        return sorted(readers)
    players = {player for episode in episodes for player in episode.players}
    return None if readers <= players else sorted(readers)


def _look(source: Source, seen: EpisodeOutline, table: TeamDrafts, record: Shown) -> Look:
    question, lot = seen.key[0], (seen.repeat, record.to, record.turn)
    if not record.drawn:
        return Look(question, apart="not_drawn")
    if record.places is not None:
        return _placed(question, record.order, record.places, lot)
    if not record.order:
        return Look(question, apart="not_shown")
    if record.answer is None:
        return Look(question, apart="no_answer")
    if not seen.drafts:
        return Look(question, apart="unknown")  # what it was shown are no drafts, and nobody wrote down which it took
    return _worded(source, seen._replace(word=record.answer), table, record, lot)


def _worded(source: Source, seen: EpisodeOutline, table: TeamDrafts, record: Shown, lot: tuple[Any, ...]) -> Look:
    """Words tell whose draft it is that was chosen."""
    question, groups = seen.key[0], groups_of(source, seen, table)
    names = {name for holders in record.order for name in holders}
    if sum(bool(set(group) & names) for group in groups) < 2:
        return Look(question, apart=ALIKE)
    chosen = chosen_by(source, seen, groups)
    if chosen is None:
        return Look(question, apart="unknown")
    places = [holders for holders in record.order if chosen & set(holders)]
    return Look(question, record.order, places, None if places else "new", lot)


def _placed(question: str, order: Sequence[tuple[str, ...]], places: Sequence[int], lot: tuple[Any, ...]) -> Look:
    """A position is who holds it: no two that are shown together are alike."""
    if len(order) < 2:
        return Look(question, apart=ALIKE)
    return Look(question, order, [order[place] for place in places], None if places else "new", lot)
