"""Is the power kept that `moot plan` promises, 80 of 100? python bench/planned.py [REPETITIONS [WORD]].

Each world is played with as many questions, or clusters of them, as `plan` asks for, and tested by the functions that
reports call. With a word, only parts that have it in their name are played: clusters, scores, headline.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from headline import OPTIONS, PLAYERS, World, alike_world, ours
from moot.stats.bounded_mean import BoundedMean
from moot.stats.bounded_power import PlannedUnits, needed_units
from moot.stats.power import Design, needed

Generator = np.random.Generator


@dataclass(frozen=True, slots=True)
class Planned:
    """What was planned for, and whether one run of so many units finds it."""

    name: str
    units: int
    found: Callable[[Generator], bool]
    before: int
    """What was asked for before: exact McNemar over questions, for one comparison with one other."""


def significant(sums: np.ndarray, sizes: np.ndarray) -> bool:
    """Two-sided at 5 %, and the right way round."""
    return BoundedMean(sums.tolist(), sizes.tolist()).at_most(0.0) <= 0.025


def in_clusters(gain: float, discordance: float, sizes: tuple[int, ...], alike: float, where: str = "") -> Planned:
    """`alike`: the chance that a question does as the first of its cluster. `where`: "the largest" clusters alone differ."""
    clusters = needed_units(Design(0.5, gain, discordance), PlannedUnits(sizes)) or 0
    of_largest = 1.0 if not where else sizes.count(max(sizes)) * max(sizes) / sum(sizes)
    differ, more = discordance / of_largest, gain / of_largest
    shares = [(differ + more) / 2, (differ - more) / 2, 1 - differ]

    def found(generator: Generator) -> bool:
        drawn = generator.choice(sizes, size=clusters)
        which = np.repeat(np.arange(clusters), drawn)
        firsts = generator.choice([1.0, -1.0, 0.0], p=shares, size=clusters)
        own = generator.choice([1.0, -1.0, 0.0], p=shares, size=len(which))
        moved = np.where(generator.random(len(which)) < alike, firsts[which], own)
        moved = np.where(drawn[which] == max(sizes), moved, 0.0) if where else moved
        return significant(np.bincount(which, moved, clusters), drawn.astype(float))

    several = f"of {sizes[0]}" if len(set(sizes)) == 1 else f"of {min(sizes)} to {max(sizes)}"
    name = f"clusters {several}, {100 * alike:.0f} % alike: +{100 * gain:g} points, differ on {100 * discordance:g} %"
    name = f"{name}, all in {where}" if where else name
    before = (needed(0.5, gain, discordance) or 0) / (sum(sizes) / len(sizes))
    return Planned(name, clusters, found, round(before))


def scored(gain: float, discordance: float, apart: float, size: str) -> Planned:
    """Two scores a question that differ by `apart`, by anything up to it, or mostly by little and seldom by all of it."""
    questions = needed_units(Design(0.5, gain, discordance), PlannedUnits(apart=apart)) or 0
    by = {"all of it": (1.0, 1.0), "evenly": (1.0, 0.5), "little": (1 / 3, 0.25)}[size]
    better = (discordance + gain / (apart * by[1])) / 2

    def found(generator: Generator) -> bool:
        kind = generator.random(questions)
        sign = np.where(kind < better, 1.0, np.where(kind < discordance, -1.0, 0.0))
        far = np.ones(questions) if size == "all of it" else generator.random(questions) ** (1 / by[0])
        return significant(sign * far * apart, np.ones(questions))

    name = f"scores up to {apart:g} apart, {size}: +{100 * gain:g} points, differ on {100 * discordance:g} %"
    return Planned(name, questions, found, 0)


def repeated(gain: float, discordance: float, repeats: int, alike: float) -> Planned:
    """Means over repeats, each of which differs as one answer would."""
    questions = needed(0.5, gain, discordance) or 0
    shares = [(discordance + gain) / 2, (discordance - gain) / 2, 1 - discordance]

    def found(generator: Generator) -> bool:
        moved = generator.choice([1.0, -1.0, 0.0], p=shares, size=(repeats, questions))
        moved = np.where(generator.random(moved.shape) < alike, moved[0], moved)
        return significant(moved.mean(axis=0), np.ones(questions))

    name = (
        f"means over {repeats} repeats, {100 * alike:.0f} % alike: +{100 * gain:g}, differ on {100 * discordance:g} %"
    )
    return Planned(name, questions, found, questions)


def headlined(world: World) -> Planned:
    """The best option is more than every player by the gain of the world; `PLAYERS` must be beaten, all options are paid for."""
    options, singles = world.draw(np.random.default_rng(99), 400_000)
    best = int(np.argmax(world.truth))
    differ = max(float((options[best] != single).mean()) for single in singles)
    design = Design(0.5, max(world.truth), differ)
    questions = needed_units(design, PlannedUnits(), 1 - 0.2 / PLAYERS, comparisons=len(world.truth)) or 0

    def found(generator: Generator) -> bool:
        drawn = world.draw(generator, questions)
        return ours(*(table.astype(float) for table in drawn), generator)

    before = needed(0.5, design.gain, differ, comparisons=len(world.truth)) or 0
    return Planned(f"headline, {len(world.truth)} options: {world.name}", questions, found, before)


def planned() -> Iterator[Planned]:
    for alike in (1.0, 0.5, 0.0):
        yield in_clusters(0.06, 0.2, (5,), alike)
        yield in_clusters(0.06, 0.2, tuple(range(1, 10)), alike)
    yield in_clusters(0.1, 0.15, (2,), 1.0)
    yield in_clusters(0.1, 0.1, (5, 5, 5, 25), 1.0)
    yield in_clusters(0.06, 0.2, tuple(range(1, 10)), 1.0, "the largest")
    yield in_clusters(0.1, 0.1, (5, 5, 5, 25), 1.0, "the largest")
    for size in ("all of it", "evenly", "little"):
        yield scored(0.05, 0.6, 0.5, size)
        yield scored(0.02, 0.4, 0.3, size)
        yield scored(0.05, 0.4, 1.0, size)
    for alike in (1.0, 0.5, 0.0):
        yield repeated(0.06, 0.2, 3, alike)
    for closer, name in ((0.0, "as players"), (0.3, "share drafts")):
        yield headlined(alike_world(f"six equal players, one option, {name}", 0.6, 0.6, [0.08], 0.6, closer))
        yield headlined(alike_world(f"six equal players, all better, {name}", 0.6, 0.6, [0.08] * OPTIONS, 0.6, closer))
        one = [0.08] + [0.0] * (OPTIONS - 1)
        yield headlined(alike_world(f"six equal players, one of 36 better, {name}", 0.6, 0.6, one, 0.6, closer))
    yield headlined(alike_world("others far below, one option", 0.6, 0.4, [0.08], 0.6))
    yield headlined(alike_world("six equal players that know nothing of each other", 0.5, 0.5, [0.08], 0.0))


def main(repetitions: int, word: str = "") -> None:
    print(f"| world | units | asked for before | kept, in % of {repetitions:,} |\n| --- | --- | --- | --- |")
    for world in planned():
        if word in world.name:
            generator = np.random.default_rng(31)
            kept = sum(world.found(generator) for _ in range(repetitions)) / repetitions
            error = 100 * math.sqrt(kept * (1 - kept) / repetitions)
            before = f"{world.before:,}" if world.before else "–"
            print(f"| {world.name} | {world.units:,} | {before} | {100 * kept:.1f} ± {error:.1f} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000, *sys.argv[2:3])
