"""Lessons for strategies that learn: the graded drafts of other questions of a run, read from its store.

The players of a cell that learns are asked alone first, and what they said is graded and grouped (`Plan.lessons_from`);
then each question is decided by what is stored of others, so a figure hangs on nothing else that is in the file. Questions
are dealt into folds, and each is decided by the lessons of the other folds: never by one of its own, nor of one with the
same words, nor of one that belongs together with it, be it by way of others: what a report counts as one. And by lessons of
its own kind alone: how good players are at one kind, and how often those are right who agree, says nothing of another. What an
episode was decided from is told by a fingerprint: a judge who had failed, or a person, may say more later, and then it is
decided again.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from functools import partial
from typing import NamedTuple

import orjson

from moot.data.clusters import clusters_of, dealing_names
from moot.decide.talk_chance import end_of
from moot.engine.batches import batches
from moot.engine.grading import Grade, stored_grades
from moot.engine.matching import Drafted, Matched, Matches, match_drafted
from moot.experiment.plan import Cell, Plan
from moot.needs import Needs
from moot.store import queries
from moot.store.rows import verdict_of
from moot.store.store import Store
from moot.team import Lesson
from moot.team.lessons import FOLDS, LessonVerdict
from moot.traces import DecidedFrom, hanging
from moot.types import WITH_ANSWER, Answer, Case, QuestionKind, Verdict, digest

FINGERPRINTS = 2**128

Fold = int | str
"""One of so many; with fewer than that, what a question is a part of."""


@dataclass(frozen=True, slots=True)
class Table:
    """Who is learnt from: the players of a cell in their order, how they were asked, and for the how manieth time."""

    players: tuple[str, ...]
    way: str | None
    repeat: int
    verdicts: tuple[str, int] | None = None
    """Whose verdicts are learnt from too, and of which play: those of the same strategy that gives all its answers."""

    @classmethod
    def of(cls, cell: Cell, repeat: int) -> Table:
        names = tuple(player.name for player in cell.team.players)
        verdicts = None if cell.plain is None else (cell.plain, repeat)
        return cls(names, cell.traits.drafts, cell.traits.drafts_repeat(repeat), verdicts)


@dataclass(slots=True)
class _Learnt:
    """All lessons of one table and one kind of questions, and which of them are of one fold."""

    lessons: list[Lesson] = field(default_factory=list)
    folds: list[Fold] = field(default_factory=list)
    """Of each: whatever is decided in that fold learns none of these lessons."""
    prints: Counter[Fold] = field(default_factory=Counter)
    """By fold: the sum of the fingerprints of its lessons, which is that of any set of them, in any order."""
    missed: Counter[Fold] = field(default_factory=Counter)
    """By fold: on how many of its questions a model could not be reached."""
    unreached: dict[Fold, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Who, by fold."""
    _others: dict[Fold, tuple[Lesson, ...]] = field(default_factory=dict)

    def add(self, fold: Fold, lesson: Lesson) -> None:
        self.lessons.append(lesson)
        self.folds.append(fold)
        said = [[draft.player, draft.text, draft.reasoning, draft.outcome] for draft in lesson.drafts]
        verdict = [] if lesson.verdict is None else [_told(lesson.verdict)]
        category = [lesson.category] if lesson.category else []
        seen = [lesson.question.digest, said, lesson.rights, lesson.groups, lesson.unit, *category, *verdict]
        self.prints[fold] += int(digest(seen), 16)
        self._others.clear()

    def miss(self, fold: Fold, names: Collection[str]) -> None:
        self.missed[fold] += 1
        self.unreached[fold].update(names)

    def decided_from(self, fold: Fold) -> DecidedFrom:
        """What is decided in a fold is decided from the others."""
        who = {name for other, names in self.unreached.items() if other != fold for name in names}
        missed = self.missed.total() - self.missed[fold]
        return DecidedFrom(len(self.others(fold)), self.fingerprint(fold), missed, tuple(sorted(who)))

    def others(self, fold: Fold) -> tuple[Lesson, ...]:
        """Made once: one and the same object for all questions of a fold, so that what is learnt from it can be kept by it."""
        if fold not in self._others:
            placed = zip(self.lessons, self.folds, strict=True)
            self._others[fold] = tuple(lesson for lesson, of in placed if of != fold)
        return self._others[fold]

    def fingerprint(self, fold: Fold) -> str:
        """Of the lessons of the other folds."""
        return f"{(self.prints.total() - self.prints[fold]) % FINGERPRINTS:032x}"


