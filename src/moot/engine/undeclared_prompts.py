"""Strategies held to their word in a run: who asks in words that it did not declare.

Declared prompts are a part of what results are kept under. A wording that is not may be changed, and what was played with
it before passes for the same experiment. What was answered was answered: it is told, and no figure changes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from moot.experiment.plan import Cell
from moot.prompts import FOR_ALL

Undeclared = Mapping[str, frozenset[str]]
"""By the strategy's label: names of prompts."""


def undeclared_by(cell: Cell, used: Collection[str]) -> frozenset[str]:
    """Of the prompts of a play those that its strategy's traits do not name."""
    declared, for_long = cell.traits.prompts, cell.traits.long_answers
    undeclared = [name for name in used if name not in declared and name not in for_long and name not in FOR_ALL]
    return frozenset(undeclared)


def all_undeclared(told: Iterable[Undeclared]) -> dict[str, frozenset[str]]:
    """Of all who played."""
    joined: dict[str, frozenset[str]] = {}
    for undeclared in told:
        for label, names in undeclared.items():
            joined[label] = joined.get(label, frozenset()) | names
    return joined


def undeclared_words(undeclared: Undeclared) -> Iterator[str]:
    for label, names in undeclared.items():
        several = "prompts" if len(names) > 1 else "prompt"
        yield (
            f"{label}: uses the {several} {', '.join(sorted(names))}, which its traits do not name: "
            "a changed wording would pass for the same experiment"
        )
