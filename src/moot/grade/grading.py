"""Who grades an answer, and how their words become a score: match, judges, a person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from moot.grade.graders import graded
from moot.grade.judge import Judgement, judged, needs_judge, open_to_judgement, settled
from moot.grade.match import Grader, Match, match
from moot.team import Player, Team
from moot.types import Case, Score


@dataclass(frozen=True, slots=True)
class Grading:
    """Who grades: the judges, if there are any, seated where their prompts come from."""

    team: Team
    """Only for its prompts and its journal; nobody in it is asked anything."""
    judges: tuple[Player, ...] = ()
    grader: Grader = field(default_factory=Match)
    """Who is asked before the judges."""

    @property
    def name(self) -> str:
        """What the scores are stored under: another grader or other judges, other scores."""
        return "+".join((self.grader.name, *(judging.name for judging in self.judges)))

    def needs_judge(self, case: Case, answer: str | None) -> bool:
        """Whether the grader leaves it to the judges."""
        return left_to_judges(self.grader, case, answer)

    def open_to_judgement(self, case: Case, answer: str | None) -> bool:
        """Whether a person may settle it: what a judge would see, and answers whose reference nobody knows yet."""
        return open_to_person(self.grader, case, answer)

    def at_once(self, case: Case, answer: str | None) -> Score:
        """The grade that needs nobody's word; what a judge must see stays ungraded until then."""
        return self.score(case, answer, (), None)

    def score(self, case: Case, answer: str | None, words: Sequence[Judgement], person: bool | None) -> Score:
        return scored(self.grader, case, answer, words, person, judges=len(self.judges))


def left_to_judges(by: Grader, case: Case, answer: str | None) -> bool:
    """Whether a grader is not sure of an answer, so that judges are asked."""
    if isinstance(by, Match):
        return needs_judge(case, answer)
    return answer is not None and case.known and graded(by, case, answer).value is None


def open_to_person(by: Grader, case: Case, answer: str | None) -> bool:
    """Whether a person's word counts where this grader graded: what judges would see, and what has no reference yet."""
    if isinstance(by, Match):
        return open_to_judgement(case, answer)
    return not case.known or left_to_judges(by, case, answer)


def scored(
    by: Grader, case: Case, answer: str | None, words: Sequence[Judgement], person: bool | None, *, judges: int
) -> Score:
    """A grader that is sure has the last word; what it leaves open a person settles, else the judges, else nobody yet."""
    if isinstance(by, Match):
        if not judges and person is None:
            return match(case, answer)  # without a judge what does not match is wrong
        return settled(case, answer, words, person, judges=judges)
    score = graded(by, case, answer)
    if score.value is not None:
        return score
    if person is not None:
        return Score(float(person), "person")
    if not judges or not case.known or answer is None:
        return score
    return judged(answer, words, judges=judges)
