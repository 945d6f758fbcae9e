"""Does a plan by a pilot (`moot plan --from`) keep its 80 of 100? python bench/pilots.py [PILOTS].

A pilot tells how often two ways of answering differ; the plan is made by the unfavourable end of that share's interval, and
beside it by the share itself. What the larger run then has is the exact power of its test in the true world: over all pilots on
average, and in how many of 100 pilots it is 80 % or more. Pilots of single questions are gone through one by one, each as
likely as it is; of clusters, whose questions all do alike, they are drawn.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from functools import cache

import numpy as np

from moot.stats.clusters import clustered
from moot.stats.estimates import estimate
from moot.stats.power import most_discordance, needed, power

ACCURACY = 0.5


@cache
def promised(gain: float, share: float, true_share: float) -> float:
    """The power in the true world of a run that was planned for another share of questions that differ."""
    planned = min(max(share, gain), most_discordance(ACCURACY, gain))
    questions = needed(ACCURACY, gain, planned)
    return power(questions or 0, gain, true_share)


def of_questions(m: int, share: float) -> Iterator[tuple[float, float, float]]:
    """How likely each pilot is, its share and the unfavourable end."""
    for differ in range(m + 1):
        likely = math.comb(m, differ) * share**differ * (1 - share) ** (m - differ)
        if likely > 1e-12:
            found = estimate({str(n): float(n < differ) for n in range(m)})
            assert found is not None
            assert found.high is not None
            yield likely, found.value, found.high


def of_clusters(m: int, share: float, size: int, pilots: int) -> Iterator[tuple[float, float, float]]:
    generator = np.random.default_rng(17)
    names = {str(n): str(n // size) for n in range(m)}
    with clustered(names):
        for _ in range(pilots):
            differ = generator.random(m // size) < share
            found = estimate({name: float(differ[int(cluster)]) for name, cluster in names.items()})
            assert found is not None
            assert found.high is not None
            yield 1 / pilots, found.value, found.high


def main(pilots: int) -> None:
    print("| pilot | differ on | gain | planned by | power on average | pilots with 80 % or more |")
    print("| --- | --- | --- | --- | --- | --- |")
    for m, size in ((40, 1), (100, 1), (200, 1), (200, 5)):
        for share, gain in ((0.1, 0.05), (0.2, 0.05), (0.3, 0.1)):
            found = list(of_questions(m, share) if size == 1 else of_clusters(m, share, size, pilots))
            for place, name in ((2, "the unfavourable end"), (1, "the share itself")):
                kept = [(each[0], promised(gain, each[place], share)) for each in found]
                average = sum(likely * chance for likely, chance in kept)
                often = sum(likely for likely, chance in kept if chance >= 0.795)
                asked = f"{m} questions" if size == 1 else f"{m} questions in clusters of {size}"
                print(
                    f"| {asked} | {100 * share:g} % | +{100 * gain:g} | {name} | {100 * average:.0f} % | {100 * often:.0f} % |"
                )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
