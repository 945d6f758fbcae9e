"""How often a 95 % interval holds the truth, and whether a p is honest: python bench/coverage.py [REPETITIONS].

Pairs are drawn from known shares, so the truth is known; the functions are those that reports call. 94–96 % at 200
questions is what is promised; 30 questions stand beside it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from moot.measure.hypothesis import Ratio, judge
from moot.measure.paired import bootstrap_difference, mcnemar_exact, newcombe_paired, sign_flip
from moot.measure.power import needed, power, simulated_power
from moot.measure.proportion import wilson
from moot.run.claims import parse
from moot.types import Estimate

Generator = np.random.Generator
CAPTAINS = 6


@dataclass(frozen=True, slots=True)
class Situation:
    """One way in which pairs come about, its truth, and the interval that is asked about it."""

    name: str
    truth: float
    draw: Callable[[Generator, int], Estimate | None]


def paired(both: float, first: float, second: float) -> Situation:
    """One 0/1 pair a question: both right, only the first, only the second."""
    shares = [both, first, second, 1 - both - first - second]

    def draw(generator: Generator, n: int) -> Estimate | None:
        return newcombe_paired(*map(int, generator.multinomial(n, shares)))

    return Situation(f"paired difference, differ on {100 * (first + second):.0f} %", first - second, draw)


def share(truth: float) -> Situation:
    return Situation(
        f"share {truth:g} (Wilson)", truth, lambda generator, n: wilson(int(generator.binomial(n, truth)), n)
    )


def captained(shift: float, spread: float, concentration: float) -> Situation:
    """Six captains a question, alike in what the question is like: one cluster a question."""

    def questions(generator: Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        alone = generator.beta(0.8 * concentration, 1.2 * concentration, size=n)
        return alone, np.clip(alone + generator.normal(shift, spread, size=n), 0, 1)

    alone, team = questions(np.random.default_rng(99), 4_000_000)
    truth = float((team - alone).mean())

    def draw(generator: Generator, n: int) -> Estimate | None:
        before, after = questions(generator, n)
        moved = (generator.binomial(CAPTAINS, after) - generator.binomial(CAPTAINS, before)) / CAPTAINS
        return bootstrap_difference(moved.tolist(), seed=int(generator.integers(2**31)))

    return Situation(f"over {CAPTAINS} captains, beta {concentration:g}, shift {shift:g}", truth, draw)


def composite() -> Situation:
    """A hypothesis of its own arithmetic: one accuracy divided by another."""
    hypothesis = parse("accuracy(a) / accuracy(b) > 1")
    one, other = hypothesis.terms

    def draw(generator: Generator, n: int) -> Estimate | None:
        cells = generator.choice(4, size=n, p=[0.35, 0.15, 0.1, 0.4])
        first = {str(place): float(cell in (0, 1)) for place, cell in enumerate(cells)}
        second = {str(place): float(cell in (0, 2)) for place, cell in enumerate(cells)}
        seed = int(generator.integers(2**31))
        found = judge(hypothesis, {one: Ratio(first), other: Ratio(second)}, seed=seed, resamples=2_000)
        return None if found.value is None else Estimate(found.value, found.low, found.high, found.n)

    return Situation("ratio of accuracies (hypothesis)", 0.5 / 0.45, draw)


SITUATIONS = (
    share(0.4),
    paired(0.3, 0.15, 0.1),
    paired(0.25, 0.1, 0.1),
    paired(0.35, 0.1, 0.03),
    paired(0.4, 0.06, 0.04),
    paired(0.2, 0.3, 0.2),
    captained(0.06, 0.25, 1.0),
    captained(0.06, 0.25, 3.0),
    captained(0.0, 0.1, 3.0),
    composite(),
)


def coverage(situation: Situation, n: int, repetitions: int, seed: int = 0) -> float:
    """No interval is no cover."""
    generator = np.random.default_rng(seed)
    held = 0
    for _ in range(repetitions):
        found = situation.draw(generator, n)
        if found is not None and found.low is not None and found.high is not None:
            held += found.low <= situation.truth <= found.high
    return held / repetitions


def false_alarms(n: int, repetitions: int, levels: Sequence[float], seed: int = 0) -> Iterator[tuple[str, list[float]]]:
    """How often p falls below each level when nothing is to be found."""
    generator = np.random.default_rng(seed)
    pairs = generator.multinomial(n, [0.1, 0.1, 0.8], size=repetitions)
    exact = np.array([mcnemar_exact(int(b), int(c)) for b, c, _ in pairs])
    yield "exact McNemar", [float((exact <= level).mean()) for level in levels]
    flips = []
    for _ in range(repetitions // 4):
        base = generator.beta(0.8, 1.2, size=n)
        moved = (generator.binomial(CAPTAINS, base) - generator.binomial(CAPTAINS, base)) / CAPTAINS
        flips.append(sign_flip(moved.tolist(), seed=int(generator.integers(2**31)), resamples=4_000) or 0.0)
    yield "sign flips over questions", [float((np.array(flips) <= level).mean()) for level in levels]


def main(repetitions: int) -> None:
    print(f"coverage of 95 % intervals, {repetitions:,} repetitions")
    print(f"{'':48}{'n = 200':>9}{'n = 30':>9}")
    for situation in SITUATIONS:
        found = [coverage(situation, n, repetitions) for n in (200, 30)]
        print(f"{situation.name:48}{100 * found[0]:8.1f} {100 * found[1]:8.1f}", flush=True)
    levels = (0.01, 0.05, 0.1, 0.5)
    print(f"\np below a level when there is nothing, n = 200{'':2}" + "".join(f"{level:>8g}" for level in levels))
    for name, rates in false_alarms(200, repetitions, levels):
        print(f"{name:48}" + "".join(f"{rate:8.3f}" for rate in rates), flush=True)
    print("\nplan: promised, computed and played power")
    for accuracy, gain, discordance in ((0.4, 0.03, 0.2), (0.4, 0.05, 0.1), (0.6, -0.08, 0.3), (0.4, 0.2, 0.2)):
        n = needed(accuracy, gain, discordance) or 0
        played = simulated_power(n, gain, discordance, repetitions=repetitions)
        said = f"{accuracy:g} {gain:+g}, differ on {discordance:g}: {n:,} questions"
        print(f"{said:48}    0.800 {power(n, gain, discordance):8.3f} {played:8.3f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
