"""The best within a cost, where cost goes with being wrong: is its low end above the truth? python bench/frontier.py [WORLDS].

Options of equal truth, of which a wrong answer costs a multiple of a right one: the luckiest is the cheapest too. Beside the
interval of the cheapest row stands the one that pays for those alone that were seen to cost no more. Then costs that have
nothing to do with being right, where paying for all options would be too much. Of each world the first three are held against
the report's own row.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from moot.stats.choice import chosen_interval
from moot.stats.estimates import estimate
from moot.stats.frontier import SAME_COST, Option, frontier
from moot.types import Estimate

Generator = np.random.Generator
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class World:
    questions: int
    options: int
    right: float
    wrong_costs: float = 1.0
    """Times what a right answer costs."""
    spread: float = 0.2
    """Of a cost's logarithm."""
    alike: float = 0.3
    costs: str = "by answer"

    def __str__(self) -> str:
        how = f"a wrong answer {self.wrong_costs:g} times" if self.costs == "by answer" else self.costs
        return f"{self.options} options, right {self.right:g}, alike {self.alike:g}; {how} | {self.questions}"

    def draw(self, generator: Generator) -> tuple[Floats, Floats]:
        """What was right and what it cost: options × questions."""
        size = self.options, self.questions
        latent = math.sqrt(self.alike) * generator.standard_normal(self.questions)
        latent = latent + math.sqrt(1 - self.alike) * generator.standard_normal(size)
        right = (latent < stats.norm.ppf(self.right)).astype(float)
        number = np.arange(1.0, self.options + 1)[:, None]
        if self.costs == "one call more each":
            return right, np.repeat(number, self.questions, axis=1)
        if self.costs == "two each, a call in fifty again":
            return right, np.ceil(number / 2) + (generator.random(size) < 0.02)
        if self.costs == "a third more each, spread":
            return right, 1.3**number * np.exp(0.7 * generator.standard_normal(size))
        return right, np.where(right > 0, 1.0, self.wrong_costs) * np.exp(self.spread * generator.standard_normal(size))


def worlds() -> Iterator[World]:
    yield World(100, 16, 0.8, 6.0)
    yield World(100, 8, 0.8, 4.0, alike=0.0)
    yield World(60, 12, 0.8, 4.0, spread=0.3, alike=0.1)
    yield World(100, 3, 0.8, 6.0, alike=0.0)
    yield World(100, 2, 0.8, 4.0, alike=0.0)
    yield World(100, 8, 0.7, 1.0, spread=1.0)
    for costs in ("one call more each", "two each, a call in fifty again", "a third more each, spread"):
        yield World(100, 8, 0.7, costs=costs)


def lows(right: Floats, cost: Floats) -> tuple[float, list[float]]:
    """Of the cheapest: the best of those that cost no more, and its low end, paid for those that were seen to cost no more and
    for all that are not surely dearer."""
    own, n = int(np.argmin(cost.mean(axis=1))), right.shape[1]
    differences = cost - cost[own]
    mean, error = differences.mean(axis=1), differences.std(axis=1, ddof=1) / math.sqrt(n)
    clear, surely = (mean > error * stats.t.isf(0.025 / others, n - 1) + 1e-12 for others in (1, len(cost) - 1))
    affordable = np.flatnonzero(~(clear | (mean > SAME_COST * cost[own].mean() + 1e-9)))
    best = int(affordable[np.argmax(right[affordable].mean(axis=1))])
    share = float(right[best].mean())
    low, high = shares.setdefault((share, n), share_limits(right[best]))
    usual = Estimate(share, low, high, n)
    ends = []
    for paid_for in (affordable, np.union1d(affordable, np.flatnonzero(~surely))):
        end = chosen_interval(right[paid_for], int(np.searchsorted(paid_for, best)), usual).low
        assert end is not None
        ends.append(end)
    return share, ends


shares: dict[tuple[float, int], tuple[float | None, float | None]] = {}


def share_limits(values: Floats) -> tuple[float | None, float | None]:
    found = estimate(values.tolist())
    assert found is not None
    return found.low, found.high


def reported(right: Floats, cost: Floats) -> float:
    """As the report has it."""
    asked = [f"q{number}" for number in range(right.shape[1])]
    options = {
        f"o{place:02}": Option(*(dict(zip(asked, row, strict=True)) for row in both))
        for place, both in enumerate(zip(right.tolist(), cost.tolist(), strict=True))
    }
    return float(frontier(options, asked)[0]["within_low"])


def main(times: int) -> None:
    print(f"cheapest row, {times:,} worlds: low end above the truth in % (2.5 meant), and value less low end")
    print("| world | n | before: above | width | now: above | width |\n|" + " --- |" * 6)
    for world in worlds():
        generator = np.random.default_rng(31)
        above, widths = np.zeros(2), np.zeros(2)
        for number in range(times):
            right, cost = world.draw(generator)
            share, ends = lows(right, cost)
            assert number > 2 or math.isclose(ends[1], reported(right, cost), abs_tol=1e-9)
            above += [low > world.right for low in ends]
            widths += [share - low for low in ends]
        rates = above / times
        errors = np.sqrt(np.maximum(rates, 1 / times) * (1 - rates) / times)
        cells = zip((100 * rates).tolist(), (100 * errors).tolist(), (widths / times).tolist(), strict=True)
        text = " | ".join(f"{rate:.1f} ± {error:.1f} | {width:.3f}" for rate, error, width in cells)
        print(f"| {world} | {text} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000)
