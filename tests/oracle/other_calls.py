"""Strategies from elsewhere whose players draft by calls of their own."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import ClassVar
from unittest import mock

from moot import Question, Team, Verdict
from moot.strategies import BUILT_IN
from moot.strategies.captaincy import Captained, by_captain, captain_decides
from moot.strategies.silent import Silent
from moot.strategies.traits import Traits

HINT = "Trust your first thought."


@dataclass(frozen=True, slots=True)
class Hinted(Captained):
    """A silent captain; whoever has a hint drafts by another call."""

    name: ClassVar[str] = "hinted"

    captain_only: bool = False
    usual_words: bool = True

    @property
    def traits(self) -> Traits:
        return Silent.traits if self.usual_words else replace(Silent.traits, prompts=("captain",))

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return by_captain(team, self.captain)

    async def play(self, question: Question, team: Team) -> Verdict:
        players = [
            player if self.captain_only and player.name != team.captain else replace(player, instruction=HINT)
            for player in team.players
        ]
        drafts = await asyncio.gather(*(team.draft(player, question) for player in players))
        return await captain_decides(question, team, drafts, reasons=False)


@contextmanager
def plugged_in() -> Iterator[None]:
    with mock.patch.dict(BUILT_IN, {Hinted.name: f"{__name__}:Hinted"}):
        yield
