"""hybrid: the first few by a costly selector, where the choice matters most; the rest by a cheap one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol, cast, runtime_checkable

from moot.select.labels import SelectionSplit, selection_only
from moot.select.oracle import Oracle
from moot.select.registry import Chosen, check_calls, check_count, check_k, selector


@runtime_checkable
class Growing(Protocol):
    """A selector that can go on from a team that somebody else began."""

    async def extend(self, split: SelectionSplit, team: Sequence[int], k: int, oracle: Oracle) -> Chosen: ...


@dataclass(frozen=True, slots=True)
class Hybrid:
    """`first_k` proposers by `first`, the others by `then`."""

    name: ClassVar[str] = "hybrid"

    first: str = "model-first"
    first_k: int | None = None
    """Left out, half of k, rounded up."""
    then: str = "truth-prediction"
    calls: int | None = None
    """At most so many summariser calls, for both together."""

    def __post_init__(self) -> None:
        check_calls(self.calls)
        if self.first_k is not None:
            check_count("first_k", self.first_k)
        for key, name in (("first", self.first), ("then", self.then)):
            if name == self.name or not isinstance(selector(name), Growing):
                raise ValueError(f"{key}: {name!r} cannot grow a team; expected greedy, model-first or the like")

    async def select(self, split: SelectionSplit, k: int, oracle: Oracle) -> Chosen:
        check_k(selection_only(split).labels, k)
        begin = min(k, (k + 1) // 2 if self.first_k is None else self.first_k)
        first = await _with_budget(self.first, self.calls).extend(split, (), begin, oracle)
        left = None if self.calls is None else self.calls - first.calls
        rest = await _with_budget(self.then, left).extend(split, first.team, k, oracle)
        notes = (f"{begin} by {self.first}, {k - begin} by {self.then}", *first.notes, *rest.notes)
        return Chosen(rest.team, first.calls + rest.calls, notes)


def _with_budget(name: str, calls: int | None) -> Growing:
    spends = name in ("greedy", "model-first", "oracle-surrogate")
    return cast(Growing, selector(name, {"calls": calls} if spends else None))
