"""Who grades an answer, and how their words become a score: match, judges, a person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from moot.grade.judge import Judgement, settled
from moot.grade.match import match
from moot.team import Player, Team
from moot.types import Case, Score


@dataclass(frozen=True, slots=True)
class Grading:
    """Who grades: the judges, if there are any, seated where their prompts come from."""

    team: Team
    """Only for its prompts and its journal; nobody in it is asked anything."""
    judges: tuple[Player, ...] = ()

    @property
    def name(self) -> str:
        """What the scores are stored under: other judges, other scores."""
        return "+".join(("match", *(judging.name for judging in self.judges)))

    def at_once(self, case: Case, answer: str | None) -> Score:
        """The grade that needs nobody's word; what a judge must see stays ungraded until then."""
        return self.score(case, answer, (), None)

    def score(self, case: Case, answer: str | None, words: Sequence[Judgement], person: bool | None) -> Score:
        if not self.judges and person is None:
            return match(case, answer)  # without a judge what does not match is wrong
        return settled(case, answer, words, person, judges=len(self.judges))
