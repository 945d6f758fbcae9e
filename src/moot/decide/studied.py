"""What lessons teach about a team: the graded drafts of other questions as candidates, and rules learnt from them.

A run hands the same lessons, as one tuple, to all questions that may learn from them, and to every captain. So what was
learnt is kept beside that very tuple, a few tuples long: a run learns as often as it has different lessons, and not once a
question. Nothing else hangs on it: the same lessons teach the same.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from moot.decide.candidates import Candidates, candidates_by_name
from moot.decide.cascading import StageModels, Waves, stage_models
from moot.decide.choice_model import ChoiceModel, learn
from moot.decide.learning import LEARNT, PLURALITY, Learner, LearntRule, learn_rule, most_probable, too_few_to_learn
from moot.decide.promise import kept_apart
from moot.decide.rules import DraftRule, Plurality
from moot.errors import UsageError
from moot.later import numpy as np
from moot.stats.graded import FEW_WAITING
from moot.team import Lesson
from moot.types import Question, digest

T = TypeVar("T")

KEPT = 64
"""Tuples of lessons whose teaching is remembered, however long they are."""
KEPT_LESSONS = 100_000
"""More tuples are while they have no more lessons than that together. Every fold of every strategy that abstains has a tuple, and
two parts of it: a run that goes through them question by question would else learn all of them anew each time."""


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
    _more: dict[object, Any] = field(default_factory=dict, repr=False)

    def rule(
        self, kind: str = LEARNT, learner: Learner | None = None, named: object = None
    ) -> LearntRule | NothingLearnt:
        """The rule of this kind, or the better of the others where it is no better. `named`: what tells learners of one
        kind apart."""
        key = kind, named
        if key not in self._learnt:
            self._learnt[key] = self._tried(lambda: learn_rule(self.candidates, self.units, kind=kind, learner=learner))
        return self._learnt[key]

    def pooled(self) -> Studied:
        """The same with all categories as one: whoever asks one after another counts voices, and these must be the same in
        all of them."""
        if not self.candidates.categories:
            return self

        def made() -> Studied:
            return replace(self, candidates=replace(self.candidates, categories=()), _learnt={}, _more={})

        return self.once("pooled", made)

    def stages(self, waves: Waves, learnt: LearntRule) -> StageModels:
        """For every stage of a cascade what is learnt of those alone who were asked by then."""

        def made() -> StageModels:
            known = self.candidates.graded(learnt.settled)
            return stage_models(known, waves, learnt.model.penalty, learnt.model)

        return self.once(("stages", *map(tuple, waves)), made)

    def model(self) -> ChoiceModel | NothingLearnt:
        """What tells how likely each answer is to be right: the model of the rule, where that is learnt already."""
        if isinstance(learnt := self._learnt.get((LEARNT, None)), LearntRule):
            return learnt.model
        return self.once("model", self._model)

    def model_of(self, names: frozenset[str]) -> ChoiceModel | NothingLearnt:
        """The same, had only these players been asked."""
        whole = self.model()
        seats = [seat for seat, name in enumerate(self.candidates.players) if name in names]
        if isinstance(whole, NothingLearnt) or len(seats) == len(whole.players):
            return whole

        def made() -> ChoiceModel:
            known = self.candidates.graded(np.flatnonzero(self.candidates.settled))
            return learn(known.only(seats), whole.penalty, category_pull=None)

        return self.once(("model of", *seats), made)

    def _model(self) -> ChoiceModel | NothingLearnt:
        if (why := self._why_unfair()) is not None:
            return NothingLearnt(why)
        settled = np.flatnonzero(self.candidates.settled)
        names = [self.units[place] for place in settled]
        if (few := too_few_to_learn(len(settled), names)) is not None:
            return NothingLearnt(few)
        return most_probable(self.candidates.graded(settled), names).model

    def parted(self) -> tuple[tuple[Lesson, ...], tuple[Lesson, ...]]:
        """Lessons to learn from, and those that are kept for a promise; each one and the same object every time."""

        def part() -> tuple[tuple[Lesson, ...], tuple[Lesson, ...]]:
            if not self.lessons:
                return (), ()
            apart = kept_apart(self.units)
            taught, kept = (
                tuple(each for each, away in zip(self.lessons, apart, strict=True) if away == wanted)
                for wanted in (False, True)
            )
            return taught, kept

        return self.once("parts", part)

    def for_promise(self) -> tuple[Candidates, list[str]]:
        """Questions that a promise can be made on: all but those of which nobody ever says what is right."""
        open_ones = np.array([lesson.question.kind == "open" for lesson in self.lessons], dtype=np.bool_)
        places = np.flatnonzero(self.candidates.settled | (self.candidates.waiting & open_ones))
        return self.candidates.at(places), [self.units[place] for place in places]

    def once(self, key: object, make: Callable[[], T]) -> T:
        """What is made of these lessons, made once."""
        if key not in self._more:
            self._more[key] = make()
        made: T = self._more[key]
        return made

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
        _forget_the_oldest()
    _KEPT[key] = found
    return found


def _forget_the_oldest() -> None:
    while len(_KEPT) >= KEPT and sum(len(kept.lessons) for kept in _KEPT.values()) > KEPT_LESSONS:
        _KEPT.popitem(last=False)


_KEPT: OrderedDict[tuple[int, tuple[str, ...]], Studied] = OrderedDict()


def _study(lessons: tuple[Lesson, ...], players: tuple[str, ...]) -> Studied:
    rights = [
        {draft.player: right for draft, right in zip(lesson.drafts, lesson.rights, strict=True)} for lesson in lessons
    ]
    categories = [lesson.category for lesson in lessons]
    groups = [lesson.groups for lesson in lessons]
    candidates = candidates_by_name(players, groups, rights, categories if any(categories) else ())
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
    if not questions or any(not question.is_closed for question in questions):
        return None
    return max(len(question.choices) or 2 for question in questions)
