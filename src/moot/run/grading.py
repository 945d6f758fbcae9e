"""Grading what is stored: every episode's answer against its case, by match, by judges, by a person's word.

It calls judges, never players, so it can be done again at any time. What a judge has said of an answer is kept, and
asked for once; a judge that failed is asked again the next time.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from moot.grade.judge import Judgement, judge, needs_judge, settled
from moot.grade.match import match
from moot.grade.normalise import normalise
from moot.store import queries, schema
from moot.store.rows import score_row
from moot.store.sqlite import SqliteStore
from moot.store.statements import Row
from moot.team import Player, Team
from moot.types import Case, Score

T = TypeVar("T")

QUESTIONS_TOGETHER = 100


@dataclass(frozen=True, slots=True)
class Grading:
    """Who grades: the judges, if there are any, seated where their prompts come from."""

    team: Team
    """Only for its prompts and its journal; nobody in it is asked anything."""
    judges: tuple[Player, ...] = ()

    @property
    def name(self) -> str:
        """What the scores are stored under: other judges, other scores."""
        return "+".join(("match", *(judging.name for judging in self.judges)))

    def at_once(self, case: Case, answer: str | None) -> Score:
        """The grade that needs nobody's word; what a judge must see stays ungraded until then."""
        return settled(case, answer, (), None, judges=len(self.judges)) if self.judges else match(case, answer)


@dataclass
class Graded:
    """What came of it."""

    scores: int = 0
    ungraded: int = 0
    disputed: int = 0
    judged: list[tuple[bool, bool]] = field(default_factory=list)
    """Answers that two judges both graded, for their agreement."""


async def grade_all(store: SqliteStore, grading: Grading, cells: Sequence[str], cases: Iterable[Case]) -> Graded:
    """Grade every stored episode of these cells on these cases."""
    graded = Graded()
    for batch in _batches(cases, QUESTIONS_TOGETHER):
        questions = [case.question.digest for case in batch]
        rows = await store.run(partial(queries.episodes_on, cells=cells, questions=questions))
        known = await store.run(partial(queries.judgements_on, cases=[case.digest for case in batch]))
        persons = await store.run(partial(queries.settlements_on, cases=[case.digest for case in batch]))
        by_question: dict[str, list[Row]] = defaultdict(list)
        for row in rows:
            by_question[row["question"]].append(row)
        work = [_grade_case(store, grading, case, by_question[case.question.digest], known, persons) for case in batch]
        for scores, judgements in await asyncio.gather(*work):
            graded.scores += len(scores)
            graded.ungraded += sum(score.stage == "ungraded" for score in scores)
            graded.disputed += sum(score.stage == "disputed" for score in scores)
            graded.judged += _pairs(judgements, grading)
    await store.flush()
    return graded


async def _grade_case(
    store: SqliteStore,
    grading: Grading,
    case: Case,
    episodes: Sequence[Row],
    known: Sequence[Row],
    persons: dict[tuple[str, str], bool],
) -> tuple[list[Score], list[Judgement]]:
    earlier = [_judgement(row) for row in known if row["case"] == case.digest and row["right"] is not None]
    open_answers = sorted({normalise(row["answer"]) for row in episodes if needs_judge(case, row["answer"])})
    fresh = [
        each
        for heard in await asyncio.gather(
            *(_ask(judging, grading, case, open_answers, earlier) for judging in grading.judges)
        )
        for each in heard
    ]
    store.put_later([(schema.judgements, _judgement_row(case, each)) for each in fresh])
    judgements = [*earlier, *fresh]
    scores = []
    for row in episodes:
        answer = row["answer"]
        person = persons.get((case.digest, normalise(answer))) if answer is not None else None
        score = _score(grading, case, answer, judgements, person)
        scores.append(score)
        graded = score_row(row["cell"], case.digest, row["repeat"], grading.name, score)
        store.put_later([(schema.scores, graded)])
    return scores, judgements


def _score(
    grading: Grading, case: Case, answer: str | None, judgements: Sequence[Judgement], person: bool | None
) -> Score:
    names = {judging.name for judging in grading.judges}
    heard = [each for each in judgements if each.judge in names]
    if not names and person is None:
        return match(case, answer)  # without a judge what does not match is wrong
    return settled(case, answer, heard, person, judges=len(names))


async def _ask(
    judging: Player, grading: Grading, case: Case, answers: Sequence[str], earlier: Sequence[Judgement]
) -> list[Judgement]:
    heard = {each.answer for each in earlier if each.judge == judging.name}
    left = [answer for answer in answers if answer not in heard]
    return await judge(judging, case, left, grading.team.seated()) if left else []


def _pairs(judgements: Sequence[Judgement], grading: Grading) -> Iterator[tuple[bool, bool]]:
    if len(grading.judges) != 2:
        return
    first, second = (judging.name for judging in grading.judges)
    words: dict[str, dict[str, bool]] = defaultdict(dict)
    for each in judgements:
        if each.right is not None:
            words[each.answer][each.judge] = each.right
    for given in words.values():
        if first in given and second in given:
            yield given[first], given[second]


def _judgement(row: Row) -> Judgement:
    return Judgement(row["answer"], row["judge"], None if row["right"] is None else bool(row["right"]), row["detail"])


def _judgement_row(case: Case, each: Judgement) -> dict[str, Any]:
    right = None if each.right is None else int(each.right)
    return {"case": case.digest, "answer": each.answer, "judge": each.judge, "right": right, "detail": each.detail}


def _batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    walker = iter(items)
    while batch := list(islice(walker, size)):
        yield batch
