"""What a hypothesis is tested by: one share, one difference, one multiple, one gap; bounds for sums of shares
and nets; one of these squared by its own; a bootstrap or a box for the rest."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from second_way.any_share import AnyShare, wider
from second_way.box import LimitsAt, boxed, crossings, image, level_that_leaves_out
from second_way.closure import Players, Whoever
from second_way.compare import Near
from second_way.hanging import together
from second_way.intervals import (
    Difference,
    Limits,
    Waiting,
    jackknife,
    mcnemar,
    mean,
    score_limits,
    standard_errors,
    waiting_interval,
)
from second_way.multiple import _half, _log, at_least
from second_way.quiz_pairs import FEW_DISCORDANT, FEW_QUESTIONS, extremes, fixed
from second_way.raw import Cell
from second_way.resampling import drawn_sums, ends
from second_way.shares import Value, completed
from second_way.tails import norm_isf, norm_ppf, norm_sf, t_sf

Row = dict[str, Any]


@dataclass
class Figure:
    """Limits at any level, and the p of any threshold, from one test."""

    value: float | None
    limits: Callable[[float], tuple[Any, Any]]
    p: Callable[[float], float | None]
    test: str
    small: bool
    drawn: bool = False
    at_zero: str | None = None
    shown: Callable[[float], Any] = field(default=lambda p: p)
    verdict_limits: Callable[[float], tuple[Any, Any]] = lambda _: (None, None)
    verdict_p: Callable[[float], float | None] = lambda _: None
    """What the verdict goes by: of a share and of a gap it is wider, of all else the same."""

    def __post_init__(self) -> None:
        self.verdict_limits, self.verdict_p = self.limits, self.p


@dataclass
class Sums:
    """A figure as sums over questions; and the least and the most that a share can be where not all is graded."""

    tops: dict[str, float]
    bottoms: dict[str, float]
    values: dict[str, Value] = field(default_factory=dict)
    """Of a share: of every question that was played."""
    turns: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Rescues and regressions that ungraded pairs could be."""
    best_of: tuple[Sequence[Players], Sequence[str]] | None = None
    """Of a gap: who could be the best of what was reached, of the start and of the top, and who came out so."""
    most: float = 1.0
    """Of a net: how many pairs a question has at the most."""
    cells: Sequence[Cell] = ()
    once: bool = True
    bounds: Row | None = None
    unsettled: set[str] = field(default_factory=set)
    waiting: bool = False
    """Whether what is graded flatters, so that it has no value."""
    waits: bool = False
    """Of pairs or of a gap: whether something in it has yet to be graded."""

    @property
    def unsure(self) -> bool:
        return self.waits or any(value.waits for value in self.values.values())


def _worth_p(distance: float, variance: float, sizes: Sequence[float], share: float) -> float:
    """The level at which the interval reaches so far: it falls with the distance, so it is looked for."""
    low, high = 1e-300, 1.0
    if distance < 1e-12 or standard_errors(variance, sizes, share, 1.0 - 1e-12) > distance:
        return 1.0  # so near, Student's point has no digits left to look by
    for _ in range(200):
        middle = math.sqrt(low * high)
        if standard_errors(variance, sizes, share, middle) > distance:
            low = middle
        else:
            high = middle
    return high


def one_figure(function: str, sums: Sums, asked: Sequence[str]) -> Figure | None:
    if function in ("accuracy", "skyline"):
        return _share(sums, asked)
    if function == "safety_multiple":
        return _multiple(sums, asked)
    if function == "gap_closure":
        return _closed(sums, asked)
    return None


