"""The safety net, from its store: what each stage rescued and what it spoilt, against the same players alone.

A stage is a strategy in which somebody answers twice: alone, and after hearing the others. What it said alone comes from
its `solo` cell with the same drafting, so both answers were graded in the same way; where that cell is not in the
experiment, the figures say what to add to the file, and the stage has none.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from moot.grade.normalise import normalise
from moot.measures.safety.cohorts import coverage, gap_closure, macro_average
from moot.measures.safety.pairs import (
    Pair,
    consensus_rate,
    gain_by_strength,
    lift,
    per_model,
    safety,
    split,
)
from moot.measures.safety.two_ways import authority_bias, formatting_tax
from moot.measures.source import Seen, Source, Stored
from moot.store.rows import verdict_of

Row = dict[str, Any]

SINGLE, DOUBLE = "single-call", "double-call"
REVIEW, DEBATE = "peer-review", "debate"
NAMED = "names=shown"
"""What the label of an authority audit has and that of the same review without names has not."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One strategy of one team, over all its captains and cohorts, as pairs of before and after."""

    label: str
    strategy: str
    team: str
    drafts: str
    pairs: tuple[Pair, ...]

    @property
    def named(self) -> Row:
        return {"stage": self.label, "team": self.team}


def safety_figures(source: Source, cells: Sequence[Stored]) -> Row:
    """The keys of the safety net; only those that there is something to say under."""
    alone = {(cell["player"], drafting(cell)): cell for cell in cells if cell["player"] is not None}
    led = [cell for cell in cells if cell["player"] is None and cell["captain"] is not None]
    stages = [stage for stage in _stages(source, led, alone) if stage.pairs]
    seed = source.seed
    models = [row for stage in stages for row in _models(stage, seed)]
    shown: Row = {
        "safety": [row for stage in stages for row in _safety(stage, seed)],
        "safety_missing": _missing(led, alone),
        "safety_models": models,
        "gain_by_strength": [row for stage in stages for row in _strength(stage, models)],
        "coverage": [row for stage in stages for row in _coverage(source, stage)],
        "gap_closure": [row for stage in stages for row in _gaps(stage, seed)],
        "debate_lift": [row for row in _lifts(stages, seed) if row],
        "macro_average": [
            {**stage.named, **found} for stage in stages if (found := macro_average(stage.pairs, seed=seed))
        ],
        "formatting_tax": _tax(source, alone),
        "authority_bias": list(_authority(source, led)),
        "consensus": [row for row in _consensus(source, cells) if row],
    }
    return {key: value for key, value in shown.items() if value}


def drafting(cell: Stored) -> str:
    """How native answers were asked for."""
    return str(json.loads(cell["spec"]).get("drafts", SINGLE))


def _stages(source: Source, led: Sequence[Stored], alone: Mapping[tuple[str, str], Stored]) -> Iterable[Stage]:
    together: dict[tuple[str, str], list[Stored]] = {}
    for cell in led:
        together.setdefault((cell["team"], cell["label"]), []).append(cell)
    for (team, label), each in together.items():
        pairs = [
            pair for cell in each for pair in native_pairs(source, cell, alone.get((cell["captain"], drafting(cell))))
        ]
        yield Stage(label, each[0]["strategy"], team, drafting(each[0]), tuple(pairs))


def native_pairs(source: Source, cell: Stored, alone: Stored | None) -> Iterable[Pair]:
    """The captain alone and as captain, wherever both have been played."""
    before: dict[tuple[str, int], Seen] = {each.key: each for each in source.seen(alone)} if alone else {}
    for after in source.seen(cell):
        if native := before.get(after.key):
            question, repeat = after.key
            case = source.cases[question]
            yield Pair(
                question,
                cell["captain"],
                native.right,
                after.right,
                native.outcome,
                after.outcome,
                cohort=cell.get("cohort"),
                repeat=repeat,
                dataset=case.category or case.package,
            )


