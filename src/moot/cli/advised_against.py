"""What the run's own verdict says beside an advice: where the two point to different things, that is said, and why.

A verdict is of what was played, on all questions. An advice is searched on one half and told by the other, at a level that pays
for all points of its frontier, and weighs rules over drafts alone, so it can tell less; and it saves, where a verdict does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moot.advise.advice import Advice
from moot.advise.options import SINGLE
from moot.data.clusters import dealing_names
from moot.decide.rules import DIGITS
from moot.measures.claims.headline_alone import headline_alone
from moot.measures.claims.words import gain_withheld_for
from moot.measures.numbers import interval, points
from moot.measures.source import Source
from moot.stats.clusters import clustered
from moot.stats.counted_words import count
from moot.stats.graded import settled


def claimed_verdict(source: Source) -> Mapping[str, Any] | None:
    """The headline of the report; None: there is none, or it claims nothing about a team beside its players."""
    if source.nothing_played or source.cut_short:
        return None
    with clustered(source.clusters, dealing_names(source.cases.items())):
        headline = headline_alone(source)
    if headline is None or headline["value"] is None or headline["alone"] or gain_withheld_for(headline):
        return None
    over = headline["over_best_single"] or {}
    return headline if over.get("difference") is not None else None


def other_verdict_words(advice: Advice, verdict: Mapping[str, Any] | None) -> str | None:
    """Said where the run's verdict is for a team and the advice for a player, or the other way round."""
    if verdict is None or advice.recommended is None or _agree(advice, verdict):
        return None
    over = verdict["over_best_single"]
    gap = " ".join(filter(None, (points(over["difference"]), "points", interval(over))))
    side = "better" if over["difference"] > 0 else "worse"
    found = f"{verdict['of']} is {side} than {over['single']} alone: {gap}, on all {count(over['n'], 'question')}"
    why = f"This advice weighs only rules over drafts, tested on {advice.claimed_on:,} of them"
    return f"The run's own verdict differs: {found}. {why}."


def verdict_json(advice: Advice, verdict: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if verdict is None or advice.recommended is None:
        return None
    over = verdict["over_best_single"]
    ends = {end: None if over[end] is None else round(over[end], DIGITS) for end in ("difference", "low", "high")}
    return {"of": verdict["of"], "single": over["single"], **ends, "agrees": _agree(advice, verdict)}


def _agree(advice: Advice, verdict: Mapping[str, Any]) -> bool:
    """A verdict that cannot tell a team from a player is against neither."""
    assert advice.recommended is not None, "nothing is for or against nothing"
    over = verdict["over_best_single"]
    if over["low"] is None:
        return True
    better = over["low"] > 0 and settled(over.get("bounds"), 0.0, above=True)
    worse = over["high"] < 0 and settled(over.get("bounds"), 0.0, above=False)
    return not (better if advice.recommended.option.kind == SINGLE else worse)
