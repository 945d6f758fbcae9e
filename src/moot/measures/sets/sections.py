"""Sets of questions as a table: a row for each cell, a column for each set, each group, and the mean."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from moot.measures.columns import Figures, Row, cohort_column, figure, unknown_words, who, with_team
from moot.measures.section import Column, Section

_WHOSE = ("label", "team", "cohort", "captain", "player")


def set_sections(figures: Figures) -> Iterator[Section]:
    if not (means := figures.get("mean_over_sets")):
        return
    rows = {_cell(row): {**{key: row.get(key) for key in _WHOSE}, "who": who(row)} for row in means}
    columns: dict[str, Column] = {}
    uneven = {name for name, sizes in _sizes(figures).items() if len(sizes) > 1}
    parts = (
        *((row, f"set {row['question_set']}", row["question_set"]) for row in figures["question_sets"]),
        *((row, f"group {row['group']}", f"{row['group']}, mean") for row in figures["set_groups"] if row["n"] != 1),
        *((row, "mean", "mean over sets") for row in means),
    )
    for row, key, title in parts:
        rows[_cell(row)] |= _figure(row, key)
        columns.setdefault(key, figure(key, title, low=f"{key} low", high=f"{key} high"))
        if row.get("question_set") in uneven:
            columns.setdefault(f"{key} n", Column(f"{key} n", "n"))
    listed = list(rows.values())
    named = with_team(figures, listed, Column("label", "strategy"), *cohort_column(listed), Column("who", "who"))
    yield Section("sets", "By set of questions", _words(figures), (*named, *columns.values()), listed, place=10)


def _cell(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row.get(key) for key in _WHOSE)


def _figure(row: Mapping[str, Any], key: str) -> Row:
    return {key: row["value"], f"{key} low": row["low"], f"{key} high": row["high"], f"{key} n": row["n"]}


def _sizes(figures: Figures) -> dict[str, set[int]]:
    """By set: how many of its questions are graded, which need not be as many in every row."""
    sizes: dict[str, set[int]] = {}
    for row in figures["question_sets"]:
        sizes.setdefault(row["question_set"], set()).add(row["n"])
    return sizes


def _range(sizes: Collection[int]) -> str:
    least, most = min(sizes), max(sizes)
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


def _words(figures: Figures) -> tuple[str, ...]:
    sizes = _sizes(figures)
    listed = ", ".join(f"{name} {_range(several)}" for name, several in sizes.items())
    uneven = "; n says how many are a row's own" if any(len(several) > 1 for several in sizes.values()) else ""
    words = [
        f"Graded questions: {listed}{uneven}.",
        "In a mean every set counts alike, however many questions it has. Its interval says what the questions of the"
        " sets leave open, and nothing about other sets.",
    ]
    if any("bounds" in row for row in figures["question_sets"]):
        words.append("Over what is graded; what is not, is neither right nor wrong.")
    words += unknown_words([*figures["question_sets"], *figures["mean_over_sets"]])
    return tuple(words)
