"""How often the interval of Cohen's kappa holds the truth.

    python bench/kappa.py [worlds]

Two judges of `n` answers, the first says yes of a share, the second the same but for errors of its own on either word; the
truth is the kappa of these chances. Counted: the low end above it, the high end below it, and how wide the interval is. With
`of` several answers stand to one question, and agree or disagree together.
"""

from __future__ import annotations

import math
import sys

import numpy as np

from moot.stats.agreement import agreement


def truth(yes: float, wrong_yes: float, wrong_no: float) -> float:
    """`wrong_yes`: what the second calls no of what the first calls yes."""
    second = yes * (1 - wrong_yes) + (1 - yes) * wrong_no
    expected = yes * second + (1 - yes) * (1 - second)
    return (yes * (1 - wrong_yes) + (1 - yes) * (1 - wrong_no) - expected) / (1 - expected)


def world(n: int, of: int, yes: float, errors: tuple[float, float], draw: np.random.Generator) -> tuple[list, list]:
    """Words of both judges, and the question of each."""
    first = np.repeat(draw.random(n // of) < yes, of)
    wrong = np.repeat(draw.random(n // of), of) < np.where(first, *errors)
    return list(zip(first.tolist(), (first ^ wrong).tolist(), strict=True)), np.repeat(np.arange(n // of), of).tolist()


CASES = [
    (n, of, yes, errors)
    for n, of in ((30, 1), (100, 1), (300, 1), (300, 5))
    for yes, errors in (
        (0.5, (0.5, 0.5)),
        (0.5, (0.2, 0.2)),
        (0.6, (0.05, 0.05)),
        (0.7, (0.02, 0.01)),
        (0.8, (0.0, 0.05)),
        (0.85, (0.01, 0.01)),
        (0.5, (0.01, 0.01)),
    )
]


def main(worlds: int) -> None:
    for number, (n, of, yes, errors) in enumerate(CASES):
        draw = np.random.default_rng([53, number])
        found = [agreement(*world(n, of, yes, errors, draw)) for _ in range(worlds)]
        told = [one for one in found if one.low is not None and one.high is not None]
        kappa = truth(yes, *errors)
        rates = [sum(one.low > kappa for one in told), sum(one.high < kappa for one in told)]
        shares = [
            f"{100 * rate / len(told):.1f} ± {100 * math.sqrt(rate * (len(told) - rate) / len(told) ** 3):.1f}"
            for rate in rates
        ]
        width = np.mean([one.high - one.low for one in told])
        print(
            f"n {n} of {of}, yes {yes}, kappa {kappa:.3f}: low above {shares[0]}, high below {shares[1]},"
            f" width {width:.2f}, none {worlds - len(told)}",
            flush=True,
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
