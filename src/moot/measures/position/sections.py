"""Position bias as sections: who decides where, captain by captain, and place by place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from moot.measures.columns import Figures, Row, figure, holm_words, with_team
from moot.measures.section import Chart, Column, InTerminal, Section
from moot.stats.paired import FEW_QUESTIONS

SMALL = f"Small: fewer than {FEW_QUESTIONS} questions or clusters."
_APART = {
    "alike": "all alike",
    "new": "said something new",
    "unknown": "not known",
    "no_answer": "no answer",
    "not_shown": "shown nothing",
    "not_drawn": "order not drawn",
    "spoilt": "spoilt",
    "empty": "favour nobody",
}
"""Why a look is no decision between places, in the order in which it is told."""


def position_sections(figures: Figures) -> Iterator[Section]:
    every = figures.get("position_bias", ())
    if not every:
        return
    whole = [row for row in every if row["places"] or not _several(row, every)]
    single = [row for row in every if row not in whole]
    yield _bias(figures, "position-bias", "Position bias", whole, every, "own")
    yield _bias(figures, "position-deciders", "Position bias, captain by captain", single, every, "table")
    yield _places(figures, whole)


def _several(row: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether it is one of several who decided in the same strategy: then a row over all of them stands before it."""
    if _decider(row) is None:
        return False
    named = ("label", "team", "cohort", "by")
    return any(_decider(other) is None and all(other.get(k) == row.get(k) for k in named) for other in rows)


def _decider(row: Mapping[str, Any]) -> str | None:
    """A player, or somebody who does not play, under the name of what it was asked as; None: all who decided."""
    return row.get("captain") or row.get(row["by"])


def _bias(
    figures: Figures,
    ident: str,
    title: str,
    rows: Sequence[Mapping[str, Any]],
    every: Sequence[Mapping[str, Any]],
    terminal: InTerminal,
) -> Section:
    end_rows = [_ended(row, place) for row in rows for place in ("first", "last")]
    apart = [key for key in _APART if any(row["apart"].get(key) for row in rows)]
    columns = with_team(
        figures,
        end_rows,
        Column("name", "of"),
        Column("by", "decides"),
        Column("place", "place"),
        Column("chosen", "chosen", "share"),
        Column("chance", "by chance", "share"),
        figure("difference", "difference", "points", "low_holm", "high_holm"),
        Column("p_holm", "p", "p"),
        Column("decisions", "decisions"),
        Column("n", "questions"),
        Column("apart", "apart"),
    )
    chart = Chart("dots", "difference", "name", label="name", series="place")
    return Section(ident, title, tuple(_words(rows, every, apart)), columns, end_rows, chart, terminal=terminal)


def _ended(row: Mapping[str, Any], place: str) -> Row:
    """One end of the order, as a row of its own."""
    return {
        **{key: row.get(key) for key in ("team", "cohort", "captain", "by")},
        "label": row.get("label"),
        "name": _name(row),
        "place": place,
        "chosen": row[place],
        "chance": row["chance"],
        "difference": row[f"{place}_difference"],
        **{key: row[f"{place}_{key}"] for key in ("low", "high", "low_holm", "high_holm", "p", "p_holm")},
        **{key: row[key] for key in ("decisions", "n", "small")},
        "apart": sum(row["apart"].values()),
        **{key: row["apart"].get(key, 0) for key in _APART},
    }


def _name(row: Mapping[str, Any]) -> str:
    """``talkative@ann``, ``talkative``; a discussion goes by its protocol."""
    if "protocol" in row:
        return ", ".join(str(part) for part in (row["protocol"], row.get("with"), row.get("cohort")) if part)
    who = _decider(row)
    named = f"{row['label']}@{who}" if who else str(row["label"])
    return f"{named}, {row['cohort']}" if row.get("cohort") else named


def _words(
    rows: Sequence[Mapping[str, Any]], every: Sequence[Mapping[str, Any]], apart: Sequence[str]
) -> Iterator[str]:
    paid = holm_words(every, "figure")
    yield (
        "How often the draft or option shown first, and the one shown last, is the one that was chosen; texts that say the"
        " same share the choice. Orders are drawn, so by chance it is one of as many as were shown, whoever favours whom."
    )
    yield f"p: from reshuffled orders with the choices kept{'; ' if paid else ''}{paid}."
    if apart:
        named = ", ".join(f"{_APART[key]} {sum(row['apart'].get(key, 0) for row in rows):,}" for key in apart)
        yield f"Counted apart, since no place can be told from them: {named}."
    if any(row["small"] for row in rows):
        yield SMALL


def _places(figures: Figures, rows: Sequence[Mapping[str, Any]]) -> Section:
    place_rows = [
        {"team": row.get("team"), "name": _name(row), "by": row["by"], **place}
        for row in rows
        for place in row["places"]
    ]
    columns = with_team(
        figures,
        place_rows,
        Column("name", "of"),
        Column("place", "place"),
        Column("chosen", "chosen", "share"),
        Column("chance", "by chance", "share"),
        figure("difference", "difference", "points"),
        Column("decisions", "decisions"),
        Column("n", "questions"),
    )
    words = ("Each place over the decisions that had so many to choose from; 0 is what chance gives.",)
    chart = Chart("lines", "place", "difference", series="name")
    return Section("position-places", "Position bias, place by place", words, columns, place_rows, chart)
