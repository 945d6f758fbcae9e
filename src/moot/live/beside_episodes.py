"""What people keep beside the answers of a served team: a name for a conversation, and which of two answers they like better.

Each key has names of its own. A vote is evidence like a judge's word: the two episodes in the order in which they were shown,
which of them was preferred, by whom and when. Both are forgotten with the episodes that they are about.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

from sqlalchemy import Connection, delete, select

from moot.errors import UsageError
from moot.grade.prefer import text_digest
from moot.live.served_rows import find_episode
from moot.store import queries, schema
from moot.store.same_options import line_up

Preferred = Literal["first", "second", "tie"]
PREFERRED: tuple[Preferred, ...] = get_args(Preferred)


class NotAPair(UsageError):
    """Two episodes that nobody can compare."""


class EqualAnswers(UsageError):
    """Two episodes that say the same, so that neither can be better."""


class NoAnswer(UsageError):
    """Of two episodes one came to nothing that could be better."""

    def __init__(self, message: str, place: str) -> None:
        super().__init__(message)
        self.place = place


@dataclass(frozen=True, slots=True)
class PersonsVote:
    """Somebody's word on two answers to one question, in the order in which they were shown."""

    first: str
    second: str
    preferred: Preferred
    person: str
    """The name of a key; that of everybody where there are none."""
    question: str = ""
    """Its digest; filled in from the episodes."""
    said_at: float = 0.0

    @property
    def judge(self) -> str:
        """As whose word it counts among those of judges."""
        return f"person:{self.person}"


def keep_title(
    connection: Connection, *, name: str, episode: str, title: str, person: str, asker: str | None
) -> dict[str, Any]:
    """Call an episode something; an empty title gives it back the words of its question."""
    find_episode(connection, name, episode, asker)
    table = schema.titles
    connection.execute(delete(table).where(table.c.episode == episode, table.c.person == person))
    if title:
        row = {"episode": episode, "person": person, "title": title, "named_at": time.time()}
        queries.add(connection, table, [row])
    return {"episode": episode, "title": title or None}


def titles_of(connection: Connection, person: str, episodes: Iterable[str]) -> dict[str, str]:
    """By episode, what this one calls it."""
    table, found = schema.titles, dict[str, str]()
    for part in queries.chunks(list(episodes)):
        query = select(table.c.episode, table.c.title).where(table.c.person == person, table.c.episode.in_(part))
        found.update((episode, title) for episode, title in connection.execute(query))
    return found


def keep_vote(connection: Connection, *, name: str, vote: PersonsVote, asker: str | None) -> PersonsVote:
    """Who votes again on the same two has changed their mind."""
    rows = [find_episode(connection, name, episode, asker) for episode in (vote.first, vote.second)]
    if vote.first == vote.second or rows[0]["question"] != rows[1]["question"]:
        raise NotAPair("expected two answers to one question")
    for place, row in zip(("first", "second"), rows, strict=True):
        if row["answer"] is None:  # the page asks about no such pair either
            raise NoAnswer(f"expected two answers, but the {place} has none: it ended as {row['outcome']}", place)
    one, other = (_who(connection, row["cell"]) for row in rows)
    if one.named == other.named:
        raise NotAPair("expected the answers of two teams, found two of one")
    if one.line_up == other.line_up:
        raise NotAPair("expected the answers of two teams, found two of one that goes by two names")
    if text_digest(rows[0]["answer"]) == text_digest(rows[1]["answer"]):  # figures leave such votes out
        raise EqualAnswers(
            "expected two answers that differ, found two that are equal word for word: neither is better"
        )
    kept = PersonsVote(vote.first, vote.second, vote.preferred, vote.person, rows[0]["question"], time.time())
    table = schema.votes
    either = ((vote.first, vote.second), (vote.second, vote.first))
    for first, second in either:
        these = (table.c.first == first, table.c.second == second, table.c.person == vote.person)
        connection.execute(delete(table).where(*these))
    row = {name: getattr(kept, name) for name in ("first", "second", "person", "question", "preferred", "said_at")}
    queries.add(connection, table, [row])
    return kept


class _Who(NamedTuple):
    """Whom a cell is of."""

    named: tuple[str | None, ...]
    """In whichever version of the file."""
    line_up: str
    """Under whichever name."""


def _who(connection: Connection, cell: str) -> _Who:
    table = schema.cells
    row = connection.execute(select(table).where(table.c.id == cell)).mappings().one()
    named = tuple(row[key] for key in ("strategy", "label", "team", "captain", "player", "cohort"))
    return _Who(named, line_up(row["spec"], alone=row["player"] is not None))


def votes_of(connection: Connection) -> list[PersonsVote]:
    """All, in the order in which they were given."""
    table = schema.votes
    rows = connection.execute(select(table).order_by(table.c.said_at)).mappings()
    return [PersonsVote(**row) for row in rows]


def episode_name(question: str, repeat: int) -> str:
    """What an episode is called by who asked; `question`: its digest."""
    return f"ep_{repeat:08x}{question}"


def forget_beside(connection: Connection) -> None:
    """What is said of episodes that are no more."""
    titles, votes, episodes = schema.titles, schema.votes, schema.episodes
    named = {*connection.execute(select(titles.c.episode)).scalars()}
    for first, second in connection.execute(select(votes.c.first, votes.c.second)):
        named |= {first, second}
    if not named:
        return
    still: set[str] = set()
    for part in queries.chunks(sorted({episode[11:] for episode in named})):
        query = select(episodes.c.question, episodes.c.repeat).where(episodes.c.question.in_(part))
        still.update(episode_name(question, repeat) for question, repeat in connection.execute(query))
    for gone in queries.chunks(sorted(named - still)):
        connection.execute(delete(titles).where(titles.c.episode.in_(gone)))
        connection.execute(delete(votes).where(votes.c.first.in_(gone) | votes.c.second.in_(gone)))
