"""Every call that a served question makes, or uses again from the store, is tied to it: so it can be forgotten with it.

A prompt does not say whose question it was made for: two may ask the same in the same moment, and a call may come home long
after its question was answered. So it is written down when a call is wanted. A question that is being asked has a row of its
own, until it is forgotten; what comes for it after that is tied to nothing, and what nobody is tied to is not kept.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Table, insert, or_, select

from moot.models.border import MOST_USD
from moot.store import queries, schema
from moot.store.statements import Row

TIES = "0018-served-calls"
"""The migration since which every call of a served question is tied to it."""

ITSELF = ""
"""In the place of a call's key: the question, which is not forgotten yet."""

TRANSCRIPTS_TOGETHER = 50
"""Keys that are looked for in one reading of all transcripts."""


@dataclass(frozen=True, slots=True)
class AskedPlay:
    """One play of a question under a served name: what a client's id of an episode stands for."""

    experiment: str
    question: str
    repeat: int
    drawn: bool = False
    """Its number was drawn for it: no other play has the same."""
    _wanted: dict[str, bool] = field(default_factory=dict, init=False, repr=False, compare=False)

    def want(self, key: str, sample: int | None) -> None:
        """`sample`: the call's number. Where a team asks it is the play's or larger; who asks a model past its team has 0."""
        counted = self.drawn and sample is not None and sample >= self.repeat
        self._wanted[key] = counted and key not in self._wanted

    def is_first(self, key: str) -> bool:
        """Whether nobody can have made this call yet: it has the number of this play, which wants it for the first time. To look
        for it in a store that others write too costs more than to know."""
        return self._wanted.get(key, False)

    def tie(self, key: str) -> Row:
        place = {"experiment": self.experiment, "question": self.question, "repeat": self.repeat}
        return {"key": key, **place, "created_at": time.time()}


_play: ContextVar[AskedPlay | None] = ContextVar("play", default=None)


def calls_are_for(play: AskedPlay) -> None:
    """What this task and those it starts ask from now on is asked for this play, also when it is over: who writes its answer
    in a client's form asks on."""
    _play.set(play)


def asked_play() -> AskedPlay | None:
    return _play.get()


def put_ties(
    connection: Connection, rows: Sequence[tuple[Table, Row]], of_questions: Container[str]
) -> dict[Table, list[Row]]:
    """Write the ties among the rows; the others, by table, as far as they are to be kept. `of_questions`: the keys of calls
    and failures which are not, if their questions were forgotten. What these have cost stays known."""
    by_table: dict[Table, list[Row]] = {}
    for table, row in rows:
        by_table.setdefault(table, []).append(row)
    _put_standing(connection, by_table.pop(schema.served_calls, []))
    forgotten = untied(connection, {row["key"] for _, row in rows if row.get("key") in of_questions})
    _book_unkept(connection, [row for row in by_table.get(schema.calls, ()) if row["key"] in forgotten])
    return {table: [row for row in held if row.get("key") not in forgotten] for table, held in by_table.items()}


def _put_standing(connection: Connection, ties: Sequence[Row]) -> None:
    """Those of questions that are not forgotten; the others are left out."""
    queries.add(connection, schema.served_calls, [row for row in ties if row["key"] == ITSELF])
    made = [row for row in ties if row["key"] != ITSELF]
    standing = _standing(connection, made)
    queries.add(connection, schema.served_calls, [row for row in made if _place(row) in standing])


def _place(row: Mapping[Any, Any]) -> tuple[str, str, int]:
    return row["experiment"], row["question"], row["repeat"]


def _standing(connection: Connection, ties: Sequence[Row]) -> set[tuple[str, str, int]]:
    table = schema.served_calls
    found: set[tuple[str, str, int]] = set()
    for some in queries.chunks(sorted({row["question"] for row in ties})):
        rows = select(table).where(table.c.key == ITSELF, table.c.question.in_(some))
        # Whoever forgets one of them at this moment waits for us, or we for them.
        found.update(_place(row) for row in connection.execute(rows.with_for_update(read=True)).mappings())
    return found


def untied(connection: Connection, keys: Iterable[str]) -> set[str]:
    """Those of the keys that no served question has anything to do with, or not any more."""
    table, left = schema.served_calls, set(keys)
    for some in queries.chunks(sorted(left)):
        rows = select(table.c.key).where(table.c.key.in_(some)).with_for_update(read=True)
        left.difference_update(connection.execute(rows).scalars())
    return left


def _book_unkept(connection: Connection, calls: Sequence[Row]) -> None:
    """What calls cost that are not kept."""
    paid = [row for row in calls if row["recorded"] is None]
    unknown = Counter(row["experiment"] for row in paid if row["cost_usd"] is None)
    if unknown:
        connection.execute(insert(schema.unpriced_losses), unpriced_rows(unknown, time.time()))
    costs = [(row["experiment"], row["cost_usd"]) for row in paid if row["cost_usd"]]
    losses = [
        {"experiment": payer, "usd": usd, "created_at": time.time()} for payer, usd in costs if 0 <= usd <= MOST_USD
    ]
    if losses:
        connection.execute(insert(schema.losses), losses)


def unpriced_rows(calls: Mapping[str, int], at: float) -> list[Row]:
    """By the name of who paid, how many calls are not kept of which nobody knows what they cost."""
    return [{"experiment": payer, "calls": number, "created_at": at} for payer, number in sorted(calls.items())]


def forgettable(connection: Connection, name: str, keys: Iterable[str]) -> set[str]:
    """Of these calls those that were made for this name and that nobody uses: no question is tied to them, none has them in
    its transcript. What a run paid for, and a served question used again, is the run's."""
    ours = _paid_by(connection, name, untied(connection, keys))
    return ours - spoken(connection, ours)


def _paid_by(connection: Connection, name: str, keys: set[str]) -> set[str]:
    calls, ours = schema.calls, set[str]()
    for some in queries.chunks(sorted(keys)):
        query = select(calls.c.key).where(calls.c.key.in_(some), calls.c.experiment == name)
        ours.update(connection.execute(query).scalars())
    return ours


def spoken(connection: Connection, keys: set[str]) -> set[str]:
    """Those that stand in the transcript of an episode, of whichever name."""
    transcript, found, every = schema.episodes.c.transcript, set[str](), sorted(keys)
    for start in range(0, len(every), TRANSCRIPTS_TOGETHER):
        some = every[start : start + TRANSCRIPTS_TOGETHER]
        holding = select(transcript).where(or_(*(transcript.contains(key, autoescape=True) for key in some)))
        for text in connection.execute(holding).scalars():
            found.update(key for key in some if key in text)
    return found


def ties_since(connection: Connection) -> float:
    migrations = schema.migrations
    return float(connection.execute(select(migrations.c.applied_at).where(migrations.c.name == TIES)).scalar() or 0.0)
