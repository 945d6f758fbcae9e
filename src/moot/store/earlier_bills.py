"""What models have billed above the most that their calls could cost, as the calls of a store tell.

Whoever billed too much once is believed to do so again: under a cap each of its calls is held at as many times its most. That
must not be forgotten with the process that saw it, or every start could cross the cap by one call more.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from sqlalchemy import Connection, func, or_, select

from moot.models.budget import most_usd
from moot.store import schema
from moot.store.store import Store
from moot.types import Message, Price, Request

LOOK_S = 0.3
"""So often it is looked whether other processes have been billed too much; not as often where a look takes long."""
LATE_S = 60.0
"""What is kept now may have been paid for a while ago, by another clock."""
MOST_READ = 5_000
"""Calls, the dearest first, whose words are read to know what they could have cost."""
_ROUNDING = 1 + 1e-6
_LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens")


@dataclass(frozen=True, slots=True)
class PriceList:
    """What the calls of a model cost by its file."""

    price: Price
    max_tokens: int
    address: object
    """Of its endpoint. What was billed at another is no matter."""


class EarlierBills:
    """How many times its most each model was billed, the worst call of each."""

    def __init__(self, store: Store, lists: Mapping[str, PriceList]) -> None:
        self._store = store
        self._lists = lists
        self._seen_at = 0.0
        self._next_look = 0.0
        self.times: dict[str, float] = {}

    async def look(self) -> None:
        """At what has come since the last look."""
        if not self._lists or time.monotonic() < self._next_look:
            return
        self._next_look = time.monotonic() + LOOK_S
        began, seen_at = time.monotonic(), time.time()
        since = self._seen_at - LATE_S if self._seen_at else 0.0
        found = await self._store.read(partial(times_billed, lists=self._lists, since=since))
        for model, times in found.items():
            self.times[model] = max(times, self.times.get(model, 1.0))
        self._seen_at = seen_at
        self._next_look = time.monotonic() + max(LOOK_S, 20 * (time.monotonic() - began))


def times_billed(connection: Connection, lists: Mapping[str, PriceList], since: float = 0.0) -> dict[str, float]:
    """By model, of those that were billed more than a call could cost. A price that is another than before says nothing of what
    was billed then: it is left."""
    if not lists:
        return {}
    changed = set(_of_other_prices(connection, lists))
    found: dict[str, float] = {}
    for model, listed in lists.items():
        if model not in changed:
            times = [_times(*row, listed=listed) for row in _dear_calls(connection, model, listed, since)]
            if (worst := max(times, default=1.0)) > _ROUNDING:
                found[model] = worst
    return found


def _dear_calls(connection: Connection, model: str, listed: PriceList, since: float) -> Iterator[tuple[str, float]]:
    """Those that cost more than the list says of their tokens, or took more tokens than they may have. Texts are longer in
    characters than in tokens by far: where they are not, it is looked at."""
    table, price = schema.calls, listed.price
    prompt, completion = func.coalesce(table.c.prompt_tokens, 0), func.coalesce(table.c.completion_tokens, 0)
    by_list = (prompt * max(price.prompt, price.cached or 0.0) + completion * price.completion) / 1e6
    query = select(table.c.shape, table.c.cost_usd).where(
        table.c.model == model,
        table.c.created_at >= since,
        table.c.cost_usd > 0,
        or_(
            table.c.cost_usd > by_list * _ROUNDING,
            completion > listed.max_tokens,
            prompt * 4 > func.length(table.c.shape),
        ),
    )
    for shape, cost_usd in connection.execute(query.order_by(table.c.cost_usd.desc()).limit(MOST_READ)):
        yield shape, float(cost_usd)


def _times(shape: str, cost_usd: float, *, listed: PriceList) -> float:
    """How many times the most that it could cost. The longest reply is the one that this call asked for."""
    try:
        asked = json.loads(shape)[0]
        messages = tuple(_message(message) for message in asked["messages"])
        params = {**asked.get("params", {}), **asked.get("body", {})}
    except (ValueError, LookupError, TypeError, RecursionError):
        return 1.0
    if asked.get("base_url") != listed.address:
        return 1.0
    longest = max((value for name in _LIMITS if type(value := params.get(name)) is int), default=listed.max_tokens)
    allowed_usd = most_usd(listed.price, Request(messages, schema=asked.get("schema")), longest)
    return cost_usd / allowed_usd if allowed_usd > 0 else 1.0


def _message(message: Any) -> Message:
    if isinstance(message, Mapping):
        return Message(message["role"], str(message["content"]))
    role, content = message
    return Message(role, str(content))


def _of_other_prices(connection: Connection, lists: Mapping[str, PriceList]) -> Iterator[str]:
    for (config,) in connection.execute(select(schema.experiments.c.config)):
        try:
            models = json.loads(config)["models"]
            told = {name: models[name].get("price") for name in lists if name in models}
        except (ValueError, LookupError, TypeError, AttributeError):
            continue
        for name, price in told.items():
            listed = lists[name].price
            now = (listed.prompt, listed.completion)
            if isinstance(price, Mapping) and (price.get("prompt"), price.get("completion")) != now:
                yield name
