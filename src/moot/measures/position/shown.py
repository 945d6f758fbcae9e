"""What a store tells of those who were shown something in an order: records, and looks made of them.

A look is found for every episode, so that nothing is lost from the count: who was shown nothing, said nothing usable or
something new is told apart by the reason.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import orjson

from moot.ballots.cut_voices import cut_players
from moot.engine.match_record import Groups
from moot.grade.normalise import normalise
from moot.measures.cells import Row, Stored
from moot.measures.episodes import EpisodeOutline
from moot.measures.position.ballot_order import ballot_look
from moot.measures.position.bias import ALIKE, Look
from moot.measures.position.shared_looks import Readers
from moot.measures.source import Source, chosen_by, groups_of
from moot.measures.team_drafts import TeamDrafts
from moot.models.cut_out import was_cut
from moot.traces import RecordedLook, Resolution, Round, Shown, looks_of, trace_of

_KINDS = {"shown", "ballot", "round", "resolution", "grouped", "counted"}
_TELLING = tuple(f'"{kind}"' for kind in ("ballot", "resolution", "round", "shown"))


@dataclass(frozen=True, slots=True)
class ShownPlay:
    """One play, as far as anybody was shown anything in an order."""

    seen: EpisodeOutline
    looks: tuple[RecordedLook, ...] = ()
    turns: tuple[int, ...] = ()
    """Rounds that were held, whether or not it is on record what they showed."""
    players: tuple[str, ...] = ()
    calls: Mapping[tuple[str, int], Counter[str]] = field(default_factory=dict)
    """By who was asked in which turn: the keys of the calls, where other line-ups may share them."""


def episodes_of(source: Source, cell: Stored, *, sharing: bool = False) -> list[ShownPlay]:
    """Every episode of a cell with its records; of what left none, only that it was played.

    `sharing`: there are other line-ups, which may share its calls.
    """
    seen = {(episode.key[0], episode.repeat): episode for episode in source.seen(cell)}
    return [_episode(seen[row["question"], row["repeat"]], row, sharing=sharing) for row in source.results(cell)]


def _episode(seen: EpisodeOutline, row: Row, *, sharing: bool) -> ShownPlay:
    if not any(name in row["verdict"] for name in _TELLING):
        return ShownPlay(seen, players=tuple(draft.player for draft in seen.drafts))
    verdict = orjson.loads(row["verdict"])
    records = [trace_of(record) for record in verdict.get("traces", ()) if record["kind"] in _KINDS]
    held = [record.turn for record in records if isinstance(record, Round | Resolution)]
    players = tuple(player for player, *_ in verdict.get("answers", ()))
    calls: dict[tuple[str, int], Counter[str]] = defaultdict(Counter)
    for name, _, turn, key, *_ in orjson.loads(row["transcript"]) if sharing else ():
        if key:
            calls[name, turn][key] += 1
    return ShownPlay(seen, tuple(looks_of(records)), tuple(held), players, calls)


def roles_read(episodes: Iterable[ShownPlay]) -> list[str]:
    """The roles in which somebody read what others wrote, and not only filled in a ballot."""
    shown = (look.role for episode in episodes for look in episode.looks if isinstance(look.record, Shown))
    return list(dict.fromkeys(shown))


def add_looks(source: Source, cell: Stored, role: str, episodes: Sequence[ShownPlay], readers: Readers) -> None:
    """All looks of one role in one cell."""
    role_looks = [look for episode in episodes for look in episode.looks if look.role == role]
    expected = _expected(cell, {look.to for look in role_looks}, episodes)
    fixed = not any(look.drawn for look in role_looks)
    table = source.drafts(source.draft_table(cell))
    for episode in episodes:
        question, repeat = episode.seen.key[0], episode.seen.repeat
        looks = [look for look in episode.looks if look.role == role]
        drawn_at = _drawn_at(looks)
        for (reader, turn), in_turn in _by_turn(looks).items():
            made = [made_look(source, episode.seen, table, look, drawn_at[reader, look.draw]) for look in in_turn]
            orders = [look.order for look in in_turn]
            readers.add_turn(
                (question, reader, repeat, turn), made, orders, episode.calls.get((reader, turn), Counter())
            )
        recorded = {look.turn for look in episode.looks}
        unrecorded = [turn for turn in episode.turns if turn not in recorded]
        for reader in expected if expected is not None else episode.players:
            for turn in unrecorded:
                readers.add_apart(reader, Look(question, apart="unknown"), repeat, turn)
            if not looks and not unrecorded:
                readers.add_apart(reader, Look(question, apart="not_drawn" if fixed else "not_shown"), repeat)


def _by_turn(looks: Iterable[RecordedLook]) -> dict[tuple[str, int], list[RecordedLook]]:
    by_turn: dict[tuple[str, int], list[RecordedLook]] = {}
    for look in looks:
        by_turn.setdefault((look.to, look.turn), []).append(look)
    return by_turn


def _drawn_at(looks: Iterable[RecordedLook]) -> dict[tuple[str, int], tuple[int, int]]:
    """By reader and draw, where it was first seen: in which turn, and which look of the turn. So line-ups can be laid beside
    each other of which one has a look more than another."""
    first: dict[tuple[str, int], tuple[int, int]] = {}
    for (reader, turn), in_turn in _by_turn(looks).items():
        for number, look in enumerate(in_turn):
            first.setdefault((reader, look.draw), (turn, number))
    return first


def _expected(cell: Stored, readers: set[str], episodes: Sequence[ShownPlay]) -> list[str] | None:
    """Who would have been shown something in an episode that shows nobody anything. None: every player of it."""
    if readers == {cell["captain"]}:
        return sorted(readers)
    players = {player for episode in episodes for player in episode.players}
    return None if readers <= players else sorted(readers)


def made_look(source: Source, seen: EpisodeOutline, table: TeamDrafts, look: RecordedLook, drawn_at: Hashable) -> Look:
    """One look, by whichever record tells of it: what was shown, and which of it says what was then chosen.

    `drawn_at`: which of this reader's draws in this play has put it into order.
    """
    question, lot = seen.key[0], (seen.repeat, look.to, drawn_at)
    record = look.record
    if not isinstance(record, Shown):
        if (look.options is None or any(map(was_cut, look.options))) and record.choice:
            return Look(question, apart="unknown")  # which options are alike hangs on what they say
        return ballot_look(question, record, _options_alike(source, seen, table, look), lot)
    if not record.drawn:
        return Look(question, apart="not_drawn")
    if record.places is not None:
        if cut_players(seen.drafts):
            return Look(question, apart="unknown")  # the same, where one has lost a part
        groups = () if look.distinct or not seen.drafts else groups_of(source, seen, table)
        return _placed(question, record.order, record.places, groups, lot)
    if not record.order:
        return Look(question, apart="not_shown")
    if record.answer is None:
        return Look(question, apart="no_answer")
    if not seen.drafts:
        return Look(question, apart="unknown")  # what it was shown are no drafts, and nobody wrote down which it took
    return _worded(source, seen._replace(word=record.answer), table, record, lot)


def _worded(source: Source, seen: EpisodeOutline, table: TeamDrafts, record: Shown, lot: Hashable) -> Look:
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


def _placed(
    question: str, order: Sequence[tuple[str, ...]], places: Sequence[int], groups: Groups, lot: Hashable
) -> Look:
    """Who decided named places. `groups`: whose drafts say the same, where what was shown are drafts."""
    meanings = [frozenset(name for group in groups if set(group) & set(holders) for name in group) for holders in order]
    if len(order) < 2 or (meanings[0] and len(set(meanings)) == 1):
        return Look(question, apart=ALIKE)
    named = {order[place] for place in places}
    meant = {name for place in places for name in meanings[place]}
    chosen = [holders for holders, said in zip(order, meanings, strict=True) if holders in named or said & meant]
    return Look(question, order, chosen, None if chosen else "new", lot)


def _options_alike(
    source: Source, seen: EpisodeOutline, table: TeamDrafts, look: RecordedLook
) -> dict[int, Hashable] | None:
    """What each option of a ballot says: as the drafts were grouped that it is one of, else by its words."""
    if look.distinct or not look.options:
        return None
    groups = groups_of(source, seen, table) if seen.drafts else ()
    meanings = {draft.text: group for draft in seen.drafts for group in groups if draft.player in group}
    return {number: meanings.get(text) or normalise(text) for number, text in enumerate(look.options)}
