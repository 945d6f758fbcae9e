"""What somebody who asked a live team is given: the verdict, how it came about, and what it took."""

from __future__ import annotations

from dataclasses import dataclass

from moot.ballots.cut_voices import UNTOLD_OF_CUT, cut_players
from moot.decide.abstaining import AnswerChance
from moot.experiment.plan import Cell
from moot.grade.group import grouped_by_words
from moot.traces import Grouped, of_kind
from moot.types import Episode, Question, Usage, Verdict

LONG = "long answers differ in words however much they agree"
"""Why nobody can tell from the words how far a team agrees."""


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
    sample: int = 0
    """The number that its calls have: one of its own, or 0 where stored ones are used again."""

    @property
    def verdict(self) -> Verdict:
        return self.episode.verdict

    @property
    def agreement(self) -> float | None:
        """The share of the team in the largest group of answers; None: there are none, or `why_no_agreement`."""
        if self.why_no_agreement is not None:
            return None
        players = len(self.cell.team.players)
        return max(map(len, self.groups)) / players if self.groups else None

    @property
    def chance(self) -> AnswerChance:
        """That its answer is right."""
        return AnswerChance.of(self.verdict, long_answer=self.episode.question.is_long)

    @property
    def diversity(self) -> int | None:
        return None if self.why_no_agreement is not None else len(self.groups)

    @property
    def why_no_agreement(self) -> str | None:
        """Nobody knows what was cut out of an answer; long ones are told apart by who can tell what they mean, or not at all."""
        if cut_players(self.verdict.answers):
            return UNTOLD_OF_CUT
        grouped = of_kind(self.verdict.traces, Grouped)
        return LONG if self.episode.question.is_long and not grouped else None


def groups_of(question: Question, verdict: Verdict) -> tuple[tuple[str, ...], ...]:
    """Who said the same: as the strategy found, else by their words alone, which asks nobody."""
    if grouped := of_kind(verdict.traces, Grouped):
        return grouped[-1].groups
    return grouped_by_words(question, verdict.answers).groups
