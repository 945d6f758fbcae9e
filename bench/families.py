"""Ten hypotheses without truth: is any confirmed or refuted? And is promised power kept? python bench/families.py [WORLDS].

The hypotheses and their worlds are those of tests/stats/test_families.py, judged by the functions that reports call.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.stats.test_families import verdicts

from moot.stats.paired import holm, mcnemar_exact
from moot.stats.power import needed


def claimed(n: int, worlds: int, seed: int = 0) -> float:
    """The share of worlds in which something is claimed that is not so."""
    generator = np.random.default_rng(seed)
    return sum(any(row["verdict"] != "open" for row in verdicts(generator, n)) for _ in range(worlds)) / worlds


def kept(comparisons: int, runs: int, seed: int = 0) -> tuple[int, float]:
    """The questions that `plan` asks for, and how often the one real gain of a family is then found through Holm."""
    gain, discordance = 0.05, 0.2
    n = needed(0.5, gain, discordance, comparisons=comparisons) or 0
    generator = np.random.default_rng(seed)
    found = 0
    for _ in range(runs):
        real = generator.multinomial(n, [(discordance + gain) / 2, (discordance - gain) / 2, 1 - discordance])
        null = generator.multinomial(n, [discordance / 2, discordance / 2, 1 - discordance], size=comparisons - 1)
        found += holm([mcnemar_exact(*pairs[:2]) for pairs in (real, *null)])[0] <= 0.05
    return n, found / runs


def main(worlds: int) -> None:
    for comparisons in (1, 3, 10, 30):
        n, rate = kept(comparisons, 2_000)
        print(f"plan, {comparisons:2} comparisons: {n:,} questions, power kept {100 * rate:.1f} % of 80", flush=True)
    for n in (30, 100):
        rate = claimed(n, worlds)
        error = 100 * math.sqrt(max(rate * (1 - rate), 1 / worlds) / worlds)
        print(f"ten null hypotheses, n = {n}: claimed in {100 * rate:.1f} % (± {error:.1f})", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000)