def _told(verdict: LessonVerdict) -> list[object]:
    """How it ended only where that teaches: what is stored of all others stays what it was."""
    *told, end = astuple(verdict)
    return [*told, end] if end else told


def _named(case: Case) -> tuple[str, str | None]:
    """One question may stand in a file twice, each time in another cluster."""
    return case.question.digest, case.cluster_key


class Lessons:
    """All lessons of a run, for whoever decides by them. `cases`: all that are asked, by which it is known what belongs
    together, and whether these are enough to be dealt into folds."""

    def __init__(self, cases: Iterable[Case]) -> None:
        self._learnt: dict[tuple[Table, QuestionKind], _Learnt] = defaultdict(_Learnt)
        named = {_named(case): case for case in cases}
        # The order of a question's choices makes no other question of it, and deals it into no other fold.
        self._units = {**dealing_names(named.items()), **clusters_of(named.items())}
        self._dealt = len({self._unit(case) for case in named.values()}) >= FOLDS

    def _unit(self, case: Case) -> str:
        return self._units.get(_named(case), case.question.digest)

    def _fold(self, case: Case) -> Fold:
        """By nothing but what the question is a part of: where questions are added the others stay where they are."""
        unit = self._unit(case)
        return int(digest(["fold", unit]), 16) % FOLDS if self._dealt else unit

    def add(self, table: Table, case: Case, lesson: Lesson) -> None:
        self._learnt[table, case.question.kind].add(self._fold(case), replace(lesson, unit=self._unit(case)))

    def miss(self, table: Table, case: Case, names: Collection[str]) -> None:
        """These could not be reached when this was asked."""
        self._learnt[table, case.question.kind].miss(self._fold(case), names)

    def of(self, case: Case, cell: Cell, repeat: int) -> tuple[Lesson, ...]:
        """What this cell may learn from for this question: its own players' drafts on those of its kind in the other folds."""
        return self._learnt[Table.of(cell, repeat), case.question.kind].others(self._fold(case))

    def decided_from(self, case: Case, cell: Cell, repeat: int) -> DecidedFrom:
        """The same as a record."""
        return self._learnt[Table.of(cell, repeat), case.question.kind].decided_from(self._fold(case))

    def seated(self, case: Case, cell: Cell, repeat: int) -> Cell:
        team = replace(cell.team, lessons=self.of(case, cell, repeat), category=case.category or "")
        return replace(cell, team=team)


async def gather_lessons(store: Store, plan: Plan) -> tuple[Lessons, Matched]:
    """All that there is to learn from; drafts that nobody has grouped yet are grouped. `plan` is seated."""
    lessons, matched, cells = Lessons(plan.dataset or ()), Matched(), tables_of(plan)
    without_drafts = [(table, tuple[Answer, ...]()) for table in cells if table.way is None]
    for cases in batches(plan.dataset or ()):
        tables, verdicts, unreached = await _read_on(store, plan, cases)
        needs = Needs(grouped_drafts=True, matched_words=bool(verdicts))
        matched += await match_drafted(store, plan, cases, _drafted(plan, tables, verdicts), needs)
        await store.flush()
        questions = [case.question.digest for case in cases]
        matches = Matches(await store.run(partial(queries.matches_on, questions=questions)), plan.public_config)
        grades = await stored_grades(store, plan.grading, cases)
        for case in cases:
            for table, drafts in (*tables[case.question.digest].items(), *without_drafts):
                lesson = _lesson(case, table, drafts, grades, matches)
                if (played := _verdict_at(table, case, verdicts)) is not None:
                    told = _lesson_verdict(case, table, cells[table], played, grades, matches)
                    lesson = replace(lesson, verdict=told)
                lessons.add(table, case, lesson)
            for table in cells:
                if names := _unreached_at(table, case, unreached):
                    lessons.miss(table, case, names)
    return lessons, matched


def _lesson(case: Case, table: Table, drafts: tuple[Answer, ...], grades: Grade, matches: Matches) -> Lesson:
    rights = tuple(grades(case, draft.text) for draft in drafts)
    groups = matches.groups(case.question, table.repeat, drafts)
    return Lesson(case.question, drafts, rights, groups, category=case.category or "")


def _lesson_verdict(
    case: Case, table: Table, cell: Cell, verdict: Verdict, grades: Grade, matches: Matches
) -> LessonVerdict:
    """What was said, whose draft that is, and what it was worth."""
    if verdict.outcome not in WITH_ANSWER or verdict.answer is None:
        return LessonVerdict(answered=False, holders=None, right=None)
    holders: tuple[str, ...] | None = verdict.who
    right = None if hanging(verdict.traces) else grades(case, verdict.answer)
    if table.way is None:
        return LessonVerdict(True, holders, right, end_of(verdict))
    if cell.traits.word not in ("group", "player"):
        holders = matches.proposers(case.question, table.repeat, verdict.answers, verdict.answer)
    return LessonVerdict(answered=True, holders=holders, right=right)


