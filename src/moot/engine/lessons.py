"""Lessons for strategies that learn: the graded drafts of the other questions of a run, read from its store.

A cell that learns is played after everything else has been played and graded. Its own drafts come from the cache, since
others have asked for them; so it costs nothing to decide by what was learnt. A question is never decided by a lesson of
its own, nor of one with the same words, nor of one that belongs together with it.

The lessons are those of the plan's own questions under its own grader, so both are part of what such a cell is (see
`experiment.plan.with_lessons`): another file of questions, another sample or another judge makes it another cell, with
episodes of its own. What a judge who had failed says later, or a person, changes no episode that is played.

Drafts are those that the other cells of the plan have left. Where nobody else drafts, there is nothing to learn from.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

from moot.engine.grading import stored_grades
from moot.engine.matching import Matches, drafts_repeat, own_repeats
from moot.experiment.plan import Cell, Plan
from moot.store import queries
from moot.store.rows import verdict_of
from moot.store.store import Store
from moot.team import Lesson
from moot.traces import NotNeeded, of_kind
from moot.types import Answer, Case, Question

QUESTIONS_TOGETHER = 100

Way = str | None
"""How drafts were asked for: see `Traits.drafts`."""


def learning(plan: Plan) -> list[Cell]:
    return [cell for cell in plan.cells if cell.traits.learns]


@dataclass(frozen=True, slots=True)
class _Learnt:
    """The lessons of one question, and what tells which questions may not learn from it."""

    lesson: Lesson
    cluster: str | None


class Lessons:
    """All lessons of a run, by how drafts were asked for and in which repeat."""

    def __init__(self, learnt: Mapping[tuple[Way, int], Sequence[_Learnt]]) -> None:
        self._learnt = learnt

    def of(self, case: Case, cell: Cell, repeat: int) -> tuple[Lesson, ...]:
        """What this cell may learn from for this question: its own players' drafts on the others."""
        names = {player.name for player in cell.team.players}
        learnt = self._learnt.get((cell.traits.drafts, drafts_repeat(repeat, own_repeats(cell))), ())
        return tuple(_among(other.lesson, names) for other in learnt if not _together(case, other))

    def seated(self, case: Case, cell: Cell, repeat: int) -> Cell:
        return replace(cell, team=replace(cell.team, lessons=self.of(case, cell, repeat)))


def _together(case: Case, other: _Learnt) -> bool:
    """Whether a lesson is of the question itself, of the same words, or of one that belongs together with it."""
    question, learnt = case.question, other.lesson.question
    if question.digest == learnt.digest or _words(question) == _words(learnt):
        return True
    return case.cluster is not None and case.cluster == other.cluster


def _words(question: Question) -> tuple[str, tuple[str, ...], str | None]:
    return question.text, question.choices, question.context


def _among(lesson: Lesson, names: set[str]) -> Lesson:
    """Only what these players said."""
    if names >= {draft.player for draft in lesson.drafts}:
        return lesson
    pairs = [(draft, right) for draft, right in zip(lesson.drafts, lesson.rights, strict=True) if draft.player in names]
    groups = (tuple(name for name in group if name in names) for group in lesson.groups)
    drafts, rights = (tuple(pair[place] for pair in pairs) for place in (0, 1))
    return Lesson(lesson.question, drafts, rights, tuple(filter(None, groups)))  # type: ignore[arg-type]


async def read_lessons(store: Store, plan: Plan) -> Lessons:
    """Everything that the cells of a plan that do not learn have left to learn from."""
    cells = {cell.id: cell for cell in plan.cells if not cell.traits.learns and cell.traits.drafts is not None}
    learnt: dict[tuple[Way, int], list[_Learnt]] = defaultdict(list)
    walker = iter(plan.dataset or ())
    while cases := list(islice(walker, QUESTIONS_TOGETHER)):
        for (way, repeat), lessons in (await _lessons_on(store, plan, cells, cases)).items():
            learnt[way, repeat] += lessons
    return Lessons(learnt)


async def _lessons_on(
    store: Store, plan: Plan, cells: Mapping[str, Cell], cases: Sequence[Case]
) -> dict[tuple[Way, int], list[_Learnt]]:
    questions = [case.question.digest for case in cases]
    drafts: dict[tuple[str, Way, int], dict[str, Answer]] = defaultdict(dict)
    for row in await store.run(partial(queries.episodes_on, cells=list(cells), questions=questions)):
        cell = cells[row["cell"]]
        key = (row["question"], cell.traits.drafts, drafts_repeat(row["repeat"], own_repeats(cell)))
        verdict = verdict_of(row["verdict"])
        not_heard = {name for record in of_kind(verdict.traces, NotNeeded) for name in record.players}
        for draft in verdict.answers:
            if draft.player not in not_heard:
                drafts[key].setdefault(draft.player, draft)
    matches = Matches(await store.run(partial(queries.matches_on, questions=questions)), plan.public_config)
    grades = await stored_grades(store, plan.grading, cases)
    seats = {name: seat for seat, name in enumerate(plan.players)}
    by_digest = {case.question.digest: case for case in cases}
    learnt: dict[tuple[Way, int], list[_Learnt]] = defaultdict(list)
    for (question, way, repeat), by_player in drafts.items():
        case = by_digest[question]
        ordered = _in_order(by_player.values(), seats)
        rights = tuple(grades(case, draft.text) for draft in ordered)
        groups = matches.groups(case.question, repeat, ordered)
        learnt[way, repeat].append(_Learnt(Lesson(case.question, ordered, rights, groups), case.cluster))
    return learnt


def _in_order(drafts: Iterable[Answer], seats: Mapping[str, int]) -> tuple[Answer, ...]:
    """As the players stand in the file, whichever cell was read first."""
    return tuple(sorted(drafts, key=lambda draft: (seats.get(draft.player, len(seats)), draft.player)))
