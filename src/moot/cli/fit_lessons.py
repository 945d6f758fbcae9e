"""`moot fit`, what it learns from: the graded drafts that a store has of a team, and what strategies made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path

import orjson
from sqlalchemy import Connection

from moot.cli.fit_cascades import PlayedCascade, played_cascades
from moot.cli.fit_verdicts import OtherWay, abstaining_alone
from moot.cli.report import open_existing, tell_whose
from moot.decide.rule_file import RuleSeat
from moot.errors import UsageError
from moot.experiment.fitted import mark_of_hashes, played_mark, seat_of_spec
from moot.measures.graded_drafts import GradedDrafts, graded_drafts
from moot.measures.graded_verdicts import PlayedVerdicts, graded_verdicts
from moot.measures.source import Source, Stored
from moot.report.wanted_plan import FoundPlan, WantedPlan
from moot.stats.counted_words import count
from moot.store import queries
from moot.store.examined import opened_to_read
from moot.strategies.alone import WAYS
from moot.strategies.natives import SINGLE_CALL, Drafts


@dataclass(frozen=True, slots=True)
class FittedTeam:
    """Whom a rule is learnt of, as the file has them now."""

    name: str
    seats: tuple[RuleSeat, ...]
    prompts: str
    cheapest: Sequence[str] | None = None
    """The players by what they cost; None where that is not known."""
    other_prompts: Mapping[Drafts, str] = field(default_factory=dict)
    """Marks of the templates that drafts are asked for with in other ways."""

    @property
    def players(self) -> tuple[str, ...]:
        return tuple(seat.name for seat in self.seats)

    def recognised(self, way: Drafts | None = SINGLE_CALL) -> Callable[[Stored, str], bool]:
        """Whether a player of a stored cell is one of these: the same model, asked in the same words. `way`: None where
        nobody is asked for a draft."""
        seats = {seat.name: (seat.model_mark, seat.asked_mark) for seat in self.seats}
        wanted = self.prompts if way in (SINGLE_CALL, None) else self.other_prompts[way]

        @cache
        def there(spec: str) -> frozenset[str]:
            kept = orjson.loads(spec)
            if way is not None and mark_of_hashes(kept["prompts"], kept["language"], way) != wanted:
                return frozenset()
            stored = map(seat_of_spec, kept["players"])
            return frozenset(seat.name for seat in stored if seats.get(seat.name) == (seat.model_mark, seat.asked_mark))

        return lambda cell, player: player in there(cell["spec"])


@dataclass(frozen=True, slots=True)
class StoredLessons:
    """What a store has that a rule can be learnt from."""

    name: str
    """Of the experiment."""
    drafts: GradedDrafts
    played: list[PlayedVerdicts]
    cascades: list[PlayedCascade]
    others: list[OtherWay]
    held_back: tuple[str, ...]
    """In words: of whom nothing is learnt, since it gave only a part of its answers."""
    notes: list[str]


async def stored_lessons(path: Path, url: str | None, table: FittedTeam, *, served: bool) -> StoredLessons:
    store, wanted = open_existing(path, url, served=served)
    async with opened_to_read(store):
        stored, found = await store.read(partial(_read, wanted=wanted, table=table, served=served))
    tell_whose(found)
    return stored


def _read(
    connection: Connection, wanted: WantedPlan, table: FittedTeam, served: bool
) -> tuple[StoredLessons, FoundPlan]:
    found = wanted.found(connection)
    name = found.plan["name"]
    plans = queries.experiments_named(connection, name) if served else [found.plan]
    sources = [Source(connection, plan) for plan in plans]
    drafts, played = _of_way(sources, table, SINGLE_CALL)
    cascades = played_cascades(cell for source in sources for cell in source.cells)
    if not drafts.lessons and not drafts.not_heard:
        raise UsageError(_why_none(sources, table, drafts.not_asked, served=served))
    notes = []
    if any(source.cut_short for source in sources):
        notes.append("the run is unfinished; slow answers, which are more often wrong, are still missing")
    others = [OtherWay(*_of_way(sources, table, way)) for way in OTHER_WAYS]
    held_back = abstaining_alone(cell for source in sources for cell in source.cells)
    others = [other for other in others if other.played]
    return StoredLessons(name, drafts, played, cascades, others, held_back, notes), found


OTHER_WAYS = tuple(way for way in WAYS if way != SINGLE_CALL)


def _of_way(sources: Sequence[Source], table: FittedTeam, way: Drafts) -> tuple[GradedDrafts, list[PlayedVerdicts]]:
    drafts = graded_drafts(sources, table.players, table.recognised(way), way)
    played = graded_verdicts(drafts.places, table.players, table.recognised(way), played_mark, way)
    if way == SINGLE_CALL:
        played += graded_verdicts(drafts.places, table.players, table.recognised(None), played_mark, None)
    return replace(drafts, places=()), played


def _why_none(sources: Sequence[Source], table: FittedTeam, left_out: int, *, served: bool) -> str:
    known = table.recognised()
    cells = [cell for source in sources for cell in source.cells if any(known(cell, name) for name in table.players)]
    named = f"{', '.join(table.players)} of team {table.name!r}"
    if not cells and any(_of_way(sources, table, way)[0].lessons for way in OTHER_WAYS):
        return (
            f"nothing is learnt: {named} drafted in {' and '.join(OTHER_WAYS)} alone, and a rule is about drafts of "
            f"{SINGLE_CALL}; name solo or vote in the file too, and run again"
        )
    if not cells:
        return f"nothing is learnt: the store has no drafts of {named} with these models and prompts; play them first"
    if left_out:
        words = count(left_out, "question", "questions")
        return f"nothing is learnt: no question has been put to all of {named}, and {words} to some; run it to its end"
    what = "feedback on what was served: POST /v1/feedback" if served else "references, or grades: moot grade FILE"
    return f"nothing is learnt: of no draft of {named} it is known whether it is right; expected {what}"