def _missing(led: Iterable[Stored], alone: Mapping[tuple[str, str], Stored]) -> list[Row]:
    """Stages without native answers to compare with, and the strategy that would give them."""
    found: dict[tuple[str, str], Row] = {}
    for cell in led:
        drafts = drafting(cell)
        if (cell["captain"], drafts) not in alone:
            add = "- solo" if drafts == SINGLE else f"- solo: {{drafts: {drafts}}}"
            row = found.setdefault((cell["label"], drafts), {"stage": cell["label"], "captains": [], "add": add})
            row["captains"].append(cell["captain"])
    return list(found.values())


def _safety(stage: Stage, seed: int) -> Iterable[Row]:
    """Each cohort, and all of them together (cohort None) where there are several or none."""
    for cohort, pairs in _by_cohort(stage.pairs):
        counted = safety(pairs, seed=seed).row()
        refused = sum(pair.native_outcome == "refused" for pair in pairs)
        after = sum(pair.after_outcome == "refused" for pair in pairs)
        yield {"cohort": cohort, **stage.named, **counted, "refused": refused, "refused_after": after}


def _by_cohort(pairs: Sequence[Pair]) -> list[tuple[str | None, Sequence[Pair]]]:
    parts = {cohort: each for cohort, each in split(pairs, lambda pair: pair.cohort).items() if cohort is not None}
    whole: list[tuple[str | None, Sequence[Pair]]] = [(None, pairs)] if len(parts) != 1 else []
    return [*parts.items(), *whole]


def _models(stage: Stage, seed: int) -> Iterable[Row]:
    for row in per_model(stage.pairs, seed=seed):
        yield {**stage.named, **row}


def _strength(stage: Stage, models: Sequence[Row]) -> Iterable[Row]:
    own = [row for row in models if (row["stage"], row["team"]) == (stage.label, stage.team)]
    if found := gain_by_strength(own):
        yield {**stage.named, **found}


def _coverage(source: Source, stage: Stage) -> Iterable[Row]:
    choices = {
        question: len(case.question.choices) or 2
        for question, case in source.cases.items()
        if case.question.kind != "open"
    }
    for row in coverage(stage.pairs, choices=choices, seed=source.seed):
        yield {**stage.named, **row}


def _gaps(stage: Stage, seed: int) -> Iterable[Row]:
    """How far each cohort comes up to each that is better alone."""
    cohorts = {cohort: pairs for cohort, pairs in _by_cohort(stage.pairs) if cohort is not None}
    for weaker, stronger in permutations(cohorts, 2):
        native, after = (_by_model(cohorts[weaker], side) for side in ("native_right", "after_right"))
        found = gap_closure(native, after, _by_model(cohorts[stronger], "native_right"), seed=seed)
        if found.estimate is not None:
            yield {**stage.named, "cohort": weaker, "towards": stronger, **found.row()}


def _by_model(pairs: Iterable[Pair], side: str) -> dict[str, dict[str, float]]:
    """By model and question: the share of its repeats that are right."""
    found: dict[str, dict[str, list[bool]]] = {}
    for pair in pairs:
        found.setdefault(pair.model, {}).setdefault(pair.question, []).append(getattr(pair, side))
    return {
        model: {question: sum(each) / len(each) for question, each in of_model.items()}
        for model, of_model in found.items()
    }


def _lifts(stages: Sequence[Stage], seed: int) -> Iterable[Row | None]:
    """What a debate adds to a review of the same team from the same native answers."""
    for review in stages:
        for debate in stages:
            kinds = (review.strategy, debate.strategy)
            if kinds == (REVIEW, DEBATE) and (review.team, review.drafts) == (debate.team, debate.drafts):
                yield from _lift(review, debate, seed)


def _lift(review: Stage, debate: Stage, seed: int) -> Iterable[Row | None]:
    sides = [dict(_by_cohort(stage.pairs)) for stage in (review, debate)]
    for cohort in sides[0]:
        found = lift(sides[0][cohort], sides[1].get(cohort, ()), seed=seed)
        named = {"cohort": cohort, "before": review.label, "after": debate.label, "team": review.team}
        yield {**named, **found.row()} if found else None


