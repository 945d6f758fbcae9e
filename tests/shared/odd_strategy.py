"""A strategy from elsewhere that comes to something odd on one question of four."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from moot import Case, Question, Verdict

CASES = [Case(Question(f"q{number}", f"Which, {number}?"), "A") for number in range(4)]


@dataclass(frozen=True)
class Odd:
    """Drafts, and on the second question comes to what a subclass says."""

    name: ClassVar[str] = "odd"
    odd: ClassVar[Any] = None

    def lineups(self, team: Any) -> tuple[Any, ...]:
        return (team,)

    async def play(self, question: Question, team: Any) -> Any:
        drafts = await team.drafts(question)
        if question.id == "q1":
            return await self.oddity()
        return Verdict(drafts[0].text, "answered", who=(drafts[0].player,), answers=tuple(drafts))

    async def oddity(self) -> Any:
        return self.odd
