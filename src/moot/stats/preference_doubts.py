"""What a curve of preferences cannot know of itself: other forms that a taste may have, and how questions differ.

*Length.* The curve goes by doublings. A judge may as well go by length up to some difference and no further; so the words are
fitted once more, with lengths that count up to a small difference only, which three of four texts have and more, and what
comes out is held beside.

*Place.* Where questions differ in how much better a text is, the share that a judge without a taste for a place would give hangs
on how they differ. Of two orders a judge prefers one text in both, the other in both, or goes over with the order. Among those
that go over it prefers the first with log-odds ``2 beta``, however questions differ; and given ``beta`` and the three shares
the share without a place lies between two ends, each reached where some questions are sure and all others alike: with sure wins
``exp(theta) = flips / (2 · lost · cosh beta)``, and with sure losses the same the other way round. (The three shares and the one
that is wanted are a Chebyshev system in ``theta``, whose extremes are at such measures.) An end is known no better than the words
that it is made of, so it has an interval of its own: it is found again with each unit left out.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from moot.stats.bootstrap import Floats

_SMALL = 1e-12


class BothOrders(NamedTuple):
    """What one judge said of two texts: 1 where it prefers the side's; when that stood first, and when it stood second."""

    first: float
    second: float
    unit: str = ""
    """Of which question, or what that hangs together with."""


class Reach(NamedTuple):
    """How far a share may lie below what was fitted, and above it: no more than nothing, and no less."""

    below: float
    above: float


def small_difference(doublings: Sequence[float]) -> float | None:
    """Of texts that differ in length: what three of four differ by, or more."""
    ordered = sorted(map(abs, doublings))
    return ordered[(len(ordered) - 1) // 4] if ordered else None


def up_to(doublings: float, most: float) -> float:
    """A length that counts up to a difference, of which it is a part."""
    return max(-1.0, min(1.0, doublings / most))


def reaches(
    by_judge: Mapping[Hashable, Sequence[BothOrders]],
    every: Mapping[Hashable, Sequence[BothOrders]],
    left_out: Sequence[str] = (),
) -> list[Reach]:
    """Of one pair, whose words these are, by judge; `every`: all that the judges said, which shows how far they go by place.
    First with all of them, then with each of these units left out in turn."""
    import numpy as np

    below, above, heard = [], [], []
    places = {unit: place for place, unit in enumerate(left_out, 1)}
    for judge, said in by_judge.items():
        of_pair = _kept([(1.0, abs(each.first - each.second), each.first, each.second) for each in said], said, places)
        ways = [(max(0.0, each.first - each.second), max(0.0, each.second - each.first)) for each in every[judge]]
        to_first, to_second = (_kept(ways, every[judge], places) + 0.5).T  # half a one is added to both
        by_place = np.cosh(np.log(to_first / to_second) / 2)
        number, *sums = of_pair.T
        flips, first, second = (each / np.where(number > 0, number, 1.0) for each in sums)
        fitted = 1 / (1 + np.exp(-(_odds(first) + _odds(second)) / 2))
        won, lost = (first + second - flips) / 2, (2 - first - second - flips) / 2
        top, bottom = _end(lost, flips, by_place), _end(won, flips, by_place)
        above.append(np.where(np.isnan(top), 0.0, top - fitted))
        below.append(np.where(np.isnan(bottom), 0.0, 1 - bottom - fitted))
        heard.append(number > 0)
    if not heard:
        return [NO_REACH] * (1 + len(left_out))
    ends = np.array([below, above]).sum(axis=1) / np.maximum(1, np.sum(heard, axis=0))
    lowest, highest = np.minimum(0.0, ends.min(axis=0)), np.maximum(0.0, ends.max(axis=0))
    return [Reach(*ends) for ends in zip(lowest.tolist(), highest.tolist(), strict=True)]


NO_REACH = Reach(0.0, 0.0)


def _kept(values: Sequence[tuple[float, ...]], said: Sequence[BothOrders], places: Mapping[str, int]) -> Floats:
    """The sums of all, then of all but those of each unit."""
    import numpy as np

    table = np.array(values)
    sums = np.tile(table.sum(axis=0), (1 + len(places), 1))
    here = np.array([places.get(each.unit, 0) for each in said])
    np.subtract.at(sums, here[here > 0], table[here > 0])
    kept: Floats = np.maximum(0.0, sums.round(12))
    return kept


def _end(lost: Floats, flips: Floats, by_place: Floats) -> Floats:
    """The share without a place where some questions are sure wins, and all others alike; NaN: there are more flips than that
    allows, so that questions are alike as far as anybody can tell."""
    import numpy as np

    some = (flips > 0) & (lost > _SMALL)
    odds = flips / (2 * np.where(some, lost, 1.0) * by_place)
    of_flips = 2 * by_place * odds / (1 + 2 * by_place * odds + odds * odds)
    others = flips / np.where(some, of_flips, 1.0)
    ends: Floats = np.where(some & (others < 1), 1 - others + others * odds / (1 + odds), np.nan)
    return ends


def _odds(share: Floats) -> Floats:
    import numpy as np

    share = np.clip(share, 1e-6, 1 - 1e-6)
    odds: Floats = np.log(share / (1 - share))
    return odds