def _tax(source: Source, alone: Mapping[tuple[str, str], Stored]) -> Row | None:
    """Players who have answered alone in both ways, on the same questions."""
    sides: dict[str, dict[tuple[str, str], float]] = {SINGLE: {}, DOUBLE: {}}
    if not sides.keys() <= {drafts for _, drafts in alone}:
        return None
    for (player, drafts), cell in alone.items():
        if drafts not in sides:
            continue
        values: dict[str, list[float]] = {}
        for each in source.seen(cell):
            values.setdefault(each.key[0], []).append(each.right or 0.0)
        sides[drafts].update({(question, player): sum(own) / len(own) for question, own in values.items()})
    return formatting_tax(sides[SINGLE], sides[DOUBLE], repeated=_repeated(source), seed=source.seed)


def _repeated(source: Source) -> bool:
    return int(source.config.get("repeats", 1)) > 1


def _authority(source: Source, led: Sequence[Stored]) -> Iterable[Row]:
    """Reviews that differ only in that names were shown: each cohort, and all of them together."""
    reviews: dict[tuple[str, str], list[Stored]] = {}
    for cell in led:
        if cell["strategy"] == REVIEW:
            reviews.setdefault((cell["team"], cell["label"]), []).append(cell)
    for (team, label), shown in reviews.items():
        if hidden := reviews.get((team, _without_names(label)), []) if NAMED in label else []:
            cohorts = dict.fromkeys(cell.get("cohort") for cell in shown)
            for cohort in (*cohorts, None) if len(cohorts) > 1 else cohorts:
                sides = [[cell for cell in side if cohort in (None, cell.get("cohort"))] for side in (hidden, shown)]
                if found := _bias(source, *sides):
                    yield {"stage": label, "team": team, "cohort": cohort, **found}


def _without_names(label: str) -> str:
    name, _, options = label.rstrip(")").partition("(")
    left = ", ".join(each for each in options.split(", ") if each != NAMED)
    return f"{name}({left})" if left else name


def _bias(source: Source, hidden: Sequence[Stored], shown: Sequence[Stored]) -> Row | None:
    said = [
        {(*each.key, cell["captain"]): each for cell in side for each in source.seen(cell)} for side in (hidden, shown)
    ]
    changed: dict[str, tuple[int, int]] = {}
    for key in sorted(said[0].keys() & said[1].keys()):
        one, other = (side[key].word for side in said)
        if one is not None and other is not None:
            moved, reviews = changed.get(key[0], (0, 0))
            changed[key[0]] = (moved + (normalise(one) != normalise(other)), reviews + 1)
    hidden_right, shown_right = (_by_reviewer(side) for side in said)
    return authority_bias(hidden_right, shown_right, changed, repeated=_repeated(source), seed=source.seed)


def _by_reviewer(said: Mapping[tuple[str, int, str], Seen]) -> dict[tuple[str, str], float]:
    """By question and reviewer: the mean over repeats."""
    values: dict[tuple[str, str], list[float]] = {}
    for (question, _, reviewer), each in said.items():
        values.setdefault((question, reviewer), []).append(each.right or 0.0)
    return {key: sum(own) / len(own) for key, own in values.items()}


def _consensus(source: Source, cells: Sequence[Stored]) -> Iterable[Row | None]:
    """How debates ended. A debate is one for all its line-ups, so one of them tells."""
    told: set[tuple[str, str, str | None]] = set()
    for cell in cells:
        place = (cell["label"], cell["team"], cell.get("cohort"))
        if cell["strategy"] != DEBATE or place in told:
            continue
        told.add(place)
        endings: dict[str, list[str]] = {}
        for row in source.results(cell):
            if ending := verdict_of(row["verdict"]).notes.get("ending"):
                endings.setdefault(row["question"], []).append(str(ending))
        found = consensus_rate(endings, seed=source.seed)
        yield {"stage": place[0], "team": place[1], "cohort": place[2], **found} if found else None
