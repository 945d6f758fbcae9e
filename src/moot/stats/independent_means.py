"""The mean of figures that were estimated from different questions, each of equal weight.

Sets may ask some of the same questions. How far the figures of such sets go together nobody knows, so their distances to
their limits are added as they are, as if both were always off to the same side; those of other sets by their squares.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from moot.stats.clusters import joined, unit_of
from moot.stats.completions import Between, Limited, LimitedOver
from moot.stats.proportion import score_limits
from moot.types import Estimate


def mean_between(figures: Sequence[LimitedOver], mean: Callable[[Sequence[Estimate]], Estimate]) -> Estimate:
    """The mean of figures of which answers may wait: its low end is that of all at their worst, its high end that of all
    at their best. What waits is no chance, so it may not be added up as if it were."""
    ends = [
        (figure.seen, figure.worst, figure.best) if isinstance(figure, Between) else (figure, figure, figure)
        for figure in figures
    ]
    seen, worst, best = (
        mean([_estimate(end, figure) for end, figure in zip(of_end, figures, strict=True)])
        for of_end in zip(*ends, strict=True)
    )
    if seen.low is None or worst.low is None or best.high is None:
        return replace(seen, low=None, high=None)
    return replace(seen, low=min(seen.value, worst.low), high=max(seen.value, best.high))


def _estimate(end: Limited, of: LimitedOver) -> Estimate:
    low, high = end.limits()
    return Estimate(end.value, low, high, of.n, of.clusters)


def sharing(sets: Sequence[Iterable[str]]) -> list[int]:
    """A number for each set of questions: the same for those that ask some of the same, or have some that hang together, be
    it by way of others."""
    names = joined({place: sorted(set(map(unit_of, questions))) for place, questions in enumerate(sets)})
    first: dict[str, int] = {}
    return [first.setdefault(names[place], place) if place in names else place for place in range(len(sets))]


def mean_of_independent(estimates: Sequence[Estimate], shared: Sequence[int] | None = None) -> Estimate:
    """Every estimate counts alike, however many questions it comes from; `n` is their number.

    The interval adds up the distances from each value to its own limits (the method of variance estimates recovery), so it
    is as good as theirs and never without width where theirs have some. How much the sets differ is no part of it: they
    were not drawn at random. Where one has no interval, the mean has none. `shared`: see `sharing`; None: no two are.
    """
    count = len(estimates)
    value = math.fsum(estimate.value for estimate in estimates) / count
    below: list[float] = []
    above: list[float] = []
    for estimate in estimates:
        if estimate.low is None or estimate.high is None:
            return Estimate(value, None, None, count)
        below.append((estimate.value - estimate.low) ** 2)
        above.append((estimate.high - estimate.value) ** 2)
    low, high = (math.sqrt(sum(_apart(squares, shared))) / count for squares in (below, above))
    return Estimate(value, value - low, value + high, count)


def _apart(squares: Sequence[float], shared: Sequence[int] | None) -> Sequence[float]:
    """The squares of distances that go their own ways: one for all sets that ask some of the same."""
    if shared is None or len(set(shared)) == len(squares):
        return squares
    distances: dict[int, float] = {}
    for square, place in zip(squares, shared, strict=True):
        distances[place] = distances.get(place, 0.0) + math.sqrt(square)
    return [distance**2 for distance in distances.values()]


def mean_of_independent_shares(estimates: Sequence[Estimate], shared: Sequence[int] | None = None) -> Estimate:
    """The same of shares, each with a score interval of its own: see `stats.proportion`.

    Distances added up end too early on the side of the nearer end: 0 or 1 in every set is far from 0 or 1 in all of them.
    So the mean also gets one score interval, with as many questions as would leave it the variance of the sets together;
    but that knows nothing of a small set in which nothing differs beside a great one. Each end is the farther of the two.
    """
    summed = mean_of_independent(estimates, shared)
    if summed.low is None or summed.high is None or len(estimates) == 1:
        return summed  # of one set it is that set's own
    low, high = score_limits(summed.value, _width_of_mean(estimates, summed.value, shared))
    return Estimate(summed.value, max(0.0, min(summed.low, low)), min(1.0, max(summed.high, high)), summed.n)


def _width_of_mean(estimates: Sequence[Estimate], value: float, shared: Sequence[int] | None) -> float:
    """z² by the number of questions that the mean is worth; where no set shows a spread, by what they are worth at the least."""
    widths = [_width(estimate) for estimate in estimates]
    spreads = [estimate.value * (1 - estimate.value) for estimate in estimates]
    variances = [spread * width for spread, width in zip(spreads, widths, strict=True)]
    seen = math.fsum(_apart(variances, shared)) / len(estimates) ** 2
    if seen <= 1e-15 or value * (1 - value) <= 1e-15:
        return math.fsum(_apart(widths, shared)) / len(estimates) ** 2
    return seen / (value * (1 - value))


def _width(estimate: Estimate) -> float:
    """Of a score interval, what `score_limits` made it from, by the end that is farther from 0 and 1; a variance that is
    measured from so many units is greater by one of them."""
    end = estimate.low if estimate.value >= 0.5 else estimate.high
    assert end is not None, "there is an interval"
    units = estimate.n if estimate.clusters is None else estimate.clusters
    return (estimate.value - end) ** 2 / (end * (1 - end)) * units / (units - 1)
