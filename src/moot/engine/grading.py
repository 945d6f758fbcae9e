"""Grading what is stored: every episode's answer against its case, by match, by judges, by a person's word.

It calls judges, never players, so it can be done again at any time. What a judge has said of an answer is kept, and
asked for once; a judge that failed is asked again the next time. A person's word stands over every judge's.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from moot.engine.answer_sheets import NO_CELLS, Sheet, cells_graded, sheets_of, stored_cases
from moot.engine.answer_sheets import GradedCells as GradedCells
from moot.engine.answer_sheets import answers_beside as answers_beside
from moot.engine.answer_sheets import forget_grades as forget_grades
from moot.engine.answer_sheets import judgement_of as judgement_of
from moot.engine.answer_sheets import keep_grades as keep_grades
from moot.engine.answer_sheets import open_wordings as open_wordings
from moot.engine.answer_sheets import recall_grades as recall_grades
from moot.engine.batch_effects import BatchEffect as BatchEffect
from moot.engine.batch_effects import batch_effects as batch_effects
from moot.engine.batches import batches
from moot.engine.judge_calls import LinkedCalls
from moot.engine.settling import OpenAnswer as OpenAnswer
from moot.engine.settling import declare_judges as declare_judges
from moot.engine.settling import open_answers as open_answers
from moot.engine.settling import settle as settle
from moot.grade.grading import Grading
from moot.grade.judge import ONE_BY_ONE, Judgement, judge
from moot.grade.persons import persons_word
from moot.models.cut_out import was_cut
from moot.needs import EVERYTHING, Needs
from moot.store import schema
from moot.store.rows import points_json, score_row
from moot.store.store import Store
from moot.team import Player
from moot.team.together import together
from moot.traces import hangs_on_cut_words
from moot.types import Case, Score

T = TypeVar("T")


@dataclass
class Graded:
    """What came of it."""

    stages: Counter[str] = field(default_factory=Counter)
    """Scores by the stage that made them; `ungraded` and `disputed` are without a value."""
    causes: Counter[str] = field(default_factory=Counter)
    """Why scores are ungraded."""
    judged: list[tuple[bool, bool]] = field(default_factory=list)
    """Answers that two judges both graded, for their agreement."""
    points: list[tuple[float, float]] = field(default_factory=list)
    """The same of long answers: the share of points that each gave."""
    unsaid: int = 0
    """How many of the ungraded are to questions of which nobody has said what is right."""
    long_answers: int = 0
    """How many of the ungraded are long answers, of which no reference says by itself whether they are right."""
    cut: int = 0
    """How many of the ungraded have lost a part that equals a key."""
    without_answer: int = 0
    """Plays that have none, and so nothing to grade: they are in no stage."""
    unusable: int = 0
    """Words of judges that told nothing, be the answer graded by others: they are asked for again."""

    def __add__(self, other: Graded) -> Graded:
        return Graded(
            self.stages + other.stages,
            self.causes + other.causes,
            [*self.judged, *other.judged],
            [*self.points, *other.points],
            self.unsaid + other.unsaid,
            self.long_answers + other.long_answers,
            self.cut + other.cut,
            self.without_answer + other.without_answer,
            self.unusable + other.unusable,
        )

    @property
    def scores(self) -> int:
        return self.stages.total()

    @property
    def ungraded(self) -> int:
        return self.stages["ungraded"]

    @property
    def failed(self) -> int:
        """How many of the ungraded somebody should have graded and did not; of the others no reference says anything."""
        return self.ungraded - self.unsaid - self.long_answers - self.cut

    @property
    def disputed(self) -> int:
        return self.stages["disputed"]


async def grade_all(store: Store, grading: Grading, cells: GradedCells, cases: Iterable[Case]) -> Graded:
    """Grade every stored episode of these cells on these cases."""
    graded = Graded()
    keep_grades(store, grading)
    for batch in batches(cases):
        await _grade_batch(store, grading, cells, batch, graded)
    await store.flush()
    return graded


async def grade_stored(store: Store, grading: Grading, experiment: str, needs: Needs = EVERYTHING) -> Graded:
    """Grade every episode of a stored experiment, with the cases it was stored with."""
    graded = Graded()
    keep_grades(store, grading)
    cells = await cells_graded(store, experiment, needs)
    async for batch in stored_cases(store, experiment):
        await _grade_batch(store, grading, cells, batch, graded)
    await store.flush()
    return graded


@dataclass(frozen=True, slots=True)
class StoredGrading:
    """Grades answers that belong to no episode, one by one: what judges and persons have said of them is on record."""

    store: Store
    grading: Grading

    async def score(self, case: Case, answer: str | None) -> Score:
        """The grade of an answer; a judge who has not said anything of it is asked, and its word kept."""
        if answer is None or not self.grading.open_to_judgement(case, answer):
            return self.grading.at_once(case, answer)
        (sheet,) = await sheets_of(self.store, self.grading, NO_CELLS, [case])
        words = await _judge_sheet(self.store, self.grading, replace(sheet, answers=frozenset([answer])))
        return self.grading.score(case, answer, words, persons_word(case, answer, sheet.persons))


Grade = Callable[[Case, str | None], float | None]


async def stored_grades(store: Store, grading: Grading, cases: Sequence[Case]) -> Grade:
    """What answers to these questions are worth by what is on record: nobody is asked. None: ungraded."""
    sheets = {sheet.case.digest: sheet for sheet in await sheets_of(store, grading, NO_CELLS, cases)}

    def grade(case: Case, answer: str | None) -> float | None:
        sheet = sheets[case.digest]
        person = persons_word(case, answer, sheet.persons)
        words = [word for word in sheet.judgements if word.usable]
        return grading.score(case, answer, words, person).value

    return grade


async def _grade_batch(
    store: Store, grading: Grading, cells: GradedCells, cases: Sequence[Case], graded: Graded
) -> None:
    sheets = await sheets_of(store, grading, cells, cases)
    await together(_grade_sheet(store, grading, sheet, graded) for sheet in sheets)


async def _judge_sheet(store: Store, grading: Grading, sheet: Sheet) -> list[Judgement]:
    """What judges say of the open answers: what is on record, and what those say who had not been asked."""
    wordings = sheet.open_answers(grading)
    heard = await together(_ask(store, judging, grading, sheet, wordings) for judging in grading.judges)
    for judging, fresh in zip(grading.judges, heard, strict=True):
        judged_as = grading.judged_as(judging, sheet.case)
        store.put_later([(schema.judgements, _judgement_row(sheet.case, judged_as, word)) for word in fresh])
    recorded = [word for word in sheet.judgements if word.usable]
    return [*recorded, *(word for part in heard for word in part)]


async def _grade_sheet(store: Store, grading: Grading, sheet: Sheet, graded: Graded) -> None:
    case, words = sheet.case, await _judge_sheet(store, grading, sheet)
    graded.unusable += sum(not word.usable for word in words)
    for row in sheet.episodes:
        answer = row["answer"]
        person = persons_word(case, answer, sheet.persons)
        hangs = hangs_on_cut_words(row["verdict"])
        score = grading.score(case, answer, words, person, hangs=hangs)
        store.put_later([(schema.scores, score_row(row["cell"], case.digest, row["repeat"], grading.name, score))])
        if answer is None:
            graded.without_answer += 1
            continue
        # Whatever a grader calls it, an answer without a grade is ungraded, unless judges differ.
        ungraded = score.value is None and score.stage != "disputed"
        graded.stages["ungraded" if ungraded else score.stage] += 1
        if ungraded:
            graded.causes[score.detail or score.stage] += 1
            if hangs or was_cut(answer):
                graded.cut += 1
                continue
            graded.long_answers += case.question.is_long and not case.known
            graded.unsaid += not case.known and not case.question.is_long
    wordings = sheet.open_answers(grading)
    heard = [word for word in words if word.answer in wordings]
    graded.judged += _pairs(heard, grading, lambda word: word.right)
    graded.points += _pairs(heard, grading, lambda word: word.share(case.rubric))


async def _ask(
    store: Store, judging: Player, grading: Grading, sheet: Sheet, wordings: Mapping[str, str]
) -> list[Judgement]:
    mine = [judgement for judgement in sheet.judgements if judgement.judge == judging.name]
    heard = {judgement.answer for judgement in mine if judgement.usable}
    left = {answer: wording for answer, wording in wordings.items() if answer not in heard}
    if not left:
        return []
    # A judge that failed is asked under a new sample number: the stored replies are those that could not be used.
    tries = {judgement.answer: judgement.tries for judgement in mine if judgement.answer in left}
    if grading.batch > ONE_BY_ONE:
        tries = dict.fromkeys(left, max(tries.values(), default=0))  # who is shown together is asked about together
    alike: dict[int, dict[str, str]] = defaultdict(dict)
    for answer, wording in left.items():
        alike[tries.get(answer, 0)][answer] = wording
    team, case = grading.team, sheet.case
    judging = replace(judging, model=LinkedCalls(judging.model, store, case))
    asked = (judge(judging, case, alike[sample], team.seated(sample), grading.batch) for sample in alike)
    return [
        _tried(word, sample + 1) for sample, part in zip(alike, await together(asked), strict=True) for word in part
    ]


def _tried(judgement: Judgement, times: int) -> Judgement:
    return judgement if judgement.usable else replace(judgement, tries=times)


def _pairs(
    judgements: Sequence[Judgement], grading: Grading, said: Callable[[Judgement], T | None]
) -> Iterator[tuple[T, T]]:
    if len(grading.judges) != 2:
        return
    first, second = (judging.name for judging in grading.judges)
    words: dict[str, dict[str, T]] = defaultdict(dict)
    for judgement in judgements:
        if (word := said(judgement)) is not None:
            words[judgement.answer][judgement.judge] = word
    for by_judge in words.values():
        if first in by_judge and second in by_judge:
            yield by_judge[first], by_judge[second]


def _judgement_row(case: Case, judged_as: str, judgement: Judgement) -> dict[str, Any]:
    right = None if judgement.right is None else int(judgement.right)
    return {
        "case": case.digest,
        "answer": judgement.answer,
        "judge": judged_as,
        "right": right,
        "detail": judgement.detail,
        "judge_name": judgement.judge,
        "call_key": judgement.call,
        "tries": judgement.tries,
        "points": points_json(judgement.points, judgement.reasons),
    }
