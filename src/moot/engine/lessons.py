"""Lessons for strategies that learn: the graded drafts of the other questions of a run, read from its store.

The players of a cell that learns are asked alone first, and what they said is graded and grouped (`Plan.lessons_from`);
then each question is decided by what is stored of the others, so a figure hangs on nothing else that is in the file. A
question is never decided by a lesson of its own, nor of one with the same words, nor of one that belongs together with
it, be it by way of others: what a report counts as one. What an episode was decided from is told by a fingerprint: a judge
who had failed, or a person, may say more later, and then it is decided again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from moot.data.clusters import clusters_of
from moot.engine.batches import batches
from moot.engine.grading import Grade, stored_grades
from moot.engine.matching import Drafted, Matched, Matches, match_drafted
from moot.experiment.plan import Cell, Plan
from moot.needs import Needs
from moot.store import queries
from moot.store.rows import verdict_of
from moot.store.store import Store
from moot.team import Lesson
from moot.traces import DecidedFrom
from moot.types import Answer, Case, Verdict, digest

FINGERPRINTS = 2**128


@dataclass(frozen=True, slots=True)
class Table:
    """Who is learnt from: the players of a cell in their order, how they were asked, and for the how manieth time."""

    players: tuple[str, ...]
    way: str | None
    repeat: int

    @classmethod
    def of(cls, cell: Cell, repeat: int) -> Table:
        names = tuple(player.name for player in cell.team.players)
        return cls(names, cell.traits.drafts, cell.traits.drafts_repeat(repeat))


@dataclass(slots=True)
class _Learnt:
    """All lessons of one table, and which of them are about questions that belong together."""

    lessons: list[Lesson] = field(default_factory=list)
    prints: list[int] = field(default_factory=list)
    """A fingerprint of each; their sum is that of any set of them, in any order."""
    places: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    """By what a question is a part of: of these lessons it learns none."""

    def add(self, unit: str, lesson: Lesson) -> None:
        self.places[unit].append(len(self.lessons))
        self.lessons.append(lesson)
        said = [[draft.player, draft.text, draft.reasoning, draft.outcome] for draft in lesson.drafts]
        self.prints.append(int(digest([lesson.question.digest, said, lesson.rights, lesson.groups]), 16))

    def left_out(self, unit: str) -> set[int]:
        return set(self.places.get(unit, ()))


def _named(case: Case) -> tuple[str, str | None]:
    """One question may stand in a file twice, each time in another cluster."""
    return case.question.digest, case.cluster_key


class Lessons:
    """All lessons of a run, for whoever decides by them. `cases`: all that are asked, by which it is known what belongs
    together."""

    def __init__(self, cases: Iterable[Case]) -> None:
        self._learnt: dict[Table, _Learnt] = defaultdict(_Learnt)
        self._clusters = clusters_of((_named(case), case) for case in cases)

    def _unit(self, case: Case) -> str:
        return self._clusters.get(_named(case), case.question.digest)

    def add(self, table: Table, case: Case, lesson: Lesson) -> None:
        self._learnt[table].add(self._unit(case), lesson)

    def of(self, case: Case, cell: Cell, repeat: int) -> tuple[Lesson, ...]:
        """What this cell may learn from for this question: its own players' drafts on the others."""
        learnt = self._learnt[Table.of(cell, repeat)]
        left_out = learnt.left_out(self._unit(case))
        return tuple(lesson for place, lesson in enumerate(learnt.lessons) if place not in left_out)

    def decided_from(self, case: Case, cell: Cell, repeat: int) -> DecidedFrom:
        """The same as a record."""
        learnt = self._learnt[Table.of(cell, repeat)]
        left_out = learnt.left_out(self._unit(case))
        total = (sum(learnt.prints) - sum(learnt.prints[place] for place in left_out)) % FINGERPRINTS
        return DecidedFrom(len(learnt.lessons) - len(left_out), f"{total:032x}")

    def seated(self, case: Case, cell: Cell, repeat: int) -> Cell:
        return replace(cell, team=replace(cell.team, lessons=self.of(case, cell, repeat)))


async def gather_lessons(store: Store, plan: Plan) -> tuple[Lessons, Matched]:
    """All that there is to learn from; drafts that nobody has grouped yet are grouped. `plan` is seated."""
    lessons, matched = Lessons(plan.dataset or ()), Matched()
    for cases in batches(plan.dataset or ()):
        tables = await _tables_on(store, plan, cases)
        matched += await match_drafted(store, plan, cases, _drafted(plan, tables), Needs(grouped_drafts=True))
        await store.flush()
        questions = [case.question.digest for case in cases]
        matches = Matches(await store.run(partial(queries.matches_on, questions=questions)), plan.public_config)
        grades = await stored_grades(store, plan.grading, cases)
        for case in cases:
            for table, drafts in tables[case.question.digest].items():
                lessons.add(table, case, _lesson(case, table, drafts, grades, matches))
    return lessons, matched


def _lesson(case: Case, table: Table, drafts: tuple[Answer, ...], grades: Grade, matches: Matches) -> Lesson:
    rights = tuple(grades(case, draft.text) for draft in drafts)
    return Lesson(case.question, drafts, rights, matches.groups(case.question, table.repeat, drafts))


DraftsAtTables = Mapping[str, Mapping[Table, tuple[Answer, ...]]]
"""By question: what the players of each table said alone, in the order of their seats."""


async def _tables_on(store: Store, plan: Plan, cases: Sequence[Case]) -> DraftsAtTables:
    """Whoever failed is in none of them: it is asked again by the next run, and then there is more to learn from."""
    natives = {cell.id: cell for cell in plan.lessons_from}
    questions = [case.question.digest for case in cases]
    drafts: dict[tuple[str, str | None, int], dict[str, Answer]] = defaultdict(dict)
    for row in await store.run(partial(queries.episodes_on, cells=list(natives), questions=questions)):
        by_player = drafts[row["question"], natives[row["cell"]].traits.drafts, row["repeat"]]
        by_player.update((draft.player, draft) for draft in verdict_of(row["verdict"]).answers)
    tables: dict[str, dict[Table, tuple[Answer, ...]]] = {question: {} for question in questions}
    for question in questions:
        for table in tables_of(plan):
            by_player = drafts[question, table.way, table.repeat]
            if heard := tuple(by_player[name] for name in table.players if name in by_player):
                tables[question][table] = heard
    return tables


def tables_of(plan: Plan) -> dict[Table, Cell]:
    """Each with one of the cells that sit there."""
    repeats = plan.spec.repeats
    return {Table.of(cell, repeat): cell for cell in plan.learners for repeat in cell.plays(repeats)}


def _drafted(plan: Plan, tables: DraftsAtTables) -> dict[str, list[Drafted]]:
    """The drafts of every table as what they are to those who group: read together."""
    cells = tables_of(plan)
    return {
        question: [
            Drafted(cells[table], table.repeat, Verdict(None, "answered", answers=drafts))
            for table, drafts in by_table.items()
        ]
        for question, by_table in tables.items()
    }
