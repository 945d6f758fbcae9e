"""What a selector is, what it gives back, and the selectors by name.

A selector is a frozen dataclass whose fields are its options; `calls` among them is its budget of summariser calls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, ClassVar, Protocol, cast, runtime_checkable

import numpy as np

from moot.errors import UsageError
from moot.models.closest import closest
from moot.plugins import NotAsExpected, PluginKind, blaming, refusing
from moot.select.labels import Floats, LabelMatrix, SelectionSplit
from moot.select.oracle import Oracle

BUILT_IN = {
    "input-all": "moot.select.baselines:InputAll",
    "best-model": "moot.select.baselines:BestModel",
    "top-accuracy": "moot.select.baselines:TopAccuracy",
    "per-model-top": "moot.select.baselines:PerModelTop",
    "conditioned-diversity": "moot.select.baselines:ConditionedDiversity",
    "greedy": "moot.select.greedy:Greedy",
    "model-first": "moot.select.greedy:ModelFirst",
    "truth-prediction": "moot.select.truth:TruthPrediction",
    "oracle-surrogate": "moot.select.surrogate:OracleSurrogate",
    "hybrid": "moot.select.hybrid:Hybrid",
    "exact": "moot.select.exact:Exact",
}
SELECTORS = PluginKind("selector", "moot.selectors", BUILT_IN)


@dataclass(frozen=True, slots=True)
class Chosen:
    """A team, by the places of its proposers, in the order in which they were chosen."""

    team: tuple[int, ...]
    calls: int = 0
    """Summariser calls that the choice took."""
    notes: tuple[str, ...] = ()
    """What a reader of the row must know: a budget that ended it, a value that was interpolated."""
    detail: Mapping[str, Any] = field(default_factory=dict)


@runtime_checkable
class Selector(Protocol):
    name: ClassVar[str]
    """As on the command line."""

    async def select(self, split: SelectionSplit, k: int, oracle: Oracle) -> Chosen:
        """k proposers, chosen by the selection split alone. The same split gives the same team."""


def registered() -> Mapping[str, str]:
    """Names of all selectors, ours and those that other packages bring, with their places."""
    return SELECTORS.places()


def selector(name: str, options: Mapping[str, Any] | None = None) -> Selector:
    """The selector of this name with these options, checked."""
    if SELECTORS.place(name) is None:
        expected = f"expected one of {', '.join(registered())}{closest(name, registered())}"
        raise UsageError(f"selector {name!r} is unknown; {expected}")
    kind = SELECTORS.load(name)
    if not isinstance(kind, type) or not is_dataclass(kind):
        raise UsageError(f"{SELECTORS.named(name)}: expected a dataclass, found {kind!r:.80}")
    allowed = [option.name for option in fields(kind)]
    arguments = {key.replace("-", "_"): value for key, value in (options or {}).items()}
    for key in arguments:
        if key not in allowed:
            expected = ", ".join(allowed) or "no options"
            raise UsageError(f"selector {name!r} has no option {key!r}; expected {expected}{closest(key, allowed)}")
    try:
        return cast(Selector, kind(**arguments))
    except ValueError as error:
        raise UsageError(f"selector {name!r}: {error}") from None


async def choice_of(method: Selector, split: SelectionSplit, k: int, oracle: Oracle) -> Chosen:
    """What a selector chooses, once it has been looked at; one of somebody else's that breaks is blamed by its name."""
    if method.name in BUILT_IN:
        return await method.select(split, k, oracle)
    with refusing(), blaming("selector", method.name, "select"):
        chosen: object = await method.select(split, k, oracle)
        if not isinstance(chosen, Chosen):
            raise NotAsExpected("a Chosen", type(chosen))
        team: object = chosen.team
        pool = range(len(split.labels.proposers))
        if not isinstance(team, tuple | list) or not team or any(type(place) is not int for place in team):
            raise NotAsExpected("a tuple of proposers' places", team, part="team")
        if not set(team) <= set(pool) or len(set(team)) < len(team):
            raise NotAsExpected(f"places from 0 to {len(pool) - 1}, each once", team, part="team")
        if type(chosen.calls) is not int or chosen.calls < 0:
            raise NotAsExpected("0 or more", chosen.calls, part="calls")
        if not isinstance(chosen.notes, tuple | list) or not all(isinstance(note, str) for note in chosen.notes):
            raise NotAsExpected("a tuple of sentences", chosen.notes, part="notes")
        return chosen


def check_k(labels: LabelMatrix, k: int) -> None:
    if not isinstance(k, int) or isinstance(k, bool) or k < 1:
        raise UsageError(f"k = {k!r}; expected a whole number from 1 on")
    if k > len(labels.proposers):
        raise UsageError(f"k = {k}, but there are only {len(labels.proposers)} proposers; expected k up to that")


def check_calls(calls: int | None) -> None:
    if calls is not None and (not isinstance(calls, int) or isinstance(calls, bool) or calls < 0):
        raise ValueError(f"calls: expected a whole number from 0 on, found {calls!r}")


def check_share(name: str, value: float | None) -> None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1):
        raise ValueError(f"{name}: expected a number from 0 to 1, found {value!r}")


def check_count(name: str, value: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{name}: expected a whole number from 1 on, found {value!r}")


def ranked(split: SelectionSplit, worth: Floats | None = None) -> list[int]:
    """All proposers, the best first, by accuracy or by another worth; equals in an order drawn by lot."""
    value = split.labels.accuracy if worth is None else worth
    lot = split.random("rank").random(len(value))
    return [int(place) for place in np.lexsort((lot, -value))]


def completed(split: SelectionSplit, team: Sequence[int], k: int) -> tuple[int, ...]:
    """The team, filled up to k with the most accurate of the others."""
    rest = (place for place in ranked(split) if place not in team)
    return (*team, *(place for place, _ in zip(rest, range(k - len(team)), strict=False)))
