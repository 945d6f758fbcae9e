"""Who can be ranked beside whom, and on which questions: as many as have enough in common."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import Any

DIGESTS: dict[str, str] = {}
"""By the question's id in the file, what stands for all that is asked: the order that decides between equals."""
DEALT_AS: dict[str, str] = {}
"""The same, whatever the order of its choices: the name by which a question comes into its part."""


class Ranked:
    """Of all sets of options that have enough in common the largest, then that with most questions in common, then that
    whose questions come first. Enough is a quarter of the most that anybody has, or 30. Every set is tried."""

    def __init__(self, played: Mapping[str, Collection[str]], among: Sequence[str] | None = None) -> None:
        own = {name: {q for q in those if among is None or q in among} for name, those in played.items()}
        most = max([len(those) for those in own.values()], default=0)
        kinds = list({frozenset(those) for those in own.values() if those})
        self.questions: list[str] = []
        best: tuple[int, int, list[int]] = (0, 0, [])
        every = sorted(set().union(*own.values()), key=lambda question: DIGESTS.get(question, question))
        for size in range(1, len(kinds) + 1):
            for several in combinations(kinds, size):
                common = frozenset.intersection(*several)
                if not common or (4 * len(common) < most and len(common) < 30):
                    continue
                ranked = sum(common <= those for those in own.values())
                rank = ranked, len(common), [int(question in common) for question in every]
                if rank > best:
                    best, self.questions = rank, sorted(common)
        self.names = [name for name, those in own.items() if self.questions and those.issuperset(self.questions)]
        self.out = {name: len(those) for name, those in own.items() if name not in self.names}
        self.alike = not self.out and len(self.questions) == len(every)

    @property
    def lonely(self) -> bool:
        """Several have played, and no two of them can be ranked."""
        return len(self.names) == 1 and any(self.out.values())

    @property
    def row(self) -> dict[str, Any]:
        if self.alike:
            return {}
        row: dict[str, Any] = {"ranked_on": len(self.questions)} if len(self.names) > 1 else {}
        return row | ({"unranked": [{"of": n, "questions": size} for n, size in self.out.items()]} if self.out else {})
