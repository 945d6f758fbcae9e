"""How far two judges agree, beyond what chance alone would give them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Agreement:
    """Of two judges who both gave their word on `n` answers. `share` and `kappa` are None where undefined."""

    n: int
    share: float | None
    kappa: float | None


def agreement(pairs: Sequence[tuple[Hashable, Hashable]]) -> Agreement:
    return Agreement(len(pairs), _observed(pairs) if pairs else None, cohen_kappa(pairs))


def cohen_kappa(pairs: Sequence[tuple[Hashable, Hashable]]) -> float | None:
    """(observed - expected) / (1 - expected), expected being what two independent judges of these habits would reach.

    None where that is undefined: no pairs, or both judges with one and the same word for everything.
    """
    n = len(pairs)
    if n == 0:
        return None
    first, second = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    by_chance = sum(times * second[word] for word, times in first.items())
    if by_chance == n * n:
        return None
    expected = by_chance / (n * n)
    return (_observed(pairs) - expected) / (1 - expected)


def _observed(pairs: Sequence[tuple[Hashable, Hashable]]) -> float:
    return sum(one == other for one, other in pairs) / len(pairs)
