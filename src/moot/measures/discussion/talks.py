"""What discussions amount to: scores with their deviation, turns to a decision, lines over agents and rounds, likeness.

Pure functions: no store, no model. Questions are the unit; repeats of one question are one cluster. The deviation over
repeats says how much a run varies and is no standard error, so the interval over questions stands beside it. What does
not exist is None, never NaN.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean, stdev
from typing import Any

from moot.stats.estimates import estimate_row
from moot.stats.graded import Value, WayOfGrading, accuracy_row, ended_value, fair, known, mean_value, said_value
from moot.stats.paired import FEW_QUESTIONS, cluster_bootstrap, difference, few, mean_difference, mean_of
from moot.types import Estimate

Row = dict[str, Any]
Cosine = Callable[[str, str], float]


@dataclass(frozen=True, slots=True)
class Talk:
    """One discussion and how it ended, without the words."""

    question: str
    right: float | None
    """None: ungraded, and so in no score."""
    outcome: str = "answered"
    turns: int = 1
    """The turn of the decision; without one, the last turn."""
    repeat: int = 0
    dataset: str | None = None
    way: WayOfGrading = "at once"
    """How it came by its grade, or why it has none."""
    open_words: str | None = None
    """What was answered, where nobody has graded that, as far as equal words have equal grades."""
    never_came: str | None = None
    """Whose it is, where every discussion of its cell failed."""

    @property
    def value(self) -> Value:
        return ended_value(said_value(self.right, self.way, self.open_words), self.outcome, self.never_came)


def values_of(talks: Iterable[Talk]) -> dict[str, Value]:
    """By question, over its repeats."""
    values: dict[str, list[Value]] = {}
    for talk in talks:
        values.setdefault(talk.question, []).append(talk.value)
    return {question: mean_value(several) for question, several in values.items()}


def graded(talks: Iterable[Talk]) -> list[tuple[Talk, float]]:
    """What is known to be right or wrong, each with its score."""
    return [(talk, talk.right) for talk in talks if talk.right is not None]


def by_question(talks: Iterable[Talk]) -> dict[str, float]:
    """The score of each question, over those of its repeats that are graded; none at all where these would flatter."""
    return known(fair(values_of(talks)))


def score(talks: Sequence[Talk]) -> Row:
    """The mean score with its interval over questions, and the deviation over repeats.

    Over what is graded; where something is not, `bounds` are what the mean over all questions lies between.
    """
    row = accuracy_row(values_of(talks))
    units: int = row["n"] if row.get("clusters") is None else row["clusters"]
    return {
        **row,
        "deviation": deviation(talks) if row["value"] is not None else None,
        "repeats": len({talk.repeat for talk in talks}),
        "ungraded": sum(talk.right is None for talk in talks),
        "small": units < FEW_QUESTIONS,
    }


def deviation(talks: Iterable[Talk]) -> float | None:
    """The standard deviation of the score from repeat to repeat, on the questions that all repeats have graded."""
    repeats: dict[int, dict[str, float]] = {}
    for talk, right in graded(talks):
        repeats.setdefault(talk.repeat, {})[talk.question] = right
    shared = set.intersection(*(set(scores) for scores in repeats.values())) if repeats else set()
    if len(repeats) < 2 or not shared:
        return None
    return stdev(fmean(scores[question] for question in shared) for scores in repeats.values())


def turns_to_decide(talks: Sequence[Talk], *, most: int | None = None, seed: int = 0) -> Row:
    """The share of all discussions that were decided in each turn; what was not decided is in the same denominator."""
    decided = Counter(talk.turns for talk in talks if talk.outcome == "answered")
    undecided = sum(talk.outcome == "undecided" for talk in talks)
    total = len(talks)
    return {
        "turns": [{"turn": turn, "share": decided[turn] / total, "times": decided[turn]} for turn in sorted(decided)],
        "undecided": undecided / total if total else None,
        "no_answer": (total - undecided - decided.total()) / total if total else None,
        "episodes": total,
        **mean_rounds(talks, most=most, seed=seed),
    }


def mean_rounds(talks: Iterable[Talk], *, most: int | None = None, seed: int = 0) -> Row:
    """Turns that were held, decided or not; a discussion that broke off is no measure of its length.

    `most`: how many a discussion may have. Nearly all may end at once and a few go on to the last, of which few questions
    show none: so the interval goes by the bounds. None: nobody has said, and it is a bootstrap.
    """
    held: dict[str, list[int]] = {}
    for talk in talks:
        if talk.outcome != "failed":
            held.setdefault(talk.question, []).append(talk.turns)
    known = most is not None and all(1 <= turn <= most for turns in held.values() for turn in turns)
    mean = _between(held, most) if known and most is not None else _resampled(held, seed)
    return {**estimate_row(mean, "rounds"), "small": few(held)}


def _between(held: Mapping[str, Sequence[int]], most: int) -> Estimate | None:
    """The mean of so many turns, each from 1 to the most."""
    middle, reach = (1 + most) / 2, (most - 1) / 2
    if not held or not reach:
        return _resampled(held, 0)  # turns that cannot but be one have no interval
    away = {question: [(turn - middle) / reach for turn in turns] for question, turns in held.items()}
    scaled = difference(
        {
            question: (sum(max(0.0, far) for far in fars), sum(max(0.0, -far) for far in fars), float(len(fars)))
            for question, fars in away.items()
        }
    )
    assert scaled is not None, "there are questions"
    low, high = (None if end is None else middle + end * reach for end in scaled.limits())
    value = fmean(turn for turns in held.values() for turn in turns)
    return Estimate(value, low, high, scaled.n, scaled.clusters)


def _resampled(held: Mapping[str, Sequence[int]], seed: int) -> Estimate | None:
    rows = {question: (float(sum(turns)), float(len(turns))) for question, turns in held.items()}
    return cluster_bootstrap(rows, seed=seed)


@dataclass(frozen=True, slots=True)
class FittedLine:
    """Least squares through the mean scores at each x, on the questions that all of them have."""

    slope: Estimate
    """What one more is worth."""
    intercept: float

    def at(self, x: float) -> float:
        return self.intercept + self.slope.value * x


def fitted(points: Mapping[float, Mapping[str, float]]) -> FittedLine | None:
    """A line through the scores of each question by x; None below two different x, or without a common question.

    The slope is a weighted sum of the means, hence the mean of the same sum over each question: so its interval is that
    of any mean difference over questions.
    """
    shared = sorted(set.intersection(*(set(scores) for scores in points.values()))) if points else []
    if len(points) < 2 or not shared:
        return None
    middle, weights = fmean(points), _weights(points)
    steepest = math.fsum(abs(weight) for weight in weights.values()) / 2  # of scores between 0 and 1
    slopes = {question: math.fsum(weights[x] * points[x][question] for x in points) for question in shared}
    scaled = mean_difference({question: slope / steepest for question, slope in slopes.items()})
    assert scaled is not None, "there are questions"
    low, high = (None if end is None else end * steepest for end in (scaled.low, scaled.high))
    slope = Estimate(scaled.value * steepest, low, high, scaled.n, scaled.clusters)
    level = fmean(points[x][question] for x in points for question in shared)
    return FittedLine(slope, level - slope.value * middle)


def _weights(points: Iterable[float]) -> dict[float, float]:
    """What each x has in the slope of least squares."""
    every = list(points)
    middle = fmean(every)
    spread = math.fsum((x - middle) ** 2 for x in every)
    return {x: (x - middle) / spread for x in every}


def slope_bounds(points: Mapping[float, Mapping[str, Value]]) -> Row:
    """How far the slope over all questions can lie, and how many are left out of it; nothing where all is graded."""
    shared = set.intersection(*(set(values) for values in points.values()))
    if not any(values[question].open for values in points.values() for question in shared):
        return {}
    weights = _weights(points)
    ends = [
        fmean(
            math.fsum(
                weight * (points[x][question].least if (weight > 0) is lowest else points[x][question].most)
                for x, weight in weights.items()
            )
            for question in sorted(shared)
        )
        for lowest in (True, False)
    ]
    left_out = sum(any(values[question].known is None for values in points.values()) for question in shared)
    return {"ungraded": left_out, "bounds": {"low": ends[0], "high": ends[1]}}


def overlap_cosine(one: str, other: str) -> float:
    """The cosine of two texts as bags of words: what can be said without a model."""
    ours, theirs = Counter(one.split()), Counter(other.split())
    lengths = math.sqrt(sum(n * n for n in ours.values())) * math.sqrt(sum(n * n for n in theirs.values()))
    return sum(ours[word] * theirs[word] for word in ours) / lengths if lengths else float(ours == theirs)


def similarity(answers: Mapping[str, Sequence[Sequence[str]]], cosine: Cosine, *, seed: int = 0) -> Estimate | None:
    """The mean cosine over all pairs of final answers of a discussion, then over repeats, then over questions.

    `answers`: for each question one list of answers a repeat. A single answer makes no pair.
    """
    means: dict[str, float] = {}
    for question, repeats in answers.items():
        pairs = [
            [cosine(*pair) for pair in combinations(final_answers, 2)]
            for final_answers in repeats
            if len(final_answers) > 1
        ]
        if pairs:
            means[question] = fmean(map(fmean, pairs))
    return mean_of(means, seed=seed)
