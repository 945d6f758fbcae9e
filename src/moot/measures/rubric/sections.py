"""Points as sections: by criterion, and what is to be known of those who gave them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from moot.measures.columns import Figures, cohort_column, figure, names_teams, titled, unknown_words, who, with_team
from moot.measures.numbers import plain, rounded, signed
from moot.measures.points_words import NOT_OF_POINTS
from moot.measures.section import Chart, Column, Section
from moot.stats.counted_words import count


def rubric_sections(figures: Figures) -> Iterator[Section]:
    if not (rubric := figures.get("rubric")):
        return
    yield _criteria(figures, rubric)
    yield _agreement(rubric)
    yield _own(rubric)


def _criteria(figures: Figures, rubric: Mapping[str, Any]) -> Section:
    several = names_teams(figures)
    rows = [{**row, "who": who(row), "name": titled(row, team=several)} for row in rubric["criteria"]]
    columns = with_team(
        figures,
        rows,
        Column("label", "strategy"),
        *cohort_column(rows),
        Column("who", "who"),
        Column("criterion", "criterion"),
        Column("points", "points"),
        figure("value", "share of these"),
        Column("n", "questions"),
    )
    words = (
        "What share of each criterion's points the answers got, on the mean over questions; who gave no answer got none.",
        f"Judged by {', '.join(rubric['judges']) or 'nobody'}.",
        *agreement_words(rubric),
        length_words(rubric["length"]),
        *own_words(rubric),
        NOT_OF_POINTS,
        *unknown_words(rows),
    )
    chart = Chart("bars", "criterion", "value", label="criterion", series="name")
    return Section("rubric", "Points by criterion", words, columns, rows, chart, place=6)


def _agreement(rubric: Mapping[str, Any]) -> Section:
    rows = [{**row, "judges": " and ".join(row["judges"])} for row in rubric["agreement"]]
    columns = (
        Column("judges", "judges"),
        figure("apart", "apart", "share", "apart_low", "apart_high"),
        figure("difference", "first less second", "points", "difference_low", "difference_high"),
        figure("correlation", "correlation", "number", "correlation_low", "correlation_high"),
        Column("answers", "answers"),
        Column("questions", "questions"),
    )
    words = (
        "Apart: how far two judges' shares of points for one text are from each other, on the mean, in percentage points.",
    )
    return Section("rubric-judges", "How far the judges of texts agree", words, columns, rows, place=921)


def _own(rubric: Mapping[str, Any]) -> Section:
    rows = [{**row, "players": ", ".join(row["players"])} for row in rubric.get("self_preference", ())]
    columns = (
        Column("judge", "judge"),
        Column("players", "plays as"),
        figure("value", "favours itself by", "points"),
        Column("n", "questions"),
    )
    words = (
        "Of judges that play: what one gives its own answers beyond what the other judges give them, less the same of the"
        " answers of others, in percentage points.",
        *unknown_words(rows),
    )
    return Section("rubric-own", "Judges that play", words, columns, rows, place=922)


def agreement_words(rubric: Mapping[str, Any]) -> Iterator[str]:
    """``jim and joe are 6.2 percentage points apart on the mean of 155 answers (correlation 0.85).``"""
    for row in rubric["agreement"]:
        named = " and ".join(row["judges"])
        if row["apart"] is None:
            yield f"How far {named} agree is not known: {row['why']}."
            continue
        told = f"{named} are {plain(row['apart'])} percentage points apart on the mean of {count(row['answers'], 'answer')}"
        ranked = "" if row["correlation"] is None else f" (correlation {rounded(row['correlation'], 2)})"
        yield f"{told}{ranked}."


def length_words(length: Mapping[str, Any]) -> str:
    """Whether longer answers get more points: it may be merit, or the judges' taste."""
    value, low, high = (length[key] for key in ("correlation", "low", "high"))
    if value is None:
        return f"Whether longer answers get more points is not known: {length['why']}."
    told = f"correlation of points and length {rounded(value, 2)}"
    if low is None:
        return f"Of the answers to one question the {told}; there are too few questions for an interval."
    told += f", {rounded(low, 2)} to {rounded(high, 2)}"
    if low <= 0 <= high:
        return f"That longer answers to one question get more points, or fewer, cannot be told ({told})."
    more = "more" if value > 0 else "fewer"
    return f"Longer answers to the same question get {more} points ({told}), on merit or because judges like length."


def own_words(rubric: Mapping[str, Any]) -> Iterator[str]:
    for row in rubric.get("self_preference", ()):
        plays = f"{row['judge']} judges and plays (as {', '.join(row['players'])})"
        if row["value"] is None:
            yield f"{plays}: whether it favours itself is not known, since {row['why']}."
            continue
        ends = "" if row["low"] is None else f" ({signed(row['low'])} to {signed(row['high'])})"
        told = f"{signed(row['value'])} percentage points{ends}"
        yield f"{plays}: compared with the other judges, it gives its own answers {told} more than it gives those of others."
