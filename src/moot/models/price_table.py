"""Prices from a table that others maintain: the one that comes with LiteLLM, read from the package's own file.

Nothing is imported or fetched for it. Such a table is as old as the package, so whoever takes a price from it is told which
version it is of; what a provider states of a call's cost stands over it.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import orjson

from moot.errors import UsageError
from moot.models import border
from moot.models.closest import closest
from moot.types import Price

FILE = "model_prices_and_context_window_backup.json"
NEEDED = 'the table of prices comes with the extra litellm: pip install "moot[litellm]"'
MOST_PER_TOKEN = 1.0
"""USD; nobody asks for more, and a table that says so is wrong."""

_MODES = ("chat", "completion", "responses")
_PREFIXES: Mapping[str, str] = {
    "api.openai.com": "",
    "api.anthropic.com": "",
    "api.cohere.ai": "",
    "openrouter.ai": "openrouter/",
    "api.deepseek.com": "deepseek/",
    "generativelanguage.googleapis.com": "gemini/",
    "api.groq.com": "groq/",
    "api.mistral.ai": "mistral/",
    "api.together.xyz": "together_ai/",
    "api.x.ai": "xai/",
    "api.fireworks.ai": "fireworks_ai/",
    "api.cerebras.ai": "cerebras/",
    "api.moonshot.ai": "moonshot/",
    "api.perplexity.ai": "perplexity/",
}
"""What the table puts before the names of a host's models."""
_AZURE = (".openai.azure.com", ".cognitiveservices.azure.com")


@dataclass(frozen=True, slots=True)
class PriceTable:
    """USD per million tokens, by the table's names of models."""

    prices: Mapping[str, Price]
    source: str
    """Which table, of which version."""

    def named(self, model: str, base_url: str | None = None) -> str | None:
        """What the table calls a model; None: it does not have it. Where the host is not known its own name must stand there."""
        prefix = _prefix(base_url)
        names = [model] if prefix is None else [f"{prefix}{model}", f"{prefix}{model.removeprefix('models/')}"]
        return next((name for name in names if name in self.prices), None)

    def price(self, model: str, base_url: str | None = None) -> Price:
        """`UsageError` where the table does not have it."""
        name = self.named(model, base_url)
        if name is None:
            sought = f"{_prefix(base_url) or ''}{model}"
            raise UsageError(f"{sought!r} is not in the table of {self.source}{closest(sought, self.prices)}")
        return self.prices[name]

    def matching(self, names: Sequence[str]) -> dict[str, Price]:
        """The rows of these names; of a name that is no row, those that it is a part of."""
        found: dict[str, Price] = {}
        for name in names:
            exact = {name: self.prices[name]} if name in self.prices else {}
            rows = exact or {row: price for row, price in self.prices.items() if name.casefold() in row.casefold()}
            if not rows:
                raise UsageError(f"no model called {name!r} in the table of {self.source}{closest(name, self.prices)}")
            found |= rows
        return found if names else dict(self.prices)


def known_host(base_url: str) -> bool:
    """Whether the table has names for this host's models."""
    return _prefix(base_url) is not None


def price_words(price: Price) -> str:
    """As an experiment file says it."""
    cached = "" if price.cached is None else f", cached: {price.cached:.6g}"
    return f"price: {{prompt: {price.prompt:.6g}, completion: {price.completion:.6g}{cached}}}"


@cache
def installed_table() -> PriceTable | None:
    """None: there is none."""
    spec = importlib.util.find_spec("litellm")
    if spec is None or not spec.submodule_search_locations:
        return None
    file = Path(next(iter(spec.submodule_search_locations))) / FILE
    try:
        rows = orjson.loads(file.read_bytes())
        version = importlib.metadata.version("litellm")
    except (OSError, ValueError, importlib.metadata.PackageNotFoundError):
        return None
    return PriceTable(prices_of(rows), f"LiteLLM {version}") if isinstance(rows, dict) else None


def the_table() -> PriceTable:
    if (table := installed_table()) is None:
        raise UsageError(NEEDED)
    return table


def prices_of(rows: Mapping[str, Any]) -> dict[str, Price]:
    """The rows that price the tokens of a text model, for both ways."""
    found = {}
    for name, row in rows.items():
        if not isinstance(row, Mapping) or row.get("mode") not in _MODES or name == "sample_spec":
            continue
        prompt, completion = _million(row.get("input_cost_per_token")), _million(row.get("output_cost_per_token"))
        if prompt is not None and completion is not None:
            found[border.words(name, border.LONGEST_NAME)] = Price(
                prompt, completion, _million(row.get("cache_read_input_token_cost"))
            )
    return found


def _million(per_token: object) -> float | None:
    usd = border.usd(per_token)
    return round(usd * 1e6, 9) if usd is not None and usd <= MOST_PER_TOKEN else None


def _prefix(base_url: str | None) -> str | None:
    host = (urlsplit(base_url).hostname or "") if base_url else ""
    return "azure/" if host.endswith(_AZURE) else _PREFIXES.get(host)
