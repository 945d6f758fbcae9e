"""The grader without a model: letters, yes and no, and answers that are equal once normalised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

from moot.grade.normalise import normalise
from moot.types import UNKNOWN, Case, Score, Verdict


class Grader(Protocol):
    name: ClassVar[str]

    async def grade(self, case: Case, verdict: Verdict) -> Score:
        """What the verdict is worth on this case."""


@dataclass(frozen=True, slots=True)
class Match:
    """Exact after normalisation. Without an answer there is nothing right: value 0, and the outcome says why."""

    name: ClassVar[str] = "match"

    async def grade(self, case: Case, verdict: Verdict) -> Score:
        return match(case, verdict.answer)


def match(case: Case, answer: str | None) -> Score:
    if answer is None:
        return Score(0.0, "no-answer")
    if case.question.kind != "open":
        return Score(float(answer.casefold() == (case.answer or "").casefold()), "choice")
    if case.answer is None:
        return Score(float(answer.strip() == UNKNOWN), "unanswerable")
    given = normalise(answer)
    right = any(given == normalise(each) for each in (case.answer, *case.accepted))
    return Score(float(right), "match")
