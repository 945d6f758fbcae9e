"""Episodes as outlines, out of the rows of a store: cell by cell, or those of all players alone in one go."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise, repeat
from sys import intern
from typing import Any, NamedTuple

import orjson
from sqlalchemy import Connection

from moot.grade.group import GROUPING
from moot.measures.askings import Askings
from moot.measures.cells import Row, Stored
from moot.measures.draft_calls import CellDrafts, made_of
from moot.measures.episodes import (
    EpisodeOutline,
    Key,
    Recorded,
    call_keys,
    drafts_alone,
    missing_in,
    outlines,
    right_of,
    unrecorded_in,
)
from moot.measures.team_drafts import TeamDrafts, said_of
from moot.models.cut_out import CUT_OUT
from moot.stats.graded import FEW_WAITING
from moot.store import queries
from moot.store.bulk_read import Marks, episode_columns, most_repeats
from moot.store.rows import verdict_of
from moot.traces import (
    DecidedFrom,
    Extraction,
    Grouped,
    HangsOnCut,
    NotNeeded,
    Shown,
    Trace,
    not_waited_for,
    of_kind,
    trace_json,
    trace_of,
)
from moot.types import Answer, Case

_LOOKED_AT = frozenset(
    trace_json(record)["kind"]
    for record in (
        Grouped(()),
        Shown("", "", (), 1),
        NotNeeded(()),
        HangsOnCut(()),
        Extraction("", 1, {}, None),
        DecidedFrom(0, ""),
    )
)
"""The kinds of record that an episode is read for, as they are stored."""
_ENDING = ("cell", "question", "repeat", "outcome", "answer", "transcript", "seconds", "unreached")


class _Endings(NamedTuple):
    """How plays of players alone ended, column by column: there may be hundreds of thousands."""

    cells: Sequence[Stored]
    questions: Sequence[str]
    repeats: Sequence[int]
    outcomes: Sequence[str]
    answers: Sequence[str | None]
    transcripts: Sequence[str]
    seconds: Sequence[float]
    unreached: Sequence[str | None]


def outlines_alone(cell: Stored, rows: Iterable[Sequence[Any]], askings: Askings) -> list[EpisodeOutline]:
    """Those of one player, from `queries.endings`."""
    if not (columns := list(zip(*rows, strict=True))):
        return []
    positions, *ended, values, stages = columns
    endings = _Endings([cell] * len(positions), *ended)
    return list(_outlines_alone(positions, _keys_of(endings), endings, values, stages, askings))


def all_outlines_alone(
    connection: Connection, experiment: str, cells: Mapping[str, Stored], grader: str, askings: Askings
) -> dict[str, list[EpisodeOutline]]:
    """Every episode of every player alone, by cell, in one go."""
    places = queries.places_of(connection, experiment)
    asked = [case for several in places.values() for _, case in several]
    marks = Marks(connection, list(cells), asked, grader, most_repeats(connection, list(cells)))
    keys: dict[Key, Key] = {}
    answers: dict[str | None, str | None] = {}
    episodes_by_cell: dict[str, list[EpisodeOutline]] = {ident: [] for ident in cells}
    for columns in episode_columns(connection, list(cells), _ENDING):
        there = [places.get(question, ()) for question in columns[1]]
        if not (placed := list(chain.from_iterable(there))):  # all are on questions of other plans
            continue
        idents, *ended = _as_often(columns, list(map(len, there)))
        positions, cases = zip(*placed, strict=True)
        endings = _Endings([cells[ident] for ident in idents], *ended)
        values, stages, _ = zip(*marks.of_all(idents, cases, endings.repeats), strict=True)
        # One text for all who were asked it, and for all who said it.
        endings = endings._replace(answers=list(map(answers.setdefault, endings.answers, endings.answers)))
        shared = list(map(keys.setdefault, once := _keys_of(endings), once))
        for ident, episode in zip(
            idents, _outlines_alone(positions, shared, endings, values, stages, askings), strict=True
        ):
            episodes_by_cell[ident].append(episode)
    for several in episodes_by_cell.values():
        if any(
            later.position <= sooner.position for sooner, later in pairwise(several)
        ):  # mostly they stand in this order
            several.sort(key=lambda episode: (episode.position, episode.key[1]))
    return episodes_by_cell


def _as_often(columns: Sequence[Sequence[Any]], times: Sequence[int]) -> Sequence[Sequence[Any]]:
    """With each row as often as its question is asked: nearly always once."""
    if set(times) == {1}:
        return columns
    return [list(chain.from_iterable(map(repeat, column, times))) for column in columns]


def _keys_of(endings: _Endings) -> list[Key]:
    return list(zip(endings.questions, endings.repeats, strict=True))


def _outlines_alone(
    positions: Sequence[int],
    keys: Sequence[Key],
    endings: _Endings,
    values: Sequence[float | None],
    stages: Sequence[str | None],
    askings: Askings,
) -> Iterator[EpisodeOutline]:
    """Plain tuples, and nothing that a player alone has no use for."""
    several, answers = list(map(orjson.loads, endings.transcripts)), endings.answers
    players = [cell["player"] or "" for cell in endings.cells]
    askings.alone(players, [question for question, _ in keys], endings.outcomes, several)
    unrecorded = [unrecorded_in(steps, askings.never_made) for steps in several]
    right = [
        value if value is not None or answer is not None else 0.0 for value, answer in zip(values, answers, strict=True)
    ]
    return outlines(
        cell=endings.cells,
        key=keys,
        position=positions,
        right=right,
        outcome=map(intern, endings.outcomes),
        stage=stages,
        word=repeat(None),
        seconds=endings.seconds,
        calls=[call_keys(steps, askings.never_made) for steps in several],
        said=[None if _failed(steps) else answer for steps, answer in zip(several, answers, strict=True)],
        open_words=[answer if value is None else None for value, answer in zip(right, answers, strict=True)],
        unreached=map(missing_in, map(names_of_json, endings.unreached), unrecorded),
        lacks_calls=map(bool, unrecorded),
        unrecorded=unrecorded,
    )


def recorded(cell: Stored, case: Case, row: Row, right: float | None, never_made: Collection[str]) -> Recorded:
    """One episode whole, from a row of `queries.results`. `right`: what it is worth."""
    steps = orjson.loads(row["transcript"])
    unrecorded = unrecorded_in(steps, never_made)
    return Recorded(
        cell,
        case,
        row["question"],
        row["position"],
        row["repeat"],
        verdict_of(row["verdict"]),
        right,
        row["stage"],
        row["seconds"],
        call_keys(steps, never_made),
        missing_in(names_of_json(row["unreached"]), unrecorded),
        unrecorded,
    )


def names_of_json(unreached: str | None) -> tuple[str, ...]:
    """Who could not be reached, as a row has it."""
    return () if unreached is None else tuple(orjson.loads(unreached))


def without_whom(unreached: str | None, traces: Iterable[Trace]) -> tuple[str, ...]:
    """Who could not be reached in a play, or in more than a few of those that taught how to decide it: then it rests on
    whoever was left, be it that nobody was missing when it was decided."""
    names = names_of_json(unreached)
    for record in of_kind(traces, DecidedFrom):
        if record.missed > FEW_WAITING * record.questions:
            names = tuple(sorted({*names, *record.unreached}))
    return names


def _failed(steps: Sequence[Sequence[Any]]) -> bool:
    if len(steps) == 1:  # nearly always
        return steps[0][4] is not None
    return any(step[4] is not None for step in steps)


def outlines_together(
    cell: Stored,
    rows: Iterable[Row],
    table: TeamDrafts,
    own: CellDrafts,
    askings: Askings,
    but: Collection[str] = (),
) -> Iterator[EpisodeOutline]:
    """What is given is filled on the way: with the drafts of the team, with how those of this cell were made, and with who
    was asked. Of the questions that are left out (`but`) only the last."""
    players = frozenset(player["name"] for player in orjson.loads(cell["spec"])["players"])
    for row in rows:
        key = row["question"], cell["traits"].drafts_repeat(row["repeat"])
        steps = orjson.loads(row["transcript"])
        verdict = orjson.loads(row["verdict"])
        # Most records of a play are of no use here, and there may be very many: only these are made what they were.
        traces = [trace_of(record) for record in verdict.get("traces", ()) if record["kind"] in _LOOKED_AT]
        askings.together(players, row["question"], steps, traces, cell["traits"].offices)
        if row["question"] in but:
            continue
        yield _outline(cell, row, key, verdict.get("answers", ()), steps, traces, table, own, askings.never_made)


def _outline(
    cell: Stored,
    row: Row,
    key: Key,
    answers: Sequence[Sequence[Any]],
    steps: Sequence[Sequence[Any]],
    traces: Sequence[Trace],
    table: TeamDrafts,
    own: CellDrafts,
    never_made: Collection[str],
) -> EpisodeOutline:
    drafts = drafts_alone(cell, tuple(Answer(*fields) for fields in answers), traces)
    if dropped := not_waited_for(traces):
        table.not_needed.setdefault(key, set()).update(dropped)
        own.not_needed.setdefault(key, set()).update(dropped)
    if drafts:
        drafts = table.keep(key, drafts)
        if made := made_of(steps, drafts):
            own.made.setdefault(key, made)
    if drafts and (grouped := of_kind(traces, Grouped)) and _groups_them(grouped[0], drafts):
        place = key, said_of(drafts)
        table.groups.setdefault(place, grouped[0].groups)
        if grouped[0].fell_back is not None:
            table.by_words.add(place)
        table.grouping.setdefault(place, tuple(step[3] for step in steps if step[1] == GROUPING and step[3]))
    look = next((record for record in of_kind(traces, Shown) if record.places is None), None)
    word = look.answer if look is not None else None
    order = tuple(intern(name) for holders in look.order for name in holders) if look is not None else ()
    calls = call_keys(steps, never_made)
    right, outcome = right_of(row), row["outcome"]
    unrecorded = unrecorded_in(steps, never_made)
    hangs = bool(of_kind(traces, HangsOnCut))
    if hangs:
        right = None
    return EpisodeOutline(
        cell,
        key,
        row["position"],
        right,
        outcome,
        row["stage"],
        word,
        row["seconds"],
        calls,
        order,
        drafts,
        row["repeat"],
        open_words=CUT_OUT if hangs else row["answer"] if right is None else None,
        unreached=missing_in(without_whom(row["unreached"], traces), unrecorded),
        lacks_calls=bool(unrecorded),
        unrecorded=unrecorded,
    )


def _groups_them(record: Grouped, drafts: Sequence[Answer]) -> bool:
    """Whether it is exactly these drafts that were grouped."""
    players = [player for group in record.groups for player in group]
    return sorted(players) == sorted(draft.player for draft in drafts if draft.text is not None)
