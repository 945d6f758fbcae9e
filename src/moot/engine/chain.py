"""What stands around a model in a run, from the outside in: cache, retry, a gate while nobody knows whether the key is taken,
hedge, a wait for the first bill under a cap, limit, budget, a last look whether the key is still good and the call still ours,
and who answers for its bugs.

The slot at the endpoint is free again as soon as the reply has arrived, before it is written to the disk; a pause
between two attempts holds no slot; every attempt is paid for, and so is a hedge's second request, which has a slot of
its own.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from urllib.parse import urlsplit

from moot.errors import StoreError
from moot.experiment.providers import BuiltModel
from moot.models.answerable import Answerable
from moot.models.budget import Budget, Purse, Till, Trust, trust_in
from moot.models.cache import Cache
from moot.models.first_bill import BillAwaited, Leaving
from moot.models.first_heard import EndpointDoor, Knocking, LetIn
from moot.models.flights import Flights
from moot.models.hedge import Departure, Hedge
from moot.models.key_gate import KeyGate, KeyProven, KeyShown
from moot.models.last_look import LastLook
from moot.models.limit import Limit, Limiter, Limits, Turnstile
from moot.models.model import Model
from moot.models.model_gate import ModelGate, ModelProven
from moot.models.retry import OnRetry, Retry, RetryPatience
from moot.models.stated_losses import StatedLosses
from moot.models.wordless_line import folded
from moot.store import schema
from moot.store.calls import ExperimentCalls
from moot.store.earlier_bills import PriceList
from moot.store.ledger import Ledger
from moot.store.store import Store
from moot.types import NOTHING

_log = logging.getLogger(__name__)


def limiters(models: Mapping[str, BuiltModel]) -> dict[str, Limiter]:
    """One for each endpoint, however many models share it."""
    by_endpoint: dict[str, Limiter] = {}
    for built in models.values():
        if built.endpoint and built.endpoint not in by_endpoint:
            limits = built.limits
            by_endpoint[built.endpoint] = Limiter(Limits(limits.concurrent, limits.rpm, limits.tpm))
    return by_endpoint


def chain(
    models: Mapping[str, BuiltModel],
    limits: Mapping[str, Turnstile],
    calls: ExperimentCalls,
    purse: Till | None = None,
    on_retry: OnRetry | None = None,
    on_hedge: Callable[[str], None] | None = None,
    on_wrong_key: Callable[[str], None] | None = None,
    flights: Flights | None = None,
    on_pause: Callable[[str], None] | None = None,
) -> dict[str, Model]:
    """`on_wrong_key`: hears of a key that is refused from the first call on, where that must not end everything.

    `on_pause`: hears of a server that asks for a long pause.
    `flights`: all calls of these models, for whoever wants to know what has left, and to keep back the rest.
    """
    flights = flights or Flights()
    gates: dict[tuple[str, str | None], KeyGate] = {}
    doors: dict[str, EndpointDoor] = {}
    chained: dict[str, Model] = {}
    trusts: dict[str, Trust] = {}
    for name, built in models.items():
        model: Model = Answerable(built.model)
        model = LastLook(Departure(model) if built.hedge is not None else model, calls, flights)
        gate: KeyGate | None = None
        if built.endpoint:
            gate = gates.setdefault((built.endpoint, built.key_from), KeyGate(built.key_from, told=on_wrong_key))
            door = doors.setdefault(built.endpoint, EndpointDoor(told=on_wrong_key))
            model = KeyShown(Knocking(model, door), gate)
        capped = False
        limited = purse is not None and not math.isinf(purse.cap_usd)
        if purse is not None and model.price is not None and (_priced(model) or (limited and may_cost(built))):
            # What one that is called free has billed says nothing of others; it is no part of what they could cost.
            whose = name if model.price.free else built.endpoint or name
            trust = trusts.setdefault(whose, trust_in(model.price))
            trust.believe(purse.billed_before.get(name, 0.0))
            capped = limited
            inner = Leaving(model) if capped else model
            model = Budget(inner, purse, model.price, built.max_tokens, trust)
        elif purse is not None and _may_state(built):
            model = StatedLosses(model, purse, calls.lose_unpriced)
        if built.endpoint and gate is not None:
            paused = None if on_pause is None else partial(_tell_pause, on_pause, built.endpoint)
            model = Limit(model, limits[built.endpoint], max_tokens=built.max_tokens, on_pause=paused)
        if capped:
            model = BillAwaited(model)
        if built.endpoint and gate is not None:
            if built.hedge is not None:
                model = Hedge(model, built.hedge.after_s, on_hedge=on_hedge)
            model = _known(model, built.model, on_wrong_key)
            model = KeyProven(model, gate)
            patience = RetryPatience(attempts=built.retries.attempts, total_s=built.retries.total_s)
            model = LetIn(Retry(model, patience, on_retry=on_retry), doors[built.endpoint])
        chained[name] = Cache(model, calls, flights)
    return chained


def _known(model: Model, built: Model, told: Callable[[str], None] | None) -> Model:
    """Of one that goes by a name at a server: with a look at whether it is known there."""
    from moot.models.endpoint import EndpointModel  # loaded by now where there is one, and else for nothing

    if not isinstance(built, EndpointModel):
        return model
    return ModelProven(model, ModelGate(told=told), built.model, built.versions)


def _tell_pause(told: Callable[[str], None], endpoint: str, model: str, seconds: float) -> None:
    told(f"{urlsplit(endpoint).netloc or endpoint} asked for a pause of {seconds:,.0f} s ({model})")


async def purse_of(
    store: Store,
    experiment: str,
    cap_usd: float | None,
    models: Mapping[str, BuiltModel] = NOTHING,
    *,
    with_calls: bool = True,
) -> Ledger | Purse | None:
    """What is left of an experiment's budget, if it has one; and from now on other processes know of this one.

    Under a cap an attempt is in the store's books before it is made. Without one there is a purse without a bottom, so that
    attempts which may be on the bill without a reply are written down as they happen. None where nobody bills anything.
    `with_calls`: they are kept in this store too, each with its cost (`engine.cashbook` for those that are not).
    """
    await store.join()
    if cap_usd is not None:
        lasting = store.lasts or not any(map(may_cost, models.values()))
        assert lasting, "a cap whose books are thrown away starts from nothing each time"
        return await Ledger.opened(store, experiment, cap_usd, _price_lists(models), with_calls=with_calls)
    if not any(_priced(built.model) or _may_state(built) for built in models.values()):
        return None
    return Purse(math.inf, on_loss=partial(keep_loss, store, experiment))


def _price_lists(models: Mapping[str, BuiltModel]) -> dict[str, PriceList]:
    """Of those that are asked at an endpoint, and whose calls have a most, or are free."""
    return {
        name: PriceList(price, getattr(built.model, "base_url", None))
        for name, built in models.items()
        if built.endpoint and (price := built.model.price) is not None
        if price.free or built.max_tokens is not None
    }


def may_cost(built: BuiltModel) -> bool:
    """Whether its calls count under a cap: one that the file calls free may state a cost all the same."""
    return _priced(built.model) or (built.model.price is not None and bool(built.endpoint))


def _may_state(built: BuiltModel) -> bool:
    """Whether a failure of it may come with a bill, although the file has no price for it, or none but nothing."""
    return bool(built.endpoint) or built.model.price is None


def _priced(model: Model) -> bool:
    return model.price is not None and not model.price.free


def keep_loss(store: Store, experiment: str, usd: float) -> None:
    with suppress(StoreError):  # a store that cannot write ends the run by itself
        store.put_later([(schema.losses, {"experiment": experiment, "usd": usd, "created_at": time.time()})])


async def close_all(models: Iterable[Model]) -> None:
    """One that cannot be closed costs neither the others nor what was played."""
    for model in models:
        try:
            await model.close()
        except Exception as error:  # noqa: BLE001  somebody else's code, and all is kept by now
            # In our words: those of a warning no command tells.
            _log.warning("%s was not closed: %s: %s", folded(model.name), type(error).__name__, folded(error))
