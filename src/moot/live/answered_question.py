"""What somebody who asked a live team is given: the verdict, how it came about, and what it took."""

from __future__ import annotations

from dataclasses import dataclass

from moot.decide.abstaining import AnswerChance
from moot.experiment.plan import Cell
from moot.types import Episode, Usage, Verdict


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """One question answered: the episode, and what it took."""

    id: str
    model: str
    """The team and strategy as they are served: ``six/talkative``."""
    cell: Cell
    episode: Episode
    usage: Usage
    cost_usd: float | None
    groups: tuple[tuple[str, ...], ...]
    """Who said the same."""

    @property
    def verdict(self) -> Verdict:
        return self.episode.verdict

    @property
    def agreement(self) -> float | None:
        """The share of the team in the largest group of answers."""
        players = len(self.cell.team.players)
        return max(map(len, self.groups)) / players if self.groups else None

    @property
    def chance(self) -> AnswerChance:
        """That its answer is right."""
        return AnswerChance.of(self.verdict)

    @property
    def diversity(self) -> int:
        return len(self.groups)
