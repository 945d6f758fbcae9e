"""How many comparisons a report will correct for, before anything is played.

A family is counted by the functions that make its rows, from plays that nobody has made yet: one question for each number
of different answers in each set, nobody right. So what a report compares and what is planned for cannot drift apart.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from moot.data.clusters import clusters_of
from moot.experiment.plan import Plan
from moot.measures.cells import Stored, playing_alone, stored_cell, table_of
from moot.measures.discussion.baselines import Held, baseline_rows, family_rows
from moot.measures.discussion.cost import drafted_at_once
from moot.measures.discussion.figures import DiscussedCell, difference_rows
from moot.measures.discussion.naming import is_discussion, options_of
from moot.measures.discussion.talks import Talk
from moot.measures.quiz.diversity import talk_by_diversity
from moot.measures.quiz.figures import comparisons, labels_that, talks, votes
from moot.measures.quiz.played import Played, gains, human_comparison
from moot.measures.quiz.plays import DRAFTED
from moot.measures.safety.by_model import model_rows
from moot.measures.safety.figures import asked_both_ways, names_compared
from moot.measures.safety.pairs import Native, Pair, per_model
from moot.measures.safety.stages import drafting, led_cells
from moot.measures.sides import cells_named
from moot.stats.graded import graded_value
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


@dataclass(frozen=True, slots=True)
class _Unplayed:
    """What is known of an experiment before it is played."""

    cells: Sequence[Stored]
    sets: Sequence[str | None]
    people: bool
    """Whether people have answered some of the questions."""

    @property
    def together(self) -> list[Stored]:
        return [cell for cell in self.cells if cell["player"] is None]

    def tables(self) -> list[list[Stored]]:
        tables: dict[str, list[Stored]] = {}
        for cell in self.together:
            tables.setdefault(table_of(cell), []).append(cell)
        return list(tables.values())

    def alone(self, cell: Stored) -> dict[str, str]:
        """By player: where its native answers will be from; nobody where nobody is asked alone."""
        names = {other["player"] or "": other["strategy"] for other in playing_alone(self.cells, cell)}
        drafts = cell["traits"].drafts is not None
        return {name: names.get(name, DRAFTED) for name in players_of(cell) if drafts or name in names}


def players_of(cell: Stored) -> list[str]:
    return [player["name"] for player in json.loads(cell["spec"])["players"]]


def family_sizes(plan: Plan, hypotheses: int) -> dict[str, int]:
    """By the names in `FAMILIES`: how many rows with a p there will be at the most, once all is played and graded."""
    cells = [stored_cell(cell.row()) for cell in plan.cells]
    unplayed = _unplayed(cells, plan.dataset or ())
    sizes = {
        "headline": 1 if plan.spec.primary else len(unplayed.together) or len(unplayed.cells),
        "hypotheses": hypotheses,
        **_tables(unplayed),
    }
    return {name: sizes[name] for name in FAMILIES}


def more_rows(cells: Sequence[Stored], beside: Sequence[Stored], cases: Iterable[Case]) -> dict[str, int]:
    """By the names in `FAMILIES`, of what goes by its rows: how many more there would be at the most, were the cells `beside`
    among the others. An earlier version of what is there already is one strategy more."""
    asked = list(cases)
    few = _tables(_unplayed(cells, asked))
    many = _tables(_unplayed([*cells, *_as_others(cells, beside)], asked))
    return {name: max(0, many[name] - few[name]) for name in few}


def _as_others(cells: Sequence[Stored], beside: Sequence[Stored]) -> Iterator[Stored]:
    """Each under a label that none has who plays in its place: rows go by labels."""
    taken = Counter(map(_place, cells))
    for cell in beside:
        if number := taken[_place(cell)]:
            yield {**cell, "label": f"{cell['label']} {number}"}
        else:
            yield cell
        taken[_place(cell)] += 1


def _place(cell: Stored) -> tuple[str | None, ...]:
    return cell["label"], cell["team"], cell.get("cohort"), cell["captain"], cell["player"]


def _unplayed(cells: Sequence[Stored], cases: Iterable[Case]) -> _Unplayed:
    asked = list(cases)
    sets = list(dict.fromkeys(case.question_set for case in asked)) or [None]
    return _Unplayed(cells, sets, any(case.human is not None for case in asked))


def _tables(unplayed: _Unplayed) -> dict[str, int]:
    return {
        **_quiz(unplayed),
        **_safety(unplayed),
        **_discussions(unplayed),
        "position_bias": _places(unplayed),
    }


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


def _counted(rows: Iterable[Mapping[str, Any]]) -> int:
    return sum(row["difference"] is not None for row in rows)


def _quiz(unplayed: _Unplayed) -> dict[str, int]:
    names = ("gains", "comparisons", "talk_by_diversity", "human", "diversity_and_people", "talk_threshold")
    sizes = dict.fromkeys(names, 0)
    for cells in unplayed.tables():
        plays = list(_plays(unplayed, cells))
        talking, voting = labels_that(talks, cells), labels_that(votes, cells)
        labels = list(dict.fromkeys(cell["label"] for cell in cells))
        sizes["gains"] += _counted(gains(plays))
        sizes["comparisons"] += _counted(comparisons(plays, labels))
        sizes["talk_by_diversity"] += _counted(talk_by_diversity(plays, talking, voting))
        sizes["human"] += _counted(human_comparison(plays))
        sizes["diversity_and_people"] += int(unplayed.people)
        sizes["talk_threshold"] += 2 if talking and voting else 0
    return sizes


def _plays(unplayed: _Unplayed, cells: Sequence[Stored]) -> Iterator[Played]:
    alone = {name: strategy for cell in cells for name, strategy in unplayed.alone(cell).items()}
    human = 0.5 if unplayed.people else None
    members = players_of(cells[0])
    for d in range(1, len(members) + 1):
        question = str(d)
        groups = (tuple(members[d - 1 :]), *((name,) for name in members[: d - 1]))
        for cell in cells:
            yield Played(question, cell["label"], captain=cell["captain"], right=0.0, groups=groups, human=human)
        for name, strategy in alone.items():
            yield Played(question, strategy, player=name, right=0.0, human=human)


def _safety(unplayed: _Unplayed) -> dict[str, int]:
    led = led_cells(unplayed.together)
    names = ("safety_models", "cohort_models", "gain_by_strength")
    sizes = dict.fromkeys(names, 0)
    for cells in _stages(led):
        pairs = [
            Pair(str(number), cell["captain"] or "", 0.0, 0.0, cohort=cell.get("cohort"))
            for cell in cells
            for number in range(2)
            if cell["captain"] in unplayed.alone(cell)
        ]
        leading = {pair.model for pair in pairs}
        others = dict.fromkeys(
            Native(str(number), name, graded_value(0.0), cell.get("cohort"))
            for cell in cells
            for name in players_of(cell)
            for number in range(2)
            if name not in leading
        )
        sizes["safety_models"] += _counted(per_model(pairs))
        sizes["cohort_models"] += _counted(model_rows(pairs, list(others)))
        sizes["gain_by_strength"] += int(len(leading) > 2)
    both = len(asked_both_ways(unplayed.cells))
    return {
        **sizes,
        "authority_bias": sum(1 for _ in names_compared(led)),
        "formatting_tax": int(both > 0),
        "formatting_tax_models": both,
    }


def _stages(led: Sequence[Stored]) -> list[list[Stored]]:
    stages: dict[tuple[str | None, str], list[Stored]] = {}
    for cell in led:
        stages.setdefault((cell["team"], cell["label"]), []).append(cell)
    return list(stages.values())


def _discussions(unplayed: _Unplayed) -> dict[str, int]:
    """Of families that have a table for all questions and one for single sets, the larger."""
    plays = [Talk(f"{name} {number}", 0.0, dataset=name) for name in unplayed.sets for number in range(2)]
    talking = [cell for cell in unplayed.cells if is_discussion(cell)]
    held = [Held(cell, plays) for cell in talking]
    alone = [Held(cell, plays) for cell in unplayed.cells if cell["traits"].alone and drafted_at_once(cell)]
    rows = {
        "protocol_baselines": list(baseline_rows(held, alone)),
        "protocol_families": list(family_rows(held)),
    }
    sizes = {
        name: max(_counted(row for row in several if row["whole"] is whole) for whole in (True, False))
        for name, several in rows.items()
    }
    compared = difference_rows([DiscussedCell(cell, options_of(cell), plays) for cell in talking])
    return {**sizes, "protocol_differences": _counted(compared)}


def _places(unplayed: _Unplayed) -> int:
    """At most: everybody who may read in two roles, all of them, and two kinds of ballots; the first place and the last."""
    readers = sum(2 * (2 + len(players_of(cells[0]))) for cells in _stages(unplayed.together))
    return 2 * (readers + 2 * len(unplayed.together))
