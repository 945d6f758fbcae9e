"""Protocols beside one model alone, and family beside family, as sections."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from moot.measures.columns import (
    Figures,
    abstained_words,
    cohort_column,
    count,
    paired_columns,
    paired_words,
    ungraded_columns,
    with_bounds,
    with_team,
)
from moot.measures.numbers import rounded
from moot.measures.section import Chart, Column, Section

Rows = Sequence[Mapping[str, Any]]
DRAWN = 60
"""Dots in one chart that can still be told apart."""


def baseline_sections(figures: Figures) -> Iterator[Section]:
    """Over all questions, then on each set of them where there are several: each table is a family of its own."""
    for make, key in ((_baselines, "protocol_baselines"), (_families, "protocol_families")):
        rows = [{**with_bounds(row), "name": _title(row)} for row in figures.get(key, ())]
        yield make(figures, [row for row in rows if row["whole"]], "", "")
        yield make(figures, [row for row in rows if not row["whole"]], "-by-set", ", set by set")
    yield _left_out(figures)


def _baselines(figures: Figures, rows: Rows, part: str, where: str) -> Section:
    shown = [_with_players(row) for row in rows]
    words = (
        "Each protocol less the mean of its own seats alone, on the same questions: each the player who sits there"
        " where that has played alone so, else others of the same model.",
        *paired_words(rows),
        *abstained_words(rows, "name", "against"),
    )
    columns = with_team(
        figures,
        shown,
        *_set_column(shown),
        Column("protocol", "protocol"),
        *([Column("with", "with")] if any(row["with"] for row in shown) else []),
        *cohort_column(shown),
        Column("against", "against"),
        *paired_columns(),
        *ungraded_columns(shown),
        Column("players", "alone"),
    )
    chart = Chart("dots", "difference", "name", label="name", series="who") if len(shown) <= DRAWN else None
    title = f"Each protocol against a single model{where}"
    return Section(f"protocol-baselines{part}", title, words, columns, shown, chart)


def _with_players(row: Mapping[str, Any]) -> dict[str, Any]:
    players = ", ".join(row["players"])
    return {**row, "players": players, "who": f"{row['against']}: {players}"}


def _left_out(figures: Figures) -> Section:
    """No difference stands here: that of a table from some of its models would be taken for one from all of them."""
    rows = [
        {**_with_players(row), "missing": ", ".join(row["missing"]), "of": f"{row['models']} of {row['of_models']}"}
        for row in figures.get("protocol_baselines_left_out", ())
    ]
    words = (
        "Not everybody at the table has answered alone in this way: the mean of the others is none of the table's, so that"
        " nothing is held against it."
        if any(row["missing"] for row in rows)
        else "No question has been answered by all of them."
    )
    columns = with_team(
        figures,
        rows,
        Column("protocol", "protocol"),
        *([Column("with", "with")] if any(row["with"] for row in rows) else []),
        *cohort_column(rows),
        Column("against", "not against"),
        Column("of", "models"),
        Column("players", "alone"),
        *([Column("missing", "not alone so")] if any(row["missing"] for row in rows) else []),
    )
    return Section("protocol-baselines-left-out", "Models alone that are no baseline", (words,), columns, rows)


def _families(figures: Figures, rows: Rows, part: str, where: str) -> Section:
    shown = [{**row, **{key: ", ".join(row[key]) for key in ("of_protocols", "against_protocols")}} for row in rows]
    words = (
        "A question counts by its mean over the protocols of a family, which differ in nothing else.",
        *paired_words(rows),
        *abstained_words(rows, "of", "against"),
    )
    columns = with_team(
        figures,
        shown,
        *_set_column(shown),
        Column("of", "this"),
        Column("against", "against"),
        *([Column("with", "with")] if any(row["with"] for row in shown) else []),
        *cohort_column(shown),
        *paired_columns(),
        *ungraded_columns(shown),
        Column("of_protocols", "this is"),
        Column("against_protocols", "against is"),
    )
    chart = Chart("dots", "difference", "name", label="name") if len(shown) <= DRAWN else None
    title = f"Voting and consensus against each other{where}"
    return Section(f"protocol-families{part}", title, words, columns, shown, chart)


def _set_column(rows: Rows) -> list[Column]:
    return [Column("dataset", "set")] if any(not row["whole"] for row in rows) else []


def _title(row: Mapping[str, Any]) -> str:
    who = row.get("protocol") or f"{row['of']} against {row['against']}"
    parts = [who, row.get("with"), row.get("cohort"), None if row["whole"] else row["dataset"]]
    return ", ".join(str(part) for part in parts if part)


def mean_turns(row: Mapping[str, Any]) -> str:
    """A family's mean turns in words."""
    about = ", ".join(filter(None, (count(len(row["protocols"]), "protocol"), row["with"], row["cohort"])))
    interval = "" if row["low"] is None else f" ({rounded(row['low'], 2)}–{rounded(row['high'], 2)})"
    return f"{row['family'].capitalize()} ({about}): {rounded(row['rounds'], 2)} turns{interval} on average."
