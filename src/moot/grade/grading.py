"""Who grades an answer, and how their words become a score: match, judges, a person."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from moot.grade.by_rubric import rubric_identity
from moot.grade.graders import USUAL, AskedOnce
from moot.grade.identity import identity
from moot.grade.judge import (
    ONE_BY_ONE,
    Judgement,
    judge_identity,
    judged,
    named_in_batches,
    needs_judge,
    open_to_judgement,
    settled,
)
from moot.grade.match import CUT, HANGING, Grader, Match, match
from moot.models.cut_out import was_cut
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
    batch: int = ONE_BY_ONE
    """How many answers a judge sees in a call."""
    asked: AskedOnce | None = field(default=None, compare=False)
    """The grader where it is not ours, with what it has said so far; whoever is made from this one shares it."""

    def __post_init__(self) -> None:
        if self.asked is None and not isinstance(self.grader, Match):
            object.__setattr__(self, "asked", AskedOnce(self.grader))

    @property
    def name(self) -> str:
        """What the scores are stored under: another grader or other judges, other scores."""
        return scores_name(self.kept_as, [judging.name for judging in self.judges], self.batch)

    @property
    def kept_as(self) -> str:
        """What the words of the grader are kept under."""
        return identity(self.grader)

    def judged_as(self, judging: Player, case: Case) -> str:
        """What a judge's words on the answers to this question are kept under."""
        if case.rubric:
            return rubric_identity(judging, self.team)
        return judge_identity(judging, self.team, self.batch)

    @property
    def names_by_identity(self) -> dict[str, str]:
        """The judges by what their words are kept under, on short answers and on long ones."""
        short = {judge_identity(judging, self.team, self.batch): judging.name for judging in self.judges}
        return short | {rubric_identity(judging, self.team): judging.name for judging in self.judges}

    @property
    def reused(self) -> int:
        """How many answers a grader that is not ours was not asked about, since its word was on record."""
        return 0 if self.asked is None else len(self.asked.reused)

    @property
    def reused_told(self) -> str:
        return f"{self.reused} grades of {self.kept_as} are taken from the store"

    @property
    def broken(self) -> tuple[str, ...]:
        """In words: on how many answers a grader that is not ours failed, equal ones to a question being one, and how at first;
        nothing where it did not."""
        if self.asked is None or not self.asked.broken:
            return ()
        problems = list(self.asked.broken.values())
        left = "1 answer, which has" if len(problems) == 1 else f"{len(problems):,} answers, which have"
        return (f"grader {self.grader.name!r} failed on {left} no grade from it; first: {problems[0]}",)

    def needs_judge(self, case: Case, answer: str | None) -> bool:
        """Whether the grader leaves it to the judges."""
        if self.asked is None:
            return needs_judge(case, answer)
        return (
            answer is not None and case.known and not was_cut(answer) and self.asked.score(case, answer).value is None
        )

    def open_to_judgement(self, case: Case, answer: str | None) -> bool:
        """Whether a person may settle it: what a judge would see, and answers whose reference nobody knows yet."""
        if self.asked is None:
            return open_to_judgement(case, answer)
        return (not case.known and not was_cut(answer)) or self.needs_judge(case, answer)

    async def hear(self, case: Case, answers: Iterable[str | None]) -> None:
        """Ask a grader that is not ours about these, while others go on: then nobody stands still for its word."""
        if self.asked is not None:
            await self.asked.ask(case, [answer for answer in answers if not was_cut(answer)])

    def at_once(self, case: Case, answer: str | None, *, hangs: bool = False) -> Score:
        """The grade that needs nobody's word; what a judge must see stays ungraded until then."""
        return self.score(case, answer, (), None, hangs=hangs)

    def score(
        self,
        case: Case,
        answer: str | None,
        words: Sequence[Judgement],
        person: bool | None,
        *,
        hangs: bool = False,
    ) -> Score:
        """`hangs`: on what was cut out of another answer."""
        return scored(self.asked, case, answer, words, person, judges=len(self.judges), hangs=hangs)


class GradedBy(NamedTuple):
    """Who grades an experiment, by name, as its configuration says."""

    grader: str
    judges: list[str]
    batch: int
    """How many answers a judge sees in a call."""

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> GradedBy:
        """What a configuration does not say is as usual."""
        judging = config.get("judge", {})
        return cls(config.get("grader", USUAL), list(judging.get("models", ())), judging.get("batch", ONE_BY_ONE))


def scores_name(grader: str, judges: Sequence[str], batch: int = ONE_BY_ONE) -> str:
    """What scores are stored under: whoever grades, and how many answers judges saw in a call where it was not one."""
    return "+".join((grader, *(named_in_batches(judge, batch) for judge in judges)))


def scored(
    by: AskedOnce | None,
    case: Case,
    answer: str | None,
    words: Sequence[Judgement],
    person: bool | None,
    *,
    judges: int,
    hangs: bool = False,
) -> Score:
    """A grader that is sure has the last word; what it leaves open a person settles, else the judges, else nobody yet.

    `by`: None where it is ours.
    """
    if was_cut(answer):
        return CUT
    if hangs and answer is not None:
        return HANGING
    if by is None:
        if not judges and person is None:
            return match(case, answer)  # without a judge what does not match is wrong
        return settled(case, answer, words, person, judges=judges)
    score = by.score(case, answer)
    if score.value is not None:
        return score
    if person is not None:
        return _in_place_of(score, Score(float(person), "person"))
    if not judges or not case.known or answer is None:
        return score
    return _in_place_of(score, judged(case, answer, words, judges=judges))


def _in_place_of(left_open: Score, settled_by_others: Score) -> Score:
    """That a grader failed stays on record where others graded the answer in its place."""
    if left_open.failure is None:
        return settled_by_others
    told = "\n".join(filter(None, (left_open.detail, settled_by_others.detail)))
    return replace(settled_by_others, detail=told, failure=left_open.failure)
