"""Ratings from preferences: one number for each who was compared, in points, of which 400 make odds of ten to one.

Bradley and Terry: the log-odds that one is preferred to another are the difference of their ratings; judges' habits are taken
out as in `preference`. One of them is the anchor and has none. Only differences are told, and a difference only over pairs whose
share at equal length and no place can be told, with an interval that bounds it: whoever no chain of such pairs joins to the
anchor has no rating. Other pairs say what judges' habits are, and nothing of ratings. Each pair counts one tied question more
than was asked, with texts that differ in length as those of the pair do.

The interval holds the middle 95 % of resamples of the questions, each of them one step of Newton's away from what fits all; and
that of the shares, as log-odds, for these doubt more: what form a taste for length has, how questions differ, and that few of
them say little. Where the anchor is not the opponent it is the sum along that chain of pairs which makes the narrowest. A share
that may be 0 or 100 % bounds no rating; nor does a pair of which all but one question are tied.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from moot.stats.bootstrap import seed_of
from moot.stats.clusters import unit_of
from moot.stats.missing_words import LOST, WON, MissingWords
from moot.stats.preference import Preferences
from moot.stats.preference_reasons import ONE_QUESTION
from moot.stats.preference_share import Rate, odds_of
from moot.stats.quantiles import ALPHA
from moot.stats.word_table import RIDGE, Slopes, logistic

if TYPE_CHECKING:
    from moot.stats.bootstrap import Floats

LogOddsEnds = tuple[float, float]
POINTS = 400 / math.log(10)
"""In one of log-odds."""
RESAMPLES = 2_000
FEWEST = 2
"""Questions of a pair with a word that is no tie, as many as a share has an interval of."""
_DIGITS = 9
"""Ratings that differ in later ones are equal, and stay in the order of the file."""
_STEPS = 60
_SMALL = 1e-9
_SURE = 1e-6
"""A share that may be so near to 0 or 1 may be that."""
NO_ANCHOR = "it was compared with nobody whom the others are told by"
APART = "no comparison leads from it to {}, be it over others"
NO_END = "what was said of these texts bounds no rating: too few questions, or nearly every judgement goes one way"


@dataclass(frozen=True, slots=True)
class Rating:
    name: Hashable
    value: float | None
    """In points above the anchor; None: `why` says why there is none."""
    low: float | None
    """None of the anchor, which is one by definition."""
    high: float | None
    why: str | None = None


MISSING_WORDS = "whether it is above or below could turn with the judgements that are missing"


def ratings(preferences: Preferences, anchors: Sequence[Hashable], *, seed: int = 0) -> list[Rating]:
    """Of all who stand in a pair (side, opponent). The best of the `anchors` is the anchor, and is the first told; where no
    share that can be told is of one of them, nobody has a rating.

    Where comparisons fall apart into groups that none of them joins, it is the best of those in the largest group that has one,
    and of equally large ones in the first.
    """
    import numpy as np

    counted = _counted(preferences)
    rates = _bounded(counted, {pair: preferences.rate(pair) for pair in preferences.pairs})
    every = list(dict.fromkeys(name for pair in preferences.pairs for name in _both(pair)))
    groups = [group for group in joined(map(_both, rates)) if any(name in group for name in anchors)]
    if not groups:
        return [_untold(preferences, rates, name, None) for name in every]
    within = max(groups, key=len)
    found = _Fitted(counted, rates)
    values = dict(zip(found.names, found.fitted(), strict=True))
    anchor = max((name for name in anchors if name in within), key=lambda name: values[name])
    drawn = found.redrawn(seed)
    bounds = _bounds(rates, anchor)
    place = found.names.index(anchor)
    told = [Rating(anchor, 0.0, None, None)]
    others = [name for name in every if name in within and name != anchor]
    for name in sorted(others, key=lambda name: -round(values[name], _DIGITS)):
        value = values[name] - values[anchor]
        apart = drawn[:, found.names.index(name)] - drawn[:, place]
        low, high = (float(end) for end in np.quantile(apart, [ALPHA / 2, 1 - ALPHA / 2]))
        low, high = min(low, bounds[name][0], value), max(high, bounds[name][1], value)
        told.append(Rating(name, value * POINTS, low * POINTS, high * POINTS))
    return [*told, *(_untold(preferences, rates, name, anchor) for name in every if name not in within)]


def steady_ratings(told: Sequence[Rating], words: MissingWords) -> list[Rating]:
    """Without those that are surely above the anchor, or below it, unless they still were with the missing words put in: each
    distance lies between those of the shares with all of them lost, and with all of them won."""
    if not words.missing or not told or told[0].value is None:
        return list(told)
    shares = {}
    for pair in words.heard.pairs:
        lost, won = (rate.limits(ALPHA) if (rate := words.rate(pair, liked)) else None for liked in (LOST, WON))
        if lost is not None and won is not None:
            shares[pair] = odds_of(min(lost[0], won[0])), odds_of(max(lost[1], won[1]))
    bounds = _bounds(shares, told[0].name)
    return [_steady(rating, bounds.get(rating.name)) for rating in told]


def _steady(rating: Rating, bounds: LogOddsEnds | None) -> Rating:
    if rating.low is None or rating.high is None or rating.low <= 0 <= rating.high:
        return rating
    low, high = bounds or (-math.inf, math.inf)
    turned = low <= 0 if rating.low > 0 else high >= 0
    return Rating(rating.name, None, None, None, MISSING_WORDS) if turned else rating


def _counted(preferences: Preferences) -> Preferences:
    """The words that shares are made of."""
    kept = {pair: {id(word) for word in preferences.counted_of(pair).words} for pair in preferences.pairs}
    words = [word for word in preferences.words if id(word) in kept[word.pair]]
    return preferences if len(words) == len(preferences.words) else Preferences(words)


def _untold(
    preferences: Preferences, rates: Mapping[Hashable, LogOddsEnds], name: Hashable, anchor: Hashable | None
) -> Rating:
    """The reason is that of a share without which nothing joins it to the anchor; where there is none no words do."""
    groups = joined(map(_both, rates))
    own = next((group for group in groups if name in group), [name])
    others = next((group for group in groups if anchor in group), [anchor])
    reach = next(group for group in joined(map(_both, preferences.pairs)) if name in group)
    if anchor is not None and anchor not in reach:
        return Rating(name, None, None, None, APART.format(anchor))
    leaving = [pair for pair in preferences.pairs if pair not in rates and any(each in own for each in _both(pair))]
    nearest = [pair for pair in leaving if any(each in others for each in _both(pair))]
    for pair in [*nearest, *leaving]:
        why, rate = preferences.why_not(pair), preferences.rate(pair)
        unbounded = ONE_QUESTION if rate is not None and rate.limits(ALPHA) is None else NO_END
        return Rating(name, None, None, None, why or unbounded)
    return Rating(name, None, None, None, NO_ANCHOR)


def joined(pairs: Iterable[tuple[Hashable, Hashable]]) -> list[list[Hashable]]:
    """Who was compared with whom, be it over others: in each group whoever stands in its pairs, in their order."""
    groups: list[list[Hashable]] = []
    for pair in pairs:
        touched = [group for group in groups if any(name in group for name in pair)]
        names = list(dict.fromkeys([name for group in touched for name in group] + list(pair)))
        places = [place for place, group in enumerate(groups) if group in touched]
        groups = [group for group in groups if group not in touched]
        groups.insert(places[0] if places else len(groups), names)
    return groups


def _both(pair: Hashable) -> tuple[Hashable, Hashable]:
    assert isinstance(pair, tuple), "a side and an opponent"
    side, opponent = pair
    return side, opponent


def _bounded(preferences: Preferences, rates: Mapping[Hashable, Rate | None]) -> dict[Hashable, LogOddsEnds]:
    """By pair, between what log-odds its share leaves how far the side is above the opponent; not of pairs that leave it open."""
    decided: dict[Hashable, set[str]] = {}
    for word in preferences.words:
        if word.liked != 0.5:
            decided.setdefault(word.pair, set()).add(unit_of(word.question))
    bounded: dict[Hashable, LogOddsEnds] = {}
    for pair, rate in rates.items():
        limits = None if rate is None else rate.limits(ALPHA)
        if (
            limits is not None
            and len(decided.get(pair, ())) >= FEWEST
            and limits[0] >= _SURE
            and limits[1] <= 1 - _SURE
        ):
            bounded[pair] = odds_of(limits[0]), odds_of(limits[1])
    return bounded


def _bounds(rates: Mapping[Hashable, LogOddsEnds], anchor: Hashable) -> dict[Hashable, LogOddsEnds]:
    """Of whoever is joined to the anchor, how far above it: by the chain whose ends lie nearest to each other."""
    steps: dict[tuple[Hashable, Hashable], LogOddsEnds] = {}
    for pair, (low, high) in rates.items():
        side, opponent = _both(pair)
        steps[opponent, side], steps[side, opponent] = (low, high), (-high, -low)
    found: dict[Hashable, LogOddsEnds] = {}
    reached: dict[Hashable, LogOddsEnds] = {anchor: (0.0, 0.0)}
    while reached:
        name = min(reached, key=lambda each: reached[each][1] - reached[each][0])
        low, high = found[name] = reached.pop(name)
        for (below, above), (least, most) in steps.items():
            if below != name or above in found:
                continue
            ends = low + least, high + most
            if above not in reached or ends[1] - ends[0] < reached[above][1] - reached[above][0]:
                reached[above] = ends
    return found


class _Fitted:
    """Ratings and habits that fit all words best; in each group that is compared the first rating is held at nothing, for only
    differences count. A pair that says nothing of ratings has a parameter of its own."""

    def __init__(self, preferences: Preferences, rates: Collection[Hashable]) -> None:
        import numpy as np

        groups = joined(_both(pair) for pair in preferences.pairs if pair in rates)
        self.names = names = [name for group in groups for name in group]
        self._held = [names.index(group[0]) for group in groups]
        self._table = table = preferences.table
        alone = [pair for pair in preferences.pairs if pair not in rates]
        self._sides = np.zeros((len(preferences.pairs), len(names) + len(alone)))
        for row, pair in enumerate(preferences.pairs):
            if pair in rates:
                side, opponent = _both(pair)
                self._sides[row, names.index(side)] += 1
                self._sides[row, names.index(opponent)] -= 1
            else:
                self._sides[row, len(names) + alone.index(pair)] = 1
        self._ratings = np.zeros(self._sides.shape[1])
        self._habits = np.zeros(table.habits.shape[1])
        # What stands first, and how much longer texts are, in the mean over what judges were asked of each pair.
        asked = np.zeros(len(preferences.pairs))
        self._alike = np.zeros((len(preferences.pairs), table.habits.shape[1]))
        np.add.at(asked, table.pair, table.weights)
        np.add.at(self._alike, table.pair, table.weights[:, None] * table.habits)
        self._alike /= np.where(asked > 0, asked, 1.0)[:, None]

    def fitted(self) -> list[float]:
        import numpy as np

        for _ in range(_STEPS):
            slopes = self._slopes()
            step = self._steps(slopes, np.ones((1, len(slopes.of_pairs))))[0]
            step *= min(1.0, 2.0 / max(float(np.abs(step).max()), _SMALL))  # so that none overshoots
            self._ratings = self._ratings + step[: len(self._ratings)]
            self._habits = self._habits + step[len(self._ratings) :]
            if float(np.abs(step).max()) < _SMALL:
                break
        return [float(value) for value in self._ratings[: len(self.names)]]

    def redrawn(self, seed: int) -> Floats:
        """Resamples × ratings."""
        import numpy as np

        slopes = self._slopes()
        units = len(slopes.of_pairs)
        times = np.random.default_rng(seed_of(seed, "ratings")).multinomial(units, np.full(units, 1 / units), RESAMPLES)
        drawn: Floats = self._ratings + self._steps(slopes, times.astype(float))[:, : len(self._ratings)]
        return drawn

    def _slopes(self) -> Slopes:
        """With what needed no judge, which no habit touches."""
        table = self._table
        pairs = self._sides @ self._ratings
        slopes = table.slopes(pairs, self._habits)
        expected, weight = logistic(pairs), table.size - table.open
        return Slopes(
            slopes.of_pairs + table.settled - weight * expected,
            slopes.of_habits,
            slopes.bend_pairs + weight * expected * (1 - expected),
            slopes.between,
            slopes.bend_habits,
        )

    def _steps(self, slopes: Slopes, times: Floats) -> Floats:
        """One of Newton's for each row of `times`, which says how often each unit is there."""
        import numpy as np

        names, habits, alike = len(self._ratings), len(self._habits), self._alike
        tied = logistic(self._sides @ self._ratings + alike @ self._habits)
        bent = tied * (1 - tied)
        of_pairs = times @ slopes.of_pairs + (0.5 - tied)
        bend = times @ slopes.bend_pairs + bent
        wanted = np.zeros((len(times), names + habits))
        known = np.zeros((len(times), names + habits, names + habits))
        wanted[:, :names] = of_pairs @ self._sides
        wanted[:, names:] = times @ slopes.of_habits + (0.5 - tied) @ alike - RIDGE * self._habits
        known[:, :names, :names] = np.einsum("bk,kn,km->bnm", bend, self._sides, self._sides, optimize=True)
        between = np.tensordot(times, slopes.between, axes=1) + bent[:, None] * alike
        mixed: Floats = np.einsum("kn,bkh->bnh", self._sides, between)
        known[:, :names, names:] = mixed
        known[:, names:, :names] = mixed.transpose(0, 2, 1)
        of_ties = alike.T @ (alike * bent[:, None])
        known[:, names:, names:] = np.tensordot(times, slopes.bend_habits, axes=1) + of_ties + RIDGE * np.eye(habits)
        for held in self._held:
            wanted[:, held], known[:, held, :], known[:, :, held], known[:, held, held] = 0.0, 0.0, 0.0, 1.0
        steps: Floats = np.linalg.solve(known, wanted[:, :, None])[:, :, 0].astype(np.float64)
        return steps
