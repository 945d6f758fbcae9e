"""How often the interval of the learnt threshold's accuracy holds the truth.

    python bench/threshold.py [worlds]

Voting and talking are equally good, whatever the number of different answers, so every threshold is right in the same share
of questions and the truth is known whichever was learnt. `alike`: on how many questions both say the same by necessity.
"""

from __future__ import annotations

import math
import sys

import numpy as np

from moot.measures.quiz import threshold
from moot.measures.quiz.played import Played

WORLDS = [
    (60, 6, 0.5, 0.0),
    (200, 6, 0.5, 0.0),
    (100, 9, 0.5, 0.5),
    (60, 3, 0.8, 0.0),
]
"""Questions, players, how right both are, how alike."""


def world(n: int, players: int, right: float, alike: float, draw: np.random.Generator) -> threshold.Threshold | None:
    groups = draw.integers(1, players + 1, n)
    voted = draw.random(n) < right
    talked = np.where(draw.random(n) < alike, voted, draw.random(n) < right)
    vote = [Played(f"q{place}", "vote", right=float(value), calls=players) for place, value in enumerate(voted)]
    talk = [
        Played(f"q{place}", "talk", captain="a", right=float(value), calls=players + 1)
        for place, value in enumerate(talked)
    ]
    drafts = {(f"q{place}", 0): int(d) for place, d in enumerate(groups)}
    return threshold.learn_threshold(vote, talk, drafts, players=players, seed=int(draw.integers(1_000_000)))


def main(worlds: int) -> None:
    threshold._compared = lambda *args: {}  # type: ignore[assignment]  # the differences take longest, and are not looked at here
    for number, (n, players, right, alike) in enumerate(WORLDS):
        draw = np.random.default_rng([59, number])
        found = [one for _ in range(worlds) if (one := world(n, players, right, alike, draw)) is not None]
        reached = [one.by_threshold.accuracy for one in found]
        rates = [
            sum(one.low > right for one in reached) / len(found),  # type: ignore[union-attr, operator]
            sum(one.high < right for one in reached) / len(found),  # type: ignore[union-attr, operator]
        ]
        shares = [f"{100 * rate:.1f} ± {100 * math.sqrt(rate * (1 - rate) / len(found)):.1f}" for rate in rates]
        values = [one.value for one in reached]  # type: ignore[union-attr]
        width = np.mean([one.high - one.low for one in reached])  # type: ignore[union-attr, operator]
        print(
            f"{n} questions, {players} players, right {right}, alike {alike}: low above {shares[0]}, high below {shares[1]};"
            f" mean {np.mean(values):.3f}, deviation {np.std(values):.4f}, width / 3.92 {width / 3.92:.4f}",
            flush=True,
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
