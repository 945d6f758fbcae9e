"""Grading what is stored: every episode's answer against its case, by match, by judges, by a person's word.

It calls judges, never players, so it can be done again at any time. What a judge has said of an answer is kept, and
asked for once; a judge that failed is asked again the next time. A person's word stands over every judge's.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from sqlalchemy import Connection, RowMapping, and_, delete, select, update

from moot.engine.batches import QUESTIONS_TOGETHER, batches
from moot.errors import UsageError
from moot.grade.graders import VERSION, grader, identity
from moot.grade.grading import Grading
from moot.grade.judge import JUDGE, ONE_BY_ONE, Judgement, batches_on_record, judge, judge_identity
from moot.grade.match import Match
from moot.grade.normalise import normalise
from moot.needs import EVERYTHING, Needs
from moot.store import queries, schema
from moot.store.rows import case_of, grade_row, grades_of, score_row, verdict_of
from moot.store.statements import Row
from moot.store.store import Store
from moot.strategies.traits import Traits
from moot.team import Player, Team
from moot.traces import claims_in
from moot.types import Case, Score, Verdict


@dataclass
class Graded:
    """What came of it."""

    stages: Counter[str] = field(default_factory=Counter)
    """Scores by the stage that made them; `ungraded` and `disputed` are without a value."""
    causes: Counter[str] = field(default_factory=Counter)
    """Why scores are ungraded."""
    judged: list[tuple[bool, bool]] = field(default_factory=list)
    """Answers that two judges both graded, for their agreement."""

    def __add__(self, other: Graded) -> Graded:
        return Graded(self.stages + other.stages, self.causes + other.causes, [*self.judged, *other.judged])

    @property
    def scores(self) -> int:
        return self.stages.total()

    @property
    def ungraded(self) -> int:
        return self.stages["ungraded"]

    @property
    def disputed(self) -> int:
        return self.stages["disputed"]


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
        if episode["answer"] is not None:
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
        """Normalised answers that the grader leaves open, each as somebody worded it."""
        return open_wordings(grading, self.case, self.answers)


def open_wordings(grading: Grading, case: Case, answers: Iterable[str]) -> dict[str, str]:
    """Normalised answers that the grader leaves to judges, each as somebody worded it."""
    wordings: dict[str, str] = {}
    for answer in sorted({answer for answer in answers if grading.needs_judge(case, answer)}):
        wordings.setdefault(normalise(answer), answer)
    return dict(sorted(wordings.items()))


@dataclass(frozen=True, slots=True)
class OpenAnswer:
    """An answer that waits for a person's word."""

    case: Case
    answer: str
    wording: str
    judgements: tuple[Judgement, ...]
    episodes: int
    """How often it was a verdict; 0: somebody only drafted it."""


def keep_grades(store: Store, grading: Grading) -> None:
    """What a grader that is not ours says is kept from now on, and asked for once."""
    if grading.asked is not None:
        name = grading.kept_as
        grading.asked.keep = lambda place, score: store.put_later([(schema.grades, grade_row(name, place, score))])


def recall_grades(connection: Connection, grading: Grading, cases: Iterable[Case]) -> None:
    """What it has said before of answers to these."""
    if grading.asked is not None:
        rows = queries.grades_on(connection, [case.digest for case in cases], grading.kept_as)
        grading.asked.recall(grades_of(rows))


def forget_grades(connection: Connection, grading: Grading, experiment: str) -> int:
    """What a grader that is not ours has said of answers to an experiment's questions is asked for anew; how much it was."""
    places, grades = schema.experiment_questions, schema.grades
    asked = select(places.c.case).where(places.c.experiment == experiment)
    forgotten = delete(grades).where(grades.c.grader == grading.kept_as, grades.c.case.in_(asked))
    return connection.execute(forgotten).rowcount


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
    cells = await _cells(store, experiment, needs)
    async for batch in _stored_cases(store, experiment):
        await _grade_batch(store, grading, cells, batch, graded)
    await store.flush()
    return graded


