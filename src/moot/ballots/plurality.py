"""The option with the most votes wins; where several have the most, all of them do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import TypeVar

Option = TypeVar("Option", bound=Hashable)


def plurality(votes: Iterable[Option]) -> tuple[Option, ...]:
    """The winners, in the order in which they were first voted for; nobody without votes."""
    counts = Counter(votes)
    most = max(counts.values(), default=0)
    return tuple(option for option, count in counts.items() if count == most)
