"""Whether a hypothesis holds: its value, its interval, and a verdict in one word.

Every figure that a hypothesis may speak of is a ratio of two sums over questions (accuracy: right by questions; safety
multiple: rescues by regressions). So one resample of the questions gives all of them at once, and any arithmetic of
them has an interval. Where a hypothesis is a single paired difference or a single share, the score interval and the
exact test of the comparisons stand instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from moot.experiment.claims import Expression, Hypothesis, Number, Operation, Term
from moot.measures.safety.multiple import multiple
from moot.measures.sides import SideResults, pairs_of
from moot.stats.bootstrap import RESAMPLES, percentile_interval, resampled_sums
from moot.stats.graded import Value, bounds_row, difference_bounds, known_pairs, mean_value, settled
from moot.stats.paired import FEW_QUESTIONS, cluster_bootstrap, compare, holm
from moot.stats.proportion import mean_over_questions
from moot.types import Estimate

if TYPE_CHECKING:
    from moot.stats.bootstrap import Floats

Answer = Literal["confirmed", "refuted", "open"]


@dataclass(frozen=True, slots=True)
class Ratio:
    """A figure as sums over questions: `tops` by `bottoms`; a mean has bottoms of 1."""

    tops: Mapping[str, float]
    bottoms: Mapping[str, float] | None = None
    once: bool = True
    """Each question gives one value; else they are means over captains or repeats."""
    open: Mapping[str, Value] = field(default_factory=dict)
    """The questions of which something is ungraded: they are in the bounds, where the figure is a mean."""
    turns: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """By question: how many more rescues and regressions its ungraded pairs could be, where the figure counts them."""
    bounds: Mapping[str, float] | None = None
    """Over all questions, where whoever made the figure has taken them."""
    side: SideResults | None = None
    """Whose accuracy it is: two of them are compared in pairs, as everywhere."""

    def value(self, question: str) -> Value:
        top = self.tops.get(question, 0.0)
        return self.open.get(question, Value(top, top, top))

    def bottom(self, question: str) -> float:
        return 1.0 if self.bottoms is None else self.bottoms[question]


@dataclass(frozen=True, slots=True)
class Judged:
    """A hypothesis and what the questions say to it."""

    hypothesis: Hypothesis
    value: float | None
    threshold: float
    low: float | None
    high: float | None
    """Both None where there is no interval; one of them where it has no end on that side."""
    n: int
    p: float | None
    test: str
    small: bool
    why_open: str | None = None
    """Why nothing can be said, where nothing can."""
    ungraded: int = 0
    """Questions that are left out because an answer to them is ungraded."""
    bounds: Mapping[str, float | None] | None = None
    """Where the value would lie over all questions; None where all is graded, or nobody can say."""
    unsettled: int = 0
    """Questions of which something is ungraded, left out or not."""

    @property
    def _side(self) -> Literal["above", "below"] | None:
        """Of the threshold: where the whole interval lies."""
        if self.low is not None and self.low > self.threshold:
            return "above"
        return "below" if self.high is not None and self.high < self.threshold else None

    @property
    def _turnable(self) -> bool:
        """The interval lies on one side, and what is ungraded could change that."""
        if self._side is None or not self.unsettled:
            return False
        return self.bounds is None or not settled(self.bounds, self.threshold, above=self._side == "above")

    @property
    def answer(self) -> Answer:
        """Confirmed or refuted only by the whole interval, and only if the bounds lie on that side too.

        Only answers that do not match need a judge, so what is graded is better than the rest.
        """
        if self._side is None or self._turnable:
            return "open"
        return "confirmed" if (self._side == "above") == (self.hypothesis.sign == ">") else "refuted"

    def row(self) -> dict[str, Any]:
        return {
            "hypothesis": self.hypothesis.text,
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "threshold": self.threshold,
            "verdict": self.answer,
            "p": self.p,
            "test": self.test,
            "n": self.n,
            "small": self.small,
            "note": self._note,
            **({"ungraded": self.ungraded} if self.ungraded else {}),
            **({"bounds": dict(self.bounds)} if self.bounds else {}),
        }

    @property
    def _note(self) -> str | None:
        if self.why_open and self.value is None and self._side is None:
            return self.why_open
        return "; ".join(filter(None, (self.why_open, self._left_out))) or None

    @property
    def _left_out(self) -> str | None:
        if not self.unsettled:
            return None
        several = "s" if (self.ungraded or self.unsettled) != 1 else ""
        parts = [f"{self.unsettled} question{several} with an answer that is not graded"]
        if self.ungraded:
            parts = [f"{self.ungraded} question{several} with an ungraded answer left out"]
        if self.bounds:
            low, high = (None if end is None else f"{end:.3f}" for end in (self.bounds["low"], self.bounds["high"]))
            parts.append(f"over all {low} to {high}" if high is not None else f"over all from {low}")
        if self._turnable:
            parts.append("what is not graded could turn it round")
        return "; ".join(parts)


def judge(
    hypothesis: Hypothesis, by_term: Mapping[Term, Ratio | str], *, seed: int = 0, resamples: int = RESAMPLES
) -> Judged:
    """On the questions that all its figures have. `by_term` gives each figure, or says in words why there is none."""
    left, threshold = _against_number(hypothesis)
    figures = {term: by_term[term] for term in hypothesis.terms}
    missing = [why for why in figures.values() if isinstance(why, str)]
    if missing:
        return Judged(hypothesis, None, threshold, None, None, 0, None, "none", True, missing[0])
    ratios = _in_pairs(left, {term: ratio for term, ratio in figures.items() if isinstance(ratio, Ratio)})
    played = set.intersection(*({*ratio.tops, *ratio.open, *ratio.turns} for ratio in ratios.values()))
    questions = sorted(set.intersection(*(set(ratio.tops) for ratio in ratios.values())))
    judged = _judged(hypothesis, left, threshold, ratios, questions, seed, resamples)
    bounds = _bounds(left, ratios, sorted(played))
    unsettled = sum(
        any(question in ratio.open or question in ratio.turns for ratio in ratios.values()) for question in played
    )
    return replace(judged, ungraded=len(played) - len(questions), bounds=bounds, unsettled=unsettled)


def _in_pairs(left: Expression, ratios: Mapping[Term, Ratio]) -> Mapping[Term, Ratio]:
    """Of one accuracy less another, what both sides got where they can be compared: see `sides.pairs_of`."""
    sides = _two_accuracies(left)
    one, other = (ratios[side].side for side in sides) if sides is not None else (None, None)
    if sides is None or one is None or other is None or sides[0] == sides[1]:
        return ratios
    tops: tuple[dict[str, float], dict[str, float]] = ({}, {})
    unsettled: tuple[dict[str, Value], dict[str, Value]] = ({}, {})
    for question, pairs in pairs_of(one, other).items():
        for means in known_pairs({question: pairs}):
            tops[0][question], tops[1][question] = means
        values = [mean_value([pair[place] for pair in pairs]) for place in (0, 1)]
        if any(value.open for value in values):
            unsettled[0][question], unsettled[1][question] = values
    return {side: replace(ratios[side], tops=tops[place], open=unsettled[place]) for place, side in enumerate(sides)}


def _bounds(
    left: Expression, ratios: Mapping[Term, Ratio], questions: Sequence[str]
) -> Mapping[str, float | None] | None:
    """Over all questions, graded or not; None where all are graded, or it is more than one figure or one difference."""
    if isinstance(left, Term) and ratios[left].turns:
        return _count_bounds(left, ratios[left])
    if isinstance(left, Term) and left.function == "gap_closure":
        return ratios[left].bounds
    if isinstance(left, Term) and left.function in ("accuracy", "skyline"):
        row = bounds_row(ratios[left].value(question) for question in questions)
    elif (sides := _two_accuracies(left)) is not None:
        one, other = (ratios[side] for side in sides)
        row = difference_bounds({question: [(one.value(question), other.value(question))] for question in questions})
    else:
        return None
    return row.get("bounds")


def _count_bounds(term: Term, ratio: Ratio) -> dict[str, float | None] | None:
    """Of a net or a multiple, were every ungraded pair a regression that can be one, and were it a rescue."""
    rescues, regressions = (sum(turn[place] for turn in ratio.turns.values()) for place in (0, 1))
    tops = sum(ratio.tops.values())
    if term.function == "net":
        return {"low": tops - regressions, "high": tops + rescues}
    bottoms = sum(map(ratio.bottom, ratio.tops))
    if not bottoms + regressions:
        return None
    return {"low": tops / (bottoms + regressions), "high": (tops + rescues) / bottoms if bottoms else None}


def _judged(
    hypothesis: Hypothesis,
    left: Expression,
    threshold: float,
    ratios: Mapping[Term, Ratio],
    questions: Sequence[str],
    seed: int,
    resamples: int,
) -> Judged:
    """On the questions of which all figures are known."""
    if not questions:
        why = "no question was played by all that it compares"
        if any(ratio.open or ratio.turns for ratio in ratios.values()):
            why = "no question is graded for all that it compares"
        return Judged(hypothesis, None, threshold, None, None, 0, None, "none", True, why)
    resampled = _resampled(hypothesis, left, threshold, ratios, questions, seed, resamples)
    if (pairs := _paired(left, ratios, questions)) is not None:
        comparison = compare(pairs, pooled=not all(ratio.once for ratio in ratios.values()), seed=seed)
        assert comparison.difference is not None, "there are questions"
        tested = {"p": comparison.p, "test": comparison.test} if threshold == 0 else {}
        return _scored(resampled, comparison.difference, small=comparison.small, **tested)
    if isinstance(left, Term) and left.function == "safety_multiple":
        return _multiple(resampled, ratios[left], questions)
    if isinstance(left, Term) and (estimate := _single(left, ratios[left], questions, seed)) is not None:
        return _scored(resampled, estimate)
    return resampled


def _against_number(hypothesis: Hypothesis) -> tuple[Expression, float]:
    """The same with a plain number on the right."""
    right = _constant(hypothesis.right)
    if right is not None:
        return hypothesis.left, right
    return Operation("-", hypothesis.left, hypothesis.right), 0.0


def _constant(expression: Expression) -> float | None:
    if isinstance(expression, Number):
        return expression.value
    if isinstance(expression, Term):
        return None
    left, right = _constant(expression.left), _constant(expression.right)
    if left is None or right is None or (expression.sign == "/" and right == 0):
        return None
    return float(_applied(expression.sign, left, right))


def _applied(sign: str, left: Any, right: Any) -> Any:
    match sign:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case _:
            return left / right


def _paired(
    left: Expression, ratios: Mapping[Term, Ratio], questions: Sequence[str]
) -> list[tuple[float, float]] | None:
    """One pair a question, where the hypothesis is one accuracy less another."""
    sides = _two_accuracies(left)
    if sides is None:
        return None
    one, other = (ratios[side].tops for side in sides)
    return [(one[question], other[question]) for question in questions]


def _two_accuracies(left: Expression) -> tuple[Term, Term] | None:
    """One accuracy less another, if that is what it is."""
    if not (isinstance(left, Operation) and left.sign == "-"):
        return None
    one, other = left.left, left.right
    if isinstance(one, Term) and isinstance(other, Term) and one.function == other.function == "accuracy":
        return one, other
    return None


def _single(term: Term, ratio: Ratio, questions: Sequence[str], seed: int) -> Estimate | None:
    """A figure by itself that has a section of its own in a report: its interval is the one that stands there.

    None where that has none either.
    """
    if term.function in ("accuracy", "skyline"):
        return mean_over_questions([ratio.tops[question] for question in questions], pooled=not ratio.once, seed=seed)
    if term.function == "gap_closure":
        closure = cluster_bootstrap(
            [(ratio.tops[question], ratio.bottom(question)) for question in questions], seed=seed
        )
        return closure if closure is not None and closure.low is not None else None
    return None


def _multiple(resampled: Judged, ratio: Ratio, questions: Sequence[str]) -> Judged:
    """The interval of the multiple's own, since a bootstrap is too narrow where regressions are few."""
    safety_multiple = multiple(
        [ratio.tops[question] for question in questions], [ratio.bottom(question) for question in questions]
    )
    return replace(
        resampled,
        value=safety_multiple.value,
        low=safety_multiple.low,
        high=safety_multiple.high,
        why_open=safety_multiple.note,
    )