async def open_answers(store: Store, grading: Grading, experiment: str, needs: Needs = EVERYTHING) -> list[OpenAnswer]:
    """The queue for a person: what judges dispute or could not grade; without judges, all that does not match."""
    cells = await _cells(store, experiment, needs)
    queue: list[OpenAnswer] = []
    async for batch in _stored_cases(store, experiment):
        for sheet in await _sheets(store, grading, cells, batch):
            queue += _left_open(sheet, grading)
    return queue


@dataclass(frozen=True, slots=True)
class StoredGrading:
    """Grades answers that belong to no episode, one by one: what judges and persons have said of them is on record."""

    store: Store
    grading: Grading

    async def score(self, case: Case, answer: str | None) -> Score:
        """The grade of an answer; a judge who has not said anything of it is asked, and its word kept."""
        if answer is None or not self.grading.open_to_judgement(case, answer):
            return self.grading.at_once(case, answer)
        (sheet,) = await _sheets(self.store, self.grading, NO_CELLS, [case])
        words = await _judge_sheet(self.store, self.grading, replace(sheet, answers=frozenset([answer])))
        return self.grading.score(case, answer, words, sheet.persons.get(normalise(answer)))


Grade = Callable[[Case, str | None], float | None]


async def stored_grades(store: Store, grading: Grading, cases: Sequence[Case]) -> Grade:
    """What answers to these questions are worth by what is on record: nobody is asked. None: ungraded."""
    sheets = {sheet.case.digest: sheet for sheet in await _sheets(store, grading, NO_CELLS, cases)}

    def grade(case: Case, answer: str | None) -> float | None:
        sheet = sheets[case.digest]
        person = sheet.persons.get(normalise(answer)) if answer is not None else None
        words = [word for word in sheet.judgements if word.right is not None]
        return grading.score(case, answer, words, person).value

    return grade


NO_CELLS = GradedCells((), frozenset(), claims=False)


def settle(connection: Connection, case: Case, answer: str, right: bool) -> int:
    """A person's word on a normalised answer. It is at once in every score that its grader left open; how many is returned."""
    word = {"case": case.digest, "answer": answer, "right": int(right), "settled_at": time.time()}
    queries.put(connection, schema.settlements, [word])
    episodes, scores = schema.episodes, schema.scores
    of_episode = and_(scores.c.cell == episodes.c.cell, scores.c.repeat == episodes.c.repeat)
    query = select(scores, episodes.c.answer).join(episodes, of_episode)
    query = query.where(scores.c.case == case.digest, episodes.c.question == case.question.digest)
    changed = 0
    for row in connection.execute(query.where(episodes.c.answer.is_not(None))).mappings().all():
        if normalise(row["answer"]) == answer and _left_to_persons(row, case):
            place = (scores.c[column.name] == row[column.name] for column in scores.primary_key)
            values = {"value": float(right), "stage": "person", "detail": None}
            changed += connection.execute(update(scores).where(*place).values(**values)).rowcount
    return changed


def _left_to_persons(row: RowMapping, case: Case) -> bool:
    """Whether the grader of a score is not sure of the answer. One that is not known here cannot be asked again."""
    grader_name = row["grader"].partition("+")[0]
    if grader_name != Match.name and (row["value"] is None or row["stage"] not in ("person", JUDGE)):
        return row["value"] is None
    try:
        by = grader(grader_name.partition(VERSION)[0])
    except UsageError:
        return False
    return identity(by) == grader_name and Grading(Team("persons", ()), grader=by).open_to_judgement(
        case, row["answer"]
    )


