"""Which prompts a play has used, so that it can be said which of them its strategy did not declare."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

FOR_ALL = frozenset(("player", "again", "extract"))
"""What any player may be told, whichever strategy is played: no strategy declares it."""
_NOTED: ContextVar[set[str] | None] = ContextVar("the prompts that are used meanwhile", default=None)


@contextmanager
def noting_prompts() -> Iterator[set[str]]:
    """The names of all prompts that are used meanwhile, in whatever tasks that starts: plays at the same time are apart."""
    used: set[str] = set()
    before = _NOTED.set(used)
    try:
        yield used
    finally:
        _NOTED.reset(before)


def note(name: str) -> None:
    if (used := _NOTED.get()) is not None:
        used.add(name)
