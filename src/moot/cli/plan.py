"""`moot plan`: how many questions it takes to see a gain."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from moot.cli.console import Console
from moot.cli.safe_text import print_json
from moot.errors import UsageError
from moot.measures.section import Column, Section
from moot.report.section_terminal import section_parts
from moot.stats.bounded_power import PlannedUnits, needed_units
from moot.stats.power import Design, independent_discordance, most_discordance

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
    units: PlannedUnits
    means: bool = False
    """Whether values are means over repeats."""
    comparisons: int = 1
    """How many the report will correct for."""
    players: int = 1
    """How many have to be beaten at once, each by the gain: each may fail to be in no more than its part of the runs."""
    beaten: str = ""
    """Who they are, in words."""

    def counted(self, share: float) -> dict[str, Any]:
        """How many questions it takes, in how many clusters: null beyond two million."""
        design = Design(self.accuracy, self.gain, share, scores=self.units.apart < 1)
        each = 1 - (1 - self.power) / self.players
        count = needed_units(design, self.units, each, self.alpha, self.comparisons)
        if max(self.units.sizes) == 1:
            return {"questions": count}
        questions = None if count is None else math.ceil(count * self.units.mean_size - 1e-9)
        return {"questions": questions, "clusters": count}


@dataclass(frozen=True, slots=True)
class PlannedFrom:
    """What is not about the gain: a file, or what stands in its place."""

    file: Path | None
    comparisons: int | None
    cluster_size: int | None


@dataclass(frozen=True, slots=True)
class _Families:
    """All that the report of a file corrects for, and for how many."""

    sizes: Mapping[str, int]
    players: int
    """That the headline has to beat."""
    beaten: str = ""

    def planned(self, planned: Planned, name: str) -> Planned:
        headline = name == "headline"
        return replace(
            planned,
            comparisons=self.sizes[name],
            players=self.players if headline else 1,
            beaten=self.beaten if headline else "",
        )


def expected(accuracy: float | None, gain: float | None, store: str | None) -> tuple[float, float]:
    """Accuracy and gain, which nobody else knows where there is no pilot."""
    if accuracy is None or gain is None:
        raise UsageError("expected --accuracy and --gain, or --from with an experiment that was played")
    if store is not None:
        raise UsageError("--store: where a pilot is read from; expected --from with it")
    return accuracy, gain


def plan_command(planned: Planned, told: PlannedFrom, *, as_json: bool) -> int:
    chosen, row = planned_row(planned, told)
    if as_json:
        print_json(row)
        return 0
    print_plan(row, planned_words(row, chosen))
    return 0


def planned_row(planned: Planned, told: PlannedFrom) -> tuple[Planned, dict[str, Any]]:
    """What is planned for, with what the report of a file corrects for, and the figures."""
    families = _Families({}, 0)
    if told.file is not None:
        planned, families = _of_file(planned, told.file, told)
    share = _share(planned)
    asked = {name: _planned_for(planned, share, families, name) for name, size in families.sizes.items() if size}
    of = _most(asked)
    chosen = families.planned(planned, of) if of else replace(planned, comparisons=told.comparisons or 1)
    return chosen, {**figures_of(chosen, share), "family": of, "families": list(asked.values())}


def print_plan(row: Mapping[str, Any], sentences: Sequence[str]) -> None:
    console = Console()
    for sentence in sentences:
        console.print(sentence, markup=False, highlight=False)
    counts = (Column("questions", "questions"), *([Column("clusters", "clusters")] if "clusters" in row else ()))
    if row["table"]:
        columns = (Column("discordance", "differ on", "share"), *counts)
        section = Section("plan", "By the share of questions on which the two differ", (), columns, row["table"])
        for part in section_parts(section):
            console.print(part)
    if row["families"]:
        from moot.measures.planned_families import FAMILIES

        heads = (Column("of", "corrected for together"), Column("comparisons", "at most"), *counts)
        rows = [{**family, "of": FAMILIES[family["family"]]} for family in row["families"] if "questions" in family]
        for part in section_parts(Section("families", "By what the report corrects for", (), heads, rows)):
            console.print(part)


def _planned_for(planned: Planned, share: float, families: _Families, name: str) -> dict[str, Any]:
    """With how many questions a difference of this family is seen; nothing of what is no difference between two."""
    from moot.measures.planned_families import NO_DIFFERENCES

    row: dict[str, Any] = {"family": name, "comparisons": families.sizes[name]}
    if name == "headline":
        row["players"] = families.players
    return row if name in NO_DIFFERENCES else {**row, **families.planned(planned, name).counted(share)}


def _most(asked: Mapping[str, Mapping[str, Any]]) -> str | None:
    """Of those in which one way of answering is held against another, the one that asks for the most questions."""
    from moot.measures.planned_families import OF_STRATEGIES

    def questions(name: str) -> float:
        found = asked[name]["questions"]
        return math.inf if found is None else float(found)

    return max((name for name in OF_STRATEGIES if name in asked), key=questions, default=None)


def _of_file(planned: Planned, path: Path, told: PlannedFrom) -> tuple[Planned, _Families]:
    from moot.experiment.build import build
    from moot.experiment.spec import read_experiment
    from moot.measures.planned_families import cluster_sizes, family_sizes, players_to_beat

    if told.comparisons is not None:
        raise UsageError("--comparisons: the file says how many there are; expected one of the two")
    file = read_experiment(path)
    plan = build(file, asked=False)
    sizes = cluster_sizes(plan)
    if max(sizes) > 1 and told.cluster_size is not None:
        raise UsageError("--cluster-size: the file says which questions hang together; expected one of the two")
    if max(sizes) > 1:
        planned = replace(planned, units=replace(planned.units, sizes=sizes))
    planned = replace(planned, means=plan.spec.repeats > 1)
    to_beat = players_to_beat(plan)
    return planned, _Families(family_sizes(plan, len(file.spec.hypotheses)), max(1, len(to_beat)), str(to_beat))


def _share(planned: Planned) -> float:
    """Left out it is assumed; too little for the gain is refused later, by `needed`, in its own words."""
    if planned.discordance is not None:
        return planned.discordance
    if planned.units.apart < 1:
        raise UsageError("discordance: expected with --apart: how often two scores differ cannot be assumed")
    return max(independent_discordance(planned.accuracy, planned.gain), abs(planned.gain))


def figures_of(planned: Planned, share: float) -> dict[str, Any]:
    """The questions needed; without a discordance, under an assumption that is said, and for some others."""
    accuracy, gain = planned.accuracy, planned.gain
    assumed = planned.discordance is None
    counted = planned.counted(share)
    table = []
    if assumed:
        highest = most_discordance(accuracy, gain)
        shares = [usual_share for usual_share in USUAL if abs(gain) <= usual_share <= highest]
        table = [{"discordance": usual_share, **planned.counted(usual_share)} for usual_share in shares]
    return {
        "accuracy": accuracy,
        "gain": gain,
        "discordance": share,
        "assumed": assumed,
        "power": planned.power,
        "alpha": planned.alpha,
        "apart": planned.units.apart,
        "comparisons": planned.comparisons,
        "players": planned.players,
        **counted,
        **({"cluster_size": planned.units.mean_size} if "clusters" in counted else {}),
        "table": table,
    }


def planned_words(row: Mapping[str, Any], planned: Planned) -> list[str]:
    better = f"{100 * row['accuracy']:.1f} % to {100 * (row['accuracy'] + row['gain']):.1f} %"
    hang, scores = "clusters" in row, row["apart"] < 1
    bounded = hang or scores or planned.means
    test = "the mean by its bounds" if bounded else "exact McNemar"
    frequency = f"in {100 * row['power']:.0f} of 100 runs ({test}, two-sided, {100 * row['alpha']:g} %)"
    many = "more than 2,000,000" if row["questions"] is None else f"{row['questions']:,}"
    clusters = f" in {row['clusters']:,} clusters" if hang and row["clusters"] is not None else ""
    share = f"{100 * row['discordance']:.1f} %"
    differ = f"scores that differ on {share} of the questions, by {row['apart']:g} at the most"
    differ = differ if scores else f"answers that differ on {share} of the questions"
    sentences = [f"From {better}, with {differ}: {many} questions{clusters} show it {frequency}."]
    if hang:
        sentences.append(
            "That holds however much the questions of a cluster are alike, and whichever clusters differ;"
            " mostly fewer will do."
        )
    if row["comparisons"] > 1 or row["players"] > 1:
        sentences.append(_corrected(row, planned.beaten))
    if row["assumed"]:
        sentences.append(
            f"The {share} are an assumption: that the two know nothing of each other. Strategies over the same drafts"
            " differ less and need fewer; a trial run tells (moot compare)."
        )
    return sentences


def _corrected(row: Mapping[str, Any], beaten: str) -> str:
    if row["family"] == "headline":
        options = f"the choice among {row['comparisons']:,} options" if row["comparisons"] > 1 else "one option"
        return f"For the headline, which asks for the most: {options}, and more than each of {beaten}."
    from moot.measures.planned_families import FAMILIES

    where = f", as the report of the file has them ({FAMILIES[row['family']]})" if row["family"] else ""
    return f"Corrected (Holm) for {row['comparisons']:,} comparisons printed together{where}."
