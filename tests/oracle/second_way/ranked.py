"""Who can be ranked beside whom: on the questions that all of them have, without those who leave too few."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any


class Ranked:
    """One after the other, whoever has most questions first; out goes who leaves fewer than a quarter of the most that
    anybody has and fewer than 30 to compare on."""

    def __init__(self, played: Mapping[str, Collection[str]], among: Sequence[str] | None = None) -> None:
        own = {name: [q for q in those if among is None or q in among] for name, those in played.items()}
        self.out: dict[str, int] = {}
        self.questions: list[str] = list(dict.fromkeys(q for those in own.values() for q in those))
        every, most = len(self.questions), max([len(those) for those in own.values()], default=0)
        for size in range(most, -1, -1):
            for name in [name for name, those in own.items() if len(those) == size]:
                left = [question for question in self.questions if question in own[name]]
                if not left or (4 * len(left) < most and len(left) < 30):
                    self.out[name] = size
                else:
                    self.questions = left
        self.names = [name for name in own if name not in self.out]
        self.questions = self.questions if self.names else []
        self.alike = not self.out and len(self.questions) == every

    @property
    def row(self) -> dict[str, Any]:
        if self.alike:
            return {}
        row: dict[str, Any] = {"ranked_on": len(self.questions)} if len(self.names) > 1 else {}
        return row | ({"unranked": [{"of": n, "questions": size} for n, size in self.out.items()]} if self.out else {})