DraftsAtTables = Mapping[str, Mapping[Table, tuple[Answer, ...]]]
"""By question: what the players of each table said alone, in the order of their seats."""


async def _read_on(store: Store, plan: Plan, cases: Sequence[Case]) -> tuple[DraftsAtTables, VerdictsOn, UnreachedOn]:
    """What is stored of these questions and learnt from: what was said alone, and the verdicts of strategies that tell by them
    how sure they are. Whoever failed is in none: it is asked again by the next run, and then there is more to learn from."""
    natives = {cell.id: cell for cell in plan.lessons_from if cell.player is not None}
    verdicts_of = {table.verdicts[0] for table in tables_of(plan) if table.verdicts is not None}
    questions = [case.question.digest for case in cases]
    read = partial(queries.episodes_on, cells=sorted({*natives, *verdicts_of}), questions=questions)
    drafts: dict[tuple[str, str | None, int], dict[str, Answer]] = defaultdict(dict)
    verdicts: dict[tuple[str, str, int], Verdict] = {}
    unreached: UnreachedOn = {}
    for row in await store.run(read):
        verdict, names = verdict_of(row["verdict"]), orjson.loads(row["unreached"] or "[]")
        if (native := natives.get(row["cell"])) is not None:
            by_player = drafts[row["question"], native.traits.drafts, row["repeat"]]
            by_player.update((draft.player, draft) for draft in verdict.answers)
            alone = AskedAlone(row["question"], native.player or "", native.traits.drafts, row["repeat"])
            unreached[alone] = names
        if row["cell"] in verdicts_of:
            verdicts[row["cell"], row["question"], row["repeat"]] = verdict
            unreached[row["cell"], row["question"], row["repeat"]] = names
    tables: dict[str, dict[Table, tuple[Answer, ...]]] = {question: {} for question in questions}
    for question in questions:
        for table in tables_of(plan):
            by_player = drafts[question, table.way, table.repeat]
            if heard := tuple(by_player[name] for name in table.players if name in by_player):
                tables[question][table] = heard
    return tables, verdicts, unreached


class AskedAlone(NamedTuple):
    """One play of a player by itself."""

    question: str
    player: str
    way: str | None
    repeat: int


VerdictsOn = Mapping[tuple[str, str, int], Verdict]
"""By cell, question and repeat: the verdicts that are learnt from."""
UnreachedOn = dict[AskedAlone | tuple[str, str, int], Sequence[str]]
"""By a play of a player alone, or of a strategy whose verdicts are learnt from: who could not be reached in it."""


def _unreached_at(table: Table, case: Case, unreached: UnreachedOn) -> set[str]:
    """In what this table learns from of a question."""
    question = case.question.digest
    found = {
        name
        for player in table.players
        for name in unreached.get(AskedAlone(question, player, table.way, table.repeat), ())
    }
    if table.verdicts is not None:
        found.update(unreached.get((table.verdicts[0], question, table.verdicts[1]), ()))
    return found


def _verdict_at(table: Table, case: Case, verdicts: VerdictsOn) -> Verdict | None:
    if table.verdicts is None:
        return None
    cell, repeat = table.verdicts
    return verdicts.get((cell, case.question.digest, repeat))


def tables_of(plan: Plan) -> dict[Table, Cell]:
    """Each with one of the cells that sit there."""
    repeats = plan.spec.repeats
    return {Table.of(cell, repeat): cell for cell in plan.learners for repeat in cell.plays(repeats)}


def _drafted(plan: Plan, tables: DraftsAtTables, verdicts: VerdictsOn) -> dict[str, list[Drafted]]:
    """The drafts of every table as what they are to those who group: read together; with what was then said of them."""
    cells = tables_of(plan)
    played: dict[str, list[Drafted]] = {}
    for question, by_table in tables.items():
        played[question] = [
            Drafted(cells[table], table.repeat, Verdict(None, "answered", answers=drafts))
            for table, drafts in by_table.items()
        ]
        for table in by_table:
            if table.verdicts is not None and (said := verdicts.get((table.verdicts[0], question, table.verdicts[1]))):
                played[question].append(Drafted(cells[table], table.repeat, said))
    return played
