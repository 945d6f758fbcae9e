"""The safety net, from its store: what each stage rescued and what it spoilt, against the same players alone.

Where a player was not heard alone (`stages`), the figures say what to add to the file, and the stage has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from moot.grade.normalise import normalise
from moot.grade.units import differ_in_unit
from moot.measures.cells import Stored
from moot.measures.episodes import EpisodeOutline
from moot.measures.safety.by_model import average_rows, by_model, gap_rows, model_rows, tax_rows, values_alone
from moot.measures.safety.calibration import calibration_rows
from moot.measures.safety.cohorts import coverage, macro_average
from moot.measures.safety.consensus import consensus_rate
from moot.measures.safety.gap import gap_closure
from moot.measures.safety.lift import lift
from moot.measures.safety.pairs import (
    Pair,
    gain_by_strength,
    per_model,
    split,
)
from moot.measures.safety.rescues import safety_row
from moot.measures.safety.stages import Stage, drafting, led_cells, stages_of
from moot.measures.safety.two_ways import asked_of_all, authority_bias, formatting_tax, left_out_of, none_of_all
from moot.measures.source import Source
from moot.models.cut_out import was_cut
from moot.stats.estimates import with_holm
from moot.stats.graded import Value, mean_value
from moot.store.rows import verdict_of
from moot.strategies import baseline
from moot.strategies.natives import DOUBLE_CALL, SINGLE_CALL
from moot.traces import Ending, of_kind
from moot.types import canonical_json

Row = dict[str, Any]
CellsAlone = Mapping[tuple[str | None, str], Stored]
"""By player and way of drafting."""


def safety_figures(source: Source, cells: Sequence[Stored]) -> Row:
    """The keys of the safety net; only those that there is something to say under."""
    alone = {(cell["player"], drafting(cell)): cell for cell in cells if cell["traits"].alone}
    led = led_cells(cells)
    stages = [stage for stage in stages_of(source, led) if stage.pairs]
    seed, both_ways = source.seed, asked_both_ways(cells)
    figures: Row = {
        "safety": [row for stage in stages for row in _safety(stage)],
        "safety_missing": _missing(source, led, alone),
        "safety_models": [row for stage in stages for row in _models(stage)],
        "gain_by_strength": [row for stage in stages for row in _strength(stage, seed)],
        "coverage": [row for stage in stages for row in _coverage(source, stage)],
        "gap_closure": [row for stage in stages for row in _gaps(stage)],
        "gap_closure_models": [{**stage.named, **row} for stage in stages for row in gap_rows(_cohorts(stage.pairs))],
        "cohort_averages": [
            {**stage.named, **row} for stage in stages for row in average_rows(stage.pairs, stage.others)
        ],
        "cohort_models": [{**stage.named, **row} for stage in stages for row in model_rows(stage.pairs, stage.others)],
        "debate_lift": [row for row in _lifts(stages) if row],
        "macro_average": [{**stage.named, **mean} for stage in stages if (mean := macro_average(stage.pairs))],
        "formatting_tax": _tax(source, both_ways),
        "formatting_tax_models": _model_taxes(source, both_ways),
        "calibration": list(calibration_rows(source, cells)),
        "authority_bias": list(_authority(source, led)),
        "consensus": [row for row in _consensus(source, cells) if row],
    }
    for family in ("safety_models", "gain_by_strength", "cohort_models", "formatting_tax_models", "authority_bias"):
        figures[family] = with_holm(figures[family], beside=source.unlisted_rows[family])
    return {key: value for key, value in figures.items() if value}


def _missing(source: Source, led: Iterable[Stored], alone: CellsAlone) -> list[Row]:
    """Stages without native answers to compare with, and the strategy that would give them."""
    missing: dict[tuple[str, str], Row] = {}
    for cell in led:
        drafts = drafting(cell)
        if (cell["captain"], drafts) not in alone and not _drafts_itself(source, cell):
            add = f"- {baseline()}" if drafts == SINGLE_CALL else f"- {baseline()}: {{drafts: {drafts}}}"
            row = missing.setdefault((cell["label"], drafts), {"stage": cell["label"], "captains": [], "add": add})
            row["captains"].append(cell["captain"])
    return list(missing.values())


def _drafts_itself(source: Source, cell: Stored) -> bool:
    """Whether the captain first answers alone in the cell itself; of one not played yet its word is taken for it."""
    episodes = source.seen(cell)
    if cell["traits"].drafts is None or not episodes:
        return cell["traits"].drafts is not None
    return any(draft.player == cell["captain"] for episode in episodes for draft in episode.drafts)


def _safety(stage: Stage) -> Iterator[Row]:
    """Each cohort, and all of them together (cohort None) where there are several or none."""
    for cohort, pairs in _by_cohort(stage.pairs):
        yield {"cohort": cohort, **stage.named, **safety_row(pairs), **stage.not_begun_of(cohort)}


def _by_cohort(pairs: Sequence[Pair]) -> list[tuple[str | None, Sequence[Pair]]]:
    parts = {
        cohort: cohort_pairs
        for cohort, cohort_pairs in split(pairs, lambda pair: pair.cohort).items()
        if cohort is not None
    }
    whole: list[tuple[str | None, Sequence[Pair]]] = [(None, pairs)] if len(parts) != 1 else []
    return [*parts.items(), *whole]


def _cohorts(pairs: Sequence[Pair]) -> dict[str, Sequence[Pair]]:
    return {cohort: cohort_pairs for cohort, cohort_pairs in _by_cohort(pairs) if cohort is not None}


def _models(stage: Stage) -> Iterator[Row]:
    for row in per_model(stage.pairs):
        yield {**stage.named, **row}


def _strength(stage: Stage, seed: int) -> Iterable[Row]:
    if strength := gain_by_strength(stage.pairs, seed=seed):
        yield {**stage.named, **strength}


def _coverage(source: Source, stage: Stage) -> Iterable[Row]:
    choices = {
        question: len(case.question.choices) or 2 for question, case in source.cases.items() if case.question.is_closed
    }
    for row in coverage(stage.pairs, stage.others, choices=choices):
        yield {**stage.named, **row}


def _gaps(stage: Stage) -> Iterable[Row]:
    """How far each cohort comes up to each that is better alone; nothing where it is known that none is."""
    cohorts = _cohorts(stage.pairs)
    for weaker, stronger in permutations(cohorts, 2):
        native, after = (by_model(cohorts[weaker], side) for side in ("native_value", "after_value"))
        closure = gap_closure(native, after, by_model(cohorts[stronger], "native_value"))
        if closure.estimate is not None or closure.why is not None:
            yield {**stage.named, "cohort": weaker, "towards": stronger, **closure.row()}


def _lifts(stages: Sequence[Stage]) -> Iterator[Row | None]:
    """What rounds of argument add to one review of the reasons, by the same team from the same native answers."""
    for review in stages:
        for debate in stages:
            alike = (review.team, review.tables) == (debate.team, debate.tables)
            if review.reviews and debate.traits.hears == "rounds" and alike:
                yield from _lift(review, debate)


def _lift(review: Stage, debate: Stage) -> Iterable[Row | None]:
    sides = [dict(_by_cohort(stage.pairs)) for stage in (review, debate)]
    for cohort in sides[0]:
        lifted = lift(sides[0][cohort], sides[1].get(cohort, ()))
        named = {"cohort": cohort, "before": review.label, "after": debate.label, "team": review.team}
        yield {**named, **lifted.row()} if lifted else None


@dataclass(frozen=True, slots=True)
class BothWays:
    """One player by itself, asked in one call and in two, and in nothing else otherwise."""

    player: str
    label: str
    """Of the one call."""
    single: Stored
    double: Stored


def asked_both_ways(cells: Iterable[Stored]) -> list[BothWays]:
    """Like with like: a strategy for one player is held against itself, and never against another one."""
    alone = [cell for cell in cells if cell["traits"].alone]
    return [
        BothWays(one["player"] or "", one["label"], one, two)
        for one in alone
        for two in alone
        if (drafting(one), drafting(two)) == (SINGLE_CALL, DOUBLE_CALL)
        and (one["player"], one["strategy"]) == (two["player"], two["strategy"])
        and _differing(one["options"], two["options"]) == 1
    ]


def _tax(source: Source, pairs: Sequence[BothWays]) -> Row | None:
    """Players who have answered alone in both ways, on the same questions; each strategy that asks so by itself."""
    if not pairs:
        return None
    sides: list[dict[tuple[str, str], list[EpisodeOutline]]] = [{}, {}]
    for pair in pairs:
        for side, cell in zip(sides, (pair.single, pair.double), strict=True):
            for episode in source.seen(cell):
                side.setdefault((episode.key[0], f"{pair.player} {pair.label}"), []).append(episode)
    both = sides[0].keys() & sides[1].keys()
    kept = asked_of_all(both)
    single, double = (
        {key: [mean_value([episode.value for episode in side[key]])] for key in sorted(kept)} for side in sides
    )
    tax = formatting_tax(single, double, repeated=_repeated(source)) or (
        none_of_all(both, "double", "single") if both else None
    )
    if tax is None:
        return None
    labels = list(dict.fromkeys(pair.label for pair in pairs))
    named = {"labels": labels} if len(labels) > 1 else {}
    ungraded = sum(episode.right is None for side in sides for key in kept for episode in side[key])
    row = {**named, **tax, "ungraded": ungraded, **left_out_of(both, kept)}
    return with_holm([row], beside=source.unlisted_rows["formatting_tax"])[0]


def _model_taxes(source: Source, pairs: Sequence[BothWays]) -> list[Row]:
    """The same of each player by its name, and where it is asked so by several strategies, of each of them."""
    rows: list[Row] = []
    labels = list(dict.fromkeys(pair.label for pair in pairs))
    for label in labels:
        sides = [
            {pair.player: values_alone(source.seen(cell)) for pair, cell in both}
            for both in (
                [(pair, pair.single) for pair in pairs if pair.label == label],
                [(pair, pair.double) for pair in pairs if pair.label == label],
            )
        ]
        named = {"label": label} if len(labels) > 1 else {}
        rows += [{**named, **row} for row in tax_rows(*sides, repeated=_repeated(source))]
    return rows


def _repeated(source: Source) -> bool:
    return int(source.config.get("repeats", 1)) > 1


def _authority(source: Source, led: Sequence[Stored]) -> Iterator[Row]:
    for named, hidden, shown in names_compared(led):
        if bias := _bias(source, hidden, shown):
            yield {**named, **bias}


def names_compared(led: Sequence[Stored]) -> Iterator[tuple[Row, list[Stored], list[Stored]]]:
    """Strategies that differ only in that names were shown: each cohort, and all of them together; hidden, then shown."""
    naming: dict[tuple[str | None, str], list[Stored]] = {}
    for cell in led:
        if cell["traits"].names is not None:
            naming.setdefault((cell["team"], cell["label"]), []).append(cell)
    for (team, label), named_cells in naming.items():
        hidden = next(
            (cells for (other, _), cells in naming.items() if other == team and _masked(cells, named_cells)), None
        )
        if hidden is None:
            continue
        cohorts = dict.fromkeys(cell.get("cohort") for cell in named_cells)
        for cohort in (*cohorts, None) if len(cohorts) > 1 else cohorts:
            sides = [[cell for cell in side if cohort in (None, cell.get("cohort"))] for side in (hidden, named_cells)]
            yield {"stage": label, "team": team, "cohort": cohort}, sides[0], sides[1]


def _masked(hidden: Sequence[Stored], named_cells: Sequence[Stored]) -> bool:
    """Whether the one is the other without names, and like it in everything else: they differ in one option."""
    kinds = {cell["traits"].names for cell in hidden}, {cell["traits"].names for cell in named_cells}
    return kinds == ({"hidden"}, {"shown"}) and any(
        one["strategy"] == other["strategy"] and _differing(one["options"], other["options"]) == 1
        for one in hidden
        for other in named_cells
    )


def _differing(one: Mapping[str, Any], other: Mapping[str, Any]) -> int:
    """In how many options two sets of them differ."""
    return sum(canonical_json(one.get(name)) != canonical_json(other.get(name)) for name in one.keys() | other.keys())


def _bias(source: Source, hidden: Sequence[Stored], named_cells: Sequence[Stored]) -> Row | None:
    """Over the plays that both sides have; an ungraded one may still tell whether the answer changed."""
    without, with_names = (_by_play(source, side) for side in (hidden, named_cells))
    every = without.keys() & with_names.keys()
    both = sorted(asked_of_all(every))
    changed: dict[str, tuple[int, int]] = {}
    for key in both:
        one, other = without[key].word, with_names[key].word
        if one is not None and other is not None and not (was_cut(one) or was_cut(other)):  # it may be the same, or not
            moved, reviews = changed.get(key[0], (0, 0))
            another = normalise(one) != normalise(other) or differ_in_unit(one, other)
            changed[key[0]] = (moved + another, reviews + 1)
    ungraded = [key for key in both if without[key].right is None or with_names[key].right is None]
    one_side, other_side = _by_reviewer(without, both), _by_reviewer(with_names, both)
    bias = authority_bias(one_side, other_side, changed, repeated=_repeated(source))
    if every and not bias:
        bias = none_of_all(every, "shown", "hidden", "changed", "changed_low", "changed_high")
    return bias and {**bias, "ungraded": len(ungraded), **left_out_of(every, both)}


DraftsRead = tuple[str, int, str]
"""A question, the drafts' repeat, and who read them."""


