"""A threshold with a promise: of the answers given, at least so many are right.

Below the threshold the team abstains. The promise holds with probability `LEVEL` over the questions that it is made on, in
samples of any size: for one threshold after the other, from a strict one on, an exact test asks whether the answers above
it are right too seldom; the first that cannot be refused ends it, and the one before it is taken (learn then test, in a
fixed order). The questions must be others than those on which the probabilities were learnt, and the order, with where it
begins, goes by the probabilities alone, never by what turned out right. Of questions that belong together one is taken.

It may be that no threshold passes, with few questions almost certainly: then the team abstains from everything, which is
no success, and it is said how many questions it would take.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import ceil, log

import numpy as np

from moot.decide.candidates import Bools, Candidates, Floats, Places
from moot.decide.choice_model import ChoiceModel
from moot.decide.learning import FEWEST, folds_of
from moot.decide.rules import DraftRule, winners
from moot.stats.binomial import at_most

LEVEL = 0.95
PARTS = 5
LEARNT_FROM = 2
"""So many of five parts of the graded questions teach the rule and its probabilities; the promise is made on the others."""
FEWEST_FOR_PROMISE = FEWEST * PARTS // LEARNT_FROM
"""With fewer graded questions the part that teaches would be too small to teach anything."""
THRESHOLDS = (0.995, *(round(0.99 - 0.01 * step, 2) for step in range(100)))
"""From the strictest on. Fixed, so that nothing of the questions chooses them."""


@dataclass(frozen=True, slots=True)
class Promise:
    """What can be promised, and on what ground."""

    target: float
    threshold: float | None
    """None: nothing, so the team abstains from everything."""
    coverage: float
    """The share of the questions that were answered above it."""
    answered: int
    right: int
    questions: int
    fewest: int
    """So many answers, all right, it takes at the least."""

    def words(self) -> str:
        wanted = f"at least {100 * self.target:g} % of the answers given are right"
        if self.threshold is None:
            return (
                f"That {wanted} cannot be promised from {self.questions:,} questions, so all are abstained from "
                f"(coverage 0): it takes {self.fewest} answers at the least, all of them right"
            )
        return (
            f"Answered from a probability of {100 * self.threshold:g} % on: {100 * self.coverage:.0f} % of the questions; "
            f"{wanted}, promised at {100 * LEVEL:g} % from {self.right} right of {self.answered}"
        )


def fewest_answers(target: float, level: float = LEVEL) -> int:
    """So many right answers without a mistake it takes to promise anything."""
    return ceil(log(1 - level) / log(target))


def kept_apart(units: Sequence[str]) -> Bools:
    """Of each question whether it is kept for a promise: neither rule nor probabilities are learnt from it."""
    return folds_of(units, PARTS, role="promise") >= LEARNT_FROM


def level_of_each(several: int) -> float:
    """What each of several promises is tested at, so that at `LEVEL` none of them is broken, however they hang together."""
    return 1 - (1 - LEVEL) / several


def promise_of(
    rule: DraftRule,
    model: ChoiceModel,
    candidates: Candidates,
    units: Sequence[str],
    target: float,
    *,
    level: float = LEVEL,
) -> Promise:
    """What can be promised of the answers that a rule takes, on questions that neither it nor the model was learnt from.

    Where several answers are ahead, whoever is asked takes one of them, by lot or as the captain says. It is taken for as
    sure as the surest of them, and for right only where all are: whatever breaks the tie, more is then kept than promised. So it
    is with an answer that waits for a grade, which is taken for wrong. A question that nobody answers is not answered.
    """
    ahead = winners(rule, candidates)
    told = model.probabilities(candidates)
    chances = np.where(ahead, told, UNANSWERED).max(axis=1)
    worth = np.where(ahead, np.nan_to_num(candidates.worth), 1.0).min(axis=1)
    return promised(chances, np.where(ahead.any(axis=1), worth, 0.0), units, target, level=level)


UNANSWERED = -1.0
"""In place of a probability: below every threshold."""


def promised(chances: Floats, rights: Floats, units: Sequence[str], target: float, *, level: float = LEVEL) -> Promise:
    """The lowest threshold of which it can be promised. `rights`: 1 or 0; a part of right is taken for wrong."""
    kept = one_of_each(units)
    chances, right = chances[kept], rights[kept] >= 1.0
    above = chances[None, :] >= np.array(THRESHOLDS)[:, None]
    answered, wrong = (each.sum(axis=1).astype(float) for each in (above, above & ~right))
    passes = (answered > 0) & (at_most(wrong, answered, 1 - target) <= 1 - level)
    begin = _most_promising(above, chances, target, level)
    failed = np.flatnonzero(~passes[begin:])
    last = len(THRESHOLDS) - 1 if not len(failed) else begin + int(failed[0]) - 1
    fewest = fewest_answers(target, level)
    if last < begin:
        return Promise(target, None, 0.0, 0, 0, len(chances), fewest)
    given = int(answered[last])
    return Promise(
        target, THRESHOLDS[last], given / len(chances), given, given - int(wrong[last]), len(chances), fewest
    )


def _most_promising(above: Bools, chances: Floats, target: float, level: float) -> int:
    """Where the order begins: at the threshold that would most likely pass if the probabilities were true. The very strictest
    have few answers, and one mistake among them would end it. Nothing that turned out right is looked at."""
    answered = above.sum(axis=1).astype(float)
    allowed = np.array([_mistakes_allowed(int(count), target, level) for count in answered], dtype=float)
    foreseen = (above * (1 - chances)).sum(axis=1) / np.maximum(answered, 1.0)
    passing = np.where(allowed >= 0, at_most(allowed, answered, foreseen), 0.0)
    return int(passing.argmax())


@cache
def _mistakes_allowed(answered: int, target: float, level: float) -> int:
    """So many of the answers may be wrong and it can still be promised; -1: not even if none is."""
    counts = np.arange(answered + 1, dtype=float)
    return int((at_most(counts, float(answered), 1 - target) <= 1 - level).sum()) - 1 if answered else -1


def one_of_each(units: Sequence[str]) -> Places:
    """The place of the first question of each unit: questions that belong together are not independent."""
    first: dict[str, int] = {}
    for place, unit in enumerate(units):
        first.setdefault(unit, place)
    return np.array(sorted(first.values()), dtype=np.intp)
