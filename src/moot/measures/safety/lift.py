"""What a second stage adds to a first, such as rounds of argument to one review, over the pairs that both have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from moot.measures.safety.pairs import REGRESSIONS, RESCUES, Pair, Row, none_shared, of_all, questions_left_out
from moot.measures.safety.rescues import MULTIPLE, StageEffect, safety
from moot.stats.estimates import named_estimate
from moot.stats.graded import why_ungraded_together
from moot.stats.paired import mean_difference
from moot.types import Estimate


@dataclass(frozen=True, slots=True)
class Lift:
    """What a second stage adds to a first, over the pairs that both have."""

    first: StageEffect
    second: StageEffect
    net_difference: Estimate | None
    """In pairs: how many more net rescues the second has."""
    ungraded: int = 0
    """Pairs that both have, but not with a grade on every side."""
    bounds: Mapping[str, float] | None = None
    """What the difference of the nets is over all pairs that both have; None where all is graded."""
    why: str | None = None
    """Why there is no figure, or what it leaves out."""
    uncounted: int = 0
    """Pairs that wait for a grade, or have an answer that nobody waited for: no net is known."""
    left_out: int = 0
    """Questions that not all models have in both stages who have any there."""
    in_part: int = 0
    """Pairs with an answer, in either stage, that is right in part."""

    @property
    def value(self) -> float | None:
        """The difference of the multiples; None where either is infinite or does not exist."""
        one, other = self.first.multiple.value, self.second.multiple.value
        return None if one is None or other is None else other - one

    def row(self) -> Row:
        return {
            "multiple_before": self.first.multiple.value,
            "multiple_after": self.second.multiple.value,
            "lift": self.value,
            "net_before": self.first.net if self.why is None and not self.uncounted else None,
            "net_after": self.second.net if self.why is None and not self.uncounted else None,
            **named_estimate(self.net_difference, "net_difference"),
            "ungraded": self.ungraded,
            "n_pairs": self.first.pairs,
            "n": self.first.questions,
            **({"in_part": self.in_part} if self.in_part else {}),
            **({"left_out": self.left_out} if self.left_out else {}),
            **({} if self.bounds is None else {"bounds": dict(self.bounds)}),
            **({} if self.why is None else {"why": self.why}),
        }


def lift(first: Sequence[Pair], second: Sequence[Pair]) -> Lift | None:
    """Over the pairs that are graded in both stages; None where the stages share no pair at all.

    Only plays count that all models have in both who have any there.
    """
    in_both = {pair.key for pair in first} & {pair.key for pair in second}
    every = [pair for pair in first if pair.key in in_both]
    if not every:
        return None
    level = of_all(every)
    left_out = len(questions_left_out(every, level))
    if not level:
        return replace(_nothing(0, None, none_shared(every)), left_out=left_out)
    kept = {pair.key for pair in level}
    return replace(_lift(*([pair for pair in side if pair.key in kept] for side in (first, second))), left_out=left_out)


def _nothing(ungraded: int, bounds: Mapping[str, float] | None, why: str) -> Lift:
    return Lift(safety([]), safety([]), None, ungraded, bounds, why)


def _lift(first: Sequence[Pair], second: Sequence[Pair]) -> Lift:
    """Of two stages with the same pairs."""
    both = {pair.key for pair in first}
    sides = [{pair.key: pair for pair in pairs} for pairs in (first, second)]
    why, bounds = _lift_unfair(sides), _lift_bounds(sides)
    shared = both - {pair.key for pair in (*first, *second) if not pair.graded}
    if why is not None or not shared:
        return _nothing(len(both - shared), bounds, why or "no pair is graded in both")
    if moved := [why for side in sides if (why := safety(list(side.values())).why_not(MULTIPLE))]:
        return _nothing(len(both - shared), bounds, moved[0])
    waiting = [key for key in both - shared if all(side[key].graded or side[key].waits for side in sides)]
    more = _more(sides, shared)
    if waiting:
        more = _whatever(more, sides, {*shared, *waiting})
    known = [safety([side[key] for key in sorted(shared)]) for side in sides]
    uncounted = sum(side[key].may_have_changed for key in both - shared for side in sides)
    in_part = sum(any(side[key].in_part for side in sides) for key in shared)
    return Lift(known[0], known[1], more, len(both - shared), bounds, uncounted=uncounted, in_part=in_part)


def _more(sides: Sequence[Mapping[Any, Pair]], keys: Collection[Any], furthest: Furthest = min) -> Estimate:
    """How many more net rescues the second has than the first, each pair that waits at this end of what it may be.

    A sum over questions of what is bounded: so many times the mean of one difference a question.
    """
    nets: Counter[str] = Counter()
    pairs: Counter[str] = Counter()
    for key in sorted(keys):
        first, second = (side[key] for side in sides)
        nets[first.question] += furthest(_differences(first, second))
        pairs[first.question] += 1
    most = _APART * max(pairs.values())
    mean = mean_difference({question: net / most for question, net in nets.items()})
    assert mean is not None, "there are pairs"
    low, high = (None if end is None else end * most * len(nets) for end in (mean.low, mean.high))
    return Estimate(float(nets.total()), low, high, mean.n, mean.clusters)


def _whatever(more: Estimate, sides: Sequence[Mapping[Any, Pair]], keys: Collection[Any]) -> Estimate:
    """With limits that hold whatever waits turns out to be; none where one end has none."""
    worst, best = _more(sides, keys, min), _more(sides, keys, max)
    if more.low is None or worst.low is None or best.high is None:
        return replace(more, low=None, high=None)
    return replace(more, low=min(more.value, worst.low), high=max(more.value, best.high))


def _lift_unfair(sides: Sequence[Mapping[Any, Pair]]) -> str | None:
    return why_ungraded_together(
        [
            [value for side in sides for value in (side[key].native_value, side[key].after_value)]
            for key in sorted(sides[0])
        ],
        of="pairs",
    )


def _lift_bounds(sides: Sequence[Mapping[Any, Pair]]) -> dict[str, float] | None:
    """The net of the second less that of the first, whatever the ungraded pairs turn out to be."""
    if all(pair.graded for side in sides for pair in side.values()):
        return None
    differences = [_differences(pair, sides[1][key]) for key, pair in sides[0].items()]
    return {"low": float(sum(map(min, differences))), "high": float(sum(map(max, differences)))}


_WORTH = {**dict.fromkeys(RESCUES, 1), **dict.fromkeys(REGRESSIONS, -1)}
_APART = 2
"""How far a pair of the one stage may be from that of the other: from a regression to a rescue."""

Furthest = Callable[[Iterable[int]], int]


def _differences(first: Pair, second: Pair) -> set[int]:
    """What the second may be worth more than the first, in every way in which their answers may be graded: equal words alike,
    as the native answer is that both start from."""
    pairs = (first, second)
    natives, afters = (
        [getattr(pair, f"{side}_words") or (side, place) for place, pair in enumerate(pairs)]
        for side in ("native", "after")
    )
    graded_sides = [*(pair.native for pair in pairs), *(pair.after for pair in pairs)]
    unknown = [said for said, grade in zip((*natives, *afters), graded_sides, strict=True) if grade is None]
    found = set()
    for grades in product((0.0, 1.0), repeat=len(dict.fromkeys(unknown))):
        right = dict(zip(dict.fromkeys(unknown), grades, strict=True))
        one, other = (
            replace(
                pair,
                native=right[natives[place]] if pair.native is None else pair.native,
                after=right[afters[place]] if pair.after is None else pair.after,
            )
            for place, pair in enumerate(pairs)
        )
        found.add(_WORTH.get(other.change, 0) - _WORTH.get(one.change, 0))
    return found
