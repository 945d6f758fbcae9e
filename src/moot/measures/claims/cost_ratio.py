"""How many times what the best single player takes the option of the headline takes.

It is over the questions of which it is known what both take. Where too many plays of one of them lack a call those that lack
none may be the cheap ones: then there is no ratio, as there is no cost in its own row. There is none over a few of many
questions either.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from moot.measures.claims.singles import Singles
from moot.measures.native_cost import NativeCost, cheapest, native_cost
from moot.measures.question_costs import (
    NONE_WHOLE,
    cell_costs,
    cut_by_failures,
    mean_cost,
    why_no_ratio,
    why_too_few,
)
from moot.measures.sides import SideResults
from moot.measures.source import Source
from moot.stats.estimates import Row


def alone_cost(
    source: Source, side: SideResults, singles: Singles, single: str, cut: Collection[str] | None = None
) -> NativeCost:
    """What a single player takes on the questions of an option; of the ways to ask it with the same result the cheapest.
    `cut`: without these; None: without those of which a play of the option lacks calls."""
    if cut is None:
        cut = cut_by_failures(episode for cell in side.cells for episode in source.seen(cell))
    player = dict.fromkeys(sorted(side.calls.keys() - cut), singles.players[single])
    return cheapest(native_cost(source, way, player) for way in singles.ways[single])


def cost_row(source: Source, side: SideResults, asked: Sequence[str], singles: Singles, single: str | None) -> Row:
    """In money, or in calls where money is nothing or not known. No ratio where nobody knows who the best single player is
    (None)."""
    team, calls = mean_cost(side.whole_usd, asked), mean_cost(side.whole_calls, asked)
    row: Row = {"cost_ratio": None, "cost_unit": "calls", "cost_usd": team, "calls": calls}
    if single is None:
        return row
    alone = alone_cost(source, side, singles, single, side.cut)
    if alone.questions is None:
        return row
    if not alone.questions:
        return {**row, "cost_why": _why_none(source, side, singles, single)}
    if (few := why_too_few(len(alone.questions), len(side.calls))) is not None:
        return {**row, "cost_why": few}
    over = {"cost_n": len(alone.questions)} if len(alone.questions) < len(side.calls) else {}
    usd, taken = mean_cost(side.cost_usd, alone.questions), mean_cost(side.calls, alone.questions)
    if usd and alone.cost_usd:
        return {"cost_ratio": usd / alone.cost_usd, "cost_unit": "usd", "cost_usd": team, **over}
    ratio = taken / alone.calls if taken is not None and alone.calls else None
    return {**row, "cost_ratio": ratio, **(over if ratio is not None else {})}


def _why_none(source: Source, side: SideResults, singles: Singles, single: str) -> str:
    """Of the ways in which the player was asked, the first of which more is to say than that none was whole."""
    player, ours = singles.players[single], [episode for cell in side.cells for episode in source.seen(cell)]
    whys = []
    for way in singles.ways[single]:
        both, seen, cut = {*side.calls}, list(ours), {side.title: side.cut}
        if (cell := way.alone.get(player)) is not None:
            costs = cell_costs(source, cell)
            both &= costs.calls.keys()
            seen += source.seen(cell)
            cut[f"{single} alone"] = costs.cut
        whys.append(why_no_ratio(both, seen, cut))
    return next((why for why in whys if why != NONE_WHOLE), NONE_WHOLE)
