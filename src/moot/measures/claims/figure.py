"""What a hypothesis is about, as a figure: its limits at any level, and the p of any threshold, from one and the same test.

Every figure that a hypothesis may speak of is a ratio of two sums over questions (accuracy: right by questions; safety
multiple: rescues by regressions). One share, one paired difference, one net, one multiple and one share of a gap have the
interval that stands in their own section of a report, and a share or a gap beside it one that its verdict goes by
(`stats.guarded_share`, `stats.guarded_gap`); sums and differences of shares and nets are means between bounds (`linear`).
Products and money have a bootstrap, and a verdict on them goes by more (`resampled`). One figure by itself, squared say, has that
figure's test, and what else is made of multiples and gaps goes by the intervals that these have each (`composed`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypedDict

from moot.experiment.claims import Expression, Operation, Term
from moot.measures.claims.composed import OfOne, OfSeveral, powers_of_one, span_of
from moot.measures.claims.linear import SHARES, Linear, combination, linear
from moot.measures.claims.resampled import EACH_BY_ITSELF, NO_VERDICT, FartherOf, Resampled, few_differ, resampled
from moot.measures.safety.multiple import Multiple, RatioCounts, multiple_between, multiple_p_between
from moot.measures.sides import SideResults
from moot.stats.closure import Closure, Side, closure
from moot.stats.clusters import value_rows
from moot.stats.completions import Between, IntervalLimits, Limited
from moot.stats.counted_words import no_interval_words
from moot.stats.graded import Value
from moot.stats.graded_pairs import compare_between
from moot.stats.guarded_gap import guarded_closed
from moot.stats.guarded_pair import guarded_difference
from moot.stats.guarded_share import guarded_whatever
from moot.stats.paired import FEW_DISCORDANT, few
from moot.stats.proportion import Share, share, share_between
from moot.stats.quantiles import ALPHA

if TYPE_CHECKING:
    from collections.abc import Callable

DIVIDES_BY_NOTHING = "it would divide by nothing"
NO_SPREAD = "no spread between questions"


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
    most: float = 1.0
    """What one question adds at the most, where the figure is a count: as many as it has pairs."""
    best_of: tuple[Side, Side, Side] | None = None
    """Of a share of a gap: among whom each was chosen, what was reached, where it began and how far it could go."""
    why: str | None = None
    """Why it has no value although something is graded, where that would flatter; the bounds stand all the same."""
    worst: Mapping[str, float] | None = None
    """Of a share, by question: were all wrong that waits for a grade; None where nothing waits."""
    best: Mapping[str, float] | None = None
    ends: tuple[RatioCounts, RatioCounts] | None = None
    """Of a multiple: with all that waits at its worst, and at its best; None where nothing waits."""
    waiting: int = 0
    """How many questions have an answer that waits for a grade."""
    left_out: frozenset[str] = frozenset()
    """Questions that only some of the players or captains have played whose figure it is."""

    def value(self, question: str) -> Value:
        top = self.tops.get(question, 0.0)
        return self.open.get(question, Value(top, top, top))

    def bottom(self, question: str) -> float:
        return 1.0 if self.bottoms is None else self.bottoms[question]


class Ends(TypedDict, total=False):
    """Of a share: what is known of it while answers wait for a grade, in the names of `Ratio`."""

    worst: Mapping[str, float]
    best: Mapping[str, float]
    waiting: int


@dataclass(frozen=True, slots=True)
class Figure:
    """`limits` by level and `p` by threshold: at most alpha exactly where the limits at alpha leave the threshold out."""

    value: float | None
    limits: Callable[[float], IntervalLimits]
    p: Callable[[float], float | None]
    test: str
    small: bool
    note: str | None = None
    test_at_zero: str | None = None
    """The test of the threshold 0, where it is another one."""
    guard: Limited | None = None
    """What a verdict goes by, where the interval that the figure has everywhere is too narrow for that."""

    def verdict_limits(self, alpha: float) -> IntervalLimits:
        return self.limits(alpha) if self.guard is None else self.guard.limits(alpha)

    def verdict_p(self, threshold: float) -> float | None:
        return self.p(threshold) if self.guard is None else self.guard.p(threshold)

    def test_at(self, threshold: float) -> str:
        return self.test_at_zero if threshold == 0 and self.test_at_zero is not None else self.test


def figure_of(
    left: Expression, ratios: Mapping[Term, Ratio], questions: Sequence[str], seed: int, resamples: int
) -> Figure | str:
    """On these questions, which all the ratios have; or why there is none."""
    if (sides := two_shares(left)) is not None:
        return _difference(ratios[sides[0]], ratios[sides[1]], questions)
    if isinstance(left, Term):
        ratio = ratios[left]
        if left.function in SHARES:
            return _share(ratio, questions)
        if left.function == "safety_multiple":
            return _multiple(left, ratio, questions)
        if left.function == "gap_closure" and (gap := _closed(ratio, questions)) is not None:
            return _without_interval(gap, ratio.waiting) if ratio.waiting else gap
    if (parts := linear(left)) is not None:
        return _combination(parts, ratios, questions)
    if len(ratios) == 1 and not isinstance(left, Term):
        ((term, ratio),) = ratios.items()
        if (weights := powers_of_one(left, term)) is not None:
            return _of_one(weights, term, figure_of(term, {term: ratio}, questions, seed, resamples))
    figure = _drawn(left, ratios, questions, seed, resamples)
    waiting = max(ratio.waiting for ratio in ratios.values())
    return _without_interval(figure, waiting) if waiting and isinstance(figure, Figure) else figure


def _without_interval(figure: Figure, waiting: int) -> Figure:
    """Of products and ratios, or of a gap, nobody has taken how far what waits could move it."""
    note = no_interval_words(waiting)
    return Figure(figure.value, lambda _: (None, None), lambda _: None, "none", figure.small, note)


def two_shares(left: Expression) -> tuple[Term, Term] | None:
    """One share of the questions less another, if that is what it is."""
    if not (isinstance(left, Operation) and left.sign == "-"):
        return None
    one, other = left.left, left.right
    if isinstance(one, Term) and isinstance(other, Term) and {one.function, other.function} <= SHARES:
        return one, other
    return None


def _difference(one: Ratio, other: Ratio, questions: Sequence[str]) -> Figure:
    pairs = {question: (one.tops[question], other.tops[question]) for question in questions}
    worst, best = _completed(one.worst, other.best, one, other), _completed(one.best, other.worst, one, other)
    comparison = compare_between(pairs, worst, best, pooled=not (one.once and other.once))
    paired = comparison.figure
    assert paired is not None, "there are questions"
    guard = guarded_difference(paired, pairs, worst, best)
    return Figure(
        paired.value, paired.limits, paired.p, "score", comparison.small, test_at_zero=comparison.test, guard=guard
    )


def _completed(
    first: Mapping[str, float] | None, second: Mapping[str, float] | None, one: Ratio, other: Ratio
) -> dict[str, tuple[float, float]]:
    ours, theirs = one.tops if first is None else first, other.tops if second is None else second
    return {question: (value, theirs[question]) for question, value in ours.items() if question in theirs}


def _share(ratio: Ratio, questions: Sequence[str]) -> Figure:
    seen = {question: ratio.tops[question] for question in questions}
    usual = share(value_rows(seen))
    figure: Share | Between | None = usual
    if ratio.worst is not None and ratio.best is not None:
        figure = share_between(usual, ratio.worst, ratio.best)
    assert figure is not None, "there are questions"
    guard = guarded_whatever(figure, seen, ratio.worst, ratio.best)
    return Figure(figure.value, figure.limits, figure.p, "score", few(questions), guard=guard)


def _multiple(left: Term, ratio: Ratio, questions: Sequence[str]) -> Figure:
    rescues = {question: ratio.tops[question] for question in questions}
    regressions = {question: ratio.bottom(question) for question in questions}

    seen = RatioCounts(rescues, regressions)
    worst, best = ratio.ends or (seen, seen)

    def at(alpha: float) -> Multiple:
        return multiple_between(seen, worst, best, alpha=alpha)

    usual = at(ALPHA)
    return Figure(
        usual.value,
        lambda alpha: ((interval := at(alpha)).low, interval.high),
        lambda threshold: multiple_p_between(seen, worst, best, threshold),
        "log ratio",
        few(questions) or few_differ({left: 1.0}, {left: ratio}, questions),
        usual.note,
    )


def _combination(parts: Linear, ratios: Mapping[Term, Ratio], questions: Sequence[str]) -> Figure:
    """Of nets, and of shares and nets added to each other or taken from each other."""
    figure = combination(parts, ratios, questions)
    if isinstance(figure, float):
        return Figure(figure, lambda _: (None, None), lambda _: None, "none", True, NO_SPREAD)
    small = few(questions) or few_differ(parts.weights, ratios, questions)
    return Figure(figure.value, figure.limits, figure.p, "score", small)


def _closed(ratio: Ratio, questions: Sequence[str]) -> Figure | None:
    rows = {question: (ratio.tops[question], ratio.bottom(question)) for question in questions}
    figure = None if ratio.best_of is None else closure(rows, *ratio.best_of)
    if figure is None:
        return None
    note = None if figure.limits()[0] is not None else "the gap is too small to say how much of it is closed"
    guard = Closure(figure.seen, figure.gap, guarded_closed)
    return Figure(figure.value, figure.limits, figure.p, "fieller", few(questions), note, guard=guard)


@dataclass(frozen=True, slots=True)
class _ByVerdict:
    """A figure as its verdict goes by it."""

    figure: Figure
    value: float

    def limits(self, alpha: float = ALPHA) -> IntervalLimits:
        return self.figure.verdict_limits(alpha)

    def p(self, threshold: float) -> float | None:
        return self.figure.verdict_p(threshold)


@dataclass(frozen=True, slots=True)
class _AsShown:
    figure: Figure
    value: float

    def limits(self, alpha: float = ALPHA) -> IntervalLimits:
        return self.figure.limits(alpha)

    def p(self, threshold: float) -> float | None:
        return self.figure.p(threshold)


def _of_one(weights: tuple[float, ...], term: Term, inner: Figure | str) -> Figure | str:
    """One figure, squared say: by its own test."""
    if isinstance(inner, str):
        return inner
    if inner.value is None:
        return DIVIDES_BY_NOTHING
    span = span_of(term)
    shown = OfOne(_AsShown(inner, inner.value), weights, span)
    guard = OfOne(_ByVerdict(inner, inner.value), weights, span)
    return Figure(shown.value, shown.limits, shown.p, inner.test, inner.small, inner.note, guard=guard)


def _box(
    value: float,
    left: Expression,
    ratios: Mapping[Term, Ratio],
    questions: Sequence[str],
    seed: int,
    resamples: int,
) -> OfSeveral | None:
    """Each of its figures by itself at its share of the level; None where one of them has no value."""
    figures = {}
    for term, ratio in ratios.items():
        figure = figure_of(term, {term: ratio}, questions, seed, resamples)
        if isinstance(figure, str) or figure.value is None:
            return None
        figures[term] = _ByVerdict(figure, figure.value)
    return OfSeveral(value, left, figures)


def _rare(ratios: Mapping[Term, Ratio], questions: Sequence[str]) -> bool:
    """Whether so few are right, or wrong, of a share that a straight line through what was seen says little of the rest."""
    for term, ratio in ratios.items():
        right = sum(ratio.tops[question] for question in questions)
        if term.function in SHARES and min(right, len(questions) - right) < FEW_DISCORDANT:
            return True
    return False


def _drawn(
    left: Expression, ratios: Mapping[Term, Ratio], questions: Sequence[str], seed: int, resamples: int
) -> Figure | str:
    """Of money, products, and what else is no mean: one resample of the questions gives all its figures at once."""
    found = resampled(left, ratios, questions, seed, resamples)
    if found is None:
        return DIVIDES_BY_NOTHING
    if not found.spread:
        return Figure(found.value, found.limits, found.p, "none", True, NO_SPREAD)
    guard: Limited | None = found.guard
    if guard is None or _rare(ratios, questions):
        box = _box(found.value, left, ratios, questions, seed, resamples)
        if guard is None:
            return _boxed(found, box)
        guard = None if box is None else FartherOf(guard, box)
    if guard is None:
        return Figure(found.value, found.limits, lambda _: None, "none", found.small, NO_VERDICT)
    return Figure(found.value, found.limits, found.p, "bootstrap", found.small, guard=guard)


def _boxed(found: Resampled, box: OfSeveral | None) -> Figure:
    """Where a bootstrap is all that there is of the whole, which holds no level."""
    if box is None or box.limits() == (None, None):
        return Figure(found.value, lambda _: (None, None), lambda _: None, "none", found.small, NO_VERDICT)
    return Figure(found.value, box.limits, box.p, "box", found.small, EACH_BY_ITSELF)
