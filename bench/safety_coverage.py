"""What the interval of the safety multiple covers, where the truth is known: simulated changes of mind, 2,000 times.

Each question has a chance of its own of being right alone, of a rescue and of a regression, drawn from beta
distributions, so the changes of one question hang together. The truth is E[rescues] / E[regressions]. Beside our
interval stand the plainer ones: the delta method with the same clusters, and one that takes all pairs for independent.
Then passages of unequal length whose questions are partly alike, at 95 % and at the level of a family of ten.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from moot.measures.safety.multiple import multiple_bounds
from moot.stats.quantiles import ALPHA, Z_95, normal_quantile

REPETITIONS = 2_000


@dataclass(frozen=True)
class World:
    """`together`: the correlation of two models' changes on one question."""

    questions: int
    models: int
    accuracy: float
    rescue_rate: float
    together: float

    def regression_rate(self, expected: float) -> float:
        return expected / (self.questions * self.models * self.accuracy)


WORLDS = (
    World(198, 9, 0.75, 0.4, 0.2),
    World(198, 9, 0.75, 0.4, 0.5),
    World(198, 9, 0.75, 0.1, 0.2),
    World(60, 6, 0.6, 0.3, 0.2),
    World(500, 12, 0.5, 0.2, 0.3),
    World(198, 1, 0.75, 0.4, 0.001),
)
EXPECTED = (3, 5, 15, 30, 71)


def drawn(world: World, expected: float, repetitions: int, seed: int) -> tuple[Any, Any, float]:
    """Rescues and regressions by repetition and question, and the true multiple."""
    generator = np.random.default_rng(seed)
    size, loose = (repetitions, world.questions), 1 / world.together - 1

    def chances(mean: float) -> Any:
        return generator.beta(mean * loose, (1 - mean) * loose, size)

    right = generator.binomial(world.models, chances(world.accuracy))
    lost = world.regression_rate(expected)
    regressions = generator.binomial(right, chances(lost))
    rescues = generator.binomial(world.models - right, chances(world.rescue_rate))
    truth = (1 - world.accuracy) * world.rescue_rate / (world.accuracy * lost)
    return rescues.astype(float), regressions.astype(float), truth


def covered(bounds: Any, truth: float) -> Any:
    return (bounds[0] <= truth) & (truth <= bounds[1])


def delta_bounds(rescues: Any, regressions: Any, *, clustered: bool) -> Any:
    gained, lost = rescues.sum(axis=-1), regressions.sum(axis=-1)
    questions = rescues.shape[-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        residuals = rescues / gained[:, None] - regressions / lost[:, None]
        clusters = questions / (questions - 1) * (residuals**2).sum(axis=-1)
        half = Z_95 * np.sqrt(clusters if clustered else 1 / gained + 1 / lost)
        return np.exp(np.stack([np.log(gained / lost) - half, np.log(gained / lost) + half]))


PASSAGES = ((30, "1 to 9"), (60, "1 to 9"), (120, "1 to 9"), (60, "geometric"))
ALIKE = (0.0, 0.5, 0.8)
RIGHT, RESCUED, REGRESSED, LONGEST = 0.6, 0.3, 0.2, 25


def by_passage(passages: int, sizes: str, alike: float, repetitions: int, seed: int) -> tuple[Any, Any]:
    """Rescues and regressions of one model by repetition and passage. `alike`: the share of a passage's questions that fare as
    all such of it do."""
    generator = np.random.default_rng(seed)
    shape = (repetitions, passages)
    lengths = (
        generator.integers(1, 10, shape) if sizes == "1 to 9" else np.minimum(LONGEST, generator.geometric(0.25, shape))
    )
    rescues, regressions = np.zeros(shape), np.zeros(shape)
    together = generator.random((3, *shape))
    for place in range(lengths.max()):
        as_all = generator.random(shape) < alike
        right, rescued, regressed = np.where(as_all, together, generator.random((3, *shape)))
        there = place < lengths
        rescues += there & (right >= RIGHT) & (rescued < RESCUED)
        regressions += there & (right < RIGHT) & (regressed < REGRESSED)
    return rescues, regressions


def print_passages() -> None:
    truth = (1 - RIGHT) * RESCUED / (RIGHT * REGRESSED)
    print("passages sizes alike | 95 %  99.5 %, of a family of ten")
    for passages, sizes in PASSAGES:
        for alike in ALIKE:
            counts = by_passage(passages, sizes, alike, 2 * REPETITIONS, seed=2)
            found = [
                covered(multiple_bounds(*counts, normal_quantile(level)), truth).mean() for level in (ALPHA, ALPHA / 10)
            ]
            print(f"{passages:8} {sizes:9} {alike:5} | {found[0]:.3f} {found[1]:.3f}")


def main() -> None:
    print("questions models rescue-rate together expected-regressions | ours  delta  unclustered | without regressions")
    for world in WORLDS:
        for expected in EXPECTED:
            if world.regression_rate(expected) > 0.6:
                continue
            rescues, regressions, truth = drawn(world, expected, REPETITIONS, seed=1)
            defined = (regressions.sum(axis=-1) > 0) & (rescues.sum(axis=-1) > 0)
            ours = covered(multiple_bounds(rescues, regressions), truth).mean()
            others = [
                covered(delta_bounds(rescues, regressions, clustered=clustered), truth)[defined].mean()
                for clustered in (True, False)
            ]
            place = f"{world.questions:9} {world.models:6} {world.rescue_rate:11} {world.together:8} {expected:20}"
            print(f"{place} | {ours:.3f} {others[0]:.3f} {others[1]:.3f} | {1 - defined.mean():.3f}")
    print_passages()


if __name__ == "__main__":
    main()
