"""How far two judges agree, beyond what chance alone would give them.

Cohen's kappa is 1 less disagreements by those that chance would make. Judges who never disagreed on thirty answers may on
the next thirty, and a resampling of what was seen would never tell. So a kappa is held against what was seen as a mean of
bounded values is (`stats.bounded_mean`): each answer gives its disagreement, less that part of what chance would make which
this kappa leaves, and beside the answers seen stands one more that goes wholly the other way. Where all agree the low end is
then that of Clopper and Pearson's interval of the disagreements.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from moot.stats.bounded_mean import chance_at_most_zero
from moot.stats.clusters import unit_of
from moot.stats.quantiles import ALPHA
from moot.stats.roots import root

if TYPE_CHECKING:
    from moot.stats.bootstrap import Floats

LOWEST = -1.0
"""No kappa is below it."""


@dataclass(frozen=True, slots=True)
class JudgeAgreement:
    """Of two judges who both gave their word on `n` answers. `share` and `kappa` are None where undefined."""

    n: int
    share: float | None
    kappa: float | None
    low: float | None = None
    high: float | None = None
    """The interval of kappa."""
    why: str | None = None
    """Why there is none."""


def agreement(
    pairs: Sequence[tuple[Hashable, Hashable]], questions: Sequence[Hashable] | None = None
) -> JudgeAgreement:
    """`questions` says which question each pair is about: several answers to one question are one cluster."""
    kappa = cohen_kappa(pairs)
    share = _observed(pairs) if pairs else None
    if kappa is None:
        why = "both judges said one and the same word of everything" if pairs else "nothing was judged by both"
        return JudgeAgreement(len(pairs), share, None, why=why)
    limits = kappa_interval(pairs, questions)
    if limits is None:
        return JudgeAgreement(len(pairs), share, kappa, why="all that was judged is of one question")
    return JudgeAgreement(len(pairs), share, kappa, *limits)


def kappa_interval(
    pairs: Sequence[tuple[Hashable, Hashable]], questions: Sequence[Hashable] | None = None, *, alpha: float = ALPHA
) -> tuple[float, float] | None:
    """Of a kappa that is defined; None below two questions."""
    seen = _Seen(pairs, questions)
    kappa = cohen_kappa(pairs)
    if kappa is None or len(seen.sums) < 2:
        return None
    low, high = LOWEST, 1.0
    if seen.at_most(LOWEST) < alpha / 2 < seen.at_most(kappa):
        low = root(lambda at: seen.at_most(at) - alpha / 2, LOWEST, kappa)
    if seen.at_least(1.0) < alpha / 2 < seen.at_least(kappa):
        high = root(lambda at: seen.at_least(at) - alpha / 2, kappa, 1.0)
    return low, high


@dataclass(frozen=True)
class _Seen:
    """What was seen, as values whose mean is zero at the true kappa: by how much, in the first order, each answer moves
    disagreements and those that chance would make."""

    pairs: Sequence[tuple[Hashable, Hashable]]
    questions: Sequence[Hashable] | None

    @cached_property
    def words(self) -> list[Hashable]:
        return list(dict.fromkeys(word for pair in self.pairs for word in pair))

    @cached_property
    def cells(self) -> dict[tuple[Hashable, Hashable], tuple[float, float]]:
        """Of each pair of words: whether they differ, and its part of what chance would make."""
        n = len(self.pairs)
        first, second = Counter(one for one, _ in self.pairs), Counter(other for _, other in self.pairs)
        by_chance = 1 - sum(first[word] * second[word] for word in self.words) / (n * n)
        return {
            (one, other): (float(one != other), 2 - (second[one] + first[other]) / n - by_chance)
            for one in self.words
            for other in self.words
        }

    @cached_property
    def sums(self) -> Floats:
        """Of each question both, and how many answers it has."""
        import numpy as np

        names = range(len(self.pairs)) if self.questions is None else [_unit(name) for name in self.questions]
        places = {name: place for place, name in enumerate(dict.fromkeys(names))}
        rows = np.zeros((len(places), 3))
        np.add.at(rows, [places[name] for name in names], [(*self.cells[pair], 1.0) for pair in self.pairs])
        return rows

    @cached_property
    def _kinds(self) -> tuple[Floats, Floats]:
        import numpy as np

        kinds, times = np.unique(self.sums[:, :2].round(12), axis=0, return_counts=True)
        return kinds, times.astype(float)

    def at_most(self, kappa: float) -> float:
        """One-sided: the p of a kappa of no more than this."""
        return self._chance(kappa, -1.0)

    def at_least(self, kappa: float) -> float:
        return self._chance(kappa, 1.0)

    def _chance(self, kappa: float, sign: float) -> float:
        import numpy as np

        kinds, times = self._kinds
        values = sign * (kinds[:, 0] - (1 - kappa) * kinds[:, 1])
        other_way = min(sign * (differ - (1 - kappa) * chance) for differ, chance in self.cells.values())
        largest = float(self.sums[:, 2].max())
        return chance_at_most_zero(np.append(values, largest * other_way), np.append(times, 1.0))


def _unit(question: Hashable) -> Hashable:
    return unit_of(question) if isinstance(question, str) else question


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
