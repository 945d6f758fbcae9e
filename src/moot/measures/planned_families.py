"""How many comparisons a report will correct for, before anything is played: those of the file, and those that other
versions of it had (`planned_rows`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from moot.data.clusters import clusters_of
from moot.experiment.plan import Plan
from moot.measures.cells import Stored, stored_cell
from moot.measures.planned_rows import planned_rows, players_of
from moot.measures.safety.stages import drafting
from moot.measures.sides import cells_named
from moot.types import Case

FAMILIES: Mapping[str, str] = {
    "headline": "options that the headline is chosen from",
    "gains": "gains over captains alone",
    "comparisons": "strategies against each other",
    "hypotheses": "hypotheses; exploratory ones apart",
    "protocol_differences": "discussions that differ in one option",
    "protocol_baselines": "discussions against their models alone",
    "protocol_families": "voting against consensus",
    "talk_threshold": "talking where it pays against always voting and always talking",
    "talk_by_diversity": "talking less voting, by the number of different answers",
    "human": "players and teams beside people",
    "safety_models": "each model alone and after",
    "cohort_models": "each model beside its cohort",
    "authority_bias": "names shown less names hidden",
    "formatting_tax": "two calls less one, over all models",
    "formatting_tax_models": "two calls less one, model by model",
    "gain_by_strength": "strength against gain",
    "diversity_and_people": "number of answers against the rate of people",
    "position_bias": "first and last places",
}
"""What a report corrects for together, in words; by its key in the figures, `headline` for `over_best_single`."""

OF_STRATEGIES = (
    *("headline", "gains", "comparisons", "hypotheses", "protocol_differences", "protocol_baselines"),
    *("protocol_families", "talk_threshold"),
)
"""Those in which one way of answering is held against another: what a gain is planned for."""

NO_DIFFERENCES = ("gain_by_strength", "diversity_and_people", "position_bias")
"""Correlations and places: they are tested in other ways, and no gain is planned for them."""


def family_sizes(plan: Plan, hypotheses: int) -> dict[str, int]:
    """By the names in `FAMILIES`: how many rows with a p there will be at the most, once all is played and graded."""
    cells = [stored_cell(cell.row()) for cell in plan.cells]
    together = [cell for cell in cells if cell["player"] is None]
    rows = planned_rows(cells, plan.dataset or ())
    sizes = {
        "headline": 1 if plan.spec.primary else len(together) or len(cells),
        "hypotheses": hypotheses,
        **{name: len(of_table) for name, of_table in rows.items()},
    }
    return {name: sizes[name] for name in FAMILIES}


def more_rows(cells: Sequence[Stored], versions: Iterable[Sequence[Stored]], cases: Iterable[Case]) -> dict[str, int]:
    """By the key of a table: how many rows these other versions of a file would each have had, at the most, that it has not.
    A row of several versions is one; what no version had side by side is none."""
    asked = list(cases)
    own = {name: set(rows) for name, rows in planned_rows(cells, asked).items()}
    more: dict[str, set[Hashable]] = {name: set() for name in own}
    for version in versions:
        for name, rows in planned_rows(version, asked).items():
            more[name].update(rows)
    return {name: len(more[name] - own[name]) for name in own}


@dataclass(frozen=True, slots=True)
class ToBeat:
    """Of whom the headline has to beat every one: each player once for each way in which it is asked alone."""

    ways: frozenset[tuple[str, str]]
    """Each with how it drafts, and who it is."""

    def __len__(self) -> int:
        return len(self.ways)

    def __str__(self) -> str:
        drafts, players = ({way[part] for way in self.ways} for part in (0, 1))
        who = f"{len(players):,} player{'s' if len(players) != 1 else ''}"
        if len(self.ways) == len(players):
            return who
        each = "" if len(self.ways) == len(players) * len(drafts) else "up to "
        return f"{len(self.ways):,} ({who}, {each}{len(drafts)} ways to draft)"


def players_to_beat(plan: Plan, *, late: bool = False) -> ToBeat:
    """`late`: the primary is one of all options, and whoever plays in any of them has to be beaten."""
    cells = [stored_cell(cell.row()) for cell in plan.cells]
    together = [cell for cell in cells if cell["player"] is None]
    if plan.spec.primary and not late:
        together = [cell for cell in cells_named(plan.spec.primary, cells) if cell["player"] is None]
    tables = {(drafting(cell), name) for cell in together for name in players_of(cell)}
    # Who only talks drafts nothing: a report has no figure of such an agent alone, several of which may be one model.
    drafts = {(drafting(cell), name) for cell in together if cell["traits"].drafts for name in players_of(cell)}
    alone = {(drafting(cell), cell["player"]) for cell in cells if cell["player"] and cell["traits"].alone}
    return ToBeat(frozenset(drafts | alone or tables))


def cluster_sizes(plan: Plan) -> tuple[int, ...]:
    """How many questions each cluster of the file has; a question that hangs together with no other is one of its own."""
    clusters = clusters_of(enumerate(plan.dataset or ()))
    alone = len(plan.dataset or ()) - len(clusters)
    return tuple(sorted([*Counter(clusters.values()).values(), *[1] * alone])) or (1,)
