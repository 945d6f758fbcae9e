"""Position bias: whether what stands first, or last, is chosen more often than chance would have it.

Whoever decides sees drafts or options in an order drawn for it alone, so a place says nothing about what stands there,
nor about whose it is: a captain that favours its own draft finds it in every place equally often. Without a bias each
of n places holds the choice in one of n cases. Texts that say the same share the choice. Questions are the unit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from moot.stats.bootstrap import seed_of
from moot.stats.estimates import TESTED
from moot.stats.paired import Difference, difference, few, holm, holm_levels

Row = dict[str, Any]

REDRAWN = 10_000
ALIKE = "alike"
"""All that was shown says what was chosen: wherever it stood, nothing can be learnt from it."""


@dataclass(frozen=True, slots=True)
class Look:
    """What one who decided saw, in its order, and what of it says what was then chosen."""

    question: str
    order: Sequence[Hashable] = ()
    chosen: Collection[Hashable] = ()
    apart: str | None = None
    """Why it tells nothing about places, in one word: it is counted under that, and is no decision."""
    lot: Hashable = None
    """Looks at one question with one lot may have been put into order by one draw."""

    @property
    def why_apart(self) -> str | None:
        return self.apart or (ALIKE if len(self.chosen) == len(self.order) else None)

    def share(self, place: int) -> float:
        """What the text in this place has of the choice."""
        return (self.order[place] in self.chosen) / len(self.chosen)


def position_bias(looks: Iterable[Look], *, places: bool = True, seed: int = 0) -> Row:
    """How often the first and the last shown are chosen, beside `chance`, and each place by itself if wanted.

    What is told apart is counted by its reason. Without a decision the figures are None.
    """
    every = list(looks)
    usable_looks = [look for look in every if look.why_apart is None]
    apart = Counter(look.why_apart for look in every if look.why_apart is not None)
    most = max((len(look.order) for look in usable_looks), default=0)
    wanted = [0, -1, *(range(1, most) if places else ())] if usable_looks else []
    excesses = {place: _excess(usable_looks, place) for place in wanted}
    p_values = redrawn(usable_looks, seed=seed)
    ends = {name: _end(excesses.get(place), p_values[f"{name}_p"]) for name, place in (("first", 0), ("last", -1))}
    by_place = {**excesses, **_same_figure(ends, usable_looks)}
    asked = {look.question for look in usable_looks}
    return {
        **_figures("first", ends["first"]),
        **_figures("last", ends["last"]),
        **p_values,
        TESTED: {name: end and end.difference for name, end in ends.items()},
        "chance": excesses[0].chance if usable_looks else None,
        "decisions": len(usable_looks),
        "apart": dict(sorted(apart.items())),
        "n": len(asked),
        "small": few(asked),
        "places": [_place(place, by_place[place]) for place in range(most)] if places else [],
    }


@dataclass(frozen=True, slots=True)
class _Excess:
    """One place, over the decisions that had so many to choose from."""

    chosen: float
    chance: float
    difference: Difference
    decisions: int


def _end(excess: _Excess | None, p: float | None) -> _Excess | None:
    """The first or the last place, whose p is that of orders drawn anew: its interval agrees with it."""
    if excess is None:
        return None
    return replace(excess, difference=replace(excess.difference, at_zero=p))


def _same_figure(ends: Mapping[str, _Excess | None], looks: Sequence[Look]) -> dict[int, _Excess]:
    """The places that are an end in every look: what is told twice has one interval."""
    sizes = {len(look.order) for look in looks}
    places = {"first": 0, **({"last": max(sizes) - 1} if len(sizes) == 1 else {})}
    return {place: end for name, place in places.items() if (end := ends[name]) is not None}


def _figures(name: str, excess: _Excess | None) -> Row:
    low, high = excess.difference.limits() if excess else (None, None)
    return {
        name: excess and excess.chosen,
        f"{name}_difference": excess and excess.difference.value,
        f"{name}_low": low,
        f"{name}_high": high,
    }


def _place(place: int, excess: _Excess) -> Row:
    low, high = excess.difference.limits()
    return {
        "place": place + 1,
        "chosen": excess.chosen,
        "chance": excess.chance,
        "difference": excess.difference.value,
        "low": low,
        "high": high,
        "decisions": excess.decisions,
        "n": excess.difference.n,
    }


def _excess(looks: Sequence[Look], place: int) -> _Excess:
    """How much oftener than by chance a place is chosen. Decisions count alike; those on one question are one unit."""
    rows: dict[str, tuple[float, float, float]] = {}
    chosen = chance = 0.0
    for look in looks:
        if place >= len(look.order):
            continue
        share, by_chance = look.share(place), 1 / len(look.order)
        chosen, chance = chosen + share, chance + by_chance
        above, below, number = rows.get(look.question, (0.0, 0.0, 0.0))
        excess = share - by_chance
        rows[look.question] = (above + max(excess, 0.0), below + max(-excess, 0.0), number + 1)
    figure = difference(rows)
    assert figure is not None, "no place is asked for that nobody was shown"
    total = sum(row[2] for row in rows.values())
    return _Excess(chosen / total, chance / total, figure, round(total))


def redrawn(looks: Sequence[Look], *, seed: int = 0, resamples: int = REDRAWN) -> Row:
    """`first_p` and `last_p`, a two-sided permutation test: would other orders, with the same choices, give as much?

    The orders were drawn, so drawing them again is exactly what chance would have done, however choices hang together.
    In looks of one lot the places are drawn together, which is true of orders from one draw, of whatever things, and of
    several. No place is unlike another then, so both ends are held against the same draws. A p is never 0.
    """
    if not looks:
        return {"first_p": None, "last_p": None}
    import numpy as np

    generator = np.random.default_rng(seed_of(seed, "places"))
    sums = np.zeros(resamples)
    for (weights, place_count), times in sorted(_lots(looks).items()):
        # What the lot is worth if what stood here or there comes to stand in the place; most is worth nothing.
        worth = Counter({0.0: place_count - len(weights)}) + Counter(weights)
        sums -= times * sum(weights) / place_count
        if len(worth) == 2 and 0.0 in worth:  # a plain choice, and quicker so
            sums += weights[0] * generator.binomial(times, len(weights) / place_count, resamples)
        else:
            chances = np.array(list(worth.values())) / place_count
            sums += generator.multinomial(times, chances, size=resamples) @ np.array(list(worth))
    p_values = {}
    for name, place in (("first_p", 0), ("last_p", -1)):
        observed = abs(sum(look.share(place) - 1 / len(look.order) for look in looks)) - 1e-9
        p_values[name] = float((1 + (np.abs(sums) >= observed).sum()) / (1 + resamples))
    return p_values


def _lots(looks: Iterable[Look]) -> Counter[tuple[tuple[float, ...], int]]:
    """How many draws there were of each kind: what its places have of the choices made with it, and how many they are."""
    drawn: dict[tuple[str, Hashable, int], list[float]] = {}
    for number, look in enumerate(looks):
        lot = ("look", number) if look.lot is None else ("lot", look.lot)
        worth = drawn.setdefault((look.question, lot, len(look.order)), [0.0] * len(look.order))
        for place in range(len(look.order)):
            worth[place] += look.share(place)
    return Counter(
        (tuple(sorted(round(weight, 12) for weight in worth if weight)), place_count)
        for (_, _, place_count), worth in drawn.items()
    )


def with_holm(rows: Sequence[Row], *, beside: int = 0) -> list[Row]:
    """The same rows with the adjusted p and intervals of both ends: one family of all that are printed together, and of those
    `beside`, which were looked at and are not here any more.

    So `first_p_holm`, `first_low_holm`, `first_high_holm`, likewise of the last, and `family`, its size.
    """
    ends = ("first", "last")
    tested = [(number, end) for number, row in enumerate(rows) for end in ends if row[f"{end}_p"] is not None]
    p_values = [*(rows[number][f"{end}_p"] for number, end in tested), *[1.0] * beside]
    adjusted = dict(zip(tested, holm(p_values), strict=False))
    levels = dict(zip(tested, holm_levels(p_values), strict=False))
    finished = []
    for number, row in enumerate(rows):
        whole = {key: value for key, value in row.items() if key != TESTED}
        for end in ends:
            key, low, high = (number, end), None, None
            if key in levels:
                low, high = row[TESTED][end].limits(levels[key])
            whole |= {f"{end}_p_holm": adjusted.get(key), f"{end}_low_holm": low, f"{end}_high_holm": high}
        finished.append({**whole, "family": len(p_values)})
    return finished
