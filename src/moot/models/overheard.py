"""Overheard: a reply as it is written, for somebody who listens.

The seam of models is whole replies, and what stands around a model knows of nothing else. Whoever wants to hear a reply before
it is whole says so around the call; a model that can tell does, and all others are heard at their end. What is heard early is
no reply: it may break off and be begun anew, and only the reply counts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import ContextVar
from typing import Protocol

from moot.models.meanwhile import Meanwhile
from moot.models.turns import Stepwise

Tell = Callable[[str], None]
"""Takes the next words of a reply."""
TellInSteps = Callable[[str], Stepwise[None]]
"""The same in steps: the next words may be megabytes."""


class Listener(Protocol):
    """Who hears a reply as it is written."""

    @property
    def is_bound(self) -> bool:
        """Whether what it hears is given away at once, so that another text must not take its place."""

    def voice(self) -> Tell:
        """Somebody begins to reply. Each request has a voice of its own: after one that failed there may be another."""


_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


def overhearing(listener: Listener | None) -> Meanwhile[Listener | None]:
    """Around one call, in tasks that begin there too. None: nobody hears it, whoever hears what is around it."""
    return Meanwhile(_listener, listener)


def who_listens() -> Listener | None:
    return _listener.get()


PIECE = 12
"""Characters that are told at once of a reply which was never written piece by piece."""


async def told_in_pieces(text: str) -> None:
    """A reply that is there at once, told to whoever listens as if it were being written; others get a turn in between."""
    if (listener := who_listens()) is None:
        return
    tell = listener.voice()
    for start in range(0, len(text), PIECE):
        tell(text[start : start + PIECE])
        await asyncio.sleep(0)
