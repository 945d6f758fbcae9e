"""`moot plan`: how many questions it takes to see a gain."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from moot.cli.console import Console
from moot.cli.safe_text import print_json
from moot.errors import UsageError
from moot.measures.section import Column, Section
from moot.report.section_terminal import section_parts
from moot.stats.bounded_power import PlannedUnits, needed_units
from moot.stats.counted_words import count
from moot.stats.power import Design, independent_discordance, most_discordance
from moot.stats.written_numbers import of_hundred

if TYPE_CHECKING:
    from moot.experiment.plan import Plan
    from moot.measures.claims.foreseen import Foreseen

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
    store: str | None = None
    """Where the larger run will be kept, if not where the file says."""


@dataclass(frozen=True, slots=True)
class Families:
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


@dataclass(frozen=True, slots=True)
class FilePlan:
    """What a file says of the run that is planned, and what its store says to that."""

    clusters: tuple[int, ...]
    """How many questions each has."""
    means: bool
    anew: Families
    """As the file has them: on new questions under a new name."""
    foreseen: Foreseen | None
    """None: the store knows nothing of this experiment, or there is none."""
    families: Families
    """As the report will have them."""

    @property
    def costs(self) -> bool:
        """Whether what was played before has to be paid for."""
        return self.families != self.anew


def plan_command(planned: Planned, told: PlannedFrom, *, as_json: bool) -> int:
    chosen, row = planned_row(planned, told, file_plan(told))
    if as_json:
        print_json(row)
        return 0
    print_plan(row, planned_words(row, chosen))
    return 0


def planned_row(planned: Planned, told: PlannedFrom, file: FilePlan | None) -> tuple[Planned, dict[str, Any]]:
    """What is planned for, with what the report of a file corrects for, and the figures."""
    if file is None:
        chosen = replace(planned, comparisons=told.comparisons or 1)
        return chosen, {**figures_of(chosen, _share(planned)), "family": None, "families": []}
    if max(file.clusters) > 1:
        planned = replace(planned, units=replace(planned.units, sizes=file.clusters))
    planned = replace(planned, means=file.means)
    chosen, row = _for_families(planned, file.families)
    if file.foreseen is not None and file.costs:
        _, anew = _for_families(planned, file.anew)
        new = {key: anew[key] for key in ("questions", "clusters") if key in anew}
        row["played_before"] = {**asdict(file.foreseen), "anew": new}
    return chosen, row


def _for_families(planned: Planned, families: Families) -> tuple[Planned, dict[str, Any]]:
    share = _share(planned)
    asked = {name: _planned_for(planned, share, families, name) for name, size in families.sizes.items() if size}
    of = _most(asked)
    chosen = families.planned(planned, of) if of else planned
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


def _planned_for(planned: Planned, share: float, families: Families, name: str) -> dict[str, Any]:
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


def file_plan(told: PlannedFrom) -> FilePlan | None:
    """None where no file is named."""
    from moot.experiment.build import build
    from moot.experiment.spec import read_experiment
    from moot.measures.planned_families import cluster_sizes, family_sizes, players_to_beat
    from moot.store import from_here

    if told.file is None:
        return None
    if told.comparisons is not None:
        raise UsageError("--comparisons: the file says how many there are; expected one of the two")
    file = read_experiment(told.file)
    plan = build(file, asked=False, store_url=from_here(told.store) if told.store else None)
    sizes = cluster_sizes(plan)
    if max(sizes) > 1 and told.cluster_size is not None:
        raise UsageError("--cluster-size: the file says which questions hang together; expected one of the two")
    families = family_sizes(plan, len(file.spec.hypotheses))
    to_beat = players_to_beat(plan)
    anew = Families(families, max(1, len(to_beat)), str(to_beat))
    before = asyncio.run(_foreseen(plan))
    if before is None:
        return FilePlan(sizes, plan.spec.repeats > 1, anew, None, anew)
    known, more = before
    to_beat = players_to_beat(plan, late=known.late)
    paid = {name: size + more.get(name, 0) for name, size in families.items()}
    paid |= {"headline": known.options, "hypotheses": known.hypotheses}
    as_reported = Families(paid, max(1, len(to_beat)), str(to_beat))
    return FilePlan(sizes, plan.spec.repeats > 1, anew, known, as_reported)


async def _foreseen(plan: Plan) -> tuple[Foreseen, Mapping[str, int]] | None:
    """What the store of a file knows of it, where there is one, and by table how many rows more it will pay for: nothing is
    created by asking."""
    from moot.measures.claims.foreseen import foreseen, foreseen_rows
    from moot.store.examined import opened_to_read

    store = plan.store().needed("there is no store yet")
    if not await store.exists():
        return None
    async with opened_to_read(store):
        return await store.read(lambda connection: (foreseen(connection, plan), foreseen_rows(connection, plan)))


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
    better = f"{of_hundred(row['accuracy'])} % to {of_hundred(row['accuracy'] + row['gain'])} %"
    hang, scores = "clusters" in row, row["apart"] < 1
    bounded = hang or scores or planned.means
    test = "the mean by its bounds" if bounded else "exact McNemar"
    frequency = f"in {of_hundred(row['power'], 0)} of 100 runs ({test}, two-sided, {100 * row['alpha']:g} %)"
    many = "more than 2,000,000" if row["questions"] is None else f"{row['questions']:,}"
    clusters = f" in {row['clusters']:,} clusters" if hang and row["clusters"] is not None else ""
    share = f"{of_hundred(row['discordance'])} %"
    differ = f"scores that differ on {share} of the questions, by {row['apart']:g} at the most"
    differ = differ if scores else f"answers that differ on {share} of the questions"
    sentences = [f"From {better}, with {differ}: {many} questions{clusters} show it {frequency}."]
    sentences += before_words(row)
    if hang:
        sentences.append(
            "That holds however much the questions of a cluster are alike, and whichever clusters differ;"
            " mostly fewer will do."
        )
    sentences += corrected_words(row, planned)
    if row["assumed"]:
        sentences.append(
            f"The {share} are an assumption: that the two know nothing of each other. Strategies over the same drafts"
            " differ less and need fewer; a trial run tells (moot compare)."
        )
    return sentences


def before_words(row: Mapping[str, Any], *, counted: bool = True) -> list[str]:
    """What was played before costs questions; one line, with what would cost none. `counted`: how many those are."""
    if not (before := row.get("played_before")):
        return []
    after = f"after {count(before['after'], 'question')}" if before["after"] else "after the first call"
    parts = []
    if before["late"]:
        parts.append(
            f"The primary, declared now, comes {after}: the report will call it a choice among {before['options']:,}"
        )
    elif before["unlisted"]:
        were = "was" if before["unlisted"] == 1 else "were"
        parts.append(
            f"{count(before['unlisted'], 'option')} {were} played before and will be corrected for, in the file or not"
        )
    if late := before["late_hypotheses"]:
        comes = "comes" if late == 1 else "come"
        parts.append(f"{count(late, 'hypothesis', 'hypotheses')} {comes} {after}, and will be exploratory")
    new = before["anew"]["questions"]
    many = "more than 2,000,000" if new is None else f"{new:,}"
    told = "; ".join(parts) or "What was played before will be corrected for"
    return [f"{told}. On new questions under a new name that costs nothing{f': {many} questions' if counted else ''}."]


def corrected_words(row: Mapping[str, Any], planned: Planned) -> list[str]:
    """What it is corrected for; nothing where one is held against one."""
    if row["comparisons"] <= 1 and row["players"] <= 1:
        return []
    if row["family"] == "headline":
        options = f"the choice among {row['comparisons']:,} options" if row["comparisons"] > 1 else "one option"
        return [f"For the headline, which asks for the most: {options}, and more than each of {planned.beaten}."]
    from moot.measures.planned_families import FAMILIES

    where = f", as the report of the file has them ({FAMILIES[row['family']]})" if row["family"] else ""
    return [f"Corrected (Holm) for {row['comparisons']:,} comparisons printed together{where}."]
