"""How far an answer can be trusted, as sections: a row a strategy, what was said beside what came of it, and the surest."""

from __future__ import annotations

from collections.abc import Iterator

from moot.measures.columns import (
    Figures,
    Row,
    at_table,
    cohort_column,
    count,
    figure,
    names_teams,
    titled,
    unknown_words,
    with_team,
)
from moot.measures.section import Chart, Column, Section
from moot.strategies.option_values import ABSTAIN

AT = 0.8
"""The coverage that the table shows: four of five questions answered."""
WHAT = (
    "Each answer has a probability of being right, learnt on other questions from who agrees with whom and what the strategy "
    "makes of it, or where nobody drafts alone from how the talk ended. "
    "Calibration error: how far what was said is from what came of it, over ten bins; so large it would be by "
    "chance alone, were every probability true, stands beside it."
)

DECIDED_BEFORE = (
    "Whoever abstains decided by other probabilities than these, which stand in the record of each question: they were told "
    "during the run from a part of it, and these afterwards, of the answers given, by all other questions."
)
BRIER = (
    "The mean square of the distance between what was said of an answer and what came of it (1 or 0): 0 is the best, 0.25 "
    "has who always says one half. It is low where probabilities are true and tell answers apart."
)


def trust_sections(figures: Figures) -> Iterator[Section]:
    every = figures.get("probability", ())
    if not every:
        return
    rows = [_row(row) for row in every]
    words = [WHAT, *unknown_words(every, "ece")]
    if any(row.get("small") for row in every):
        words.append("Fewer than 100 questions: these probabilities are rough, and so is what is said of them here.")
    if without := sum(row.get("without_answer", 0) for row in every):
        words.append(f"{count(without, 'play')} without an answer {'is' if without == 1 else 'are'} no part of this.")
    if left_out := sum(row.get("left_out", 0) for row in every):
        are, they = ("is", "it is") if left_out == 1 else ("are", "they are")
        words.append(f"{count(left_out, 'answer')} {are} left out: nobody knows whose draft {they}.")
    if any(f"{ABSTAIN}=" in row["label"] for row in every):
        words.append(DECIDED_BEFORE)
    named = (Column("label", "strategy"), Column("who", "who"), *cohort_column(rows))
    columns = (
        *named,
        Column("accuracy", "right", "share"),
        figure("at", "right in the surest 80 %", low="at_low", high="at_high"),
        figure("ece", "calibration error", low="ece_low", high="ece_high"),
        Column("ece_by_chance", "by chance", "share"),
        Column("n", "n"),
    )
    yield Section("trust", "How far can you trust an answer", tuple(words), with_team(figures, rows, *columns), rows)
    if any(row["brier"] is not None for row in rows):
        scores = (*named, figure("brier", "Brier score", "number", "brier_low", "brier_high"), Column("n", "questions"))
        yield Section("brier", "Brier scores", (BRIER,), with_team(figures, rows, *scores), rows)
    teams = names_teams(figures, every)
    bins = [{"name": titled(row, team=teams), **each} for row in every for each in row["bins"]]
    if bins:
        told = (
            Column("name", "strategy"),
            Column("said", "said", "share"),
            Column("right", "came true", "share"),
            Column("n", "answers"),
        )
        words_of_bins = (
            "What was said beside what came of it, in tenths of what was said: where the two are equal, which is the dashed "
            "line of the drawing, every probability is true. Where few answers are in a tenth, which is a small mark, chance "
            "alone moves it far off.",
        )
        chart = Chart("lines", "said", "right", series="name", weight="n", equal=True)
        yield Section("reliability", "Said and come true", words_of_bins, told, bins, chart)
    curve = [{"name": titled(row, team=teams), **each} for row in every for each in row["coverage"]]
    if curve:
        shown = (
            Column("name", "strategy"),
            Column("coverage", "answered", "share"),
            figure("accuracy", "right"),
            Column("n", "questions"),
        )
        words_of_curve = (
            "How right the surest answers are, had the team abstained from all others: the surest of each of the five parts that "
            "probabilities are learnt for.",
        )
        chart = Chart("lines", "coverage", "accuracy", series="name")
        yield Section("surest", "Accuracy of the surest answers", words_of_curve, shown, curve, chart)


def _row(row: Row) -> Row:
    at: Row = next((each for each in row["coverage"] if each["coverage"] == AT), {})
    beside = {"at": at.get("accuracy"), "at_low": at.get("low"), "at_high": at.get("high")}
    return {**row, **beside, "who": at_table(row)}
