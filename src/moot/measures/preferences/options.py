"""Each side against all of its opponents: better than every one of them, or worse than one; and what that pays for.

All that is told of a side is of one pair: the opponent, the share, its interval and its p.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from moot.stats.paired import holm, holm_levels
from moot.stats.preference_share import Rate
from moot.stats.quantiles import ALPHA

Row = dict[str, Any]
HALF = 0.5
BUT_FOR_UNGRADED = "but_for_ungraded"
"""What a side would be said to be, `better` or `worse`, were nothing held against it of which nobody has said anything."""
ALONE_BUT_FOR_UNGRADED = f"alone_{BUT_FOR_UNGRADED}"
"""The same, were it the only option."""
COUNTED_AS = {"better": "lost", "worse": "won"}
"""What nobody has said anything of, by what would else be claimed."""
Rates = Mapping[str, Rate]
"""By the opponent."""


class SideOfPairs(NamedTuple):
    """A side, and how it was compared with each of its opponents; of none of them a rate where one has none."""

    named: Row
    pairs: Sequence[Row]
    rates: Rates

    @property
    def tested(self) -> bool:
        return bool(self.pairs) and all(pair["p"] is not None for pair in self.pairs)


def option_rows(sides: Sequence[SideOfPairs], unlisted: int) -> list[Row]:
    """Holm over all options, those among them that are not in the file any more; what would be overturned finds nothing there,
    as if it were sure of nothing."""
    family = sum(side.tested for side in sides) + unlisted
    options = [option_row(side, family) for side in sides]
    every = [1.0 if "overturned" in row else row["p"] for row in options if row["p"] is not None]
    every += [1.0] * unlisted
    adjusted, levels = iter(holm(every)), iter(holm_levels(every))
    rows = []
    for side, row in zip(sides, options, strict=True):
        paid: Row = {**dict.fromkeys(("p_holm", "low_holm", "high_holm")), "better": False}
        if row["p"] is not None:
            p_holm, level = next(adjusted), next(levels)
            if "overturned" not in row:
                low, high = side.rates[row["against"]].limits(level) or (None, None)
                lowest = _lowest(side.rates, level)
                better = row["better"] and _is_better(p_holm, lowest, row["ungraded"])
                paid = {"p_holm": p_holm, "low_holm": low, "high_holm": high, "better": better}
                if not better and _is_better(p_holm, lowest, 0.0):
                    paid[BUT_FOR_UNGRADED] = "better"
        rows.append({**_alone(row), **paid, "family": family})
    return rows


def _alone(row: Row) -> Row:
    """What it is found to be by itself, apart from what it is among all. Who is worse has paid for the family already."""
    alone = {**row, "alone_better": row["better"]}
    if row.get(BUT_FOR_UNGRADED) != "better":
        return alone
    return {**{key: value for key, value in alone.items() if key != BUT_FOR_UNGRADED}, ALONE_BUT_FOR_UNGRADED: "better"}


def option_row(side: SideOfPairs, family: int) -> Row:
    """To be better it must be better than every one of its opponents: so told is the one of whom that is least sure.

    Where it is worse than one, which pays for the family and for looking at all of them, that one is told. Where words that
    are left out would overturn what could else be claimed, the pair that they are about.
    """
    pairs = side.pairs
    row: Row = {**side.named, "opponents": len(pairs), "questions": max((pair["n"] for pair in pairs), default=0)}
    if not side.tested:
        unknown = [pair for pair in pairs if pair["p"] is None]
        why = unknown[0].get("why") if unknown else "it has no opponent"
        nothing: Row = dict.fromkeys(("against", "value", "low", "high", "p"))
        return {**row, **nothing, "ungraded": 0.0, "why": why, "better": False, "worse": False}
    row["ungraded"] = max(pair["ungraded"] / pair["plays"] for pair in pairs)
    p, lowest = max(pair["p"] for pair in pairs), min(pair["low"] for pair in pairs)
    better, near_better = (_is_better(p, lowest, ungraded) for ungraded in (row["ungraded"], 0.0))
    level = ALPHA / family / len(pairs)  # whichever of them it was found to be worse than
    near_lost = [pair for pair in pairs if _is_worse(side.rates[pair["against"]], level, 0.0)]
    turned = [pair for pair in (pairs if near_better else near_lost) if "overturned" in pair]
    near_worse = [pair for pair in near_lost if pair not in turned]
    worse = [pair for pair in near_worse if _is_worse(side.rates[pair["against"]], level, row["ungraded"])]
    told = max(worse or turned or near_worse or pairs, key=_doubt)
    shown = {key: told[key] for key in ("against", "value", "low", "high", "p")}
    shown["questions"] = told.get("counted", told["n"])
    if told in turned:
        return {**row, **shown, "overturned": told["overturned"], "better": False, "worse": False}
    row |= {**shown, "better": better, "worse": told in worse}
    if not better and (near_better or (near_worse and not worse)):
        row[BUT_FOR_UNGRADED] = "better" if near_better else "worse"
    return row


def _doubt(pair: Row) -> tuple[float, float]:
    return pair["p"], -pair["value"]


def _lowest(rates: Rates, level: float) -> float | None:
    """The lowest of the ends of all."""
    limits = [rate.limits(level) for rate in rates.values()]
    return None if None in limits else min(ends[0] for ends in limits if ends is not None)


def _is_better(p: float, low: float | None, ungraded: float) -> bool:
    """Than every one of its opponents, also were all lost of which nobody has said anything. `low`: the lowest of the ends;
    `ungraded`: such a share of the plays."""
    return p <= ALPHA and low is not None and low * (1 - ungraded) > HALF


def _is_worse(rate: Rate, level: float, ungraded: float) -> bool:
    """Than this opponent, also were all won of which nobody has said anything."""
    limits = rate.limits(level)
    return limits is not None and limits[1] + ungraded < HALF
