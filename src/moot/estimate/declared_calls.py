"""Declared bounds in an estimate: what strategies may take beyond the plays of a sample.

How many calls a play takes can hang on what is said in it. Where nothing is known of that, a sample of made-up replies
tries two ends and can miss the longest course; the bound that a strategy declares cannot. Calls that were played, shared
drafts among them, are counted with the sample; here is only what a bound leaves over.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from moot.engine.call_bounds import declared_calls, strategy_calls
from moot.experiment.plan import Cell
from moot.traces import StrategyBroke, of_kind
from moot.types import Episode


@dataclass(slots=True)
class DeclaredCalls:
    """Over some plays: how many calls more they could have taken by their strategies' word, and who gave none."""

    beyond: float = 0.0
    undeclared: list[str] = field(default_factory=list)
    broken: dict[str, str] = field(default_factory=dict)
    """By label: strategies that failed of themselves, and how at first. What they would have asked nobody knows."""

    def add(self, cell: Cell, episode: Episode) -> None:
        if of_kind(episode.verdict.traces, StrategyBroke):
            self.broken.setdefault(cell.label, episode.verdict.cause or "")
        declared = declared_calls(cell)
        if declared is None:
            self._gave_none([cell.label])
        else:
            self.beyond += max(0, declared - strategy_calls(episode.calls))

    def scaled(self, other: DeclaredCalls, scale: float) -> None:
        """Take in those of a sample that stands for so many times as many questions."""
        self.beyond += other.beyond * scale
        self._gave_none(other.undeclared)
        self.broken = {**other.broken, **self.broken}

    def _gave_none(self, labels: Iterable[str]) -> None:
        self.undeclared += [name for name in labels if name not in self.undeclared]
