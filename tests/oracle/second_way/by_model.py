"""Each model by its name: what a form costs it, where it stands in its cohort, how far it comes up to another one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any

from scipy import stats

from second_way.cohort_gap import _closed, _players
from second_way.compare import ANY_TEXT
from second_way.intervals import Rho, mean, waiting_interval
from second_way.pairs import Other, Pair, Side, Stage, drafting, nobody_there, of_everybody, split, stages, unfair_pairs
from second_way.quiz_pairs import TESTED, Pairs, adjusted, apart_on_both_sides, bounds, difference, errors_apart, paid
from second_way.ranked import DEALT_AS
from second_way.raw import Cell, Episode, Raw
from second_way.shares import Value, accuracy_row, completed, flattering, unfair_together, value_of, whole_mean
from second_way.two_ways import both_ways

Row = dict[str, Any]
Values = Mapping[str, Value]


def by_model(raw: Raw) -> Row:
    every = stages(raw)
    figures: Row = {
        "formatting_tax_models": adjusted(list(_taxes(raw))),
        "gap_closure_models": [{**stage.named, **row} for stage in every for row in _gaps(raw, stage.by_cohort())],
        "cohort_averages": [{**stage.named, **row} for stage in every for row in _averages(stage)],
        "cohort_models": adjusted([{**stage.named, **row} for stage in every for row in _models(stage)]),
        "gain_by_strength": paid([{**stage.named, **row} for stage in every if (row := _strength(raw, stage.pairs))]),
        "safety_missing": _missing(raw),
    }
    return {key: value for key, value in figures.items() if value}


def _taxes(raw: Raw) -> Iterator[Row]:
    """Right with two calls less right with one."""
    every = both_ways(raw)
    labels = list(dict.fromkeys(one.label for one, _ in every))
    for label in labels:
        for one, two in sorted(
            (pair for pair in every if pair[0].label == label), key=lambda pair: str(pair[0].player)
        ):
            single, double = _alone(raw, one), _alone(raw, two)
            pairs = {q: [(value, single[q])] for q, value in double.items() if q in single}
            if pairs:
                named = {"model": one.player} | ({"label": label} if len(labels) > 1 else {})
                compared = apart_on_both_sides(difference(pairs, means=raw.repeats > 1), pairs) | bounds(pairs)
                yield {**named, **_sides(pairs, "double", "single"), **compared}


def _alone(raw: Raw, cell: Cell) -> dict[str, Value]:
    asked: dict[str, list[Episode]] = {}
    for episode in raw.episodes(cell):
        asked.setdefault(episode.question, []).append(episode)
    return {q: value_of([one.right for one in own], [one.answer for one in own]) for q, own in asked.items()}


def _sides(pairs: Pairs, one: str, other: str) -> Row:
    """Over the questions of which both are graded."""
    known = [(a.known, b.known) for ((a, b),) in pairs.values() if a.known is not None and b.known is not None]
    if not known or unfair_together([pair for several in pairs.values() for pair in several]):
        return {one: None, other: None}
    return {one: mean([a or 0.0 for a, _ in known]), other: mean([b or 0.0 for _, b in known])}


def _gaps(raw: Raw, by_cohort: Sequence[tuple[str | None, Sequence[Pair]]]) -> Iterator[Row]:
    cohorts = {name: pairs for name, pairs in by_cohort if name is not None}
    for weaker, stronger in permutations(cohorts, 2):
        after, native = (_players(cohorts[weaker], side) for side in ("after", "native"))
        for model in sorted(native):
            sides = [{model: after[model]}, {model: native[model]}, _players(cohorts[stronger], "native")]
            if (row := _closed(raw, sides)) is not None:
                yield {"cohort": weaker, "towards": stronger, "model": model, **row}


def _values(pairs: Sequence[Pair | Other], side: str) -> dict[str, dict[str, Value]]:
    answers: dict[str, dict[str, list[Side]]] = {}
    for pair in pairs:
        answers.setdefault(pair.player, {}).setdefault(pair.question, []).append(getattr(pair, side))
    return {
        model: {q: value_of([one.grade for one in own], [one.said for one in own]) for q, own in asked.items()}
        for model, asked in answers.items()
    }


def _average(values: Mapping[str, Values]) -> dict[str, Value]:
    """On the questions that all have."""
    asked = set.intersection(*(set(own) for own in values.values()))
    return {question: whole_mean([own[question] for own in values.values()]) for question in asked}


def _everybody(stage: Stage) -> Iterator[tuple[str | None, str, dict[str, dict[str, Value]]]]:
    """By cohort and when: alone those too who do not answer again."""
    for cohort, own in split(stage.pairs, lambda pair: pair.cohort).items():
        others = [other for other in stage.others if other.cohort == cohort]
        yield cohort, "alone", _values([*own, *others], "native")
        yield cohort, "after", _values(own, "after")


def _averages(stage: Stage) -> Iterator[Row]:
    for cohort, when, values in _everybody(stage):
        yield {"cohort": cohort, "when": when, "models": len(values), **_accuracy(_average(values))}


def _accuracy(values: Values) -> Row:
    known = [value.known for value in values.values() if value.known is not None]
    known = [] if flattering(values.values()) else known
    row = accuracy_row({str(place): [value] for place, value in enumerate(known)})
    if known and any(value.waits for value in values.values()):
        row["low"], row["high"] = waiting_interval(mean(known), *completed(values.values()))
    if any(value.open for value in values.values()):
        low, high = (mean([getattr(value, end) for value in values.values()]) for end in ("least", "most"))
        row |= {"bounds": {"low": low, "high": high}, "ungraded": sum(v.most - v.least for v in values.values())}
    return row if known else {**row, "why": ANY_TEXT}


def _models(stage: Stage) -> Iterator[Row]:
    """Against the average of the own cohort, itself included."""
    for cohort, when, values in _everybody(stage):
        average = _average(values)
        for model in sorted(values):
            right = _accuracy(values[model])
            beside: Pairs = {question: [(values[model][question], value)] for question, value in average.items()}
            row = errors_apart(difference(beside, means=True) | bounds(beside), beside)
            if len(values) < 2:
                row |= {"difference": None, "low": None, "high": None, "p": None, "why": ANY_TEXT}
                row.pop(TESTED, None)
            named = {"cohort": cohort, "model": model, "when": when, "value": right["value"]}
            named |= {"value_low": right["low"], "value_high": right["high"]}
            named |= {"value_bounds": right["bounds"]} if "bounds" in right else {}
            named["value_n"] = right["n"]
            if row["difference"] is None:
                row |= {"n": right["n"], "small": right["n"] < 30}
            yield {**named, "average": _sides(beside, "value", "average")["average"], **row}


def _strength(raw: Raw, pairs: Sequence[Pair]) -> Row | None:
    """Spearman of how right each is alone on one half of the questions, and what it gains on the other."""
    everybody = {pair.player for pair in pairs}
    if len(everybody) < 3:
        return None
    pairs, missing = of_everybody(pairs)
    known = [pair for pair in pairs if pair.graded]
    models = split(known, lambda pair: pair.player)
    beside: Row = {"models": len(models), "pairs": len(known), **({"left_out": missing} if missing else {})}
    if len(known) < len(pairs):
        beside["ungraded"] = len(pairs) - len(known)
    if nobody_there(pairs) or unfair_pairs(pairs) or len(models) < len(everybody):
        return {**dict.fromkeys(("rho", "low", "high", "p")), **beside, "why": ANY_TEXT}
    half = _half(raw, {pair.question for pair in pairs})
    strengths, gains = [], []
    for own in models.values():
        sides = [[pair for pair in own if (pair.question in half) is inside] for inside in (True, False)]
        if not all(sides):
            return None
        strengths.append(mean([pair.native.least for pair in sides[0]]))
        gains.append(mean([pair.after.least - pair.native.least for pair in sides[1]]))
    ranks = [[*stats.rankdata([round(value, 12) for value in side])] for side in (strengths, gains)]
    if any(len(set(side)) < 2 for side in ranks):
        return None
    rho = float(stats.pearsonr(*ranks).statistic)
    orders = [float(stats.pearsonr(ranks[0], order).statistic) for order in permutations(ranks[1])]
    row: Row = {"rho": rho, "low": None, "high": None, **beside}
    if any(pair.waits for pair in pairs):
        return {**row, "p": None, "why": ANY_TEXT}
    row["p"] = mean([float(abs(other) >= abs(rho) - 1e-9) for other in orders])
    tested = Rho(rho, len(models), row["p"])
    row |= {TESTED: tested, **dict(zip(("low", "high"), tested.limits(), strict=True))}
    return row if row["low"] is not None else {**row, "why": ANY_TEXT}


def _half(raw: Raw, questions: set[str]) -> set[str]:
    """Every second in the order of a hash of the seed and of what is asked."""

    def drawn(question: str) -> str:
        text = json.dumps([raw.seed, "half", DEALT_AS[question]], separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    return set(sorted(questions, key=drawn)[::2])


def _missing(raw: Raw) -> list[Row]:
    """Whoever leads and is asked by itself nowhere: neither alone, nor for a draft."""
    alone = {(cell.player, drafting(cell)) for cell in raw.cells if cell.traits.get("alone")}
    missing: dict[tuple[str, str], Row] = {}
    for cell in raw.cells:
        if cell.captain is None or "captain" not in cell.traits or (cell.captain, drafting(cell)) in alone:
            continue
        drafted = (
            {answer[0] for episode in raw.episodes(cell) for answer in episode.verdict.get("answers", ())}
            if cell.traits.get("drafts")
            else set()
        )
        if cell.captain not in drafted:
            row = missing.setdefault(
                (cell.label, drafting(cell)), {"stage": cell.label, "captains": [], "add": ANY_TEXT}
            )
            row["captains"].append(cell.captain)
    return list(missing.values())
