"""How many questions it takes to see a difference, and how small a difference so many questions can show.

Two ways of answering differ only on discordant questions, so what is needed depends on how many of those there are
(`discordance`), far more than on the accuracy. The test is the one that the report uses, exact McNemar, and its power
is added up over every possible number of discordant pairs: no draw, no normal approximation. `simulated_power` plays
the same by chance, for whoever would rather see it than believe it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from moot.errors import UsageError
from moot.stats.binomial import at_most
from moot.stats.bootstrap import seed_of
from moot.stats.distributions import normal_inverse
from moot.stats.quantiles import ALPHA

if TYPE_CHECKING:
    from moot.stats.bootstrap import Floats

POWER = 0.8
MOST = 2_000_000
"""Questions beyond which we stop looking."""
_BLOCK = 128
"""Numbers of pairs for which the test is looked up at once."""


@dataclass(frozen=True, slots=True)
class Design:
    """What one expects before a run, checked: impossible combinations are refused."""

    accuracy: float
    gain: float
    discordance: float
    scores: bool = False
    """Whether two answers may differ by less than right and wrong do."""

    def __post_init__(self) -> None:
        accuracy, gain, discordance = self.accuracy, self.gain, self.discordance
        if not 0 <= accuracy <= 1:
            raise UsageError(f"accuracy: expected a share between 0 and 1, found {accuracy:g}")
        if gain == 0 or not -1 <= gain <= 1:
            raise UsageError(f"gain: expected a difference between -1 and 1 that is not 0, found {gain:g}")
        if not 0 <= accuracy + gain <= 1:
            raise UsageError(f"gain: {accuracy:g} and {gain:+g} make {accuracy + gain:g}, which is no accuracy")
        if not 0 < discordance <= 1:
            raise UsageError(f"discordance: expected a share above 0 and up to 1, found {discordance:g}")
        if discordance < abs(gain) - 1e-12:
            few = f"a gain of {abs(gain):g} needs at least {abs(gain):g} of the questions to differ"
            raise UsageError(f"discordance: expected {abs(gain):g} or more, found {discordance:g}: {few}")
        most = most_discordance(accuracy, gain)
        if discordance > most + 1e-9 and not self.scores:
            why = f"with accuracies {accuracy:g} and {accuracy + gain:g} no more questions can differ"
            raise UsageError(f"discordance: expected at most {most:g}, found {discordance:g}: {why}")


def most_discordance(accuracy: float, gain: float) -> float:
    """The largest share of questions on which the two can differ: whoever is wrong is so where the other is right."""
    other = accuracy + gain
    return min(accuracy + other, 2 - accuracy - other)


def independent_discordance(accuracy: float, gain: float) -> float:
    """The share of questions on which the two differ if neither knows what the other knows.

    Two strategies over the same drafts agree far more than that, so as an assumption it asks for more questions than
    will be needed, and never for too few.
    """
    other = accuracy + gain
    return accuracy * (1 - other) + other * (1 - accuracy)


@lru_cache(maxsize=4096)  # a plan asks for several numbers of questions on the way to one, and for some of them again
def power(n: int, gain: float, discordance: float, alpha: float = ALPHA, comparisons: int = 1) -> float:
    """The chance that exact McNemar (two-sided) finds a difference of this size with n questions.

    `comparisons`: how many stand together in the report. Holm's procedure holds the smallest p of a family against alpha by
    their number, and the others against more, so this is what any one of them has at the least, whatever the others show.
    """
    return _Test.of(int(n), discordance, _level(alpha, comparisons)).power(gain)


def checked_level(power: float, alpha: float, comparisons: int) -> float:
    if not 0 < power < 1 or not 0 < alpha < 1:
        raise UsageError(f"power and alpha: expected shares between 0 and 1, found {power:g} and {alpha:g}")
    return _level(alpha, comparisons)


def _level(alpha: float, comparisons: int) -> float:
    if comparisons < 1:
        raise UsageError(f"comparisons: expected 1 or more, found {comparisons}")
    return alpha / int(comparisons)


@dataclass(frozen=True, slots=True)
class _Test:
    """Exact McNemar on n questions: how many discordant pairs are likely, and when it is significant with so many."""

    pairs: Floats
    likely: Floats
    critical: Floats
    """The most pairs for the worse side that are still significant; -1 where none are."""
    discordance: float

    @classmethod
    def of(cls, n: int, discordance: float, alpha: float) -> _Test:
        import numpy as np

        spread = 6 * math.sqrt(n * discordance * (1 - discordance)) + 1
        first, last = max(0, int(n * discordance - spread)), min(n, int(n * discordance + spread) + 1)
        pairs = np.arange(first, last + 1, dtype=float)
        likely = np.diff(at_most(np.append(first - 1.0, pairs), n, discordance))
        return cls(pairs, likely, _critical(pairs, alpha / 2), discordance)

    def power(self, gain: float) -> float:
        import numpy as np

        better = (self.discordance + abs(gain)) / (2 * self.discordance)
        sides = np.repeat([1 - better, better], len(self.pairs))
        rejected = at_most(np.tile(self.critical, 2), np.tile(self.pairs, 2), sides).reshape(2, -1).sum(axis=0)
        return float((self.likely * rejected.clip(max=1.0)).sum())


def _critical(pairs: Floats, tail: float) -> Floats:
    """Of consecutive numbers of pairs."""
    import numpy as np

    first, last = int(pairs[0]), int(pairs[-1])
    start = first // _BLOCK
    blocks = np.concatenate([_critical_block(number, tail) for number in range(start, last // _BLOCK + 1)])
    return blocks[first - start * _BLOCK :][: len(pairs)]


@lru_cache(maxsize=4096)  # the same for every share of discordant pairs, and for numbers of questions near each other
def _critical_block(number: int, tail: float) -> Floats:
    import numpy as np

    pairs = np.arange(number * _BLOCK, (number + 1) * _BLOCK, dtype=float)
    guess: Floats = np.maximum(np.floor((pairs + normal_inverse(tail) * np.sqrt(pairs)) / 2) - 2, -1.0)
    while (more := (guess < pairs) & (at_most(guess + 1, pairs, 0.5) <= tail)).any():
        guess = np.where(more, guess + 1, guess)
    return np.where(at_most(guess, pairs, 0.5) > tail, -1.0, guess)


def needed(
    accuracy: float,
    gain: float,
    discordance: float,
    power: float = POWER,
    alpha: float = ALPHA,
    comparisons: int = 1,
) -> int | None:
    """The fewest questions from which on a gain of this size is found with this power; None beyond two million.

    An exact test wins and loses a little with every question (its steps are whole pairs), so the answer is the number
    from which on the power stays where it was asked for.
    """
    design = Design(accuracy, gain, discordance)
    alpha = checked_level(power, alpha, comparisons)
    enough, few = _about(design, power, alpha), 1
    while not _stays(enough, design, power, alpha):
        few, enough = enough, enough + enough // 10 + 5
        if enough > MOST:
            return None
    while enough - few > 1:
        middle = (few + enough) // 2
        few, enough = (few, middle) if _stays(middle, design, power, alpha) else (middle, enough)
    return enough


def _about(design: Design, wanted: float, alpha: float) -> int:
    """Where to start looking: the normal approximation."""
    gain, discordance = abs(design.gain), design.discordance
    sides = normal_inverse(1 - alpha / 2) * math.sqrt(discordance)
    reach = normal_inverse(wanted) * math.sqrt(max(0.0, discordance - gain * gain))
    return max(4, min(MOST, int(((sides + reach) / gain) ** 2)))


def _stays(n: int, design: Design, wanted: float, alpha: float) -> bool:
    """Whether the power is there at n and at the next few, where the test's steps could take it away again."""
    step = max(1, round(1 / design.discordance))
    return all(power(n + steps * step, design.gain, design.discordance, alpha) >= wanted for steps in range(4))


