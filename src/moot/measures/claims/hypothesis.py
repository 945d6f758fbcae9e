"""Whether a hypothesis holds: its value, its interval, and a verdict in one word.

Confirmed and refuted go by the adjusted p and the adjusted interval of the family that it stands in, which agree with
each other since both come from one test (`figure`), and one that holds for shares near 0 and 1 too, and for gaps of which
nearly all is closed (`stats.guarded_share`, `stats.guarded_gap`): so in at most 5 of 100 experiments in which nothing is to
be found is any hypothesis of the family confirmed or refuted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from moot.experiment.claims import Expression, Hypothesis, Term, terms_of
from moot.measures.claims.figure import Ends, Figure, Ratio, figure_of, two_shares
from moot.measures.claims.linear import linear, linear_bounds
from moot.measures.claims.normal_form import AgainstNumber, against_number
from moot.measures.claims.resampled import at, mean_of
from moot.measures.sides import pairs_of
from moot.stats.bootstrap import RESAMPLES
from moot.stats.completions import IntervalLimits
from moot.stats.graded import Value, bounds_row, mean_value, settled
from moot.stats.graded_pairs import Pairs, completed_pairs, difference_bounds, known_pairs, why_unfair_pairs
from moot.stats.paired import holm, holm_levels
from moot.stats.quantiles import ALPHA

DIVIDES_BY_NOTHING = "it would divide by nothing: a figure that it divides or multiplies by is 0"
HypothesisAnswer = Literal["confirmed", "refuted", "open"]


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
    not_all: int = 0
    """Questions that are left out because not all have played them whom a figure is about."""

    figure: Figure | None = None
    """What has limits at any level."""
    p_holm: float | None = None
    """Adjusted for the family that it stands in; None outside of any."""
    low_holm: float | None = None
    high_holm: float | None = None
    tested_as: str | None = None
    """What its figures are of, where it was multiplied out."""
    as_written: float | None = None
    """Then what the side with the figures comes to as it was written."""

    def adjusted(self, p_holm: float, level: float) -> Judged:
        """As one of a family: its adjusted p, and the interval at the level at which the family tests it."""
        low, high = self.verdict_limits(level)
        return replace(self, p_holm=p_holm, low_holm=low, high_holm=high)

    @property
    def verdict_p(self) -> float | None:
        """By itself, of the test that the verdict goes by: never below `p`."""
        return None if self.figure is None else self.figure.verdict_p(self.threshold)

    def verdict_limits(self, level: float) -> IntervalLimits:
        return (None, None) if self.figure is None else self.figure.verdict_limits(level)

    @property
    def _side(self) -> Literal["above", "below"] | None:
        """Of the threshold: where the whole interval lies, the adjusted one in a family, if p says so too."""
        if self.p_holm is None:
            p, (low, high) = self.verdict_p, self.verdict_limits(ALPHA)
        else:
            p, low, high = self.p_holm, self.low_holm, self.high_holm
        if p is None or p > ALPHA:
            return None
        if low is not None and low > self.threshold:
            return "above"
        return "below" if high is not None and high < self.threshold else None

    @property
    def _turnable(self) -> bool:
        """The interval lies on one side, and what is ungraded could change that."""
        if self._side is None or not self.unsettled:
            return False
        return self.bounds is None or not settled(self.bounds, self.threshold, above=self._side == "above")

    @property
    def answer(self) -> HypothesisAnswer:
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
            "p_holm": self.p_holm,
            "low_holm": self.low_holm,
            "high_holm": self.high_holm,
            "test": self.test,
            "n": self.n,
            "small": self.small,
            "note": self._note,
            **({"as_written": self.as_written} if self.tested_as else {}),
            **({"ungraded": self.ungraded} if self.ungraded else {}),
            **({"bounds": dict(self.bounds)} if self.bounds else {}),
        }

    @property
    def _note(self) -> str | None:
        if self.why_open and self.value is None and self._side is None:
            return self.why_open
        return "; ".join(filter(None, (self._tested, self.why_open, self._left_out, self._not_all))) or None

    @property
    def _tested(self) -> str | None:
        if self.tested_as is None or self.as_written is None:
            return None
        return f"tested as {self.tested_as}; as written it is {self.as_written:.4g}"

    @property
    def _not_all(self) -> str | None:
        if not self.not_all:
            return None
        are = "questions that not all have played are" if self.not_all != 1 else "question that not all have played is"
        return f"{self.not_all:,} {are} left out"

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
            parts.append("what is not graded could reverse it")
        return "; ".join(parts)


def judge(
    hypothesis: Hypothesis, by_term: Mapping[Term, Ratio | str], *, seed: int = 0, resamples: int = RESAMPLES
) -> Judged:
    """On the questions that all its figures have. `by_term` gives each figure, or says in words why there is none."""
    claim = against_number(hypothesis)
    hypothesis, left, threshold = claim.hypothesis, claim.left, claim.threshold
    figures = {term: by_term[term] for term in claim.terms}
    beside = {term: by_term[term] for divisor in claim.divisors for term in terms_of(divisor)}
    missing = [why for why in (figures | beside).values() if isinstance(why, str)]
    if missing:
        return Judged(hypothesis, None, threshold, None, None, 0, None, "none", True, missing[0])
    ratios = _in_pairs(left, {term: ratio for term, ratio in figures.items() if isinstance(ratio, Ratio)})
    played = set.intersection(*({*ratio.tops, *ratio.open, *ratio.turns} for ratio in ratios.values()))
    questions = sorted(set.intersection(*(set(ratio.tops) for ratio in ratios.values())))
    why = next((ratio.why for ratio in ratios.values() if ratio.why), None)
    judged = Judged(hypothesis, None, threshold, None, None, 0, None, "none", True, why)
    own = {term: ratio for term, ratio in by_term.items() if isinstance(ratio, Ratio)} | {**ratios}
    if why is None and _divides_by_nothing(claim, own):
        judged = replace(judged, n=len(questions), why_open=DIVIDES_BY_NOTHING)
    elif why is None:
        judged = _judged(hypothesis, left, threshold, ratios, questions, seed, resamples)
    bounds = _bounds(left, ratios, sorted(played))
    unsettled = sum(
        any(question in ratio.open or question in ratio.turns for ratio in ratios.values()) for question in played
    )
    not_all = len(frozenset[str]().union(*(ratio.left_out for ratio in ratios.values())))
    if claim.written is not None:
        judged = replace(judged, tested_as=claim.words, as_written=_as_written(claim.written, own, judged.value))
    return replace(judged, ungraded=len(played) - len(questions), bounds=bounds, unsettled=unsettled, not_all=not_all)


def _divides_by_nothing(claim: AgainstNumber, ratios: Mapping[Term, Ratio]) -> bool:
    """Whether what both sides were multiplied or divided by is nothing where it was seen: then the claim is another. Where it
    is not, it is none in truth either: one right answer is enough."""
    means = {term: mean_of(ratio, list(ratio.tops)) for term, ratio in ratios.items()}
    return any(not abs(at(divisor, means)) > 0 for divisor in claim.divisors)


def _as_written(written: Expression, ratios: Mapping[Term, Ratio], value: float | None) -> float | None:
    """On the questions that all its figures have; None where there is no figure, or it divides by nothing."""
    known = {term: ratios[term] for term in terms_of(written) if term in ratios}
    questions = sorted(set.intersection(*(set(ratio.tops) for ratio in known.values())))
    if value is None or not questions or any(term not in known for term in terms_of(written)):
        return None
    found = at(written, {term: mean_of(ratio, questions) for term, ratio in known.items()})
    return found if math.isfinite(found) else None


def _in_pairs(left: Expression, ratios: Mapping[Term, Ratio]) -> Mapping[Term, Ratio]:
    """Of one accuracy less another, what both sides got where they can be compared: see `sides.pairs_of`."""
    sides = two_shares(left)
    one, other = (ratios[side].side for side in sides) if sides is not None else (None, None)
    if sides is None or one is None or other is None or sides[0] == sides[1]:
        return ratios
    tops: tuple[dict[str, float], dict[str, float]] = ({}, {})
    unsettled: tuple[dict[str, Value], dict[str, Value]] = ({}, {})
    every = pairs_of(one, other)
    why = why_unfair_pairs(every)
    for question, pairs in every.items():
        for means in known_pairs({question: pairs}).values():
            tops[0][question], tops[1][question] = means
        values = [mean_value([pair[place] for pair in pairs]) for place in (0, 1)]
        if any(value.open for value in values):
            unsettled[0][question], unsettled[1][question] = values
    return {
        side: replace(ratios[side], tops=tops[place], open=unsettled[place], why=why, **_ends(every, place))
        for place, side in enumerate(sides)
    }


def _ends(pairs: Pairs, place: int) -> Ends:
    """What a side would be were all that waits wrong, and right: the second is at its best where the difference is at its
    worst. Nothing where none waits."""
    if not any(value.waiting for several in pairs.values() for pair in several for value in pair):
        return {}
    at_worst, at_best = (
        {question: pair[place] for question, pair in completed_pairs(pairs, best=best).items()}
        for best in (False, True)
    )
    return {"worst": at_worst, "best": at_best} if place == 0 else {"worst": at_best, "best": at_worst}


def _bounds(
    left: Expression, ratios: Mapping[Term, Ratio], questions: Sequence[str]
) -> Mapping[str, float | None] | None:
    """Over all questions, graded or not; None where all are graded, or figures are multiplied or divided by each other."""
    if isinstance(left, Term) and ratios[left].turns:
        return _count_bounds(left, ratios[left])
    if isinstance(left, Term) and left.function == "gap_closure":
        return ratios[left].bounds
    if isinstance(left, Term) and left.function in ("accuracy", "skyline"):
        row = bounds_row(ratios[left].value(question) for question in questions)
    elif (sides := two_shares(left)) is not None:
        one, other = (ratios[side] for side in sides)
        row = difference_bounds({question: [(one.value(question), other.value(question))] for question in questions})
    else:
        parts = linear(left)
        return linear_bounds(parts, ratios, questions) if parts is not None and questions else None
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
    figure = figure_of(left, ratios, questions, seed, resamples)
    if isinstance(figure, str):
        return Judged(hypothesis, None, threshold, None, None, len(questions), None, "none", True, figure)
    low, high = figure.limits(ALPHA)
    p = figure.p(threshold)
    return Judged(
        hypothesis,
        figure.value,
        threshold,
        low,
        high,
        len(questions),
        p,
        figure.test_at(threshold) if p is not None else "none",
        figure.small,
        figure.note,
        figure=figure,
    )


def with_holm(judged: Sequence[Judged], frozen: Sequence[bool], versions: Sequence[int] = ()) -> list[dict[str, Any]]:
    """Rows with `frozen`, `p_holm`, `low_holm`, `high_holm` and `family`; the verdict goes by the adjusted ones.

    Those declared beforehand are a family, and the exploratory ones are another. One without a p counts as 1: what the
    data came to must not decide how many there are to pay for. `versions`: in how many others what each names was played
    before, which its family pays for as if these stood in it; left out: in none.
    """
    versions = versions or [0] * len(judged)
    rows: dict[int, dict[str, Any]] = {}
    for kind in (True, False):
        family = [place for place in range(len(judged)) if frozen[place] == kind]
        p_values = [1.0 if (p := judged[place].verdict_p) is None else p for place in family]
        p_values += [1.0] * sum(versions[place] for place in family)
        for place, p_holm, level in zip(family, holm(p_values), holm_levels(p_values), strict=False):
            judgement = judged[place]
            if judgement.p is not None:
                judgement = judgement.adjusted(p_holm, level)
            rows[place] = {**judgement.row(), "frozen": kind, "family": len(p_values)}
    return [rows[place] for place in range(len(judged))]
