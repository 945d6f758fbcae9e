"""Cascades and voices as sections."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from moot.measures.columns import (
    Figures,
    Row,
    abstained_words,
    at_table,
    cohort_column,
    figure,
    graded_words,
    names_teams,
    paired_words,
    share_bounds,
    titled,
    ungraded_columns,
    whole_plays_words,
    with_bounds,
    with_team,
)
from moot.measures.section import Column, Section

CASCADES = (
    "Players asked one after another, until the rest could not change the answer (decided), or until it was as sure as was "
    "asked for (sure). Calls: all that a question took, grouping answers and a last stage too; of: one draft a player."
)
BESIDE = (
    "Beside what asks everybody, and beside its own last stage played on every question, on the same questions from the same "
    "drafts: what was saved, and what it cost."
)
VOICES = (
    "What each player's voice counts beside the middle one of those who have any, by the rule that decided most often; what is "
    "learnt is learnt on other questions, and may differ a little from one to the next."
)


def decided_sections(figures: Figures) -> Iterator[Section]:
    yield from _cascades(figures)
    if voices := figures.get("voices", ()):
        rows = [{**row, "who": at_table(row), "in": f"{row['plays']} of {row['of']}"} for row in voices]
        columns = (
            Column("label", "strategy"),
            Column("who", "who"),
            *cohort_column(rows),
            Column("kept", "rule"),
            Column("in", "plays"),
            Column("words", "whose voice counts"),
        )
        odd = dict.fromkeys(f"Note: {note}." for row in voices for note in row.get("odd", ()))
        odd |= dict.fromkeys(f"Note: {row['why']}." for row in voices if row.get("why"))
        yield Section("voices", "Whose voice counts", (VOICES, *odd), with_team(figures, rows, *columns), rows)


def _orders(rows: Sequence[Row]) -> Iterator[str]:
    """Why they ask in the order that they do, each reason once."""
    asking = dict.fromkeys((row["label"], how) for row in rows for how in row.get("order", ()))
    if asking:
        yield f"Asked: {'; '.join(f'by {label} {how}' for label, how in asking)}."


def _cascades(figures: Figures) -> Iterator[Section]:
    every = figures.get("cascade", ())
    if not every:
        return
    rows = [
        {**with_bounds(row), "who": at_table(row), "why_stopped": _stopped(row), "played_on": _last(row)}
        for row in every
    ]
    named = (Column("label", "strategy"), Column("who", "who"), *cohort_column(rows))
    last = (Column("played_on", "last stage"),) if any(row.get("then") for row in every) else ()
    columns = (
        *named,
        Column("calls_per_question", "calls a question", "calls"),
        Column("of", "of"),
        Column("usd_per_question", "for 1,000", "usd-per-question"),
        figure("accuracy", "right"),
        *share_bounds(every),
        Column("why_stopped", "stopped"),
        *last,
        Column("n", "questions"),
    )
    several = names_teams(figures)

    def of(row: Mapping[str, Any]) -> str:
        return titled(row, team=several)

    words = (CASCADES, *_orders(every), *whole_plays_words(every, "Calls", of), *graded_words(every))
    yield Section("cascade", "Cascades: how few it takes", words, with_team(figures, rows, *columns), rows)
    if beside := figures.get("cascade_beside", ()):
        shown = [{**with_bounds(row), "who": at_table(row)} for row in beside]
        compared = (
            *named,
            Column("against", "beside"),
            Column("calls_per_question", "calls", "calls"),
            Column("calls_against", "its calls", "calls"),
            Column("usd_per_question", "for 1,000", "usd-per-question"),
            Column("usd_against", "its for 1,000", "usd-per-question"),
            figure("difference", "difference", "points", "low_holm", "high_holm"),
            *ungraded_columns(beside),
            Column("n", "questions"),
        )
        whole = whole_plays_words(beside, "Calls", lambda row: f"{of(row)} beside {row['against']}")
        told = (BESIDE, *whole, *paired_words(beside), *abstained_words(beside, "label", "against"))
        columns = with_team(figures, shown, *compared)
        yield Section("cascade-beside", "Cascades beside what asks everybody", told, columns, shown)


def _stopped(row: Row) -> str:
    told = {"decided": "decided", "sure": "sure", "everybody": "all asked"}
    return ", ".join(f"{row['stopped'][how]} {words}" for how, words in told.items() if row["stopped"][how])


def _last(row: Row) -> str:
    return ", ".join(f"{name} on {plays}" for name, plays in row.get("then", {}).items())
