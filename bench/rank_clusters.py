"""How often a rank correlation over clusters of unequal size is found, where there is none and where there is one.

    python bench/rank_clusters.py [worlds]

Between clusters the two figures go together by rho, inside one they differ a little. Counted are p of at most 5 %, and
intervals that do not hold the truth: the mean rho over many worlds of the same kind.
"""

from __future__ import annotations

import math
import sys

import numpy as np

from moot.stats.clusters import clustered
from moot.stats.rank import Correlation, spearman_over_questions

SIZES = {
    "25 of 2, 5 of 30": [2] * 25 + [30] * 5,
    "50 single, 1 of 50": [1] * 50 + [50],
    "100 single, 10 of 15": [1] * 100 + [15] * 10,
    "30 of 5": [5] * 30,
    "1 to 9, 40 of them": [1 + place % 9 for place in range(40)],
}


def world(sizes: list[int], rho: float, within: float, draw: np.random.Generator) -> Correlation | None:
    """`within`: how far questions of one cluster differ."""
    one = draw.normal(size=len(sizes))
    other = rho * one + math.sqrt(1 - rho * rho) * draw.normal(size=len(sizes))
    pairs, clusters = {}, {}
    for name, size in enumerate(sizes):
        for number in range(size):
            noise = within * draw.normal(size=2)
            pairs[f"{name}.{number}"] = (float(np.round(3 + 1.2 * one[name] + noise[0])), float(other[name] + noise[1]))
            clusters[f"{name}.{number}"] = str(name)
    with clustered(clusters):
        return spearman_over_questions(pairs)


def main(worlds: int) -> None:
    for title, sizes in SIZES.items():
        cells = []
        for rho, within in ((0.0, 0.5), (0.0, 0.0), (0.4, 0.5), (0.7, 0.5)):
            draw = np.random.default_rng([41, round(100 * rho), round(100 * within), len(sizes)])
            found = [one for _ in range(worlds) if (one := world(sizes, rho, within, draw)) is not None]
            share = sum(one.p is not None and one.p <= 0.05 for one in found) / len(found)
            told = [one.estimate for one in found if one.estimate.low is not None and one.estimate.high is not None]
            truth = float(np.mean([one.estimate.value for one in found]))
            missed = sum(not one.low <= truth <= one.high for one in told) / max(1, len(told))  # type: ignore[operator]
            error = math.sqrt(share * (1 - share) / len(found))
            cells.append(
                f"rho {rho}, within {within}: {100 * share:.1f} ± {100 * error:.1f} (missed {100 * missed:.1f})"
            )
        print(f"{title}: {'; '.join(cells)}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 600)