@lru_cache(maxsize=4096)  # rows of one number of questions often have as many discordant pairs
def detectable(
    n: int, discordance: float, wanted: float = POWER, alpha: float = ALPHA, comparisons: int = 1
) -> float | None:
    """The smallest difference that n questions with so many discordant pairs would show; None if none would.

    From n and the discordance alone, never from the difference that was observed: a power computed from the observed
    effect says nothing that its p has not said already.
    """
    if n < 2 or discordance <= 0:
        return None
    test = _Test.of(int(n), discordance, _level(alpha, comparisons))
    if test.power(discordance) < wanted:
        return None
    low, high = 0.0, discordance
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (low, middle) if test.power(middle) >= wanted else (middle, high)
    return high


def simulated_power(
    n: int, gain: float, discordance: float, *, alpha: float = ALPHA, repetitions: int = 10_000, seed: int = 0
) -> float:
    """The same by playing it: so many runs of n questions, and how often the test found the difference."""
    import numpy as np

    generator = np.random.default_rng(seed_of(seed, "power"))
    shares = [(discordance + gain) / 2, (discordance - gain) / 2, 1 - discordance]
    drawn = generator.multinomial(n, np.maximum(shares, 0), size=repetitions)
    fewer, pairs = np.minimum(drawn[:, 0], drawn[:, 1]), drawn[:, 0] + drawn[:, 1]
    p = np.where(
        drawn[:, 0] == drawn[:, 1], 1.0, np.minimum(1.0, 2 * at_most(fewer.astype(float), pairs.astype(float), 0.5))
    )
    return float((p <= alpha).mean())
