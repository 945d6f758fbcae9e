"""Long answers by their rubric: a judge reads one and gives points for each criterion.

Nobody is told whose it is: names of players, models and vendors are masked as for others who read blind. A reference is shown
as one good answer; others may be as good. An answer is worth the share of all points that it gets; with several judges, the
mean of their shares. A judge that gives no usable points leaves it ungraded, and the next run asks again: were it left to
the others, what a text is worth would hang on which of them failed.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from moot.grade.judgement import JUDGE, Judgement
from moot.rubric import Rubric
from moot.strategies.blind import masked
from moot.team import Player, Team
from moot.team.forms import Unusable, object_schema
from moot.types import Case, Request, Score, digest

TEMPLATE = "judge-rubric"
BY_RUBRIC = "@rubric"
"""Behind a judge's name: what it says of long answers is kept apart from what it says of short ones."""
LONGEST_REASON = 500
"""Characters of a reason that are kept."""


def rubric_identity(judging: Player, team: Team) -> str:
    """What a judge's points are kept under: another model under the same name, or another prompt, is another judge."""
    shaped = [judging.model.shape(Request(())), team.prompts.hashes((TEMPLATE, "again"))]
    return f"{judging.name}{BY_RUBRIC}#{digest(shaped)[:12]}"


async def judge_by_rubric(judging: Player, case: Case, answers: Mapping[str, str], team: Team) -> list[Judgement]:
    """A judge's points for long answers, each seen by itself, all at the same time."""
    return list(await asyncio.gather(*(_judged(judging, case, key, text, team) for key, text in answers.items())))


async def _judged(judging: Player, case: Case, key: str, text: str, team: Team) -> Judgement:
    question = case.question
    prompt = team.prompts.render(
        TEMPLATE,
        question=question.text,
        context=question.context,
        reference=case.answer,
        criteria=[(each.name, each.points, each.says) for each in case.rubric],
        text=masked(text, team),
    )
    team = team.seated(team.repeat)  # a record of its own: others are asked at the same time
    heard = await team.ask(judging, question, prompt, PointsForm(case.rubric), stage=JUDGE)
    if heard.value is None:
        return Judgement(key, judging.name, None, heard.cause)
    reply = team.journal[-1].reply
    call = reply.key if reply is not None and reply.key else None
    return Judgement(key, judging.name, None, None, call, points=heard.value.points, reasons=heard.value.reasons)


def points_score(rubric: Rubric, words: Sequence[Judgement], judges: int) -> Score:
    """What judges make of a long answer together."""
    detail = "; ".join(word.told(rubric) for word in words)
    shares = [share for word in words if (share := word.share(rubric)) is not None]
    if not shares or len(shares) < judges:
        return Score(None, "ungraded", detail or "not judged yet")
    return Score(math.fsum(shares) / len(shares), JUDGE, detail)


@dataclass(frozen=True, slots=True)
class GivenPoints:
    """By criterion, in the rubric's order."""

    points: tuple[float, ...]
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PointsForm:
    """``{"criteria": [{"id": 1, "reason": "...", "points": 2}]}``: every criterion once, none above what it gives."""

    letters: ClassVar[str] = ""
    rubric: Rubric

    @property
    def schema(self) -> Mapping[str, Any]:
        number = {"type": "integer", "minimum": 1, "maximum": len(self.rubric)}
        points = {"type": "number", "minimum": 0, "maximum": max(criterion.points for criterion in self.rubric)}
        given = object_schema({"id": number, "reason": {"type": "string"}, "points": points})
        return object_schema({"criteria": {"type": "array", "items": given}})

    def read(self, data: Mapping[str, Any]) -> GivenPoints:
        """A criterion that is missing, doubled or made up, or points beyond what it gives, spoil the whole."""
        entries = data.get("criteria")
        if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
            raise Unusable("no-field")
        given: dict[int, tuple[float, str]] = {}
        for entry in entries:
            number, points, reason = entry.get("id"), entry.get("points"), entry.get("reason", "")
            if type(number) is not int or number in given or not 1 <= number <= len(self.rubric):  # true is no id
                raise Unusable("no-field")
            if type(points) not in (int, float) or not 0 <= points <= self.rubric[number - 1].points:
                raise Unusable("no-field")
            given[number] = (float(points), reason.strip()[:LONGEST_REASON] if isinstance(reason, str) else "")
        if len(given) != len(self.rubric):
            raise Unusable("no-field")
        ordered = [given[number] for number in range(1, len(self.rubric) + 1)]
        return GivenPoints(tuple(points for points, _ in ordered), tuple(reason for _, reason in ordered))
