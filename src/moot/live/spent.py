"""What the calls of a question came to."""

from __future__ import annotations

from collections.abc import Iterable

from moot.models.unpriced_calls import UnpricedCalls
from moot.types import Call, Usage


def total_usage(calls: Iterable[Call]) -> Usage:
    """Tokens of all calls together; what a provider did not count is not in it."""
    usages = [call.reply.usage for call in calls if call.reply is not None]

    def total(name: str) -> int:
        return sum(getattr(usage, name) or 0 for usage in usages)

    return Usage(total("prompt"), total("completion"), total("reasoning"), total("cached"))


def total_cost(calls: Iterable[Call], unpriced: UnpricedCalls) -> float | None:
    """Unknown as soon as one of them is. `unpriced`: what else may be on the bill, at nobody knows how much."""
    if unpriced:
        return None
    costs = [call.reply.cost_usd for call in calls if call.reply is not None]
    return None if None in costs else sum(cost for cost in costs if cost is not None)
