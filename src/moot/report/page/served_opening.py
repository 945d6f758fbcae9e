"""The first screen of a served team's page, in words: how much is graded, and what follows from that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from moot.measures.facts.figures import LOST_OR_NOT_KEPT, losses_words
from moot.measures.numbers import money
from moot.measures.reserved import SERVED
from moot.measures.served.words import drift_words, opening_words, plans_words, visitors_words
from moot.stats.counted_words import count

Figures = Mapping[str, Any]


def served_verdict(figures: Figures) -> tuple[str, ...]:
    served = figures[SERVED]
    return (*opening_words(served), *(drift_words(served) if served["asked"] else ()))


def served_lead(figures: Figures) -> str:
    """What was asked, in figures: the line above."""
    served = figures[SERVED]
    usd = served["cost"]["usd_per_1000"]
    paid = "cost unknown" if usd is None else f"{money(usd)} for 1,000" if usd else "no cost"
    paid += losses_words(usd, served, LOST_OR_NOT_KEPT)
    teams = count(len(served["by_team"]), "strategy", "strategies")
    periods = count(len(served["by_day"]), "day" if served["days_each"] == 1 else "week")
    return " · ".join((count(served["asked"], "question"), periods, teams, paid))


def served_warnings(figures: Figures) -> Iterator[str]:
    served = figures[SERVED]
    if served["alert"]:
        yield served["alert"]
    yield from visitors_words(served, "below: Teams of visitors")
    yield from plans_words(served)
