"""What every strategy has: the seam between it and whoever staffs, plays, prices, serves or measures it."""

from __future__ import annotations

from typing import ClassVar, Protocol, runtime_checkable

from moot.team import Team
from moot.types import Question, Verdict


@runtime_checkable
class Strategy(Protocol):
    """What every strategy has. `traits` are looked for too, and are cautious where it has none: see `traits_of`."""

    name: ClassVar[str]
    """As in the experiment file."""

    def lineups(self, team: Team) -> tuple[Team, ...]:
        """The teams that play: the team itself, each player alone, or one for every captain."""

    async def play(self, question: Question, team: Team) -> Verdict:
        """One question, from start to verdict. No state is kept between questions."""