def _scored(resampled: Judged, estimate: Estimate, **more: Any) -> Judged:
    """With a score interval instead of the resampled one."""
    return replace(
        resampled, value=estimate.value, low=estimate.low, high=estimate.high, n=estimate.n, why_open=None, **more
    )


def _resampled(
    hypothesis: Hypothesis,
    left: Expression,
    threshold: float,
    ratios: Mapping[Term, Ratio],
    questions: Sequence[str],
    seed: int,
    resamples: int,
) -> Judged:
    import numpy as np

    columns = [
        column
        for ratio in ratios.values()
        for column in (
            [ratio.tops[question] for question in questions],
            [ratio.bottom(question) for question in questions],
        )
    ]
    values = np.array(columns, dtype=float).T
    n, small = len(questions), len(questions) < FEW_QUESTIONS
    value = float(_evaluated(left, ratios, values.sum(axis=0)[None, :])[0])
    if not np.isfinite(value):
        why = "it would divide by nothing"
        return Judged(hypothesis, None, threshold, None, None, n, None, "none", small, why)
    if n < 2 or (values == values[0]).all():
        return Judged(hypothesis, value, threshold, None, None, n, None, "none", True, "no spread between questions")
    drawn = _evaluated(left, ratios, resampled_sums(values, seed=seed, resamples=resamples))
    limits = percentile_interval(drawn, n)
    defined = drawn[~np.isnan(drawn)]
    beyond = min(int((defined <= threshold).sum()), int((defined >= threshold).sum()))
    p = min(1.0, 2 * (1 + beyond) / (1 + len(defined))) if limits else None
    low, high = limits or (None, None)
    return Judged(hypothesis, value, threshold, _finite(low), _finite(high), n, p, "bootstrap" if p else "none", small)


