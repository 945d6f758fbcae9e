"""How often the interval of a share of a gap holds the truth, and how wide it is: python bench/gap.py [REPETITIONS].

Worlds in which nearly all of the gap is closed, or little of it; questions alone, or in passages that are closed, or lost,
as a whole. Beside the report's own interval stands the one with two questions in its variance in place of three units. Then
families of hypotheses that are held against just what is closed, by that interval and by the wider one that verdicts go by:
python bench/gap.py REPETITIONS families.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from moot.stats.clusters import clustered
from moot.stats.guarded_gap import guarded_closed
from moot.stats.ratio import Closed, closed

Generator = np.random.Generator
Rows = dict[str, tuple[float, float]]
Drawn = tuple[Rows, dict[str, str]]
"""Rise and gap of each question, and the passage that it is of."""


@dataclass(frozen=True, slots=True)
class World:
    """The best single player is right on `single` of the questions, the skyline on `gap` more."""

    questions: int
    passage: int | None
    """Questions of one passage; None: 1 to 9."""
    single: float
    gap: float
    closed: float
    """Of the gap, on average."""
    lost: float
    """Of what the single has right."""
    whole: bool
    """Whether a passage is closed, and lost, as a whole; else half of its questions do as its first."""

    @property
    def truth(self) -> float:
        return self.closed - self.single * self.lost / self.gap

    def __str__(self) -> str:
        size = {1: "alone", None: "passages of 1 to 9"}.get(self.passage, f"passages of {self.passage}")
        kind = "" if self.passage == 1 else ", as a whole" if self.whole else ", half alike"
        shares = f"gap {100 * self.gap:g} %, closed {100 * self.closed:g}, lost {100 * self.lost:g}"
        return f"{size}{kind}; {shares} | {self.questions} | {100 * self.truth:.0f}"

    def draw(self, generator: Generator) -> Drawn:
        count = self.questions // (self.passage or 5)
        sizes = [self.passage] * count if self.passage else generator.integers(1, 10, size=count).tolist()
        passages = np.repeat(np.arange(count), sizes)
        alike = 1.0 if self.whole else 0.5

        def happens(chance: float) -> np.ndarray:
            own, first = generator.random(len(passages)), generator.random(count)[passages]
            return np.where(generator.random(len(passages)) < alike, first, own) < chance

        kind = generator.random(len(passages))
        single, gap = kind < self.single, (kind >= self.single) & (kind < self.single + self.gap)
        rises = (gap & happens(self.closed)).astype(float) - (single & happens(self.lost))
        keys = [f"q{number}" for number in range(len(passages))]
        rows = dict(zip(keys, zip(rises.tolist(), gap.astype(float).tolist(), strict=True), strict=True))
        return rows, dict(zip(keys, map(str, passages.tolist()), strict=True)) if self.passage != 1 else {}


def worlds() -> Iterator[World]:
    for n in (30, 100, 300):
        for shares in ((0.3, 0.5, 0.1), (0.3, 0.9, 0.0), (0.3, 0.978, 0.0), (0.3, 0.98, 0.03), (0.1, 0.9, 0.0)):
            yield World(n, 1, 0.5, *shares, whole=True)
    for n in (150, 300):
        for passage in (5, None):
            yield World(n, passage, 0.5, 0.3, 0.5, 0.1, whole=False)
            yield World(n, passage, 0.5, 0.3, 0.95, 0.0, whole=False)
            yield World(n, passage, 0.5, 0.3, 0.9, 0.0, whole=True)
            yield World(n, passage, 0.5, 0.3, 1.0, 0.03, whole=True)
            yield World(n, passage, 0.85, 0.1, 1.0, 0.02, whole=True)
            yield World(n, passage, 0.85, 0.15, 0.9, 0.08, whole=True)


def before(figure: Closed, drawn: Drawn) -> Closed:
    """The same with two questions beside those seen: a gap of 1 that was closed, and one that was not."""
    rows, passages = drawn
    gaps: dict[str, float] = {}
    sizes: dict[str, int] = {}
    for question, (_, gap) in rows.items():
        unit = passages.get(question, question)
        gaps[unit], sizes[unit] = gaps.get(unit, 0.0) + gap, sizes.get(unit, 0) + 1
    there = [gap for gap in gaps.values() if gap]
    way, lost = max(1.0, sum(there) / len(there)) ** 2, max(sizes.values()) ** 2
    return replace(
        figure,
        rise_square=figure.rise_square - way - lost + 1,
        gap_square=figure.gap_square - 2 * way + 2,
        product=figure.product - way + 1,
    )


def main(repetitions: int) -> None:
    print(
        f"held, in %, and the median width, {repetitions:,} repetitions; no interval holds all and is wide without end"
    )
    print("| world | n | truth | two questions: held | width | three units: held | width |\n|" + " --- |" * 7)
    for world in worlds():
        generator = np.random.default_rng(21)
        held, widths = np.zeros(2), np.full((repetitions, 2), math.inf)
        for repetition in range(repetitions):
            drawn = world.draw(generator)
            with clustered(drawn[1]):
                figure = closed(drawn[0])
            for place, each in enumerate(() if figure is None else (before(figure, drawn), figure)):
                low, high = each.limits()
                if low is None or high is None:
                    held[place] += 1
                else:
                    held[place] += low <= world.truth <= high
                    widths[repetition, place] = high - low
            held += figure is None
        ends = zip((100 * held / repetitions).tolist(), np.median(widths, axis=0).tolist(), strict=True)
        print(f"| {world} | " + " | ".join(f"{rate:.1f} | {width:.2f}" for rate, width in ends) + " |", flush=True)


FAMILIES = (1, 10, 20)
LEFT = 0.8
"""Of the level, where a start was chosen among players."""


def held_against() -> Iterator[tuple[World, float | None]]:
    """And the threshold; None: the truth itself, so that whatever is settled is an error."""
    for n, shares in (
        (300, (0.3, 0.98, 0.03)),
        (500, (0.3, 0.98, 0.03)),
        (500, (0.3, 1.0, 0.02)),
        (1_000, (0.3, 1.0, 0.02)),
        (500, (0.6, 0.97, 0.0)),
        (500, (0.3, 0.03, 0.0)),
        (200, (0.3, 0.9, 0.05)),
        (300, (0.3, 0.5, 0.1)),
    ):
        yield World(n, 1, min(0.5, 1 - shares[0]), *shares, whole=True), None
    for n, shares, threshold in (
        (300, (0.3, 0.98, 0.03), 0.8),
        (300, (0.3, 0.9, 0.05), 0.6),
        (100, (0.3, 0.9, 0.03), 0.5),
        (200, (0.3, 0.7, 0.05), 0.4),
        (300, (0.3, 0.5, 0.05), 0.25),
        (200, (0.3, 0.6, 0.05), 0.0),
        (300, (0.3, 0.6, 0.05), 0.8),
        (200, (0.3, 0.3, 0.05), 0.5),
    ):
        yield World(n, 1, 0.5, *shares, whole=True), threshold
    for passage in (5, None):
        yield World(300, passage, 0.5, 0.3, 1.0, 0.03, whole=True), None
        yield World(300, passage, 0.5, 0.3, 0.9, 0.03, whole=False), 0.4


def families(repetitions: int) -> None:
    """How often the first of a family is settled: at Holm's first step, the choice of the start paid for."""
    print(f"one hypothesis settled, in %, at its level in a family of {FAMILIES}, {repetitions:,} repetitions")
    print("| world | n | truth | against | Fieller | verdict |\n|" + " --- |" * 6)
    for world, threshold in held_against():
        generator = np.random.default_rng(22)
        against = world.truth if threshold is None else threshold
        settled = np.zeros((2, len(FAMILIES)))
        for _ in range(repetitions):
            rows, passages = world.draw(generator)
            with clustered(passages):
                figure = guarded_closed(rows)
            found = 1.0 if figure is None else figure.fieller.p(against) or 0.0
            settled[0] += [found <= LEFT * 0.05 / family for family in FAMILIES]
            if figure is not None and found <= 0.05:
                settled[1] += [(figure.p(against) or 0.0) <= LEFT * 0.05 / family for family in FAMILIES]
        rates = [" ".join(f"{100 * rate:.2f}" for rate in row) for row in (settled / repetitions).tolist()]
        print(f"| {world} | {100 * against:.0f} | " + " | ".join(rates) + " |", flush=True)


if __name__ == "__main__":
    (families if sys.argv[2:] == ["families"] else main)(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000)
