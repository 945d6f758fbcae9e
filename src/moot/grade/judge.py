"""The second stage of grading: what does not match the reference word for word goes to a judge model.

A judge sees the question, the reference with its variants, and one answer: its word then depends on nothing else that
is in the file. Each different answer is judged once; equal answers get equal grades, so a judge's mood makes no rescues.
Several answers may be shown together, which takes fewer calls; words from batches are kept apart from the others, so that
what batching does to them can be measured. A judge that fails leaves an answer ungraded, never wrong. With two judges
agreement settles it; where they differ a person is asked.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from moot.grade.by_rubric import judge_by_rubric, points_score
from moot.grade.judgement import JUDGE as JUDGE
from moot.grade.judgement import Judgement as Judgement
from moot.grade.match import REJECTED, match
from moot.grade.normalise import answer_key
from moot.grade.squad import scored_by_words
from moot.models.cut_out import was_cut
from moot.team import Player, Team
from moot.team.forms import Unusable, object_schema
from moot.types import UNKNOWN, Case, Request, Score, digest

ONE_BY_ONE = 1
MOST_TOGETHER = 100
"""Answers in one call at most. A long list is one that models lose count of."""


def judge_identity(judging: Player, team: Team, batch: int = ONE_BY_ONE) -> str:
    """What a judge's words are kept under: another model under the same name, or another prompt, is another judge.

    So is one who saw several answers together. Before there was a choice all were shown so, under a name without a size.
    """
    shaped = [judging.model.shape(Request(())), team.prompts.hashes((JUDGE, "again"))]
    if batch == ONE_BY_ONE:
        return f"{judging.name}#{digest([*shaped, 'one by one'])[:12]}"
    return f"{named_in_batches(judging.name, batch)}#{digest(shaped)[:12]}"


def named_in_batches(name: str, batch: int) -> str:
    """A judge's name, with how many answers it sees in a call, where it is not one."""
    return name if batch == ONE_BY_ONE else f"{name}@{batch}"


def batches_on_record(judging: Player, team: Team, identities: Sequence[str]) -> dict[str, int | None]:
    """Of the identities that are the same judge with the same prompt: how many answers it saw in a call.

    None: up to twenty, by a version that had no choice.
    """
    shaped = digest([judging.model.shape(Request(())), team.prompts.hashes((JUDGE, "again"))])[:12]
    sized = re.compile(rf"{re.escape(judging.name)}@(\d+)#{shaped}")
    sizes: dict[str, int | None] = {}
    for identity in identities:
        if identity == judge_identity(judging, team):
            sizes[identity] = ONE_BY_ONE
        elif identity == f"{judging.name}#{shaped}":
            sizes[identity] = None
        elif match_sized := sized.fullmatch(identity):
            sizes[identity] = int(match_sized.group(1))
    return sizes


def needs_judge(case: Case, answer: str | None) -> bool:
    """Whether the match leaves it open: only free answers can be right in other words, or be too long to be compared.

    A long answer has its points from judges alone, where there is a rubric.
    """
    if answer is None or not case.known or was_cut(answer):
        return False
    if case.question.kind != "open":
        return case.question.is_long
    score = match(case, answer)
    too_long = score.value is None and not scored_by_words(case)
    return too_long or (score.value == 0.0 and score.stage == "match" and score != REJECTED)


def open_to_judgement(case: Case, answer: str | None) -> bool:
    """Whether a person may settle it: what a judge would see, and answers whose reference nobody knows yet."""
    return needs_judge(case, answer) or not (case.known or was_cut(answer))


async def judge(
    judging: Player, case: Case, answers: Mapping[str, str], team: Team, batch: int = ONE_BY_ONE
) -> list[Judgement]:
    """A judge's words on the answers that are left open: normalised answers, each with the words to show for it."""
    if case.rubric:
        return await judge_by_rubric(judging, case, answers, team)
    if batch == ONE_BY_ONE:
        return await _one_by_one(judging, case, answers, team)
    items = list(answers.items())
    batches = [dict(items[start : start + batch]) for start in range(0, len(items), batch)]
    heard = await asyncio.gather(*(_judge(judging, case, together, team) for together in batches))
    return [judgement for part in heard for judgement in part]


