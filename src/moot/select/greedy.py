"""Selectors with the summariser in the loop: `greedy` asks about every proposer, `model-first` about every model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from moot.select.labels import Floats, SelectionSplit, selection_only
from moot.select.oracle import Meter, Oracle
from moot.select.registry import Chosen, check_calls, check_k, completed
from moot.team.together import together


@dataclass(frozen=True, slots=True)
class Greedy:
    """Step by step the proposer with whom the summariser is right most often. k·N·m calls."""

    name: ClassVar[str] = "greedy"

    calls: int | None = None
    """At most so many summariser calls."""

    def __post_init__(self) -> None:
        check_calls(self.calls)

    async def select(self, split: SelectionSplit, k: int, oracle: Oracle) -> Chosen:
        return await self.extend(split, (), k, oracle)

    async def extend(self, split: SelectionSplit, team: Sequence[int], k: int, oracle: Oracle) -> Chosen:
        labels = selection_only(split).labels
        check_k(labels, k)
        meter, chosen = Meter(oracle, self.calls), list(team)
        everything = np.arange(labels.size)
        while len(chosen) < k:
            left = [place for place in range(len(labels.proposers)) if place not in chosen]
            if _too_dear(meter, len(left) * labels.size):
                return _stopped(split, chosen, k, meter)
            heard = await together(meter.right([*chosen, place], everything) for place in left)
            worth = np.full(len(labels.proposers), -np.inf)
            worth[left] = [_worth(right) for right in heard]
            chosen.append(_best(split, worth))
        return Chosen(tuple(chosen), meter.calls)


@dataclass(frozen=True, slots=True)
class ModelFirst:
    """Step by step the best model, then its best prompt; a step asks about each question once a model.

    Each question goes to one of the model's prompts that are still free, at random. The model is scored over all
    questions, each prompt over those it was given. n_models·m·k calls.
    """

    name: ClassVar[str] = "model-first"

    calls: int | None = None
    """At most so many summariser calls."""

    def __post_init__(self) -> None:
        check_calls(self.calls)

    async def select(self, split: SelectionSplit, k: int, oracle: Oracle) -> Chosen:
        return await self.extend(split, (), k, oracle)

    async def extend(self, split: SelectionSplit, team: Sequence[int], k: int, oracle: Oracle) -> Chosen:
        labels = selection_only(split).labels
        check_k(labels, k)
        meter, chosen = Meter(oracle, self.calls), list(team)
        draw = split.random("model-first")
        while len(chosen) < k:
            free: dict[str, list[int]] = {}
            for place, proposer in enumerate(labels.proposers):
                if place not in chosen:
                    free.setdefault(proposer.model, []).append(place)
            if _too_dear(meter, len(free) * labels.size):
                return _stopped(split, chosen, k, meter)
            dealt = {model: draw.integers(len(prompts), size=labels.size) for model, prompts in free.items()}
            worth = np.full(len(labels.proposers), -np.inf)
            whole: dict[str, float] = {}
            for model, prompts in free.items():
                batches = [np.flatnonzero(dealt[model] == number) for number in range(len(prompts))]
                heard = await together(
                    meter.right([*chosen, place], batch) for place, batch in zip(prompts, batches, strict=True)
                )
                whole[model] = _worth(np.concatenate(heard))
                worth[prompts] = [_worth(right) for right in heard]
            top = max(round(accuracy, 12) for accuracy in whole.values())
            outside = [
                place
                for place, proposer in enumerate(labels.proposers)
                if round(whole.get(proposer.model, -1.0), 12) < top
            ]
            worth[outside] = -np.inf
            chosen.append(_best(split, worth))
        return Chosen(tuple(chosen), meter.calls)


def _worth(right: Floats) -> float:
    """The least that it can be: what is ungraded counts as not right for the choice, and for no figure."""
    return float(np.nan_to_num(right).mean()) if len(right) else -1.0


def _best(split: SelectionSplit, worth: Floats) -> int:
    """The highest worth; of equals the more accurate, then by lot."""
    lot = split.random("greedy", "lot").random(len(worth))
    return int(np.lexsort((lot, -split.labels.accuracy, -np.round(worth, 12)))[0])


def _too_dear(meter: Meter, questions: int) -> bool:
    return meter.left is not None and questions > meter.left


def _stopped(split: SelectionSplit, chosen: Sequence[int], k: int, meter: Meter) -> Chosen:
    note = f"the budget of {meter.budget} calls ended the search at {len(chosen)} of {k}; the rest by accuracy"
    return Chosen(completed(split, chosen, k), meter.calls, (note,))