def _finite(limit: float | None) -> float | None:
    """A ratio whose bottom may be nothing has no end on that side."""
    return limit if limit is not None and abs(limit) != float("inf") else None


def _evaluated(expression: Expression, ratios: Mapping[Term, Ratio], sums: Floats) -> Floats:
    """The expression on every row of sums, which has two columns a figure, in the order of `ratios`."""
    import numpy as np

    places = {term: 2 * place for place, term in enumerate(ratios)}

    def walk(part: Expression) -> Any:
        if isinstance(part, Number):
            return part.value
        if isinstance(part, Term):
            place = places[part]
            return sums[:, place] / sums[:, place + 1]
        return _applied(part.sign, walk(part.left), walk(part.right))

    with np.errstate(all="ignore"):
        values = walk(expression)
    return np.asarray(values, dtype=float) + np.zeros(len(sums))


def with_holm(judged: Sequence[Judged], frozen: Sequence[bool]) -> list[dict[str, Any]]:
    """Rows with `frozen` and `p_holm`. Those declared beforehand are a family of their own; the others have none."""
    tested = [place for place, judgement in enumerate(judged) if frozen[place] and judgement.p is not None]
    adjusted = dict(zip(tested, holm([judged[place].p or 0.0 for place in tested]), strict=True))
    return [
        {**judgement.row(), "frozen": frozen[place], "p_holm": adjusted.get(place), "family": len(tested)}
        for place, judgement in enumerate(judged)
    ]