def declare_judges(
    connection: Connection, experiment: str, judges: Sequence[str], grader: str = Match.name, batch: int = ONE_BY_ONE
) -> None:
    """Write down whom the file names as grader and judges now: reports show the scores of those."""
    table = schema.experiments
    config = json.loads(connection.execute(select(table.c.config).where(table.c.id == experiment)).scalar_one())
    judging = config.get("judge", {})
    named = judging.get("models", []), judging.get("batch", ONE_BY_ONE), config.get("grader", Match.name)
    if named != (list(judges), batch, grader):
        config.pop("judge", None)
        config.pop("grader", None)
        sized = {} if batch == ONE_BY_ONE else {"batch": batch}
        config |= {"judge": {"models": list(judges), **sized}} if judges else {}
        config |= {"grader": grader} if grader != Match.name else {}
        changed = update(table).where(table.c.id == experiment)
        connection.execute(changed.values(config=json.dumps(config, ensure_ascii=False)))


@dataclass(frozen=True, slots=True)
class BatchEffect:
    """One judge's words on the same answers, shown as this grading shows them, and shown otherwise."""

    judge: str
    batch: int | None
    """How many answers it saw in a call otherwise; None: up to twenty, by a version that had no choice."""
    pairs: tuple[tuple[bool, bool], ...]


async def batch_effects(store: Store, grading: Grading, experiment: str) -> list[BatchEffect]:
    """What showing several answers at once does to a judge's words, where both are on record."""
    words: dict[str, dict[tuple[str, str], bool]] = defaultdict(dict)
    async for cases in _stored_cases(store, experiment):
        for row in await store.run(partial(queries.judgements_on, cases=[case.digest for case in cases])):
            if row["right"] is not None:
                words[row["judge"]][row["case"], row["answer"]] = bool(row["right"])
    effects: list[BatchEffect] = []
    for judging in grading.judges:
        own = words.get(judge_identity(judging, grading.team, grading.batch), {})
        for shown_to, batch in batches_on_record(judging, grading.team, list(words)).items():
            pairs = tuple((own[place], right) for place, right in words[shown_to].items() if place in own)
            if batch != grading.batch and pairs:
                effects.append(BatchEffect(judging.name, batch, pairs))
    return effects


async def _cells(store: Store, experiment: str, needs: Needs) -> GradedCells:
    rows = await store.run(partial(queries.cells_of, ident=experiment))
    return GradedCells.of(((row["id"], Traits.of_json(json.loads(row["traits"] or "{}"))) for row in rows), needs)


async def _stored_cases(store: Store, experiment: str) -> AsyncIterator[list[Case]]:
    places = schema.experiment_questions
    query = select(schema.cases.c.content).join(places, places.c.case == schema.cases.c.id)
    query = query.where(places.c.experiment == experiment).order_by(places.c.position).limit(QUESTIONS_TOGETHER)

    def page(connection: Connection, after: int) -> list[Case]:
        return [case_of(content) for content in connection.execute(query.offset(after)).scalars()]

    start = 0
    while batch := await store.run(partial(page, after=start)):
        yield batch
        start += len(batch)


async def _sheets(store: Store, grading: Grading, cells: GradedCells, cases: Sequence[Case]) -> list[Sheet]:
    questions = [case.question.digest for case in cases]
    digests = [case.digest for case in cases]
    episodes: dict[str, list[Row]] = defaultdict(list)
    answers: dict[str, set[str]] = defaultdict(set)
    for row in await store.run(partial(queries.episodes_on, cells=cells.ids, questions=questions)):
        episodes[row["question"]].append(row)
        answers[row["question"]].update(cells.answers_in(row))
    names = {judge_identity(judging, grading.team, grading.batch): judging.name for judging in grading.judges}
    judgements: dict[str, list[Judgement]] = defaultdict(list)
    for row in await store.run(partial(queries.judgements_on, cases=digests)):
        if row["judge"] in names:
            judgements[row["case"]].append(judgement_of(row, names[row["judge"]]))
    persons: dict[str, dict[str, bool]] = defaultdict(dict)
    for (case, answer), right in (await store.run(partial(queries.settlements_on, cases=digests))).items():
        persons[case][answer] = right
    await store.run(partial(recall_grades, grading=grading, cases=cases))
    await asyncio.gather(*(grading.hear(case, answers[case.question.digest]) for case in cases))
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


