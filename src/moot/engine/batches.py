"""Questions taken some at a time, so that a run of any length holds little of it in memory at once."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

QUESTIONS_TOGETHER = 100
"""So many are looked up, graded and matched in one go."""


def batches(items: Iterable[T], size: int = QUESTIONS_TOGETHER) -> Iterator[list[T]]:
    walker = iter(items)
    while batch := list(itertools.islice(walker, size)):
        yield batch


def placed_batches(items: Iterable[T], size: int = QUESTIONS_TOGETHER) -> Iterator[tuple[int, list[T]]]:
    """The same, each with the position of its first."""
    start = 0
    for batch in batches(items, size):
        yield start, batch
        start += len(batch)
