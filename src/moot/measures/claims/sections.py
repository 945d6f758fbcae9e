"""What the run as a whole may claim, as sections."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from moot.measures.claims.taken_out import taken_out_words
from moot.measures.claims.words import interim_words, since_words
from moot.measures.columns import Figures, count, figure, graded_words, share_bounds, with_bounds, with_team
from moot.measures.section import Chart, Column, Section, Unit


def _declared(row: Mapping[str, Any]) -> str:
    if row["frozen"]:
        return "in advance, references changed since" if row.get("keys_changed") else "in advance"
    return "changed since" if row.get("earlier_versions") else "exploratory"


def hypotheses_section(figures: Figures) -> Iterator[Section]:
    rows = [{**row, "declared": _declared(row)} for row in figures.get("hypotheses", ())]
    columns = (
        Column("hypothesis", "hypothesis"),
        Column("declared", "declared"),
        Column("verdict", "verdict"),
        figure("value", "value", "number", "low_holm", "high_holm"),
        Column("p_holm", "p", "p"),
        Column("n", "questions"),
        Column("note", "note"),
    )
    family = max((row["family"] for row in rows if row["frozen"]), default=0)
    frozen = (
        f"Intervals and p are adjusted (Holm) for the {count(family, 'hypothesis', 'hypotheses')} declared before the first"
        " call; exploratory ones are a family of their own."
    )
    explored = "Intervals and p are adjusted (Holm) for all of these: none was declared before the first call."
    words: tuple[str, ...] = (
        "Confirmed or refuted: the whole adjusted interval lies on one side of what the hypothesis says.",
        f"{frozen if family else explored} A single share has a wider interval here than in its own table, since verdicts go"
        " by it.",
    )
    if any(row.get("ungraded") or row.get("bounds") for row in rows):
        words += ("With ungraded answers the bounds over all questions must lie on that side as well.",)
    if any(row.get("earlier_versions") for row in rows):
        words += (
            "Changed since: what it names was played, and then had another model, prompt or option under the same words. It"
            " is exploratory, and its family counts the earlier versions too.",
        )
    if out := next((row["taken_out"] for row in rows if row.get("taken_out")), None):
        words += (f"{taken_out_words(out)}: none of these hypotheses was declared before that choice.",)
    words += tuple(since_words(rows[0])) if rows else ()
    if interim := next((row["interim"] for row in rows if row.get("interim")), None):
        words += (interim_words(interim),)
    noted = columns if any(row["note"] for row in rows) else columns[:-1]
    yield Section("hypotheses", "Hypotheses", words, noted, rows, place=200, terminal="own")


def frontier_section(figures: Figures) -> Iterator[Section]:
    rows = [{**with_bounds(row), "frontier": row["on_frontier"]} for row in figures.get("frontier", ())]
    if not rows:
        return
    unit: Unit = rows[0]["unit"]
    unit_name = "dollars for 1,000 questions" if unit == "usd" else "calls a question"
    words: tuple[str, ...] = (
        f"Cost is in {unit_name}; options within a tenth of each other count as equal in cost unless they clearly differ. On"
        " the frontier: no other option is both cheaper and better. This is picked afterwards, so the next column says in how"
        " many parts of the questions the option is on the frontier computed from the other parts.",
        "Within this cost: the best of the options that cost no more; its interval allows for the choice. Beaten by: one of"
        " them that is better, allowing for the choice; empty means that it cannot be told apart from the best of them.",
        *graded_words(rows),
    )
    if any(row.get("bounds") for row in rows):
        words += ("'On the frontier' and 'within this cost' go by the lower bound of each option.",)
    columns = (
        Column("of", "who"),
        Column("cost", "$ per 1,000", "usd-per-question")
        if unit == "usd"
        else Column("cost", "calls a question", unit),
        figure("accuracy", "right"),
        *share_bounds(rows),
        Column("on_frontier", "on the frontier"),
        Column("folds", "in parts"),
        figure("within", "within this cost", "share", "within_low", "within_high"),
        Column("beaten_by", "beaten by"),
    )
    chart = Chart("scatter", "cost", "accuracy", label="of", series="label")
    if on := rows[0].get("ranked_on"):
        words += (f"All of this covers the {count(on, 'question')} that all of them have.",)
    reasons = dict.fromkeys(row["why"] for row in figures.get("frontier_left_out", ()))
    for why in reasons:
        named = ", ".join(row["of"] for row in figures["frontier_left_out"] if row["why"] == why)
        words += (f"Left out, since {why}: {named}.",)
    yield Section("frontier", "Accuracy and cost", words, columns, rows, chart, place=210)


def power_section(figures: Figures) -> Iterator[Section]:
    rows = figures.get("power", [])
    words = (
        "The smallest difference that this many questions, with this many discordant pairs, would show in 80 of 100 runs,"
        " corrected in full for the number of comparisons. Options that are alike need less correction, so a smaller"
        " difference may show. None: not even if all discordant pairs went one way.",
    )
    columns = with_team(
        figures,
        rows,
        Column("a", "this"),
        Column("b", "against"),
        Column("n", "questions"),
        Column("discordance", "differ on", "share"),
        Column("family", "corrected for"),
        Column("detectable", "could show", "points"),
    )
    yield Section("power", "What the run could have shown", words, columns, rows, place=910)
