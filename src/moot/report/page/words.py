"""What a run has said, as a page reads it: some dozens of questions at a time, in their order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, select

from moot.store import queries, schema
from moot.store.bulk_read import (
    MANY_REPEATS,
    Along,
    Marks,
    most_plays,
    most_repeats,
    pays,
    plays_by_question,
    written_calls,
    written_episodes,
)
from moot.store.statements import Row

PlayRow = Sequence[Any]
"""Outcome, answer, verdict, transcript and seconds of an episode, then value, stage and detail of its score."""
PlayRows = Mapping[tuple[str, int], PlayRow]
"""By cell and repeat."""

_EPISODE = ("question", "cell", "repeat", "outcome", "answer", "verdict", "transcript", "seconds")
_CALL = (
    *("text", "finish", "latency_s", "recorded", "version", "cost_usd"),
    *("prompt_tokens", "completion_tokens", "thoughts"),
)


class Words:
    """Episodes, their scores and their calls. Where a run is most of its store, the store is read once from end to end."""

    def __init__(
        self,
        connection: Connection,
        experiment: Row,
        cells: Sequence[Mapping[str, Any]],
        cases: Sequence[str],
        grader: str,
        *,
        whole: bool = True,
    ) -> None:
        """`whole`: these are all questions of the experiment, and not some here and there."""
        self._connection = connection
        self._cells = [cell["id"] for cell in cells]
        numbered = most_repeats(connection, self._cells)
        self._drawn = numbered > MANY_REPEATS
        self.repeats = most_repeats_shown(connection, cells)
        """How often a question was played at most."""
        self._marks = Marks(connection, self._cells, cases, grader, numbered)
        counts = plays_by_question(connection, self._cells)
        written = whole and pays(connection, len(cases) * len(cells) * self.repeats)
        episodes = written_episodes(connection, self._cells, _EPISODE) if written else ()
        calls = written_calls(connection, experiment["name"], ("key", "shape", *_CALL)) if written else ()
        self._episodes = Along(episodes, self._find_episodes, counts)
        self._calls = Along(calls, self._find_calls)

    def episodes(self, questions: Sequence[str]) -> dict[str, list[Sequence[Any]]]:
        """Every episode on these questions."""
        return self._episodes.take(list(dict.fromkeys(questions)))

    def marked(self, episodes: Iterable[Sequence[Any]], case: str) -> dict[tuple[str, int], PlayRow]:
        """Episodes on one question, each with its score."""
        of = self._marks.of
        plays: dict[tuple[str, int], PlayRow] = {
            (row[1], row[2]): (*row[3:], *of(row[1], case, row[2])) for row in episodes
        }
        return _in_turn(plays) if self._drawn else plays

    def calls(self, keys: Sequence[str]) -> Iterator[Sequence[Any]]:
        """The calls of these keys, in this order; those that are not stored are left out."""
        rows_by_key = self._calls.take(keys)
        return (rows_by_key[key][0] for key in keys if key in rows_by_key)

    def close(self) -> None:
        self._episodes.close()
        self._calls.close()

    def _find_episodes(self, questions: Sequence[str]) -> Iterator[Sequence[Any]]:
        table = schema.episodes
        for part in queries.chunks(questions):
            query = select(*(table.c[name] for name in _EPISODE))
            query = query.where(table.c.question.in_(part), table.c.cell.in_(self._cells))
            yield from self._connection.execute(query).all()

    def _find_calls(self, keys: Sequence[str]) -> Iterator[Sequence[Any]]:
        table = schema.calls
        for part in queries.chunks(keys):
            query = select(table.c.key, table.c.shape, *(table.c[name] for name in _CALL))
            yield from self._connection.execute(query.where(table.c.key.in_(part))).all()


def most_repeats_shown(connection: Connection, cells: Sequence[Mapping[str, Any]]) -> int:
    """How often a question was played at most, however its repeats are numbered."""
    idents = [cell["id"] for cell in cells]
    numbered = most_repeats(connection, idents)
    return most_plays(connection, idents) if numbered > MANY_REPEATS else numbered


def _in_turn(plays: PlayRows) -> dict[tuple[str, int], PlayRow]:
    """Where the numbers of repeats were drawn, which says nothing, each cell's plays are the first, the second, and so on."""
    turns: Counter[str] = Counter()
    in_turn: dict[tuple[str, int], PlayRow] = {}
    for cell, repeat in sorted(plays):
        in_turn[cell, turns[cell]] = plays[cell, repeat]
        turns[cell] += 1
    return in_turn
