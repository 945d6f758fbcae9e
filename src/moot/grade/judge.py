"""The second stage of grading: what does not match the reference word for word goes to a judge model.

A judge sees the question, the reference with its variants, and the distinct answers that were given, once each, in one
batch; equal answers get equal grades, so a judge's mood makes no rescues. A judge that fails leaves an answer
ungraded, never wrong. With two judges agreement settles it; where they differ a person is asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from moot.forms import Unusable
from moot.grade.match import match
from moot.grade.normalise import normalise
from moot.team import Player, Team
from moot.types import Case, Score

JUDGE = "judge"


@dataclass(frozen=True, slots=True)
class Judgement:
    """One judge's word on one answer. `right` is None where the judge gave no usable word, and `detail` says why."""

    answer: str
    judge: str
    right: bool | None
    detail: str | None = None


def needs_judge(case: Case, answer: str | None) -> bool:
    """Whether the match leaves it open: only free answers can be right in other words."""
    if answer is None or case.question.kind != "open":
        return False
    score = match(case, answer)
    return score.value == 0.0 and score.stage == "match" and score.detail is None


async def judge(judging: Player, case: Case, answers: Sequence[str], team: Team) -> list[Judgement]:
    """One call for all answers to a question that are left open. `answers` are normalised and distinct."""
    prompt = team.prompts.render(
        "judge",
        question=case.question.text,
        reference=case.answer if case.answer is not None else "[UNKNOWN]",
        accepted=case.accepted,
        rejected=case.rejected,
        comment=case.comment,
        answers=list(answers),
    )
    heard = await team.ask(judging, case.question, prompt, GradesForm(len(answers)), stage=JUDGE)
    if heard.value is None:
        return [Judgement(answer, judging.name, None, heard.cause) for answer in answers]
    return [Judgement(answer, judging.name, right) for answer, right in zip(answers, heard.value, strict=True)]


def settled(case: Case, answer: str | None, judgements: Sequence[Judgement], person: bool | None, judges: int) -> Score:
    """The grade of an answer, and the stage that made it: match, a person, the judges; or nobody yet."""
    if not needs_judge(case, answer):
        return match(case, answer)
    if person is not None:
        return Score(float(person), "person")
    assert answer is not None
    words = [each for each in judgements if each.answer == normalise(answer)]
    given = {each.right for each in words if each.right is not None}
    names = ", ".join(each.judge for each in words)
    if len(given) > 1:
        said = "; ".join(f"{each.judge}: {'right' if each.right else 'wrong'}" for each in words)
        return Score(None, "disputed", said)
    if not given or sum(each.right is not None for each in words) < judges:
        causes = "; ".join(f"{each.judge}: {each.detail}" for each in words if each.detail)
        return Score(None, "ungraded", causes or "not judged yet")
    return Score(float(given.pop()), "judge", names)


@dataclass(frozen=True, slots=True)
class GradesForm:
    """``{"grades": [{"id": 1, "is_correct": true}]}``: every id once."""

    size: int

    @property
    def letters(self) -> str:
        return ""

    @property
    def schema(self) -> Mapping[str, Any]:
        grade = {
            "type": "object",
            "properties": {
                "id": {"type": "integer", "minimum": 1, "maximum": self.size},
                "is_correct": {"type": "boolean"},
            },
            "required": ["id", "is_correct"],
            "additionalProperties": False,
        }
        return {
            "type": "object",
            "properties": {"grades": {"type": "array", "items": grade}},
            "required": ["grades"],
            "additionalProperties": False,
        }

    def read(self, data: Mapping[str, Any]) -> list[bool]:
        """The grades in the order of the ids; an id that is missing, doubled or made up spoils the list."""
        grades = data.get("grades")
        if not isinstance(grades, list) or not all(isinstance(grade, Mapping) for grade in grades):
            raise Unusable("no-field")
        by_id = {grade.get("id"): grade.get("is_correct") for grade in grades}
        if len(by_id) != len(grades) or set(by_id) != set(range(1, self.size + 1)):
            raise Unusable("no-grades")
        if not all(isinstance(value, bool) for value in by_id.values()):
            raise Unusable("no-grades")
        return [bool(by_id[number]) for number in range(1, self.size + 1)]
