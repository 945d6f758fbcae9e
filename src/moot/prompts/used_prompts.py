"""Which prompts a play has used, so that it can be said which of them its strategy did not declare."""

from __future__ import annotations

from contextvars import ContextVar

from moot.models.meanwhile import Meanwhile

FOR_ALL = frozenset(("player", "again", "extract"))
"""What any player may be told, whichever strategy is played: no strategy declares it."""
_NOTED: ContextVar[set[str] | None] = ContextVar("the prompts that are used meanwhile", default=None)


def noting_prompts(used: set[str]) -> Meanwhile[set[str] | None]:
    """Adds the names of all prompts that are used meanwhile, in whatever tasks that starts: plays at the same time are apart."""
    return Meanwhile(_NOTED, used)


def note(name: str) -> None:
    if (used := _NOTED.get()) is not None:
        used.add(name)
