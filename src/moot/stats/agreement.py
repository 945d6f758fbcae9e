"""How far two judges agree, beyond what chance alone would give them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from moot.stats.bootstrap import percentile_interval, resampled_sums
from moot.stats.clusters import unit_of


@dataclass(frozen=True, slots=True)
class JudgeAgreement:
    """Of two judges who both gave their word on `n` answers. `share` and `kappa` are None where undefined."""

    n: int
    share: float | None
    kappa: float | None
    low: float | None = None
    high: float | None = None
    """The interval of kappa; None below two questions, and where kappa is undefined."""


def agreement(
    pairs: Sequence[tuple[Hashable, Hashable]], questions: Sequence[Hashable] | None = None, *, seed: int = 0
) -> JudgeAgreement:
    """`questions` says which question each pair is about: several answers to one question are one cluster."""
    kappa = cohen_kappa(pairs)
    limits = kappa_interval(pairs, questions, seed=seed) if kappa is not None else None
    return JudgeAgreement(len(pairs), _observed(pairs) if pairs else None, kappa, *(limits or (None, None)))


def kappa_interval(
    pairs: Sequence[tuple[Hashable, Hashable]], questions: Sequence[Hashable] | None = None, *, seed: int = 0
) -> tuple[float, float] | None:
    """95 %, by resampling questions: each brings its own table of who said what, and the tables add up."""
    import numpy as np

    words = {word: place for place, word in enumerate(dict.fromkeys(word for pair in pairs for word in pair))}
    of_unit = [unit_of(question) if isinstance(question, str) else question for question in questions or ()]
    units = of_unit or list(range(len(pairs)))
    clusters = {name: row for row, name in enumerate(dict.fromkeys(units))}
    if len(clusters) < 2:
        return None
    size = len(words)
    tables = np.zeros((len(clusters), size * size))
    for (one, other), name in zip(pairs, units, strict=True):
        tables[clusters[name], words[one] * size + words[other]] += 1
    sums = resampled_sums(tables, seed=seed).reshape(-1, size, size)
    total = sums.sum(axis=(1, 2))
    observed = np.trace(sums, axis1=1, axis2=2) / total
    expected = (sums.sum(axis=1) * sums.sum(axis=2)).sum(axis=1) / total**2
    defined = expected < 1 - 1e-12
    if not defined.all():  # a judge of one word only: as good as undefined here
        observed, expected = observed[defined], expected[defined]
    return percentile_interval((observed - expected) / (1 - expected), len(clusters)) if len(expected) else None


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
