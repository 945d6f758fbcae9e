"""Baselines that ask no summariser: by accuracy, by model, by disagreement. What the others have to beat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from moot.select.labels import SelectionSplit, selection_only
from moot.select.oracle import Oracle
from moot.select.registry import Chosen, check_k, check_share, completed, ranked


@dataclass(frozen=True, slots=True)
class InputAll:
    """Everybody, the most accurate first. It ignores k."""

    name: ClassVar[str] = "input-all"

    async def select(self, split: SelectionSplit, k: int, oracle: Oracle) -> Chosen:
        check_k(selection_only(split).labels, k)
        return Chosen(tuple(ranked(split)))


@dataclass(frozen=True, slots=True)
class BestModel:
    """All proposers of the model with the highest mean accuracy. It ignores k."""

    name: ClassVar[str] = "best-model"

    async def select(self, split: SelectionSplit, k: int, oracle: Oracle) -> Chosen:
        labels = selection_only(split).labels
        check_k(labels, k)
        order, accuracy = ranked(split), labels.accuracy
        mean = {
            model: np.mean([accuracy[place] for place in order if labels.proposers[place].model == model])
            for model in labels.models
        }
        # Of models with equal means the one whose best proposer stands first, which is by lot where those are equal too.
        first = {labels.proposers[place].model: -rank for rank, place in reversed(list(enumerate(order)))}
        best = max(labels.models, key=lambda model: (round(float(mean[model]), 12), first[model]))
        return Chosen(tuple(place for place in order if labels.proposers[place].model == best))


@dataclass(frozen=True, slots=True)
class TopAccuracy:
    """The k most accurate."""

    name: ClassVar[str] = "top-accuracy"

    async def select(self, split: SelectionSplit, k: int, oracle: Oracle) -> Chosen:
        return await self.extend(split, (), k, oracle)

    async def extend(self, split: SelectionSplit, team: Sequence[int], k: int, oracle: Oracle) -> Chosen:
        check_k(selection_only(split).labels, k)
        return Chosen(completed(split, team, k))


@dataclass(frozen=True, slots=True)
class PerModelTop:
    """The most accurate proposer of each model, as in a mixture of agents. It ignores k."""

    name: ClassVar[str] = "per-model-top"

    async def select(self, split: SelectionSplit, k: int, oracle: Oracle) -> Chosen:
        labels = selection_only(split).labels
        check_k(labels, k)
        best: dict[str, int] = {}
        for place in ranked(split):
            best.setdefault(labels.proposers[place].model, place)
        return Chosen(tuple(best.values()))


@dataclass(frozen=True, slots=True)
class ConditionedDiversity:
    """The most accurate, then whoever disagrees most with the team among those who are accurate enough."""

    name: ClassVar[str] = "conditioned-diversity"

    tau: float | None = None
    """The least accuracy to be considered; left out, the mean accuracy of the pool."""

    def __post_init__(self) -> None:
        check_share("tau", self.tau)

    async def select(self, split: SelectionSplit, k: int, oracle: Oracle) -> Chosen:
        return await self.extend(split, (), k, oracle)

    async def extend(self, split: SelectionSplit, team: Sequence[int], k: int, oracle: Oracle) -> Chosen:
        labels = selection_only(split).labels
        check_k(labels, k)
        accuracy = labels.accuracy
        tau = float(accuracy.mean()) if self.tau is None else self.tau
        order = ranked(split)
        chosen = list(team) or order[:1]
        able = [place for place in order if accuracy[place] >= tau - 1e-12]
        while len(chosen) < k and (left := [place for place in able if place not in chosen]):
            codes = labels.codes
            apart = [float((codes[chosen] != codes[place]).mean()) for place in left]
            chosen.append(left[int(np.argmax(np.round(apart, 12)))])
        few = f"only {len(chosen)} proposers reach tau; filled up by accuracy"
        notes = (few,) if len(chosen) < k else ()
        return Chosen(completed(split, chosen, k), notes=notes, detail={"tau": tau})
