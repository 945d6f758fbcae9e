"""Votes that people gave on the page of a served team, as far as they are about what an experiment compares.

A served cell is the same as in the run but for waiting for nobody, so a word on its text is a word on the strategy. It counts
where the question is one of the experiment's own, by its words; what was asked otherwise is another set of questions, and is told
with what was served.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from moot.engine.preferences import ComparedPlay
from moot.experiment.baseline import Matchup
from moot.grade.prefer import text_digest
from moot.live.beside_episodes import PersonsVote, episode_name, votes_of
from moot.measures.cells import Stored, identity_of, stored_cell
from moot.measures.source import Source
from moot.store.preferences import answers_on, cells_on, questions_stored


@dataclass(frozen=True, slots=True)
class PageVote:
    """One person's word on a play of a side beside one of its opponent."""

    question: str
    """As the experiment knows it."""
    play: ComparedPlay
    row: dict[str, Any]
    """As a judge's word is kept."""


@dataclass(frozen=True, slots=True)
class _Voted:
    cell: Stored
    repeat: int
    text: str


def page_votes(source: Source, pairs: Sequence[Matchup[Stored]]) -> list[PageVote]:
    """Of plays of two cells that the experiment compares, on its long questions; equal texts say nothing."""
    votes = votes_of(source.connection)
    known = {case.question.wording: digest for digest, case in source.cases.items() if case.question.is_long}
    if not votes or not known:
        return []
    cells = {pair.side["id"]: pair.side for pair in pairs} | {pair.opponent["id"]: pair.opponent for pair in pairs}
    asked_of = sorted({vote.question for vote in votes})
    alike = {_whose(cell): cell for cell in cells.values()}
    served = {
        cell["id"]: alike[_whose(cell)]
        for cell in map(stored_cell, cells_on(source.connection, asked_of))
        if _whose(cell) in alike
    }
    answered: dict[str, _Voted] = {}
    for row in answers_on(source.connection, list(served), asked_of):
        if row["answer"] is not None:
            found = _Voted(served[row["cell"]], row["repeat"], row["answer"])
            answered[episode_name(row["question"], row["repeat"])] = found
    asked = _asked_as(source, known, {vote.question for vote in votes})
    matched = {(pair.side["id"], pair.opponent["id"]): pair for pair in pairs}
    found_votes = (_vote(vote, answered, matched, asked.get(vote.question)) for vote in votes)
    return [vote for vote in found_votes if vote is not None]


def _whose(cell: Stored) -> tuple[str | bytes, str | None]:
    """Who is served is who was measured, whatever it was told of the questions there: two teams of one file stay two."""
    return identity_of(cell), cell["team"]


def _asked_as(source: Source, known: dict[str, str], questions: set[str]) -> dict[str, str]:
    """By a question that was voted on: which of the experiment's it is."""
    own = {digest: digest for digest in questions if digest in source.cases and source.cases[digest].question.is_long}
    asked = questions_stored(source.connection, sorted(questions - own.keys()))
    return own | {digest: known[each.wording] for digest, each in asked.items() if each.wording in known}


def _vote(
    vote: PersonsVote,
    answered: dict[str, _Voted],
    matched: dict[tuple[str, str], Matchup[Stored]],
    question: str | None,
) -> PageVote | None:
    first, second = answered.get(vote.first), answered.get(vote.second)
    if question is None or first is None or second is None:
        return None
    for side, other in ((first, second), (second, first)):
        pair = matched.get((side.cell["id"], other.cell["id"]))
        play = None if pair is None else ComparedPlay(pair, side.repeat, side.text, other.text)
        if play is not None and play.settled is None:
            texts = {"first": text_digest(first.text), "second": text_digest(second.text)}
            said = {"preferred": vote.preferred, "said_at": vote.said_at, "judge": vote.judge}
            return PageVote(question, play, {"question": question, **texts, **said, "judge_name": vote.judge})
    return None