def _share(sums: Sums, asked: Sequence[str]) -> Figure:
    counts = [(sums.tops[question], 1.0) for question in asked]
    value, sizes, few = mean([top for top, _ in counts]), [1.0] * len(counts), len(counts) < FEW_QUESTIONS
    if len(counts) < 2:
        return Figure(value, lambda _: (None, None), lambda _: None, "none", few)
    variance = jackknife(counts)

    def limits(alpha: float) -> Limits:
        low, high = score_limits(value, standard_errors(variance, sizes, value, alpha))
        return (0.0 if value <= 0 else low), (1.0 if value >= 1 else high)

    def p(threshold: float) -> float:
        if not 0 < threshold < 1:
            return float(value == threshold)
        distance = abs(value - threshold) / math.sqrt(threshold * (1 - threshold))
        return _worth_p(distance, variance, sizes, value)

    usual = Figure(value, limits, p, "score", few)
    if any(one.waits for one in sums.values.values()):
        return _waiting_share(usual, sums)
    seen = AnyShare([top for top, _ in counts])
    usual.verdict_limits = lambda alpha: wider(limits(alpha), (seen.low(alpha / 2), seen.high(alpha / 2)))
    usual.verdict_p = lambda threshold: max(p(threshold), seen.p(threshold))
    return usual


def _waiting_share(usual: Figure, sums: Sums) -> Figure:
    """From all that waits wrong to all of it right; a p is the level at which the limits come to the threshold."""
    assert usual.value is not None
    value = usual.value
    worst, best = completed(sums.values.values())

    def limits(alpha: float) -> Limits:
        return waiting_interval(value, worst, best, alpha)

    def p(threshold: float) -> float:
        if min(value, mean(worst)) <= threshold <= max(value, mean(best)):
            return 1.0
        low, high = 1e-300, 1.0
        for _ in range(200):
            level = math.sqrt(low * high)
            ends = limits(level)
            assert ends[0] is not None
            assert ends[1] is not None
            low, high = (level, high) if ends[0] <= threshold <= ends[1] else (low, level)
        return high

    figure = Figure(value, limits, p, usual.test, usual.small)
    lowest, highest = AnyShare(worst), AnyShare(best)

    def verdict_limits(alpha: float) -> Limits:
        return wider(limits(alpha), (min(value, lowest.low(alpha / 2)), max(value, highest.high(alpha / 2))))

    def verdict_p(threshold: float) -> float:
        if min(value, mean(worst)) <= threshold <= max(value, mean(best)):
            return 1.0
        return max(p(threshold), (lowest if threshold < value else highest).p(threshold))

    figure.verdict_limits, figure.verdict_p = verdict_limits, verdict_p
    return figure


def paired_figure(ours: Sums, theirs: Sums, asked: Sequence[str]) -> Figure:
    pairs = [(ours.tops[question], theirs.tops[question]) for question in asked]
    values = [one - other for one, other in pairs]
    exact = ours.once and theirs.once and all(value in (0, 1) for pair in pairs for value in pair)
    wins, losses = (sum(sign * value > 1e-9 for value in values) for sign in (1, -1))
    figure: Difference | Waiting = Difference(values, mcnemar(wins, losses) if exact else None)
    both = [(ours.values[q], theirs.values[q]) for q in ours.values if q in theirs.values]
    if any(value.waits for pair in both for value in pair):
        there = [(a, b) for a, b in both if a.worst is not None and b.worst is not None]
        ends = [extremes([(fixed(a), fixed(b))]) for a, b in there]
        worst, best = ([end[place] for end in ends] for place in (0, 1))
        made = Difference.of_pairs if exact else Difference
        figure = Waiting(figure, made(worst), made(best))
    small = len(values) < FEW_QUESTIONS or wins + losses < FEW_DISCORDANT
    found = _paired(figure, 1.0, small, "mcnemar" if exact else None)
    if exact:
        bounded: Difference | Waiting = Difference(values, None)
        if isinstance(figure, Waiting):
            bounded = Waiting(bounded, Difference(worst), Difference(best))
        found.verdict_limits = lambda alpha: wider(figure.limits(alpha), bounded.limits(alpha))
        found.verdict_p = lambda threshold: _larger(figure.p_of(threshold), bounded.p_of(threshold))
    return found


