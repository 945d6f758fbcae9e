"""`moot plan`: how many questions it takes to see a gain."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from moot.cli.console import Console
from moot.cli.safe_text import print_json
from moot.errors import UsageError
from moot.measures.section import Column, Section
from moot.report.section_terminal import section_parts
from moot.stats.power import independent_discordance, most_discordance, needed

USUAL = (0.05, 0.1, 0.2, 0.3, 0.4)
"""Shares of questions on which two strategies over the same drafts may differ."""
FAMILIES = {
    "gains": "gains over captains alone",
    "comparisons": "strategies against each other",
    "hypotheses": "hypotheses declared beforehand",
}
"""What is corrected for together, in words."""


@dataclass(frozen=True, slots=True)
class Planned:
    """What is expected, and what is asked for."""

    accuracy: float
    gain: float
    discordance: float | None
    power: float
    alpha: float
    comparisons: int = 1
    """How many the report will correct for."""

    def questions(self, share: float) -> int | None:
        return needed(self.accuracy, self.gain, share, self.power, self.alpha, self.comparisons)


def plan_command(planned: Planned, *, file: Path | None, comparisons: int | None, as_json: bool) -> int:
    family, of = comparisons or 1, None
    if file is not None:
        family, of = _family(file, comparisons)
    row = {**figures_of(replace(planned, comparisons=family)), "family": of}
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


def _family(path: Path, comparisons: int | None) -> tuple[int, str | None]:
    """The largest family that the report of this file corrects for, and which it is."""
    from moot.experiment.build import build
    from moot.experiment.spec import read_experiment
    from moot.measures.families import family_sizes

    if comparisons is not None:
        raise UsageError("--comparisons: the file says how many there are; expected one of the two")
    file = read_experiment(path)
    sizes = family_sizes(build(file, asked=False), len(file.spec.hypotheses))
    of = max(sizes, key=lambda name: sizes[name])
    return max(1, sizes[of]), of


def figures_of(planned: Planned) -> dict[str, Any]:
    """The questions needed; without a discordance, under an assumption that is said, and for some others."""
    accuracy, gain = planned.accuracy, planned.gain
    assumed = planned.discordance is None
    # Too little for the gain is refused below, by `needed`, in its own words.
    share = planned.discordance
    if share is None:
        share = max(independent_discordance(accuracy, gain), abs(gain))
    questions = planned.questions(share)
    table = []
    if assumed:
        highest = most_discordance(accuracy, gain)
        shares = [usual_share for usual_share in USUAL if abs(gain) <= usual_share <= highest]
        table = [{"discordance": usual_share, "questions": planned.questions(usual_share)} for usual_share in shares]
    return {
        "accuracy": accuracy,
        "gain": gain,
        "discordance": share,
        "assumed": assumed,
        "power": planned.power,
        "alpha": planned.alpha,
        "comparisons": planned.comparisons,
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
    if row["comparisons"] > 1:
        where = f", as the report of the file has them ({FAMILIES[row['family']]})" if row["family"] else ""
        sentences.append(f"Corrected (Holm) for {row['comparisons']:,} comparisons printed together{where}.")
    if row["assumed"]:
        sentences.append(
            f"The {share} are an assumption: that the two know nothing of each other. Strategies over the same drafts"
            " differ less and need fewer; a trial run tells (moot compare)."
        )
    return sentences
