"""Questions that hang together: several on one passage, or of one package, are one piece of evidence and not several.

Which question is of which cluster is known where an experiment is read, and every interval and test needs it, however
deep inside a measure it is made. So it is said once, around them (`clustered`), and whoever makes an interval gives its
values by question. An interval that was asked for from a bare list, while questions hang together, is withheld: nobody
can tell which of its values belong together, and one that took them for independent would be too narrow.

Where something is chosen on some questions and scored on others, a cluster stands on one side: whoever has seen a part
of it has seen something of the rest (`dealt`, `cut`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeVar

K = TypeVar("K", bound=Hashable)
_CLUSTERS: ContextVar[Mapping[str, str]] = ContextVar("clusters of questions")
_DEALT_AS: ContextVar[Mapping[str, str]] = ContextVar("names by which questions are dealt")

Sums = tuple[float, ...]
SumsByQuestion = Mapping[str, Sums] | Sequence[Sums]
"""What each question adds to some sums: by question, or as a bare list where no question hangs together with another."""
Values = Mapping[str, float] | Sequence[float]
"""One value a question."""


@contextmanager
def clustered(clusters: Mapping[str, str | None], dealt_as: Mapping[str, str] | None = None) -> Iterator[None]:
    """Inside of it every interval and test takes the questions of one cluster for one unit. `dealt_as`: the names by which
    questions are dealt into parts, where these are others than their own."""
    sizes = Counter(cluster for cluster in clusters.values() if cluster is not None)
    together = {question: name for question, name in clusters.items() if name is not None and sizes[name] > 1}
    token, names = _CLUSTERS.set(together), _DEALT_AS.set(dealt_as or {})
    try:
        yield
    finally:
        _CLUSTERS.reset(token)
        _DEALT_AS.reset(names)


def joined(bonds: Mapping[K, Sequence[str]]) -> dict[K, str]:
    """By question one name for all that it hangs together with, also by way of others: the least of the names that any of
    them has, whatever their order. Without those that have none."""
    lesser: dict[str, str] = {}

    def least(name: str) -> str:
        while (other := lesser.setdefault(name, name)) != name:
            lesser[name] = lesser[other]  # so that the way is shorter next time
            name = other
        return name

    for first, *more in filter(None, bonds.values()):
        for name in more:
            low, high = sorted((least(first), least(name)))
            lesser[high] = low
    return {question: least(several[0]) for question, several in bonds.items() if several}


@dataclass(frozen=True, slots=True)
class Units:
    """What is independent of each other: clusters of questions, or questions where they do not hang together."""

    sums: list[Sums]
    questions: int
    clusters: int | None = None
    """How many units there are, where some of them hold several questions."""
    told: bool = True
    """False: questions hang together, and nobody has said which value is of which question."""

    @property
    def enough(self) -> bool:
        """Whether there can be an interval at all."""
        return self.told and len(self.sums) > 1


def units(rows: SumsByQuestion) -> Units:
    """The sums of each unit, in an order that does not depend on the order of the questions."""
    clusters = _CLUSTERS.get({})
    if not isinstance(rows, Mapping):
        return Units(sorted(rows), len(rows), told=not clusters)
    if not clusters or not any(question in clusters for question in rows):
        return Units(sorted(rows.values()), len(rows))
    together: dict[str, list[Sums]] = {}
    for question, sums in rows.items():
        together.setdefault(unit_of(question), []).append(sums)
    if len(together) == len(rows):
        return Units(sorted(rows.values()), len(rows))
    added = [tuple(map(sum, zip(*several, strict=True))) for several in together.values()]
    return Units(sorted(added), len(rows), len(added))


def largest_unit(sizes: Mapping[str, float]) -> float:
    """Of so many values that each question can have: how many the largest unit can."""
    return max((size for (size,) in units({question: (size,) for question, size in sizes.items()}).sums), default=0.0)


def unit_of(question: str) -> str:
    """What stands for a question and all that hang together with it; no cluster has the name of a question."""
    name = _CLUSTERS.get({}).get(question)
    return question if name is None else f"cluster {name}"


def unit_names(questions: Iterable[str]) -> list[str]:
    """The same of many questions, in their order."""
    return list(map(unit_of, questions)) if _CLUSTERS.get({}) else list(questions)


def independent(values: Values) -> list[float] | None:
    """The values where each is of a unit of its own; None where some of them hang together, or might."""
    clusters = _CLUSTERS.get({})
    if clusters and (not isinstance(values, Mapping) or not clusters.keys().isdisjoint(values)):
        return None
    return list_of(values)


def dealt_as(unit: str) -> str:
    """The name by which a unit comes into its part: that of a question does not hang on the order of its choices, which make
    no other question of it."""
    return _DEALT_AS.get({}).get(unit, unit)


def units_of(questions: Iterable[str]) -> list[str] | None:
    """What each of these questions is a part of, in their order; None where each stands alone."""
    names = unit_names(questions)
    return names if len(set(names)) < len(names) else None


def dealt(sizes: Sequence[int], folds: int) -> list[int]:
    """A fold for each unit of so many questions, in this order: the one that has the fewest questions so far."""
    if len(set(sizes)) == 1:
        return [place % folds for place in range(len(sizes))]
    filled = [0] * folds
    fold_of = []
    for size in sizes:
        fold = min(range(folds), key=filled.__getitem__)
        filled[fold] += size
        fold_of.append(fold)
    return fold_of


def cut(sizes: Sequence[int], wanted: int) -> int:
    """How many units, in this order, hold about so many questions: as near as whole units come, and never all or none."""
    sums = list(accumulate(sizes))
    return 1 + min(range(len(sizes) - 1), key=lambda place: abs(sums[place] - wanted))


def value_rows(values: Values) -> SumsByQuestion:
    """One value a question as sums: itself, and the question's one."""
    if isinstance(values, Mapping):
        return {question: (float(value), 1.0) for question, value in values.items()}
    return [(float(value), 1.0) for value in values]


def list_of(values: Values) -> list[float]:
    return list(values.values()) if isinstance(values, Mapping) else list(values)