def _larger(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else max(one, other)


def _paired(figure: Difference | Waiting, factor: float, small: bool, at_zero: str | None) -> Figure:
    def limits(alpha: float) -> Limits:
        low, high = figure.limits(alpha)
        return (None if low is None else low * factor), (None if high is None else high * factor)

    def p(threshold: float) -> float | None:
        return figure.p_of(threshold / factor)

    return Figure(figure.value * factor, limits, p, "score", small, at_zero=at_zero)


def is_linear(left: str, functions: Mapping[str, str]) -> bool:
    """Whether nothing but shares and nets is added up, at the most by plain factors."""
    return set(functions.values()) <= {"accuracy", "skyline", "net"} and adds_up(left)


def adds_up(left: str) -> bool:
    """Whether no figure is multiplied or divided by another."""

    def named(part: ast.AST) -> bool:
        return any(isinstance(inner, ast.Name) for inner in ast.walk(part))

    for part in ast.walk(ast.parse(left, mode="eval")):
        if isinstance(part, ast.BinOp):
            if isinstance(part.op, ast.Mult) and named(part.left) and named(part.right):
                return False
            if isinstance(part.op, ast.Div) and (named(part.right) or not at(ast.unparse(part.right), {})):
                return False
    return True


def at(left: str, values: Mapping[str, Any]) -> Any:
    return eval(compile(ast.parse(left, mode="eval"), "hypothesis", "eval"), {"__builtins__": {}}, dict(values))


def linear_figure(left: str, functions: Mapping[str, str], sums: Mapping[str, Sums], asked: Sequence[str]) -> Figure:
    """The mean of what each question adds, between the least and the most that any can add.

    The expression is linear, so its weights are what it changes by when one figure goes from 0 to 1.
    """
    nothing = dict.fromkeys(sums, 0.0)
    alone = float(at(left, nothing))
    weights = {name: float(at(left, {**nothing, name: 1.0})) - alone for name in sums}
    weights = {name: 0.0 if abs(weight) < 1e-12 else weight for name, weight in weights.items()}
    return _by_weights(weights, alone, functions, sums, asked)


def first_order_figure(
    left: str, functions: Mapping[str, str], sums: Mapping[str, Sums], asked: Sequence[str]
) -> Figure:
    """What it is near what was seen: by how much it changes with each figure, from a hair below to a hair above."""
    seen = {
        name: math.fsum(one.tops[q] for q in asked) / math.fsum(one.bottoms[q] for q in asked)
        for name, one in sums.items()
    }
    weights = {}
    for name, value in seen.items():
        hair = max(abs(value), 1e-6) * 1e-4
        ends = [float(at(left, {**seen, name: value + side * hair})) for side in (-1, 1)]
        weights[name] = (ends[1] - ends[0]) / (2 * hair)
    alone = float(at(left, seen)) - math.fsum(weights[name] * seen[name] for name in seen)
    return _by_weights(weights, alone, functions, sums, asked)


def few_tell(
    weights: Mapping[str, float], functions: Mapping[str, str], sums: Mapping[str, Sums], asked: Sequence[str]
) -> bool:
    """Fewer than 30 questions; or fewer than 10 on which shares that stand against each other differ, or of which anything
    was repaired or spoilt."""
    shares = [name for name in sums if functions[name] in ("accuracy", "skyline") and weights[name]]
    apart = any(weights[name] > 0 for name in shares) and any(weights[name] < 0 for name in shares)
    turns = [name for name in sums if functions[name] in ("net", "safety_multiple")]
    telling = set()
    for q in asked:
        values = [sums[name].tops[q] for name in shares]
        if apart and max(values) - min(values) > 1e-9:
            telling.add(q)
        for name in turns:
            if sums[name].tops[q] or (functions[name] == "safety_multiple" and sums[name].bottoms[q]):
                telling.add(q)
    return len(asked) < FEW_QUESTIONS or (bool(apart or turns) and len(telling) < FEW_DISCORDANT)


def _by_weights(
    weights: Mapping[str, float],
    alone: float,
    functions: Mapping[str, str],
    sums: Mapping[str, Sums],
    asked: Sequence[str],
) -> Figure:
    few = few_tell(weights, functions, sums, asked)
    reaches = {
        name: (-sums[name].most, sums[name].most)
        if function == "net"
        else (0.0, 2 * max(sums[name].tops.values()) if function == "cost" else 1.0)
        for name, function in functions.items()
    }

    def bounded(values: Mapping[str, Mapping[str, float]]) -> tuple[Difference, float, float]:
        questions = sorted(set.intersection(*(set(of_term) for of_term in values.values())))
        times = {name: weights[name] * (len(questions) if functions[name] == "net" else 1) for name in sums}
        ranges = [sorted(times[name] * end for end in reaches[name]) for name in functions]
        low, high = alone + sum(least for least, _ in ranges), alone + sum(most for _, most in ranges)
        added = [alone + math.fsum(times[name] * values[name][q] for name in sums) for q in questions]
        if high <= low:
            return Difference([0.0]), low, 0.0
        return (
            Difference([(2 * value - low - high) / (high - low) for value in added]),
            (low + high) / 2,
            (high - low) / 2,
        )

    seen, middle, half = bounded({name: {q: one.tops[q] for q in asked} for name, one in sums.items()})
    value = middle + half * seen.value
    if len(asked) < 2 or half == 0:
        small = few or half == 0
        return Figure(value, lambda _: (None, None), lambda _: None, "none", small)
    if not any(one.waits for term in sums.values() for one in term.values.values()):
        return _on_range([(seen, middle, half)] * 3, few)
    ends = [
        bounded({name: _all_at(one, best=weights[name] * sign > 0) for name, one in sums.items()}) for sign in (-1, 1)
    ]
    return _on_range([(seen, middle, half), *ends], few)


def _all_at(sums: Sums, *, best: bool) -> dict[str, float]:
    """Of a share, with what waits right or wrong; a net has nothing that waits."""
    if not any(value.waits for value in sums.values.values()):
        return sums.tops
    ends = {q: (value.best if best else value.worst) for q, value in sums.values.items()}
    return {q: end for q, end in ends.items() if end is not None}


def _on_range(three: Sequence[tuple[Difference, float, float]], few: bool) -> Figure:
    """Of what is graded, at its worst and at its best, each on the scale of its own range."""
    value, worst, best = (middle + half * figure.value for figure, middle, half in three)

    def end(place: int, alpha: float, side: int) -> float:
        figure, middle, half = three[place]
        limit = figure.limits(alpha)[side]
        assert limit is not None
        return middle + half * limit

    def limits(alpha: float) -> Limits:
        return min(value, end(1, alpha, 0)), max(value, end(2, alpha, 1))

    def p(threshold: float) -> float | None:
        if min(value, worst) - 1e-9 <= threshold <= max(value, best) + 1e-9:
            return 1.0
        return _p_at(three[1] if threshold < value else three[2], threshold)

    return Figure(value, limits, p, "score", few)


def _p_at(one: tuple[Difference, float, float], threshold: float) -> float | None:
    figure, middle, half = one
    return figure.p_of((threshold - middle) / half)


def _multiple(sums: Sums, asked: Sequence[str]) -> Figure:
    counts = [(sums.tops[question], sums.bottoms[question]) for question in asked]
    gained, lost = (sum(count[side] for count in counts) for side in (0, 1))
    value = gained / lost if lost else None
    few = len(counts) < FEW_QUESTIONS or sum(one > 0 or other > 0 for one, other in counts) < FEW_DISCORDANT
    if len(counts) < 2 or not gained + lost:
        return Figure(value, lambda _: (None, None), lambda _: None, "none", few)
    half = _half(counts)
    without = [_log(gained - one, lost - other, half) for one, other in counts]
    variance = (len(counts) - 1) * mean([(left - mean(without)) ** 2 for left in without])
    error = math.sqrt(max(variance + 2.0 * (gained == 0) + 2.0 * (lost == 0), at_least(counts)))
    centre = _log(gained, lost, half)

    def limits(alpha: float) -> Limits:
        z = float(norm_isf(alpha / 2))
        low, high = math.exp(centre - z * error), math.exp(centre + z * error)
        if value is None:
            return low, None
        return (min(low, value) if gained else 0.0), (max(high, value) if gained else high)

    def p(threshold: float) -> float:
        if threshold <= 0:
            return float(threshold == 0 and gained == 0)
        distance = (math.log(threshold) - centre) / error
        if (distance < 0 and gained == 0) or (distance >= 0 and lost == 0):
            return 1.0
        return float(2 * norm_sf(abs(distance)))

    return Figure(value, limits, p, "log ratio", few)


def _closed(sums: Sums, asked: Sequence[str]) -> Figure | None:
    pairs = [(sums.tops[question], sums.bottoms[question]) for question in asked]
    n, rise, gap = len(together(asked)), math.fsum(p[0] for p in pairs), math.fsum(p[1] for p in pairs)
    if gap <= 1e-12:
        return None
    if n < 2:
        return Figure(rise / gap, lambda _: (None, None), lambda _: None, "none", True)
    if sums.unsure:
        return Figure(rise / gap, lambda _: (None, None), lambda _: None, "none", n < FEW_QUESTIONS)
    assert sums.best_of is not None
    whoever = Whoever(*sums.best_of, asked, rise / gap)
    figure = Figure(rise / gap, whoever.limits, whoever.p, "fieller", n < FEW_QUESTIONS)
    figure.verdict_limits = lambda alpha: whoever.limits(alpha, for_a_verdict=True)
    figure.verdict_p = whoever.verdict_p
    return figure


def own_figure(name: str, function: str, sums: Sums, asked: Sequence[str]) -> Figure | None:
    """One figure by itself, whichever it is."""
    found = one_figure(function, sums, asked)
    if found is None and function == "net":
        found = linear_figure(name, {name: function}, {name: sums}, asked)
    return found or drawn_figure(name, {name: function}, {name: sums}, asked)


def power_figure(left: str, name: str, function: str, sums: Sums, asked: Sequence[str]) -> Figure | None:
    """One figure alone, squared say: by the test of that figure."""
    inner = own_figure(name, function, sums, asked)
    if inner is None or inner.value is None:
        return None

    def curve(value: Any) -> Any:
        return at(left, {name: value})

    def largest(p_of: Callable[[float], float | None]) -> Callable[[float], float | None]:
        def p(threshold: float) -> float | None:
            found = [p_of(at_it) for at_it in crossings(curve, threshold, function, inner.value or 0.0)]
            if not found:
                return 0.0 if p_of(inner.value or 0.0) is not None else None
            return None if None in found else max(each for each in found if each is not None)

        return p

    figure = Figure(
        float(curve(inner.value)),
        lambda alpha: image(curve, inner.limits(alpha), function),
        largest(inner.p),
        inner.test,
        inner.small,
        drawn=inner.drawn,
        shown=inner.shown,
    )
    figure.verdict_limits = lambda alpha: image(curve, inner.verdict_limits(alpha), function)
    figure.verdict_p = largest(inner.verdict_p)
    return figure


def _box(left: str, functions: Mapping[str, str], sums: Mapping[str, Sums], asked: Sequence[str]) -> LimitsAt | None:
    figures = {name: own_figure(name, functions[name], one, asked) for name, one in sums.items()}
    known = {name: figure for name, figure in figures.items() if figure is not None and figure.value is not None}
    if len(known) < len(figures):
        return None
    return boxed(left, {name: figure.verdict_limits for name, figure in known.items()}, functions)


def _rare(functions: Mapping[str, str], sums: Mapping[str, Sums], asked: Sequence[str]) -> bool:
    shares = [sums[name] for name in sums if functions[name] in ("accuracy", "skyline")]
    right = [math.fsum(one.tops[q] for q in asked) for one in shares]
    return any(min(many, len(asked) - many) < FEW_DISCORDANT for many in right)


def drawn_figure(
    left: str, functions: Mapping[str, str], sums: Mapping[str, Sums], asked: Sequence[str]
) -> Figure | None:
    """A bootstrap: one resample of the questions gives all figures at once. The verdict goes by no less than the mean of what
    a question moves it by, and there is none where that is no mean between bounds."""
    rows = [[part for s in sums.values() for part in (s.tops[q], s.bottoms[q])] for q in asked]
    n = len(rows)

    def figure(totals: Any) -> Any:
        places = {name: totals[:, 2 * p] / totals[:, 2 * p + 1] for p, name in enumerate(sums)}
        return at(left, places)

    with np.errstate(all="ignore"):
        value = float(figure(np.array(rows).sum(axis=0)[None, :])[0])
        if not math.isfinite(value):
            return None
        if n < 2 or all(row == rows[0] for row in rows):
            return Figure(value, lambda _: (None, None), lambda _: None, "none", True)
        bounded = None
        if set(functions.values()) <= {"accuracy", "skyline", "net", "cost"} and not divides(left):
            bounded = first_order_figure(left, functions, sums, asked)
        small = n < FEW_QUESTIONS if bounded is None else bounded.small
        if any(one.unsure for one in sums.values()):
            return Figure(value, lambda _: (None, None), lambda _: None, "none", small)
        drawn = np.sort(figure(drawn_sums(rows, seed=3)))
    if 2 * int((~np.isnan(drawn)).sum()) < len(drawn):
        return Figure(value, lambda _: (None, None), lambda _: None, "none", small)
    drawn = drawn[~np.isnan(drawn)]

    def limits(alpha: float) -> tuple[Any, Any]:
        return ends(drawn, n, alpha)

    def p(threshold: float) -> float:
        beyond = min(int((drawn <= threshold).sum()), int((drawn >= threshold).sum()))
        share = (beyond + 0.5) / len(drawn)
        if share >= 0.5:
            return 1.0
        return float(2 * t_sf(-float(norm_ppf(share)) * math.sqrt((n - 1) / n), n - 1))

    box = _box(left, functions, sums, asked) if bounded is None or _rare(functions, sums, asked) else None
    if bounded is None:
        if box is None or box(0.05) == (None, None):
            return Figure(value, lambda _: (None, None), lambda _: None, "none", small)
        return Figure(value, box, lambda threshold: level_that_leaves_out(box, threshold), "box", small)
    if box is None and _rare(functions, sums, asked):
        return Figure(value, limits, lambda _: None, "none", small, drawn=True)
    found = Figure(value, limits, p, "bootstrap", small, drawn=True, shown=lambda found: Near(found, 0.02))
    found.verdict_limits = lambda alpha: _farther(limits(alpha), bounded.limits(alpha))
    found.verdict_p = lambda threshold: max(p(threshold), bounded.p(threshold) or 0.0)
    if box is not None:
        found.verdict_limits = lambda alpha: _farther(_farther(limits(alpha), bounded.limits(alpha)), box(alpha))
        found.verdict_p = lambda threshold: max(
            p(threshold), bounded.p(threshold) or 0.0, level_that_leaves_out(box, threshold) or 0.0
        )
    return found


def divides(left: str) -> bool:
    """Whether by a figure."""
    parts = [part for part in ast.walk(ast.parse(left, mode="eval")) if isinstance(part, ast.BinOp)]
    below = [part.right for part in parts if isinstance(part.op, ast.Div)]
    return any(isinstance(inner, ast.Name) for part in below for inner in ast.walk(part))


def _farther(drawn: tuple[Any, Any], bounded: tuple[Any, Any]) -> tuple[Any, Any]:
    low, high = (end if isinstance(end, Near) else Near(end, 1e-9) for end in drawn)
    assert low.value is not None
    assert high.value is not None
    return (
        Near(min(low.value, bounded[0]), low.within) if low.value - low.within < bounded[0] else bounded[0],
        Near(max(high.value, bounded[1]), high.within) if high.value + high.within > bounded[1] else bounded[1],
    )


def multiplied_out(left: str) -> tuple[str, str]:
    """One without quotients by another: what stands above and what stands below."""

    def walk(part: ast.AST) -> tuple[str, str]:
        if isinstance(part, ast.UnaryOp):
            above, below = walk(part.operand)
            return f"-({above})", below
        if not isinstance(part, ast.BinOp):
            return ast.unparse(part), "1"
        (one, under), (other, beneath) = walk(part.left), walk(part.right)
        if isinstance(part.op, ast.Mult):
            return f"({one}) * ({other})", f"({under}) * ({beneath})"
        if isinstance(part.op, ast.Div):
            return f"({one}) * ({beneath})", f"({under}) * ({other})"
        sign = "+" if isinstance(part.op, ast.Add) else "-"
        return f"({one}) * ({beneath}) {sign} ({other}) * ({under})", f"({under}) * ({beneath})"

    return walk(ast.parse(left, mode="eval").body)
