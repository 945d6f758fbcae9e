"""What the models could reach at best, alone and after; and means over sets of questions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from second_way.compare import ANY_TEXT
from second_way.intervals import Difference, Waiting, mean, waiting_interval
from second_way.paired_scores import mean_difference, share
from second_way.pairs import Other, Pair, Side, Stage, nobody_there, split, stages, unfair_pairs
from second_way.quiz_pairs import extremes
from second_way.raw import Raw
from second_way.shares import never_came, unfair

Row = dict[str, Any]
Anybody = Mapping[str, tuple[float | None, float, float]]
"""By question: how often anybody was right, the least and the most that it can be."""


def coverage(raw: Raw) -> Row:
    every = stages(raw)
    figures: Row = {
        "coverage": [{**stage.named, **row} for stage in every for row in _ceilings(raw, stage)],
        "macro_average": [{**stage.named, **row} for stage in every for row in _over_sets(stage)],
    }
    return {key: rows for key, rows in figures.items() if rows}


def _ceilings(raw: Raw, stage: Stage) -> list[Row]:
    """Each cohort, and all together always."""
    parts = split(stage.pairs, lambda pair: pair.cohort) if any(pair.cohort for pair in stage.pairs) else {}
    return [
        _ceiling(raw, cohort, pairs, [other for other in stage.others if cohort in (None, other.cohort)])
        for cohort, pairs in (*parts.items(), (None, stage.pairs))
    ]


def _ceiling(raw: Raw, cohort: str | None, played: Sequence[Pair], beside: Sequence[Other]) -> Row:
    who = {(pair.cohort, pair.player) for pair in played}
    there = Counter((pair.question, pair.repeat) for pair in played)
    pairs = [pair for pair in played if there[pair.question, pair.repeat] == len(who)]
    others = [other for other in beside if there[other.question, other.repeat] == len(who)]
    some = {pair.question for pair in played} - {pair.question for pair in pairs}
    native, after = _anybody([*pairs, *others], "native"), _anybody(pairs, "after")
    own_words = all(pair.own_word for pair in pairs)
    both = [
        question
        for question in native
        if native[question][0] is not None and (after[question][0] is not None or not own_words)
    ]
    ungraded = len(native) - len(both)
    if _flattering([*pairs, *others], [("native", native), *([("after", after)] if own_words else [])]):
        both = []
    waits = {"native": _waits([*pairs, *others], "native", native)}
    waits |= {"after": _waits(pairs, "after", after)} if own_words else {}
    waiting = any(waits.values())
    gradable = [q for q in native if native[q][0] is not None or q in waits["native"]]
    gradable = [q for q in gradable if not own_words or after[q][0] is not None or q in waits["after"]]
    models = len(_spoke([*played, *beside], "native"))
    row: Row = {
        "cohort": cohort,
        "models": models,
        **({"models_after": len(_spoke(played, "after"))} if beside else {}),
        **_whatever("native", [native[question][0] or 0.0 for question in both], native, gradable, waiting),
        **_whatever(
            "after", [after[question][0] or 0.0 for question in both] if own_words else [], after, gradable, waiting
        ),
        "difference": None,
        "difference_low": None,
        "difference_high": None,
        "guessing": _guessing(raw, both, models),
        "ungraded": ungraded,
        "n": len(both),
        **_bounds("native_bounds", native),
        **({"left_out": len(some)} if some else {}),
    }
    if not own_words or not both:
        row["why"] = ANY_TEXT
    if not own_words:
        return row
    row |= _bounds("after_bounds", after)
    if beside:
        return {**row, "why": ANY_TEXT}
    gains = {question: (after[question][0] or 0.0) - (native[question][0] or 0.0) for question in both}
    value, low, high, _ = mean_difference(gains)
    if waiting and value is not None:
        worst = mean_difference({q: after[q][1] - native[q][2] for q in gradable})
        best = mean_difference({q: after[q][2] - native[q][1] for q in gradable})
        low, high = (
            None if low is None or end is None else far(value, end) for far, end in ((min, worst[1]), (max, best[2]))
        )
    row |= {"difference": value, "difference_low": low, "difference_high": high}
    if any(known is None or least < most for side in (native, after) for known, least, most in side.values()):
        row["bounds"] = {
            "low": mean([after[question][1] - native[question][2] for question in native]),
            "high": mean([after[question][2] - native[question][1] for question in native]),
        }
    return row


def _spoke(pairs: Sequence[Pair | Other], side: str) -> set[str]:
    """Of whom some answer came, alone or after; everybody where none did."""
    every = {pair.player for pair in pairs}
    return {
        name for name in every if not never_came([getattr(p, side).grade] for p in pairs if p.player == name)
    } or every


def _waits(pairs: Sequence[Pair | Other], side: str, values: Anybody) -> set[str]:
    """The questions of which an answer waits for its grade, unless nothing that waits can change any of them."""
    if all(least == most for _, least, most in values.values()):
        return set()
    answers = [(pair.question, getattr(pair, side)) for pair in pairs]
    return {question for question, answer in answers if answer.right is None and answer.grade is None}


def _whatever(name: str, known: Sequence[float], values: Anybody, gradable: Sequence[str], waiting: bool) -> Row:
    row = _share(name, known)
    if not waiting or not known:
        return row
    worst, best = ([values[question][end] for question in gradable] for end in (1, 2))
    low, high = waiting_interval(mean(known), worst, best)
    return {**row, f"{name}_low": low, f"{name}_high": high}


def _flattering(pairs: Sequence[Pair | Other], sides: Sequence[tuple[str, Anybody]]) -> bool:
    """Of the sides that what is ungraded can change: whether a question that is graded is so because it is right."""
    unsettled = [side for side, values in sides if any(least != most for _, least, most in values.values())]
    by_question: dict[str, list[Any]] = {}
    for pair in pairs:
        answers = [getattr(pair, side) for side in unsettled if hasattr(pair, side)]
        by_question.setdefault(pair.question, []).extend(answer.grade for answer in answers)
    return unfair(list(by_question.values()))


def _anybody(pairs: Sequence[Pair | Other], side: str) -> Anybody:
    """Known of a play where every answer is graded; or of all, where what is ungraded can change none."""
    found: dict[str, tuple[float | None, float, float]] = {}
    answers: dict[str, dict[int, list[Side]]] = {}
    for pair in sorted(pairs, key=lambda pair: pair.question):
        answers.setdefault(pair.question, {}).setdefault(pair.repeat, []).append(getattr(pair, side))
    for question, repeats in answers.items():
        plays = list(repeats.values())
        graded = [max(answer.least for answer in play) for play in plays if not _ungraded(play)]
        ends = [[max(getattr(answer, end) for answer in play) for play in plays] for end in ("least", "most")]
        found[question] = mean(graded) if graded else None, mean(ends[0]), mean(ends[1])
    if all(least == most for _, least, most in found.values()):
        return {question: (least, least, most) for question, (_, least, most) in found.items()}
    return found


def _ungraded(answers: Sequence[Side]) -> bool:
    return any(answer.right is None for answer in answers)


def _share(name: str, values: Sequence[float]) -> Row:
    value, low, high = share({str(place): (value, 1.0) for place, value in enumerate(values)})
    return {name: value, f"{name}_low": low, f"{name}_high": high}


def _bounds(name: str, values: Anybody) -> Row:
    if all(known is not None and least == most for known, least, most in values.values()):
        return {}
    return {name: {end: mean([value[place] for value in values.values()]) for place, end in ((1, "low"), (2, "high"))}}


def _guessing(raw: Raw, questions: Sequence[str], models: int) -> float | None:
    """How often at least one of so many would hit by chance."""
    offered = [len(raw.questions[question]["question"].get("choices", ())) for question in questions]
    if not any(offered):
        return None
    return mean([1 - (1 - 1 / choices) ** models if choices else 0.0 for choices in offered])


def _over_sets(stage: Stage) -> list[Row]:
    """Each set of questions counts the same. Nothing below two sets."""
    who = {(pair.cohort, pair.player) for pair in stage.pairs}
    there = Counter((pair.question, pair.repeat) for pair in stage.pairs)
    whole = [pair for pair in stage.pairs if there[pair.question, pair.repeat] == len(who)]
    with_set = [pair for pair in whole if pair.dataset is not None]
    some = {pair.question for pair in stage.pairs} - {pair.question for pair in whole}
    out = {"left_out": len(some)} if some else {}
    sets = split(with_set, lambda pair: pair.dataset)
    if len(sets) < 2:
        return []
    rows: list[Row] = []
    figures: list[Difference | Waiting] = []
    for name, pairs in sets.items():
        graded = [] if nobody_there(pairs) or unfair_pairs(pairs) else [pair for pair in pairs if pair.graded]
        by_question = split(graded, lambda pair: pair.question)
        bounds = _set_bounds(pairs)
        if not graded:
            nothing = dict.fromkeys(("native", "after", "difference", "low", "high"))
            rows.append({"dataset": name, **nothing, "n": 0, **bounds, "why": ANY_TEXT})
            continue
        native, after = (
            {question: mean([getattr(pair, side).least for pair in part]) for question, part in by_question.items()}
            for side in ("native", "after")
        )
        gains = {question: after[question] - native[question] for question in by_question}
        value, low, high, _ = mean_difference(gains)
        figures.append(_waiting(Difference([*gains.values()]), pairs))
        if isinstance(figures[-1], Waiting):
            low, high = figures[-1].limits()
        sides = {"native": mean([*native.values()]), "after": mean([*after.values()])}
        rows.append(
            {"dataset": name, **sides, "difference": value, "low": low, "high": high, "n": len(by_question)} | bounds
        )
    if any(row["difference"] is None for row in rows):
        nothing = dict.fromkeys(("native", "after", "difference", "low", "high"))
        beside = {"datasets": rows, "ungraded": sum(not pair.graded for pair in with_set), "n": 0}
        return [{**nothing, **beside, **_set_bounds(with_set), **out, "why": ANY_TEXT}]
    means = {key: mean([row[key] for row in rows]) for key in ("native", "after", "difference")}
    low, high = _together(rows, figures)
    ungraded = sum(not pair.graded for pair in with_set)
    beside = {"datasets": rows, "ungraded": ungraded, "n": len(rows), **_set_bounds(with_set)}
    return [{**means, "low": low, "high": high, **beside, **out}]


def _waiting(seen: Difference, pairs: Sequence[Pair]) -> Difference | Waiting:
    """The same while pairs wait for a grade: with these at their worst and at their best for the difference; without those
    that will never have one."""
    if not any(pair.waits for pair in pairs):
        return seen
    sides = [(pair, (pair.native, pair.after)) for pair in pairs]
    may_be = [pair for pair, both in sides if all(side.right is not None or side.grade is None for side in both)]
    gradable = split(may_be, lambda pair: pair.question).values()
    ends = [extremes([(pair.after.value, pair.native.value) for pair in part]) for part in gradable]
    return Waiting(seen, Difference([low for low, _ in ends]), Difference([high for _, high in ends]))


def _together(rows: Sequence[Row], figures: Sequence[Difference | Waiting]) -> tuple[float | None, float | None]:
    """The limits of a mean of independent figures, as those of any mean over sets: the distances from each figure to its
    own limits, squared and added up (Zou and Donner 2008). So it has a width wherever they have one. Where pairs wait the
    low end is that of all sets at their worst, the high end that of all at their best."""
    if any(row["low"] is None for row in rows):
        return None, None
    seen, worst, best = (
        [getattr(figure, end) if isinstance(figure, Waiting) else figure for figure in figures]
        for end in ("seen", "worst", "best")
    )
    value = mean([figure.value for figure in seen])
    return min(value, _mean_limits(worst)[0]), max(value, _mean_limits(best)[1])


def _mean_limits(figures: Sequence[Difference]) -> tuple[float, float]:
    value, n = mean([figure.value for figure in figures]), len(figures)
    limits = [figure.limits() for figure in figures]
    below = math.sqrt(
        math.fsum((figure.value - (low or 0.0)) ** 2 for figure, (low, _) in zip(figures, limits, strict=True))
    )
    above = math.sqrt(
        math.fsum(((high or 0.0) - figure.value) ** 2 for figure, (_, high) in zip(figures, limits, strict=True))
    )
    return value - below / n, value + above / n


def _set_bounds(pairs: Sequence[Pair]) -> Row:
    """Over all pairs, whatever the ungraded turn out to be; each set counts the same, and each question in it."""
    if all(pair.graded for pair in pairs):
        return {}
    ends: list[list[float]] = [[], []]
    for of_set in split(pairs, lambda pair: pair.dataset).values():
        parts = split(of_set, lambda pair: pair.question).values()
        both = [extremes([(pair.after.value, pair.native.value) for pair in part]) for part in parts]
        for place in (0, 1):
            ends[place].append(mean([one[place] for one in both]))
    return {"bounds": {"low": mean(ends[0]), "high": mean(ends[1])}}
