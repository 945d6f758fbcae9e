"""The price that a file gives a model: its own list, or a row of the table that it names."""

from __future__ import annotations

from moot.experiment.model_specs import TABLE, EndpointSpec, LitellmSpec, ModelSpec, PriceSpec
from moot.models.price_table import the_table
from moot.types import Price


def price_in_file(spec: ModelSpec) -> Price | None:
    """What the file says of a model's price, or the table that it names. `UsageError`: which does not have it."""
    price = getattr(spec, "price", None)
    if price == TABLE and isinstance(spec, EndpointSpec | LitellmSpec):
        return the_table().price(spec.model, spec.base_url if isinstance(spec, EndpointSpec) else None)
    return listed(price) if isinstance(price, PriceSpec) else None


def listed(price: PriceSpec | None) -> Price | None:
    return None if price is None else Price(price.prompt, price.completion, price.cached)
