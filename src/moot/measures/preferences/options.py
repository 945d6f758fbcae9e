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
"""What a side would be said to be, `better` or `worse`, were the words that are missing not held against that."""
ALONE_BUT_FOR_UNGRADED = f"alone_{BUT_FOR_UNGRADED}"
"""The same, were it the only option."""
COUNTED_AS = {"better": "lost", "worse": "won"}
"""The words that are missing, by what would else be claimed."""
Rates = Mapping[str, Rate]
"""By the opponent."""


class SideOfPairs(NamedTuple):
    """A side, and how it was compared with each of its opponents; of none of them a rate where one has none."""

    named: Row
    pairs: Sequence[Row]
    rates: Rates
    """Over what was heard. A claim rests on it, and on one of the other two."""
    if_lost: Rates
    """With every missing word put in as lost; of whom it cannot be told, nothing is claimed."""
    if_won: Rates

    @property
    def tested(self) -> bool:
        return bool(self.pairs) and all(pair["p"] is not None for pair in self.pairs)


def option_rows(sides: Sequence[SideOfPairs], unlisted: int) -> list[Row]:
    """Holm over all options, those among them that are not in the file any more; what would be overturned finds nothing there,
    as if it were sure of nothing."""
    family = sum(side.tested for side in sides) + unlisted
    options = [option_row(side, family) for side in sides]
    tested = [(side, row) for side, row in zip(sides, options, strict=True) if side.tested]
    sure = [1.0 if "overturned" in row else _sure(side, row) for side, row in tested] + [1.0] * unlisted
    levels, place = holm_levels(sure), 0
    rows = []
    for side, row in zip(sides, options, strict=True):
        paid: Row = {"p_holm": None, "low_holm": None, "better": False}
        if side.tested:
            if "overturned" not in row:
                # What is shown of it pays beside what the others can claim.
                among = [*sure[:place], row["p"], *sure[place + 1 :]]
                p_holm, level = holm(among)[place], holm_levels(among)[place]
                low, _ = side.rates[row["against"]].limits(level) or (None, None)
                near = p_holm <= ALPHA and _above_half(side, side.rates, level)
                better = row["better"] and near and _above_half(side, side.if_lost, levels[place])
                paid = {"p_holm": p_holm, "low_holm": low, "better": better}
                if near and not better:
                    paid[BUT_FOR_UNGRADED] = "better"
            place += 1
        rows.append(with_why({**_alone(row), **paid, "family": family}))
    return rows


def with_why(row: Row) -> Row:
    """A row that only missing words keep from a claim says so: no condition is met by its figures."""
    return {**row, "why": why_not_claimed(row)} if BUT_FOR_UNGRADED in row else row


def why_not_claimed(row: Mapping[str, Any]) -> str:
    return f"{missing_told(row)} could reverse it"


def missing_told(row: Mapping[str, Any]) -> str:
    """The judgements that the share leaves out and no claim may hang on. Of several opponents the most of them."""
    if row["opponents"] > 1:
        return f"the missing judgements, up to {row['missing']:,} against one opponent,"
    return "the one missing judgement" if row["missing"] == 1 else f"the {row['missing']:,} missing judgements"


def _sure(side: SideOfPairs, row: Row) -> float:
    """The p of being better, whatever the missing words say."""
    found = [rate.at_most_half() if (rate := side.if_lost.get(pair["against"])) else None for pair in side.pairs]
    return float(max(row["p"], *(1.0 if p is None else min(1.0, 2 * p) for p in found)))


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
    row["missing"] = max((pair["missing"] for pair in pairs), default=0)
    if not side.tested:
        unknown = [pair for pair in pairs if pair["p"] is None]
        why = unknown[0].get("why") if unknown else "it has no opponent"
        nothing: Row = dict.fromkeys(("against", "value", "low", "high", "p", "high_holm"))
        return {**row, **nothing, "ungraded": 0.0, "why": why, "better": False, "worse": False}
    row["ungraded"] = max(pair["ungraded"] / pair["plays"] for pair in pairs)
    near_better = max(pair["p"] for pair in pairs) <= ALPHA and _above_half(side, side.rates, ALPHA)
    better = near_better and _above_half(side, side.if_lost, ALPHA)
    level = ALPHA / family / len(pairs)  # whichever of them it was found to be worse than
    near_lost = [pair for pair in pairs if _below_half(pair, side.rates, level)]
    turned = [pair for pair in (pairs if near_better else near_lost) if "overturned" in pair]
    near_worse = [pair for pair in near_lost if pair not in turned]
    worse = [pair for pair in near_worse if _below_half(pair, side.if_won, level)]
    told = max(worse or turned or near_worse or pairs, key=_doubt)
    shown = {key: told[key] for key in ("against", "value", "low", "high", "p")}
    shown["questions"] = told.get("counted", told["n"])
    if told in turned:
        nothing = {"high_holm": None, "better": False, "worse": False}
        return {**row, **shown, "overturned": told["overturned"], **nothing}
    # The upper end pays as "worse" does: an interval below a half beside a sentence that claims nothing would be a claim.
    _, high = side.rates[told["against"]].limits(level) or (None, None)
    row |= {**shown, "high_holm": high, "better": better, "worse": told in worse}
    if not better and (near_better or (near_worse and not worse)):
        row[BUT_FOR_UNGRADED] = "better" if near_better else "worse"
    return row


def _doubt(pair: Row) -> tuple[float, float]:
    return pair["p"], -pair["value"]


def _above_half(side: SideOfPairs, rates: Rates, level: float) -> bool:
    """Against every one of its opponents, by intervals of this level."""
    ends = [rate.limits(level) if (rate := rates.get(pair["against"])) else None for pair in side.pairs]
    return all(limits is not None and limits[0] > HALF for limits in ends)


def _below_half(pair: Row, rates: Rates, level: float) -> bool:
    """Against this opponent, by an interval of this level."""
    rate = rates.get(pair["against"])
    limits = None if rate is None else rate.limits(level)
    return limits is not None and limits[1] < HALF
