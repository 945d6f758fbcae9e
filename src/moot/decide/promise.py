"""A threshold with a promise: of the answers given, at least so many are right.

Below the threshold the team abstains. The promise holds with probability `LEVEL` over the questions that it is made on, in
samples of any size: for one threshold after the other, from a strict one on, an exact test asks whether the answers above
it are right too seldom; the first that cannot be refused ends it, and the one before it is taken (learn then test, in a
fixed order). The questions must be others than those on which the probabilities were learnt, and the order, with where it
begins, goes by the probabilities alone, never by what turned out right.

Questions that belong together are not independent, and the promise is about questions. So of each cluster it is summed up by how
many of its answers more are right than were wanted, and the test is whether that is nothing or less on average, with nothing
assumed but its bounds: no cluster is larger than the largest (`moot.stats.bounded_mean`). Where all questions stand by
themselves it is the exact binomial test. It finds less where clusters are of different size: one that is lost as a whole may
be the largest.

It may be that no threshold passes, with few questions almost certainly: then the team abstains from everything, which is
no success, and it is said how many questions it would take.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import ceil, log, log1p

from moot.decide.candidates import Bools, Candidates, Floats, Places
from moot.decide.choice_model import ChoiceModel
from moot.decide.learning import FEWEST, folds_of
from moot.decide.rules import DraftRule, winners
from moot.later import numpy as np
from moot.stats.binomial import at_most
from moot.stats.bounded_mean import BoundedMean
from moot.stats.written_numbers import of_hundred

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
    clusters: int
    """So many pieces of evidence the questions are."""
    largest: int = 1
    """So many questions hang together at the most; 1: none do."""

    def words(self) -> str:
        wanted = f"at least {100 * self.target:g} % of the answers given are right"
        together = f" in {self.clusters:,} clusters" if self.largest > 1 else ""
        if self.threshold is None:
            price = (
                f", since up to {self.largest:,} questions hang together and may be wrong together" if together else ""
            )
            return (
                f"That {wanted} cannot be promised from {self.questions:,} questions{together}, so all are abstained from "
                f"(coverage 0): it takes {self.fewest:,} answers at the least, all of them right{price}"
            )
        asked = f", of {self.questions:,} questions{together}" if together else ""
        answered = (
            f"Answered from a probability of {100 * self.threshold:g} % on: {of_hundred(self.coverage, 0)} % of the questions"
            if self.threshold
            else "Every question is answered"
        )
        return f"{answered}; {wanted}, promised at {100 * LEVEL:g} % from {self.right} right of {self.answered}{asked}"


def fewest_answers(target: float, level: float = LEVEL, largest: int = 1) -> int:
    """So many right answers without a mistake it takes to promise anything; where so many questions hang together at the most,
    those that stand by themselves are enough soonest."""
    return ceil(log(1 - level) / (log(target) if largest == 1 else -log1p((1 - target) / (target * largest))))


def largest_cluster(units: Sequence[str]) -> int:
    """How many questions hang together at the most."""
    return max(Counter(units).values(), default=1)


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
    largest: int = 1,
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
    return promised(chances, np.where(ahead.any(axis=1), worth, 0.0), units, target, level=level, largest=largest)


UNANSWERED = -1.0
"""In place of a probability: below every threshold."""


def promised(
    chances: Floats, rights: Floats, units: Sequence[str], target: float, *, level: float = LEVEL, largest: int = 1
) -> Promise:
    """The lowest threshold of which it can be promised. `rights`: 1 or 0; a part of right is taken for wrong. `largest`: how many
    questions are known to hang together somewhere, be it among others than these."""
    right = rights >= 1.0
    largest = max(largest, largest_cluster(units))
    above = chances[None, :] >= np.array(THRESHOLDS)[:, None]
    answered, wrong = (each.sum(axis=1) for each in (above, above & ~right))
    if largest == 1:
        passes = at_most(wrong.astype(float), answered.astype(float), 1 - target)
        begin = _most_promising(above, chances, target, level)
    else:
        together = _Together.of(units, largest, target)
        begin = together.most_promising(above, chances)
    last = begin - 1
    while last + 1 < len(THRESHOLDS) and answered[last + 1]:
        p = passes[last + 1] if largest == 1 else together.at_most_target(above[last + 1], right)
        if p > 1 - level:
            break
        last += 1
    asked = len(chances), fewest_answers(target, level, largest), len(set(units)), largest
    if last < begin:
        return Promise(target, None, 0.0, 0, 0, *asked)
    given = int(answered[last])
    return Promise(target, THRESHOLDS[last], given / len(chances), given, given - int(wrong[last]), *asked)


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


@dataclass(frozen=True, slots=True, eq=False)
class _Together:
    """Questions of which some hang together, and what is wanted of their answers."""

    cluster: Places
    """Of each question, by number."""
    largest: int
    target: float

    @classmethod
    def of(cls, units: Sequence[str], largest: int, target: float) -> _Together:
        return cls(np.unique(np.array(units), return_inverse=True)[1], largest, target)

    def at_most_target(self, above: Bools, right: Bools) -> float:
        """The p of so many answers right on average, or fewer. Right and wrong are 1 and -1 here."""
        sums = np.bincount(self.cluster[above], 2.0 * right[above] - 1.0)
        sizes = np.bincount(self.cluster[above])
        return BoundedMean(sums.tolist(), sizes.tolist(), float(self.largest)).at_most(2 * self.target - 1)

    def most_promising(self, above: Bools, chances: Floats) -> int:
        """Where the order begins, as with single questions: where most more is foreseen than is wanted, beside what is left to
        chance. At the worst the questions of a cluster go wrong together, and one as large as the largest was not seen."""
        foreseen = (above * (chances - self.target)).sum(axis=1) - self.target * self.largest
        errors = np.sqrt(np.clip(chances * (1 - chances), 0.0, None))
        by_cluster = np.stack([np.bincount(self.cluster, each) for each in above * errors])
        noise = np.sqrt((by_cluster**2).sum(axis=1) + (self.target * self.largest) ** 2)
        return int((foreseen / noise).argmax())
