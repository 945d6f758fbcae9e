"""Position bias: whether what stands first, or last, is chosen more often than chance would have it.

Whoever decides sees drafts or options in an order drawn for it alone, so a place says nothing about what stands there,
nor about whose it is: a captain that favours its own draft finds it in every place equally often. Without a bias each
of n places holds the choice in one of n cases. Texts that say the same share the choice. Questions are the unit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from moot.measures.discussion.talks import between_bounds
from moot.stats.bootstrap import percentile_interval, resampled_sums, seed_of
from moot.stats.paired import FEW_QUESTIONS, holm
from moot.types import Estimate

Row = dict[str, Any]

RESAMPLES = 2_000
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
    """Looks at one question with one lot were put into order by one draw."""

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
    excesses = _excesses(usable_looks, [0, -1, *(range(1, most) if places else ())], seed) if usable_looks else {}
    asked = len({look.question for look in usable_looks})
    return {
        **_figures("first", excesses.get(0)),
        **_figures("last", excesses.get(-1)),
        **redrawn(usable_looks, seed=seed),
        "chance": excesses[0].chance if usable_looks else None,
        "decisions": len(usable_looks),
        "apart": dict(sorted(apart.items())),
        "n": asked,
        "small": asked < FEW_QUESTIONS,
        "places": [_place(place, excesses[place]) for place in range(most)] if places else [],
    }


@dataclass(frozen=True, slots=True)
class _Excess:
    """One place, over the decisions that had so many to choose from."""

    chosen: float
    chance: float
    difference: Estimate
    decisions: int


def _figures(name: str, excess: _Excess | None) -> Row:
    return {
        name: excess and excess.chosen,
        f"{name}_difference": excess and excess.difference.value,
        f"{name}_low": excess and excess.difference.low,
        f"{name}_high": excess and excess.difference.high,
    }


def _place(place: int, excess: _Excess) -> Row:
    difference = excess.difference
    return {
        "place": place + 1,
        "chosen": excess.chosen,
        "chance": excess.chance,
        "difference": difference.value,
        "low": difference.low,
        "high": difference.high,
        "decisions": excess.decisions,
        "n": difference.n,
    }


def _excesses(looks: Sequence[Look], places: Sequence[int], seed: int) -> dict[int, _Excess]:
    """How much oftener than by chance, by place. Decisions count alike; those on one question are one cluster.

    All places are resampled together, since they are of the same questions.
    """
    import numpy as np

    rows: dict[str, list[float]] = {}
    for look in looks:
        row = rows.setdefault(look.question, [0.0] * (3 * len(places)))
        text_count, weight = len(look.order), 1 / len(look.chosen)
        for column, place in enumerate(places):
            if place < text_count:
                row[3 * column] += weight * (look.order[place] in look.chosen)
                row[3 * column + 1] += 1 / text_count
                row[3 * column + 2] += 1
    sums = np.array(list(rows.values()))
    shares, chances, counts = sums[:, 0::3], sums[:, 1::3], sums[:, 2::3]
    drawn = resampled_sums(np.hstack([shares - chances, counts]), seed=seed, resamples=RESAMPLES)
    with np.errstate(all="ignore"):
        ratios = drawn[:, : len(places)] / drawn[:, len(places) :]
    excesses = {}
    for column, place in enumerate(places):
        chosen, chance, total = (float(part[:, column].sum()) for part in (shares, chances, counts))
        value, n = (chosen - chance) / total, int((counts[:, column] > 0).sum())
        spread = np.abs((shares - chances)[:, column] - value * counts[:, column]).max() > 1e-12
        low, high = (percentile_interval(ratios[:, column], n) if spread else None) or (None, None)
        difference = between_bounds(Estimate(value, low, high, n))
        assert difference is not None
        excesses[place] = _Excess(chosen / total, chance / total, difference, round(total))
    return excesses


def redrawn(looks: Sequence[Look], *, seed: int = 0, resamples: int = REDRAWN) -> Row:
    """`first_p` and `last_p`, a two-sided permutation test: would other orders, with the same choices, give as much?

    The orders were drawn, so drawing them again is exactly what chance would have done, however choices hang together.
    Looks of one lot are drawn together. No place is unlike another then, so both ends are held against the same draws.
    A p is never 0.
    """
    if not looks:
        return {"first_p": None, "last_p": None}
    import numpy as np

    generator = np.random.default_rng(seed_of(seed, "places"))
    sums = np.zeros(resamples)
    for (weights, text_count), times in sorted(_lots(looks).items()):
        # What the lot is worth if this or that text comes to stand in the place; most are worth nothing.
        worth = Counter({0.0: text_count - len(weights)}) + Counter(weights)
        sums -= times * sum(weights) / text_count
        if len(worth) == 2 and 0.0 in worth:  # a plain choice, and quicker so
            sums += weights[0] * generator.binomial(times, len(weights) / text_count, resamples)
        else:
            chances = np.array(list(worth.values())) / text_count
            sums += generator.multinomial(times, chances, size=resamples) @ np.array(list(worth))
    p_values = {}
    for name, place in (("first_p", 0), ("last_p", -1)):
        observed = abs(sum(look.share(place) - 1 / len(look.order) for look in looks)) - 1e-9
        p_values[name] = float((1 + (np.abs(sums) >= observed).sum()) / (1 + resamples))
    return p_values


def _lots(looks: Iterable[Look]) -> Counter[tuple[tuple[float, ...], int]]:
    """How many draws there were of each kind: what its texts have of the choices made with it, and how many they are."""
    drawn: dict[tuple[str, Hashable, int], dict[Hashable, float]] = {}
    for number, look in enumerate(looks):
        lot = ("look", number) if look.lot is None else ("lot", look.lot)
        worth = drawn.setdefault((look.question, lot, len(look.order)), {})
        for text in look.chosen:
            worth[text] = worth.get(text, 0.0) + 1 / len(look.chosen)
    return Counter(
        (tuple(sorted(round(weight, 12) for weight in worth.values())), text_count)
        for (_, _, text_count), worth in drawn.items()
    )


def with_holm(rows: Sequence[Row]) -> list[Row]:
    """The same rows with `first_p_holm` and `last_p_holm`: one family of all that are printed together, and its size."""
    names = ("first_p", "last_p")
    tested = [(number, name) for number, row in enumerate(rows) for name in names if row[name] is not None]
    adjusted = dict(zip(tested, holm([rows[number][name] for number, name in tested]), strict=True))
    return [
        {
            **row,
            "first_p_holm": adjusted.get((number, "first_p")),
            "last_p_holm": adjusted.get((number, "last_p")),
            "family": len(tested),
        }
        for number, row in enumerate(rows)
    ]
