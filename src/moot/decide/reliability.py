"""How far probabilities can be trusted: what was said beside what came of it, and how right the surest answers are.

The calibration error is the mean distance between the two over ten bins of equal width. Of few questions it is never 0,
however true the probabilities are, since chance alone moves what came of a bin: `by_chance` is what it would be then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from moot.decide.candidates import Floats, Places
from moot.later import numpy as np
from moot.stats.proportion import share_of

BINS = 10
DRAWS = 400
LEVEL = 0.975


@dataclass(frozen=True, slots=True)
class Bin:
    said: float
    right: float
    n: int


@dataclass(frozen=True, slots=True)
class Reliability:
    """Of cross-fitted probabilities: nothing is told of the questions that they were learnt on."""

    brier: float
    brier_low: float
    brier_high: float
    error: float
    low: float
    high: float
    by_chance: float
    """What the calibration error would be on the average, with so many questions, if every probability were true."""
    bins: tuple[Bin, ...]
    n: int


def reliability(chances: Floats, rights: Floats, units: Sequence[str], *, seed: int = 0) -> Reliability:
    """Intervals over units, drawn with replacement."""
    draw = np.random.default_rng([seed, len(chances)])
    squares = (chances - rights) ** 2
    inside = _one_of_bins(chances)
    named, unit_of = np.unique(np.asarray(units, dtype=str), return_inverse=True)
    sums = np.zeros((int(unit_of.max(initial=-1)) + 1, BINS + 2))
    # Of each unit: how many answers, their squares, and by bin how far they are from what came of them.
    np.add.at(sums, unit_of, np.column_stack([np.ones(len(chances)), squares, inside * (chances - rights)[:, None]]))
    rights_of = np.bincount(unit_of, weights=rights, minlength=len(sums))
    # In an order of their own, whatever the units are called and wherever they stand: the draws must not hang on that.
    ordered = np.lexsort((*sums.T, rights_of))
    sums, rights_of, named = sums[ordered], rights_of[ordered], named[ordered]
    times = draw.multinomial(len(sums), np.full(len(sums), 1 / len(sums)), size=DRAWS)
    answers, squared, *distances = (times @ sums).T
    briers, errors = squared / answers, np.abs(distances).sum(axis=0) / answers
    moved_by = np.abs(np.array(distances) - sums[:, 2:].sum(axis=0)[:, None]).sum(axis=0) / answers
    error = calibration_error(chances, rights)
    said = np.sort(chances)
    come_true = draw.random((DRAWS // 2, len(said))) < said
    by_chance = np.abs((said - come_true) @ _one_of_bins(said)).sum(axis=1) / max(len(said), 1)
    # What is nearly always right has mistakes that this sample, and so every resample, may not show. Its share has an interval
    # all the same, and the error is no less than the distance between what was said and that share, both on the average.
    share = share_of(
        {str(unit): (right, count) for unit, right, count in zip(named, rights_of, sums[:, 0], strict=True)}
    )
    ends = [end for end in (share.low, share.high) if end is not None] if share is not None else []
    # A resample adds the noise of the sample once more, so its error is too large by as much: the upper end errs on the side of
    # distrust. Of the lower: the error seen is no more than the true one and what chance adds to all bins, so the true one is no
    # less than what is seen without so much. Mirrored, it was above the truth in 8 % of worlds of 100 questions, since
    # probabilities that other questions taught move with what came of these.
    chance = max(float(np.quantile(noise, LEVEL)) for noise in (by_chance, moved_by))
    high = max([float(np.quantile(errors, LEVEL)), *(abs(float(chances.mean()) - end) for end in ends)])
    moved = [squares.mean() + (rights.mean() - end) * (2 * chances - 1).mean() for end in ends]
    brier_low, brier_high = np.quantile(briers, [1 - LEVEL, LEVEL])
    brier_low, brier_high = max(0.0, min([brier_low, *moved])), max([brier_high, *moved])
    return Reliability(
        brier=float(squares.mean()),
        brier_low=float(brier_low),
        brier_high=float(brier_high),
        error=error,
        low=max(0.0, error - chance),
        high=high,
        by_chance=float(by_chance.mean()),
        bins=tuple(binned(chances, rights)),
        n=len(chances),
    )


def _one_of_bins(chances: Floats) -> Floats:
    """Answers × bins."""
    inside = np.zeros((len(chances), BINS))
    inside[np.arange(len(chances)), _bins(chances)] = 1.0
    return inside


def calibration_error(chances: Floats, rights: Floats) -> float:
    place = _bins(chances)
    distance = np.bincount(place, weights=chances - rights, minlength=BINS)
    return float(np.abs(distance).sum() / max(len(chances), 1))


def binned(chances: Floats, rights: Floats) -> list[Bin]:
    """Bins that are not empty, in their order."""
    place = _bins(chances)
    counts = np.bincount(place, minlength=BINS)
    said, right = (np.bincount(place, weights=values, minlength=BINS) for values in (chances, rights))
    return [Bin(float(said[b] / n), float(right[b] / n), int(n)) for b, n in enumerate(counts) if n]


def _bins(chances: Floats) -> Places:
    place: Places = np.clip((chances * BINS).astype(np.intp), 0, BINS - 1)
    return place