async def _grade_batch(
    store: Store, grading: Grading, cells: GradedCells, cases: Sequence[Case], graded: Graded
) -> None:
    sheets = await _sheets(store, grading, cells, cases)
    await asyncio.gather(*(_grade_sheet(store, grading, sheet, graded) for sheet in sheets))


async def _judge_sheet(store: Store, grading: Grading, sheet: Sheet) -> list[Judgement]:
    """What judges say of the open answers: what is on record, and what those say who had not been asked."""
    wordings = sheet.open_answers(grading)
    heard = await asyncio.gather(*(_ask(judging, grading, sheet, wordings) for judging in grading.judges))
    for judging, fresh in zip(grading.judges, heard, strict=True):
        judged_as = judge_identity(judging, grading.team, grading.batch)
        store.put_later([(schema.judgements, _judgement_row(sheet.case, judged_as, word)) for word in fresh])
    recorded = [word for word in sheet.judgements if word.right is not None]
    return [*recorded, *(word for part in heard for word in part)]


async def _grade_sheet(store: Store, grading: Grading, sheet: Sheet, graded: Graded) -> None:
    case, words = sheet.case, await _judge_sheet(store, grading, sheet)
    for row in sheet.episodes:
        answer = row["answer"]
        person = sheet.persons.get(normalise(answer)) if answer is not None else None
        score = grading.score(case, answer, words, person)
        store.put_later([(schema.scores, score_row(row["cell"], case.digest, row["repeat"], grading.name, score))])
        graded.stages[score.stage] += 1
        if score.stage == "ungraded":
            graded.causes[score.detail or "unknown"] += 1
    wordings = sheet.open_answers(grading)
    graded.judged += _pairs([word for word in words if word.answer in wordings], grading)


async def _ask(judging: Player, grading: Grading, sheet: Sheet, wordings: Mapping[str, str]) -> list[Judgement]:
    mine = [judgement for judgement in sheet.judgements if judgement.judge == judging.name]
    heard = {judgement.answer for judgement in mine if judgement.right is not None}
    left = {answer: wording for answer, wording in wordings.items() if answer not in heard}
    if not left:
        return []
    # A judge that failed is asked under a new sample number: the stored replies are those that could not be used.
    tries = max((judgement.tries for judgement in mine if judgement.answer in left), default=0)
    fresh = await judge(judging, sheet.case, left, grading.team.seated(tries), grading.batch)
    return [judgement if judgement.right is not None else replace(judgement, tries=tries + 1) for judgement in fresh]


def judgement_of(row: Row, judge_name: str) -> Judgement:
    """A judge's word as it is stored."""
    right = None if row["right"] is None else bool(row["right"])
    return Judgement(row["answer"], judge_name, right, row["detail"], row["call_key"], row["tries"] or 0)


def _left_open(sheet: Sheet, grading: Grading) -> Iterator[OpenAnswer]:
    counts = Counter(normalise(row["answer"]) for row in sheet.episodes if row["answer"] is not None)
    for answer, wording in sheet.open_answers(grading).items():
        if answer in sheet.persons:
            continue
        words = tuple(judgement for judgement in sheet.judgements if judgement.answer == answer)
        if not grading.judges or grading.score(sheet.case, wording, words, None).value is None:
            yield OpenAnswer(sheet.case, answer, wording, words, counts[answer])


def _pairs(judgements: Sequence[Judgement], grading: Grading) -> Iterator[tuple[bool, bool]]:
    if len(grading.judges) != 2:
        return
    first, second = (judging.name for judging in grading.judges)
    words: dict[str, dict[str, bool]] = defaultdict(dict)
    for judgement in judgements:
        if judgement.right is not None:
            words[judgement.answer][judgement.judge] = judgement.right
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
    }