async def _judge(judging: Player, case: Case, answers: Mapping[str, str], team: Team) -> list[Judgement]:
    prompt = team.prompts.render(
        JUDGE,
        question=case.question.text,
        reference=case.answer if case.answer is not None else UNKNOWN,
        accepted=case.accepted,
        rejected=case.rejected,
        comment=case.comment,
        answers=list(answers.values()),
    )
    team = team.seated(team.repeat)  # a record of its own: others are asked at the same time
    heard = await team.ask(judging, case.question, prompt, GradesForm(len(answers)), stage=JUDGE)
    if heard.value is None and len(answers) > 1 and heard.outcome != "failed":
        return await _one_by_one(judging, case, answers, team)
    if heard.value is None:
        return [Judgement(answer, judging.name, None, heard.cause) for answer in answers]
    reply = team.journal[-1].reply
    call = reply.key if reply is not None and reply.key else None
    company = f"{len(answers)} answers together" if len(answers) > 1 else None
    rights = zip(answers, heard.value, strict=True)
    return [Judgement(answer, judging.name, right, company, call=call) for answer, right in rights]


async def _one_by_one(judging: Player, case: Case, answers: Mapping[str, str], team: Team) -> list[Judgement]:
    """Each answer by itself, at the same time. Each has tries of its own, whatever comes of the others: were a judge not
    asked on that spoilt some, a grade would hang on what else is in the file."""
    parts = await asyncio.gather(*(_judge(judging, case, dict([item]), team) for item in answers.items()))
    return [judgement for part in parts for judgement in part]


def settled(case: Case, answer: str | None, judgements: Sequence[Judgement], person: bool | None, judges: int) -> Score:
    """The grade of an answer, and the stage that made it: match, a person, the judges; or nobody yet."""
    if answer is None or not open_to_judgement(case, answer):
        return match(case, answer)
    if person is not None:
        return Score(float(person), "person")
    if not case.known:
        return match(case, answer)
    return judged(case, answer, judgements, judges)


def judged(case: Case, answer: str, judgements: Sequence[Judgement], judges: int) -> Score:
    """What the judges make of an answer that is left to them."""
    key = answer_key(case.question, answer)
    words = [judgement for judgement in judgements if judgement.answer == key]
    if case.rubric:
        return points_score(case.rubric, words, judges)
    detail = "; ".join(map(str, words))
    marks = [judgement.right for judgement in words if judgement.right is not None]
    if len(set(marks)) > 1:
        return Score(None, "disputed", detail)
    if not marks or len(marks) < judges:
        return Score(None, "ungraded", detail or "not judged yet")
    return Score(float(marks[0]), JUDGE, detail)


@dataclass(frozen=True, slots=True)
class GradesForm:
    """``{"grades": [{"id": 1, "is_correct": true}]}``: every id once."""

    letters: ClassVar[str] = ""
    size: int

    @property
    def schema(self) -> Mapping[str, Any]:
        number = {"type": "integer", "minimum": 1, "maximum": self.size}
        grade = object_schema({"id": number, "is_correct": {"type": "boolean"}})
        return object_schema({"grades": {"type": "array", "items": grade}})

    def read(self, data: Mapping[str, Any]) -> list[bool]:
        """The grades in the order of the ids; an id that is missing, doubled or made up spoils the list."""
        grades = data.get("grades")
        if not isinstance(grades, list) or not all(isinstance(grade, Mapping) for grade in grades):
            raise Unusable("no-field")
        words: dict[int, bool] = {}
        for grade in grades:
            number, word = grade.get("id"), grade.get("is_correct")
            if type(number) is not int or not isinstance(word, bool) or number in words:  # true is no id, though an int
                raise Unusable("no-grades")
            words[number] = word
        if set(words) != set(range(1, self.size + 1)):
            raise Unusable("no-grades")
        return [words[number] for number in range(1, self.size + 1)]