def _by_play(source: Source, cells: Sequence[Stored]) -> dict[DraftsRead, EpisodeOutline]:
    return {(*episode.key, cell["captain"] or ""): episode for cell in cells for episode in source.seen(cell)}


def _by_reviewer(
    plays: Mapping[DraftsRead, EpisodeOutline], both: Sequence[DraftsRead]
) -> dict[tuple[str, str], list[Value]]:
    """By question and reviewer: each repeat that both sides have, in the same order."""
    values: dict[tuple[str, str], list[Value]] = {}
    for key in both:
        question, _, reviewer = key
        values.setdefault((question, reviewer), []).append(plays[key].value)
    return values


def _consensus(source: Source, cells: Sequence[Stored]) -> Iterator[Row | None]:
    """How rounds of argument ended. A debate is one for all its line-ups, so one of them tells."""
    counted_places: set[tuple[str, str | None, str | None]] = set()
    for cell in cells:
        place = (cell["label"], cell["team"], cell.get("cohort"))
        if cell["player"] is not None or place in counted_places:
            continue
        endings: dict[str, list[Ending]] = {}
        for row in source.results(cell):
            if '"ending"' in row["verdict"]:
                for ending in of_kind(verdict_of(row["verdict"]).traces, Ending):
                    endings.setdefault(row["question"], []).append(ending)
        if endings:
            counted_places.add(place)
            rate = consensus_rate(endings)
            named = {"stage": place[0], "team": place[1], "cohort": place[2]}
            yield {**named, **rate} if rate else None
