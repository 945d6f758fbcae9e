"""How often the figures of `moot select --splits` hold the truth, and how often they find a gain.

    python bench/splits.py [seconds a world]

Every proposer is right by itself on each question, with a known chance; `top-accuracy` chooses one of them, and one method takes
the first whatever it sees. So the truth of a row is the mean of the chances of whom it chose. `coins`: proposers who guess
between two, and every method that needs no summariser. Counted: truths outside of `low` to `high`, differences whose
interval misses the truth, those with `p_holm` of at most 5 %, and any `beaten_by`.
"""

from __future__ import annotations

import asyncio
import math
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from moot.measures.selection.figures import method_rows
from moot.select.labels import LabelMatrix, Proposer, SelectionSplit
from moot.select.oracle import Oracle
from moot.select.registry import Chosen, Selector, selector
from moot.select.trial import Trial, trials


@dataclass(frozen=True)
class First:
    name: str = "first"

    async def select(self, split: SelectionSplit, k: int, oracle: Oracle) -> Chosen:
        return Chosen(tuple(range(k)), 0)


@dataclass(frozen=True)
class World:
    title: str
    chances: tuple[float, float]
    """Of proposers, drawn between these; the first has `first`."""
    first: float
    proposers: int
    questions: int
    m: int
    splits: int
    methods: tuple[str, ...] = ("top-accuracy",)
    k: int = 1


WORLDS = [
    World("equal", (0.6, 0.6), 0.6, 8, 100, 80, 20),
    World("equal", (0.6, 0.6), 0.6, 30, 100, 80, 20),
    World("equal", (0.6, 0.6), 0.6, 8, 300, 200, 5),
    World("50 to 70 %", (0.5, 0.7), 0.6, 8, 100, 80, 20),
    World("coins", (0.5, 0.5), 0.5, 8, 100, 80, 20, ("top-accuracy", "conditioned-diversity", "input-all"), 3),
    World("15 points more than the first", (0.6, 0.6), 0.45, 8, 300, 200, 20),
    World("the same, one split", (0.6, 0.6), 0.45, 8, 300, 200, 1),
    World("the same, half to choose on", (0.6, 0.6), 0.45, 8, 300, 150, 20),
]


def play(world: World, number: int) -> tuple[LabelMatrix, list[Trial], Sequence[float]]:
    draw = np.random.default_rng([61, number])
    chances = draw.uniform(*world.chances, world.proposers)
    chances[0] = world.first
    right = draw.random((world.proposers, world.questions)) < chances[:, None]
    proposers = tuple(Proposer(f"p{place}") for place in range(world.proposers))
    names = tuple(f"q{place}" for place in range(world.questions))
    truth = np.zeros(world.questions, dtype=np.int32)
    labels = LabelMatrix(proposers, names, ("A", "B"), (~right).astype(np.int32), truth)
    methods: list[Selector] = [*map(selector, world.methods), First()]

    async def tried() -> list[Trial]:
        return [trial async for trial in trials(labels, methods, world.k, m=world.m, splits=world.splits, seed=number)]

    return labels, asyncio.run(tried()), chances.tolist()


def main(seconds: float) -> None:
    for world in WORLDS:
        start, worlds, rows_seen, missed, over_seen, over_missed, found, beaten = time.monotonic(), 0, 0, 0, 0, 0, 0, 0
        width = []
        while time.monotonic() - start < seconds:
            labels, tried, chances = play(world, worlds)
            rows = method_rows(labels, tried)
            worlds += 1
            of = {row["method"]: [t for t in tried if t.method == row["method"]] for row in rows}
            # A vote of guessers is a guess; of one proposer it is the proposer.
            truths = {
                name: float(np.mean([0.5 if world.k > 1 else chances[trial.team[0]] for trial in those]))
                for name, those in of.items()
            }
            for row in rows:
                rows_seen += 1
                missed += not row["low"] <= truths[row["method"]] <= row["high"]
                width.append(row["high"] - row["low"])
                if row["over"] is not None:
                    over, gap = row["over"], truths[row["method"]] - truths[row["over"]["method"]]
                    over_seen += 1
                    over_missed += not over["low"] - 1e-9 <= gap <= over["high"] + 1e-9
                    found += over["p_holm"] <= 0.05
            beaten += any(row["beaten_by"] for row in rows)
        said = [
            f"{name} {_rate(count, out_of)}"
            for name, count, out_of in (
                ("missed", missed, rows_seen),
                ("difference missed", over_missed, over_seen),
                ("difference found", found, over_seen),
                ("beaten", beaten, worlds),
            )
        ]
        sizes = (
            f"{world.proposers} proposers, {world.questions} questions, {world.m} to choose on, {world.splits} splits"
        )
        print(f"{world.title}, {sizes}, {worlds} worlds: {', '.join(said)}; width {np.mean(width):.3f}", flush=True)


def _rate(count: int, out_of: int) -> str:
    share = count / max(1, out_of)
    return f"{100 * share:.1f} ± {100 * math.sqrt(share * (1 - share) / max(1, out_of)):.1f}"


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 60.0)
