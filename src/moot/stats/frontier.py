"""Accuracy against cost: which ways of answering are worth their money, and what can be told apart at all.

An option is on the frontier if none is both cheaper and better. That is picked after the fact, so beside each option
stands the best that costs no more, with an interval that pays for the choice, and whether that one can be told from it
(`moot.stats.choice`). Costs are compared question by question: one option costs as much as another only where it is not
dearer by more than a call here and there that had to be made again. Long answers, and calls made again, come where answers
are wrong: so the luckiest of equals is the cheapest too, and stands alone among those that cost no more. That is why the
interval pays for everybody who is not dearer beyond doubt.

Options are compared by the least that they can be, as `moot.stats.crossfit` does and for its reason. Of equals the one that
costs less stands, then the one with fewer calls, then the one whose name comes first: the order of a file is no reason. All
figures are on the questions that all of them have played (`moot.stats.shared_questions`): else one could be above the best
that it could be.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from moot.stats.choice import chosen_interval, standing, told_apart
from moot.stats.clusters import units_of, value_rows
from moot.stats.completions import Between
from moot.stats.crossfit import FOLDS, folds, parts_of
from moot.stats.estimates import Row, estimate, estimate_row
from moot.stats.graded import Value
from moot.stats.option_table import option_table
from moot.stats.proportion import share, share_between
from moot.stats.quantiles import ALPHA, student_quantile
from moot.stats.shared_questions import SharedQuestions, shared_questions
from moot.types import NOTHING, Estimate

if TYPE_CHECKING:
    from moot.stats.bootstrap import Floats


@dataclass(frozen=True, slots=True)
class Option:
    """One way of answering: its value and its cost, question by question.

    None: not graded, so the question is no part of its accuracy. A question it lacks was not played.
    """

    right: Mapping[str, float | None]
    cost: Mapping[str, float]
    """Of a question that it lacks, though it was played, nobody knows the cost: a call is missing."""
    once: bool = True
    """Its values are right or wrong; else they are means over captains or repeats."""
    least: Mapping[str, float] = field(default_factory=dict)
    """The least that a value can be of which only a part is graded."""
    most: Mapping[str, float] = field(default_factory=dict)
    """The most that it can be."""
    known: bool = True
    """False: what is graded of it would flatter, so that its accuracy is not known."""
    waiting: Mapping[str, Value] = field(default_factory=dict)
    """The questions of which something waits for a grade."""
    calls: Mapping[str, float] = field(default_factory=dict)
    """How many, where cost is another thing: of equals that cost the same the one with fewer stands."""
    completed: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """What may yet come of questions of which a play lacks calls: at the least and at the most."""


@dataclass(frozen=True, slots=True)
class _Tables:
    """Options × questions."""

    right: Floats
    """NaN: not graded, or all of a row whose graded part would flatter."""
    graded: Any
    """Whether something of it is graded."""
    least: Floats
    most: Floats
    pooled: bool
    worst: Floats
    """As `right`, were all wrong that waits for a grade."""
    best: Floats
    something_waits: Sequence[bool]
    """By option."""
    lowest: Floats
    """As `least`, whatever comes of plays that lack calls."""
    highest: Floats
    worst_completed: Floats
    """As `worst`, and plays that lack calls at their worst."""
    best_completed: Floats
    unpriced: float
    """The most that any may reach of which nobody knows what it costs: for all that is known it is within every cost."""

    def accuracy(self, own: int, asked: Sequence[str]) -> Between | None:
        """Of one whose accuracy is known, where something of it waits."""
        if not self.something_waits[own]:
            return None
        ends = [_known(asked, table[own]) for table in (self.right, self.worst, self.best)]
        if not ends[0] or ends[1] == ends[2]:
            return None
        return share_between(share(value_rows(ends[0])), ends[1], ends[2])


class _Accuracy(NamedTuple):
    """Of one option, by itself."""

    usual: Estimate | None
    at_worst: Estimate | None
    """Were all wrong that waits for a grade; None where nothing does."""


def frontier(
    options: Mapping[str, Option],
    questions: Sequence[str],
    *,
    count: int = FOLDS,
    seed: int = 0,
    beside: int = 0,
) -> list[Row]:
    """A row for each option that can be ranked beside the others (`shared`), the cheapest first.

    `on_frontier` is after the fact; `folds` counts in how many of `of_folds` parts it is on the frontier of the others;
    `within` is the accuracy of `within_of`, the highest of those that cost no more than this option; `beaten_by` is the
    one of them that is better, that choice and all rows paid for, and None where this option cannot be told from the best
    of them. `beside`: how many options more were looked at and are not here any more.
    """
    import numpy as np

    together = shared_questions({name: option.right for name, option in options.items()}, questions)
    if len(together.questions) < 2 or together.none_ranked:
        return []
    asked = together.questions
    charged = charged_together({name: options[name].cost for name in together.names}, asked)
    if charged is None:
        return []
    spent = _spent([options[name] for name in charged.names], charged.questions)
    costs_by_name = dict(zip(charged.names, spent, strict=True))
    names = sorted(charged.names, key=lambda name: (*costs_by_name[name].rounded, name))
    unpriced = {name: options[name] for name in charged.left_out}
    options = {name: options[name] for name in names}
    tables = _tables(options, asked, unpriced)
    paid = [costs_by_name[name].cost for name in names]
    costs = _compared([option.cost for option in options.values()], charged.questions)
    on_fewer = {"cost_n": len(charged.questions)} if len(charged.questions) < len(asked) else {}
    costlier = costs.more
    parts = parts_of(asked, count)
    fold_by_question = folds(asked, count=max(1, parts), seed=seed)
    fold_of = np.array([fold_by_question[question] for question in asked])
    learnt = [_means(tables, fold_of != fold) for fold in range(parts)]
    on = [undominated(means, costlier) for means in learnt]
    reached = _means(tables, fold_of >= 0).round(12)
    whole = undominated(reached, costlier)
    affordable = [np.flatnonzero(~costlier[:, own]) for own in range(len(names))]
    clusters = units_of(asked)
    beaten = _beaten(tables, affordable, clusters, seed, beside + len(unpriced))
    alone = [_accuracy(tables, own, asked) for own in range(len(names))]
    rows: list[Row] = []
    for own in sorted(range(len(names)), key=lambda place: (round(paid[place], 12), -reached[place], names[place])):
        better = beaten[own]
        rows.append(
            {
                "of": names[own],
                "cost": paid[own],
                **on_fewer,
                **estimate_row(alone[own].usual, "accuracy"),
                "on_frontier": bool(whole[own]),
                "folds": sum(bool(fold_frontier[own]) for fold_frontier in on),
                "of_folds": parts,
                **_within(names, tables, alone, affordable[own], ~costs.surely_more[:, own], reached, clusters, seed),
                "beaten_by": None if better is None else names[better],
            }
        )
    return rows


class _Spent(NamedTuple):
    """Of one option, on average."""

    cost: float
    calls: float

    @property
    def rounded(self) -> tuple[float, float]:
        """As equals are told apart by them."""
        return round(self.cost, 12), round(self.calls, 12)


def charged_together(costs: Mapping[str, Collection[str]], asked: Sequence[str]) -> SharedQuestions | None:
    """Who can be compared by cost, and on which questions; None where no two can."""
    together = shared_questions(costs, asked)
    return together if len(together.questions) > 1 and len(together.names) >= min(2, len(costs)) else None


def _spent(options: Sequence[Option], asked: Sequence[str]) -> list[_Spent]:
    tables = (option_table([getattr(option, of) for option in options], asked) for of in ("cost", "calls"))
    return [_Spent(*means) for means in zip(*(map(_mean_cost, table) for table in tables), strict=True)]


def _mean_cost(costs: Floats) -> float:
    there = costs[costs == costs].tolist()  # NaN was not played
    return math.fsum(there) / len(there) if there else 0.0


def _tables(options: Mapping[str, Option], asked: Sequence[str], unpriced: Mapping[str, Option] = NOTHING) -> _Tables:
    import numpy as np

    several = list(options.values())
    right = option_table([option.right for option in several], asked)
    graded = ~np.isnan(right)
    least, most = np.where(graded, right, 0.0), np.where(graded, right, 1.0)
    for place, option in enumerate(several):
        for row, ends in ((least[place], option.least), (most[place], option.most)):
            if not ends:
                continue
            row[:] = [ends.get(question, value) for question, value in zip(asked, row.tolist(), strict=True)]
    shown = np.array([option.known for option in several])
    worst, best = right.copy(), right.copy()
    for place, option in enumerate(several):
        for column, question in enumerate(asked) if option.waiting else ():
            if question in option.waiting:
                worst[place, column] = option.waiting[question].least
                best[place, column] = option.waiting[question].most
    with_missing = lowest, highest, at_worst, at_best = [table.copy() for table in (least, most, worst, best)]
    for place, option in enumerate(several):
        for column, question in enumerate(asked) if option.completed else ():
            if question in option.completed:
                low, high = option.completed[question]
                for table, end in zip(with_missing, (low, high, low, high), strict=True):
                    table[place, column] = end
    pooled, waits = not all(option.once for option in several), [bool(option.waiting) for option in several]
    beyond = float(_tables(unpriced, asked).highest.mean(axis=1).max()) if unpriced else -math.inf
    known = np.where(shown[:, None], right, np.nan)
    return _Tables(known, graded, least, most, pooled, worst, best, waits, lowest, highest, at_worst, at_best, beyond)


def _accuracy(tables: _Tables, own: int, asked: Sequence[str]) -> _Accuracy:
    between = tables.accuracy(own, asked)
    if between is None:
        return _Accuracy(estimate(_known(asked, tables.right[own])), None)
    return _Accuracy(between.estimate(), between.estimate_at_worst())


def _within(
    names: Sequence[str],
    tables: _Tables,
    alone: Sequence[_Accuracy],
    affordable: Any,
    not_surely_dearer: Any,
    reached: Floats,
    clusters: Sequence[object] | None,
    seed: int,
) -> Row:
    """The best of those that an option could afford, which pays for all who might have been among them."""
    import numpy as np

    best = int(affordable[np.argmax(reached[affordable])])
    paid_for = np.union1d(affordable, np.flatnonzero(not_surely_dearer))
    usual, at_worst = alone[best]
    place = int(np.searchsorted(paid_for, best))
    paid = usual and chosen_interval(
        tables.right[paid_for], place, usual, at_worst=at_worst, clusters=clusters, seed=seed
    )
    # Whoever costs nobody knows what may be the best within this cost, and is not paid for.
    limits = None if tables.unpriced > -math.inf else paid
    return {
        "within": paid and paid.value,
        "within_low": limits and limits.low,
        "within_high": limits and limits.high,
        "within_of": names[best],
        **_within_bounds(tables, best, affordable),
    }


def _within_bounds(tables: _Tables, best: int, affordable: Any) -> Row:
    """What the highest of those within the cost is over all questions, where not all is graded, or calls are missing: also of
    what cannot be right. With more grades, or calls, it may be another that is the highest."""
    low, high = (float(table[affordable].mean(axis=1).max()) for table in (tables.lowest, tables.highest))
    high = max(high, tables.unpriced)
    own = float(tables.least[best].mean())
    if tables.graded[best].all() and math.isclose(low, own, abs_tol=1e-12) and math.isclose(high, own, abs_tol=1e-12):
        return {}
    return {"within_bounds": {"low": low, "high": high}}


def _beaten(
    tables: _Tables, affordable: Sequence[Any], clusters: Sequence[object] | None, seed: int, beside: int
) -> list[int | None]:
    """For each option the one that costs no more and is better, all rows of the table paid for."""
    import numpy as np

    several, found = [], []
    for own, cheaper in enumerate(affordable):
        others = cheaper[cheaper != own]
        several.append(others)
        # Better is what is better with all that waits or is missing at its worst; of what is not known nobody can say that it is.
        rivals = np.where(np.isnan(tables.right[others]).all(axis=1)[:, None], np.nan, tables.worst_completed[others])
        known = not np.isnan(tables.right[own]).all()
        best = tables.best_completed[own] if known else tables.right[own]
        found.append(standing(best, rivals, pooled=tables.pooled, clusters=clusters, seed=seed))
    beaten: list[int | None] = []
    for own, (others, said) in enumerate(zip(several, told_apart(found, beside=beside), strict=True)):
        better = None if said.beaten_by is None else int(others[said.beaten_by])
        if better is not None and tables.lowest[better].sum() <= tables.highest[own].sum():
            better = None  # whatever is ungraded, or is not played with all of its calls, could turn it round
        beaten.append(better)
    return beaten


SAME_COST = 0.1
"""Of the cheaper one: what costs no more than so much in addition, and is not clearly dearer, costs the same."""


@dataclass(frozen=True, slots=True)
class _Costs:
    """Options × options: whether the first costs more than the second,"""

    more: Any
    """as far as was seen;"""
    surely_more: Any
    """and beyond doubt, with all others compared at once."""


def _compared(costs: Sequence[Mapping[str, float]], asked: Sequence[str]) -> _Costs:
    """One costs more than another beyond Student's interval of their differences, or by more than a tenth. Costs that vary much
    say little of which is the higher one, and that is no reason to call them equal; nor to call one of them dearer for sure.

    A difference that every question has is one at any number of questions; one that a single question has is none.
    """
    import numpy as np

    table = option_table(costs, asked)
    units = units_of(asked)
    # Without clusters each question is its own unit, in the order in which they are asked.
    unit = np.arange(len(asked)) if units is None else np.unique(units, return_inverse=True)[1]
    more, surely = np.zeros((2, len(costs), len(costs)), dtype=bool)
    nothing = 1e-12 * float(np.nanmax(table, initial=0.0))
    for first in range(len(costs)):
        for second in range(first):
            both = ~np.isnan(table[first]) & ~np.isnan(table[second])
            differences = table[first, both] - table[second, both]
            mean = float(differences.mean()) if len(differences) else 0.0
            if abs(mean) <= nothing:
                continue
            error, df = _error(differences, unit[both])
            cheaper = min(float(table[place, both].mean()) for place in (first, second))
            clear = abs(mean) > error * student_quantile(df)
            large = abs(mean) > SAME_COST * cheaper + 1e-9 and np.count_nonzero(differences) > 1
            dear, cheap = (first, second) if mean > 0 else (second, first)
            more[dear, cheap] = clear or large
            surely[dear, cheap] = abs(mean) > error * student_quantile(df, ALPHA / (len(costs) - 1))
    return _Costs(more, surely)


def _error(differences: Floats, unit: Any) -> tuple[float, int]:
    """Of their mean, with its degrees of freedom: between units, which are questions or clusters of them."""
    import numpy as np

    away = np.bincount(unit, differences - differences.mean())[np.unique(unit)]
    n = len(away)
    if n < 2:  # one unit tells nothing of how others differ, unless each of its questions says the same
        return 0.0 if (differences == differences[0]).all() else math.inf, 1
    return math.sqrt(float(away @ away) * n / (n - 1)) / len(differences), n - 1


def _means(tables: _Tables, questions: Any) -> Floats:
    """Of each row on these questions, the least that it can be; an option without any grade stands behind all others."""
    import numpy as np

    graded, least = tables.graded[:, questions], tables.least[:, questions]
    means: Floats = np.where(graded.any(axis=1), least.mean(axis=1), -np.inf)
    return means


def _known(questions: Sequence[str], values: Floats) -> dict[str, float]:
    marks = zip(questions, values.tolist(), strict=True)
    return {question: value for question, value in marks if value == value}  # NaN is not graded


def undominated(value: Floats, costlier: Any) -> list[bool]:
    """Which are on the frontier: none that costs no more is better, and none that costs less is as good."""
    return [
        not any(
            (not costlier[other, option] and value[other] > value[option] + 1e-12)
            or (costlier[option, other] and value[other] >= value[option] - 1e-12)
            for other in range(len(value))
        )
        for option in range(len(value))
    ]
