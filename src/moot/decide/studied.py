"""What lessons teach about a team: the graded drafts of other questions as candidates, and rules learnt from them.

A run hands the same lessons, as one tuple, to all questions that may learn from them, and to every captain. So what was
learnt is kept beside that very tuple, a few tuples long: a run learns as often as it has different lessons, and not once a
question. Nothing else hangs on it: the same lessons teach the same.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from moot.decide.candidates import Candidates, candidates_by_name
from moot.decide.cascading import StageModels, Waves, stage_models
from moot.decide.learning import LEARNT, PLURALITY, Learner, LearntRule, learn_rule
from moot.decide.rules import DraftRule, Plurality
from moot.errors import UsageError
from moot.stats.graded import FEW_WAITING
from moot.team import Lesson
from moot.types import Question, digest

KEPT = 64
"""Tuples of lessons whose teaching is remembered."""


@dataclass(frozen=True, slots=True, eq=False)
class NothingLearnt:
    """Why there is no rule; the largest group is taken meanwhile."""

    why: str
    rule: DraftRule = field(default_factory=Plurality)
    kept: str = PLURALITY


@dataclass(frozen=True, slots=True, eq=False)
class Studied:
    """The lessons of one table, and what was learnt from them so far."""

    lessons: tuple[Lesson, ...]
    candidates: Candidates
    units: tuple[str, ...]
    choices: int | None
    """Among how many answers they choose; None: some of the questions have free answers."""
    _learnt: dict[object, LearntRule | NothingLearnt] = field(default_factory=dict, repr=False)
    _stages: dict[object, StageModels] = field(default_factory=dict, repr=False)

    def rule(
        self, kind: str = LEARNT, learner: Learner | None = None, named: object = None
    ) -> LearntRule | NothingLearnt:
        """The rule of this kind, or the better of the others where it is no better. `named`: what tells learners of one
        kind apart."""
        key = kind, named
        if key not in self._learnt:
            self._learnt[key] = self._tried(lambda: learn_rule(self.candidates, self.units, kind=kind, learner=learner))
        return self._learnt[key]

    def stages(self, waves: Waves, learnt: LearntRule) -> StageModels:
        """For every stage of a cascade what is learnt of those alone who were asked by then."""
        key = tuple(map(tuple, waves))
        if key not in self._stages:
            known = self.candidates.graded(learnt.settled)
            self._stages[key] = stage_models(known, waves, learnt.model.penalty, learnt.model)
        return self._stages[key]

    def _tried(self, learn: Callable[[], LearntRule]) -> LearntRule | NothingLearnt:
        if (why := self._why_unfair()) is not None:
            return NothingLearnt(f"plurality stands: {why}")
        try:
            return learn()
        except UsageError as error:
            return NothingLearnt(f"plurality stands: {error}")

    def _why_unfair(self) -> str | None:
        """What is graded at once is right, and the rest waits for somebody: while much waits, what is graded flatters.

        A question with choices that has no grade has no reference, and says nothing of the others.
        """
        open_ones = np.array([lesson.question.kind == "open" for lesson in self.lessons], dtype=np.bool_)
        waits = self.candidates.waiting & open_ones
        waiting, gradable = int(waits.sum()), int((waits | self.candidates.settled).sum())
        if waiting <= FEW_WAITING * gradable:
            return None
        return f"{waiting:,} of {gradable:,} questions wait for a grade, and whether one has it hangs on what was said"


def studied(lessons: tuple[Lesson, ...], players: tuple[str, ...]) -> Studied:
    """Of these lessons for these players, in the order of their seats; learnt once for the very same tuple."""
    key = id(lessons), players
    found = _KEPT.pop(key, None)
    if found is None or found.lessons is not lessons:
        found = _study(lessons, players)
    _KEPT[key] = found
    while len(_KEPT) > KEPT:
        _KEPT.popitem(last=False)
    return found


_KEPT: OrderedDict[tuple[int, tuple[str, ...]], Studied] = OrderedDict()


def _study(lessons: tuple[Lesson, ...], players: tuple[str, ...]) -> Studied:
    rights = [
        {draft.player: right for draft, right in zip(lesson.drafts, lesson.rights, strict=True)} for lesson in lessons
    ]
    candidates = candidates_by_name(players, [lesson.groups for lesson in lessons], rights)
    questions = [lesson.question for lesson in lessons]
    return Studied(lessons, candidates, tuple(map(unit_of_lesson, lessons)), choices_of(questions))


def unit_of_lesson(lesson: Lesson) -> str:
    """What it is one piece of evidence with: what it says itself, else the passage that it is about, else its words."""
    if lesson.unit is not None:
        return lesson.unit
    question = lesson.question
    return f"on {digest(question.context)}" if question.context else question.wording


def choices_of(questions: list[Question]) -> int | None:
    """Among how many answers a player chooses; None where answers are free."""
    if not questions or any(question.kind == "open" for question in questions):
        return None
    return max(len(question.choices) or 2 for question in questions)
