"""What may be said of the best of many: the claim pays for the choice.

Options (strategies with their teams and captains) stand beside singles (players alone) on the same questions. The one
with the highest accuracy is chosen after the fact, and it is more than the best single only if it beats *every* single:
whoever is the best in truth is among them, so nothing has to be paid for not knowing who. What has to be paid for is
that the highest of many options is high by luck: against each single, the test must be passed at the point that the
highest of so many options, as alike as these are, would pass by luck in 2.5 % of experiments.

Each option's own test is that of `moot.stats.score`, which is exact for one 0/1 pair a question; how alike options are
comes from their differences to the single, as a normal copula.
Two options hang together by the questions on which both are better and by those on which both are
worse; under no difference both kinds are equally frequent, so they are counted as if they were. This matters: teams that
share drafts repair the same errors and make different ones, and where luck gave many repairs, plain correlations, or
flips of signs, take options for more alike than they are (flips: 4 % false claims instead of 2.5). The point is never
above that of Bonferroni.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from moot.stats.bootstrap import seed_of
from moot.stats.distributions import beta_inverse, normal_cdf, normal_inverse
from moot.stats.paired import holm
from moot.stats.proportion import score_limits
from moot.stats.quantiles import Z_95
from moot.stats.score import Differences, differences
from moot.types import Estimate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from moot.stats.bootstrap import Floats

ALPHA = 0.025
"""On each side: intervals of 95 %."""
DRAWS = 20_000
FEWER_DRAWS = 5_000
"""Where everything is compared with everything."""


@dataclass(frozen=True, slots=True)
class Luck:
    """The highest of several normal values that are as alike as the options: one for each draw, the lowest first."""

    highest: Floats
    options: int

    def p(self, point: float) -> float:
        """How often luck alone gets so high, for any of the options."""
        alone = normal_cdf(-point)
        if self.options == 1:
            return alone
        reached = len(self.highest) - int(self.highest.searchsorted(point))
        return min(1.0, self.options * alone, max(alone, (1 + reached) / (1 + len(self.highest))))

    def point(self, level: float = ALPHA) -> float:
        """What luck passes this often: p is at most the level exactly above it."""
        alone, paid = -normal_inverse(level), -normal_inverse(level / self.options)
        if self.options == 1:
            return alone
        allowed = math.floor(level * (1 + len(self.highest))) - 1
        if allowed < 0:
            return paid
        return min(paid, max(alone, float(self.highest[len(self.highest) - 1 - allowed])))


def luck_of(alike: Floats, *, seed: int = 0, draws: int = DRAWS) -> Luck:
    """From how alike the options are, a matrix with ones on its diagonal."""
    return _luck_of(alike.astype(float, copy=False).tobytes(), len(alike), seed, draws)


@lru_cache(maxsize=32)  # of the same options one table asks for what is more, another for what is less
def _luck_of(table: bytes, count: int, seed: int, draws: int) -> Luck:
    import numpy as np

    alike = np.frombuffer(table).reshape(count, count)
    if count == 1:
        return Luck(np.zeros(0), 1)
    # The order in which options stand in a file changes nothing.
    order = np.lexsort((np.round((alike**2).sum(axis=1), 9), np.round(alike.sum(axis=1), 9)))
    root = np.linalg.cholesky(alike[np.ix_(order, order)] + 1e-9 * np.eye(count))
    drawn = root.astype(np.float32) @ _normal(count, draws, seed)
    return Luck(np.sort(drawn.max(axis=0)).astype(float), count)


@lru_cache(maxsize=8)  # the same for every single of an experiment
def _normal(count: int, draws: int, seed: int) -> NDArray[np.float32]:
    import numpy as np

    generator = np.random.Generator(np.random.SFC64(seed_of(seed, "luck")))
    return generator.standard_normal((count, draws), dtype=np.float32)


def alike_in_differences(table: Floats) -> Floats:
    """Options × questions, the differences to one single: see above. What is ungraded (NaN) says nothing."""
    import numpy as np

    known = np.nan_to_num(table)
    return _unit_products(_halved(np.maximum(known, 0.0)) - _halved(np.maximum(-known, 0.0)))


def alike_in_values(table: Floats, clusters: Sequence[object] | None = None) -> Floats:
    """Options × questions: the plain correlations of what they got right, on questions or on clusters of them."""
    import numpy as np

    graded = ~np.isnan(table)
    means = np.nansum(table, axis=1, keepdims=True) / np.maximum(1, graded.sum(axis=1, keepdims=True))
    centred = _by_cluster(np.where(graded, table - means, 0.0), clusters)
    return _unit_products(centred / np.maximum(1e-12, np.linalg.norm(centred, axis=1, keepdims=True)))


def _halved(part: Floats) -> Floats:
    """Scaled so that each row's squares sum to a half; a row of nothing stays so."""
    import numpy as np

    size = np.linalg.norm(part, axis=1, keepdims=True)
    scaled: Floats = np.where(size > 0, part / np.where(size > 0, size, 1.0), 0.0) / math.sqrt(2)
    return scaled


