"""What is claimed while answers wait for a grade: python bench/waiting.py [REPETITIONS [QUESTIONS ...]].

A team is no better than the single that it is compared with (60 % right both), or better by so many points. What matches
the reference is right at once; what does not match waits for the judge, who has settled all but a few: only the
team's answers wait, and of those that wait nine in ten are wrong. Judged by the functions that reports and `moot compare`
call, and beside them by the figures over what is graded alone.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from moot.stats.graded import Value, graded_estimate, graded_value
from moot.stats.graded_pairs import compared_row, known_pairs
from moot.stats.paired import compare
from moot.stats.proportion import wilson

Generator = np.random.Generator
RIGHT = 0.6
WRONG_OF_WAITING = 0.9
SIZES = (100, 300, 1000)
SHARES = (0.01, 0.03, 0.05)
GAIN = {100: 0.18, 300: 0.10, 1000: 0.055}
"""What is found in about nine of ten experiments with everything graded."""


Pairs = Mapping[str, Sequence[tuple[Value, Value]]]


def experiment(draw: Generator, n: int, waiting: float, gain: float) -> Pairs:
    """Half of the questions are answered alike by both."""
    alike = draw.random(n) < 0.5
    single = draw.random(n) < RIGHT
    team = np.where(alike, single, draw.random(n) < RIGHT)
    team |= draw.random(n) < gain / (1 - RIGHT)
    count = round(waiting * n)
    wrong, right = (draw.permutation(np.flatnonzero(team == truth)) for truth in (False, True))
    many = min(len(wrong), round(WRONG_OF_WAITING * count))
    waits = {*wrong[:many].tolist(), *right[: count - many].tolist()}
    values = [
        graded_value(None, "waiting") if place in waits else graded_value(float(team[place]), "judge")
        for place in range(n)
    ]
    beside = [graded_value(float(mark), "judge") for mark in single]
    return {f"q{place}": [pair] for place, pair in enumerate(zip(values, beside, strict=True))}


@dataclass(slots=True)
class Counted:
    """In how many experiments more is said, and in how many the interval of the accuracy leaves out the truth: by the
    functions of the report, and over what is graded alone."""

    more: int = 0
    missed: int = 0
    more_alone: int = 0
    missed_alone: int = 0


def counted(n: int, waiting: float, gain: float, repetitions: int) -> Counted:
    draw = np.random.default_rng([n, round(1000 * waiting), round(1000 * gain)])
    found, truth = Counted(), RIGHT + gain
    for _ in range(repetitions):
        pairs = experiment(draw, n, waiting, gain)
        row, alone = compared_row(pairs), compare(known_pairs(pairs))
        found.more += row["low"] > 0 and row.get("bounds", {"low": 1.0})["low"] > 0
        found.more_alone += alone.difference is not None and (alone.difference.low or 0.0) > 0
        values = {question: several[0][0] for question, several in pairs.items()}
        accuracy = graded_estimate(values)
        known = [value.known for value in values.values() if value.known is not None]
        usual = wilson(sum(known), len(known))
        found.missed += accuracy is None or not (accuracy.low or 0.0) <= truth <= (accuracy.high or 1.0)
        found.missed_alone += not (usual.low or 0.0) <= truth <= (usual.high or 1.0)
    return found


def main(repetitions: int, sizes: Sequence[int]) -> None:
    print("  n   wait   false more (alone)   accuracy missed (alone)   gain found (all graded)")
    for n in sizes:
        whole = counted(n, 0.0, GAIN[n], repetitions)
        for waiting in SHARES:
            none, gain = counted(n, waiting, 0.0, repetitions), counted(n, waiting, GAIN[n], repetitions)
            shares = (none.more, none.more_alone, none.missed, none.missed_alone, gain.more, whole.more)
            more, more_alone, missed, missed_alone, power, power_whole = (100 * times / repetitions for times in shares)
            print(
                f"{n:>5} {100 * waiting:>4.0f} %   {more:>5.1f} ({more_alone:.1f})"
                f"   {missed:>13.1f} ({missed_alone:.1f})   {power:>14.1f} ({power_whole:.1f})",
                flush=True,
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000, [int(size) for size in sys.argv[2:]] or SIZES)
