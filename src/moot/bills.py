"""What a call is billed: tokens, prices, and what is known of a cost that nobody states in full."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider bills them; None where it did not say. Reasoning is part of the completion, cached of the prompt."""

    prompt: int | None = None
    completion: int | None = None
    reasoning: int | None = None
    cached: int | None = None


UNCOUNTED = Usage()


def total_usage(usages: Iterable[Usage]) -> Usage:
    """Of several calls together. One that did not tell makes the sum unknown: that of the others is no count of all. Only of
    thoughts and the cache no word beside the whole means that there were none."""
    told = list(usages)
    return Usage(
        _total((each.prompt, each.prompt) for each in told),
        _total((each.completion, each.completion) for each in told),
        _total((each.completion, each.reasoning) for each in told),
        _total((each.prompt, each.cached) for each in told),
    )


def _total(parts: Iterable[tuple[int | None, int | None]]) -> int | None:
    """Of pairs of a whole and its part."""
    total = 0
    for whole, part in parts:
        if whole is None and part is None:
            return None
        total += part or 0
    return total


@dataclass(frozen=True, slots=True)
class Price:
    """USD per million tokens. Cached prompt tokens cost as much as others unless said otherwise."""

    prompt: float
    completion: float
    cached: float | None = None

    @property
    def free(self) -> bool:
        """Whether the list asks for nothing. What an endpoint states stands over it."""
        return self.prompt == self.completion == 0 and not self.cached

    @property
    def prompt_range(self) -> tuple[float, float]:
        """The least and the most that a token of a prompt can cost: nobody may say how many were cached."""
        cached = self.prompt if self.cached is None else self.cached
        return min(self.prompt, cached), max(self.prompt, cached)

    def cost_usd(self, usage: Usage) -> float | None:
        """What a reply cost; None where the provider did not count: unknown is not zero. Thoughts are part of the completion."""
        if self.free:
            return 0.0
        if (usage.prompt is None and self.prompt_range[1] > 0) or (usage.completion is None and self.completion > 0):
            return None
        prompt = usage.prompt or 0
        cached = min(usage.cached or 0, prompt)
        cached_price = self.prompt if self.cached is None else self.cached
        tokens_usd = (prompt - cached) * self.prompt + cached * cached_price
        return (tokens_usd + (usage.completion or 0) * self.completion) / 1e6


FREE = Price(0.0, 0.0)


@dataclass(frozen=True, slots=True)
class BillInPart:
    """What is stated of a cost where the whole is not known: no cost, and believed for what it says."""

    usd: float = 0.0
    """In money, such as a gateway's fee beside what its provider takes; the tokens come on top of it."""
    prompt: int | None = None
    completion: int | None = None
    total: int | None = None

    @property
    def says_nothing(self) -> bool:
        return not (self.usd or self.prompt or self.completion or self.total)

    def least_usd(self, price: Price) -> float:
        """It was no less: what nobody counted as if there were none of it."""
        cheapest = price.prompt_range[0]
        tokens_usd = (self.prompt or 0) * cheapest + (self.completion or 0) * price.completion
        return self.usd + (tokens_usd + self._beside * min(cheapest, price.completion)) / 1e6

    def most_usd(self, price: Price, prompt_tokens: int, reply_tokens: int) -> float:
        """It was no more, where what nobody counted is no more than this."""
        dearest = price.prompt_range[1]
        prompt = prompt_tokens if self.prompt is None else self.prompt
        completion = reply_tokens if self.completion is None else self.completion
        told_usd = (self.prompt or 0) * dearest + (self.completion or 0) * price.completion
        by_total_usd = told_usd + self._beside * max(dearest, price.completion)
        return self.usd + max(prompt * dearest + completion * price.completion, by_total_usd) / 1e6

    @property
    def _beside(self) -> int:
        """Tokens that only the total counts."""
        return max(0, (self.total or 0) - (self.prompt or 0) - (self.completion or 0))
