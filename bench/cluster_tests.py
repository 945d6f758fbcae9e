"""Is there a sharper test of a difference over clusters that is still honest? python bench/cluster_tests.py [REPETITIONS].

Beside the report's own test, that of a mean by its bounds, stand Student's t with the clusters' own spread (CR2, with the
degrees of freedom of Satterthwaite) and a wild cluster bootstrap of it (Webb's six weights). One-sided, 2.5 %. The *ceiling*:
where a gain is real, a world without any looks the same but for clusters that are lost as a whole, so rare that often none
of them is drawn. A test that claims a gain there in no more than 2.5 % of experiments can find the real one no oftener than
in 2.5 %, by the chance that none was drawn.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from moot.stats.bounded_mean import BoundedMean

Generator = np.random.Generator
Drawn = tuple[np.ndarray, np.ndarray]
"""Sums and sizes of clusters."""
SIDE = 0.025
RESAMPLES = 399
WEBB = np.sqrt([0.5, 1.0, 1.5])


@dataclass(frozen=True, slots=True)
class World:
    name: str
    clusters: int
    draw: Callable[[Generator], Drawn]
    ceiling: float | None = None
    """None: there is nothing to find."""


def gaining(clusters: int, sizes: tuple[int, ...], better: float, worse: float, alike: float, lost: float) -> World:
    """Questions of a cluster are better or worse, some of them as the first; of few clusters all are lost (`lost`)."""
    gain = better - worse
    real = lost == 0 and gain > 0

    def draw(generator: Generator) -> Drawn:
        drawn = generator.choice(sizes, size=clusters)
        which = np.repeat(np.arange(clusters), drawn)
        shares = [better, worse, 1 - better - worse]
        firsts = generator.choice([1.0, -1.0, 0.0], p=shares, size=clusters)
        own = generator.choice([1.0, -1.0, 0.0], p=shares, size=len(which))
        moved = np.where(generator.random(len(which)) < alike, firsts[which], own)
        moved[(generator.random(clusters) < lost)[which]] = -1.0
        return np.bincount(which, moved, clusters), drawn.astype(float)

    rare = gain / (1 + gain)
    several = f"{sizes[0]}" if len(set(sizes)) == 1 else f"{min(sizes)} to {max(sizes)}"
    what = f"+{100 * gain:g} points" if real else "nothing"
    name = f"{what}; {clusters} clusters of {several}: {100 * better:g} % better, {100 * worse:g} worse"
    name += f", {100 * lost:.1f} of clusters lost" if lost else ""
    return World(name, clusters, draw, min(1.0, SIDE / (1 - rare) ** clusters) if real else None)


def worlds() -> Iterator[World]:
    unequal = tuple(range(1, 10))
    for clusters in (15, 30, 60):
        yield gaining(clusters, (5,), 0.1, 0.1, 0.3, 0.0)
        yield gaining(clusters, unequal, 0.1, 0.1, 0.3, 0.0)
        yield gaining(clusters, unequal, 0.02, 0.02, 0.3, 0.0)
        yield gaining(clusters, (5,), 0.1, 0.03, 0.3, 0.07 / 1.07)
        yield gaining(clusters, unequal, 0.1, 0.03, 0.3, 0.07 / 1.07)
    yield gaining(33, (5,), 0.13, 0.03, 0.2, 0.0)
    yield gaining(60, (5,), 0.1, 0.03, 0.3, 0.0)
    yield gaining(84, (2,), 0.15, 0.05, 0.2, 0.0)
    yield gaining(120, (5,), 0.1, 0.04, 0.3, 0.0)


def bounds(sums: np.ndarray, sizes: np.ndarray, _: Generator) -> bool:
    return BoundedMean(sums.tolist(), sizes.tolist()).at_most(0.0) <= SIDE


def _t(sums: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """CR2 of the mean over all questions; clusters are the last axis."""
    shares = sizes / sizes.sum()
    left = sums - sums.sum(axis=-1, keepdims=True) * shares
    error = np.sqrt((left**2 / (1 - shares)).sum(axis=-1))
    return sums.sum(axis=-1) / np.maximum(error, 1e-12)


def student(sums: np.ndarray, sizes: np.ndarray, _: Generator) -> bool:
    shares = sizes / sizes.sum()
    # Satterthwaite's degrees of freedom, were the questions independent and alike.
    parts = np.diag(shares) - np.outer(shares, shares)
    parts = parts / np.sqrt(np.outer(1 - shares, 1 - shares))
    df = np.trace(parts) ** 2 / (parts**2).sum()
    return bool(stdtr(df, -_t(sums, sizes)) <= SIDE)


def wild(sums: np.ndarray, sizes: np.ndarray, generator: Generator) -> bool:
    """Of the t where nothing is the case: the sums themselves, by weights of mean 0 and variance 1."""
    weights = generator.choice(np.concatenate([WEBB, -WEBB]), size=(RESAMPLES, len(sums)))
    return bool((1 + (_t(sums * weights, sizes) >= _t(sums, sizes)).sum()) / (1 + RESAMPLES) <= SIDE)


def main(repetitions: int) -> None:
    print(f"a gain is claimed, in % of {repetitions:,}; where there is none 2.5 are allowed")
    print("| world | bounds | t, CR2 | wild bootstrap | ceiling |\n| --- | --- | --- | --- | --- |")
    for world in worlds():
        generator, said = np.random.default_rng(41), np.zeros(3)
        for _ in range(repetitions):
            drawn = world.draw(generator)
            said += [test(*drawn, generator) for test in (bounds, student, wild)]
        rates = (said / repetitions).tolist()
        shown = [f"{100 * rate:.1f} ± {100 * math.sqrt(rate * (1 - rate) / repetitions):.1f}" for rate in rates]
        ceiling = "" if world.ceiling is None else f"{100 * world.ceiling:.0f}"
        print(f"| {world.name} | " + " | ".join(shown) + f" | {ceiling} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000)
