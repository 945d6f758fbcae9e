"""How long 10,000 resamples of 12,000 questions × 34 models take: python bench/bootstrap.py."""

from __future__ import annotations

import time

import numpy as np

from moot.stats.bootstrap import percentile_interval, resampled_sums

QUESTIONS, MODELS, RESAMPLES = 12_000, 34, 10_000


def main() -> None:
    generator = np.random.default_rng(0)
    accuracy = np.linspace(0.3, 0.8, MODELS)
    values = (generator.random((QUESTIONS, MODELS)) < accuracy).astype(float)
    started = time.perf_counter()
    means = resampled_sums(values, resamples=RESAMPLES) / QUESTIONS
    limits = [percentile_interval(column, QUESTIONS) for column in means.T]
    seconds = time.perf_counter() - started
    spread = means.std(axis=0) / np.sqrt(values.mean(0) * (1 - values.mean(0)) / QUESTIONS)
    print(f"{RESAMPLES:,} resamples of {QUESTIONS:,} questions × {MODELS} models: {seconds:.2f} s")
    print(f"spread of the means against the formula: {spread.min():.3f} to {spread.max():.3f} (1 is exact)")
    print(f"intervals: {sum(each is not None for each in limits)}")


if __name__ == "__main__":
    main()
