"""What the calls of a question came to."""

from __future__ import annotations

from collections.abc import Iterable

from moot import bills
from moot.models.unpriced_calls import UnpricedCalls
from moot.types import Call, Usage


def total_usage(calls: Iterable[Call]) -> Usage:
    """Tokens of all calls together; unknown as soon as a provider did not count those of one."""
    return bills.total_usage(call.reply.usage for call in calls if call.reply is not None)


def total_cost(calls: Iterable[Call], unpriced: UnpricedCalls) -> float | None:
    """Unknown as soon as one of them is. `unpriced`: what else may be on the bill, at nobody knows how much."""
    if unpriced:
        return None
    costs = [call.reply.cost_usd for call in calls if call.reply is not None]
    return None if None in costs else sum(cost for cost in costs if cost is not None)
