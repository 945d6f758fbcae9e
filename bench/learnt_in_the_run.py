"""Whether figures of what learns within a run hold: in worlds that are known, by the functions that reports and `moot fit` use.

    nice -5 python bench/learnt_in_the_run.py [surest] [fit] [rows]

Players answer independently; who errs takes a wrong answer of its own, or, on a share of the questions, one that lures all.

`surest`: probabilities that were learnt on other parts of the same questions: how right the surest answers are said to be and
are, and whether the interval of the calibration error holds it. What is true of an answer is told by who agrees with whom.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from moot.decide.candidates import Candidates, Floats, Places, candidates_of
from moot.decide.reliability import BINS, reliability
from moot.decide.rules import Plurality, taken
from moot.decide.verdict_chance import surest_first, table_chances, verdict_chances
from moot.stats.proportion import accuracy


@dataclass(frozen=True)
class World:
    right: tuple[float, ...]
    choices: int
    lured: float
    """The share of questions on which all who err say the same."""

    @property
    def players(self) -> tuple[str, ...]:
        return tuple(f"p{seat}" for seat in range(len(self.right)))

    def codes(self, draw: np.random.Generator, size: int) -> Places:
        """Players × questions; 0 is right."""
        lures, shape = draw.integers(1, self.choices, size), (len(self.right), size)
        wrong = np.where(draw.random(size) < self.lured, lures, draw.integers(1, self.choices, shape))
        return np.where(draw.random(shape) < np.array(self.right)[:, None], 0, wrong)

    def candidates(self, codes: Places) -> Candidates:
        return candidates_of(self.players, codes, (codes == 0).astype(float))

    def __str__(self) -> str:
        return f"{', '.join(f'{each:g}' for each in self.right)}; {self.choices} choices, lured {self.lured:g}"


def names(world: int, size: int) -> list[str]:
    return [f"{world}-{place}" for place in range(size)]


def share(rights: Floats) -> tuple[float, float, float]:
    found = accuracy({str(place): [float(right)] for place, right in enumerate(rights)})
    assert found.low is not None
    assert found.high is not None
    return found.value, found.low, found.high


def percent(values: Sequence[bool] | Floats) -> str:
    """With its standard error."""
    part = float(np.mean(values))
    return f"{100 * part:4.1f} ± {100 * np.sqrt(part * (1 - part) / len(values)):.1f}"


# ---------------------------------------------------------------- how right the surest are

SURE = (World((0.7, 0.7, 0.7), 2, 0.0), World((0.8, 0.8), 4, 0.0), World((0.75, 0.65, 0.6, 0.6), 4, 0.3))


def patterns(codes: Places, chosen: Places) -> Places:
    """Who agrees with whom, and who with the answer taken, as one number."""
    found = np.zeros(codes.shape[1], dtype=np.intp)
    for seat, row in enumerate(codes):
        for other in (*codes[:seat], chosen):
            found = 2 * found + (row == other)
    return found


def surest() -> None:
    print("surest answers            questions (worlds)  surest   shown   true   low end above   high end below, %")
    for number, world in enumerate(SURE):
        draw = np.random.default_rng([31, number])
        many = world.codes(draw, 400_000)
        of_many = taken_codes(world, many, draw)
        kinds, place = np.unique(patterns(many, of_many), return_inverse=True)
        truth = dict(zip(kinds.tolist(), np.bincount(place, weights=of_many == 0) / np.bincount(place), strict=True))
        for size, worlds in ((100, 300), (300, 150), (1_000, 60)):
            curves, errors = [], []
            for one in range(worlds):
                codes = world.codes(draw, size)
                candidates = world.candidates(codes)
                chosen = taken(Plurality(), candidates, draw)
                rights, units = candidates.worth_of(chosen), names(one, size)
                table = table_chances(candidates, units)
                said = verdict_chances(table, np.arange(size), chosen, rights)
                true = np.array(
                    [truth[kind] for kind in patterns(codes, code_taken(codes, candidates, chosen)).tolist()]
                )
                order = surest_first(said, table.fold_of, [(unit, 0) for unit in units])
                curves.append(
                    [beside(rights[at], true[at]) for at in (order[: size * tenths // 10] for tenths in TENTHS)]
                )
                found = reliability(said, rights, units, seed=one)
                bins = np.clip((said * BINS).astype(int), 0, BINS - 1)
                real = float(np.abs(np.bincount(bins, weights=said - true)).sum() / size)
                errors.append([found.error, found.by_chance, real, found.low > real, found.high < real, found.low > 0])
            for tenths, rows in zip(TENTHS, np.array(curves).swapaxes(0, 1), strict=True):
                shown, real = 100 * rows[:, :2].mean(axis=0)
                ends = f"{percent(rows[:, 2]):>15} {percent(rows[:, 3]):>15}"
                print(
                    f"{world!s:45} {size:5,} ({worlds}) {10 * tenths:4} % {shown:6.1f} {real:6.1f} {ends}", flush=True
                )
            told = np.array(errors)
            shown, chance, real = 100 * told[:, :3].mean(axis=0)
            ends = f"low end above it {percent(told[:, 3])}, high end below {percent(told[:, 4])}, above 0 {percent(told[:, 5])}"
            print(
                f"  calibration error: shown {shown:.1f}, by chance {chance:.1f}, true {real:.1f}; {ends}", flush=True
            )


TENTHS = (1, 2, 5, 8)


def beside(rights: Floats, true: Floats) -> tuple[float, float, bool, bool]:
    value, low, high = share(rights)
    return value, float(true.mean()), low > true.mean(), high < true.mean()


def code_taken(codes: Places, candidates: Candidates, chosen: Places) -> Places:
    """Of each question the answer that was taken, by somebody who gave it."""
    every = np.arange(codes.shape[1])
    return codes[candidates.support[every, chosen].argmax(axis=1), every]


def taken_codes(world: World, codes: Places, draw: np.random.Generator) -> Places:
    """What a plurality takes, ties by lot."""
    counts = (codes[:, :, None] == np.arange(world.choices)).sum(axis=0)
    return np.where(counts == counts.max(axis=1, keepdims=True), draw.random(counts.shape), -1).argmax(axis=1)


if __name__ == "__main__":
    started, parts = time.process_time(), {"surest": surest}
    for name in sys.argv[1:] or parts:
        parts[name]()
    print(f"\n{time.process_time() - started:.0f} s of CPU")
