"""A team's plays from its store: its episodes, and what each of its players is worth alone.

A player's native answer comes from where it played alone, else from its drafts. So what players could reach together
does not depend on which strategies stand in the file.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from weakref import WeakKeyDictionary

from moot.ballots.cut_voices import cut_players
from moot.engine.match_record import Groups
from moot.measures.cells import Stored
from moot.measures.draft_calls import DraftTable
from moot.measures.episodes import EpisodeOutline, Key
from moot.measures.played_again import asked_again, graded_draft
from moot.measures.quiz.played import Played
from moot.measures.source import Source, chosen_by, grouped_drafts, groups_of
from moot.measures.team_drafts import TeamDrafts
from moot.measures.unrecorded import unrecorded_by_key
from moot.stats.graded import WayOfGrading
from moot.types import FAILED, Case

_KEPT: WeakKeyDictionary[Source, dict[str, list[Played]]] = WeakKeyDictionary()
"""A team's plays, as long as what they were made of is read from."""


def plays_of(source: Source, table: DraftTable) -> list[Played]:
    """Every play at a table and of its players alone, from one pass over their episodes."""
    kept = _KEPT.setdefault(source, {})
    if table.name not in kept:
        seen = [episode for cell in table.cells for episode in source.seen(cell)]
        drafts = source.drafts(table)
        known = _known_groups(source, table, drafts)
        plays = [
            _played(source, episode, paid_usd, drafts, known.get(episode.key))
            for episode, paid_usd in zip(seen, source.paid_usd(seen), strict=True)
        ]
        for name in table.players:
            plays += _named_if_none_came(name, list(_native(source, name, table.alone.get(name), drafts)))
        # What a chosen team could reach together is a claim about it too.
        but = frozenset.intersection(*map(source.chosen_on, table.cells)) if table.cells else frozenset()
        kept[table.name] = [play for play in plays if play.question not in but] if but else plays
    return kept[table.name]


def _known_groups(source: Source, table: DraftTable, drafts: TeamDrafts) -> dict[Key, Groups]:
    """Of every set of drafts that some play did not wait for the whole of: who said the same among all that is known."""
    known = {key: source.known_drafts(table, key) for key in drafts.not_needed}
    return {key: grouped_drafts(source, key, of_key, drafts) for key, of_key in known.items() if of_key}


def alone_plays(source: Source, cell: Stored) -> list[Played]:
    """One player's plays by itself."""
    return _named_if_none_came(str(cell["player"]), _as_played(source, cell))


def _as_played(source: Source, cell: Stored) -> list[Played]:
    seen, name = source.seen(cell), str(cell["player"])
    return [
        _single(
            source.cases[episode.key[0]],
            episode.key,
            name,
            cell["label"],
            right=episode.right,
            outcome=episode.outcome,
            calls=len(episode.calls),
            cost_usd=paid,
            way=episode.way,
            open_words=episode.open_words,
            unrecorded=bool(episode.unrecorded) and not source.served,
        )
        for episode, paid in zip(seen, source.paid_usd(seen), strict=True)
    ]


def _named_if_none_came(player: str, plays: list[Played]) -> list[Played]:
    """What a player says by itself; with its name where every play of it failed, but those that nobody waited for."""
    outcomes = {play.outcome for play in plays if play.heard}
    if outcomes != {FAILED}:  # whom nobody ever waited for may have had an answer
        return plays
    return [replace(play, never_came=player) for play in plays]


DRAFTED = "drafted"
"""What stands in the place of a strategy where a player's native answer is a draft: nobody played it alone."""


def _native(source: Source, player: str, alone: Stored | None, table: TeamDrafts) -> Iterator[Played]:
    """What a player says by itself, each set of drafts once: as it played alone, and else as it drafted."""
    keys: Collection[Key] = ()
    if alone is not None:
        yield from _as_played(source, alone)
        keys = {episode.key for episode in source.seen(alone)}
    yield from _drafted(source, player, table, keys)


def _drafted(source: Source, player: str, table: TeamDrafts, but: Collection[Key]) -> Iterable[Played]:
    """A draft says what its player would have answered, not what that would cost; it bears no name of a strategy, be it one
    that the plan has for this player and that has not been played yet."""
    unrecorded = unrecorded_by_key(source)
    for key in table.drafts:
        if key in but:
            continue
        case, draft = source.cases[key[0]], table.drafts_heard(key).get(player)
        if draft is not None:
            right, way = graded_draft(source, key, draft)
            single = _single(
                case,
                key,
                player,
                DRAFTED,
                right=right,
                outcome=draft.outcome,
                calls=1,
                cost_usd=None,
                way=way,
                unrecorded=draft.text is None and player in unrecorded.get(key, ()),
            )
            words = source.open_words(right, draft.text)
            yield single if words is None else replace(single, open_words=words)
        elif player in table.not_heard(key):
            unknown = _single(
                case, key, player, DRAFTED, right=None, outcome="unanswered", calls=0, cost_usd=None, way="not heard"
            )
            yield replace(unknown, heard=False)


def _single(
    case: Case,
    key: Key,
    player: str,
    strategy_name: str,
    *,
    right: float | None,
    outcome: str,
    calls: int,
    cost_usd: float | None,
    way: WayOfGrading,
    open_words: str | None = None,
    unrecorded: bool = False,
) -> Played:
    return Played(
        key[0],
        strategy_name,
        player=player,
        right=right,
        outcome=outcome,
        human=case.human.rate if case.human else None,
        category=case.category or case.package,
        calls=calls,
        cost_usd=cost_usd,
        repeat=key[1],
        way=way,
        open_words=open_words,
        unrecorded=unrecorded,
    )


def _played(
    source: Source, seen: EpisodeOutline, paid_usd: float | None, table: TeamDrafts, known: Groups | None
) -> Played:
    question = seen.key[0]
    case, groups = source.cases[question], groups_of(source, seen, table)
    captain = seen.cell["captain"]
    chose_own = novel = None
    if (alike := chosen_by(source, seen, groups)) is not None:
        chose_own, novel = None if captain is None else captain in alike, not alike
    return Played(
        question,
        seen.cell["label"],
        captain=captain,
        right=seen.right,
        outcome=seen.outcome,
        groups=groups,
        known_groups=known,
        own_choice=chose_own,
        asked=bool(seen.order),
        novel=novel,
        human=case.human.rate if case.human else None,
        category=case.category or case.package,
        calls=len(seen.calls),
        cost_usd=paid_usd,
        repeat=seen.key[1],
        way=seen.way,
        open_words=seen.open_words,
        never_came=seen.never_came,
        cut=cut_players(seen.drafts or table.drafts.get(seen.key, ())),
        asked_again=asked_again(source, seen.key),
    )
