"""Which strategy what is asked is for. What several share, such as drafts, counts with the first that needs it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from moot.estimate.counting_model import CountingModel, ModelEstimate, plus


@dataclass
class StrategyEstimate:
    """What one strategy would ask of all models."""

    calls: float = 0.0
    tokens: float = 0.0
    """Of prompts and completions."""
    cost_usd: float | None = 0.0
    """With what recorded replies cost when they were made."""

    def add(self, more: StrategyEstimate, scale: float = 1.0) -> None:
        self.calls += more.calls * scale
        self.tokens += more.tokens * scale
        self.cost_usd = plus(self.cost_usd, None if more.cost_usd is None else more.cost_usd * scale)


AskedFor = str | None
"""A strategy by its label; None is what no strategy asks: judges, and who said the same as whom."""


class StrategyMeter:
    """Reads the counters of all models before and after. The plays of a sample follow each other, so nothing else counts."""

    def __init__(self, models: Mapping[str, CountingModel]) -> None:
        self.models = models
        self.taken: dict[AskedFor, StrategyEstimate] = {}

    @contextmanager
    def counting(self, asked_for: AskedFor) -> Iterator[None]:
        before = {name: _copied(model.taken) for name, model in self.models.items()}
        try:
            yield
        finally:
            taken = self.taken.setdefault(asked_for, StrategyEstimate())
            for name, model in self.models.items():
                taken.add(_between(before[name], model.taken))


def _copied(taken: ModelEstimate) -> tuple[float, float, float]:
    return taken.calls, taken.prompt_tokens + taken.completion_tokens, taken.reported_usd or 0.0


def _between(before: tuple[float, float, float], now: ModelEstimate) -> StrategyEstimate:
    """A model without a price leaves the cost of those unknown who ask it, and of nobody else."""
    calls, tokens, cost_usd = (later - earlier for later, earlier in zip(_copied(now), before, strict=True))
    return StrategyEstimate(calls, tokens, None if calls and now.reported_usd is None else cost_usd)
