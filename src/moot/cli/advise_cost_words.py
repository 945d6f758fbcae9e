"""What `moot advise` calls cheap, and by what: by money where it is known what every option costs, else by calls."""

from __future__ import annotations

from moot.advise.advice import Advice, ClaimedPoint
from moot.advise.choice import SAME_COST
from moot.advise.frontier import LITTLE


def by_what(advice: Advice) -> str:
    return "by money" if advice.cost == "usd_per_1000" else f"by calls ({advice.why_calls})"


def cheapest_words(advice: Advice, taken: ClaimedPoint) -> str:
    """Of those that cost about the same the most accurate is taken: another may cost a little less."""
    cost = taken.on_all.cost
    nearly = any(point.on_all.cost < cost <= point.on_all.cost * (1 + SAME_COST) + LITTLE for point in advice.points)
    return f"the cheapest {by_what(advice)}{', give or take 1 %,' if nearly else ''}"


def why_the_best(advice: Advice, taken: ClaimedPoint, weighed: str, on_all: str) -> str:
    """Of costs that hardly differ none is called cheaper."""
    cost, by = taken.on_all.cost, by_what(advice)
    less = [point for point in advice.points if point.on_all.cost < cost]
    clearly = [point for point in less if point.on_all.cost * (1 + SAME_COST) < cost]
    if not less:
        return f"none {weighed} is cheaper {by}, or more accurate {on_all}"
    if not clearly:
        return f"none {weighed} is more than 1 % cheaper {by}, or more accurate {on_all}"
    cheaper = "cheaper" if len(clearly) == len(less) else "clearly cheaper"
    return f"{weighed}, every one that is {cheaper} {by} is behind it by more than a standard error {on_all}"
