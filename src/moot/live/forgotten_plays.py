"""Plays that were forgotten here while calls of them may be out: what comes for them is not written and then removed, but never
written."""

from __future__ import annotations

from moot.live.beside_episodes import episode_name
from moot.live.tied_calls import asked_play

MOST = 10_000
"""A play does not take so long that as many others are forgotten meanwhile; for one that does, its calls are removed after."""


class ForgottenPlays:
    """By the names of their episodes, the newest last."""

    def __init__(self) -> None:
        self._names: dict[str, None] = {}

    def add(self, episode: str) -> None:
        self._names[episode] = None
        if len(self._names) > MOST:
            del self._names[next(iter(self._names))]

    @property
    def asks(self) -> bool:
        """Whether what asks at this moment is one of them."""
        play = asked_play() if self._names else None
        return play is not None and episode_name(play.question, play.repeat) in self._names
