"""Cohorts side by side: what each could reach at best, and means over sets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from moot.measures.quiz.skyline import guessing
from moot.measures.safety.pairs import (
    Native,
    Pair,
    Row,
    graded,
    of_all,
    pairs_by_question,
    questions_left_out,
    split,
    why_nobody_there,
    why_unfair_changes,
)
from moot.stats.estimates import estimate_row
from moot.stats.graded import Value, best_value, bounds_row, known, mean_value, why_unfair_together, with_settled
from moot.stats.graded_pairs import Pairs, compare_graded, difference_bounds, side_estimate
from moot.stats.independent_means import mean_between, mean_of_independent, sharing
from moot.types import Estimate

ONE_WORD = (
    "the answers after are no model's own: a vote gives one word for all, and who breaks its ties is no second answer"
)


def coverage(
    pairs: Sequence[Pair],
    others: Sequence[Native] = (),
    *,
    choices: Mapping[str, int] | None = None,
) -> list[Row]:
    """How often at least one model is right, alone and after: each cohort, then all together (cohort None).

    Alone means everybody at the table, also the `others` who do not answer again; then after is of fewer
    (`models_after`), and there is no difference between what other models could reach.
    Both are on the questions that everybody has who answers again.
    After has a ceiling only where every model answers again itself; what a vote comes to under the best of all
    tie-breaks nobody could choose. Beside it what as many independent guessers would reach, where the questions offer
    choices.
    """
    parts = split(pairs, lambda pair: pair.cohort) if any(pair.cohort for pair in pairs) else {}
    return [
        _covered(
            cohort,
            cohort_pairs,
            [native for native in others if cohort is None or native.cohort == cohort],
            choices or {},
        )
        for cohort, cohort_pairs in (*parts.items(), (None, list(pairs)))
        if cohort_pairs
    ]


def _covered(cohort: str | None, every: Sequence[Pair], natives: Sequence[Native], choices: Mapping[str, int]) -> Row:
    """Over the questions that are known to be covered or not; the bounds are over all that everybody has."""
    pairs = of_all(every)
    played = {(pair.question, pair.repeat) for pair in pairs}
    others = [native for native in natives if (native.question, native.repeat) in played]
    left_out = len(questions_left_out(every, pairs))
    own_words = all(pair.own_word for pair in pairs)
    alone, then = _alone(pairs, others), _after(pairs)
    unfair = why_unfair_together(
        [(value, then[question]) if own_words else (value,) for question, value in alone.items()]
    )
    native, after = ({}, {}) if unfair else (known(alone), known(then))
    both = [question for question in native if question in after or not own_words]
    sides: Pairs = {question: [(then[question] if own_words else value, value)] for question, value in alone.items()}
    models_after = len(_who_came((pair.model, pair.after_never_came) for pair in every))
    again = ((pair.model, pair.native_never_came) for pair in every)
    models = len(_who_came((*again, *((native.model, native.value.never_came) for native in natives))))
    offered = [choices[question] for question in both if question in choices]
    row: Row = {
        "cohort": cohort,
        "models": models,
        **({"models_after": models_after} if natives else {}),
        **_named(side_estimate(sides, 1), "native"),
        **_named(None, "after"),
        **_named(None, "difference"),
        "guessing": sum(guessing(models, offer) for offer in offered) / len(both) if offered else None,
        "ungraded": sum(
            value.known is None or (own_words and then[question].known is None) for question, value in alone.items()
        ),
        "n": len(both),
        **({"left_out": left_out} if left_out else {}),
    }
    if "bounds" in (beside := bounds_row(alone.values())):
        row["native_bounds"] = beside["bounds"]
    if not both:
        unknown = f"none of {len(alone)} questions is known to be covered or not, alone and after"
        row["why"] = unfair or (unknown if alone else f"none of {left_out} questions has been played by all models")
    if not own_words:
        return {**row, "why": "; ".join(filter(None, (unfair, ONE_WORD)))}
    row |= _named(side_estimate(sides, 0), "after")
    if "bounds" in (beside := bounds_row(then.values())):
        row["after_bounds"] = beside["bounds"]
    if natives:
        fewer = f"{models_after} of {models} models {'answers' if models_after == 1 else 'answer'} again, so that alone and after"
        return {**row, "why": "; ".join(filter(None, (row.get("why"), f"{fewer} are no pair")))}
    row |= _named(compare_graded(sides, pooled=True).difference, "difference")
    return {**row, **_difference_bounds(alone, then)}


def _who_came(models: Iterable[tuple[str, object]]) -> set[str]:
    """Those of whom some answer came, everybody where none did: whoever is silent is no guesser either."""
    every = list(models)
    return {model for model, never_came in every if not never_came} or {model for model, _ in every}


def _difference_bounds(alone: Mapping[str, Value], then: Mapping[str, Value]) -> Row:
    beside = difference_bounds({question: [(then[question], value)] for question, value in alone.items()})
    return {"bounds": beside["bounds"]} if beside else {}


def _alone(pairs: Iterable[Pair], others: Iterable[Native]) -> dict[str, Value]:
    return _anybody(
        [
            *(((pair.question, pair.repeat), pair.native_value) for pair in pairs),
            *(((native.question, native.repeat), native.value) for native in others),
        ]
    )


def _after(pairs: Iterable[Pair]) -> dict[str, Value]:
    return _anybody([((pair.question, pair.repeat), pair.after_value) for pair in pairs])


def _anybody(answers: Sequence[tuple[tuple[str, int], Value]]) -> dict[str, Value]:
    """The share of repeats in which anybody was right; with one repeat, whether.

    Where one answer is ungraded it is not known, whatever the others are: see `best_value`.
    """
    plays: dict[str, dict[int, list[Value]]] = {}
    for (question, repeat), value in answers:
        plays.setdefault(question, {}).setdefault(repeat, []).append(value)
    return with_settled(
        {
            question: mean_value([best_value(several) for _, several in sorted(repeats.items())])
            for question, repeats in sorted(plays.items())
        }
    )


def _named(interval: Estimate | None, name: str) -> Row:
    row = estimate_row(interval, name)
    return {name: row[name], f"{name}_low": row["low"], f"{name}_high": row["high"]}


def macro_average(pairs: Sequence[Pair]) -> Row | None:
    """Every dataset of equal weight, however many questions it has: alone, after, and the difference.

    None below two datasets. The interval adds up what the questions of each dataset leave open; how much datasets
    themselves differ is not in it, since they were not drawn at random.
    """
    level = of_all(pairs)
    with_dataset = [pair for pair in level if pair.dataset is not None]
    sets = split(with_dataset, lambda pair: pair.dataset)
    if len(sets) < 2:
        return None
    rows = [_dataset(name, dataset_pairs) for name, dataset_pairs in sets.items()]
    ungraded = len(with_dataset) - len(graded(with_dataset))
    left_out = len(questions_left_out(pairs, level))
    beside: Row = {"datasets": rows, "ungraded": ungraded, **_mean_bounds(rows)}
    beside |= {"left_out": left_out} if left_out else {}
    if unknown := [row for row in rows if row["difference"] is None]:
        why = "; ".join(f"{row['dataset']}: {row['why']}" for row in unknown)
        return {"native": None, "after": None, **estimate_row(None, "difference"), **beside, "why": why}
    mean = {key: sum(row[key] for row in rows) / len(rows) for key in ("native", "after")}
    compared = [compare_graded(pairs_by_question(of_set), pooled=True).figure for of_set in sets.values()]
    mean_of_sets = partial(
        mean_of_independent, shared=sharing([[pair.question for pair in own] for own in sets.values()])
    )
    gain = mean_between([figure for figure in compared if figure is not None], mean_of_sets)
    return {**mean, **estimate_row(gain, "difference"), **beside}


def _mean_bounds(rows: Sequence[Row]) -> Row:
    """Over all pairs, whatever the ungraded ones turn out to be; nothing where all is graded."""
    if not any("bounds" in row for row in rows):
        return {}
    ends = [row.get("bounds") or {"low": row["difference"], "high": row["difference"]} for row in rows]
    low, high = (sum(end[side] for end in ends) / len(ends) for side in ("low", "high"))
    return {"bounds": {"low": low, "high": high}}


def _dataset(name: str, every: Sequence[Pair]) -> Row:
    """Over the graded pairs of one set; where some are not, with the bounds over all."""
    pairs, sides = graded(every), pairs_by_question(every)
    beside = difference_bounds(sides)
    bounds: Row = {"bounds": beside["bounds"]} if beside else {}
    if (why := why_nobody_there(every) or why_unfair_changes(every)) or not pairs:
        why = why or "no pair has both answers graded"
        return {
            "dataset": name,
            "native": None,
            "after": None,
            **estimate_row(None, "difference"),
            **bounds,
            "why": why,
        }
    parts = split(pairs, lambda pair: pair.question)
    native, after = (
        {q: sum(getattr(pair, side) for pair in of_question) / len(of_question) for q, of_question in parts.items()}
        for side in ("native_score", "after_score")
    )
    difference = estimate_row(compare_graded(sides, pooled=True).difference, "difference")
    means = {side: sum(values.values()) / len(values) for side, values in (("native", native), ("after", after))}
    return {"dataset": name, **means, **difference, **bounds}