def _unit_products(rows: Floats) -> Floats:
    import numpy as np

    products = rows @ rows.T
    np.fill_diagonal(products, 1.0)  # a part of which nothing was seen is shared with nobody
    return products


@dataclass(frozen=True, slots=True)
class Against:
    """The chosen option against one single."""

    differences: Differences
    more: float
    """One-sided p that the option is more, paid for the choice."""
    less: float
    """One-sided p that it is less, paid for the choice."""
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Claim:
    """The chosen option against the best single: zero lies outside of the interval exactly where `p` is at most 5 %."""

    option: int
    single: int
    difference: float
    low: float | None
    high: float | None
    p: float
    """Two-sided: that it is more than every single, or less than some, whichever is clearer."""
    options: int
    against: tuple[Against | None, ...]
    """By single; None where no question has both graded."""
    p_more: float = 1.0
    """One-sided, that it is more than every single."""
    p_less: float = 1.0
    """One-sided, that it is less than some."""
    limits_graded: tuple[float | None, float | None] | None = None
    """Over what is graded alone, where answers wait for a grade; None where none does."""

    @property
    def more(self) -> bool:
        return self.low is not None and self.low > 0


def claim(
    options: Floats,
    singles: Floats,
    *,
    option: int | None = None,
    single: int | None = None,
    pooled: bool = False,
    clusters: Sequence[object] | None = None,
    seed: int = 0,
    draws: int = DRAWS,
    side: float = ALPHA,
    top: bool | None = None,
    moved: Floats | None = None,
) -> Claim | None:
    """Options × questions beside singles × questions, each value from 0 to 1, NaN where it is not graded.

    `option` and `single`: which of them is chosen and which is the best, the highest mean if nothing is said. All rows of
    `options` are paid for, so what was declared beforehand stands there alone. `pooled`: values are means over captains
    or repeats. `clusters`: of each question, what it belongs to. `side`: what the interval may miss on each side. `top`:
    whether the option was the highest, if it is not to be seen from the means. `moved`: singles × options × questions, by
    how much an option's difference to a single is another than that of their values. None where no question has both graded.
    """
    option = highest(options) if option is None else option
    single = highest(singles) if single is None else single
    count = sum(1 for own in singles if _differences(options[option] - own, pooled, clusters) is not None)
    top = _mean(options[option]) >= _mean(options[highest(options)]) - 1e-12 if top is None else top
    tables = [options - own if moved is None else options - own + moved[place] for place, own in enumerate(singles)]
    against = tuple(_against(table, option, count, top, pooled, clusters, seed, draws, side) for table in tables)
    there = [versus for versus in against if versus is not None]
    best = against[single]
    if best is None:
        return None
    difference = best.differences.mean
    low = high = None
    if best.differences.n > 1:
        low = min(versus.low for versus in there)
        high = max(difference, min(versus.high for versus in there))
    less = len(there) * min(versus.less for versus in there)
    more = max(versus.more for versus in there)
    p = min(1.0, 2 * min(less, more))
    return Claim(option, single, difference, low, high, p, len(options), against, more, less)


def highest(values: Floats) -> int:
    """The row with the highest mean; of equals the first."""
    import numpy as np

    graded = ~np.isnan(values)
    sums = np.where(graded, values, 0.0).sum(axis=1)
    counts = graded.sum(axis=1)
    return int(np.argmax(np.where(counts > 0, np.round(sums / np.maximum(1, counts), 12), -np.inf)))


def _against(
    table: Floats,
    option: int,
    singles: int,
    top: bool,
    pooled: bool,
    clusters: Sequence[object] | None,
    seed: int,
    draws: int,
    side: float,
) -> Against | None:
    """Below, nothing is paid for the singles: all of them must be beaten. Above, the lowest of their bounds is taken, which
    is paid for; the options are not where the `top` of them was taken, which is too high rather than too low."""
    of_option = _differences(table[option], pooled, clusters)
    if of_option is None:
        return None
    luck = luck_of(alike_in_differences(_by_cluster(table, clusters)), seed=seed, draws=draws)
    above = Luck(luck.highest, 1) if top else luck
    low, high = of_option.low(luck.point(side)), of_option.high(above.point(side / singles))
    return Against(of_option, luck.p(of_option.above), above.p(of_option.below), low, high)


def _differences(row: Floats, pooled: bool, clusters: Sequence[object] | None) -> Differences | None:
    import numpy as np

    graded = ~np.isnan(row)
    if not graded.any():
        return None
    kept = None if clusters is None else [name for name, there in zip(clusters, graded, strict=True) if there]
    return differences(row[graded], kept, pooled=pooled)


def _by_cluster(table: Floats, clusters: Sequence[object] | None) -> Floats:
    if clusters is None:
        return table
    import numpy as np

    places = {name: place for place, name in enumerate(dict.fromkeys(clusters))}
    sums = np.zeros((table.shape[0], len(places)))
    np.add.at(sums.T, [places[name] for name in clusters], np.nan_to_num(table).T)
    return sums


