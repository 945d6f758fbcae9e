"""What each draft of a player cost, and how long it took: by the calls that it was asked for with.

A draft is paid once however many strategies share it. Of one that failed nothing is on record, and whoever takes a mean says over
which it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import orjson
from sqlalchemy import select

from moot.measures.graded_drafts import Fits
from moot.measures.source import Source
from moot.store import queries, schema
from moot.store.rows import known_latency_s
from moot.strategies.natives import NATIVE_STAGES, SINGLE_CALL

DRAFT = NATIVE_STAGES[0]
_COLUMNS = ("key", "cost_usd", "latency_s", "completion_tokens", "recorded")


@dataclass(frozen=True, slots=True)
class DraftCost:
    usd: float | None
    """None: the price of a call is not known."""
    seconds: float | None
    """None: a recording does not say how long a reply took."""
    completion_tokens: int | None


def draft_costs(source: Source, players: Sequence[str], fits: Fits) -> dict[tuple[str, str], DraftCost]:
    """By player and question, of the first repeat."""
    keys: dict[tuple[str, str], tuple[str, ...]] = {}
    for cell in source.cells:
        if cell["traits"].drafts != SINGLE_CALL:
            continue
        seats = {player["name"] for player in orjson.loads(cell["spec"])["players"]}
        names = {name for name in players if name in seats and fits(cell, name)}
        for row in source.whole.results(cell) if names else ():
            if cell["traits"].drafts_repeat(row["repeat"]):
                continue
            asked: dict[str, dict[str, None]] = {}
            for name, stage, _, key, *_ in orjson.loads(row["transcript"]):
                if stage == DRAFT and name in names and key:
                    asked.setdefault(name, {})[key] = None
            for name, several in asked.items():
                if several.keys().isdisjoint(source.never_made):  # else it would have cost more
                    keys.setdefault((name, row["question"]), tuple(several))
    calls = _calls(source, sorted({key for several in keys.values() for key in several}))
    return {
        place: _cost([calls[key] for key in several]) for place, several in keys.items() if calls.keys() >= {*several}
    }


def _calls(source: Source, keys: Sequence[str]) -> dict[str, DraftCost]:
    table = schema.calls
    found: dict[str, DraftCost] = {}
    for part in queries.chunks(keys):
        query = select(*(table.c[name] for name in _COLUMNS)).where(table.c.key.in_(part))
        for key, usd, seconds, tokens, recorded in source.connection.execute(query).fetchall():
            found[key] = DraftCost(usd, known_latency_s(seconds, recorded), tokens)
    return found


def _cost(calls: Sequence[DraftCost]) -> DraftCost:
    usd = [call.usd for call in calls if call.usd is not None]
    seconds = [call.seconds for call in calls if call.seconds is not None]
    tokens = [call.completion_tokens for call in calls if call.completion_tokens is not None]
    return DraftCost(
        sum(usd) if len(usd) == len(calls) else None,
        sum(seconds) if len(seconds) == len(calls) else None,
        sum(tokens) if len(tokens) == len(calls) else None,
    )
