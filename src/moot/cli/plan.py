"""`moot plan`: how many questions it takes to see a gain."""

from __future__ import annotations

from typing import Any

from moot.cli.console import Console
from moot.cli.safe_text import print_json
from moot.measures.section import Column, Section
from moot.report.section_terminal import section_parts
from moot.stats.power import independent_discordance, most_discordance, needed

USUAL = (0.05, 0.1, 0.2, 0.3, 0.4)
"""Shares of questions on which two strategies over the same drafts may differ."""


def plan_command(
    *, accuracy: float, gain: float, discordance: float | None, power: float, alpha: float, as_json: bool
) -> int:
    row = planned(accuracy, gain, discordance, power, alpha)
    if as_json:
        print_json(row)
        return 0
    console = Console()
    for sentence in _words(row):
        console.print(sentence, markup=False, highlight=False)
    if row["table"]:
        columns = (Column("discordance", "differ on", "share"), Column("questions", "questions"))
        section = Section("plan", "By the share of questions on which the two differ", (), columns, row["table"])
        for part in section_parts(section):
            console.print(part)
    return 0


def planned(accuracy: float, gain: float, discordance: float | None, power: float, alpha: float) -> dict[str, Any]:
    """The questions needed; without a discordance, under an assumption that is said, and for some others."""
    assumed = discordance is None
    # Too little for the gain is refused below, by `needed`, in its own words.
    share = max(independent_discordance(accuracy, gain), abs(gain)) if discordance is None else discordance
    questions = needed(accuracy, gain, share, power, alpha)
    table = []
    if assumed:
        highest = most_discordance(accuracy, gain)
        shares = [usual_share for usual_share in USUAL if abs(gain) <= usual_share <= highest]
        table = [
            {"discordance": usual_share, "questions": needed(accuracy, gain, usual_share, power, alpha)}
            for usual_share in shares
        ]
    return {
        "accuracy": accuracy,
        "gain": gain,
        "discordance": share,
        "assumed": assumed,
        "power": power,
        "alpha": alpha,
        "questions": questions,
        "table": table,
    }


def _words(row: dict[str, Any]) -> list[str]:
    better = f"{100 * row['accuracy']:.1f} % to {100 * (row['accuracy'] + row['gain']):.1f} %"
    frequency = f"in {100 * row['power']:.0f} of 100 runs (exact McNemar, two-sided, {100 * row['alpha']:g} %)"
    many = "more than 2,000,000" if row["questions"] is None else f"{row['questions']:,}"
    share = f"{100 * row['discordance']:.1f} %"
    sentences = [
        f"From {better}, with answers that differ on {share} of the questions: {many} questions show it {frequency}."
    ]
    if row["assumed"]:
        sentences.append(
            f"The {share} are an assumption: that the two know nothing of each other. Strategies over the same drafts"
            " differ less and need fewer; a trial run tells (moot compare)."
        )
    return sentences
