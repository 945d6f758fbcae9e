"""All that is stored about the answers to a question, read for those who grade: episodes, judges' and persons' words."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from sqlalchemy import Connection, delete, select

from moot.engine.batches import QUESTIONS_TOGETHER
from moot.grade.grading import Grading
from moot.grade.judge import Judgement
from moot.grade.normalise import answer_key
from moot.needs import Needs
from moot.store import queries, schema
from moot.store.rows import case_of, grade_row, grades_of, points_of, verdict_of
from moot.store.statements import Row, at_leisure
from moot.store.store import Store
from moot.strategies.traits import Traits
from moot.team.together import together
from moot.traces import claims_in, hangs_on_cut_words
from moot.types import Case, Question, Verdict


@dataclass(frozen=True, slots=True)
class GradedCells:
    """Whose episodes are graded, and what of them: verdicts always, drafts and claims where they are needed."""

    ids: tuple[str, ...]
    drafting: frozenset[str]
    """Those whose verdicts hold drafts that must be graded: what every player answered alone."""
    claims: bool

    @classmethod
    def of(cls, cells: Iterable[tuple[str, Traits]], needs: Needs) -> GradedCells:
        traits_by_cell = dict(cells)
        drafting = [
            ident for ident, traits in traits_by_cell.items() if needs.graded_drafts and traits.drafts is not None
        ]
        return cls(tuple(traits_by_cell), frozenset(drafting), needs.graded_claims)

    def answers_in(self, episode: Row) -> Iterator[str]:
        """Every answer of an episode that a report grades: its own, drafts, and claims within its traces."""
        if episode["answer"] is not None and not hangs_on_cut_words(episode["verdict"]):
            yield episode["answer"]
        drafting = episode["cell"] in self.drafting
        if drafting or (self.claims and '"traces"' in episode["verdict"]):
            yield from answers_beside(verdict_of(episode["verdict"]), drafts=drafting, claims=self.claims)


def answers_beside(verdict: Verdict, *, drafts: bool, claims: bool) -> Iterator[str]:
    """What is graded of an episode beside its own answer."""
    if drafts:
        yield from (draft.text for draft in verdict.answers if draft.text is not None)
    if claims:
        yield from claims_in(verdict.traces)


@dataclass(frozen=True, slots=True)
class Sheet:
    """All that is stored about the answers to one question: who gave them, what judges and persons said of them."""

    case: Case
    episodes: Sequence[Row]
    answers: frozenset[str]
    """Every answer that is graded, in all its wordings."""
    judgements: Sequence[Judgement]
    """Those of this grading's judges; a judge that failed has a word that is None."""
    persons: Mapping[str, bool]

    def open_answers(self, grading: Grading) -> dict[str, str]:
        """Normalised answers that the grader leaves to judges, each as somebody worded it."""
        return open_wordings(grading, self.case, self.answers)

    def for_a_person(self, grading: Grading) -> dict[str, str]:
        """Normalised answers that a person is asked about, each as somebody worded it: what a judge would see, and long answers,
        of which no reference tells. What is right of a short one that has none yet is said where it was asked."""
        may_say = grading.open_to_judgement if self.case.question.is_long else grading.needs_judge
        return _by_normalised(self.case.question, (answer for answer in self.answers if may_say(self.case, answer)))


def open_wordings(grading: Grading, case: Case, answers: Iterable[str]) -> dict[str, str]:
    """Normalised answers that the grader leaves to judges, each as somebody worded it."""
    return _by_normalised(case.question, (answer for answer in answers if grading.needs_judge(case, answer)))


def _by_normalised(question: Question, answers: Iterable[str]) -> dict[str, str]:
    wordings: dict[str, str] = {}
    for answer in sorted(set(answers)):
        wordings.setdefault(answer_key(question, answer), answer)
    return dict(sorted(wordings.items()))


def keep_grades(store: Store, grading: Grading) -> None:
    """What a grader that is not ours says is kept from now on, and asked for once."""
    if grading.asked is not None:
        name = grading.kept_as
        grading.asked.keep = lambda place, score: store.put_later([(schema.grades, grade_row(name, place, score))])


def recall_grades(connection: Connection, grading: Grading, cases: Iterable[Case]) -> None:
    """What it has said before of answers to these."""
    if grading.asked is not None:
        at_leisure(connection)  # the grader is somebody else's code
        rows = queries.grades_on(connection, [case.digest for case in cases], grading.kept_as)
        grading.asked.recall(grades_of(rows))


def forget_grades(connection: Connection, grading: Grading, experiment: str) -> int:
    """What a grader that is not ours has said of answers to an experiment's questions is asked for anew; how much it was."""
    places, grades = schema.experiment_questions, schema.grades
    asked = select(places.c.case).where(places.c.experiment == experiment)
    forgotten = delete(grades).where(grades.c.grader == grading.kept_as, grades.c.case.in_(asked))
    return connection.execute(forgotten).rowcount


NO_CELLS = GradedCells((), frozenset(), claims=False)


async def cells_graded(store: Store, experiment: str, needs: Needs) -> GradedCells:
    rows = await store.run(partial(queries.cells_of, ident=experiment))
    return GradedCells.of(((row["id"], Traits.of_json(json.loads(row["traits"] or "{}"))) for row in rows), needs)


async def stored_cases(store: Store, experiment: str) -> AsyncIterator[list[Case]]:
    places = schema.experiment_questions
    query = select(schema.cases.c.content).join(places, places.c.case == schema.cases.c.id)
    query = query.where(places.c.experiment == experiment).order_by(places.c.position).limit(QUESTIONS_TOGETHER)

    def page(connection: Connection, after: int) -> list[Case]:
        return [case_of(content) for content in connection.execute(query.offset(after)).scalars()]

    start = 0
    while batch := await store.run(partial(page, after=start)):
        yield batch
        start += len(batch)


async def sheets_of(store: Store, grading: Grading, cells: GradedCells, cases: Sequence[Case]) -> list[Sheet]:
    questions = [case.question.digest for case in cases]
    digests = [case.digest for case in cases]
    episodes: dict[str, list[Row]] = defaultdict(list)
    answers: dict[str, set[str]] = defaultdict(set)
    for row in await store.run(partial(queries.episodes_on, cells=cells.ids, questions=questions)):
        episodes[row["question"]].append(row)
        answers[row["question"]].update(cells.answers_in(row))
    names = grading.names_by_identity
    judgements: dict[str, list[Judgement]] = defaultdict(list)
    for row in await store.run(partial(queries.judgements_on, cases=digests)):
        if row["judge"] in names:
            judgements[row["case"]].append(judgement_of(row, names[row["judge"]]))
    persons: dict[str, dict[str, bool]] = defaultdict(dict)
    for (case, answer), right in (await store.run(partial(queries.settlements_on, cases=digests))).items():
        persons[case][answer] = right
    await store.run(partial(recall_grades, grading=grading, cases=cases))
    await together(grading.hear(case, answers[case.question.digest]) for case in cases)
    return [
        Sheet(
            case,
            episodes[case.question.digest],
            frozenset(answers[case.question.digest]),
            judgements[case.digest],
            persons[case.digest],
        )
        for case in cases
    ]


def judgement_of(row: Row, judge_name: str) -> Judgement:
    """A judge's word as it is stored."""
    right = None if row["right"] is None else bool(row["right"])
    points, reasons = points_of(row["points"])
    tries = row["tries"] or 0
    return Judgement(row["answer"], judge_name, right, row["detail"], row["call_key"], tries, points, reasons)
