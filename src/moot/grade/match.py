"""The grader without a model: letters, yes and no, and answers that are equal once normalised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

from moot.grade.normalise import normalise
from moot.types import UNKNOWN, Case, Score, Verdict

_UNKNOWN = normalise(UNKNOWN)


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
    """1 or 0. What the author of the question rejects is wrong, even where it equals an accepted answer."""
    if answer is None:
        return Score(0.0, "no-answer")
    given = normalise(answer)
    if case.question.kind != "open":
        return Score(float(given == normalise(case.answer or "")), "choice")
    if any(given == normalise(each) for each in case.rejected):
        return Score(0.0, "match", "rejected by the author")
    if any(given == normalise(each) for each in case.accepted):
        return Score(1.0, "match")
    if case.answer is None:
        return Score(float(given == _UNKNOWN), "unanswerable")
    return Score(float(given == normalise(case.answer)), "match")
