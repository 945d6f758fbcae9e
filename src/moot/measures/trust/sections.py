"""How far an answer can be trusted, as sections: a row a strategy, what was said beside what came of it, and the surest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

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
    "makes of that; where players do not draft alone, from how the discussion ended. "
    "Calibration error: the mean distance, over ten bins, between the predicted probability and the share that was right. "
    "'By chance' is how large it would be if every probability were exact."
)

DECIDED_BEFORE = (
    "Strategies that abstain decided by other probabilities than these, kept in the record of each question: those were "
    "estimated during the run from part of it; these were estimated afterwards, for the answers given, from all other questions."
)
BRIER = (
    "The mean squared difference between the predicted probability and the outcome (1 or 0): 0 is best, and always "
    "predicting one half scores 0.25. It is low when probabilities are accurate and separate right answers from wrong ones."
)


def trust_sections(figures: Figures) -> Iterator[Section]:
    every = figures.get("probability", ())
    if not every:
        return
    rows = [_row(row) for row in every]
    words = [WHAT, *unknown_words(every, "ece")]
    if any(row.get("small") for row in every):
        words.append("With fewer than 100 questions these probabilities are rough, and so are the figures about them.")
    if without := sum(row.get("without_answer", 0) for row in every):
        words.append(f"{count(without, 'play')} without an answer {'is' if without == 1 else 'are'} not counted here.")
    if left_out := sum(row.get("left_out", 0) for row in every):
        are, they = ("is", "it is") if left_out == 1 else ("are", "they are")
        words.append(f"{count(left_out, 'answer')} {are} left out: it is unknown whose draft {they}.")
    words += _untold_words(every)
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
    yield Section("trust", "How far can you trust an answer?", tuple(words), with_team(figures, rows, *columns), rows)
    if any(row["brier"] is not None for row in rows):
        scores = (*named, figure("brier", "Brier score", "number", "brier_low", "brier_high"), Column("n", "questions"))
        yield Section("brier", "Brier scores", (BRIER,), with_team(figures, rows, *scores), rows)
    teams = names_teams(figures, every)
    bins = [{"name": titled(row, team=teams), **each} for row in every for each in row["bins"]]
    if bins:
        told = (
            Column("name", "strategy"),
            Column("said", "predicted", "share"),
            Column("right", "right", "share"),
            Column("n", "answers"),
        )
        words_of_bins = (
            "Predicted probability against the share that was right, in ten bins of the prediction. On the dashed line the two "
            "are equal. A small mark stands for few answers, which chance alone can move far from the line.",
        )
        chart = Chart("lines", "said", "right", series="name", weight="n", equal=True)
        yield Section("reliability", "Predicted and observed", words_of_bins, told, bins, chart)
    curve = [{"name": titled(row, team=teams), **each} for row in every for each in row["coverage"]]
    if curve:
        shown = (
            Column("name", "strategy"),
            Column("coverage", "answered", "share"),
            figure("accuracy", "right"),
            Column("n", "questions"),
        )
        words_of_curve = (
            "The accuracy of the surest answers, had the team abstained from all others: the surest within each of the five "
            "parts for which probabilities are learnt.",
        )
        chart = Chart("lines", "coverage", "accuracy", series="name")
        yield Section("surest", "Accuracy of the surest answers", words_of_curve, shown, curve, chart)


def _untold_words(every: Iterable[Row]) -> Iterator[str]:
    """Of each kind of questions that too little is known of: what is said of the others says nothing of it."""
    left: dict[tuple[str, str], int] = {}
    for each in (each for row in every for each in row.get("untold", ())):
        left[each["kind"], each["why"]] = left.get((each["kind"], each["why"]), 0) + each["n"]
    for (kind, why), answers in left.items():
        are = "is" if answers == 1 else "are"
        yield f"{count(answers, 'answer')} to questions of kind {kind} {are} left out: {why}."


def _row(row: Row) -> Row:
    at: Row = next((each for each in row["coverage"] if each["coverage"] == AT), {})
    beside = {"at": at.get("accuracy"), "at_low": at.get("low"), "at_high": at.get("high")}
    return {**row, **beside, "who": at_table(row)}
