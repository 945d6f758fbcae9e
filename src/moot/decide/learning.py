"""Learning a rule from graded questions, and keeping it only where it has shown that it is better.

The rule, such as one with a weight for every player, is compared, on questions that it was not learnt on, with the two that
need no learning beyond who is best: the largest group, and the best player. It is taken where it is ahead of the better of
the two by more than the standard error of that difference; else that one is, and it is said. A probability has it either way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt

from moot.decide.candidates import Candidates, Floats, Places
from moot.decide.choice_model import ChoiceModel, learn_best
from moot.decide.rules import DraftRule, Leader, MostProbable, Plurality, expected_worth
from moot.errors import UsageError
from moot.later import numpy as np
from moot.stats.clusters import dealt, dealt_as
from moot.stats.written_numbers import of_hundred
from moot.types import digest

FEWEST = 20
"""With fewer graded questions nothing is learnt."""
FOLDS = 5

LEARNT, PLURALITY, BEST_SINGLE = "learnt", "plurality", "best single"

Learner = Callable[[Candidates, Sequence[str]], DraftRule]
"""From settled questions, and what each is a part of, to a rule."""


@dataclass(frozen=True, slots=True, eq=False)
class LearntRule:
    """What is taken, and what it was compared with."""

    rule: DraftRule
    kept: str
    """What was learnt, such as `learnt`, or which of the others stands: `plurality`, `best single`."""
    model: ChoiceModel
    questions: int
    left_out: int
    """Questions that are not settled: nothing was learnt from them."""
    found: Mapping[str, float]
    """By kind of rule: how right it was on questions it was not learnt on."""
    ahead: float
    """How far the learnt one is ahead of the better of the others, on these."""
    error: float
    """The standard error of that over questions, with the rules as they were learnt. Other questions would teach other rules and
    might make another the better: from world to world it varies by 1 to 3 times as much (`bench/learnt_in_the_run.py`)."""
    learnt: str = LEARNT
    """The kind of rule that was tried beside the others."""
    settled: Places = field(default_factory=lambda: np.zeros(0, dtype=np.intp), repr=False)
    """The places of the questions that it was learnt from."""
    tried: Mapping[str, Floats] = field(default_factory=dict, repr=False)
    """By kind of rule what it got right of each of these, not having been learnt on it."""

    def words(self) -> str:
        rival = max((PLURALITY, BEST_SINGLE), key=lambda name: self.found[name])
        beside = f"{of_hundred(self.ahead, sign=True)} points against {rival} on questions it did not learn from"
        error = f"with a standard error over questions of {of_hundred(self.error)}"
        if self.kept == self.learnt:
            return f"learnt from {self.questions:,} questions: {beside}, {error}"
        return f"{self.kept} stands: the rule learnt from {self.questions:,} questions is {beside}, {error}"


def folds_of(units: Sequence[str], count: int = FOLDS, *, role: str = "learning") -> Places:
    """A fold for every question, units whole, of about equal sizes, by the hash of the unit: the order is no matter."""
    sizes = Counter(units)
    order = sorted(sizes, key=lambda unit: (digest([role, dealt_as(unit)]), unit))
    fold_of = dict(zip(order, dealt([sizes[unit] for unit in order], min(count, len(order))), strict=True))
    return np.array([fold_of[unit] for unit in units], dtype=np.intp)


def best_player(candidates: Candidates) -> str:
    """By graded questions; of equals whoever sits first."""
    return candidates.players[int(candidates.accuracy.argmax())]


def learn_rule(
    candidates: Candidates,
    units: Sequence[str],
    *,
    kind: str = LEARNT,
    learner: Learner | None = None,
    fewest: int = FEWEST,
) -> LearntRule:
    """`units`: what each question is a part of; such questions are never both learnt from and tried on.

    `learner`: what makes the rule that is tried, which is of this `kind`; left out, a weight for every player. `fewest`: from
    how many; less than usual only where nobody is to decide by it, but to see what comes of learning.
    """
    learner = most_probable if learner is None else learner
    settled = np.flatnonzero(candidates.settled)
    known = candidates.graded(settled)
    names = [units[place] for place in settled]
    if (few := too_few_to_learn(len(known), names, fewest)) is not None:
        raise UsageError(few)
    outer = folds_of(names)
    values: dict[str, Floats] = {name: np.zeros(len(known)) for name in (kind, PLURALITY, BEST_SINGLE)}
    for fold in np.unique(outer):
        inside, outside = np.flatnonzero(outer == fold), np.flatnonzero(outer != fold)
        train, test = known.at(outside), known.at(inside)
        values[kind][inside] = expected_worth(learner(train, [names[place] for place in outside]), test)
        values[PLURALITY][inside] = expected_worth(Plurality(), test)
        values[BEST_SINGLE][inside] = expected_worth(Leader(best_player(train)), test)
    found = {name: float(value.mean()) for name, value in values.items()}
    rival = max((PLURALITY, BEST_SINGLE), key=lambda name: found[name])
    ahead, error = mean_and_error(values[kind] - values[rival], names)
    rule: DraftRule
    if ahead > error:
        kept, rule = kind, learner(known, names)
    else:
        kept, rule = rival, Plurality() if rival == PLURALITY else Leader(best_player(known))
    model = most_probable(known, names).model if rule.learnt_model is None else rule.learnt_model
    left_out = len(candidates) - len(known)
    return LearntRule(rule, kept, model, len(known), left_out, found, ahead, error, kind, settled, values)


def too_few_to_learn(graded: int, units: Sequence[str], fewest: int = FEWEST) -> str | None:
    """Why nothing is learnt from so many; None: they are enough."""
    if len(set(units)) >= fewest:
        return None
    together = "" if len(set(units)) == graded else f" ({len(set(units))} that do not belong together)"
    return f"{graded} graded questions{together}; expected {fewest} or more to learn from"


def most_probable(candidates: Candidates, units: Sequence[str]) -> MostProbable:
    """With a weight for every player."""
    return MostProbable(learn_best(candidates, folds_of(units, role="penalty").tolist()))


def mean_and_error(values: Floats, units: Sequence[str]) -> tuple[float, float]:
    """The mean, and its standard error over units."""
    sums: dict[str, float] = {}
    mean = float(values.mean())
    for unit, value in zip(units, values, strict=True):
        sums[unit] = sums.get(unit, 0.0) + value - mean
    several = len(sums)
    spread = sqrt(sum(value * value for value in sums.values()) * several / max(several - 1, 1))
    return mean, spread / len(values)
