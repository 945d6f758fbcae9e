"""What a curve of preferences cannot know of itself: other forms that a taste may have, and how questions differ.

*Length.* The curve goes by doublings. A judge may as well go by length up to some difference and no further; so the words are
fitted once more, with lengths that count up to a small difference only, which three of four texts have and more, and what
comes out is held beside.

*Place.* Where questions differ in how much better a text is, the share that a judge without a taste for a place would give hangs
on how they differ. Of two orders a judge prefers one text in both, the other in both, or goes over with the order. Among those
that go over it prefers the first with log-odds ``2 beta``, however questions differ; and given ``beta`` and the three shares
the share without a place lies between two ends, each reached where some questions are sure and all others alike: with sure wins
``exp(theta) = flips / (2 · lost · cosh beta)``, and with sure losses the same the other way round. (The three shares and the one
that is wanted are a Chebyshev system in ``theta``, whose extremes are at such measures.)
"""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple


class BothOrders(NamedTuple):
    """What one judge said of two texts: 1 where it prefers the side's; when that stood first, and when it stood second."""

    first: float
    second: float


class Reach(NamedTuple):
    """How far a share may lie below what was fitted, and above it: no more than nothing, and no less."""

    below: float
    above: float


NO_REACH = Reach(0.0, 0.0)


@dataclass(frozen=True, slots=True)
class _Shares:
    """Of texts that were seen in both orders."""

    won: float
    lost: float
    flips: float
    fitted: float
    """Where questions are alike: the middle of the log-odds in both orders."""

    @classmethod
    def of(cls, said: Sequence[BothOrders]) -> _Shares:
        flips = statistics.fmean(abs(both.first - both.second) for both in said)
        gained = statistics.fmean(both.first + both.second - 1 for both in said)
        sides = zip(*said, strict=True)
        odds = statistics.fmean(_odds(statistics.fmean(side)) for side in sides)
        return cls((1 - flips + gained) / 2, (1 - flips - gained) / 2, flips, 1 / (1 + math.exp(-odds)))


def small_difference(doublings: Sequence[float]) -> float | None:
    """Of texts that differ in length: what three of four differ by, or more."""
    ordered = sorted(map(abs, doublings))
    return ordered[(len(ordered) - 1) // 4] if ordered else None


def up_to(doublings: float, most: float) -> float:
    """A length that counts up to a difference, of which it is a part."""
    return max(-1.0, min(1.0, doublings / most))


def reach(by_judge: Mapping[Hashable, Sequence[BothOrders]], every: Mapping[Hashable, Sequence[BothOrders]]) -> Reach:
    """Of one pair, whose words these are, by judge; `every`: all that the judges said, which shows how far they go by place."""
    ends: dict[str, list[float]] = defaultdict(list)
    for judge, said in by_judge.items():
        shares, by_place = _Shares.of(said), math.cosh(_goes_by_place(every[judge]))
        top = _end(shares.lost, shares.flips, by_place)
        bottom = _end(shares.won, shares.flips, by_place)
        ends["above"].append(0.0 if top is None else top - shares.fitted)
        ends["below"].append(0.0 if bottom is None else 1 - bottom - shares.fitted)
    if not ends:
        return NO_REACH
    below, above = statistics.fmean(ends["below"]), statistics.fmean(ends["above"])
    return Reach(min(0.0, below, above), max(0.0, below, above))


def _goes_by_place(said: Sequence[BothOrders]) -> float:
    """Log-odds: of what went over with the order, how often it was to the first. Half a one is added to both."""
    to_first, to_second = (
        math.fsum(max(0.0, way * (both.first - both.second)) for both in said) + 0.5 for way in (1, -1)
    )
    return math.log(to_first / to_second) / 2


def _end(lost: float, flips: float, by_place: float) -> float | None:
    """The share without a place where some questions are sure wins, and all others alike; None: there are more flips than that
    allows, so that questions are alike as far as anybody can tell."""
    if flips <= 0 or lost <= 0:
        return None
    odds = flips / (2 * lost * by_place)
    of_flips = 2 * by_place * odds / (1 + 2 * by_place * odds + odds * odds)
    if flips >= of_flips:
        return None
    others = flips / of_flips
    return 1 - others + others * odds / (1 + odds)


def _odds(share: float) -> float:
    share = min(1 - 1e-6, max(1e-6, share))
    return math.log(share / (1 - share))
