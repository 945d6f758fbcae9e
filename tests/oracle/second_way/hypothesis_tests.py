"""What a hypothesis is tested by: one share, one difference, one net, one multiple, one gap; a bootstrap for the rest."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import stats

from second_way.closure import Players, Whoever
from second_way.compare import Near
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
from second_way.multiple import _log
from second_way.quiz_pairs import FEW_DISCORDANT, FEW_QUESTIONS, extremes, fixed
from second_way.raw import Cell
from second_way.resampling import drawn_sums, ends
from second_way.shares import Value, completed

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


def _worth_p(distance: float, variance: float, sizes: Sequence[float], share: float) -> float:
    """The level at which the interval reaches so far: it falls with the distance, so it is looked for."""
    low, high = 1e-300, 1.0
    if standard_errors(variance, sizes, share, 1.0 - 1e-12) > distance:
        return 1.0
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
    if function == "net":
        return _net(sums, asked)
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
    return _waiting_share(usual, sums) if any(one.waits for one in sums.values.values()) else usual


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

    return Figure(value, limits, p, usual.test, usual.small)


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
    return _paired(figure, 1.0, small, "mcnemar" if exact else None)


def _paired(figure: Difference | Waiting, factor: float, small: bool, at_zero: str | None) -> Figure:
    def limits(alpha: float) -> Limits:
        low, high = figure.limits(alpha)
        return (None if low is None else low * factor), (None if high is None else high * factor)

    def p(threshold: float) -> float | None:
        return figure.p_of(threshold / factor)

    return Figure(figure.value * factor, limits, p, "score", small, at_zero=at_zero)


def _net(sums: Sums, asked: Sequence[str]) -> Figure:
    """So many times the mean of one difference a question."""
    values = [sums.tops[question] / sums.most for question in asked]
    return _paired(Difference(values), sums.most * len(asked), len(asked) < FEW_QUESTIONS, None)


def _multiple(sums: Sums, asked: Sequence[str]) -> Figure:
    counts = [(sums.tops[question], sums.bottoms[question]) for question in asked]
    gained, lost = (sum(count[side] for count in counts) for side in (0, 1))
    value, few = (gained / lost if lost else None), len(counts) < FEW_QUESTIONS
    if len(counts) < 2 or not gained + lost:
        return Figure(value, lambda _: (None, None), lambda _: None, "none", few)
    without = [_log(gained - one, lost - other) for one, other in counts]  # type: ignore[arg-type]
    variance = (len(counts) - 1) * mean([(left - mean(without)) ** 2 for left in without])
    error = math.sqrt(variance + 2.0 * (gained == 0) + 2.0 * (lost == 0))
    centre = _log(gained, lost)  # type: ignore[arg-type]

    def limits(alpha: float) -> Limits:
        z = float(stats.norm.isf(alpha / 2))
        low, high = math.exp(centre - z * error), math.exp(centre + z * error)
        if value is None:
            return low, None
        return (min(low, value) if gained else 0.0), (max(high, value) if gained else high)

    def p(threshold: float) -> float:
        if threshold <= 0:
            return float(gained == 0)
        distance = (math.log(threshold) - centre) / error
        if (distance < 0 and gained == 0) or (distance >= 0 and lost == 0):
            return 1.0
        return float(2 * stats.norm.sf(abs(distance)))

    return Figure(value, limits, p, "log ratio", few)


def _closed(sums: Sums, asked: Sequence[str]) -> Figure | None:
    pairs = [(sums.tops[question], sums.bottoms[question]) for question in asked]
    n, rise, gap = len(pairs), math.fsum(p[0] for p in pairs), math.fsum(p[1] for p in pairs)
    if gap <= 1e-12:
        return None
    if n < 2:
        return Figure(rise / gap, lambda _: (None, None), lambda _: None, "none", True)
    assert sums.best_of is not None
    whoever = Whoever(*sums.best_of, asked, rise / gap)
    return Figure(rise / gap, whoever.limits, whoever.p, "fieller", n < FEW_QUESTIONS)


def drawn_figure(left: str, sums: Mapping[str, Sums], asked: Sequence[str]) -> Figure | None:
    """A bootstrap: one resample of the questions gives all figures at once."""
    rows = [[part for s in sums.values() for part in (s.tops[q], s.bottoms[q])] for q in asked]
    n = len(rows)

    def figure(totals: Any) -> Any:
        places = {name: totals[:, 2 * p] / totals[:, 2 * p + 1] for p, name in enumerate(sums)}
        return eval(compile(ast.parse(left, mode="eval"), "hypothesis", "eval"), {"__builtins__": {}}, places)

    with np.errstate(all="ignore"):
        value = float(figure(np.array(rows).sum(axis=0)[None, :])[0])
        if not math.isfinite(value):
            return None
        if n < 2 or all(row == rows[0] for row in rows):
            return Figure(value, lambda _: (None, None), lambda _: None, "none", True)
        drawn = np.sort(figure(drawn_sums(rows, seed=3)))
    if 2 * int((~np.isnan(drawn)).sum()) < len(drawn):
        return Figure(value, lambda _: (None, None), lambda _: None, "none", n < FEW_QUESTIONS)
    drawn = drawn[~np.isnan(drawn)]

    def limits(alpha: float) -> tuple[Any, Any]:
        return ends(drawn, n, alpha)

    def p(threshold: float) -> float:
        beyond = min(int((drawn <= threshold).sum()), int((drawn >= threshold).sum()))
        share = (beyond + 0.5) / len(drawn)
        if share >= 0.5:
            return 1.0
        return float(2 * stats.t.sf(-float(stats.norm.ppf(share)) * math.sqrt((n - 1) / n), n - 1))

    return Figure(value, limits, p, "bootstrap", n < FEW_QUESTIONS, drawn=True, shown=lambda found: Near(found, 0.02))