def chosen_interval(
    values: Floats,
    option: int,
    usual: Estimate,
    *,
    at_worst: Estimate | None = None,
    clusters: Sequence[object] | None = None,
    seed: int = 0,
    draws: int = DRAWS,
) -> Estimate:
    """The accuracy of the option that was chosen because it is the highest, with an interval that pays for it.

    `usual`: its accuracy with the interval that it has in its own row; `at_worst`: the same were all wrong that waits for a
    grade, where something does: then that end is what pays. The highest of many is too high rather than too
    low, so it is the lower end that pays; who is the highest in truth got no more right than the one chosen, so the upper
    end of the latter holds as it is. A score interval far out in its tails is too high for rare answers, so the end is no
    higher than that of Clopper and Pearson for as many questions as these are worth.
    """
    if len(values) == 1 or usual.low is None:
        return usual
    if at_worst is not None:
        paid = chosen_interval(values, option, at_worst, clusters=clusters, seed=seed, draws=draws)
        return replace(usual, low=usual.low if paid.low is None else min(usual.value, paid.low))
    z = luck_of(alike_in_values(values, clusters), seed=seed, draws=draws).point()
    # The interval is a score interval, whatever its questions are worth: the same one, wider by what the choice costs.
    gap = usual.value - usual.low
    if gap <= 0 or usual.low <= 0:
        return usual
    width = gap * gap / (usual.low * (1 - usual.low))
    low = score_limits(usual.value, width * (z / Z_95) ** 2)[0]
    return replace(usual, low=min(low, _clopper_pearson_low(usual.value, Z_95**2 / width, z)))


def _clopper_pearson_low(share: float, questions: float, z: float) -> float:
    """The share at which as much or more is as rare as a normal figure above z; `questions` need not be whole."""
    right = share * questions
    return beta_inverse(right, max(0.0, questions - right) + 1, normal_cdf(-z))


def _mean(row: Floats) -> float:
    known = _graded(row)
    return float(known.mean()) if len(known) else -math.inf


def _graded(row: Floats) -> Floats:
    import numpy as np

    graded: Floats = row[~np.isnan(row)]
    return graded


@dataclass(frozen=True, slots=True)
class Standing:
    """One way beside others, with all of which it was compared at once."""

    beaten_by: int | None
    """The one that is clearest better than it, the choice of it paid for; None: it cannot be told from the best."""
    p: float
    """That none of the others is better: one-sided; after `told_apart`, paid for all that stand there."""


def standing(
    own: Floats,
    others: Floats,
    *,
    pooled: bool = False,
    clusters: Sequence[object] | None = None,
    seed: int = 0,
    draws: int = FEWER_DRAWS,
) -> Standing:
    """One row of values beside others × questions: the one that is most clearly better than it, of equals the first of the
    others, and how clear that is.

    If none is in truth, p is at most 2.5 % in at most 2.5 % of experiments, however many others there are. Whether that
    is said depends on how many stand there as it does: `told_apart`.
    """
    table = others - own
    compared = [_differences(row, pooled, clusters) for row in table]
    points = [-math.inf if versus is None else versus.above for versus in compared]
    if not points or max(points) == -math.inf:
        return Standing(None, 1.0)
    luck = luck_of(alike_in_differences(_by_cluster(table, clusters)), seed=seed, draws=draws)
    top = max(range(len(points)), key=lambda place: round(points[place], 9))
    return Standing(top, luck.p(points[top]))


def told_apart(several: Sequence[Standing], *, beside: int = 0) -> list[Standing]:
    """Of all that stand in one table, those that are beaten: by Holm over them, so that where none is beaten in truth any
    is said to be in at most 5 % of experiments. `beside`: how many more stood there, and do not any more."""
    adjusted = holm([*(one.p for one in several), *[1.0] * beside])
    return [Standing(one.beaten_by if p <= 2 * ALPHA else None, p) for one, p in zip(several, adjusted, strict=False)]


def standings(
    values: Floats,
    *,
    ends: tuple[Floats, Floats] | None = None,
    pooled: bool = False,
    clusters: Sequence[object] | None = None,
    seed: int = 0,
    draws: int = FEWER_DRAWS,
) -> list[Standing]:
    """Ways × questions: each beside all others; `beaten_by` counts rows of `values`.

    `ends`: the same with all that waits for a grade wrong, and right: a way is beaten by what is better at its worst than
    the way is at its best.

    Where some are the best in truth, any of them is called beaten in at most 5 % of experiments. So those that are not
    beaten are the ones that may be the best, and where all but one are beaten, that one is.
    """
    worst, best = (values, values) if ends is None else ends
    found = []
    for place in range(len(values)):
        others = [other for other in range(len(values)) if other != place]
        said = standing(best[place], worst[others], pooled=pooled, clusters=clusters, seed=seed, draws=draws)
        found.append(Standing(None if said.beaten_by is None else others[said.beaten_by], said.p))
    return told_apart(found)
