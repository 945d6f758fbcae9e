"""The looks of one role at one table, over all line-ups that play there, each once.

Line-ups that share a call share the look. Those that ask anew, in other words, have looked anew; yet their orders may be those of
one draw, which was made without regard to who leads: so their looks in one place have one lot.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

from moot.measures.position.bias import Look


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is known of one reader in one turn of a question, from the line-ups so far."""

    calls: Counter[str]
    orders: set[tuple[Hashable, int]]
    """Each with how many times it had been shown before in this turn."""


@dataclass(slots=True)
class Readers:
    """Looks by who looked."""

    looks: dict[str, list[Look]] = field(default_factory=lambda: defaultdict(list))
    _apart: set[tuple[Any, ...]] = field(default_factory=set)
    _asked: dict[tuple[Any, ...], _Asked] = field(default_factory=dict)

    def add_apart(self, reader: str, look: Look, *mark: Any) -> None:
        """One that nothing is known of but that it was, or was not: once for all line-ups."""
        if (place := (look.question, reader, *mark)) not in self._apart:
            self._apart.add(place)
            self.looks[reader].append(look)

    def add_turn(
        self, place: tuple[str, str, int, int], looks: Sequence[Look], orders: Sequence[Hashable], calls: Counter[str]
    ) -> None:
        """The looks of one line-up in one place (question, reader, repeat, turn), but those that another has told of.

        No more of them are new than its calls are. Where the calls are not on record, equal orders are one look.
        """
        before: Counter[Hashable] = Counter()
        marks: list[tuple[Hashable, int]] = []
        for order in orders:
            marks.append((order, before[order]))
            before[order] += 1
        known = self._asked.get(place)
        if known is None:
            self._asked[place] = _Asked(calls, set(marks))
            self.looks[place[1]] += looks
            return
        told = [number for number, mark in enumerate(marks) if mark in known.orders]
        if calls and known.calls:
            shared = max(0, len(looks) - (calls - known.calls).total())
            # One call has one prompt, so its looks are in equal orders; or in others of texts that are the same.
            told = [*told, *(number for number in range(len(looks)) if number not in told)][:shared]
        self.looks[place[1]] += [look for number, look in enumerate(looks) if number not in told]
        self._asked[place] = _Asked(known.calls | calls, known.orders | set(marks))
