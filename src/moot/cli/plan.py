"""`moot plan`: how many questions it takes to see a gain."""

from __future__ import annotations

from collections.abc import Mapping
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
    sizes = _families(file, comparisons) if file is not None else {}
    of = _largest(sizes)
    row = {**figures_of(replace(planned, comparisons=max(1, sizes[of]) if of else comparisons or 1)), "family": of}
    row["families"] = [_planned_for(row, planned, name, size) for name, size in sizes.items() if size]
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
    if row["families"]:
        from moot.measures.planned_families import FAMILIES

        heads = (
            Column("of", "corrected for together"),
            Column("comparisons", "at most"),
            Column("questions", "questions"),
        )
        rows = [{**family, "of": FAMILIES[family["family"]]} for family in row["families"] if "questions" in family]
        for part in section_parts(Section("families", "By what the report corrects for", (), heads, rows)):
            console.print(part)
    return 0


def _planned_for(row: dict[str, Any], planned: Planned, name: str, size: int) -> dict[str, Any]:
    """With how many questions a difference of this family is seen; nothing of what is no difference between two."""
    from moot.measures.planned_families import NO_DIFFERENCES

    if name in NO_DIFFERENCES:
        return {"family": name, "comparisons": size}
    questions = replace(planned, comparisons=size).questions(row["discordance"])
    return {"family": name, "comparisons": size, "questions": questions}


def _largest(sizes: Mapping[str, int]) -> str | None:
    """Of those in which one way of answering is held against another."""
    from moot.measures.planned_families import OF_STRATEGIES

    return max(OF_STRATEGIES, key=lambda name: sizes[name]) if sizes else None


def _families(path: Path, comparisons: int | None) -> dict[str, int]:
    """All that the report of this file corrects for, and for how many."""
    from moot.experiment.build import build
    from moot.experiment.spec import read_experiment
    from moot.measures.planned_families import family_sizes

    if comparisons is not None:
        raise UsageError("--comparisons: the file says how many there are; expected one of the two")
    file = read_experiment(path)
    return family_sizes(build(file, asked=False), len(file.spec.hypotheses))


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
        from moot.measures.planned_families import FAMILIES

        where = f", as the report of the file has them ({FAMILIES[row['family']]})" if row["family"] else ""
        sentences.append(f"Corrected (Holm) for {row['comparisons']:,} comparisons printed together{where}.")
    if row["assumed"]:
        sentences.append(
            f"The {share} are an assumption: that the two know nothing of each other. Strategies over the same drafts"
            " differ less and need fewer; a trial run tells (moot compare)."
        )
    return sentences
