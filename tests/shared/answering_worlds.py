"""Simulated answers of players to questions, and the same as what rules see."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from moot.decide.candidates import SILENT, Candidates, candidates_of

Codes = NDArray[np.intp]


def answers(
    accuracies: Sequence[float], questions: int, *, choices: int = 4, silent: float = 0.0, seed: int = 0
) -> Codes:
    """Players × questions of labels; 0 is right, the others are equally likely among those who err."""
    draw = np.random.default_rng(seed)
    codes = np.empty((len(accuracies), questions), dtype=np.intp)
    for seat, accuracy in enumerate(accuracies):
        right = draw.random(questions) < accuracy
        codes[seat] = np.where(right, 0, draw.integers(1, choices, questions))
        codes[seat, draw.random(questions) < silent] = SILENT
    return codes


def seen(codes: Codes, players: Sequence[str] = ()) -> Candidates:
    names = players or [f"p{seat}" for seat in range(len(codes))]
    return candidates_of(names, codes, (codes == 0).astype(float))


def world(accuracies: Sequence[float], questions: int, **more: float) -> Candidates:
    return seen(answers(accuracies, questions, **more))  # type: ignore[arg-type]


def apart(questions: int) -> list[str]:
    """Every question by itself."""
    return [f"u{number}" for number in range(questions)]
