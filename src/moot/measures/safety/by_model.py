"""Each model by its name: what a form in the same call costs it, and where it stands in its own cohort, alone and after."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any

from moot.measures.episodes import EpisodeOutline
from moot.measures.safety.gap import gap_closure
from moot.measures.safety.pairs import Native, Pair, split
from moot.stats.graded import Value, accuracy_row, mean_value, whole_mean
from moot.stats.graded_pairs import Pairs, apart_row, errors_apart, fair_pairs, family_row
from moot.stats.paired import FEW_QUESTIONS

Row = dict[str, Any]
ValuesByQuestion = Mapping[str, Value]
"""By question."""
WHEN = {"alone": "native_value", "after": "after_value"}
ONLY_ONE = "it is the only model of its cohort"


def values_alone(seen: Iterable[EpisodeOutline]) -> dict[str, Value]:
    """What a player got right by itself, by question, over its repeats."""
    values: dict[str, list[Value]] = {}
    for episode in seen:
        values.setdefault(episode.key[0], []).append(episode.value)
    return {question: mean_value(several) for question, several in values.items()}


def tax_rows(
    single: Mapping[str, ValuesByQuestion], double: Mapping[str, ValuesByQuestion], *, repeated: bool
) -> Iterator[Row]:
    """By model, asked in one call and in two: right with two less right with one, question by question."""
    for model in sorted(single.keys() & double.keys()):
        pairs: Pairs = {
            question: [(value, single[model][question])]
            for question, value in double[model].items()
            if question in single[model]
        }
        if pairs:
            compared = apart_row(pairs, pooled=repeated)
            yield {"model": model, **_means(pairs, "double", "single"), **compared}


def _means(pairs: Pairs, one: str, other: str) -> Row:
    """Both sides over the questions of which both are graded, so that their difference is the difference."""
    both = [(first.known, second.known) for ((first, second),) in fair_pairs(pairs).values()]
    graded = [(first, second) for first, second in both if first is not None and second is not None]
    if not graded:
        return {one: None, other: None}
    return {name: sum(pair[place] for pair in graded) / len(graded) for place, name in enumerate((one, other))}


def by_model(pairs: Sequence[Pair], side: str) -> dict[str, dict[str, Value]]:
    """By model and question: the share of its repeats that are right, and what it can be where not all is graded."""
    values: dict[str, dict[str, list[Value]]] = {}
    for pair in pairs:
        values.setdefault(pair.model, {}).setdefault(pair.question, []).append(getattr(pair, side))
    return {
        model: {question: mean_value(several) for question, several in of_model.items()}
        for model, of_model in values.items()
    }


def gap_rows(cohorts: Mapping[str, Sequence[Pair]]) -> Iterator[Row]:
    """How far each model comes up to the best of each other cohort; nothing where it is no worse already."""
    for weaker, stronger in permutations(cohorts, 2):
        native, after = (by_model(cohorts[weaker], side) for side in WHEN.values())
        best = by_model(cohorts[stronger], WHEN["alone"])
        for model in sorted(native):
            closure = gap_closure({model: native[model]}, {model: after[model]}, best)
            if closure.estimate is not None or closure.why is not None:
                yield {"cohort": weaker, "towards": stronger, "model": model, **closure.row()}


def average_rows(pairs: Sequence[Pair], others: Sequence[Native] = ()) -> Iterator[Row]:
    """The mean over the models of each cohort, alone and after; without cohorts the team is one.

    Alone it is over everybody, also the `others` who do not answer again; after over those who do: `models` says how many.
    """
    for cohort, cohort_pairs in split(pairs, lambda pair: pair.cohort).items():
        for when in WHEN:
            values = _everybody(cohort, cohort_pairs, others, when)
            named = {"cohort": cohort, "when": when, "models": len(values)}
            yield {**named, **accuracy_row(_average(values))}


def _everybody(
    cohort: str | None, pairs: Sequence[Pair], others: Sequence[Native], when: str
) -> dict[str, dict[str, Value]]:
    """Those of a cohort who answer alone, or after."""
    values = by_model(pairs, WHEN[when])
    if when == "after":
        return values
    silent: dict[str, dict[str, list[Value]]] = {}
    for native in others:
        if native.cohort == cohort:
            silent.setdefault(native.model, {}).setdefault(native.question, []).append(native.value)
    return values | {
        model: {question: mean_value(several) for question, several in of_model.items()}
        for model, of_model in silent.items()
    }


def model_rows(pairs: Sequence[Pair], others: Sequence[Native] = ()) -> Iterator[Row]:
    """Every model, alone and after, against the average of its own cohort on the same questions, itself included."""
    for cohort, cohort_pairs in split(pairs, lambda pair: pair.cohort).items():
        for when in WHEN:
            values = _everybody(cohort, cohort_pairs, others, when)
            average = _average(values)
            for model, of_model in sorted(values.items()):
                right = accuracy_row(of_model)
                own = {"value": right["value"], "value_low": right["low"], "value_high": right["high"]}
                own |= {"value_bounds": right["bounds"]} if "bounds" in right else {}
                named = {"cohort": cohort, "model": model, "when": when, **own, "value_n": right["n"]}
                against = _against(of_model, average, len(values))
                yield {**named, **against, **({} if against["difference"] is not None else _of_share(right["n"]))}


def _of_share(questions: int) -> Row:
    """Where there is no difference, the row is about the share alone."""
    return {"n": questions, "small": questions < FEW_QUESTIONS}


def _average(values: Mapping[str, ValuesByQuestion]) -> dict[str, Value]:
    """On the questions that all of them have: else it would be the mean of others from question to question."""
    asked = set.intersection(*(set(of_model) for of_model in values.values())) if values else set()
    return {question: whole_mean([of_model[question] for of_model in values.values()]) for question in sorted(asked)}


def _against(values: ValuesByQuestion, average: ValuesByQuestion, models: int) -> Row:
    pairs: Pairs = {question: [(values[question], mean)] for question, mean in average.items()}
    row = errors_apart(family_row(pairs, pooled=True), pairs)  # an average abstains from nothing
    if models < 2:
        nothing = dict.fromkeys(("difference", "low", "high", "p"))
        return {"average": _means(pairs, "value", "average")["average"], **row, **nothing, "why": ONLY_ONE}
    return {"average": _means(pairs, "value", "average")["average"], **row}
